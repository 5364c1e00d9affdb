"""The page "Your own run": what it shows is what the library says, however it is asked."""

import re

import numpy as np
import pytest
from conftest import approx
from playwright.sync_api import expect

import dptutor as dp
import guide
from dptutor.specification import read

ADDRESS = "book/your_run.html"
ROOT = ".dptutor-run"


@pytest.fixture
def run(site_url, new_page, same_page):
    """Opens the page at what is set, and waits until all is computed."""

    def opened(setting="", **options):
        page = new_page(**options) if options else same_page
        page.goto("about:blank")  # to another setting alone it would not be loaded anew
        page.goto(f"{site_url}{ADDRESS}#{setting}" if setting else site_url + ADDRESS)
        computed(page)
        return page

    return opened


def computed(page):
    expect(page.locator(".run-words")).to_have_attribute("aria-busy", "false")


def anew(page, act):
    """Does what leads to another question, if only after a moment, and waits for the answer."""
    before = page.get_attribute(ROOT, "data-job")
    act()
    expect(page.locator(ROOT)).not_to_have_attribute("data-job", before)
    computed(page)


def result(page):
    """What is known of both, and of the two together, with lists for arrays."""
    return page.evaluate(f"""() => {{
      const {{ result, question }} = document.querySelector('{ROOT}').run;
      const plain = (x) => (ArrayBuffer.isView(x) ? [...x] : x && typeof x === "object"
        ? Object.fromEntries(Object.entries(x).map(([k, v]) => [k, plain(v)])) : x === Infinity ? "inf" : x);
      return plain({{ ...result, look: question.look }});
    }}""")


def cell(page, row, side):
    return page.text_content(f"[data-row={row}] [data-of={side}]")


def agrees(answer, exact):
    """The page's answer and the library's, within both bounds."""
    value, bound = exact
    assert abs(answer["value"] - float(value)) <= answer["errorBound"] + float(bound) + 4e-16 * abs(float(value))


