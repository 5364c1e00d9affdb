"""Constants of double precision, and how large losses and logarithms may be in it."""

from __future__ import annotations

import numpy as np

# From 1 to the next larger float: numpy's eps.
LAST_PLACE = 2.0**-52
# The largest relative error of one rounded operation.
UNIT_ROUNDOFF = 2.0**-53
# The same as the first, of the longest floats that there are.
LONG_LAST_PLACE = float(np.finfo(np.longdouble).eps)
# The smallest float that has all its digits; the smallest of all, and about its logarithm, below which e^x is 0.
SMALLEST_NORMAL, SMALLEST, SMALLEST_LOG = 2.0**-1022, 2.0**-1074, -745.0
# The logarithm of the largest float.
LARGEST_LOG = 709.78
# Beyond this loss e^ε overflows soon, and every finite probability times e^−ε vanishes.
LARGEST_LOSS = 700.0
