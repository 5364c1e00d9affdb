"""Prints a page with an installed Chromium."""

import subprocess

from pypdf import PdfReader

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PATIENCE = "--virtual-time-budget=5000"  # milliseconds of the page's own time, in which its fonts are there
SIZES = {"a4": "210mm 297mm", "letter": "8.5in 11in"}


def print_page(chromium, address, folder):
    """The PDF of one page; the browser lives in `folder`."""
    folder.mkdir()
    file = folder / "page.pdf"
    own = [f"--user-data-dir={folder}", f"--print-to-pdf={file}", "--no-pdf-header-footer", PATIENCE]
    done = subprocess.run([chromium, *ARGUMENTS, *own, address], capture_output=True, text=True, timeout=300)
    if not file.is_file():
        raise SystemExit(f"{chromium} did not print {address}:\n{done.stderr}")
    return PdfReader(file)