SETTINGS = [
    "A=dpsgd;0.6;1%;500&B=gaussian;1;1",
    "A=dpsgd;2;0.09%;1400000&B=dpsgd;3;0.09%;3400000",
    "A=laplace;2;10&B=response;0.5;4",
    "A=full;20;100+laplace;3;1&B=point;1;10^-5;1",
    "A=dpsgd;1;1%;3&B=gaussian;4;1+gaussian;3;2&look=20%;5%;10^-7;0.3",
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_numbers_are_the_librarys(run, setting):
    page = run(setting)
    found = result(page)
    look, made = found["look"], {}
    for side, its in found["answers"].items():
        made[side] = m = read(its["text"])
        agrees(its["epsilon"], m.epsilon(look["delta"], with_error=True))
        agrees(its["delta"], m.privacy_profile(look["epsilon"], with_error=True))
        agrees(its["missed"], m.tradeoff(look["fpr"], with_error=True))
        agrees(its["error"], m.bayes_error(look["prior"], with_error=True))
        assert its["advantage"]["value"] == approx(m.advantage, abs=its["advantage"]["errorBound"] + 1e-12)
        assert its["R"]["values"] == approx(m.bayes_error(np.linspace(0, 1, 201)), abs=2e-9)
    both, exact = found["both"], dp.compare(made["A"], made["B"])
    bound = both["errorBound"] + exact.divergence.error_bound + exact.reverse_divergence.error_bound
    assert both["divergence"] == approx(exact.divergence.value, abs=bound)
    assert both["reverseDivergence"] == approx(exact.reverse_divergence.value, abs=bound)


def test_what_is_drawn_is_the_curve(run):
    page = run("A=dpsgd;0.6;1%;500&B=laplace;1;1")
    drawn = result(page)["answers"]
    alphas = ((1 - np.cos(np.pi * np.arange(161) / 160)) / 2) ** 1.5
    for side, m in (("A", dp.DPSGD(0.6, 0.01, 500)), ("B", dp.Laplace(scale=1))):
        assert drawn[side]["f"]["values"] == approx(m.tradeoff(alphas), abs=1e-3)  # a third of a pixel
    for view in ("Bayes error", "Privacy profile"):
        page.click(f"{ROOT} >> text={view}")
        computed(page)
        assert page.locator(".run-left .run-curve").count() == 2
    found = result(page)
    profile = dp.Laplace(scale=1).privacy_profile(np.array(found["losses"]))
    assert found["answers"]["B"]["d"]["values"] == approx(profile, abs=1e-9)


def test_two_settings_typed_by_keyboard_alone(run):
    page = run("A=dpsgd;1;1%;1000")
    page.focus(".run-A [data-field=sigma]")
    for text in ("0.8", "256/60000", "2 340"):
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(text)
        page.keyboard.press("Tab")
        while page.evaluate("document.activeElement.className").startswith("run-found"):
            page.keyboard.press("Tab")
    page.locator("text=Compare with another").focus()
    page.keyboard.press("Enter")
    page.focus(".run-B [data-field=sigma]")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("1.3")
    computed(page)
    a, b = dp.DPSGD(0.8, 256 / 60000, 2340), dp.DPSGD(1.3, 256 / 60000, 2340)
    for side, m in (("A", a), ("B", b)):
        assert cell(page, "epsilon", side) == f"{m.epsilon(1e-5):.3f}"
        assert cell(page, "right", side) == f"{100 - 100 * m.bayes_error(0.5):.2f}%"
    assert cell(page, "regret", "A") == f"{100 * dp.delta_divergence(b, a).value:.1f}"
    assert "Choose B" in page.text_content(".run-words")


def test_a_question_mark_is_answered_and_the_answer_can_be_taken(run):
    page = run("A=dpsgd;?;1%;500&goalA=point;8;10^-5")
    sigma = dp.calibrate(lambda s: dp.DPSGD(s, 0.01, 500), epsilon=8, delta=1e-5).noise_multiplier
    found = page.locator(".run-A .run-found:visible")
    assert float(found.text_content().strip("= ")) == approx(sigma, rel=1e-4)
    found.click()
    computed(page)
    assert page.input_value(".run-A [data-field=sigma]") != "?"
    assert page.text_content("[data-epsilon=A]").startswith(("8.000", "7.999", "8.001"))


GOALS = {
    "advantage;0.2": lambda m: m.advantage - 0.2,
    "rates;5%;1%": lambda m: m.tradeoff(0.01) - 0.95,
    "belief;50%;90%;1%": lambda m: m.privacy_loss.sf(np.log(9), "Q") - 0.01,
}


@pytest.mark.parametrize("goal", GOALS)
def test_what_a_question_mark_may_have_to_meet(run, goal):
    page = run(f"A=gaussian;?;1&goalA={goal}")
    assert GOALS[goal](read(result(page)["answers"]["A"]["text"])) == approx(0, abs=1e-8)


def test_a_question_mark_can_be_typed(run):
    page = run("A=gaussian;1;1")
    page.fill(".run-A [data-field=sigma]", "?")
    computed(page)
    page.fill(".run-A .run-goal [data-field=epsilon]", "2")
    computed(page)
    found = float(page.text_content(".run-A .run-found:visible").strip("= "))
    assert dp.Gaussian(sigma=found).epsilon(1e-5) == approx(2, rel=1e-3)
    page.fill(".run-A [data-field=sigma]", "3")
    computed(page)
    assert "which is" in page.text_content(".run-goal")


PLATED = {name for members in guide.families().values() for name in members}
# Each kind that can be chosen for A, and the text of what it then is.
CHOSEN = f"""() => {{
  const kinds = [...document.querySelectorAll(".run-A select option")].map(({{ value }}) => value);
  return Object.fromEntries(kinds.map((kind) => {{
    const select = document.querySelector(".run-A select");
    select.value = kind;
    select.dispatchEvent(new Event("change"));
    return [kind, document.querySelector("{ROOT}").run.question.sides.A.text];
  }}));
}}"""


def test_every_mechanism_of_the_field_guide_can_be_chosen(run):
    offered = run("A=gaussian;1;1").evaluate(CHOSEN)
    assert {re.match(r"\w+", text)[0] for text in offered.values()} == PLATED, (
        "a plate in book/mechanisms.yaml goes with a line in KINDS of book/your_run.js"
    )


@pytest.mark.parametrize("name", sorted(PLATED))
def test_a_chosen_mechanism_has_its_numbers_or_its_line_of_python(run, capsys, name):
    page = run("A=gaussian;1;1&B=gaussian;2;1")
    kind = next(kind for kind, text in page.evaluate(CHOSEN).items() if text.startswith(f"{name}("))
    anew(page, lambda: page.select_option(".run-A .run-part > select", kind))
    made = read(page.evaluate(f"document.querySelector('{ROOT}').run.question.sides.A.text"))
    answer = result(page)["answers"]["A"]
    assert cell(page, "epsilon", "B") == f"{dp.Gaussian(sigma=2).epsilon(1e-5):.3f}"
    if "text" in answer:
        assert answer["epsilon"]["value"] in ("inf", approx(made.epsilon(1e-5), abs=1e-6))
        assert answer["advantage"]["value"] == approx(made.advantage, abs=1e-6)
        assert page.is_hidden(".run-A p.run-wrong")
        return
    exec(page.text_content(".run-A p.run-wrong code:visible"), {})
    assert float(capsys.readouterr().out) == approx(made.epsilon(1e-5), rel=1e-9)
    exec(page.evaluate(f"document.querySelector('{ROOT}').run.python()"), {})
    assert "Δ(first‖second)" in capsys.readouterr().out


def test_a_number_of_a_mechanism_that_only_python_has_is_asked_for_there(run, capsys):
    page = run("A=DiscreteGaussian;?;2&goalA=point;1;10^-5")
    exec(page.text_content(".run-A p.run-wrong code:visible"), {})
    sigma = dp.calibrate(lambda s: dp.DiscreteGaussian(s) ** 2, epsilon=1, delta=1e-5).factors[0][0].sigma
    assert f"{sigma:.6f}"[:-1] in capsys.readouterr().out
    assert page.locator(".run-left .run-curve").count() == 0
    page.fill(".run-A [data-field=sigma]", "2")
    page.fill(".run-A [data-field=count]", "?")
    expect(page.locator(".run-A .run-mistake")).to_have_text("times: This number must be given.")


def test_what_cannot_be_answered_leads_to_python(run):
    page = run("A=dpsgd;0.001;50%;9&B=gaussian;1;1")
    assert "Python" in page.text_content(".run-A .run-wrong:visible")
    assert cell(page, "epsilon", "B")
    assert not re.search("NaN|undefined", page.text_content(ROOT))


def test_choosing_by_keyboard_keeps_the_focus(run):
    page = run("A=gaussian;?;1")
    for select in (".run-A .run-part > select", ".run-A .run-goal select"):
        page.focus(select)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        assert page.evaluate(f"document.activeElement === document.querySelector('{select}')"), select
    assert not page.text_content(".run-words").count("100 of 100")


def test_one_alone_has_one_column(run):
    page = run("A=gaussian;1;1")
    assert page.is_hidden("[data-row=regret]")
    assert page.is_hidden("thead .run-B")
    assert "69 of 100 people." in page.text_content(".run-words")


def test_what_is_only_near_certain_is_shown_as_less(run):
    page = run("A=dpsgd;1;1%;1000000000&B=gaussian;1;1&look=50%;0.1%;10^-5;700")
    assert "all but fewer than 1 in a trillion people against A" in page.text_content(".run-words")
    shown = {row: cell(page, row, "A") for row in ("right", "advantage", "caught", "error", "delta")}
    assert shown["right"] == shown["caught"] == "> 99.99%"
    assert (shown["advantage"], shown["delta"]) == ("> 0.999", "> 0.99999")
    assert re.fullmatch(r"< 10[⁻⁰-⁹¹²³]+%", shown["error"])
    assert re.fullmatch(r"< 10[⁻⁰-⁹¹²³]+", cell(page, "delta", "B"))
    page = run("A=point;1;1;1&B=laplace;1;1&look=50%;0.1%;10^-5;2")  # these are certain
    assert "100 of 100" in page.text_content(".run-words")
    assert [cell(page, row, "A") for row in ("right", "advantage", "error")] == ["100.00%", "1.000", "0%"]
    assert cell(page, "delta", "B") == "0"


def test_one_law_typed_in_two_ways_is_equally_private(run):
    page = run("A=full;2;4&B=gaussian;1;1")
    assert "equally private" in page.text_content(".run-words")
    assert cell(page, "regret", "A").startswith("< 10⁻")


def test_a_wrong_number_in_the_table_empties_its_row_alone(run):
    page = run("A=dpsgd;1;1%;1000&B=gaussian;1;1")
    before = cell(page, "epsilon", "A")
    for row, text, says in (
        ("caught", "0", "more than 0"),
        ("error", "100%", "less than 1"),
        ("epsilon", "x", "not a"),
    ):
        page.fill(f"[data-row={row}] input", text)
        computed(page)
        assert says in page.text_content(f"[data-row={row}] .run-wrong")
        assert cell(page, row, "A") == cell(page, row, "B") == ""
    assert page.text_content("[data-epsilon=A]") == "–"
    page.fill(".run-A [data-field=steps]", "2000")
    computed(page)
    assert cell(page, "right", "A") == f"{100 - 100 * dp.DPSGD(1, 0.01, 2000).bayes_error(0.5):.2f}%"
    page.fill(".run-A [data-field=steps]", "1000")
    page.fill("[data-row=epsilon] input", "10^-5")
    computed(page)
    assert cell(page, "epsilon", "A") == before


def test_while_a_number_is_wrong_the_last_right_ones_stay_dimmed_and_below_is_why(run):
    page = run("A=dpsgd;1;1%;1000&B=gaussian;1;1")
    left, epsilon, why = (page.locator(each) for each in (".run-left", "[data-row=epsilon] td", ".run-A .run-mistake"))
    picture, numbers = left.inner_html(), epsilon.all_text_contents()
    for field, text, says in (
        ("sigma", "-1", "noise multiplier: This must be a positive number."),
        ("sigma", "one", "noise multiplier: This is not a number."),
        ("rate", "120%", "sampling rate: This must be more than 0 and at most 1, or 100%."),
        ("steps", "2.5", "steps: This must be a whole number. Did you mean 3?"),
        ("steps", "", "steps: This is not a number."),
    ):
        typed = page.locator(f".run-A [data-field={field}]")
        before = typed.input_value()
        typed.fill(text)
        expect(why).to_have_text(says)
        expect(typed).to_have_attribute("aria-invalid", "true")
        expect(typed).to_have_accessible_description(says)
        below = page.locator(".run-A .run-part").last.bounding_box()
        assert why.bounding_box()["y"] >= below["y"] + below["height"]
        expect(page.locator(".run-computing")).to_have_text("These are the earlier settings.")
        expect(page.locator(ROOT)).to_have_class(re.compile(r"\brun-late\b"))
        assert set(page.evaluate(DIM)) == {"0.35"}
        assert left.inner_html() == picture and epsilon.all_text_contents() == numbers
        expect(page.locator("[data-copy=sentence]")).to_be_disabled()
        typed.fill(before)
        expect(why).to_be_hidden()
        computed(page)
        assert left.inner_html() == picture and epsilon.all_text_contents() == numbers


def test_a_comma_is_never_taken_for_another(run):
    page = run("A=dpsgd;1;1%;1000")
    page.fill(".run-A [data-field=sigma]", "1,125")
    why = page.locator(".run-A .run-mistake")
    assert why.text_content() == "noise multiplier: Is this 1.125 or 1125? Write it without a comma."
    page.fill(".run-A [data-field=sigma]", "1,1")
    page.fill(".run-A [data-field=rate]", "0,001")
    page.fill(".run-A [data-field=steps]", "1,125")
    computed(page)
    assert cell(page, "epsilon", "A") == f"{dp.DPSGD(1.1, 0.001, 1125).epsilon(1e-5):.3f}"


@pytest.mark.parametrize(
    ("setting", "of"),
    [
        ("A=dpsgd;1;1%;?&goalA=point;8;10^-5", lambda n: dp.DPSGD(1, 0.01, n)),
        ("A=full;50;?&goalA=point;1;10^-5", lambda n: dp.DPSGD(50, 1, n)),
        ("A=laplace;10;?&goalA=point;2;10^-6", lambda n: dp.Laplace(scale=10) ** n),
        ("A=gaussian;20;?+laplace;1;1&goalA=point;3;10^-6", lambda n: dp.Gaussian(sigma=20) ** n @ dp.Laplace(scale=1)),
    ],
)
def test_how_often_is_asked_for(run, setting, of):
    page = run(setting)
    found = page.locator(".run-A .run-found:visible")
    most = int(found.text_content().strip("= ").replace("\u202f", ""))
    goal = result(page)["look"]["delta"], float(setting.split("point;")[1].split(";")[0])
    epsilons = [of(n).epsilon(float(setting.rsplit(";", 1)[1].replace("10^", "1e"))) for n in (most, most + 1)]
    assert epsilons[0] <= goal[1] < epsilons[1]
    found.click()
    computed(page)
    assert "?" not in page.input_value(".run-A [data-field=count], .run-A [data-field=steps]")


def test_a_sampling_rate_and_a_delta_are_asked_for(run):
    page = run("A=dpsgd;1;?;1000&B=point;1;?;2&goalA=point;8;10^-5&goalB=advantage;0.6")
    rate = dp.calibrate(lambda p: dp.DPSGD(1, p, 1000), epsilon=8, delta=1e-5, bracket=(1e-4, 1)).sampling_rate
    [made] = re.findall(r"ApproximateDP\(1, ([\d.e-]+)\)", result(page)["answers"]["B"]["text"])
    assert (dp.ApproximateDP(1, float(made)) ** 2).advantage == approx(0.6, rel=1e-9)
    shown = page.locator(".run-found:visible").all_text_contents()
    assert shown[0] == f"= {100 * rate:.5g}%"
    assert float(shown[1].strip("= ")) == approx(float(made), rel=1e-4)


def test_one_number_is_asked_for_and_it_must_be_reachable(run):
    page = run("A=dpsgd;?;1%;?&goalA=point;8;10^-5")
    assert "Only one number" in page.locator(".run-A .run-mistake").text_content()
    page = run("A=dpsgd;0.3;50%;?&goalA=point;0.1;10^-5")
    assert "No number in place of the" in page.locator(".run-A .run-mistake").text_content()
    page = run("A=dpsgd;1;1%;?&goalA=point;1;10^-5")
    numbers = page.locator("[data-of=A]").all_text_contents()
    page.fill(".run-goal [data-field=epsilon]", "0.001")
    expect(page.locator(".run-A .run-mistake")).to_have_text(re.compile("^No number in place of the"))
    assert page.locator("[data-of=A]").all_text_contents() == numbers
    page = run()
    page.fill("[data-row=epsilon] input", "?")
    assert page.locator("[data-row=epsilon] .run-wrong").text_content() == "This number must be given."


def test_a_tap_tells_the_bound_in_the_unit_of_the_number(run):
    page = run("A=gaussian;1;1&B=laplace;1;1", viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True)
    told = page.locator(".run-bound")
    page.tap("[data-row=right] [data-of=A]")
    said = re.fullmatch(r"A: ([\d.]+)%, ± .*%", told.text_content())
    assert float(said[1]) == approx(100 - 100 * dp.Gaussian(sigma=1).bayes_error(0.5), abs=1e-6)
    before = page.locator("[data-row=right]").bounding_box()
    assert 0 <= told.bounding_box()["y"] - before["y"] - before["height"] < 2
    page.tap("[data-row=regret] [data-of=A]")
    assert re.fullmatch(r"A: [\d.]+ points, ± .* points", told.text_content())
    page.tap("[data-row=regret] [data-of=A]")
    assert told.count() == 0
    page.tap("[data-row=epsilon] [data-of=B]")
    assert told.text_content().startswith("B: 0.99997999")
    page.tap("[aria-label='Remove B']")
    computed(page)
    assert told.count() == 0


def test_the_address_holds_everything(run):
    page = run(SETTINGS[-1] + "&view=d")
    first = page.text_content(".run-words"), page.text_content(".run-numbers")
    page.select_option(".run-B select", "laplace")
    page.click(".run-A >> text=another part")
    expect(page).to_have_url(re.compile("B=laplace"))
    computed(page)
    words, numbers = page.text_content(".run-words"), page.text_content(".run-numbers")
    assert (words, numbers) != first
    page.reload()
    computed(page)
    assert (page.text_content(".run-words"), page.text_content(".run-numbers")) == (words, numbers)
    assert page.get_attribute("[data-view=d]", "aria-pressed") == "true"


def test_the_program_that_is_copied_gives_the_same_digits(run, capsys):
    page = run("A=dpsgd;0.6;1%;500+laplace;5;2&B=full;20;30")
    program = page.evaluate(f"document.querySelector('{ROOT}').run.python()")
    exec(program, {})
    printed = capsys.readouterr().out
    for side, line in zip("AB", printed.splitlines(), strict=False):
        epsilon, advantage = map(float, line.split())
        assert cell(page, "epsilon", side) == f"{epsilon:.3f}"
        assert cell(page, "advantage", side) == f"{advantage:.3f}"
    assert "Δ" in printed or "diverge" in printed
    sentence = page.evaluate(f"document.querySelector('{ROOT}').run.sentence()")
    assert "Poisson sampling" in sentence
    assert cell(page, "epsilon", "A") in sentence


def test_a_handle_moves_its_number(run):
    page = run("A=gaussian;1;1&B=laplace;1;1")
    grip = page.locator(".run-left [data-handle=fpr]")
    grip.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    computed(page)
    assert page.input_value("[data-row=caught] input") == "10.1%"
    assert cell(page, "caught", "A") == f"{100 - 100 * dp.Gaussian(sigma=1).tradeoff(0.101):.2f}%"
    pill = page.locator(".run-right .run-pill").bounding_box()
    x, y = pill["x"] + pill["width"] / 2, pill["y"] + pill["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 80, y, steps=8)
    page.mouse.up()
    computed(page)
    prior = float(page.input_value("[data-row=error] input").rstrip("%")) / 100
    assert 0.15 < prior < 0.35
    assert cell(page, "error", "A") == f"{100 * dp.Gaussian(sigma=1).bayes_error(prior):.2f}%"


def test_a_pair_that_is_kept_is_offered_in_the_chapters(run, site_url):
    page = run(SETTINGS[0])
    page.click("[data-keep]")
    assert page.get_attribute("[data-keep]", "aria-pressed") == "true"
    for chapter, view in (("16_reports", "d"), ("05_bayesian_adversary", "R")):
        page.goto(f"{site_url}book/{chapter}.html")
        page.click("text=See it for your pair")
        computed(page)
        assert page.get_attribute(f"[data-view={view}]", "aria-pressed") == "true"
        assert cell(page, "epsilon", "B") == f"{dp.Gaussian(sigma=1).epsilon(1e-5):.3f}"
    page.click("[data-keep]")
    page.goto(f"{site_url}book/05_bayesian_adversary.html")
    assert page.locator(".my-pair").count() == 0


def test_the_last_chapter_ends_with_a_report_on_the_pair_that_is_kept(run, site_url):
    page = run(SETTINGS[0], reduced_motion="reduce")  # a tab of its own, since its clock is changed
    page.goto(f"{site_url}book/20_capstone.html")
    assert page.locator(".my-report").count() == 1
    assert page.locator(f"{ROOT}, script[src*='/run.js']").count() == 0
    page.goto(f"{site_url}{ADDRESS}#{SETTINGS[0]}")
    computed(page)
    page.click("[data-keep]")
    page.goto(f"{site_url}book/20_capstone.html")
    assert page.locator("script[src*='/run.js']").count() == 0  # nobody waits for it above
    page.locator(ROOT).scroll_into_view_if_needed()
    computed(page)
    assert cell(page, "epsilon", "B") == f"{dp.Gaussian(sigma=1).epsilon(1e-5):.3f}"
    page.clock.install()
    page.fill("[data-row=error] input", "30%")
    computed(page)
    page.clock.run_for(1000)
    assert not page.evaluate("location.hash")  # which belongs to the chapter's explorers
    page.evaluate("globalThis.print = () => {}")
    page.click("[data-copy=report]")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("h1:visible, h2:visible, [data-explorer]:visible, button:visible").count() == 0
    for part in (".run-title", ".run-A .run-part", ".run-left .run-curve", ".run-right .run-ruler", ".run-numbers"):
        assert page.locator(part).first.is_visible(), part
    assert f"{ADDRESS}#A=dpsgd;0.6" in page.text_content(".run-source")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == 1
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator("h2:visible").count() > 3


def test_programs_can_ask_too(run):
    page = run()
    found = page.evaluate("dptutor.compare('DPSGD(0.6, 0.01, 500)', 'Gaussian(1)')")
    exact = dp.compare(dp.DPSGD(0.6, 0.01, 500), dp.Gaussian(sigma=1))
    assert set(found) == {"divergence", "divergencePrior", "reverseDivergence", "reversePrior", "errorBound"}
    assert found["divergence"] == approx(exact.divergence.value, abs=found["errorBound"] + exact.divergence.error_bound)
    assert found["reverseDivergence"] == approx(
        exact.reverse_divergence.value, abs=found["errorBound"] + exact.reverse_divergence.error_bound
    )


# A worker that keeps its answers until it is told to give them.
LATE = """
  const Real = Worker, held = [];
  let late = false;
  globalThis.Worker = class {
    constructor(address) {
      this.real = new Real(address);
      this.real.onmessage = ({ data }) => (late ? held.push(() => this.onmessage({ data })) : this.onmessage({ data }));
    }
    postMessage(data) { this.real.postMessage(data); }
  };
  globalThis.hold = () => { late = true; };
  globalThis.give = () => { late = false; for (const one of held.splice(0)) one(); };
  globalThis.giveOne = async () => {
    while (!held.length) await new Promise(requestAnimationFrame);
    held.shift()();
  };
  globalThis.used = [];
  navigator.clipboard.writeText = async (text) => { used.push(text); };
  globalThis.print = () => used.push("printed");
"""


@pytest.fixture
def late(new_page, site_url):
    """The page at what is set, where a link led, with a worker that from then on answers late."""

    def opened(setting, **options):
        page = new_page(**options)
        page.add_init_script(LATE)
        page.goto(f"{site_url}{ADDRESS}#{SETTINGS[2]}")
        computed(page)
        anew(page, lambda: page.evaluate("hash => { location.hash = hash; }", setting))
        page.evaluate("hold()")
        return page

    return opened


OLD = "A=dpsgd;1;1%;100&B=gaussian;?;1&goalB=point;1;10^-5"
ROADS = {
    "typed": lambda page: page.fill(".run-A [data-field=sigma]", "0.05"),
    "three typed": lambda page: [page.fill(f".run-A [data-field={name}]", text)
                                 for name, text in (("sigma", "0.05"), ("rate", "0.1"), ("steps", "200"))],
    "in the table": lambda page: page.fill("[data-row=epsilon] input", "10^-7"),
    "a grip": lambda page: page.locator(".run-left [role=slider]").press("PageUp"),
    "an example": lambda page: page.click(".run-examples a >> nth=1"),
    "an address": lambda page: page.evaluate("location.hash = 'A=laplace;1;3'"),
    "Back": lambda page: page.go_back(),
    "another kind": lambda page: page.select_option(".run-A select", "laplace"),
    "another part": lambda page: page.click(".run-A >> text=another part"),
    "one alone": lambda page: page.click("[aria-label='Remove B']"),
    "calibrated": lambda page: page.fill(".run-A [data-field=sigma]", "?"),
    "another target": lambda page: page.fill(".run-B .run-goal [data-field=epsilon]", "2"),
    "another kind of target": lambda page: page.select_option(".run-B .run-goal select", "advantage"),
    "found": lambda page: page.click(".run-B .run-found"),
    "another picture": lambda page: page.click("[data-view=R]"),
}  # fmt: skip

# The texts that are seen, but for those that are marked as waiting.
TEXTS = f"""() => {{
  const walker = document.createTreeWalker(document.querySelector("{ROOT}"), NodeFilter.SHOW_TEXT), seen = [];
  while (walker.nextNode()) {{
    const {{ data, parentElement: place }} = walker.currentNode;
    if (place.checkVisibility() && !place.closest("[aria-busy=true], .run-computing")) seen.push(data);
  }}
  return seen;
}}"""
DIM = f"""[...document.querySelectorAll("{ROOT} [aria-busy=true]")]
  .filter((part) => part.checkVisibility()).map((part) => getComputedStyle(part).opacity)"""


@pytest.mark.cases(3)
@pytest.mark.parametrize("road", ROADS)
def test_an_answer_to_earlier_settings_is_dimmed_marked_and_of_no_use(late, road):
    page = late(OLD)
    ROADS[road](page)
    expect(page.locator(".run-computing")).to_have_text(re.compile("^Computing.*…$"))
    expect(page.locator(".run-computing")).to_be_visible()
    assert 0 < max(map(float, page.evaluate(DIM))) < 0.5
    seen = page.evaluate(TEXTS)
    for what in ("[data-keep]", "[data-copy=link]", "[data-copy=python]", "[data-copy=sentence]", "[data-copy=report]"):
        button = page.locator(f".run-tools {what}")
        expect(button).to_be_disabled()
        button.press("Enter")
        button.dispatch_event("click")
    before = page.evaluate(f"document.querySelector('{ROOT}').run.address()")
    for found in page.locator(".run-found:visible").all():
        found.dispatch_event("click")
    assert page.evaluate(f"document.querySelector('{ROOT}').run.address()") == before
    assert page.evaluate("[used, localStorage.getItem('dptutor-pair')]") == [[], None]
    assert page.text_content(".run-said") == ""
    page.keyboard.press("ControlOrMeta+A")
    assert "right for" not in page.evaluate("String(getSelection())")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".run-computing")).to_be_visible()
    assert not page.evaluate(DIM)
    assert page.locator(":is(.run-numbers, .run-source):visible").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert 0 < max(map(float, page.evaluate(DIM))) < 0.5
    page.evaluate("give()")
    computed(page)
    assert set(seen) <= set(page.evaluate(TEXTS))
    expect(page.locator(".run-computing")).to_be_hidden()
    assert not page.locator(f"{ROOT} [aria-busy=true], {ROOT} [aria-disabled=true]").count()
    page.click("[data-copy=sentence]")
    expect(page.locator(".run-said")).to_have_text("The sentence is copied.")


