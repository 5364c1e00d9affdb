"""Explorers in JupyterLab: dragged beside `interact` and `plt.show()`, set from Python, with a busy kernel."""

import itertools
import re
from pathlib import Path

import drag
import pytest
from conftest import watched_page
from playwright.sync_api import expect
from test_explore_browser import OVERLAPS, SMALLEST, settled

import dptutor as dp

questions = itertools.count(1)


@pytest.fixture
def opened(new_page, jupyterlab, request):
    """opened(*cells) -> a page on a notebook of these cells, run, its first explorer shown."""

    def run(*cells, ready="[data-explorer]"):
        name = f"{request.node.name.split('[')[0]}.ipynb"
        (jupyterlab.folder / name).write_text(drag.notebook(*cells))
        page = new_page(strict=False, viewport={"width": 1280, "height": 1400})
        drag.open_and_run(page, jupyterlab.url(name), ready)
        return page

    return run


def shows(page, e, timeout=60_000):
    # The words are there before the script is: what is awake has been drawn.
    page.wait_for_function(
        "([words, readouts]) => document.querySelector('[data-explorer]')?.explorer?.drawn && words =="
        " document.querySelector('.dpe-words').textContent.replaceAll('\\u02dc', '\\u0303') &&"
        " Object.entries(readouts).every(([n, t]) => document.querySelector(`[data-readout=${n}]`).textContent === t)",
        arg=[e.words, e.shown],
        timeout=timeout,
    )


def run_last_cell(page, code):
    page.locator(".jp-CodeCell").last.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type(code)
    page.keyboard.press("Control+Enter")


def ask(page, code):
    """What a line of Python prints in the kernel of the notebook: its last cell is rewritten and run."""
    mark = f"=> {next(questions)}:"
    run_last_cell(page, f"print('{mark}', {code})")
    answer = page.locator(".jp-CodeCell").last.locator(".jp-OutputArea-output", has_text=mark)
    answer.wait_for()
    return answer.inner_text().split(mark)[1].strip()


def rests(page):
    """Where the mouse passes a slider, its line is asked for: until nothing is awaited of the kernel."""
    page.wait_for_function("""() => {
      const { open, next, filling } = document.querySelector("[data-explorer]").explorer.tables;
      return !open && !next && !filling;
    }""")


def knows(page, code, wanted):
    """Asks the kernel until it has heard of the last move."""
    for _ in range(20):
        if (said := ask(page, code)) == wanted:
            return
    assert said == wanted


@pytest.fixture(scope="module")
def laptop(chromium, jupyterlab):
    """A notebook of one cell on a small laptop."""
    page = watched_page(chromium, viewport={"width": 1366, "height": 768})
    (jupyterlab.folder / "laptop.ipynb").write_text(drag.notebook("import dptutor as dp\ndp.explore.duel()"))
    drag.open_and_run(page, jupyterlab.url("laptop.ipynb"), "[data-explorer=duel]")
    yield page
    page.context.close()


# How far an explorer reaches down to the last of what moves it, and how much of a notebook is on the screen.
HEIGHTS = """() => {
  const explorer = document.querySelector("[data-explorer]"), { top } = explorer.getBoundingClientRect();
  const moving = [...explorer.querySelectorAll(".dpe-words, .dpe-ask, .dpe-controls > *")];
  const bottoms = moving.filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect().bottom);
  return [Math.max(...bottoms) - top, document.querySelector(".jp-WindowedPanel-outer").clientHeight];
}"""


@pytest.mark.look
@pytest.mark.parametrize("name", dp.explore.__all__)
def test_an_explorer_in_a_notebook_fits_a_laptop_and_its_words_can_be_read(laptop, name):
    run_last_cell(laptop, f"dp.explore.{name}()")
    laptop.wait_for_selector(f"[data-explorer={name}][data-drawn]")
    for _ in range(2):  # asked for a prediction, and then with all that there is
        settled(laptop)
        assert laptop.evaluate(OVERLAPS) == []
        smallest, said = laptop.evaluate(SMALLEST)
        assert smallest >= 12, said
        height, seen = laptop.evaluate(HEIGHTS)
        assert height <= seen
        if not laptop.is_visible("[data-ask-skip]"):
            break
        laptop.locator("[data-ask-skip]").click()


# The texts of an explorer that its cell's output cuts off, at the left or at the right.
CUT = """() => {
  const { left, right } = document.querySelector(".jp-OutputArea-output:has([data-explorer])").getBoundingClientRect();
  return [...document.querySelectorAll("[data-explorer] :is(.dpe-main text, .dpe-words, .dpe-find)")]
    .map((e) => [e.textContent, e.getBoundingClientRect()])
    .filter(([, box]) => box.width && (box.left < left || box.right > right))
    .map(([text]) => text);
}"""


