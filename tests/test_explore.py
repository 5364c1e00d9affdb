import asyncio
import base64
import gzip
import itertools
import random
import re
import shutil
import zlib
from html import unescape
from pathlib import Path

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
import traitlets
from conftest import approx
from scipy.stats import binomtest, norm

import dptutor as dp
from dptutor import palette
from dptutor.explore.gallery import blackwell_order, calibration_point, two_offers
from dptutor.explore.gallery.emergent_dominance import SMALLER, differences, divergences
from dptutor.explore.machinery import (
    BLUE,
    LEVELS,
    VERMILLION,
    Choice,
    Explorer,
    Hidden,
    Number,
    Slider,
    decades,
    packing,
    store,
)
from dptutor.explore.machinery.face_panels import named
from dptutor.explore.machinery.packing import packed_tables
from dptutor.explore.machinery.page import body
from dptutor.explore.machinery.picture import path_points
from dptutor.explore.machinery.tables import MISSING, pack

NAMES = dp.explore.__all__
every_explorer = pytest.mark.parametrize("name", NAMES)


def started(name):
    return getattr(dp.explore, name)()


def at(e, **setting):
    """The exploration, set."""
    e.set(**setting)
    return e


def corners(parameters):
    ends = [
        (p.values[0], p.values[-1]) if isinstance(p, Hidden) else p.options if isinstance(p, Choice) else (p.min, p.max)
        for p in parameters.values()
    ]
    return [dict(zip(parameters, values, strict=True)) for values in itertools.product(*ends)]


def inside(parameters, count, seed=7):
    """Random settings, between the steps too."""
    generator = random.Random(seed)

    def somewhere(p):
        if isinstance(p, Choice):
            return generator.choice(p.options)
        return generator.randint(p.min, p.max) if p.whole else generator.uniform(p.min, p.max)

    return [{name: somewhere(p) for name, p in parameters.items()} for _ in range(count)]


def on_steps(parameters, count, seed=11):
    generator = random.Random(seed)
    return [{name: generator.choice(p.values) for name, p in parameters.items()} for _ in range(count)]


# Every explorer, all over its box.


@pytest.mark.cases(2)
@every_explorer
@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.deep)])
def test_every_part_is_drawn_at_the_corners_and_inside(name, count):
    e = started(name)
    for setting in corners(e.parameters) + inside(e.parameters, count):
        e.set(**setting)
        assert e.setting == setting
        for table in e.explorer.tables:
            assert table.row(setting).dtype == np.uint16
        assert "{" not in e.words
        assert all(e.shown.values())


@pytest.mark.cases(2)
@every_explorer
def test_the_code_runs_and_gives_the_numbers_beside_the_picture(name, capsys):
    e = started(name)
    for setting in [{}, *e.steps.values(), *inside(e.parameters, 6)]:
        space = {}
        exec(at(e, **setting).code(), space)
        numbers = space | space.get("numbers", {})  # many have a dictionary
        given = {n: float(numbers[n]) for n in e.readouts if n in numbers}
        assert len(given) >= min(5, sum(not np.isnan(value) for value in e.readouts.values()))
        assert given == approx({n: e.readouts[n] for n in given}, abs=1e-12, nan_ok=True)


@pytest.mark.cases(2)
@every_explorer
def test_the_program_that_is_shown_is_that_of_the_file(name):
    e = started(name)
    source = (Path(dp.explore.__file__).parent / "gallery" / f"{name}.py").read_text(encoding="utf-8")
    lines = {line for line in e.code().splitlines() if line}
    values = {f"{name} = {p.code(p.value)}" for name, p in e.parameters.items()}
    assert values & lines and all(f"\n    {line}\n" in source for line in lines - values)


@pytest.mark.cases(2)
@every_explorer
def test_frozen_and_live_rows_are_the_same_numbers(name):
    e = started(name)
    described, payload = packed_tables(e.explorer)
    data = np.frombuffer(zlib.decompress(payload, -15), dtype=np.uint8)
    start = 0
    for table, layout in zip(e.explorer.tables, described, strict=True):
        moving = [c for c in range(layout["width"]) if layout["still"] is None or layout["still"][c] is None]
        size = layout["rows"] * len(moving)
        cells = data[start : start + size].astype(np.uint16) << 8 | data[start + size : start + 2 * size]
        start += 2 * size
        cells = cells.reshape(len(moving), layout["rows"])
        for _ in range(layout["along"]):
            for c in range(layout["place"], len(moving)):
                cells[c] += cells[c - layout["place"]]
        for _ in range(layout["down"]):
            cells = np.cumsum(cells, axis=1, dtype=np.uint16)
        sizes = [len(e.parameters[n].values) for n in table.dims]
        for setting in on_steps(e.parameters, 30):
            places = [e.parameters[n].values.index(setting[n]) for n in table.dims]
            packed = np.array(layout["still"] or [0] * layout["width"], dtype=object)
            packed[moving] = cells[:, np.ravel_multi_index(places, sizes) if places else 0]
            row = table.row(setting)
            if table.encoder.kind == "text":  # each has its own list of words
                assert layout["strings"][packed[0]] == table.encoder.strings[row[0]]
            else:
                assert list(packed) == list(row)
    assert start == len(data)


