"""An explorer as a piece of a page: picture, sliders, numbers and, if frozen, all its tables and the script.

The piece needs nothing else: it works in a file opened from a disk, and a page can have more than one. `data-shared`
marks what a site may move to files that several pages share: styles, the script, the tables. The explorer then has the
address of the tables, as `data-tables`, instead of these.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections import defaultdict
from functools import cached_property
from html import escape
from importlib.resources import files
from math import ceil

import numpy as np
from matplotlib.figure import Figure

from ...formulas import lettered, unbroken, worded
from ...palette import BLUE, INK, PURPLE, VERMILLION, letter_color, page_color
from .declaration import Declaration
from .game import Game
from .packing import described_table, packed_tables
from .panel import PANEL_HEIGHT
from .parameters import Choice, Hidden, Several, Slider, following
from .picture import draw, label_svg, png, standing, svg_panels
from .samples import LEVELS
from .templates import fill, piece

STYLES = ("explorer.css", "game.css", "samples.css")
# Each uses what those before it declare.
SCRIPTS = (
    "numerals.js",
    "shelf.js",
    "tables.js",
    "motion.js",
    "handles.js",
    "names.js",
    "sliders.js",
    "explorer.js",
    "pins.js",
    "game.js",
    "samples.js",
    "pen.js",
    "asking.js",
    "start.js",
)

_TERM = r"(?:<b [^>]*>[^<]*</b>|<i>[^<]*</i>|<math.*?</math>|[^\s<>])+"
_FORMULA = re.compile(f"{_TERM}(?: (?:[−+=≤≥≈·]|&lt;|&gt;) {_TERM})+")

ABOUT = "About this picture"

# Where readers who cannot draw a curve type its heights, as fractions of the axis.
_TYPED = (0.02, 0.18, 0.34, 0.5, 0.66, 0.82, 0.98)

# Counters for ids, which must differ if an explorer is shown twice.
_numbers: dict[str, itertools.count] = defaultdict(itertools.count)


def resource(name: str) -> str:
    """The text of a file beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def script() -> str:
    """The script of all explorers: one module, joined from several files."""
    return "".join(resource(name) for name in SCRIPTS)


class Frozen:
    """An explorer that moves in a page without a kernel; a notebook and the book show it by its HTML."""

    def __init__(self, exploration):
        self._exploration = exploration

    @cached_property
    def html(self) -> str:
        """The piece of a page."""
        # The same explorer twice on a page must not share ids.
        name = self._exploration.explorer.name
        return self._html(f"dpe-{name}-{next(_numbers[name])}")

    def _html(self, prefix: str) -> str:
        exploration, explorer = self._exploration, self._exploration.explorer
        tables, payload = packed_tables(explorer)
        manifest = describe(explorer, exploration) | {"tables": tables}
        data = base64.b64encode(payload).decode()
        # Even without a script, the answer is hidden until the question is answered.
        asking = " dpe-asking" if explorer.prediction else ""
        return piece(
            "frozen",
            asking=asking,
            name=explorer.name,
            style=resource("explorer.css"),
            body=body(exploration, prefix),
            manifest=_json(manifest),
            tables=data,
            script=script(),
        )

    @property
    def page(self) -> str:
        """A whole page with nothing else on it."""
        explorer = self._exploration.explorer
        # The style comes last, so that it wins over the explorer's own.
        whole = self._html(f"dpe-{explorer.name}")
        return piece("page", title=escape(explorer.title), piece=whole, style=resource("alone.css")) + "\n"

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"{self._exploration!r}.frozen()"


def still_picture(exploration) -> str:
    """The picture with its sentence, or with the question if the explorer asks for a prediction.

    For places with neither a kernel nor a script, such as a notebook that is not trusted: no SVG and no style.
    """
    asked = exploration.explorer.prediction
    title = escape(exploration.explorer.title)
    words = escape(unbroken(f"Predict: {asked.question}" if asked else exploration.words))
    figure = still_figure(exploration)
    data, (width, height) = base64.b64encode(png(figure)).decode(), 72 * figure.get_size_inches()
    return piece("still", title=title, width=f"{width:.0f}", height=f"{height:.0f}", picture=data, words=words)