@pytest.mark.look
@pytest.mark.parametrize("name", ["any_attack", "batches", "reports"])
def test_nothing_of_an_explorer_is_cut_off_in_a_narrow_notebook(new_page, jupyterlab, name):
    page = new_page(strict=False, viewport={"width": 390, "height": 664})
    (jupyterlab.folder / "narrow.ipynb").write_text(drag.notebook(f"import dptutor as dp\ndp.explore.{name}()"))
    page.goto(jupyterlab.url("narrow.ipynb"))
    page.locator(".jp-Notebook .jp-CodeCell").wait_for()
    page.keyboard.press("Control+b")  # the list of files is as wide as the window
    page.get_by_text("| Idle").wait_for(timeout=60_000)
    page.locator(".jp-CodeCell .cm-content").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("[data-explorer][data-drawn]", timeout=60_000)
    page.locator("[data-ask-skip]").click()
    settled(page)
    assert page.evaluate(CUT) == []


@pytest.fixture(scope="module")
def notebook(chromium, jupyterlab):
    page = watched_page(chromium, viewport={"width": 1280, "height": 1400})
    cells = "import dptutor as dp\ne = dp.explore.delta_divergence()\ne", "print('=> none')"
    (jupyterlab.folder / "delta_divergence.ipynb").write_text(drag.notebook(*cells))
    drag.open_and_run(page, jupyterlab.url("delta_divergence.ipynb"), "[data-explorer]")
    yield page
    page.context.close()


@pytest.fixture
def explored(notebook):
    """A page on a notebook that several tests share: e is the Δ-divergence's explorer, as it is at first."""
    assert ask(notebook, "e.reset()") == "None"
    shows(notebook, dp.explore.delta_divergence())
    rests(notebook)
    return notebook


def test_sliders_and_python_move_each_other(explored):
    page = explored
    assert ask(page, "e.set(sigma=2.35, prior=0.567)") == "None"
    e = dp.explore.delta_divergence(sigma=2.35, prior=0.567)  # between two steps of the sliders
    shows(page, e)
    slider = page.locator("input[type=range][data-parameter=sigma]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    sigma = page.evaluate("document.querySelector('[data-explorer]').explorer.values[0]")
    e.set(sigma=sigma)
    shows(page, e)
    knows(page, "e.parameters['sigma'].value", str(sigma))


@pytest.mark.host
def test_a_drag_is_answered_from_memory(explored):
    page, e = explored, dp.explore.delta_divergence()
    page.evaluate("""() => {
      const { model } = document.querySelector("[data-explorer]").explorer.tables, send = model.send.bind(model);
      globalThis.sent = 0;
      model.send = (...message) => { sent += 1; return send(...message); };
    }""")
    page.focus("input[type=range][data-parameter=sigma]")
    rests(page)
    before = page.evaluate("sent")
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    e.set(sigma=page.evaluate("document.querySelector('[data-explorer]').explorer.values[0]"))
    shows(page, e)
    assert e.setting["sigma"] != dp.explore.delta_divergence().setting["sigma"]
    assert page.evaluate("sent") == before


@pytest.mark.host
def test_a_typed_number_is_taken_exactly_and_whole_where_numbers_are_whole(explored, opened):
    explored.fill("[data-typed=sigma]", "2.2345")
    explored.keyboard.press("Enter")
    shows(explored, dp.explore.delta_divergence(sigma=2.2345))
    knows(explored, "e.setting['sigma']", "2.2345")
    page, e = opened("import dptutor as dp\ne = dp.explore.envelope()\ne", "print('=> none')"), dp.explore.envelope()
    shows(page, e)
    page.fill("[data-typed=k]", "3.4")
    page.keyboard.press("Enter")
    e.set(k=3)
    shows(page, e)
    knows(page, "e.setting['k']", "3")


@pytest.mark.host
def test_a_game_is_played_in_a_notebook_and_python_knows_the_score(opened):
    page = opened("import dptutor as dp\ne = dp.explore.be_the_adversary()\ne", "print('=> none')")
    e = dp.explore.be_the_adversary()
    shows(page, e)
    page.focus("[data-game=start]")
    page.keyboard.press("Enter")
    explorer = "document.querySelector('[data-explorer]').explorer"
    for played in range(1, 6):
        page.wait_for_function(f"{explorer}.drawn.every((v, place) => v === {explorer}.values[place])")
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            f"{explorer}.game.count.textContent === 'Round {played + 1} of 30' && {explorer}.drawn.every((v, place) =>"
            f" v === {explorer}.values[place])",
            polling=50,
            timeout=15_000,
        )
        e.set(
            **page.evaluate(
                f"Object.fromEntries({explorer}.manifest.parameters.map((p, i) => [p.name, {explorer}.values[i]]))"
            )
        )
        shows(page, e)
    assert e.setting["missed"].startswith("0 of")
    knows(page, "e.setting['accused'], e.setting['missed']", f"{e.setting['accused']} {e.setting['missed']}")