@pytest.mark.cases(2)
@every_explorer
def test_tables_hold_what_matplotlib_draws_to_a_quarter_of_a_pixel(name):
    e = started(name)
    for setting in [*e.steps.values(), *inside(e.parameters, 4)]:
        figure = at(e, **setting).figure
        height = figure.get_figheight() * 72
        drawn = {artist.get_gid(): (ax, artist) for ax in figure.axes for artist in (*ax.lines, *ax.patches)}
        for part in e.explorer.parts:
            if part.kind == "text":
                continue
            ax, artist = drawn[f"part-{part.place}"]
            shown = path_points(part, e.setting)
            # Matplotlib closes an outline, unless it ends where it begins.
            points = artist.get_xydata() if hasattr(artist, "get_xydata") else artist.get_xy()[: len(shown)]
            pixels = ax.transData.transform(points) * 72 / figure.dpi
            expected = np.column_stack([pixels[:, 0], height - pixels[:, 1]])
            # By numpy: there are many points.
            np.testing.assert_allclose(shown, expected, rtol=0, atol=0.25)


@pytest.mark.cases(2)
@every_explorer
def test_frozen_is_small_asks_for_nothing_and_is_the_same_each_time(name, tmp_path):
    page = started(name).freeze(tmp_path / "page.html").read_bytes()
    assert len(gzip.compress(page)) < 300_000
    assert not re.search(rb"https?:|src=\"|@import|url\((?!#)", page.replace(b"http://www.w3.org/2000/svg", b""))
    assert started(name).freeze(tmp_path / "again.html").read_bytes() == page


def test_a_notebook_that_is_not_trusted_shows_a_picture_and_its_sentence():
    e = started("threshold_test")
    html = e._repr_mimebundle_()["text/html"]
    picture = base64.b64decode(re.search('src="data:image/png;base64,([^"]+)"', html)[1])
    assert picture.startswith(b"\x89PNG")
    assert e.words in unescape(html)
    assert "Run the cells down to this one" in html
    assert not re.search("<(svg|style|script)", html)


def test_screen_and_saved_pictures_have_one_palette():
    sheet = (Path(palette.__file__).parent / "explore" / "machinery" / "explorer.css").read_text()
    pairs = re.findall(r"--dpe-([\w-]+): light-dark\((#\w+), (#\w+)\)", sheet)
    light = {name: color for name, color, _ in pairs}
    assert {name: light[name] for name in palette.PAGE_COLORS.values()} == {
        name: color for color, name in palette.PAGE_COLORS.items()
    }
    # A color of the dark stands where that of the light does, and nowhere else.
    assert len(pairs) == len(re.findall(r"--dpe-[\w-]+: [^;]*#", sheet)) - 1  # the ground follows the host
    # Questions, which stand beside explorers, have no others; a browser without such pairs sees those of the light.
    sheet = Path(palette.__file__).with_name("exercises").joinpath("judging", "questions.css").read_text()
    asked = re.findall(r"(--dpq-[\w-]+): light-dark\((#\w+), (#\w+)\)", sheet)
    assert {color[1:] for color in asked} <= {color[1:] for color in pairs} | {("#fff", "#14181e")}
    plain = re.findall(r"(--dpq-[\w-]+): (#\w+)", sheet)
    assert dict(plain) == {name: light for name, light, _ in asked} and len(
        re.findall("#[0-9a-f]{3,6}", sheet)
    ) == 3 * len(plain)


@pytest.mark.whole
@every_explorer
def test_steps_and_starting_values_are_stops_of_the_sliders(name):
    e = started(name)
    assert 2 <= len(e.steps) <= 4
    assert sum(isinstance(p, Slider) for p in e.parameters.values()) <= 3
    for setting in (e.setting, *e.steps.values()):
        assert all(value in e.parameters[n].values for n, value in setting.items())


@pytest.mark.cases(2)
@every_explorer
def test_no_figure_stays_open(name):
    e = started(name)
    e.figure, e.figure, e.frozen()
    assert plt.get_fignums() == []


@pytest.mark.cases(2)
@every_explorer
def test_an_exploration_shows_itself_and_reads_as_its_call(name):
    e = started(name)
    bundle = e._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"} <= set(bundle)
    assert bundle["text/plain"].startswith(f"{name}(")
    assert "<script" not in bundle["text/html"]
    assert "0x" not in bundle["text/plain"] + e.words


# Numbers beside pictures.


def test_delta_divergence_reads_out_the_figure_of_the_paper():  # Kaissis et al. (2024), figure 3
    e = dp.explore.delta_divergence(sigma=1, scale=1, prior=0.27)
    assert e.readouts["forth"] == approx(0.0052722089, abs=1e-9)
    assert e.readouts["back"] == approx(0.0341385466, abs=1e-9)
    assert e.readouts["crossing"] == approx(0.4185393766, abs=1e-9)
    assert e.shown["difference"] == "3.4 percentage points"


