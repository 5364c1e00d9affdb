"""What a learner holds: an explorer at a setting, to look at, to move, to freeze into a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .declaration import Explorer
from .parameters import Parameter


class Exploration:
    """An explorer at a setting.

    Shows itself in a notebook, where it can be moved by its sliders or by `set`.
    """

    def __init__(self, explorer: Explorer):
        self.explorer = explorer
        self._parameters = dict(explorer.parameters)
        self._widget = None

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters by name, each with `.value` and `.min` and `.max`, or `.options`."""
        return dict(self._parameters)

    @property
    def setting(self) -> dict[str, object]:
        """The values of the parameters by name."""
        return {name: parameter.value for name, parameter in self._parameters.items()}

    def set(self, **values):
        """Moves parameters, here and wherever the explorer is shown.

        Raises
        ------
        TypeError
            If there is no parameter of that name, or its value has the wrong type.
        ValueError
            If a value is outside the parameter's range.
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
        """Back to where the explorer starts."""
        self.set(**{name: parameter.value for name, parameter in self.explorer.parameters.items()})

    def follow(self, name: str, value):
        """Takes over what a slider, or a widget linked to it, was set to."""
        self._parameters[name] = self._parameters[name].at(name, value)

    @property
    def presets(self) -> dict[str, dict[str, object]]:
        """The presets' settings by label: `e.set(**e.presets["…"])`."""
        settings = {label: made() if callable(made) else made for label, (_, made) in self.explorer.presets.items()}
        return {
            label: {name: self.explorer.parameters[name].nearest(value) for name, value in setting.items()}
            for label, setting in settings.items()
        }

    @property
    def readouts(self) -> dict[str, float]:
        """The numbers beside the picture, by name, with all their digits."""
        setting, numbers = self.setting, self.explorer.numbers
        return {n: value for table in numbers for n, value in table.encoder.named(table.at(setting)).items()}

    @property
    def shown(self) -> dict[str, str]:
        """The numbers beside the picture, by name, as they are shown."""
        shown = self.explorer.shown_numbers
        return {name: shown[name].show(value) for name, value in self.readouts.items()}

    @property
    def words(self) -> str:
        """What is seen, in words."""
        setting = self.setting
        return self._filled(" ".join(filter(None, (sentence.at(setting) for sentence in self.explorer.sentences))))

    def code(self) -> str:
        """A short program that works out what is on screen now."""
        return fill(self.explorer.code, {name: p.code(p.value) for name, p in self._parameters.items()})

    @property
    def figure(self):
        """The picture as a new matplotlib Figure."""
        from .picture import draw

        return draw(self.explorer, self.setting, self._filled)

    def frozen(self):
        """The explorer as a piece of a page that moves by itself, without a kernel; a notebook shows it so."""
        from .page import Frozen

        return Frozen(self)

    def freeze(self, path) -> Path:
        """Writes the explorer as a page that moves by itself, without a kernel, a server or a network."""
        path = Path(path)
        path.write_text(self.frozen().page, encoding="utf-8")
        return path

    @property
    def widget(self):
        """The ipywidgets widget: its traits are the parameters, to read, set, observe and link."""
        if self._widget is None:
            from .live import live_widget

            self._widget = live_widget(self)
        return self._widget

    def _filled(self, template: str) -> str:
        shown = {name: parameter.show(parameter.value) for name, parameter in self._parameters.items()}
        return fill(template, shown | self.shown) if "{" in template else template

    def _repr_mimebundle_(self, include=None, exclude=None):
        from .page import still_picture

        bundle = self.widget._repr_mimebundle_() or {}
        bundle = bundle[0] if isinstance(bundle, tuple) else bundle
        # Where no widget can be shown, its first picture is.
        return {**bundle, "text/plain": repr(self), "text/html": still_picture(self)}

    def __repr__(self):
        return f"{self.explorer.name}({', '.join(f'{name}={value!r}' for name, value in self.setting.items())})"


def fill(template: str, values: Mapping[str, str]) -> str:
    """`template` with the value of a name for each {name}; other braces stay as they are."""
    for name, value in values.items():
        template = template.replace("{" + name + "}", value)
    return template
