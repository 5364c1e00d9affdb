// The search: a field in a dialog, or on a page of its own, that answers while it is typed in. The index is made by
// scripts/searching.py and comes as a script, which also a page opened from a disk may load.

(() => {
  const here = document.currentScript.src,
    base = here.replace(/_static\/search\.js.*$/, "");
  const KINDS = {
    term: 2.6,
    symbol: 2.4,
    chapter: 2.2,
    explorer: 2,
    theorem: 1.5,
    section: 1.2,
    page: 1.2,
    function: 1.1,
    notebook: 0.6,
  };
  const SHOWN = {
    term: "Term",
    chapter: "Chapter",
    page: "Page",
    explorer: "Explorer",
    theorem: "Statement",
    section: "Section",
    function: "Function",
    notebook: "Notebook",
  };
  const MOST = 30;

  // Accents fall; Δ and δ are two letters.
  const fold = (text) =>
    text
      .normalize("NFKD")
      .replace(/[\u0300-\u036f]/g, "")
      .replace(/[^Α-Ω]+/g, (part) => part.toLowerCase());
  const WORD = /[\p{L}\p{N}_.]*[\p{L}\p{N}_]/gu;
  const split = (text) => fold(text).match(WORD) ?? [];

  let pages, records, whole;
  const known = new Set(); // words that the book uses, for those that are misspelled
  const index = () =>
    new Promise((done, failed) => {
      if (globalThis.dptutorIndex) {
        done();
        return;
      }
      const script = document.createElement("script");
      script.src = `${base}_static/search-index.js`;
      script.onload = done;
      script.onerror = failed;
      document.head.append(script);
    }).then(() => (read ??= reading()));

  // A few records at a time: in between the page answers.
  let read;
  const reading = async () => {
    const [names, found] = JSON.parse(globalThis.dptutorIndex),
      made = [],
      said = names.map(() => []);
    for (const [kind, title, page, anchor, text] of found) {
      const record = {
        kind,
        title,
        page,
        anchor,
        text,
        name: fold(title),
        words: split(title),
        said: ` ${fold(text)} `,
      };
      made.push(record);
      said[page].push(record.name + record.said);
      for (const word of [...record.words, ...(record.said.match(WORD) ?? [])]) if (word.length > 3) known.add(word);
      if (made.length % 50 === 0) await new Promise((done) => setTimeout(done));
    }
    [pages, whole, records] = [names, said.map((parts) => parts.join(" ")), made];
  };

  const distance = (a, b, most) => {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let before = [],
      row = [...Array(b.length + 1).keys()];
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
          next[j] = Math.min(next[j], before[j - 2] + 1);
      }
      [before, row] = [row, next];
      if (Math.min(...row) > most) return most + 1;
    }
    return row[b.length];
  };

  const mended = (word) => {
    const most = word.length > 7 ? 2 : word.length > 4 ? 1 : 0;
    let best = word,
      least = most + 1;
    if (most)
      for (const other of known) {
        const far = distance(word, other, most);
        if (far < least) {
          best = other;
          least = far;
        }
      }
    return best;
  };

  // How well one word is met by a record; 0 if it is not there.
  const met = (word, record) => {
    let best = 0;
    for (const w of record.words) {
      if (w === word) best = Math.max(best, 6);
      else if (word.length > 1 && w.startsWith(word)) best = Math.max(best, 4);
      else if (word.length > 3 && w.includes(word)) best = Math.max(best, 2.5);
    }
    let at = -1,
      count = 0;
    while (count < 5 && (at = record.said.indexOf(word, at + 1)) >= 0) {
      const whole =
        !/[\p{L}\p{N}_]/u.test(record.said[at - 1]) &&
        (word.length > 1 || !/[\p{L}\p{N}_]/u.test(record.said[at + word.length]));
      if (whole) count++;
    }
    return best + (count ? 1 + (0.25 * (count - 1)) / (1 + record.said.length / 4000) : 0);
  };

  const find = (query) => {
    const look = (words) => {
      const hits = [];
      for (const record of records) {
        let score = 1;
        for (const word of words) {
          // A chapter is also about what only its sections say.
          const one = met(word, record) || (record.kind === "chapter" && whole[record.page].includes(word) ? 0.7 : 0);
          if (!one) {
            score = 0;
            break;
          }
          score += one;
        }
        if (!score) continue;
        if (record.name === fold(query).trim() || record.name === `dp.${fold(query).trim()}`) score *= 6;
        else if (record.name.includes(fold(query).trim()) && words.length > 1) score *= 2;
        hits.push([score * KINDS[record.kind], record]);
      }
      return hits.sort((a, b) => b[0] - a[0]).map(([, record]) => record);
    };
    const words = split(query);
    if (!words.length) return { hits: [], words };
    const hits = look(words);
    if (hits.length) return { hits, words };
    const better = words.map((word) => (look([word]).length ? word : mended(word)));
    return { hits: look(better), words: better, instead: better.join(" ") };
  };

  // A quotation around the first word that is found.
  const quoted = ({ text }, words) => {
    const low = fold(text).length === text.length ? fold(text) : text.toLowerCase();
    const at = Math.max(
      0,
      (Math.min(...words.map((w) => low.indexOf(w)).filter((n) => n >= 0), text.length) % text.length) - 60,
    );
    const from = at ? low.indexOf(" ", at) + 1 : 0;
    return (from ? "… " : "") + text.slice(from, from + 170).trim() + (text.length > from + 170 ? " …" : "");
  };
  const marked = (text, words) => {
    const out = document.createDocumentFragment(),
      low = text.toLowerCase();
    let done = 0;
    for (;;) {
      const next = words
        .map((w) => [low.indexOf(w, done), w])
        .filter(([at]) => at >= 0)
        .sort((a, b) => a[0] - b[0])[0];
      if (!next) break;
      out.append(
        text.slice(done, next[0]),
        Object.assign(document.createElement("mark"), { textContent: text.slice(next[0], next[0] + next[1].length) }),
      );
      done = next[0] + next[1].length;
    }
    out.append(text.slice(done));
    return out;
  };

  const make = (tag, more = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), more);
    made.append(...children);
    return made;
  };

  const build = (place) => {
    const input = make("input", {
      type: "search",
      id: "search-words",
      autocomplete: "off",
      placeholder: "Search this book",
      spellcheck: false,
    });
    input.setAttribute("aria-label", "Search this book");
    const told = make("p", { className: "search-told" }),
      list = make("ol", { className: "search-results", id: "search-results" });
    told.setAttribute("role", "status");
    const show = () => {
      if (!records) return;
      const { hits, words, instead } = find(input.value);
      told.textContent = !words.length
        ? ""
        : !hits.length
          ? "Nothing is found."
          : instead
            ? `Nothing is found as typed; found for “${instead}”:`
            : `${hits.length === 1 ? "One place" : `${hits.length} places`}${hits.length > MOST ? `, the best ${MOST} of them:` : ":"}`;
      list.replaceChildren(
        ...hits.slice(0, MOST).map((hit) => {
          const [address, page] = pages[hit.page];
          const link = make(
            "a",
            { href: base + address + (hit.anchor ? `#${hit.anchor}` : "") },
            marked(hit.title, words),
          );
          const where = make(
            "span",
            { className: "search-where" },
            hit.title === page ? SHOWN[hit.kind] : `${SHOWN[hit.kind]} in ${page}`,
          );
          return make(
            "li",
            {},
            link,
            " ",
            where,
            make("p", { className: "context" }, marked(quoted(hit, words), words)),
          );
        }),
      );
    };
    input.addEventListener("input", show);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        list.querySelector("a")?.click();
      }
      if (event.key === "Escape") {
        event.preventDefault();
        dialog?.close();
      }
      if (event.key === "ArrowDown") {
        event.preventDefault();
        list.querySelector("a")?.focus();
      }
    });
    list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const links = [...list.querySelectorAll("a")],
        to = links.indexOf(document.activeElement) + step;
      (links[to] ?? (to < 0 ? input : links.at(-1))).focus();
    });
    place.append(
      make("form", { className: "search-form", onsubmit: (event) => event.preventDefault() }, input),
      told,
      list,
    );
    index().then(show, () => {
      told.textContent = "The index did not arrive: reload the page.";
    });
    return { input, show };
  };

  const page = document.getElementById("search-page");
  let dialog;
  globalThis.dptutorSearch = () => {
    if (page) {
      document.getElementById("search-words").focus();
      return;
    }
    if (!dialog) {
      dialog = make("dialog", { className: "search-dialog" });
      dialog.setAttribute("aria-label", "Search");
      document.body.append(dialog);
      dialog.field = build(dialog).input;
      dialog.addEventListener("click", (event) => {
        if (event.target === dialog || event.target.closest("a")) dialog.close();
      });
    }
    dialog.showModal();
    dialog.field.select();
  };
  if (page) {
    const { input, show } = build(page);
    input.value = new URLSearchParams(location.search).get("q") ?? "";
    index().then(show);
    input.focus();
  }
})();
