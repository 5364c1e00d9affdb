"""The browser that is installed here."""

import os
import shutil

NONE = "no Chromium found: install one (on Debian or Ubuntu 'apt-get install chromium'), or name its file in CHROMIUM"
# The first has no windows at all, and does the same work in less time.
NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def installed() -> str | None:
    """The program of Chromium or Chrome, if there is one; CHROMIUM may name it."""
    return next(filter(None, map(shutil.which, [os.environ.get("CHROMIUM", ""), *NAMES])), None)
