"""Explorers: pictures to move, live in a notebook and frozen into a page.

    e = dp.explore.delta_divergence()      # shows itself in a notebook
    e.set(sigma=0.7); e.readouts; e.figure; e.code(); e.parameters["sigma"].max
    e.frozen()                             # the last expression of a cell in a chapter: moves without a kernel
    e.freeze("page.html")                  # the same as a page of its own
    e.widget                               # its traits are the parameters: observe them, link them

How to make one
---------------
A file in `gallery` with the name of its explorer is all it takes to find it here, show it and freeze it (CONTRIBUTING
says what its tests need). It is loaded at first use. The file states what is shown, as mathematics, and contains no
widgets, SVG or scripts.

    balance = Explorer("balance", title=…, caption=…, find=…, parameters={"sigma": Slider(0.3, 4.0, 1.0, …)})

    @balance.mechanism(BLUE, "Gaussian")         # what is compared; cached for each setting
    def gaussian(sigma):
        return Gaussian(sigma=sigma)

    bayes = balance.face_panel("bayes_error")    # or "tradeoff", "privacy_profile": a curve for every mechanism
    bayes.reader("prior", "adversary")           # a line at the slider's prior, points where it meets the curves

    @balance.panel("Noise", xlabel="answer", ylabel="density", xlim=(-4, 4))
    def noise(axes):                             # any other panel: its background, drawn once with matplotlib
        axes.axvline(0, color=GREY)

    @noise.curve(BLUE, "Gaussian")               # what moves: pure functions, drawn in this order
    def density(sigma):
        return X, norm.pdf(X, scale=sigma)

    @balance.readout("advantage", BLUE, 4)       # named like its function; `readouts` declares several at once
    def advantage(sigma):
        return gaussian(sigma).advantage

    @balance.words
    def words():                                 # arguments are needed only to choose a sentence, not for {…}
        return "The best test gains {advantage} over guessing."

    @balance.solved
    def found(sigma):                            # may call the functions of readouts
        return advantage(sigma) < 0.2

    @balance.code
    def program(sigma):                          # the program that readers are shown, with values for its arguments
        import dptutor as dp

        advantage = dp.Gaussian(sigma=sigma).advantage
        print(f"{advantage:.4f}")

    balance.ask("How much does the best test gain, in percent?", truth=lambda: 100 * advantage(1.0), unit="%",
                hides=(density,), says="You said {said}%; it is {truth}%.")

- **A function's arguments are the parameters it depends on**, and nothing else may change its result. The page contains
  a table over all values of the arguments, so keep them few: a path over two sliders is cheap, over three it is not. If
  only the place of a curve depends on a third one, give it a `shift`, a function of its own. What several functions
  need goes into an ordinary function with `functools.lru_cache`.
- `several(members, value, label, most=4)` is a choice of some of the members; its value is their names, separated by
  commas.
- `matrix` declares a square table of readouts, which is shown beside the sentence.
- A panel without a background of its own is a `plain_panel(name, title, …)`.
- A panel has `curve` (x, y), `region` (x, low, high), `points` (x, y), `ruler` (x, low, high) and `text` (x, y, words).
  The number of points is the same at every setting; a missing point is NaN. Limits are fixed.
- **Whatever moves can be grabbed.** Dragging a line or points moves the last slider that they depend on;
  `moves="sigma"` names another, `moves=("a", "b")` two, `moves=""` none. A region moves only sliders that it names.
  No formula is needed: the explorer takes the setting at which the part is drawn nearest to the pointer. Each slider
  has one grip in a panel.
- A label is written beside its curve, even in pages without a script, and moves with it. Keep it short.
- `{name}` in words and in a text stands for a parameter or readout as it is shown. Return one of a few sentences
  rather than format numbers yourself.
- The `code` is what a reader would write: it begins with its imports, and assigns readouts to variables of their names,
  or, if they are many, to the keys of a dictionary `numbers`. Tests run it as shown and compare.
- A slider has forty to a hundred settings, which are the rows of the tables. Use three sliders at most, two to four
  `steps` that tell a story, something to `find`, and `@e.solved`, a function of exact values, if it can be determined
  whether it was found.
- The picture has the width of the page. The panel that is dragged comes first and is the wider one; their `width` adds
  up to 720 points. `titled=False` shows a title to screen readers only; `ystretch=1` is for small heights beside large
  ones.
- An upright line that is dragged carries its value, at `share` of its length (at the top it covers the panel's title);
  other lines and points have a ring.
- `e.ask`, called last, covers sentence, numbers and sliders until the reader has drawn a `curve`, chosen one of
  `options` or typed a number; `hides` names the parts that would give the answer away.
- A page moves its explorer by a phrase: `<a data-move href="#balance?sigma=0.5">half the noise</a>`.
- A panel's `samples` lets draws from two laws fall into it, pile up and be counted at a threshold; their function
  gives the quantiles of both laws at `LEVELS`.
- A `game` has thirty rounds, or ten, in which the reader guesses which world an answer comes from. Its function gives
  the probabilities of answers. Its state consists of parameters without sliders, such as `accused`, which the other
  functions show. A panel's `rounds` shows past rounds as dots. `@e.task` is the task, if it depends on the setting.
- Blue and solid is the first mechanism or the world P, vermillion and dashed the second or Q, green what is measured,
  purple the adversary's choice, gray what does not move.
- An error in a function fails the tests, and a reader sees it in one line in the widget.

The modules of `machinery` explain how it works: `declaration`, `panel`, `face_panels`, `game` and `samples` (what an
explorer consists of), `tables` and `packing` (what moves, as numbers), `picture` (matplotlib to SVG), `page` (frozen),
`live` (a notebook's kernel), `exploration` (what a user calls and gets). The script of frozen and live explorers
consists of `numerals.js`, `shelf.js`, `tables.js`, `motion.js`, `handles.js`, `names.js`, `sliders.js`, `explorer.js`,
`pins.js`, `game.js`, `samples.js`, `pen.js`, `asking.js` and `start.js`, joined in this order.
"""

from importlib import import_module
from pkgutil import iter_modules

from . import gallery
from .machinery import Explorer

__all__ = sorted(module.name for module in iter_modules(gallery.__path__))


def __getattr__(name: str) -> Explorer:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    explorer = globals()[name] = getattr(import_module(f".gallery.{name}", __name__), name)
    return explorer


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