def test_two_offers_asks_about_the_case():
    e, case = dp.explore.two_offers(), dp.exercises.case(33)
    assert case.offers["A"] == two_offers.OFFER_A and case.tolerance == two_offers.SURE
    assert case.offers["B"] == two_offers.OFFER_B | {"noise_multiplier": two_offers.QUOTED}
    # What it asks: 50% more noise, the smaller ε, and at even odds the smaller error.
    assert e.setting["noise_b"] / two_offers.QUOTED == approx(1.5, abs=0.01)
    assert e.readouts["epsilon_b"] < e.readouts["epsilon_a"] and e.readouts["error_b"] < e.readouts["error_a"]


def test_be_the_adversary_reads_out_counts_exact_intervals_and_the_best_test():
    e = dp.explore.be_the_adversary(sigma=1.5, accused="4 of 15", missed="6 of 15")
    numbers, mechanism = e.readouts, dp.Gaussian(sigma=1.5)
    for name, wrong in (("alpha", 4), ("beta", 6)):
        exact = binomtest(wrong, 15).proportion_ci(0.95, method="exact")
        assert numbers[name] == wrong / 15
        assert (numbers[f"{name}_low"], numbers[f"{name}_high"]) == approx(exact, abs=1e-12)
    assert numbers["best_beta"] == mechanism.tradeoff(4 / 15)
    assert numbers["wrong"] == 1 / 3
    assert numbers["best_error"] == approx(mechanism.bayes_error(0.5), abs=1e-3)  # outputs are rounded
    assert "\naccused = 4, 15\nmissed = 6, 15\n" in e.code()


def test_a_region_is_shown_only_once_it_contradicts_something():
    def region(accused, missed):
        [part] = [p for p in dp.explore.be_the_adversary.parts if p.name == "region"]
        return part.pieces[0].at({"accused": accused, "missed": missed})

    for few in (("0 of 0", "0 of 0"), ("2 of 9", "0 of 0"), ("2 of 4", "1 of 5"), ("2 of 12", "0 of 0")):
        assert np.isnan(region(*few)[1])
    sides, low, high = region("2 of 5", "1 of 5")
    assert sides == approx(binomtest(2, 5).proportion_ci(0.95, method="exact"), abs=1e-12)
    assert (low, high) == approx(binomtest(1, 5).proportion_ci(0.95, method="exact"), abs=1e-12)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
def test_the_threshold_at_the_end_of_a_game_has_the_errors_of_the_answers_above_it(sigma):
    numbers = dp.explore.be_the_adversary(sigma=sigma, threshold="0.55").readouts
    odds = dp.explore.be_the_adversary.rounds.table.row({"sigma": sigma}).reshape(2, -1).astype(float)
    p, q = odds / odds.sum(axis=1, keepdims=True)
    above = np.arange(-100, 121) > 11
    assert numbers["threshold_error"] == approx((p[above].sum() + q[~above].sum()) / 2, abs=1e-4)


@pytest.mark.parametrize("sigma", [0.5, 0.75, 1.0, 1.5, 2.0])
def test_the_answers_of_the_game_are_those_of_the_mechanism(sigma):
    e = dp.explore.be_the_adversary()
    odds = e.explorer.rounds.table.row({"sigma": sigma}).reshape(2, -1).astype(float)
    p, q = odds / odds.sum(axis=1, keepdims=True)
    answers = np.array(e.parameters["answer"].options[1:], float)
    inner = slice(1, -1)  # answers beyond the axis stand at its ends
    for world, mean in ((p, 0), (q, 1)):
        assert world[inner] == approx(norm.pdf(answers[inner], mean, sigma) / 20, abs=1e-4)
    # The best test of rounded answers is as good as that of the mechanism, to a thousandth.
    advantage = np.abs(p - q).sum() / 2
    assert advantage == approx(dp.Gaussian(sigma=sigma).advantage, abs=1e-3)


def test_samples_need_quantiles_that_rise_and_a_slider():
    encoder = dp.explore.threshold_test.drawn.table.encoder
    for wrong, told in ((np.zeros((2, 3)), "at 81 levels"), (np.tile(-LEVELS, (2, 1)), "must rise"),
                        (np.tile(99 * LEVELS, (2, 1)), "must rise, from")):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            encoder.encode(wrong)
    panel = dp.explore.threshold_test.panels[0]
    with pytest.raises(ValueError, match="cut by a slider, not by nothing"):
        panel.samples("nothing", says="", fills=(), bases=(0, 0), bin=1)(lambda sigma: None)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
def test_quantiles_between_which_the_script_interpolates_are_those_of_the_law(sigma):
    table = dp.explore.threshold_test.drawn.table
    row, step = table.row({"sigma": sigma}).reshape(2, -1), table.encoder.step
    x = np.linspace(-3, 4, 500)
    for mean, places in enumerate(table.encoder.low + step * row):
        assert np.interp(x, places, LEVELS) == approx(norm.cdf(x, mean, sigma), abs=6e-4)


