"""Explorers: pictures to move, live in a notebook and frozen into a page.

    e = dp.explore.delta_divergence()      # shows itself in a notebook
    e.set(sigma=0.7); e.readouts; e.figure; e.code(); e.parameters["sigma"].max
    e.frozen()                             # the last expression of a cell in a chapter: moves without a kernel
    e.freeze("page.html")                  # the same as a page of its own
    e.widget                               # its traits are the parameters: observe them, link them

How to make one
---------------
One file in `gallery`, with the name of its explorer: that is enough for it to be found here, shown and frozen
(CONTRIBUTING says what its tests need). It is loaded at first use. The file says what is shown, as mathematics; nothing
in it knows of widgets, SVG or scripts.

    balance = Explorer("balance", title=…, caption=…, find=…, parameters={"sigma": Slider(0.3, 4.0, 1.0, …)})

    @balance.mechanism(BLUE, "Gaussian")         # what is compared, kept for every setting it was asked for
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
    def words():                                 # its arguments choose the sentence; {…} needs none
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

- **A function's arguments are the parameters it depends on**, and nothing else may change its result. A table over
  its arguments goes into the page, so ask for few: a path over two sliders is cheap, over three it is not. Where
  only the place of a curve depends on a third one, give it a `shift`, a function of its own. What several
  functions need goes into an ordinary function with `functools.lru_cache`.
- `several(members, value, label, most=4)` is a choice of some of the members; its value is their names, with commas.
- `matrix` declares a square table of readouts, which stands beside the sentence.
- Where nothing stands still, a panel is a `plain_panel(name, title, …)`.
- A panel has `curve` (x, y), `region` (x, low, high), `points` (x, y), `ruler` (x, low, high) and `text` (x, y, words).
  The number of points is the same at every setting; a point that is not there is NaN. Limits do not move.
- **Whatever moves can be grabbed.** A line or points that depend on a slider drag it, the last one if there are
  several; `moves="sigma"` names another, `moves=("a", "b")` two, `moves=""` none; a region moves only what it names.
  No formula is needed: the setting is taken at which the part is drawn nearest to the pointer. Each slider has one
  grip in a panel.
- A label is written beside its curve, in pages without a script too, and moves with it. Keep it short.
- `{name}` in words and in a text stands for a parameter or readout as it is shown. Return one of a few sentences
  rather than format numbers yourself.
- The `code` is what a reader would write: it imports what it needs, first of all, and assigns readouts to variables of
  their names, many of them to the keys of a dictionary `numbers`. Tests run what is shown of it and compare.
- A slider's settings are the rows of the tables: forty to a hundred. Three sliders at most, two to four `steps`
  that tell a story, something to `find`, and `@e.solved`, a function of exact values, if it can be told to be found.
- The picture takes the width of the page. The panel that is dragged comes first and is the wider one: `width` shares
  out 720 points. `titled=False` leaves a title to screen readers; `ystretch=1` is an axis for small heights beside
  large ones.
- An upright line that is dragged carries its value, at `share` of its length (at the top it covers the panel's title);
  other lines and points have a ring.
- `e.ask`, called last, covers sentence, numbers and sliders until the reader has drawn a `curve`, chosen one of
  `options` or typed a number; `hides` names the parts that would give the answer away.
- A page moves its explorer by a phrase: `<a data-move href="#balance?sigma=0.5">half the noise</a>`.
- A panel's `samples` lets draws from two laws fall into it, pile up and be counted at a threshold; their function
  gives the quantiles of both laws at `LEVELS`.
- A `game` has thirty rounds, or ten, in which the reader guesses the world of an answer. Its function gives the
  probabilities of answers; its state are parameters without sliders, such as `accused`, which the other functions
  show. A panel's `rounds` keeps them as dots. `@e.task` is the task, where that depends on the setting.
- Blue and solid is the first mechanism or the world P, vermillion and dashed the second or Q, green what is measured,
  purple the adversary's choice, gray what stands still.
- An error in a function fails the tests, and a reader sees it in one line in the widget.

How it works is told where it is done, in `machinery`: `declaration`, `panel`, `face_panels`, `game` and `samples` (what
an explorer consists of), `tables` and `packing` (what moves, as numbers), `picture` (matplotlib to SVG), `page`
(frozen), `live` (the notebook's side), `exploration` (what a reader calls and holds), and on the reader's side, of
both, `tables.js`, `motion.js`, `handles.js`, `names.js`, `sliders.js`, `explorer.js`, `pins.js`, `game.js`,
`samples.js`, `pen.js`, `asking.js` and `start.js`, joined in this order.
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
