from .delta_divergence import delta_divergence
from .machinery import Choice, Exploration, Explorer, Slider
from .threshold_test import threshold_test

__all__ = ["delta_divergence", "threshold_test"]