def test_a_game_needs_a_probability_for_every_answer():
    explorer = Explorer("small", title="t", caption="c", find="f", parameters={"s": Slider(1, 2, 1, "s", step=1)})

    @explorer.game(answers=[0.0, 1.0, 2.0], says=("no", "yes"))
    def odds(s):
        return [1, 0], [0, 1]

    with pytest.raises(ValueError, match="expected the probabilities of 3 answers in two worlds"):
        explorer().frozen().html  # noqa: B018


# Setting.


def test_a_setting_from_python_need_not_be_a_step():
    e = at(dp.explore.delta_divergence(), sigma=0.7123)
    assert e.parameters["sigma"].value == 0.7123
    assert e.readouts["gaussian_advantage"] == dp.Gaussian(sigma=0.7123).advantage
    e.reset()
    assert e.parameters["sigma"].value == 1.0


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"noise": 99}, ValueError, r"noise must be in \[0.3, 4\], got 99"),
        ({"noise": float("nan")}, ValueError, "noise must be in"),
        ({"noise": "wide"}, TypeError, "noise must be a number, got 'wide'"),
        ({"kind": "up"}, ValueError, "kind must be one of .* got 'up'"),
        ({"sigma": 1}, TypeError, "has the parameters kind, noise, prior, not sigma"),
    ],
)
def test_a_bad_setting_is_refused_and_changes_nothing(values, error, words):
    e = dp.explore.bayes_error()
    with pytest.raises(error, match=words):
        e.set(prior=0.5, **values)
    assert e.setting == dp.explore.bayes_error().setting


def test_sliders_have_round_steps_within_their_range():
    slider = Slider(0.3, 4.0, 1.0, "noise", also=(0.97,))
    assert {0.3, 0.7, 0.97, 1.0, 2.0, 4.0} <= set(slider.values)
    assert list(slider.values) == sorted(set(slider.values))
    assert Slider(1, 4, 2, "steps", step=1).values == (1, 2, 3, 4)
    assert Slider(0.0, 0.3, 0.1, "p", step=0.1).values == (0.0, 0.1, 0.2, 0.3)
    assert decades(-2, 0, 1, 3) == (0.01, 0.03, 0.1, 0.3, 1.0)
    assert Slider(100, 1000, 200, "steps", stops=decades(2, 3, 1, 1.5, 2, 5)).values == (100, 150, 200, 500, 1000)
    with pytest.raises(ValueError, match="min must be positive"):
        Slider(0.0, 1.0, 0.5, "noise")
    with pytest.raises(ValueError, match="stops must go from min=1 to max=8"):
        Slider(1, 8, 2, "steps", stops=(1, 2, 4))


def test_sliders_over_whole_numbers_take_no_others():
    e = dp.explore.composition(steps=1234)
    assert e.setting["steps"] == 1234
    assert "After 1234 steps" in e.words
    with pytest.raises(ValueError, match=r"steps must be a whole number, got 1234.5"):
        e.set(steps=1234.5)
    assert e.setting["steps"] == 1234


def test_a_peak_is_drawn_as_high_as_the_sentence_says():
    for count, sigma in ((1, 1.1), (2, 1.0), (3, 0.9), (20, 1.2)):
        forth, back = divergences(SMALLER, count, sigma)
        _, drawn = differences(SMALLER, count, sigma)
        assert (drawn.max(), -drawn.min()) == approx((100 * forth, 100 * back), abs=0.02)


def test_small_probabilities_are_said_as_powers_of_ten():
    slider = Slider(1e-9, 0.1, 1e-5, "with", "δ", stops=decades(-9, -1, 1, 2, 5), power=True)
    assert [slider.show(value) for value in (1e-9, 2e-5, 1.5e-3, 0.1)] == ["10⁻⁹", "2·10⁻⁵", "1.5·10⁻³", "10⁻¹"]
    assert slider.code(1e-5) == "1e-5"
    assert Slider(100, 1_000_000, 100, "steps", step=100).show(1_000_000) == "1,000,000"


# Numbers as they are shown.


@pytest.mark.parametrize(
    ("number", "value", "shown"),
    [
        (Number("", digits=4), 0.0341385466, "0.0341"),
        (Number("", digits=2), -0.004, "0.00"),
        (Number("", digits=2), -1.236, "−1.24"),
        (Number("", digits=0), 12.4, "12"),
        (Number("", digits=1, percent=True), 0.27, "27.0%"),
        (Number("", digits=1, percent=True, unit="points"), 0.0341, "3.4 points"),
        (Number("", digits=2, power=True), 1.234e-7, "1.23·10⁻⁷"),
        (Number("", digits=2, power=True), 0.01234, "0.0123"),
        (Number("", digits=2, power=True), 12.34, "12.3"),
        (Number("", digits=2, power=True), 0.0, "0"),
        (Number("", digits=0), 9999.0, "9999"),
        (Number("", digits=0), 10_000.0, "10,000"),
        (Number("", digits=1), -1_234_567.25, "−1,234,567.2"),
        (Number(""), np.inf, "∞"),
        (Number(""), -np.inf, "−∞"),
        (Number(""), np.nan, "—"),
        (Number("", power=True), np.nan, "—"),
    ],
)
def test_a_number_is_shown(number, value, shown):
    assert number.show(value) == shown


