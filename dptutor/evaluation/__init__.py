"""All faces of a composition from the laws of the losses of its parts, with bounds on their errors."""
