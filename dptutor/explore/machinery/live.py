"""An explorer in a notebook: the page's script, its tables filled by the kernel when asked for and ahead of the drag.

The script asks for the rows of one setting, and says along which slider the reader moves. The kernel answers
with that setting at once and then, nearest first and a little at a time, with the other settings of that slider:
what a drag comes to next is in memory before it gets there. A new question puts an end to filling for an old one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from typing import Any

import anywidget
import numpy as np
import traitlets

from .page import body, describe, resource
from .parameters import Choice, Parameter

# The longest that other work in the kernel has to wait while a line is filled, in seconds.
_PATIENCE = 0.02


def live_widget(exploration) -> LiveExplorer:
    """The widget of an exploration; one trait a parameter."""
    explorer = exploration.explorer
    clash = [name for name in explorer.parameters if hasattr(LiveExplorer, name)]
    if clash:
        raise ValueError(f"{explorer.name} has parameters whose names a widget needs: {', '.join(clash)}")
    traits = {name: _trait(parameter) for name, parameter in explorer.parameters.items()}
    widget = type("LiveExplorer", (LiveExplorer,), traits)(
        _name=explorer.name,
        _body=body(exploration, f"dpe-{explorer.name}-live"),
        _manifest=describe(explorer, exploration),
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
    """Answers the script's questions, and keeps the traits and the exploration alike."""

    _esm = resource("explorer.js")
    _css = resource("explorer.css")
    _name = traitlets.Unicode().tag(sync=True)
    _body = traitlets.Unicode().tag(sync=True)
    _manifest = traitlets.Dict().tag(sync=True)

    def attach(self, exploration):
        """Connects the widget with what it shows."""
        self._exploration = exploration
        self._tables = exploration.explorer.tables
        self._filling: asyncio.Task | None = None
        self._line: tuple | None = None  # the line being filled, and what of it has been sent
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
        setting, along = question["setting"], question["along"]
        line = (along, tuple((name, value) for name, value in setting.items() if name != along))
        if line != self._line or question["first"]:
            self._line, self._sent = line, set()
        self._answer(question["id"], [(table, setting) for table in range(len(self._tables))])
        if along is None:
            return
        try:
            self._filling = asyncio.get_running_loop().create_task(self._fill(setting, along, question["line"]))
        except RuntimeError:  # no event loop: a kernel that answers one message after another
            self._answer(None, [row for rows in self._neighbors(setting, along) for row in rows], question["line"])

    async def _fill(self, setting: Mapping, along: str, line):
        wanted: list = []
        since = time.monotonic()
        for rows in self._neighbors(setting, along):
            wanted += rows
            if time.monotonic() - since > _PATIENCE:
                self._answer(None, wanted)
                await asyncio.sleep(0)
                wanted, since = [], time.monotonic()
        self._answer(None, wanted, line)

    def _neighbors(self, setting: Mapping, along: str) -> Iterator[list]:
        """The rows of a slider's other settings, nearest first, without those that were sent."""
        values = self._exploration.explorer.parameters[along].values
        moving = [place for place, table in enumerate(self._tables) if along in table.dims]
        here = self._exploration.explorer.parameters[along].nearest(setting[along])
        start = values.index(here)
        for value in sorted(values, key=lambda value: abs(values.index(value) - start)):
            if value not in self._sent:
                self._sent.add(value)
                yield [(place, {**setting, along: value}) for place in moving]

    def _answer(self, number, wanted: list, line=None):
        """Sends rows, and the name of a line that is now whole; an error is said where the reader looks."""
        try:
            rows, names = [], []
            strings: dict[int, dict[int, str]] = {}
            for place, setting in wanted:
                table = self._tables[place]
                row = table.row(setting)
                rows.append(row)
                names.append([place, [setting[name] for name in table.dims], len(row)])
                if table.encoder.kind == "text":
                    strings.setdefault(place, {})[int(row[0])] = table.encoder.strings[row[0]]
        except Exception as error:
            at = ", ".join(f"{name} = {value}" for name, value in setting.items())
            reason = str(error).split("\n")[0]
            self.send({"kind": "error", "id": number, "text": f"At {at}: {type(error).__name__}: {reason}"})
            raise
        told = [[place, list(known.items())] for place, known in strings.items()]
        cells = np.concatenate(rows).astype("<u2").tobytes() if rows else b""
        self.send({"kind": "rows", "id": number, "rows": names, "strings": told, "whole": line}, [cells])
