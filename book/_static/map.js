// The map of regrets: a cell that is pressed, or reached by arrow keys and entered, shows the two curves that it compares.

const CURVES = `<svg role="img" aria-label="Two trade-off functions" viewBox="-16 -6 176 144">
  <rect width="150" height="120"/><path class="map-first"/><path class="map-second"/>
  <text x="-14" y="10">β</text><text x="142" y="135">α</text></svg>
  <figcaption><b class="map-first"></b><b class="map-second"></b><span></span></figcaption>`;

for (const map of document.querySelectorAll(".dptutor-map")) {
  const lines = [...map.querySelectorAll("tbody tr")],
    rows = lines.map((line) => [...line.querySelectorAll("td")]),
    names = lines.map((line) => line.querySelector("th").textContent),
    curves = JSON.parse(map.querySelector("script").textContent);
  const shown = document.createElement("figure");
  Object.assign(shown, { className: "map-curves", popover: "auto", innerHTML: CURVES });
  shown.setAttribute("role", "status");
  map.after(shown);
  const cells = new Map(rows.flatMap((row, i) => row.map((cell, j) => [cell, [i, j]])));
  for (const cell of cells.keys()) cell.tabIndex = -1;
  rows[0][1].tabIndex = 0;
  let beside = null; // the cell that is shown

  const place = () => {
    const { left, top, bottom } = beside.getBoundingClientRect(),
      { width, height } = shown.getBoundingClientRect();
    const below = bottom + height + 8 <= innerHeight;
    shown.style.left = `${Math.max(8, Math.min(left - width / 3, document.documentElement.clientWidth - width - 8))}px`;
    shown.style.top = `${below ? bottom + 4 : Math.max(8, top - height - 4)}px`;
  };

  const show = (cell) => {
    const pair = cells.get(cell);
    if (pair[0] === pair[1]) return;
    for (const [k, kind] of [".map-first", ".map-second"].entries()) {
      shown.querySelector(`path${kind}`).setAttribute("d", curves[pair[k]]);
      shown.querySelector(`b${kind}`).textContent = names[pair[k]];
    }
    const number = cell.textContent === "·" ? "less than 0.05" : cell.textContent,
      bound = cell.classList.contains("bound") ? ", by a bound" : "";
    shown.querySelector("span").textContent = `The second in place of the first: ${number} in 100${bound}`;
    if (!shown.matches(":popover-open")) shown.showPopover();
    beside = cell;
    place();
  };
  map.addEventListener("click", ({ target }) => {
    const cell = target.closest("td");
    if (cells.has(cell) && !target.closest("a")) show(cell);
  });
  map.addEventListener("keydown", (event) => {
    const [down, across] =
      { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
    const cell = event.target;
    if (!cells.has(cell)) return;
    if (event.key === "Enter" || event.key === " ") show(cell);
    else if (down === undefined) return;
    else {
      const [i, j] = cells.get(cell),
        next = rows[i + down]?.[j + across];
      if (!next) return;
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
    event.preventDefault();
  });
  // They go along with the cell, until it leaves the screen.
  const follow = () => {
    if (!shown.matches(":popover-open")) return;
    const { top, bottom } = beside.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight) place();
    else shown.hidePopover();
  };
  for (const moved of [map, document]) moved.addEventListener("scroll", follow, { passive: true });
}
