"""The packed tables of an explorer: made once, and kept if there is a folder for them."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from importlib import import_module
from typing import Any

from .declaration import Declaration
from .store import GALLERY, kept, missing
from .tables import Table, TextEncoder, pack


@lru_cache(maxsize=32)
def packed_tables(explorer: Declaration) -> tuple[list[dict[str, Any]], bytes]:
    """How to unpack each table, and the deflated numbers of all."""
    ours = getattr(sys.modules.get(f"{GALLERY}.{explorer.name}"), explorer.name, None) is explorer
    return kept(explorer.name, lambda: _pack_tables(explorer)) if ours else _pack_tables(explorer)


def _pack_tables(explorer: Declaration) -> tuple[list[dict[str, Any]], bytes]:
    described, numbers = [], []
    for table in explorer.tables:
        rows = table.rows(explorer.parameters)
        words: dict[str, list[str]] = {}
        if isinstance(table.encoder, TextEncoder):
            rows, words = table.encoder.as_if_new(rows)
        layout, data = pack(rows)
        described.append(
            described_table(explorer, table) | words | layout | {"rows": rows.shape[0], "width": rows.shape[1]}
        )
        numbers.append(data)
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return described, deflate.compress(b"".join(numbers)) + deflate.flush()


def described_table(explorer: Declaration, table: Table) -> dict[str, Any]:
    """What the script must know about a table."""
    names = list(explorer.parameters)
    dims = [names.index(name) for name in table.dims]
    return {"dims": dims, "kind": table.encoder.kind, **table.encoder.manifest}


def fill(names: Iterable[str]) -> None:
    """Makes the tables of these explorers that the folder lacks, on all cores."""
    with ProcessPoolExecutor() as pool:
        list(pool.map(_make, missing(names)))


def _make(name: str) -> None:
    packed_tables(getattr(import_module(f"{GALLERY}.{name}"), name))
