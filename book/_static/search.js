// The search: a field in a dialog, or on a page of its own, that answers while it is typed in. The index is made by
// scripts/searching.py and comes as a script, which also a page opened from a disk may load.

(() => {
  const here = document.currentScript.src,
    base = here.replace(/_static\/search\.js.*$/, "");
  const KINDS = {
    term: 2.6,
    symbol: 2.4,
    chapter: 3.2,
    explorer: 2,
    theorem: 1.5,
    section: 1.2,
    page: 1.6,
    function: 1.1,
    notebook: 0.6,
  };
  const SHOWN = {
    term: "Term",
    symbol: "Symbol",
    chapter: "Chapter",
    page: "Page",
    explorer: "Explorer",
    theorem: "Statement",
    section: "Section",
    function: "Function",
    notebook: "Notebook",
  };
  // Pages that name everything once.
  const ASIDES = Object.entries({
    source_index: 0.4,
    reproduction: 0.5,
    errata: 0.6,
    five: 0.2,
    references: 0.6,
    explorers: 0.6,
    intro: 0.6,
  });
  const MOST = 30;

  // What readers call something, and what the book calls it: words with one meaning, and words met by the next ones.
  const SAME = ["eps epsilon ε", "delta δ Δ", "sigma σ", "mu μ", "pi π", "rho ρ", "alpha α", "beta β", "kappa κ", "erratum errata"].map((line) => line.split(" ")); // biome-ignore format: a table
  const MEANT = new Map(
    ["roc tradeoff", "rdp renyi", "g_mu gμ", "gdp gaussian", "dp differential", "pld loss", "prv accountant", "tpr positive audit", "fpr positive audit", "mia membership",
      "rero reconstruction", "safer protects", "multiplier σ", "sample_rate rate", "batch_size batch", "bibliography references", "blog references",
      "mistakes errata", "leaks reveals", "marking grading", "marks grading", "exam grading", "syllabus plans", "install run", "licence license"].map((line) => line.split(" ")).map(([word, ...meant]) => [word, meant])); // biome-ignore format: a table
  const others = (word) => [...SAME.filter((line) => line.includes(word)).flat(), ...(MEANT.get(word) ?? [])];
  // Words that say what kind of place is looked for; the lists of kinds are below.
  const WANTED = {
    explorer: "explorer interactive slider sliders picture plot demo animation drag widget",
    lecture: "lecture lectures slides deck",
    exercise: "exercise exercises solution solutions problem problems homework answers",
    notebook: "notebook notebooks ipynb",
    function: "function api dptutor library python code",
    theorem: "theorem lemma proposition corollary definition proof statement",
    chapter: "chapter ch",
  };
  const wanted = new Map(Object.entries(WANTED).flatMap(([kind, all]) => all.split(" ").map((word) => [word, kind])));
  const STOP = new Set("a an and are be by can do does for from how i in is it mean means my of on or should that the their to under versus vs what when where which who why with your".split(" ")); // biome-ignore format: a list

  // Accents fall; Δ and δ are two letters; some words are written in three ways, and powers of ten in as many.
  const fold = (text) =>
    text
      .replace(/\b10(?:\^\(?[−-]|⁻)(?=[\d⁰¹²³⁴-⁹])/g, "1e-")
      .normalize("NFKD")
      .replace(/[\u0300-\u036f]/g, "")
      .replace(/[^Α-Ω]+/g, (part) => part.toLowerCase())
      .replace(/(neighb|behavi|col|fav)our/g, "$1or")
      .replace(/(random|optim|general|minim|maxim|normal|character|symmetr)is(?=[ea]|ing)/g, "$1iz")
      .replace(/\b(trade|hyper|sub|hockey)[ -](off|prior|sampl|stick)/g, "$1$2");
  const WORD = /\d[\d.]*e[+-]?\d+|[\p{L}\p{N}_.]*[\p{L}\p{N}_]|⊗/gu;
  const split = (text) => fold(text).match(WORD) ?? [];
  // Composition, compose, composing; curve, curves.
  const ENDING = /(?:(?:ic)?ation|ition|ing|ions?|ors?|ers?|ies|ed|es|s|e|y)$/;
  const stems = new Map();
  const stem = (word) => {
    let made = stems.get(word);
    if (made === undefined) {
      made = word.length > 4 && !/[._\d]/.test(word) ? word.replace(ENDING, "") : word;
      if (made.length < 4) made = word;
      stems.set(word, made);
    }
    return made;
  };

  let pages, records, whole;
  const known = new Map(); // words that the book uses and how often, for those that are misspelled
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
      made = [];
    whole = names.map(() => new Map());
    for (const [kind, title, page, anchor, text] of found) {
      const words = split(title),
        said = split(text),
        counts = new Map();
      for (const word of said) counts.set(stem(word), (counts.get(stem(word)) ?? 0) + 1);
      const name = names[page][0],
        number = +(/\/(\d\d)_/.exec(name)?.[1] ?? 0);
      const also = /_lecture/.test(name)
        ? "lecture"
        : /_exercises/.test(name)
          ? "exercise"
          : /\/api/.test(name)
            ? "function"
            : "";
      const aside = ASIDES.find(([part]) => name.includes(part))?.[1] ?? 1;
      const record = { kind, also, aside, title, page, number, anchor, text, name: fold(title), counts, length: said.length, words,
        stems: words.map(stem), said: ` ${said.join(" ")} ` }; // biome-ignore format: one object
      made.push(record);
      for (const [found, count] of counts) whole[page].set(found, (whole[page].get(found) ?? 0) + count);
      for (const word of [...words, ...said]) if (word.length > 3) known.set(word, (known.get(word) ?? 0) + 1);
      if (made.length % 50 === 0) await new Promise((done) => setTimeout(done));
    }
    for (const words of [...SAME, [...wanted.keys()]])
      for (const word of words) if (word.length > 3 && !known.has(word)) known.set(word, 0);
    [pages, records] = [names, made];
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
    const most = word.length > 5 ? 2 : word.length > 3 ? 1 : 0;
    let best = word,
      least = most + 1,
      used = 0;
    if (most)
      for (const [other, count] of known) {
        if (word.length < 7 && other[0] !== word[0]) continue;
        const far = distance(word, other, most);
        // Of words that are equally close, the one that the book uses most.
        if (far < least || (far === least && far <= most && count > used)) [best, least, used] = [other, far, count];
      }
    return best;
  };

  // How well one word is met by a record: in its title, in its text; 0 if it is not there. A chapter is also about what
  // only its sections say.
  const met = (word, record, last) => {
    let best = 0;
    const root = stem(word);
    record.words.forEach((w, k) => {
      if (w === word) best = Math.max(best, 6);
      else if (record.stems[k] === root) best = Math.max(best, 5);
      else if (word.length > 1 && w.startsWith(word)) best = Math.max(best, 4);
      else if (word.length > 3 && w.includes(word)) best = Math.max(best, 2.5);
    });
    const count = Math.min(5, record.counts.get(root) ?? 0);
    if (count) best += 1 + (0.25 * (count - 1)) / (1 + record.length / 700);
    else if (last && !best && word.length > 1 && record.said.includes(` ${word}`)) best = 0.6;
    if (!best && (record.kind === "chapter" || record.kind === "page") && whole[record.page].has(root)) best = 0.7;
    return best;
  };

  const look = (words, kinds, number) => {
    const table = words.map((word, k) => {
      const all = [word, ...others(word)];
      return records.map((record) =>
        Math.max(...all.map((one, n) => met(one, record, k === words.length - 1) * (n ? 0.85 : 1))),
      );
    });
    const worth = table.map((row) => Math.log(1 + records.length / (1 + row.filter(Boolean).length))),
      all = worth.reduce((sum, one) => sum + one, 0) || 1,
      phrase = words.join(" ");
    const hits = [];
    records.forEach((record, place) => {
      const here = table.map((row) => row[place]);
      const share = words.length ? here.reduce((sum, one, k) => sum + (one ? worth[k] : 0), 0) / all : 1;
      if (kinds.has("run") && /your_run/.test(pages[record.page][0])) {
        hits.push([100 * KINDS[record.kind], record, true]);
        return;
      }
      if (share < 0.45) return;
      let score = words.length ? here.reduce((sum, one, k) => sum + one * worth[k], 0) / all : 1;
      score *= share ** 2 * KINDS[record.kind] * (/errata/.test(phrase) || record.name === phrase ? 1 : record.aside);
      const titled = here.filter((one) => one >= 4).length;
      score *=
        1 +
        Math.min(1, titled / Math.max(1, record.words.filter((w) => !STOP.has(w) && !/^(\d.*|[a-z])$/.test(w)).length));
      if (titled > 1 && titled === words.length) score *= 1.5;
      const title = record.words.join(" ").replace(/^(chapter )?\d+ /, ""),
        sign = record.kind === "symbol" ? split(record.title.split(":")[0]) : [];
      if (title === phrase || title === `dp.${phrase}` || `dp.${title}` === phrase) score *= 6;
      else if (sign.length && sign.join(" ") === phrase) score *= 4;
      else if (words.length === 1 && phrase.length === 1 && sign.includes(phrase)) score *= 2.5;
      else if (words.length > 1 && title.includes(phrase)) score *= 2;
      else if (words.length > 1 && record.said.includes(` ${phrase}`)) score *= 1.5;
      if (kinds.has(record.kind) || kinds.has(record.also))
        score *= kinds.has(record.also) && /^(lecture|exercises)/.test(record.name) ? 60 : 4;
      if (kinds.has("explorer") && record.kind !== "explorer") score *= 0.02;
      if (words.length === 1 && phrase.length > 3 && !kinds.size && record.kind === "chapter" && here[0] > 5)
        score *= 10;
      if (number) score *= record.number === number ? 3 : 0.3;
      hits.push([score, record, share > 0.999]);
    });
    hits.sort((a, b) => b[0] - a[0]);
    const whole = hits.filter(([, , full]) => full);
    // The closest first; if that one has all words, those that have not are left out.
    return { hits: (hits[0]?.[2] ? whole : hits).map(([, record]) => record), full: Boolean(hits[0]?.[2]) };
  };

  const find = (query) => {
    const typed = split(query),
      kinds = new Set();
    let number = 0,
      words = typed.filter((word) => !STOP.has(word));
    if (!words.length) words = typed;
    if (!words.length) return { hits: [], words };
    const lost = [];
    let instead = false;
    const there = (word) => others(word).length || wanted.has(word) || records.some((record) => met(word, record, true)); // biome-ignore format: one line
    words = words.flatMap((word) => {
      if (there(word)) return [word];
      const better = mended(word);
      if (better === word) {
        lost.push(word);
        return [];
      }
      instead = true;
      return [better];
    });
    if (!words.length) return { hits: [], words, lost };
    // Who types two numbers or more has settings of a training.
    const numbers = words.filter((word) => /^\d+(\.\d+)?(e[+-]?\d+)?$/.test(word));
    if (numbers.length > 1 && numbers.some((word) => word.includes("."))) {
      kinds.add("run");
      words = words.filter((word) => !numbers.includes(word));
    }
    // "Exercise", "picture", "ch 5" say which place is meant, unless nothing else is said.
    const rest = words.filter((word) => !wanted.has(word));
    const numbered = rest.filter((word) => /^\d\d?$/.test(word) && +word >= 1 && +word <= 20 && words.length > 1);
    const only = words.length === 1 && /exercise|lecture/.test(wanted.get(words[0]));
    if (only || (words.some((word) => wanted.has(word)) && words.length > 1)) {
      for (const word of words) if (wanted.has(word)) kinds.add(wanted.get(word));
      if (kinds.size > 1) kinds.delete("chapter");
      if (numbered.length) number = +numbered[0];
      words = rest.filter((word) => !number || !numbered.includes(word));
    }
    return { ...look(words, kinds, number), words, lost, instead: instead ? words.join(" ") : "" };
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
  // What is raised in a formula, as e^ε or (1 − p)^(n − 1), is raised here as well.
  const RAISED = /\^(?:\(([^()]+)\)|([−-]?[\p{L}\p{N}*]+))/u;
  const marked = (text, words) => {
    const out = document.createDocumentFragment();
    text.split(RAISED).forEach((part, k) => {
      if (!part) return;
      const shown = highlighted(part, words);
      out.append(k % 3 ? make("sup", {}, shown) : shown);
    });
    return out;
  };
  const highlighted = (text, words) => {
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
      const { hits, words, instead, lost, full } = find(input.value);
      told.textContent = !input.value.trim()
        ? ""
        : !hits.length
          ? "No results."
          : lost?.length
            ? `This book does not say “${lost.join("”, “")}”; the closest to the rest:`
            : instead
              ? `Nothing is found as typed; found for “${instead}”:`
              : !full
                ? "No place has all of these words; the closest:"
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
    // Of an address that does not exist: the words of its last part.
    const lost = "lost" in page.dataset ? location.pathname.split("/").pop().replace(/\.html$/, "").replace(/^\d+|[_-]+/g, " ") : ""; // biome-ignore format: one line
    input.value = new URLSearchParams(location.search).get("q") ?? lost;
    index().then(show);
    input.focus();
  }
})();
