// What style sheets cannot do.

document.addEventListener("DOMContentLoaded", () => {
  // On a phone a wide figure scrolls rather than shrinks until nobody can read its letters.
  for (const figure of document.querySelectorAll(".cell_output img")) {
    const widen = () => { figure.style.minWidth = `${0.54 * figure.naturalWidth}px`; };
    figure.complete ? widen() : figure.addEventListener("load", widen);
  }

  // What a search quotes of a page are its sentences, not the labels and numbers of its explorers.
  if (typeof Search === "object")
    Search.htmlToText = (page, anchor) => {
      const main = new DOMParser().parseFromString(page, "text/html").querySelector('[role="main"]');
      const part = (anchor && main?.querySelector(anchor)) || main;
      for (const mute of part?.querySelectorAll("[data-explorer], .headerlink, script, style") ?? []) mute.remove();
      return part?.textContent ?? "";
    };
});

// The theme lets go of its switch after each press; whoever walks by keyboard would have to begin again.
addEventListener("click", ({ target }) => {
  const button = target.closest?.(".theme-switch-button");
  if (button) setTimeout(() => button.focus({ preventScroll: true }));
});

// On paper nothing can be opened, and ink is dark: folded things open for the time of printing, and the page is light.
let unprinted = () => {};

addEventListener("beforeprint", () => {
  const folded = [...document.querySelectorAll("article details:not([open])")];
  const { theme } = document.documentElement.dataset;
  unprinted = () => {
    for (const details of folded) details.open = false;
    document.documentElement.dataset.theme = theme;
  };
  for (const details of folded) details.open = true;
  document.documentElement.dataset.theme = "light";
});

addEventListener("afterprint", () => unprinted());