@pytest.mark.host
def test_draws_fall_in_a_notebook_and_are_counted_again_where_the_threshold_goes(opened):
    page = opened("import dptutor as dp\ne = dp.explore.threshold_test()\ne", "print('=> none')")
    shows(page, dp.explore.threshold_test())
    page.click("[data-samples=play]")
    said = "document.querySelector('.dpe-words').textContent"
    for threshold in (0.8, -1.0):
        exact = dp.explore.threshold_test(threshold=threshold).shown["alpha"]
        if threshold != 0.8:
            ask(page, f"e.set(threshold={threshold}) or 1")
        page.wait_for_function(f"{said}.startsWith('Simulated: of 1000 draws') && {said}.includes('long run: {exact}')")


# Between the steps of the sliders, so that the page cannot have them yet.
FAR, FARTHER = {"sigma": 2.345, "scale": 1.234, "prior": 0.567}, {"sigma": 1.357, "scale": 2.468, "prior": 0.321}
SET_ALL = "s => document.querySelector('[data-explorer]').explorer.setAll(s)"


@pytest.mark.host
def test_the_echo_of_an_earlier_move_does_not_undo_a_later_one(explored):
    page = explored
    page.evaluate(SET_ALL, {"sigma": 3})
    knows(page, "e.setting['sigma']", "3.0")
    page.evaluate("""() => {
      const x = document.querySelector("[data-explorer]").explorer;
      x.setAll({sigma: 2});
      x.tables.model.set("sigma", 3); // its echo, late
    }""")
    rests(page)
    shows(page, dp.explore.delta_divergence(sigma=2))
    knows(page, "e.setting['sigma']", "2.0")


@pytest.mark.host
def test_a_lost_question_is_asked_again(explored):
    page = explored
    page.evaluate("""() => {
      const x = document.querySelector("[data-explorer]").explorer;
      const { model } = x.tables, send = model.send.bind(model);
      model.send = (question) => { x.lost = question; model.send = send; }; // the next question goes nowhere
      x.setAll({sigma: 3, scale: 3, prior: 0.7});
    }""")
    page.get_by_text("Waiting for the kernel…").wait_for()
    shows(page, dp.explore.delta_divergence(sigma=3, scale=3, prior=0.7))
    assert page.evaluate("document.querySelector('[data-explorer]').explorer.lost.setting.sigma") == 3
    page.locator(".dpe-status").wait_for(state="hidden")


RESIDENT = "int(open('/proc/self/statm').read().split()[1]) * 4096 // 2**20"


@pytest.mark.host
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_two_thousand_events_leave_nothing_behind(explored):
    def drag(events):
        """So many settings, a few a frame; then the last of them is shown."""
        explored.evaluate(
            """async events => {
              const x = document.querySelector('[data-explorer]').explorer, parameters = x.manifest.parameters;
              for (let k = 0; k < events; k++) {
                const place = k % parameters.length, { values } = parameters[place];
                x.set(place, values[(7 * k) % values.length]);
                if (k % 5 === 4) await new Promise(requestAnimationFrame);
              }
              x.setAll(Object.fromEntries(parameters.map((p) => [p.name, p.start])));
            }""",
            events,
        )
        shows(explored, dp.explore.delta_divergence())
        rests(explored)

    drag(1000)  # caches fill at first
    resident = int(ask(explored, RESIDENT))
    drag(2000)
    assert int(ask(explored, RESIDENT)) - resident < 80
    assert ask(explored, "__import__('matplotlib.pyplot').pyplot.get_fignums()") == "[]"
    rests(explored)
    most = "Math.max(...document.querySelector('[data-explorer]').explorer.tables.rows.map((rows) => rows.size))"
    assert explored.evaluate(most) <= 4096


BROKEN = """import dptutor as dp
from dptutor.explore.machinery import BLUE, Explorer, Slider
broken = Explorer("broken", title="t", caption="c", find="f",
                  parameters={"sigma": Slider(1.0, 3.0, 1.0, "noise", step=1.0)})
@broken.panel("p", xlabel="x", ylabel="y")
def panel(axes): pass
@panel.curve(BLUE)
def line(sigma):
    if sigma == 3: raise ValueError("three is too much")
    return [0, 1], [0, sigma / 3]
broken()"""


