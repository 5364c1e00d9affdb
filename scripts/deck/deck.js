// A deck: slides that fill the screen they are shown on, a clock, an overview, sheets of paper. Explorers bring their own
// script; speaker.js moves them together with those of the speaker's window.

const WIDTH = 1280,
  LEAST = 15.6, // of the letters of an explorer; of 720 pixels, as deck.css has it
  LARGER = 0.51, // are the letters of a short slide at most, than is usual; in steps of 0.03
  root = document.documentElement,
  asked = new URLSearchParams(location.search),
  preview = asked.has("receiver"), // in the speaker's window
  slides = [...document.querySelectorAll(".slides > section")];
if (preview) root.dataset.preview = "";
// reveal's own sheets break pictures; paper() has others.
if (/print-pdf/i.test(location.search)) history.replaceState(null, "", `${location.pathname}?paper${location.hash}`);
const typing = () => document.activeElement?.closest?.("input");
// One that waits for its turn is not on the slide yet.
const explorersOn = (slide) =>
  [...slide.querySelectorAll("[data-explorer]")]
    .filter((found) => found.explorer && !found.closest(".fragment:not(.visible)"))
    .map((found) => found.explorer);

// A projector is 4:3 or 16:9 or between; a slide has its shape.
let height;
const shape = (now) => {
  height = now;
  root.style.setProperty("--deck-height", `${height}px`);
  root.classList.toggle("deck-wide", height < 850);
};
const heightOfScreen = () => Math.round(WIDTH / Math.min(16 / 9, Math.max(4 / 3, innerWidth / innerHeight)));
shape(heightOfScreen());

// A link to an explorer's setting, #name?sigma=0.7, leads to its slide; reveal knows only numbers.
const wanted = document.querySelector(`[data-explorer="${CSS.escape(location.hash.slice(1).split("?")[0])}"]`);

// A swipe on an explorer moves a slider, not the deck.
for (const explorer of document.querySelectorAll(".dptutor-explorer")) explorer.dataset.preventSwipe = "";

const { Reveal, RevealNotes } = window;
await Reveal.initialize({
  width: WIDTH,
  height,
  margin: 0.05,
  minScale: 0.1,
  maxScale: 4,
  center: false,
  hash: true,
  hashOneBasedIndex: !preview, // the speaker's window counts from nought
  slideNumber: "c/t",
  transition: "none",
  backgroundTransition: "none",
  totalTime: 0,
  defaultTiming: 0,
  overview: false, // ours shows all slides
  plugins: [RevealNotes],
  // A button is pressed by its own keys.
  keyboardCondition: (event) => !(["Enter", " "].includes(event.key) && event.target?.closest?.("button, a, summary")),
});
addEventListener("resize", () => {
  if (heightOfScreen() === height || root.classList.contains("deck-paper")) return;
  shape(heightOfScreen());
  Reveal.configure({ height });
  fitNow();
});

// The steps of an explorer are what its slide has to show before the next: keys that go on go through them first, unless
// the lecturer is at one of its controls. In a game the arrows are guesses, and one that comes after the last round is a
// guess too many: it leads nowhere.
const go = (way) => (way > 0 ? Reveal.next() : Reveal.prev());
let ended; // the rounds of the game for which there was one
const guessed = (game, event, way) => {
  if (!game?.history.length && !game?.playing) return false;
  if (!game.playing && ended === game.history) return false;
  if (event.repeat) return true;
  if (game.playing) game.guess(+(way > 0));
  else ended = game.history;
  return true;
};
const onwards = (way, arrow) => (event) => {
  if (event.shiftKey) {
    if (arrow) Reveal.slide(way > 0 ? slides.length - 1 : 0);
    else go(-way);
    return;
  }
  const slide = Reveal.getCurrentSlide();
  if (arrow && explorersOn(slide).some(({ game }) => guessed(game, event, way))) return;
  if (event.target?.closest?.("[data-explorer], input, button, a, summary")) {
    go(way);
    return;
  }
  // Back in the order of forth: what appeared last goes before what was there.
  const last = slide.querySelector(".current-fragment");
  const explorers = explorersOn((way < 0 && last) || slide).filter(({ manifest }) => !manifest.game);
  const next =
    way > 0
      ? explorers.find(({ step, manifest }) => step < manifest.steps.length)
      : explorers.findLast(({ step }) => step > 0);
  if (next) next.stepTo(next.step + way);
  else go(way);
};
for (const [way, arrow, ...others] of [
  [1, 39, 34, 32, 78],
  [-1, 37, 33, 80],
]) {
  Reveal.addKeyBinding(arrow, onwards(way, true));
  for (const key of others) Reveal.addKeyBinding(key, onwards(way, false));
}
// What the mouse has moved does not keep the keys.
addEventListener("pointerup", ({ target }) => {
  const control = target.closest?.("[data-explorer] :is(input:not([type=text]), [data-step], [data-play])");
  if (control) requestAnimationFrame(() => control.blur());
});