def still_figure(exploration) -> Figure:
    """The picture without what would give away the answer to a prediction."""
    explorer = exploration.explorer
    veiled = explorer.prediction.veiled if explorer.prediction else ()
    return draw(explorer, exploration.setting, exploration._filled, veiled)


def describe(explorer: Declaration, exploration) -> dict:
    """What the script must know about an explorer."""
    number = {id(table): place for place, table in enumerate(explorer.tables)}
    names = list(explorer.parameters)
    return {
        "name": explorer.name,
        "parameters": [
            {
                "name": name,
                "title": parameter.title,
                "symbol": parameter.symbol,
                "values": parameter.values,
                "code": [parameter.code(value) for value in parameter.values],
                "shown": [parameter.show(value) for value in parameter.values],
                "percent": getattr(parameter, "percent", False),
                "unit": getattr(parameter, "unit", ""),
                "start": parameter.value,
                "value": exploration.setting[name],
                "hidden": isinstance(parameter, Hidden),
                "members": getattr(parameter, "members", None),
                "rule": getattr(parameter, "rule", ""),
                **_meanings(explorer, parameter),
            }
            for name, parameter in explorer.parameters.items()
        ],
        "parts": [
            {
                "kind": part.kind,
                "pieces": [number[id(table)] for table in part.pieces],
                "shift": number[id(part.shift)] if part.shift else None,
                "offset": part.style.get("offset"),
                "ghost": bool(part.style.get("ghost")),
                "panel": part.panel.number,
                "moves": [names.index(name) for name in part.handles],
                "label": label_svg(part.label),
                "share": part.style.get("share"),
                "filled": {"above": part.style["above"], "zero": part.zero} if "above" in part.style else None,
                "tone": page_color(part.color),
                "color": letter_color(part.color),
            }
            for part in explorer.parts
        ],
        "panels": [
            {
                "box": panel.box,
                "x": _axis(panel.xlabel, panel.xlim, panel.xlog, panel.hundred),
                "y": _axis(panel.ylabel, panel.ylim, panel.ylog, panel.hundred) | {"stretch": panel.ystretch},
                "fixed": standing(panel),
            }
            for panel in explorer.panels
        ],
        "readouts": [
            {
                "name": name,
                "table": number[id(table)],
                "power": shown.power,
                "infinite": shown.infinite,
                "digits": shown.digits,
                "unit": shown.suffix,
            }
            for table in explorer.numbers
            for name, shown in table.encoder.numbers.items()
        ],
        "colors": _colors(explorer),
        "words": [number[id(table)] for table in explorer.sentences],
        "game": _played(explorer, number) if explorer.rounds else None,
        "samples": _drawn(explorer, number) if explorer.drawn else None,
        "ask": _asked(explorer),
        "solved": number[id(explorer.goal)] if explorer.goal else None,
        "find": worded(explorer.find) if explorer.tasks else "",
        "task": number[id(explorer.tasks)] if explorer.tasks else None,
        "code": explorer.program,
        "steps": [
            {"setting": setting, "label": label, "story": explorer.steps[label][0]}
            for label, setting in exploration.steps.items()
        ],
        "tables": [described_table(explorer, table) for table in explorer.tables],
    }


def _meanings(explorer: Declaration, parameter) -> dict:
    """How a slider reads beside each option of the choice that its symbol depends on."""
    if not getattr(parameter, "by", ""):
        return {}
    read = [parameter.beside(option) for option in explorer.parameters[parameter.by].values]
    return {
        "by": list(explorer.parameters).index(parameter.by),
        "meanings": [
            {
                "title": one.title,
                "named": _named(one),
                "symbol": one.symbol,
                "shown": [one.show(value) for value in one.values],
                "inverse": one.inverse,
            }
            for one in read
        ],
    }


