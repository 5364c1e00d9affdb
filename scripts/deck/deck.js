// A deck: slides that fit, a clock, keys that leave a slider. Explorers bring their own script.

const WIDTH = 1280,
  HEIGHT = 720;
const root = document.documentElement;
if (new URLSearchParams(location.search).has("receiver")) root.dataset.preview = ""; // in the speaker's window
const typing = () => document.activeElement?.closest?.("input");

// A link to an explorer's setting, #name?sigma=0.7, leads to its slide; reveal knows only numbers.
const wanted = document.querySelector(`[data-explorer="${CSS.escape(location.hash.slice(1).split("?")[0])}"]`);

// A swipe on an explorer moves a slider, not the deck.
for (const explorer of document.querySelectorAll(".dptutor-explorer")) explorer.dataset.preventSwipe = "";

const { Reveal, RevealNotes } = window;
await Reveal.initialize({
  width: WIDTH,
  height: HEIGHT,
  margin: 0.05,
  minScale: 0.1,
  maxScale: 4,
  center: false,
  hash: true,
  hashOneBasedIndex: true,
  slideNumber: "c/t",
  transition: "none",
  backgroundTransition: "none",
  totalTime: 0,
  defaultTiming: 0,
  plugins: [RevealNotes],
  // A button is pressed by its own keys.
  keyboardCondition: (event) => !(["Enter", " "].includes(event.key) && event.target.closest?.("button, a, summary")),
});

// The steps of an explorer are what its slide has to show before the next: keys that go on go through them first, unless
// the lecturer is at one of its controls.
const ONWARDS = { ArrowRight: 1, PageDown: 1, " ": 1, n: 1, ArrowLeft: -1, PageUp: -1, p: -1 };
addEventListener(
  "keydown",
  (event) => {
    const way = ONWARDS[event.key],
      { explorer } = Reveal.getCurrentSlide().querySelector("[data-explorer]") ?? {};
    if (!way || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !explorer || Reveal.isOverview())
      return;
    if (event.target.closest?.("[data-explorer], input, button, a, summary")) return;
    const step = explorer.step + way;
    if (step < 0 || step > explorer.manifest.steps.length || explorer.manifest.game) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    explorer.stepTo(step);
  },
  true,
);

// A slide that is too long for its box is made smaller until it fits.

function fit(slide) {
  const inside = slide?.querySelector(".deck-slide");
  if (!inside || !slide.getClientRects().length) return;
  let zoom = 1;
  const fits = () => {
    inside.style.zoom = zoom;
    const box = slide.getBoundingClientRect(),
      now = inside.getBoundingClientRect();
    const wide = [...inside.querySelectorAll("pre, div.math")].some((e) => e.scrollWidth > e.clientWidth + 1);
    return now.height <= 0.97 * box.height && !wide;
  };
  while (!fits() && zoom > 0.5) zoom = Math.round(100 * zoom - 3) / 100;
}

const fitNow = () => fit(Reveal.getCurrentSlide());
document.fonts.ready.then(fitNow);
for (const image of document.images) image.decode().then(fitNow, () => {});
Reveal.on("resize", fitNow);
addEventListener("click", () => requestAnimationFrame(fitNow)); // which may have opened a story or code

// The clock: by when to be done with a slide, in a lecture of fifty minutes or of ninety.

const clock = document.querySelector(".deck-clock"),
  lengths = ["50", "90", ""];
let length = new URLSearchParams(location.search).get("minutes") ?? "50";
if (!lengths.includes(length)) length = "50";

function tell() {
  const { end, endLong } = Reveal.getCurrentSlide().dataset,
    minute = length === "90" ? endLong : end;
  clock.textContent = length && +minute ? `until minute ${minute} of ${length}` : "";
}

function setLength(now) {
  length = now;
  let before = 0;
  for (const slide of document.querySelectorAll(".slides > section")) {
    const until = +(length === "90" ? slide.dataset.endLong : slide.dataset.end);
    slide.dataset.timing = Math.round(60 * (until - before)); // the speaker's window paces by it
    before = until;
  }
  tell();
}

// An explorer unpacks its tables when its slide is shown, without waiting for the browser to notice.
const wake = () => {
  for (const explorer of Reveal.getCurrentSlide().querySelectorAll("[data-explorer]"))
    explorer.dispatchEvent(new Event("pointerdown"));
};

Reveal.on("slidechanged", () => {
  wake();
  fitNow();
  tell();
});
Reveal.addKeyBinding({ keyCode: 84, key: "T", description: "Clock for 50 or 90 minutes, or none" }, () =>
  setLength(lengths[(lengths.indexOf(length) + 1) % lengths.length]),
);
Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark or light" }, () => {
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
});

// Arrows move the slider that has the focus. The keys of a presenter, and Escape, lead out of it.
addEventListener(
  "keydown",
  (event) => {
    if (!typing()) return;
    const step = { PageDown: () => Reveal.next(), PageUp: () => Reveal.prev(), Escape: () => {} }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    document.activeElement.blur();
    step();
  },
  { capture: true },
);

setLength(length);
if (wanted) {
  const { h } = Reveal.getIndices(wanted.closest("section"));
  Reveal.slide(h);
}
wake();
fitNow();
root.dataset.ready = "1"; // for tests