// The picture of an explorer takes what is left of its slide. It keeps its size while the words below it change, unless
// they need the room.

function grow(slide, inside, fits) {
  const explorer = inside.querySelector("[data-explorer]");
  if (!explorer) return;
  const paper = root.classList.contains("deck-paper"); // which has no controls below
  if (!paper && inside.grown === height && fits()) return;
  inside.style.removeProperty("--deck-rest");
  inside.grown = 0;
  if (paper || !fits()) return;
  const box = slide.getBoundingClientRect(),
    scale = box.height / slide.offsetHeight,
    spare = Math.floor((lowest(slide) - inside.getBoundingClientRect().bottom) / scale);
  const rest = explorer.querySelector(".dpe-game") ? 320 : 280;
  if (spare > 0) inside.style.setProperty("--deck-rest", `${rest - spare}px`);
  if (!fits()) inside.style.removeProperty("--deck-rest");
  inside.grown = height;
}

// A slide that is too long for its box is made smaller until it fits, and until the arrows, the number and the words at the
// foot of the screen are below it.

const foot = [...document.querySelectorAll(".controls button, .slide-number, .deck-foot")];
const lowest = (slide) => {
  const box = slide.getBoundingClientRect(),
    tops = foot.map((e) => e.getBoundingClientRect()).flatMap(({ top, height }) => (height ? [top] : []));
  return Math.min(box.top + 0.97 * box.height, ...tops);
};

function fit(slide) {
  const inside = slide?.querySelector(".deck-slide");
  if (!inside || !slide.getClientRects().length) return;
  // A higher slide has larger letters, and so has a short one, though not its title; an explorer takes the room by itself,
  // and so do the bars of a vote.
  const usual = Math.min(1.25, height / 720);
  let zoom = slide.querySelector("[data-explorer]") ? 1 : usual + LARGER * !slide.querySelector(".deck-room");
  const fits = () => {
    inside.style.zoom = zoom;
    inside.style.setProperty("--deck-shrunk", zoom);
    inside.style.setProperty("--deck-title", Math.min(1, usual / zoom));
    // Long lines of code are no reason for a small title.
    for (const code of inside.querySelectorAll("pre")) {
      code.style.zoom = 1;
      if (code.scrollWidth > code.clientWidth)
        code.style.zoom = Math.floor((98 * code.clientWidth) / code.scrollWidth) / 100;
    }
    const wide =
      [...inside.querySelectorAll("pre, div.math, p, li")].some((e) => e.scrollWidth > e.clientWidth + 1) ||
      [...inside.querySelectorAll("table")].some((e) => e.offsetWidth > e.parentElement.clientWidth + 1);
    return inside.getBoundingClientRect().bottom <= lowest(slide) && !wide;
  };
  grow(slide, inside, fits);
  while (!fits() && zoom > 0.5) zoom = Math.round(100 * zoom - 3) / 100;
  inside.querySelectorAll("[data-explorer]").forEach((explorer) => explorer.explorer?.names.place());
}

const fitNow = () => fit(Reveal.getCurrentSlide());
const fitAll = () => slides.forEach(fit);
document.fonts.ready.then(fitNow);
for (const image of document.images) image.decode().then(fitNow, () => {});
Reveal.on("resize", fitNow);
addEventListener("click", () => requestAnimationFrame(fitNow)); // which may have opened a story or code
// A step or a drag may make the words around a picture longer; in the overview, explorers wake one by one.
const sizes = new ResizeObserver((all) =>
  requestAnimationFrame(() => all.forEach(({ target }) => fit(target.closest("section")))),
);
for (const explorer of document.querySelectorAll("[data-explorer]")) sizes.observe(explorer);

