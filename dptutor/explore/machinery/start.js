// In a notebook: anywidget calls `initialize` once, and `render` for every view of the widget.

// anywidget gives a model up whose script takes more than two seconds to arrive, as in a browser with much to do: the
// model then takes no message of the kernel any more. It takes them past anywidget, and asks for what it has missed.
function initialize({ model }) {
  model.widget_manager?.get_model?.(model.get("_own")).then((own) =>
    own._handle_comm_msg({ content: { data: {} } }).catch(() => {
      const { _handle_comm_msg } = Object.getPrototypeOf(Object.getPrototypeOf(own));
      own.comm.on_msg((message) => _handle_comm_msg.call(own, message));
      own.comm.send({ method: "request_state" });
    }),
  );
}

function render({ model, el }) {
  const name = model.get("_name"),
    mine = `dpe-${name}-${Math.random().toString(36).slice(2)}`;
  const body = model.get("_body").replaceAll(`dpe-${name}-live`, mine); // no view shares ids with another
  el.innerHTML = `<figure class="dptutor-explorer" data-explorer="${name}">${body}</figure>`;
  // Keys belong to what has the focus, not to JupyterLab's shortcuts, of which arrows are some.
  el.querySelectorAll("input, button, pre").forEach((e) => e.setAttribute("data-lm-suppress-shortcuts", "true"));
  const manifest = structuredClone(model.get("_manifest"));
  const tables = new LiveTables(manifest, model);
  const explorer = new Explorer(el.firstElementChild, manifest, tables);
  // Python hears of moves at most ten times a second, and always of the last. Until then they stay out of the model,
  // where the kernel's echo of an earlier move would undo them.
  const moves = new Map();
  const tell = () => {
    for (const [name, value] of moves) model.set(name, value);
    moves.clear();
    model.save_changes();
  };
  explorer.onmove = (name, value) => {
    if (!moves.size && model.get(name) === value) return; // it was the model that moved
    if (!moves.size) setTimeout(tell, 100);
    moves.set(name, value);
  };
  const follow = manifest.parameters.map((p, place) => () => {
    if (!moves.has(p.name) && model.get(p.name) !== explorer.values[place])
      explorer.setAll({ [p.name]: model.get(p.name) }, STEP);
  });
  manifest.parameters.forEach((p, place) => {
    model.on(`change:${p.name}`, follow[place]);
    explorer.values[place] = model.get(p.name); // since its picture was made
    explorer.showControl(place);
  });
  if (explorer.lagging()) explorer.asking?.skip(); // the question is about the setting at first
  tables.moved(explorer.values, 0);
  return () => {
    tables.close();
    manifest.parameters.forEach((p, place) => model.off(`change:${p.name}`, follow[place]));
  };
}

// In a page: every frozen explorer is woken when it comes near the screen, or is touched.

function wake(root) {
  if (root.dataset.awake) return;
  root.dataset.awake = "1";
  const manifest = JSON.parse(root.querySelector(".dpe-manifest").textContent);
  // Two of one kind on a page of a site have their tables once.
  const packed =
    root.querySelector(".dpe-tables") ?? document.querySelector(`[data-explorer="${manifest.name}"] > .dpe-tables`);
  const tables = new FrozenTables(manifest, packed?.textContent, root.dataset.tables);
  const explorer = new Explorer(root, manifest, tables);
  // The address is that of the first of its name on a page.
  if (document.querySelector(`[data-explorer="${manifest.name}"][data-frozen]`) === root) {
    explorer.addressed = true;
    explorer.arrive();
  }
  tables.load().then(
    () => {
      root.dataset.ready = "1";
      explorer.drawSoon();
      (globalThis.requestIdleCallback ?? setTimeout)(() => explorer.prepare());
    },
    () => {
      tables.loading = null;
      explorer.say("The numbers of this explorer did not arrive. Reload the page to try again.");
    },
  );
}

// One that the address names moves at once: it is scrolled to.
const asked = globalThis.location?.hash.slice(1).split("?")[0];
const named = (address) =>
  document.querySelector(
    `.dptutor-explorer[data-frozen][data-explorer="${CSS.escape(address.slice(1).split("?")[0])}"]`,
  );

for (const root of globalThis.document?.querySelectorAll(".dptutor-explorer[data-frozen]") ?? []) {
  if (root.dataset.explorer === asked) {
    wake(root);
    continue;
  }
  new IntersectionObserver(
    (entries, observer) => {
      // A busy page is told of several frames at once.
      if (entries.some((entry) => entry.isIntersecting)) {
        observer.disconnect();
        wake(root);
      }
    },
    { rootMargin: "400px" },
  ).observe(root);
  for (const kind of ["pointerdown", "focusin"]) root.addEventListener(kind, () => wake(root), { once: true });
}
// Back and forward go through settings; before the first of an explorer is its start.
globalThis.addEventListener?.("hashchange", () => {
  const root = named(location.hash),
    { startOf } = history.state ?? {};
  if (root?.dataset.awake) root.explorer.arrive();
  else if (root) wake(root);
  if (startOf) named(`#${startOf}`)?.explorer?.stepTo(0, false);
});
// A phrase in the text that says what to look at goes there.
globalThis.document?.addEventListener("click", (event) => {
  const phrase = event.target.closest?.("a[data-move]"),
    address = phrase?.getAttribute("href"),
    root = address && named(address);
  if (!root) return;
  event.preventDefault();
  wake(root);
  root.explorer.tables.load().then(() => root.explorer.arrive(address, true));
});

export default { initialize, render };