def test_before_the_first_answer_there_is_nothing_to_use(new_page, site_url):
    page = new_page()
    page.add_init_script(f"{LATE}; hold();")
    page.goto(f"{site_url}{ADDRESS}#{OLD}")
    expect(page.locator(".run-words")).to_have_attribute("aria-busy", "true")
    for button in page.locator(".run-tools button").all():
        button.dispatch_event("click")
    assert page.evaluate("[used, localStorage.getItem('dptutor-pair')]") == [[], None]
    expect(page.locator(".run-computing")).to_have_text("Computing A and the “?” of B …")
    page.evaluate("give()")
    computed(page)


def test_the_sentence_that_is_copied_is_of_what_is_typed(late):
    page = late("A=dpsgd;1;1%;100")
    ROADS["three typed"](page)
    page.locator("[data-copy=sentence]").press("Enter")
    page.evaluate("give()")
    page.click("[data-copy=sentence]")  # once it can be pressed
    [said] = page.evaluate("used")
    assert f"({dp.DPSGD(0.05, 0.1, 200).epsilon(1e-5):,.1f}, 10⁻⁵)-DP".replace(",", "\u202f", 1) in said


def test_an_answer_to_what_was_typed_before_is_not_taken(late):
    page = late("A=gaussian;1;1")
    before = cell(page, "epsilon", "A")
    page.fill(".run-A [data-field=sigma]", "2")
    page.fill(".run-A [data-field=sigma]", "3")
    page.evaluate("giveOne()")  # that to 2
    expect(page.locator(".run-words")).to_have_attribute("aria-busy", "true")
    assert cell(page, "epsilon", "A") == before
    page.evaluate("give()")
    computed(page)
    assert cell(page, "epsilon", "A") == f"{dp.Gaussian(sigma=3).epsilon(1e-5):.3f}"


