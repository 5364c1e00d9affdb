"""An explorer in a notebook: the page's script, with tables that the kernel fills on request and ahead of a drag.

The script requests the rows of one setting, and says along which slider the reader moves. The kernel sends that
setting at once and then, nearest first and a few at a time, the other settings of that slider, called its line: what a
drag reaches next is there before. A new request ends the filling of the old line, and explorers in other cells wait
with theirs until the new line is full.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Mapping
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets

from .page import body, describe, resource, script
from .parameters import Choice, Parameter

# Seconds for which a line is filled before other work in the kernel gets its turn.
_PATIENCE = 0.02
# Seconds of rest then: a request takes several turns of the event loop to arrive.
_REST = 0.005


def live_widget(exploration) -> LiveExplorer:
    """The widget of an exploration, with a trait for each parameter."""
    explorer = exploration.explorer
    clash = [name for name in explorer.parameters if hasattr(LiveExplorer, name)]
    if clash:
        raise ValueError(f"{explorer.name} has parameters whose names a widget needs: {', '.join(clash)}")
    traits = {name: _trait(parameter) for name, parameter in explorer.parameters.items()}
    widget = type("LiveExplorer", (LiveExplorer,), traits)(
        _name=explorer.name,
        _body=body(exploration, f"dpe-{explorer.name}-live"),
        _manifest=describe(explorer, exploration),
        _own=(own := uuid.uuid4().hex),
        model_id=own,
        **exploration.setting,
    )
    widget.attach(exploration)
    return widget


def _trait(parameter: Parameter) -> traitlets.TraitType:
    if isinstance(parameter, Choice):
        return traitlets.Enum(parameter.options, parameter.value).tag(sync=True)
    limits: Any = {"min": parameter.min, "max": parameter.max}
    if isinstance(parameter.values[0], int):
        return traitlets.Int(int(parameter.value), **limits).tag(sync=True)
    return traitlets.Float(float(parameter.value), **limits).tag(sync=True)


class LiveExplorer(anywidget.AnyWidget):
    """Answers the script's requests, and keeps the traits and the exploration in agreement."""

    _esm = script()
    _css = resource("explorer.css")
    _name = traitlets.Unicode().tag(sync=True)
    _body = traitlets.Unicode().tag(sync=True)
    _manifest = traitlets.Dict().tag(sync=True)
    _own = traitlets.Unicode().tag(sync=True)  # the host's id of the model

    _fillings: ClassVar[list[asyncio.Task]] = []  # of all explorers; the last goes first

    def attach(self, exploration):
        """Connects the widget with the exploration that it shows."""
        self._exploration = exploration
        self._tables = exploration.explorer.tables
        self._filling: asyncio.Task | None = None
        self._line: tuple | None = None  # the line being filled; `_sent` are its settings that have been sent
        self._sent: set = set()
        self.on_msg(lambda widget, content, buffers: self._asked(content))
        self.observe(lambda change: exploration.follow(change["name"], change["new"]), [*exploration.setting])

    def show(self, setting: Mapping):
        """Sets the traits, and so the sliders wherever the widget is shown."""
        with self.hold_sync():
            for name, value in setting.items():
                setattr(self, name, value)

    def _asked(self, question: Mapping):
        if question.get("kind") != "want":
            return
        if self._filling:
            self._filling.cancel()
        setting, along, name = question["setting"], question["along"], question["line"]
        line = (along, tuple((name, value) for name, value in setting.items() if name != along))
        if line != self._line or question["first"]:
            self._line, self._sent = line, set()
        try:
            rows = [self._row(place, setting) for place in range(len(self._tables))]
        except Exception as error:
            at = ", ".join(f"{name} = {value}" for name, value in setting.items())
            reason = str(error).split("\n")[0]
            text = f"At {at}: {type(error).__name__}: {reason}"
            self.send({"kind": "error", "id": question["id"], "text": text})
            raise
        self._send_rows(rows, {"id": question["id"]})
        if along is None:
            return
        try:
            self._filling = asyncio.get_running_loop().create_task(self._fill(setting, along, name))
        except RuntimeError:  # no event loop: a kernel that answers one message after another
            asyncio.run(self._fill(setting, along, name))
        else:
            self._fillings.append(self._filling)
            self._filling.add_done_callback(self._fillings.remove)

    async def _fill(self, setting: Mapping, along: str, line: str):
        """Sends the rows of a slider's other settings, nearest first, except those already sent."""
        parameter = self._exploration.explorer.parameters[along]
        moving = [place for place, table in enumerate(self._tables) if along in table.dims]
        here = parameter.values.index(parameter.nearest(setting[along]))
        rows: list = []
        ready: list = []
        since = time.monotonic()
        for value in sorted(parameter.values, key=lambda value: abs(parameter.values.index(value) - here)):
            if value in self._sent:
                continue
            while self._fillings and self._fillings[-1] is not asyncio.current_task():
                await asyncio.sleep(_PATIENCE)
            try:
                rows += [self._row(place, {**setting, along: value}) for place in moving]
            except Exception:
                continue  # reported when the reader gets there and asks
            ready.append(value)
            if time.monotonic() - since > _PATIENCE:
                self._send_rows(rows, {})
                self._sent.update(ready)
                await asyncio.sleep(_REST)
                rows, ready, since = [], [], time.monotonic()
        self._send_rows(rows, {"whole": line})
        self._sent.update(ready)

    def _row(self, place: int, setting: Mapping) -> tuple:
        """A table's number, the values of its parameters, its row there, and for words the number and the text."""
        table = self._tables[place]
        row = table.row(setting)
        words = [int(row[0]), table.encoder.strings[row[0]]] if table.encoder.kind == "text" else None
        return place, [setting[name] for name in table.dims], row, words

    def _send_rows(self, rows: list, about: dict):
        content = {"kind": "rows", "rows": [(place, values, len(row), words) for place, values, row, words in rows]}
        cells = np.concatenate([row for _, _, row, _ in rows]) if rows else np.empty(0)
        self.send(content | about, [cells.astype("<u2").tobytes()])
