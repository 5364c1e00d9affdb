"""An explorer to call, and the exploration that this returns: the explorer at a setting, to move, show and freeze."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from .declaration import Declaration
from .parameters import Parameter, beside
from .program import bound
from .templates import fill

if TYPE_CHECKING:
    from .live import LiveExplorer


class Explorer(Declaration):
    """An explorer, declared once. Each call starts an exploration with a setting of its own."""

    def __call__(self, **setting) -> Exploration:
        exploration = Exploration(self)
        exploration.set(**setting)
        return exploration


class Exploration:
    """An explorer at a setting, as `dp.explore.threshold_test()` makes it.

    Shows itself in a notebook, where it can be moved by its sliders or by `set`.

    Examples
    --------
    >>> import dptutor as dp
    >>> e = dp.explore.threshold_test(sigma=0.5)
    >>> e
    threshold_test(threshold=0.8, sigma=0.5)
    >>> e.set(threshold=1.0)
    >>> {name: round(value, 4) for name, value in e.readouts.items()}["beta"]
    0.5
    """

    def __init__(self, explorer: Explorer):
        self.explorer = explorer
        self._parameters = dict(explorer.parameters)
        self._widget: LiveExplorer | None = None
        self._picture: tuple[dict[str, object], ET.Element] | None = None

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters by name, each with `.value` and `.min` and `.max`, or `.options`.

        Examples
        --------
        >>> import dptutor as dp
        >>> sigma = dp.explore.threshold_test().parameters["sigma"]
        >>> sigma.value, sigma.min, sigma.max
        (1.0, 0.5, 2.0)
        """
        return {name: beside(parameter, self.setting) for name, parameter in self._parameters.items()}

    @property
    def setting(self) -> dict[str, object]:
        """The values of the parameters by name.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.explore.threshold_test().setting
        {'threshold': 0.8, 'sigma': 1.0}
        """
        return {name: parameter.value for name, parameter in self._parameters.items()}

    def set(self, **values):
        """Moves parameters, here and wherever the explorer is shown.

        Raises
        ------
        TypeError
            If there is no parameter of that name, or its value has the wrong type.
        ValueError
            If a value is outside the parameter's range.

        Examples
        --------
        >>> import dptutor as dp
        >>> e = dp.explore.threshold_test()
        >>> e.set(sigma=2, threshold=1)
        >>> e.setting
        {'threshold': 1.0, 'sigma': 2.0}
        >>> e.set(sigma=100)
        Traceback (most recent call last):
            ...
        ValueError: sigma must be in [0.5, 2], got 100
        """
        moved = dict(self._parameters)
        for name, value in values.items():
            if name not in moved:
                raise TypeError(f"{self.explorer.name} has the parameters {', '.join(moved)}, not {name}")
            moved[name] = moved[name].at(name, value)
        self._parameters = moved
        if self._widget is not None:
            self._widget.show(self.setting)

    def reset(self):
        """Back to where the explorer starts.

        Examples
        --------
        >>> import dptutor as dp
        >>> e = dp.explore.threshold_test(sigma=2)
        >>> e.reset()
        >>> e.setting["sigma"]
        1.0
        """
        self.set(**{name: parameter.value for name, parameter in self.explorer.parameters.items()})

    def follow(self, name: str, value):
        """Adopts the value to which a slider, or a widget linked to it, was set.

        Examples
        --------
        >>> import dptutor as dp
        >>> e = dp.explore.threshold_test()
        >>> e.follow("sigma", 2.0)
        >>> e.setting["sigma"]
        2.0
        """
        self._parameters[name] = self._parameters[name].at(name, value)

    @property
    def steps(self) -> dict[str, dict[str, object]]:
        """The settings of the steps by label, for `e.set(**e.steps["…"])`.

        Examples
        --------
        >>> import dptutor as dp
        >>> e = dp.explore.threshold_test()
        >>> list(e.steps)
        ['Accuse few', 'Accuse many', 'Less noise', 'More noise']
        >>> e.set(**e.steps["Less noise"])
        >>> round(e.readouts["beta"], 4)
        0.1587
        """
        settings = {label: made() if callable(made) else made for label, (_, made) in self.explorer.steps.items()}
        return {
            label: {name: self.explorer.parameters[name].nearest(value) for name, value in setting.items()}
            for label, setting in settings.items()
        }

    @property
    def readouts(self) -> dict[str, float]:
        """The numbers beside the picture, by name, unrounded.

        Examples
        --------
        >>> import dptutor as dp
        >>> numbers = dp.explore.threshold_test(sigma=0.5, threshold=0.5).readouts
        >>> round(numbers["alpha"], 6), round(numbers["beta"], 6)
        (0.158655, 0.158655)
        """
        setting, numbers = self.setting, self.explorer.numbers
        return {n: value for table in numbers for n, value in table.encoder.named(table.at(setting)).items()}

    @property
    def shown(self) -> dict[str, str]:
        """The numbers beside the picture, by name, as they are shown.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.explore.gaussian_noise().shown
        {'exact': '3.7306', 'classic': '4.8448', 'saved': '23.0%', 'spent': '4.11·10⁻⁸', 'times': '0.00411'}
        """
        shown = self.explorer.shown_numbers
        return {name: shown[name].show(value) for name, value in self.readouts.items()}

    @property
    def words(self) -> str:
        """What is seen, in words.

        Examples
        --------
        >>> import dptutor as dp
        >>> print(dp.explore.gaussian_noise(epsilon=10, delta=0.01).words)
        The classical σ breaks its promise: it spends a δ of 0.0406, 4.06 times what was agreed.
        """
        return self._filled(self._template())

    @property
    def task(self) -> str:
        """The task at this setting.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.explore.threshold_test().task
        'Drag the purple line. Can you make both errors smaller at once?'
        """
        tasks = self.explorer.tasks
        return (tasks.at(self.setting) if tasks else "") or self.explorer.find

    def code(self) -> str:
        """A short program that computes what is on screen now.

        Examples
        --------
        >>> import dptutor as dp
        >>> space = {}
        >>> exec(dp.explore.gaussian_noise(epsilon=2).code(), space)
        exact 1.9938, classical 2.4224, which spends 1.34e-07
        >>> round(space["exact"], 6), round(dp.explore.gaussian_noise(epsilon=2).readouts["exact"], 6)
        (1.993812, 1.993812)
        """
        return bound(self.explorer.program, {name: p.code(p.value) for name, p in self._parameters.items()})

    @property
    def figure(self):
        """The picture as a new matplotlib Figure.

        Examples
        --------
        >>> import dptutor as dp
        >>> len(dp.explore.threshold_test().figure.axes)
        2
        """
        from .picture import draw

        return draw(self.explorer, self.setting, self._filled)

    def frozen(self):
        """The explorer as a piece of a page that moves without a kernel; a notebook displays this piece.

        Examples
        --------
        >>> import dptutor as dp
        >>> dp.explore.gaussian_noise().frozen()
        gaussian_noise(epsilon=1.0, delta=1e-05).frozen()
        """
        from .page import Frozen

        return Frozen(self)

    def freeze(self, path) -> Path:
        """Writes the explorer as a page that moves without a kernel, a server or a network.

        Parameters
        ----------
        path : path

        Returns
        -------
        Path

        Raises
        ------
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import dptutor as dp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     dp.explore.duel().freeze(Path(folder) / "duel.html").name
        'duel.html'
        """
        path = Path(path)
        path.write_text(self.frozen().page, encoding="utf-8")
        return path

    @property
    def widget(self):
        """The ipywidgets widget, whose traits are the parameters, to read, set, observe and link.

        Examples
        --------
        >>> import dptutor as dp
        >>> e = dp.explore.threshold_test()
        >>> e.widget.sigma = 2.0
        >>> e.setting["sigma"]
        2.0
        """
        if self._widget is None:
            from .live import live_widget

            self._widget = live_widget(self)
        return self._widget

    def _drawn(self):
        """The picture as SVG, kept until the setting changes."""
        from .picture import svg

        if self._picture is None or self._picture[0] != self.setting:
            self._picture = self.setting, svg(self.explorer, self.setting, self._filled)
        return self._picture[1]

    def _template(self) -> str:
        """The words with the names of parameters and readouts in place of their values."""
        setting = self.setting
        return " ".join(filter(None, (sentence.at(setting) for sentence in self.explorer.sentences)))

    def _filled(self, template: str) -> str:
        shown = {name: parameter.show(parameter.value) for name, parameter in self.parameters.items()}
        return fill(template, shown | self.shown) if "{" in template else template

    def _repr_mimebundle_(self, include=None, exclude=None):
        from .page import still_picture

        bundle = self.widget._repr_mimebundle_() or {}
        bundle = bundle[0] if isinstance(bundle, tuple) else bundle
        # The picture is for places where no widget can be shown.
        return {**bundle, "text/plain": repr(self), "text/html": still_picture(self)}

    def __repr__(self):
        return f"{self.explorer.name}({', '.join(f'{name}={value!r}' for name, value in self.setting.items())})"