def test_a_copy_that_ends_late_says_nothing_of_other_settings(late):
    page = late("A=gaussian;1;1")
    page.evaluate("""() => {
      navigator.clipboard.writeText = () => new Promise((_, no) => { globalThis.refuse = no; });
    }""")
    page.click("[data-copy=sentence]")
    page.fill(".run-A [data-field=sigma]", "2")
    page.evaluate("refuse()")
    assert page.text_content(".run-said") == ""


def test_without_a_worker_the_page_says_that_it_computes_before_it_does(new_page, site_url):
    page = new_page()
    page.add_init_script("""
      delete globalThis.Worker;
      globalThis.frames = [];
      const frame = () => {
        const busy = document.querySelector(".run-late .run-words[aria-busy=true]");
        if (busy) frames.push(busy.textContent);
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    """)
    page.goto(f"{site_url}{ADDRESS}#A=gaussian;1;1")
    computed(page)
    words = page.text_content(".run-words")
    page.evaluate("globalThis.frames.length = 0")
    page.fill(".run-A [data-field=sigma]", "2")
    computed(page)
    assert page.text_content(".run-words") != words
    assert set(page.evaluate("globalThis.frames")) == {words}


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", range(4))
def test_the_examples_are_answered(run, name):
    page = run()
    link = page.locator(".run-examples a").nth(name)
    anew(page, link.click)
    for side in "AB":
        assert cell(page, "epsilon", side)
        assert cell(page, "regret", side)
    assert page.locator(".run-words b").count() >= 3
    assert not re.search(r"NaN|undefined|Infinity|∞", page.text_content(ROOT))


