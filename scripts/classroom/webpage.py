"""Pages for teachers and students, which need nothing else."""

import os
import tempfile
from html import escape
from pathlib import Path

STYLE = (
    ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:50rem;padding:1rem}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top;"
    "border-top:1px solid #8884}td:nth-child(2){white-space:nowrap}"
)


def page(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>\n"
    )


def whole(path: Path, text: str):
    """Writes a file, whole or not at all."""
    path.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=".page-", delete=False) as file:
        file.write(text.encode("utf-8", "replace").decode("utf-8"))
    os.replace(file.name, path)
