"""The explorers, a file each; `dptutor.explore` says how to make one, and has them all by name."""
