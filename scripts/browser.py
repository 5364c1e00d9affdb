"""The browser that is installed here."""

import os
import shutil

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def installed() -> str | None:
    """The program of Chromium or Chrome, if there is one; CHROMIUM may name it."""
    return next(filter(None, map(shutil.which, [os.environ.get("CHROMIUM", ""), *NAMES])), None)