@pytest.mark.host
def test_an_error_is_told_in_one_line(opened):
    page = opened(BROKEN)
    page.focus("input[type=range]")
    page.keyboard.press("End")
    page.get_by_text("At sigma = 3: ValueError: three is too much").wait_for(timeout=15_000)
    page.keyboard.press("Home")
    page.locator(".dpe-status").wait_for(state="hidden")


@pytest.mark.host
def test_a_busy_kernel_answers_at_last(explored):  # at once, where JupyterLab gives comms a subshell
    run_last_cell(explored, "__import__('time').sleep(5)")
    explored.get_by_text("| Busy").wait_for()
    explored.evaluate(SET_ALL, FAR)
    shows(explored, dp.explore.delta_divergence(**FAR))
    explored.locator(".dpe-status").wait_for(state="hidden")


@pytest.fixture
def without_subshells(new_page, jupyterlab):
    """JupyterLab sends the messages of explorers to where cells run, as all hosts do for older kernels."""
    settings = f"{jupyterlab.address}lab/api/settings/@jupyterlab/apputils-extension:kernels-settings"
    put = new_page(strict=False).request.put
    assert put(settings, data={"raw": '{"commsOverSubshells": "disabled"}'}).ok
    yield
    assert put(settings, data={"raw": "{}"}).ok


@pytest.mark.host
def test_while_the_kernel_is_busy_an_explorer_says_so_and_shows_nothing_old_as_new(without_subshells, opened):
    page = opened("import dptutor as dp\ndp.explore.delta_divergence()", "print('=> none')")
    shows(page, dp.explore.delta_divergence())
    root, status = page.locator("[data-explorer]"), page.locator(".dpe-status")
    run_last_cell(page, "__import__('time').sleep(10**6)")
    page.get_by_text("| Busy").wait_for()
    page.evaluate(SET_ALL, FARTHER)
    page.evaluate("document.querySelector('[data-explorer]').explorer.stepTo(2)")
    expect(status).to_have_text("The kernel is busy. The picture follows when it is done.")
    expect(page.locator(".dpe-panels")).to_have_attribute("aria-busy", "true")
    expect(page.locator(".dpe-story")).to_have_css("visibility", "hidden")
    for old in (".dpe-panels", ".dpe-words"):
        expect(page.locator(old)).to_have_css("opacity", "0.3")
    page.evaluate(SET_ALL, FAR)
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name="Interrupt Kernel").click()
    shows(page, dp.explore.delta_divergence(**FAR))
    expect(status).to_be_hidden()
    expect(root).not_to_have_class(re.compile("dpe-lagging"))


@pytest.mark.host
def test_an_explorer_whose_script_came_late_hears_the_kernel(new_page, jupyterlab):
    page = new_page(strict=False, viewport={"width": 1280, "height": 1400})
    page.add_init_script("const { timeout } = AbortSignal; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, 0);")
    cells = "import dptutor as dp\ne = dp.explore.delta_divergence()\ne", "e.set(sigma=2.345)"
    (jupyterlab.folder / "late.ipynb").write_text(drag.notebook(*cells))
    drag.open_and_run(page, jupyterlab.url("late.ipynb"), "[data-explorer]")
    shows(page, dp.explore.delta_divergence(sigma=2.345))
    assert any("Failed to initialize model" in said for said in map(str, page.seen.console + page.seen.errors))
    page.evaluate(SET_ALL, FAR)
    shows(page, dp.explore.delta_divergence(**FAR))


@pytest.mark.host
def test_what_was_moved_before_it_is_shown_again_asks_nothing_about_its_first_setting(opened):
    page = opened("import dptutor as dp\ne = dp.explore.any_attack()\ne.widget", "e.set(baseline=0.2)\ne")
    first, again = page.locator("[data-explorer]").all()
    expect(again).to_have_attribute("data-drawn", re.compile("^0.2 "))
    expect(first.locator(".dpe-ask")).to_be_visible()
    expect(again.locator(".dpe-ask")).to_be_hidden()


@pytest.mark.host
def test_a_dead_kernel_is_told(explored):  # the last to share the notebook
    run_last_cell(explored, "__import__('os')._exit(1)")
    explored.get_by_text("| Idle").wait_for(state="hidden")
    explored.evaluate(SET_ALL, FARTHER)
    explored.get_by_text("if it was restarted, run the cell again").wait_for(timeout=20_000)