def _tone(explorer: Declaration, name: str) -> str:
    """The color of the part that moves a slider when it is dragged."""
    return next((part.color for part in explorer.parts if part.handles == (name,)), INK)


def _colors(explorer: Declaration) -> dict[str, str]:
    """The colors of numbers in the sentence, by name: the color of what each measures or moves."""
    sliders = [name for name, parameter in explorer.parameters.items() if isinstance(parameter, Slider)]
    colors = {name: _tone(explorer, name) for name in sliders}
    colors |= {name: number.color for name, number in explorer.shown_numbers.items() if number.color}
    if explorer.drawn:
        colors |= dict.fromkeys(("over", "over_share"), BLUE) | dict.fromkeys(("under", "under_share"), VERMILLION)
    if explorer.rounds:
        colors |= {"accused": BLUE, "missed": VERMILLION, "threshold": PURPLE}
    return {name: letter_color(color) for name, color in colors.items() if color != INK}


def _axis(label: str, limits, log: bool, hundred: bool) -> dict:
    return {"label": label, "limits": [float(x) for x in limits], "log": log, "times": 100 if hundred else 1}


def body(exploration, prefix: str) -> str:
    """Picture, sliders, numbers and words; without a script only what needs none is visible."""
    explorer = exploration.explorer
    panels = "".join(svg_panels(exploration, prefix))
    shown = exploration.shown
    # Sliders come first, closest to the picture, so that a phone shows both at once.
    seen = [place for place in enumerate(exploration.parameters.items()) if not isinstance(place[1][1], Hidden)]
    controls = "".join(
        _slider(explorer, name, parameter, place)
        if isinstance(parameter, Slider)
        else _choice(name, parameter, place, prefix)
        for place, (name, parameter) in sorted(seen, key=lambda each: not isinstance(each[1][1], Slider))
    )
    readouts = "".join(
        piece(
            "readout",
            key=_key(number.color),
            none=' class="dpe-none"' if shown[name] == "—" else "",
            help=escape(number.help),
            label=lettered(number.label),
            name=name,
            shown=escape(shown[name]),
        )
        for name, number in explorer.shown_numbers.items()
        if not (explorer.square and name in explorer.square.cells)
    )
    # The picture takes the height that is left on a screen.
    wide = sum(panel.width for panel in explorer.panels) / PANEL_HEIGHT
    said, task, title = (len(words) for words in (exploration.words, exploration.task, explorer.title))
    beside = 1 if 11 * title + 7 * task < 880 else 2  # lines that title and task take on a page
    letters = 76 if explorer.square else 124  # characters in a line of the sentence on a page
    lines = f"--dpe-lines: {max(2, ceil(said / letters))}; --dpe-head: {36 if beside == 1 else 60}px; "
    lines += f"--dpe-text: {28 * ceil(title / 32) + max(66, 20 * ceil(task / 34)) + 24 * max(3, ceil(said / 38))}px"
    return piece(
        "body",
        title=lettered(explorer.title),
        task=worded(exploration.task),
        wide=f"{wide:.4g}",
        heights=lines,
        panels=panels,
        words=colored(exploration),
        ask=_ask(exploration),
        label=escape(explorer.title),
        game=_game(explorer.rounds) if explorer.rounds else "",
        controls=controls,
        samples=piece("samples", style=resource("samples.css")) if explorer.drawn else "",
        steps=piece("steps", count=str(len(explorer.steps))) if explorer.steps else "",
        matrix=_matrix(exploration) if explorer.square else "",
        readouts=readouts,
        about=ABOUT,
        caption=worded(explorer.caption),
    )