@pytest.mark.parametrize(
    "screen", [{"width": 390, "height": 664}, {"width": 820, "height": 1180}, {"width": 1280, "height": 800}]
)
@pytest.mark.parametrize("setting", [SETTINGS[0], SETTINGS[3], "A=dpsgd;?;1%;500&goalA=belief;50%;90%;1%"])
def test_nothing_sticks_out_and_no_letter_is_small(run, screen, setting):
    page = run(setting, viewport=screen, color_scheme="dark" if screen["width"] == 390 else "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= screen["width"]
    sizes = page.evaluate(f"""() => [...document.querySelectorAll(`{ROOT} :is(text, input, td, th)`)]
      .filter((e) => e.textContent || e.value)
      .map((e) => parseFloat(getComputedStyle(e).fontSize) * (e.ownerSVGElement?.getScreenCTM().a ?? 1))""")
    assert min(sizes) >= 11.9
    if screen["width"] == 1280 and setting == SETTINGS[0]:
        assert page.locator(".run-words").bounding_box()["y"] + 60 <= screen["height"]  # one screen


def test_a_phones_first_screen_has_both_settings_a_picture_and_the_regret(run):
    page = run(SETTINGS[1], viewport={"width": 390, "height": 664})
    glance, picture = page.locator(".run-glance"), page.locator(".run-left")
    assert re.fullmatch(r"[\d.]+ points regret of choosing [AB]", glance.text_content())
    for shown in (glance, picture):
        assert shown.bounding_box()["y"] + shown.bounding_box()["height"] <= 664
    words = page.text_content(".run-words")
    assert "points" in words
    assert " in a " not in words
    assert "right guess in 100" in page.text_content("[data-row=regret]")


def test_on_a_phone_a_tap_exchanges_the_large_picture_and_the_small(run):
    page = run(SETTINGS[0], viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True)
    widths = (
        "() => ['left', 'right'].map((side) => document.querySelector(`.run-${side}`).getBoundingClientRect().width)"
    )
    left, right = page.evaluate(widths)
    assert left > 2 * right
    page.tap(".run-glance")
    assert page.evaluate(widths) == [right, left]
    assert page.text_content(".run-glance") == "Trade-off"
    assert page.locator(".run-tabs [aria-pressed=true]").count() == 0
    assert "better" in page.text_content(".run-right .run-corner")
    before = page.text_content(".run-words")
    box = page.locator(".run-right .run-pill").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y, steps=4)
    page.mouse.up()
    computed(page)
    assert page.input_value("[data-field=prior]") != "50%"
    assert page.text_content(".run-words") == before
    page.tap("[data-view=R]")
    computed(page)
    assert page.evaluate(widths) == [left, right]
    page.tap("[aria-label='Remove B']")
    computed(page)
    assert not page.locator(".run-glance").is_visible()
    assert page.evaluate(widths)[0] > left + 100


