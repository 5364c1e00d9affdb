// The speaker's window shows the deck in frames. What moves in a frame moves in the room, and what moves in the room moves
// in the frames: settings, steps, samples, predictions and games. Windows hear each other by messages, which also work
// between files on a disk.

const room = document.documentElement.dataset.preview === undefined ? null : parent.opener;
const explorers = [...document.querySelectorAll("[data-explorer]")],
  followers = new Set(), // frames, where this is the room
  known = new Map(); // what both sides have, of each explorer
let voted; // and of what the room said

const stateOf = ({ step, story, values, root, asking, game }) => ({
  step,
  told: step > 0 && !story.hidden,
  values,
  all: root.classList.contains("dpe-all"),
  answer: asking && !asking.open ? [asking.key, asking.answer] : null,
  game: game ? [game.history, game.taken, game.again, game.length] : null,
});

function share(message, except) {
  const others = room ? [room] : [...followers];
  for (const other of others) if (other !== except) other.postMessage({ namespace: "deck", ...message }, "*");
}

// Looked at with every frame: a drag, a step and a slider that plays are seen alike.
function watch() {
  if (room || followers.size) {
    if (globalThis.deckRoom?.text !== voted) {
      voted = globalThis.deckRoom.text;
      share({ voted });
    }
    explorers.forEach((element, place) => {
      if (!element.explorer) return;
      const state = stateOf(element.explorer),
        text = JSON.stringify(state);
      // What nobody has moved needs no message.
      if (!known.has(place) && !element.explorer.moved && !state.answer) known.set(place, text);
      if (known.get(place) === text) return;
      known.set(place, text);
      share({ place, state });
    });
  }
  requestAnimationFrame(watch);
}

function arrive(place, state) {
  const element = explorers[place];
  if (!element.explorer) element.dispatchEvent(new Event("pointerdown")); // which wakes it
  const { explorer } = element,
    { parameters, steps } = explorer.manifest;
  const values = parameters.map((p, k) => (p.values.includes(state.values[k]) ? state.values[k] : explorer.values[k]));
  known.set(place, JSON.stringify(state));
  const stepped = state.step !== explorer.step;
  explorer.step = state.step;
  if (stepped) explorer.samples?.clear();
  if (explorer.game && state.game) {
    const [history, taken, again, length] = state.game;
    Object.assign(explorer.game, { history, taken, again, length });
  }
  const setting = Object.fromEntries(parameters.map((p, k) => [p.name, values[k]]));
  if (stepped) explorer.setAll(setting);
  else explorer.setAll(setting, 0);
  const { asking } = explorer;
  if (asking?.open && state.answer?.[0] === asking.key) {
    asking.made.set(...state.answer);
    asking.shownFor = asking.key;
    asking.cover(false);
    asking.reveal(true);
  }
  if (state.told) explorer.tell(steps[state.step - 1].story, steps[state.step - 1].label);
  explorer.countSteps();
  explorer.game?.show();
  explorer.root.classList.toggle("dpe-all", state.all);
}

// Samples fall in all windows alike: they start from the same seed.
const seeded = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};
addEventListener(
  "click",
  ({ target, isTrusted }) => {
    const button = target.closest?.("[data-samples]:is(button)"),
      place = explorers.indexOf(button?.closest("[data-explorer]"));
    const samples = explorers[place]?.explorer?.samples;
    if (!samples || !isTrusted) return;
    const seed = Math.floor(2 ** 32 * Math.random());
    if (!samples.on) samples.random = seeded(seed);
    share({ place, press: button.dataset.samples, seed });
  },
  true,
);

function press(place, name, seed) {
  const { samples, root } = explorers[place].explorer ?? {};
  if (!samples) return;
  if (!samples.on) samples.random = seeded(seed);
  root.querySelector(`button[data-samples="${CSS.escape(name)}"]`)?.click();
}

// Only the frames of a window that this one has opened may ask, and only the room may answer.
const trusted = ({ source }) => {
  try {
    return room ? source === room : source?.parent?.opener === window;
  } catch {
    return false;
  }
};
addEventListener("message", (event) => {
  const { data } = event;
  if (data?.namespace !== "deck" || !trusted(event)) return;
  if (!room && !followers.has(event.source)) {
    followers.add(event.source);
    event.source.postMessage({ namespace: "deck", voted: globalThis.deckRoom?.text }, "*");
    explorers.forEach(({ explorer }, place) => {
      if (explorer?.moved) event.source.postMessage({ namespace: "deck", place, state: stateOf(explorer) }, "*");
    });
  }
  if (data.voted) {
    globalThis.deckRoom?.take((voted = data.voted));
    if (!room) share({ voted }, event.source);
  }
  if (!(data.place in explorers)) return;
  if (data.press) press(data.place, data.press, data.seed);
  else arrive(data.place, data.state);
  if (!room) share({ place: data.place, state: data.state, press: data.press, seed: data.seed }, event.source);
});
// The room may be loaded again while the speaker's window stays.
if (room) {
  share({});
  setInterval(() => share({}), 1000);
}
watch();
