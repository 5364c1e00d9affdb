// Paragraphs pass beside a picture that stays in view and shows what each of them speaks of. Where the reader is alone
// decides, so that scrolling back undoes it. A hand on the picture keeps it until the next paragraph has come.

(() => {
  const STILL = 0.25; // of the way to the next paragraph, in which the picture stands still
  const STOP = 120,
    LEAP = 500; // milliseconds, to the next stop of a slider and to a paragraph that the reader leapt to
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  const tell = (story) => {
    const scenes = [...story.querySelectorAll(".scene")],
      settings = scenes.map((scene) => JSON.parse(scene.dataset.setting)),
      picture = story.querySelector(".story-picture"),
      root = picture.querySelector("[data-explorer]");
    const bars = scenes.map(() => document.createElement("i"));
    const passed = Object.assign(document.createElement("div"), { className: "story-passed" });
    passed.setAttribute("aria-hidden", "true");
    passed.append(...bars);
    picture.append(passed);
    let at = 0, // where the reader was when the story last moved the picture
      ours = ""; // to this setting

    // From 0 at the first paragraph to the last one's number: which one is in the middle of what the picture leaves free.
    const progress = () => {
      const box = picture.getBoundingClientRect(),
        beside = box.right < story.getBoundingClientRect().right || box.left > scenes[0].getBoundingClientRect().right;
      const middle = ((beside ? Math.max(0, box.top) : box.bottom) + innerHeight) / 2;
      const places = scenes.map((scene) => {
        const { top, height } = scene.getBoundingClientRect();
        return top + height / 2;
      });
      const next = places.findIndex((place) => place > middle);
      if (next <= 0) return next ? scenes.length - 1 : 0;
      return next - 1 + (middle - places[next - 1]) / (places[next] - places[next - 1]);
    };

    // What the picture shows on the way from a paragraph to the next: stops of the sliders, so that all numbers are exact.
    const settingAt = (now, { parameters }) => {
      const from = Math.min(Math.floor(now), scenes.length - 2),
        share = Math.min(1, Math.max(0, (now - from - STILL) / (1 - 2 * STILL)));
      return Object.fromEntries(
        parameters.map(({ name, values }) => {
          const ends = [from, from + 1].map((k) => values.indexOf(settings[k][name]));
          const steady = typeof values[0] === "number" ? share : Math.round(share);
          return [name, values[Math.round(ends[0] + (ends[1] - ends[0]) * steady)]];
        }),
      );
    };

    const follow = () => {
      const now = progress(),
        { explorer } = root;
      bars.forEach((bar, k) => bar.style.setProperty("--passed", Math.min(1, Math.max(0, now - k + 0.5))));
      if (!explorer || calm.matches) return;
      const theirs = explorer.values.join() !== ours;
      if (ours && theirs && Math.round(now) === Math.round(at)) return;
      const leapt = theirs || Math.abs(now - at) > 0.5;
      at = now;
      const setting = settingAt(now, explorer.manifest);
      if (explorer.manifest.parameters.some(({ name }, place) => explorer.values[place] !== setting[name])) {
        explorer.setAll(setting, leapt ? LEAP : STOP);
        explorer.moved = false; // the paragraph has said it: nothing is to be spoken
      }
      ours = explorer.values.join();
    };

    let asked = null;
    const soon = () => {
      asked ??= requestAnimationFrame(() => {
        asked = null;
        follow();
      });
    };
    addEventListener("scroll", soon, { passive: true });
    addEventListener("resize", soon);
    calm.addEventListener("change", soon);
    new MutationObserver(soon).observe(root, { attributeFilter: ["data-ready"] });
    soon();
  };

  for (const story of document.querySelectorAll(".dptutor-story")) tell(story);
})();
