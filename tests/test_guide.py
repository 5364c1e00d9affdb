"""The field guide to mechanisms: what its plates say, and its numbers against other ways to them."""

import itertools
import math
import re
from functools import cache
from urllib.parse import parse_qsl

import numpy as np
import pytest
from conftest import approx
from playwright.sync_api import expect
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, ndtr
from scipy.stats import binom
from selectolax.lexbor import LexborHTMLParser

import dptutor as dp
import guide
from content import ROOT

PAGE = (ROOT / "book" / "mechanisms.md").read_text(encoding="utf-8")
PLATES = {name: plate for members in guide.families().values() for name, plate in members.items()}
REGISTERED = dp.mechanisms.registry.__all__
TEXTS = "title", "releases", "used", "exact", "pair", "call", "trap"
KEYS = set(re.findall(r"^@\w+\{([^,]+),", (ROOT / "book" / "references.bib").read_text(encoding="utf-8"), flags=re.M))


@pytest.mark.sources
def test_every_registered_mechanism_has_a_plate_or_is_listed_without(monkeypatch):
    listed = [name for members in guide.families().values() for name in members]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(REGISTERED), "book/mechanisms.yaml has plates of mechanisms that are not registered"
    bare = dict.fromkeys([*set(REGISTERED) - set(listed), "Laplace"])
    without = {
        family: {n: said for n, said in some.items() if n not in bare} for family, some in guide.families().items()
    }
    monkeypatch.setattr(guide, "families", lambda: without)
    plates, _, links = guide.plates().partition("## Without a plate")
    assert set(re.findall(r'^plate\("(\w+)"\)$', plates, re.M)) == set(REGISTERED) - set(bare)
    assert set(re.findall(r"<dptutor\.(\w+)>", links)) == set(bare)


@pytest.mark.sources
@pytest.mark.whole
@pytest.mark.parametrize("name", PLATES)
def test_a_plate_says_all_that_plates_say_and_cites_a_source(name):
    plate = PLATES[name]
    assert set(TEXTS) <= set(plate) <= {*TEXTS, "between"}
    assert all(plate[text].strip() for text in TEXTS)
    assert plate["exact"] in ("attained", "upper bound", "as given")
    said = " ".join(plate[text] for text in TEXTS)
    assert re.search(r"\{cite:[pt]\}", plate["used"] + plate["pair"])
    cited = {key for group in re.findall(r"\{cite:[pt]\}`([^`]+)`", said) for key in group.split(",")}
    assert cited <= KEYS
    assert all(re.search(rf"\b{wanted}\b", PAGE) for wanted in re.findall(r"\{eval\}`(\w+)`", said))


@pytest.mark.sources
@pytest.mark.whole
@pytest.mark.parametrize("name", PLATES)
def test_the_call_of_a_plate_makes_its_mechanism(name):
    made = dp.read(re.sub(r"\bs\b", "0.7", PLATES[name]["call"]))
    assert type(made) is getattr(dp, name)


@pytest.fixture(scope="module")
def sections(site):
    """What the built page says, by heading."""
    tree = LexborHTMLParser((site / "book" / "mechanisms.html").read_text(encoding="utf-8"))
    found = {}
    for section in tree.css("article section"):
        heading = section.css_first("h1, h2, h3")
        heading.css_first(".headerlink").decompose()
        found[heading.text().strip()] = section
    return found


@pytest.mark.whole
@pytest.mark.parametrize("name", PLATES)
def test_a_plate_is_on_the_page_with_its_picture(sections, name):
    plate = sections[PLATES[name]["title"]]
    (picture,) = plate.css("figure.plate svg")
    assert PLATES[name]["title"] in picture.attributes["aria-label"]
    assert len(picture.css("path.own")) == 1 + (name != "PerfectPrivacy")
    call = plate.css_first("figure.plate code").text().removeprefix("dp.")
    made = dp.read(call)
    assert type(made) is getattr(dp, name)
    if re.search(r"\bs\b", PLATES[name]["call"]):
        assert made.advantage == approx(0.25, abs=2e-4)


@pytest.mark.whole
@pytest.mark.parametrize("alike", ["advantage ¼", "(1, 10⁻⁵)"])
def test_a_number_of_the_map_leads_to_its_two_curves(sections, alike):
    links = [
        (dict(parse_qsl(link.attributes["href"].removeprefix("#side_by_side?"), strict_parsing=True)), link.text())
        for link in sections["The map"].css("td a[data-move]")
    ]
    here = [(setting, number) for setting, number in links if setting["alike"] == alike]
    assert len({setting["mechanisms"] for setting, _ in here}) >= 8
    for setting, number in here:
        one, other = setting["mechanisms"].split(", ")
        readouts = dp.explore.side_by_side(**setting).readouts
        assert number in {f"{100 * readouts[f'{row}_{column}']:.1f}" for row, column in ((one, other), (other, one))}