def test_a_number_too_large_for_its_digits_is_refused():  # by a freeze, which asks for all settings
    assert Number("", digits=0).show(2e9) == "2,000,000,000"
    with pytest.raises(ValueError, match=r"ε of 3e.06 has too many digits to be shown"):
        Number("ε", digits=3).cells(3e6)
    assert Number("ε", digits=3, power=True).show(3e6) == "3.000·10⁶"


# Declarations.


def small(**parameters):
    chosen = parameters or {"sigma": Slider(1.0, 3.0, 2.0, "noise", step=1.0)}
    explorer = Explorer("small", title="t", caption="c", find="f", parameters=chosen)

    @explorer.panel("p", xlabel="x", ylabel="y")
    def panel(axes):
        pass

    return explorer, panel


def test_a_part_may_depend_on_parameters_only():
    _, panel = small()
    with pytest.raises(TypeError, match="noise_level may depend on sigma; rate is none of these"):

        @panel.curve(BLUE)
        def noise_level(sigma, rate):
            return [0, 1], [0, 1]


def test_powers_of_ten_on_an_axis_are_words_not_letters_set_apart():
    explorer, _ = small()
    explorer.panel("q", xlabel="x", ylabel="y", xlim=(1e-12, 10), xlog=True)(named(lambda axes: None, ("axes",), "q"))
    picture = re.sub("<script.*?</script>", "", explorer().frozen().html, flags=re.S)
    assert ">10⁻¹²</text>" in picture
    assert "<tspan x=" not in picture


def test_names_stand_in_the_picture_and_no_legend_does():
    for axes in dp.explore.posterior_belief().figure.axes:
        assert axes.get_legend() is None
    explorer, panel = small()
    panel.curve(VERMILLION, "its name")(named(lambda sigma: ([0, 1], [0, 1]), ("sigma",), "line"))
    (axes,) = explorer().figure.axes
    assert "its name" in [text.get_text() for text in axes.texts]
    # In a shade that a dark page makes light.
    still = r'<g class="dpe-still">\s*<text[^>]*fill: var\(--dpe-vermillion-text, #a84600\)[^>]*>its name<'
    assert re.search(still, explorer().frozen().html)


def test_parts_with_equal_marks_each_have_their_own():
    explorer, panel = small()
    for name in ("one", "two"):
        panel.points(BLUE)(named(lambda sigma: (0.5, 0.5), ("sigma",), name))
    html = explorer().frozen().html
    assert all(f'data-part="{part.place}"><g><defs>' in html for part in explorer.parts)


def test_a_path_keeps_its_number_of_points():
    explorer, panel = small()

    @panel.curve(BLUE)
    def growing(sigma):
        return np.linspace(0, 1, int(sigma) + 1), np.zeros(int(sigma) + 1)

    with pytest.raises(ValueError, match="growing must give the same number of points at every setting"):
        explorer().frozen().html  # noqa: B018


def test_a_point_that_is_not_there_is_marked_so():
    explorer, panel = small()

    @panel.points(BLUE)
    def sometimes(sigma):
        return [0.5, np.nan if sigma > 1 else 0.2], [0.5, 0.5]

    (table,) = explorer.tables
    assert list(table.row({"sigma": 2.0})[2:]) == [MISSING, MISSING]
    assert 'display="none"' in explorer().frozen().html


def test_words_that_are_not_there_keep_their_place():
    explorer, panel = small()

    @panel.text(BLUE)
    def sometimes(sigma):
        return 0.5 if sigma > 2 else np.nan, 0.5, "there"

    e = explorer()
    assert re.search(r'<text[^>]* display="none"', e.frozen().html)
    assert "there" not in [text.get_text() for text in e.figure.axes[0].texts]
    e.set(sigma=3.0)
    assert "there" in [text.get_text() for text in e.figure.axes[0].texts]


def test_a_number_that_is_not_finite_is_told_in_words():
    explorer, _ = small()

    @explorer.readouts(bound=Number("bound", infinite="says nothing"))
    def numbers(sigma):
        return np.inf if sigma > 1 else 0.5

    assert (explorer(sigma=1.0).shown, explorer(sigma=3.0).shown) == ({"bound": "0.500"}, {"bound": "says nothing"})
    assert dp.explore.emergent_dominance(count=1).shown["bound"] == "says nothing (above 50 points)"


