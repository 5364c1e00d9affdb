"""`python -m dptutor` is the command `dptutor`."""

import sys

from dptutor.command import main

sys.exit(main())