# Numbers on the page, each computed here without the library: from densities, masses and sums.


def gaussian_delta(epsilon, sigma):
    return ndtr(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * ndtr(-0.5 / sigma - epsilon * sigma)


def finite_delta(p, q, epsilon):
    return float(np.maximum(q - math.exp(epsilon) * p, 0).sum())


def finite_epsilon(pairs, delta):
    return brentq(lambda e: max(finite_delta(p, q, e) for p, q in pairs) - delta, 0, 50, xtol=1e-12)


def bell(sigma, shift=0):
    x = np.arange(-400, 401)
    mass = np.exp(-(((x - shift) / sigma) ** 2) / 2)
    return mass / mass.sum()


def geometric(scale, shift=0):
    mass = np.exp(-np.abs(np.arange(-400, 401) - shift) / scale)
    return mass / mass.sum()


def calibrated(noise, low, high, epsilon=1.0, delta=1e-6):
    """The parameter at which noise on a count has this δ."""
    return brentq(lambda s: finite_delta(noise(s), noise(s, 1), epsilon) - delta, low, high, xtol=1e-13)


def spread(mass):
    return math.sqrt((np.arange(-400, 401) ** 2 * mass).sum())


def bayes(p, q, weights=1.0):
    """Bayes errors at many priors of the world P, the worst ones among them."""
    prior = expit(np.linspace(-1.5, 1.5, 1501))[:, None]
    return np.minimum(prior * p * weights, (1 - prior) * q * weights).sum(axis=1)


def staircase(x, epsilon=1.0):
    gamma, x = 1 / (1 + math.exp(epsilon / 2)), np.abs(x)
    step = np.floor(x)
    height = (1 - math.exp(-epsilon)) / (2 * (gamma + math.exp(-epsilon) * (1 - gamma)))
    return height * np.exp(-epsilon * (step + (x - step >= gamma)))


def staircase_advantage():
    x = (np.arange(-4_000_000, 4_000_000) + 0.5) / 100_000
    return np.maximum(staircase(x - 1) - staircase(x), 0).sum() / 100_000


def replaced_epsilon(sigma, rate, delta=1e-5):
    x, width = np.linspace(-20, 20, 400_001, retstep=True)
    p, q = (sum(w * np.exp(-(((x - c) / sigma) ** 2) / 2) for w, c in ((1 - rate, 0), (rate, s))) for s in (-1, 1))
    scale = width / (sigma * math.sqrt(2 * math.pi))
    return finite_epsilon([(p * scale, q * scale)], delta)


def sampled_epsilon(sigma, rate, delta=1e-6):
    p, q = bell(sigma), (1 - rate) * bell(sigma) + rate * bell(sigma, 1)
    return finite_epsilon([(p, q), (q, p)], delta)


def mixture_epsilon(sigma, rate, members, delta=1e-5, amount=1):
    sigma = sigma / amount
    weights = binom.pmf(np.arange(members + 1), members, rate)

    def log_ratio(x):
        j = np.arange(members + 1)
        return np.log((weights * np.exp((j * x - j * j / 2) / sigma**2)).sum())

    def tail(x):
        return weights @ ndtr((np.arange(members + 1) - x) / sigma), ndtr(-x / sigma)

    def delta_of(epsilon):
        x = brentq(lambda x: log_ratio(x) - epsilon, -60, 60)
        q, p = tail(x)
        # The other direction rejects small outputs.
        y = brentq(lambda y: -log_ratio(y) - epsilon, -60, 60) if epsilon < -log_ratio(-60) else -60
        back = 1 - tail(y)[1] - math.exp(epsilon) * (1 - tail(y)[0])
        return max(q - math.exp(epsilon) * p, back)

    return brentq(lambda e: delta_of(e) - delta, 1e-3, 20)


def laplace_rho(epsilon=1.0):
    def ratio(a):
        terms = a / (2 * a - 1) * math.exp((a - 1) * epsilon) + (a - 1) / (2 * a - 1) * math.exp(-a * epsilon)
        return math.log(terms) / (a - 1) / a

    return -minimize_scalar(lambda t: -ratio(1 + math.exp(t)), bounds=(-8, 6), method="bounded").fun


def answers(flips, yes, people):
    """How many say yes of the people but one, of whom `yes` truly would."""
    return np.convolve(binom.pmf(np.arange(yes + 1), yes, 1 - flips),
                       binom.pmf(np.arange(people - yes), people - 1 - yes, flips))  # fmt: skip


def shuffled_epsilon(epsilon, people, delta=1e-5):
    flips, pairs = expit(-epsilon), []
    for yes in range(people):
        others = answers(flips, yes, people)
        low, high = np.append(others, 0), np.append(0, others)
        p, q = (1 - flips) * low + flips * high, flips * low + (1 - flips) * high
        pairs += [(p, q), (q, p)]
    return finite_epsilon(pairs, delta)


def repeated(epsilon, times):
    truth = expit(epsilon)
    k = np.arange(times + 1)
    return np.maximum(binom.pmf(k, times, truth) - binom.pmf(k, times, 1 - truth), 0).sum()


def regret_at_equal_noise(of_laplace):
    """Δ between Gaussian and Laplace noise of standard deviation 3, by integration over the output."""
    x, width = np.linspace(-60, 61, 6051, retstep=True)
    normal = [np.exp(-(((x - s) / 3) ** 2) / 2) / (3 * math.sqrt(2 * math.pi)) for s in (0, 1)]
    scale = 3 / math.sqrt(2)
    double = [np.exp(-np.abs(x - s) / scale) / (2 * scale) for s in (0, 1)]
    gain = bayes(*normal, width) - bayes(*double, width)
    return max(gain if of_laplace else -gain)


def regret_at_equal_delta(epsilon=1.0):
    sigma, scale = calibrated(bell, 1, 20, epsilon), calibrated(geometric, 0.9 / epsilon, 1.1 / epsilon, epsilon)
    return max(bayes(bell(sigma), bell(sigma, 1)) - bayes(geometric(scale), geometric(scale, 1)))


def bell_of_eight_counts(delta=1e-6):
    """The noise of each of eight counts, all of which one person changes by 1, for (1, δ): their sum tells all."""

    def excess(sigma):
        p, q = (np.fft.irfft(np.fft.rfft(bell(sigma, shift), 2**13) ** 8) for shift in (0, 1))
        return finite_delta(p, q, 1.0) - delta

    return spread(bell(brentq(excess, 5, 40, xtol=1e-9)))


def response_of_eight_counts(delta=1e-6):
    """The same with discrete Laplace noise: of each count only the sign of its loss is known."""

    def excess(scale):
        k, truth = np.arange(9), expit(1 / scale)
        return finite_delta(binom.pmf(k, 8, 1 - truth), binom.pmf(k, 8, truth), 1.0) - delta

    return spread(geometric(brentq(excess, 1, 20, xtol=1e-12)))


def laplace_of_crossing():
    """The δ at which Gaussian and Laplace noise of one standard deviation are both (1, δ)-DP, exactly."""

    def delta(deviation):
        return -math.expm1((1 - math.sqrt(2) / deviation) / 2)

    return delta(brentq(lambda d: gaussian_delta(1, d) - delta(d), 0.6, 1.41))


NUMBERS = {
    "Noise for a number": {
        "noise: discrete Laplace": lambda: f"{spread(geometric(calibrated(geometric, 0.9, 1.1))):.2f}",
        "noise: discrete Gaussian": lambda: f"{spread(bell(calibrated(bell, 1, 10))):.2f}",
        "advantage: discrete Laplace": lambda: f"{math.tanh(0.5 / calibrated(geometric, 0.9, 1.1)):.3f}",
        "advantage: discrete Gaussian": lambda: (
            f"{finite_delta(*(bell(calibrated(bell, 1, 10), s) for s in (0, 1)), 0):.3f}"
        ),
        "regret at equal (ε, δ)": lambda: f"{regret_at_equal_delta():.3f}",
        "regret, in hundredths": lambda: f"{100 * regret_at_equal_delta():.0f}",
        "regret at ε = ½": lambda: f"{100 * regret_at_equal_delta(0.5):.0f}",
        "regret at ε = 2": lambda: f"{100 * regret_at_equal_delta(2.0):.0f}",
        "eight counts: discrete Laplace": lambda: f"{response_of_eight_counts():.2f}",
        "eight counts: discrete Gaussian": lambda: f"{bell_of_eight_counts():.2f}",
        "crossing": lambda: f"{laplace_of_crossing():.3f}",
        "noise: Gaussian at equal advantage": lambda: f"{brentq(lambda s: 2 * ndtr(0.5 / s) - 1.25, 0.1, 9):.2f}",
        "noise: Laplace at equal advantage": lambda: f"{math.sqrt(2) * -0.5 / math.log(0.75):.2f}",
        "regret of Laplace noise": lambda: f"{regret_at_equal_noise(True):.3f}",
        "regret of Gaussian noise": lambda: f"{regret_at_equal_noise(False):.3f}",
    },
    "Gaussian noise": {
        "textbook": lambda: f"{math.sqrt(2 * math.log(125_000)) / 0.5:.4g}",
        "exact": lambda: f"{brentq(lambda s: gaussian_delta(0.5, s) - 1e-5, 1, 20):.4g}",
    },
    "Staircase noise": {
        "staircase": lambda: f"{staircase_advantage():.4g}",
        "Laplace": lambda: f"{-math.expm1(-0.5):.4g}",
    },
    "Discrete Gaussian noise": {
        "discrete": lambda: f"{finite_delta(bell(0.5), bell(0.5, 1), 0):.4g}",
        "continuous": lambda: f"{2 * ndtr(1.0) - 1:.4g}",
    },
    "Discrete Laplace noise": {"discrete": lambda: f"{finite_delta(geometric(1), geometric(1, 1), 0):.4g}"},
    "Randomized response": {
        "once": lambda: f"{repeated(0.5, 1):.4g}",
        "ten times": lambda: f"{repeated(0.5, 10):.4g}",
    },
    "Randomized response with k categories": {"ten": lambda: f"{(math.e - 1) / (math.e + 9):.4g}"},
    "Shuffled randomized response": {
        "alone": lambda: f"{math.log(math.exp(2) - 1e-5 * (1 + math.exp(2))):.4g}",
        "shuffled": lambda: f"{shuffled_epsilon(2, 100):.4g}",
    },
    "Exponential mechanism": {"two candidates": lambda: f"{expit(0.5) - expit(-0.5):.4g}"},
    "Permute-and-flip": {"ρ": lambda: f"{laplace_rho():.4g}"},
    "Group in a Poisson-sampled step": {
        "one": lambda: f"{mixture_epsilon(1, 0.1, 1):.4g}",
        "three": lambda: f"{mixture_epsilon(1, 0.1, 3):.4g}",
    },
    "Mixture of Gaussians with given weights": {
        "rarely much": lambda: f"{mixture_epsilon(1, 0.1, 1, amount=2):.4g}",
        "often little": lambda: f"{mixture_epsilon(1, 0.2, 1):.4g}",
    },
    "Poisson-sampled step, one example replaced": {"replaced": lambda: f"{replaced_epsilon(1, 0.1):.4g}"},
    "Poisson-sampled discrete Gaussian noise": {"discrete": lambda: f"{sampled_epsilon(2, 0.1):.4g}"},
    "Poisson-sampled discrete Laplace noise": {
        "removed": lambda: f"{math.log1p(0.1 * math.expm1(1)):.4g}",
        "added": lambda: f"{-math.log1p(0.1 * math.expm1(-1)):.4g}",
    },
    "Poisson-sampled Laplace noise": {"pure ε": lambda: f"{math.log1p(0.1 * math.expm1(1)):.4g}"},
    "The worst (ε, δ)-DP mechanism": {
        "worst": lambda: f"{1e-5 + (1 - 1e-5) * math.tanh(0.5):.4g}",
        "Gaussian": lambda: f"{2 * ndtr(0.5 / brentq(lambda s: gaussian_delta(1, s) - 1e-5, 1, 20)) - 1:.4g}",
    },
}


@pytest.mark.whole
@pytest.mark.parametrize(("title", "number"), [(title, number) for title, those in NUMBERS.items() for number in those])
def test_a_number_on_the_page_is_right(sections, title, number):
    assert re.search(rf"(?<![\d.]){re.escape(NUMBERS[title][number]())}(?!\d)", sections[title].text(separator=" "))


# Cells of the map, from closed forms of the profiles: R(π) = P(world)(1 − δ(log-odds)), at many priors.

ODDS = np.linspace(-4, 4, 80_001)


def mirrored(upper):
    """A profile at log-odds from its half over ε ≥ 0, where the pair is symmetric."""
    size = np.abs(ODDS)
    return np.where(ODDS >= 0, upper(size), 1 - np.exp(ODDS) + np.exp(np.minimum(ODDS, 0)) * upper(size))


def laplace(scale):
    return mirrored(lambda e: np.maximum(-np.expm1((e - 1 / scale) / 2), 0))


def response(epsilon):
    return mirrored(lambda e: np.maximum(expit(epsilon) - np.exp(e) * expit(-epsilon), 0))


def chosen(epsilon):
    return mirrored(lambda e: np.expm1((np.minimum(e, epsilon) - epsilon) / 2) ** 2 / -math.expm1(-epsilon))


def normal(sigma):
    return gaussian_deltas(ODDS, sigma)


def gaussian_deltas(e, sigma):
    return ndtr(0.5 / sigma - e * sigma) - np.exp(e) * ndtr(-0.5 / sigma - e * sigma)


def sampled(sigma, rate=0.3):
    """The worse direction of a step: a sample of the pair, and its reverse."""

    def removed(e):
        inside = (np.expm1(e) + rate) / rate
        seen = rate * gaussian_deltas(np.log(np.maximum(inside, 1e-300)), sigma)
        return np.where(inside > 0, seen, -np.expm1(e))

    return np.maximum(removed(ODDS), 1 - np.exp(ODDS) + np.exp(ODDS) * removed(-ODDS))


KNOWN = {
    "Gaussian noise": (normal, 0.2, 9),
    "Laplace noise": (laplace, 0.3, 5),
    "Discrete Laplace noise": (lambda b: response(1 / b), 0.3, 9),
    "Randomized response": (response, 0.1, 3),
    "Exponential mechanism": (chosen, 0.1, 3),
    "Permute-and-flip": (lambda e: laplace(1 / e), 0.1, 3),
    "One pass in fixed batches": (normal, 0.2, 9),
    "Poisson-sampled Gaussian step": (sampled, 0.2, 9),
}
AT_ZERO, AT_ONE = 40_000, 50_000  # places of the log-odds 0 and 1


@cache
def errors_at_equal(name, place, goal):
    profile, low, high = KNOWN[name]
    found = profile(brentq(lambda s: math.log(max(profile(s)[place], 1e-300) / goal), low, high, xtol=1e-14))
    return expit(-ODDS) * (1 - found)


@pytest.mark.whole
@pytest.mark.parametrize(("table", "place", "goal"), [(0, AT_ZERO, 0.25), (1, AT_ONE, 1e-5)])
def test_cells_of_the_map_are_right(sections, table, place, goal):
    cells = {cell.attributes["title"]: cell.text() for cell in sections["The map"].css("table")[table].css("td[title]")}
    for row, column in itertools.permutations(KNOWN, 2):
        regret = max(errors_at_equal(row, place, goal) - errors_at_equal(column, place, goal))
        shown = f"{100 * regret:.1f}" if regret >= 0.0005 else "·"
        assert cells[f"{column} in place of {row}"] == shown, (row, column, regret)


# The map in a browser.


def heights(d):
    """What a path of the map says of a trade-off function."""
    x, y = np.array(re.findall(r"[\d.]+", d), float).reshape(-1, 2).T
    return x / 150, 1 - y / 120


@pytest.mark.parametrize("screen", [{"width": 1280, "height": 800}, {"width": 390, "height": 664}])
def test_a_cell_that_is_pressed_shows_its_two_curves(new_page, site_url, screen):
    page = new_page(viewport=screen)
    page.goto(site_url + "book/mechanisms.html")
    first, second = page.locator(".dptutor-map").all()
    for table, shown, target in (
        (first, page.locator(".map-curves").first, {"advantage": 0.25}),
        (second, page.locator(".map-curves").last, {"epsilon": 1, "delta": 1e-5}),
    ):
        cell = table.get_by_title("Staircase noise in place of Gaussian noise", exact=True)
        cell.click()
        expect(shown).to_be_visible()
        box = shown.bounding_box()
        assert box["x"] >= 0 and box["y"] >= 0
        assert box["x"] + box["width"] <= screen["width"] and box["y"] + box["height"] <= screen["height"]
        for kind, mechanism in (("first", dp.Gaussian), ("second", dp.Staircase)):
            alpha, beta = heights(shown.locator(f"path.map-{kind}").get_attribute("d"))
            assert beta == approx(dp.calibrate(mechanism, **target).tradeoff(alpha), abs=5e-3)
        assert shown.locator("b").all_text_contents() == ["Gaussian noise", "Staircase noise"]
        number = cell.text_content()
        assert (f"{number} in 100" if number != "·" else "less than 0.05 in 100") in shown.text_content()
        page.keyboard.press("Escape")
        expect(shown).to_be_hidden()


def test_the_map_is_walked_by_keys(new_page, site_url):
    page = new_page()
    page.goto(site_url + "book/mechanisms.html")
    table, shown = page.locator(".dptutor-map").first, page.locator(".map-curves").first
    table.locator("td[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(shown).to_be_visible()
    focused = page.evaluate("document.activeElement.title")
    assert focused == "Discrete Gaussian noise in place of Staircase noise"
    assert shown.locator("b").all_text_contents() == focused.split(" in place of ")[::-1]
    assert table.locator("td[tabindex='0']").count() == 1