def colored(exploration) -> str:
    """The sentence as HTML, with symbols in the font of formulas, and numbers in the colors of what they measure."""
    explorer = exploration.explorer
    shown = {name: parameter.show(parameter.value) for name, parameter in exploration.parameters.items()}
    shown |= exploration.shown
    colors = _colors(explorer)
    pieces = re.split(r"(\{\w+\})", exploration._template())
    pieces[::2] = map(lettered, pieces[::2])
    said = fill("".join(pieces), {
        name: f'<b style="color: {colors[name]}">{escape(text)}</b>' if name in colors else escape(text)
        for name, text in shown.items()
    })  # fmt: skip
    return _FORMULA.sub(r'<span class="dpe-formula">\g<0></span>', said)


def _named(parameter: Slider) -> str:
    """A slider's label and symbol; a single letter is set as a symbol even if it could be a word, such as "a"."""
    symbol = f"<i>{escape(parameter.symbol)}</i>" if len(parameter.symbol) == 1 else lettered(parameter.symbol)
    return f"{lettered(parameter.label)} {symbol}".strip()


def _slider(explorer: Declaration, name: str, parameter: Slider, place: int) -> str:
    values = parameter.values
    tone = _tone(explorer, name)
    now = values.index(parameter.nearest(parameter.value))
    label = parameter.title
    read = [parameter, *map(parameter.beside, parameter.symbols)]
    letters = max(5, *(len(one.show(value)) for one in read for value in values))
    play = ""
    if parameter.play:
        play = f'<button type="button" data-play="{name}" aria-label="Play {escape(label)}">▶</button>'
    return piece(
        "slider",
        named=_named(parameter),
        name=name,
        place=str(place),
        last=str(len(values) - 1),
        now=str(now),
        at=f"{now / (len(values) - 1):.4g}",
        tone=page_color(tone),
        label=escape(label),
        shown=escape(parameter.show(parameter.value)),
        letters=str(letters),
        play=play,
    )


def _choice(name: str, parameter: Choice, place: int, prefix: str) -> str:
    listed, chosen = parameter.options, [parameter.value]
    if isinstance(parameter, Several):
        listed, chosen = parameter.members, parameter.value.split(", ")
    options = "".join(
        piece(
            "option",
            kind="checkbox" if isinstance(parameter, Several) else "radio",
            group=f"{prefix}-{name}",
            name=name,
            place=str(place),
            number=str(number),
            checked=" checked" if option in chosen else "",
            option=lettered(option),
        )
        for number, option in enumerate(listed)
    )
    return piece("choice", label=lettered(parameter.label), options=options)


def _matrix(exploration) -> str:
    """The square table of numbers: a line for each name, hidden if the name has no number."""
    square, shown = exploration.explorer.square, exploration.shown
    there = {name for name in square.names if any(shown.get(f"{name}_{other}", "—") != "—" for other in square.names)}

    def cell(row: str, column: str) -> str:
        key = f"{row}_{column}"
        number = f' data-readout="{key}"' if key in shown else ""
        return f'<td data-column="{column}"{number}{_gone(column, there)}>{escape(shown.get(key, ""))}</td>'

    head = "".join(f'<th scope="col" data-column="{name}"{_gone(name, there)}>{name}</th>' for name in square.names)
    rows = "".join(
        f'<tr data-line="{row}"{_gone(row, there)}><th scope="row">{row}</th>'
        + "".join(cell(row, column) for column in square.names)
        + "</tr>"
        for row in square.names
    )
    return piece("matrix", caption=lettered(square.caption), head=head, rows=rows)


def _gone(name: str, there: set[str]) -> str:
    return "" if name in there else " hidden"


def _asked(explorer: Declaration) -> dict | None:
    """What the script must know about a prediction."""
    ask = explorer.prediction
    if ask is None:
        return None
    number = {part.name: part.place for part in explorer.parts}
    return {
        "kind": ask.kind,
        "part": number.get(ask.curve),
        "hides": [number[name] for name in ask.veiled],
        "per": [list(explorer.parameters).index(name) for name in ask.per],
        "truth": ask.truth() if ask.truth else None,
        "unit": ask.unit,
        "says": list(ask.says),
    }