def test_the_sentence_can_stand_in_a_paper(run):
    page = run(SETTINGS[0])
    a, b = dp.DPSGD(0.6, 0.01, 500), dp.Gaussian(sigma=1)
    sentence = page.evaluate(f"document.querySelector('{ROOT}').run.sentence()")
    assert sentence == (
        "We train with DP-SGD (noise multiplier 0.6, Poisson sampling rate 1%, 500 steps; add-or-remove-one "
        f"adjacency), which is ({a.epsilon(1e-5):.3f}, 10⁻⁵)-DP; its membership advantage is {a.advantage:.4f}. "
        f"The alternative, Gaussian noise (σ = 1), is ({b.epsilon(1e-5):.3f}, 10⁻⁵)-DP; its membership advantage is "
        f"{b.advantage:.4f}. Choosing ours over the alternative raises no adversary's success by more than 3.1·10⁻⁵, "
        f"and the alternative over ours by more than {dp.delta_divergence(a, b).value:.4f} "
        "(Δ-divergences between the two, in probability)."
    )
    assert dp.delta_divergence(b, a).value == approx(3.1e-5, abs=0.05e-5)


def test_printed_it_is_a_report(run):
    page = run(SETTINGS[0], color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("button:visible, nav:visible, h2:visible").count() == 0
    for part in (".run-A .run-part", ".run-words", ".run-left .run-curve", ".run-right .run-ruler", ".run-numbers"):
        assert page.locator(part).first.is_visible(), part
    assert page.url in page.text_content(".run-source")
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')").strip() == "#fff"
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == 1
    assert cell(page, "epsilon", "A") == f"{dp.DPSGD(0.6, 0.01, 500).epsilon(1e-5):.3f}"


def test_it_works_from_a_folder(site, new_page):
    page = new_page()
    page.goto(f"{(site / ADDRESS).as_uri()}#{SETTINGS[0]}")
    computed(page)
    assert cell(page, "epsilon", "A") == f"{dp.DPSGD(0.6, 0.01, 500).epsilon(1e-5):.3f}"


def test_it_is_light(site):
    import gzip

    assert len(gzip.compress((site / "_static" / "run.js").read_bytes())) < 60_000
