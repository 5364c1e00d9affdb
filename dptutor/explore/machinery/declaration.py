"""How an explorer is declared: parameters, mechanisms, panels with their moving parts, readouts, words, steps, code.

Every part is a pure function whose arguments name the parameters that it depends on.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, wraps

from ...palette import DASHED, DOTTED, SOLID
from .face_panels import FacePanel, Seen
from .game import Game, Stage, odds_table, state
from .panel import Panel, Part
from .parameters import Parameter
from .program import listing
from .samples import Samples
from .tables import Number, NumbersEncoder, PathEncoder, Table, TextEncoder


@dataclass(frozen=True)
class Prediction:
    """The prediction that a reader is asked for before the rest is shown; see `Declaration.ask`."""

    kind: str
    question: str
    says: tuple[str, ...]
    curve: str = ""
    hides: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    truth: Callable[[], float | str] | None = None
    unit: str = ""
    per: tuple[str, ...] = ()

    @property
    def veiled(self) -> tuple[str, ...]:
        """The names of the parts that would give the answer away."""
        return tuple(filter(None, (self.curve, *self.hides)))


@dataclass(frozen=True)
class Matrix:
    """A square table of readouts; see `Declaration.matrix`."""

    caption: str
    names: tuple[str, ...]

    @property
    def cells(self) -> set[str]:
        """The names of its readouts."""
        return {f"{row}_{column}" for row, column in itertools.permutations(self.names, 2)}


@dataclass(eq=False)
class Declaration:
    """What an explorer shows, and how it moves.

    `caption` says what the picture shows, also for readers who cannot see it; `find` gives the reader something to
    look for. A step has a label, a story of one line, and its settings, or a function that returns them; they are
    rounded to the stops of the sliders. On a phone the second panel is a small picture in the emptiest corner of the
    first.
    """

    name: str
    title: str
    caption: str
    find: str
    parameters: dict[str, Parameter]
    panels: list[Panel] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    steps: dict[str, tuple[str, dict | Callable[[], dict]]] = field(default_factory=dict)
    mechanisms: dict[Callable, Seen] = field(default_factory=dict)
    numbers: list[Table] = field(default_factory=list)
    square: Matrix | None = None
    sentences: list[Table] = field(default_factory=list)
    rounds: Game | None = None
    stage: Stage | None = None
    prediction: Prediction | None = None
    drawn: Samples | None = None
    goal: Table | None = None
    tasks: Table | None = None
    program: str = ""
    _shared: dict = field(default_factory=dict)

    def panel(self, title, *, xlabel, ylabel, xlim=(0.0, 1.0), ylim=(0.0, 1.0), **scales):
        """Declares a panel; the function draws its background into a matplotlib Axes."""

        def declare(background):
            panel = Panel(self, background, name=background.__name__, title=title, xlabel=xlabel, ylabel=ylabel,
                          xlim=xlim, ylim=ylim, **scales)  # fmt: skip
            self.panels.append(panel)
            return panel

        return declare

    def plain_panel(self, name, title, *, grid=True, **style):
        """Declares a panel whose background is empty, or a grid."""

        def background(axes):
            axes.grid(grid)

        background.__name__ = name
        return self.panel(title, **style)(background)

    def mechanism(self, color, label, *, line=None):
        """Declares a mechanism to compare, as a function of parameters. Its faces are drawn by `face_panel`."""

        def declare(function):
            made = lru_cache(maxsize=4096)(function)
            self.mechanisms[made] = Seen(label, color, line or (SOLID, DASHED, DOTTED)[len(self.mechanisms)])
            return made

        return declare

    def face_panel(self, face, **changes) -> FacePanel:
        """Declares a panel with the curves of all mechanisms: "tradeoff", "bayes_error" or "privacy_profile"."""
        panel = FacePanel(self, face, **changes)
        self.panels.append(panel)
        panel.draw_faces()
        return panel

    def readout(self, label, color="", digits=3, **shown):
        """Declares a readout, a number with the name of the function that returns it; `shown` is as for `Number`."""
        return lambda function: self.readouts(**{function.__name__: Number(label, color, digits, **shown)})(function)

    def readouts(self, **numbers: Number):
        """Declares readouts, in the order in which the function returns them."""

        def declare(function):
            kept = lru_cache(maxsize=1 << 17)(function)  # large enough for all settings at which others call it
            self.numbers.append(Table(kept, self.parameters, NumbersEncoder(numbers)))
            return kept

        return declare

    def matrix(self, names, caption, says, **shown):
        """Declares a square table of readouts, shown beside the sentence: one for each row and each other column.

        The function returns all rows. A missing number is NaN; a name without any number has no line. Row a and column
        b is the readout a_b, whose label is `says(a, b)`; `shown` is as for `Number`.
        """
        cells = {
            f"{row}_{column}": Number(says(row, column), **shown) for row, column in itertools.permutations(names, 2)
        }
        place = [(i, j) for i, j in itertools.permutations(range(len(names)), 2)]

        def declare(function):
            @wraps(function)
            def listed(*setting):
                rows = function(*setting)
                return tuple(rows[i][j] for i, j in place)

            self.square = Matrix(caption, tuple(names))
            return self.readouts(**cells)(listed)

        return declare

    def words(self, function):
        """Declares the sentence beside the picture; `{name}` stands for what a readout or parameter shows.

        Sentences of several functions follow one another, so that none of these has to depend on all parameters.
        """
        self.sentences.append(Table(function, self.parameters, TextEncoder()))
        return function

    def code(self, function):
        """Declares the program that is shown: a function that assigns each readout to a variable of its name."""
        self.program = listing(function)
        return function

    def task(self, function):
        """Declares the task at a setting; where the function returns an empty text, `find` is the task."""
        self.tasks = Table(function, self.parameters, TextEncoder())
        return function

    def game(self, *, answers, says, lengths=(15, 5)):
        """Declares a game, and with it the parameters of its state, on which anything declared later may depend.

        The function returns the probabilities of the answers in the worlds P and Q; `says` are the texts of the two
        guesses. The reader chooses one of `lengths`, the number of rounds in each world. Sliders are disabled until a
        game ends. A panel's `rounds` says where past rounds are shown.
        """

        def declare(chances):
            self.rounds = Game(odds_table(chances, self.parameters, len(answers)), tuple(lengths), says)
            self.parameters = self.parameters | state(answers, tuple(lengths))
            return chances

        return declare

    def solved(self, function):
        """Declares when the task is done, which a check mark shows: a function of parameters that may call readouts."""

        @wraps(function)
        def mark(*setting):
            return "✓" if function(*setting) else ""

        self.goal = Table(mark, self.parameters, TextEncoder())
        return function

    def ask(self, question, *, says, curve=None, options=(), truth=None, hides=(), unit="", per=()):
        """Asks for a prediction, and hides what would give the answer away until there is one.

        With `curve`, the function of a part, the reader draws it. With `options` the reader chooses one; `truth()`
        returns the right one. With neither, the reader types a number in `unit`; `truth()` returns the right one.
        `hides` are the functions of further parts to hide. `says` is the reply; its second text, if there are two, is
        for a wrong choice. In the reply to a drawn curve, {gap} is the largest distance from the truth, {at} is where
        that occurs, and {agree} is the percentage of the curve on which the sign was right. In other replies {said}
        and {truth} can be used, and a reply to a number must contain {truth}. With `per` there is one prediction for
        each setting of these parameters.
        """
        kind = "draw" if curve else "choose" if options else "number"
        if kind != "draw" and truth is None:
            raise ValueError(f"{self.name} asks for something of which it does not know the truth")
        if kind == "choose" and truth() not in options:
            raise ValueError(f"truth must be one of {options!r}, got {truth()!r}")
        told = (says,) if isinstance(says, str) else tuple(says)
        known = {part.name for part in self.parts}
        names = tuple(part.__name__ for part in hides)
        if unknown := set(names) - known:
            raise ValueError(f"hides must be functions of parts, got {', '.join(sorted(unknown))}")
        places = {"gap", "at", "agree"} if kind == "draw" else {"said", "truth"}
        for text in told:
            named = set(re.findall(r"\{(\w+)\}", text))
            if unknown := named - places:
                raise ValueError(f"says knows no {', '.join(sorted(unknown))}: {text!r}")
            if kind == "number" and "truth" not in named:
                raise ValueError(f"says must tell the {{truth}} of a number: {text!r}")
        if re.match(r"(Yes|Right|Correct|Exactly|Indeed)\b", told[-1]):
            raise ValueError(f"says praises who predicted something else: {told[-1]!r}")
        self.prediction = Prediction(kind, question, told, curve.__name__ if curve else "", names, tuple(options),
                                     truth, unit, tuple(per))  # fmt: skip

    def table(self, function: Callable, panel: Panel, shape: Callable) -> Table:
        """The table of a path; parts that show the same path share it."""
        key = (function, panel.name, shape)
        if key not in self._shared:
            self._shared[key] = Table(function, self.parameters, PathEncoder(panel, shape))
        return self._shared[key]

    @property
    def shown_numbers(self) -> dict[str, Number]:
        """How each readout is shown, by name."""
        return {name: number for table in self.numbers for name, number in table.encoder.numbers.items()}

    @property
    def tables(self) -> list[Table]:
        """All tables, each once, in a fixed order."""
        tables = [table for part in self.parts for table in part.tables]
        tables += self.numbers
        tables += self.sentences
        tables += [table for table in (self.goal, self.tasks) if table]
        if self.rounds:
            tables.append(self.rounds.table)
        if self.drawn:
            tables.append(self.drawn.table)
        return list({id(table): table for table in tables}.values())