def test_a_number_of_an_axis_hides_beneath_an_upright_line():
    def hidden(threshold):
        texts = [text for axes in dp.explore.threshold_test(threshold=threshold).figure.axes for text in axes.texts]
        return [text.get_text() for text in texts if not text.get_visible()]

    assert (hidden(0.5), hidden(1.0), hidden(-1.0)) == ([], ["1"], ["−1"])
    assert dp.explore.threshold_test(threshold=1.0).frozen().html.count('data-beneath=""') == 1


def test_a_prediction_that_hides_or_says_what_there_is_not_is_refused():
    explorer, panel = small()

    @panel.curve(BLUE)
    def line(sigma):
        return [0, 1], [0, sigma]

    with pytest.raises(ValueError, match="hides must be functions of parts, got small"):
        explorer.ask("?", truth=lambda: 1.0, hides=(line, small), says="{said}")
    for says, unknown in (("{answer} {truth}", "answer"), ("{said}, off by {gap}", "gap")):
        with pytest.raises(ValueError, match=f"says knows no {unknown}"):
            explorer.ask("?", truth=lambda: 1.0, hides=(line,), says=says)
    with pytest.raises(ValueError, match=r"must tell the \{truth\} of a number"):
        explorer.ask("?", truth=lambda: 1.0, hides=(line,), says="You said {said}.")
    explorer.ask("?", truth=lambda: 1.0, hides=(line,), says="{said}; it is {truth}")


def test_a_prediction_that_praises_another_answer_is_refused():
    explorer, _ = small()
    for says in ("Right: {said}.", ("Right.", "Yes, {said}.")):
        with pytest.raises(ValueError, match="says praises who predicted something else"):
            explorer.ask("?", truth=lambda: "a", options=("a", "b"), says=says)
    explorer.ask("?", truth=lambda: "a", options=("a", "b"), says=("Right.", "You said {said}."))


def test_a_point_far_outside_its_panel_is_refused_rather_than_bent():
    explorer, panel = small()

    @panel.curve(BLUE)
    def far(sigma):
        return [0, 1], [0, 5]

    with pytest.raises(ValueError, match="1 points lie more than two widths or heights outside panel"):
        explorer().frozen().html  # noqa: B018


@pytest.mark.parametrize("package", ["numpy", "scipy", "matplotlib"])
def test_tables_belong_to_the_packages_they_were_computed_with(package, monkeypatch):
    before = store.state.__wrapped__("duel")
    monkeypatch.setattr(f"{package}.__version__", "0.0")
    assert store.state.__wrapped__("duel") != before