def _ask(exploration) -> str:
    """The question that a reader answers before the rest is shown; without a script the answer unfolds."""
    explorer, ask = exploration.explorer, exploration.explorer.prediction
    if ask is None:
        return ""
    if ask.kind == "draw":
        panel = next(part.panel for part in explorer.parts if part.name == ask.curve)
        places = [panel.xlim[0] + share * (panel.xlim[1] - panel.xlim[0]) for share in _TYPED]
        typed = "".join(
            f'<label>{place:.3g} <input type="text" inputmode="decimal" data-ask-value="{share}" autocomplete="off">'
            "</label>"
            for share, place in zip(_TYPED, places, strict=True)
        )
        inside = piece("ask_draw", axis=lettered(panel.ylabel), typed=typed)
    elif ask.kind == "choose":
        inside = "".join(f'<button type="button" data-ask-option>{escape(o)}</button>' for o in ask.options) + _SKIP
    else:
        inside = (
            '<label>Your guess <input type="text" inputmode="decimal" data-ask-number autocomplete="off">'
            f"{following(ask.unit)}</label>{_SKIP}"
        )
    truth = ask.truth() if ask.truth else ""
    said = truth if isinstance(truth, str) else f"{truth:.3g}{following(ask.unit)}"
    answer = f"<p>Answer: {escape(said)}</p>" if said else ""
    return piece("ask", question=worded(ask.question), inside=inside, answer=answer, words=colored(exploration))


_SKIP = '<button type="button" data-ask-skip>Skip</button>'


def _drawn(explorer: Declaration, number: dict[int, int]) -> dict:
    """What the script must know about samples."""
    drawn = explorer.drawn
    assert drawn is not None
    places, panel = {part.name: part.place for part in explorer.parts}, drawn.panel
    return {
        "table": number[id(drawn.table)],
        "levels": [float(f"{level:.8g}") for level in LEVELS],
        "panel": panel.number,
        "cut": drawn.cut,
        "fills": [places[name] for name in drawn.fills],
        "bases": np.round(panel.pixels([panel.xlim[0]] * 2, drawn.bases)[:, 1], 2).tolist(),
        "bin": drawn.bin,
        "hides": [places[name] for name in drawn.hides],
        "tells": {places[name]: template for name, template in drawn.tells.items()},
        "says": drawn.says,
        "shares": drawn.shares.number if drawn.shares else None,
        "total": drawn.total,
    }


def _played(explorer: Declaration, number: dict[int, int]) -> dict:
    """What the script must know about a game."""
    game, stage = explorer.rounds, explorer.stage
    assert game is not None
    if stage is None:
        return {"table": number[id(game.table)], "lengths": game.lengths, "stage": None}
    heights = stage.panel.pixels([stage.panel.xlim[0]] * 2, [stage.right, stage.wrong])[:, 1]
    right, wrong = np.round(heights, 2).tolist()
    placed = {"panel": stage.panel.number, "right": right, "wrong": wrong, "size": stage.size}
    return {"table": number[id(game.table)], "lengths": game.lengths, "stage": placed}


def _game(game: Game) -> str:
    """The controls of a game: rounds so far, the two guesses, and buttons to begin, take back and end."""
    guesses = "".join(
        f'<button type="button" data-guess="{world}" aria-disabled="true" hidden>{escape(says)}</button>'
        for world, says in enumerate(game.says)
    )
    begin = "".join(
        f'<button type="button" data-game="start" data-length="{each}">Play {2 * each} rounds</button>'
        for each in game.lengths
    )
    return piece("game", style=resource("game.css"), guesses=guesses, begin=begin)


def _key(color: str) -> str:
    return f' style="border-color: {page_color(color)}"' if color else ""


def _json(value) -> str:
    # "</script>" in a text must not end the element.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