// The clock: by when to be done with a slide, in a lecture of fifty minutes or of ninety.

// A deck of one's own lasts as long as its slides say.

const clock = document.querySelector(".deck-clock"),
  own = document.querySelector(".slides > section:last-child").dataset.end,
  lengths = own === "50" ? ["50", "90", ""] : [own, ""];
let length = asked.get("minutes") ?? own;
if (!lengths.includes(length)) [length] = lengths;

const long = () => length === "90" && own === "50";

function tell() {
  const { end, endLong } = Reveal.getCurrentSlide().dataset,
    minute = long() ? endLong : end;
  clock.textContent = +length && +minute ? `until minute ${minute} of ${length}` : "";
}

function setLength(now) {
  length = now;
  let before = 0;
  for (const slide of slides) {
    const until = +(long() ? slide.dataset.endLong : slide.dataset.end);
    slide.dataset.timing = Math.round(60 * (until - before)); // the speaker's window paces by it
    before = until;
  }
  tell();
}

// An explorer unpacks its tables when its slide is shown, without waiting for the browser to notice: in the overview it
// sometimes never does.
const wake = (shown = Reveal.getCurrentSlide()) => {
  for (const explorer of shown.querySelectorAll("[data-explorer]")) explorer.dispatchEvent(new Event("pointerdown"));
};

Reveal.on("slidechanged", () => {
  wake();
  fitNow();
  tell();
});

// All slides at once, as large as they can be. A key or a press leads to one of them.

const GAP = 12;
let columns = 0; // of the overview that is open

function openOverview() {
  const size = (count) => {
    const across = (innerWidth - (count + 1) * GAP) / count,
      rows = Math.ceil(slides.length / count);
    return Math.min(across / WIDTH, (innerHeight - (rows + 1) * GAP) / rows / height);
  };
  columns = slides.map((_, k) => k + 1).reduce((best, count) => (size(count) > size(best) ? count : best));
  root.style.setProperty("--deck-columns", columns);
  root.style.setProperty("--deck-zoom", size(columns));
  root.style.setProperty("--deck-least", `${LEAST * size(columns)}px`);
  root.classList.add("deck-overview");
  wake(document);
  fitAll();
}

function closeOverview(place = Reveal.getIndices().h) {
  columns = 0;
  root.style.removeProperty("--deck-least");
  root.classList.remove("deck-overview");
  Reveal.slide(place);
  fitNow();
}

Reveal.addKeyBinding({ keyCode: 79, key: "O", description: "All slides" }, openOverview);
addEventListener("resize", () => columns && openOverview());
addEventListener(
  "keydown",
  (event) => {
    if (!columns) return;
    const here = Reveal.getIndices().h,
      ways = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
    ways.Home = -here;
    ways.End = slides.length - 1 - here;
    if (event.key in ways) Reveal.slide(Math.max(0, Math.min(slides.length - 1, here + ways[event.key])));
    else if (["Enter", " ", "Escape", "o", "O"].includes(event.key)) closeOverview();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);
addEventListener(
  "click",
  (event) => {
    if (!columns) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const place = slides.indexOf(event.target.closest(".slides > section"));
    closeOverview(place < 0 ? undefined : place);
  },
  true,
);

// On paper: two slides to a sheet, with everything that appears on them.

function paper(on) {
  if (columns) closeOverview();
  root.classList.toggle("deck-paper", on);
  document.querySelector("#deck-sheet").textContent = on
    ? `@page{size:${asked.get("paper") || "auto"};margin:12mm}`
    : "";
  root.classList.toggle("print-pdf", on); // so that reveal's style of paper stays away
  shape(on ? 720 : heightOfScreen());
  if (on) fitAll();
  else fitNow();
}
addEventListener("beforeprint", () => paper(true));
addEventListener("afterprint", () => asked.has("paper") || paper(false));

Reveal.addKeyBinding({ keyCode: 84, key: "T", description: "Clock, longer clock, or none" }, () =>
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
if (asked.has("paper") || /[?&]paper/.test(location.search)) await document.fonts.ready.then(() => paper(true));
root.dataset.ready = "1"; // for tests