def test_tables_belong_to_the_explorers_that_they_come_from(tmp_path, monkeypatch):
    package = shutil.copytree(store._PACKAGE, tmp_path / "dptutor", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(store, "_PACKAGE", package)
    state, names = store.state.__wrapped__, ["tradeoff_gallery", "bayes_error", "duel"]
    before = {name: state(name) for name in names}

    def changed(file, text="changed = True\n"):
        with (package / file).open("a") as end:
            end.write(text)
        return {name for name in names if state(name) != before[name]}

    assert changed("exercises/chapters/chapter_01.py") == set()
    assert changed("accounting.py", "# only a comment\n") == set()
    assert changed("explore/gallery/tradeoff_gallery.py") == {"tradeoff_gallery", "bayes_error"}  # has its KINDS
    assert changed("comparing/blackwell.py") == set(names)


def test_tables_are_kept_in_a_folder_if_one_is_named(tmp_path, monkeypatch):
    made = []
    answer = [{"rows": 1}], b"12\n3"
    monkeypatch.setattr(packing, "_pack_tables", lambda explorer: made.append(explorer.name) or answer)
    monkeypatch.setenv("DPTUTOR_TABLES", str(tmp_path))
    for explorer in (dp.explore.delta_divergence, small()[0]):
        for _ in range(2):
            packed_tables.cache_clear()
            assert packed_tables(explorer) == answer
    packed_tables.cache_clear()
    assert made == ["delta_divergence", "small", "small"]  # an explorer of one's own has a name, but not the state
    assert [path.name.split("-")[0] for path in tmp_path.iterdir()] == ["delta_divergence"]


def test_numbers_that_take_long_are_kept_in_the_folder_and_are_the_same(tmp_path, monkeypatch):
    asked = []

    def root(rate, kind):
        asked.append((rate, kind))
        return rate**0.5

    root.__module__ = "dptutor.explore.gallery.duel"
    monkeypatch.delenv("DPTUTOR_TABLES", raising=False)
    assert store.remembered(root)(2.0, "a") == 2**0.5
    monkeypatch.setenv("DPTUTOR_TABLES", str(tmp_path))
    asked.clear()
    for _ in range(2):  # as in two processes
        function = store.remembered(root)
        assert [function(rate, "a") for rate in (2.0, 0.1, 2.0)] == [2**0.5, 0.1**0.5, 2**0.5]
    assert asked == [(2.0, "a"), (0.1, "a")]


def test_packing_keeps_a_table_that_never_changes():
    layout, data = pack(np.array([[1, 2], [1, 2]], dtype=np.uint16))
    assert (layout["still"], data) == ([1, 2], b"")


# The widget, with its messages in hand.


def overheard(e):
    """The widget of an exploration and the messages that it sends."""
    sent = []
    e.widget.send = lambda content, buffers=None: sent.append((content, buffers))
    return e.widget, sent


def question(e, along=None, **values):
    line = along and f"line {along}"
    return {"kind": "want", "id": "q", "first": True, "setting": e.setting | values, "along": along, "line": line}


def test_traits_are_the_parameters():
    e = dp.explore.bayes_error()
    e.widget.noise = 2
    assert e.parameters["noise"].value == 2.0
    e.set(noise=0.7, kind="Laplace")
    assert (e.widget.noise, e.widget.kind) == (0.7, "Laplace")
    seen = []
    e.widget.observe(lambda change: seen.append(change["new"]), "noise")
    e.set(noise=0.8)
    assert seen == [0.8]
    with pytest.raises(traitlets.TraitError):
        e.widget.noise = 99


def test_traits_link_to_other_widgets():
    e = dp.explore.delta_divergence()
    slider = ipywidgets.FloatSlider(value=1.0, min=0.5, max=3.0)
    link = ipywidgets.link((e.widget, "sigma"), (slider, "value"))
    slider.value = 2.5
    assert e.readouts["gaussian_advantage"] == dp.Gaussian(sigma=2.5).advantage
    e.set(sigma=0.5)
    assert slider.value == 0.5
    link.unlink()


@pytest.mark.cases(2)
@every_explorer
def test_the_kernel_answers_with_the_rows_of_the_setting_asked_for(name):
    e = started(name)
    widget, sent = overheard(e)
    (setting,) = on_steps(e.parameters, 1)
    widget._asked(question(e, **setting))
    ((content, (cells,)),) = sent
    assert content["id"] == "q"
    cells, start = np.frombuffer(cells, "<u2"), 0
    for place, values, width, _ in content["rows"]:
        table = e.explorer.tables[place]
        assert values == [setting[n] for n in table.dims]
        assert list(cells[start : start + width]) == list(table.row(setting))
        start += width
    assert len(content["rows"]) == len(e.explorer.tables)


@pytest.mark.cases(2)
@every_explorer
def test_the_kernel_fills_the_line_of_the_slider_nearest_first(name):
    e = started(name)
    widget, sent = overheard(e)
    along = next(iter(e.parameters))

    async def ask():
        widget._asked(question(e, along))
        await widget._filling

    asyncio.run(ask())
    assert sent[-1][0]["whole"] == f"line {along}"
    rows = [(place, tuple(values)) for content, _ in sent for place, values, _, _ in content["rows"]]
    values = e.parameters[along].values
    for place, table in enumerate(e.explorer.tables):
        if table.dims == (along,):
            seen = [v for p, (v, *_) in ((p, v) for p, v in rows if v) if p == place]
            assert set(seen) == set(values)
            distance = [abs(values.index(v) - values.index(e.setting[along])) for v in seen]
            assert distance == sorted(distance)


def test_a_new_question_ends_the_filling_for_an_old_one():
    e = dp.explore.delta_divergence()
    widget, sent = overheard(e)

    async def ask():
        widget._asked(question(e, "sigma"))
        old = widget._filling
        widget._asked(question(e, "scale"))
        await widget._filling
        return old

    assert asyncio.run(ask()).cancelled()
    assert sent[-1][0]["whole"] == "line scale"
    assert not any(content.get("whole") == "line sigma" for content, _ in sent)


def test_a_question_that_takes_some_turns_of_the_loop_to_arrive_waits_for_one_row_at_most(monkeypatch):
    monkeypatch.setattr("dptutor.explore.machinery.live._PATIENCE", -1)  # as if every row took longer
    e, sent = dp.explore.delta_divergence(), []

    async def ask():
        loop, asked = asyncio.get_running_loop(), asyncio.Event()

        def arrive(turns):
            if turns:
                loop.call_soon(arrive, turns - 1)
            else:
                e.widget._asked(question(e))
                asked.set()

        def send(content, buffers=None):
            sent.append(content.get("id"))
            if len(sent) == 2:  # the answer, and a first row of the line
                arrive(20)

        e.widget.send = send
        e.widget._asked(question(e, "sigma"))
        await asked.wait()

    asyncio.run(ask())
    assert sent == ["q", None, "q"]


def test_the_explorer_asked_last_is_filled_first():
    told = []

    async def ask():
        explorations = [dp.explore.delta_divergence(), dp.explore.threshold_test()]
        for e, along in zip(explorations, ("sigma", "threshold"), strict=True):
            e.widget.send = lambda content, buffers=None: told.append(content.get("whole"))
            e.widget._asked(question(e, along))
        for e in explorations:
            await e.widget._filling

    asyncio.run(ask())
    assert [line for line in told if line] == ["line threshold", "line sigma"]


def test_an_error_in_a_part_is_raised_and_told_in_one_line():
    explorer, panel = small()

    @panel.curve(BLUE)
    def broken(sigma):
        if sigma > 2:
            raise ValueError("sigma is too large\nfor this")
        return [0, 1], [0, sigma]

    e = explorer()
    widget, sent = overheard(e)
    with pytest.raises(ValueError, match="too large"):
        widget._asked(question(e, sigma=3.0))
    assert sent[-1][0] == {"kind": "error", "id": "q", "text": "At sigma = 3.0: ValueError: sigma is too large"}
    with pytest.raises(ValueError, match="too large"):
        explorer().frozen().html  # noqa: B018


def test_parameters_may_not_take_the_names_of_a_widget():
    explorer, _ = small(layout=Slider(1.0, 2.0, 1.0, "l", step=1.0))
    with pytest.raises(ValueError, match="layout"):
        explorer().widget  # noqa: B018


def test_a_curve_of_straight_pieces_is_drawn_through_its_corners():
    fine = np.linspace(0, 1, 4001)
    for epsilon in (0.3, 1.0, 2.7):
        drawn = np.interp(fine, *blackwell_order.tradeoff.curves[blackwell_order.response](epsilon))
        assert np.abs(drawn - dp.RandomizedResponse(epsilon=epsilon).tradeoff(fine)).max() < 1e-12


def test_a_profile_is_drawn_to_its_end_where_it_falls_steeply():
    x, y = calibration_point.profiles.curves[calibration_point.laplace](1.0, 1e-5)
    near = np.linspace(0.9, 0.999, 200)
    drawn, true = np.interp(near, x, np.log10(y)), np.log10(calibration_point.laplace(1.0, 1e-5).privacy_profile(near))
    assert np.abs(drawn - true).max() < 0.1


def test_what_a_slider_sets_can_be_dragged_in_the_picture():
    """In all explorers that are not a game; which of five pictures is drawn is no quantity in it."""
    bare = {
        (name, slider)
        for name in NAMES
        if not (explorer := getattr(dp.explore, name)().explorer).rounds
        for slider in {name for name, one in explorer.parameters.items() if isinstance(one, Slider)}
        - {slider for part in explorer.parts for slider in part.handles}
    }
    assert bare == {("one_mechanism", "picture")}


# What has fewer than forty stops by nature.
COUNTED = {
    ("audit", "steps"): "the training of the chapter has thirty steps",
    ("evidence", "audit"): "readers of the chapter count in how many of its audits a true claim is refuted",
}


@every_explorer
def test_what_is_dragged_has_forty_stops_and_light_tables(name):
    explorer = started(name).explorer
    dragged = {slider for part in explorer.parts for slider in part.handles}
    few = {(name, slider) for slider in dragged if len(explorer.parameters[slider].values) < 40}
    assert few <= COUNTED.keys()
    assert len(packed_tables(explorer)[1]) < 150_000


def test_what_has_fewer_stops_than_forty_does_have_fewer():
    """No reason outlives what it is the reason for, and steps that are counted leave no number out."""
    for name, slider in COUNTED:
        values = started(name).parameters[slider].values
        assert len(values) < 40 and values == tuple(range(1, len(values) + 1))


@every_explorer
def test_what_is_dragged_is_next_to_the_picture(name):
    """On a phone both are seen at once, whatever choices there are."""
    controls = re.findall(r'type="range"|class="dpe-choice"', body(started(name), "here"))
    assert controls == sorted(controls, reverse=True)


def test_what_is_filled_under_a_curve_is_its_outline():
    explorer, panel = small()

    @panel.curve(BLUE)
    def wave(sigma):
        return [0, 0.25, 0.5, 1], [0, sigma / 10, -sigma / 10, 0.1]

    panel.filled(BLUE, wave, above=True)
    panel.filled(BLUE, wave, above=False)
    whole, above, below = (path_points(part, {"sigma": 2.0}) for part in explorer.parts[-3:])
    zero = panel.pixels(0, 0)[0, 1]
    assert np.allclose(above[1:-1], np.column_stack([whole[:, 0], np.minimum(whole[:, 1], zero)]))
    assert np.allclose(below[1:-1], np.column_stack([whole[:, 0], np.maximum(whole[:, 1], zero)]))
    assert np.allclose([above[[0, -1], 1], below[[0, -1], 1]], zero)
    assert len({id(table) for part in explorer.parts[-3:] for table in part.tables}) == 1


def test_a_frozen_page_does_not_depend_on_what_was_dragged_before():
    def packed(dragged):
        explorer, panel = small()

        @panel.text(BLUE)
        def word(sigma):
            return 0.5, 0.5, f"word {sigma:g}"

        for sigma in dragged:
            for table in explorer.tables:
                table.row({"sigma": sigma})
        return packed_tables(explorer)

    fresh, dragged = packed([]), packed([3.0, 2.0])
    assert fresh == dragged and any(table.get("strings") == ["word 1", "word 2", "word 3"] for table in fresh[0])
