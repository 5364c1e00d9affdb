// What style sheets cannot do. Every page loads it, after its text.

(() => {
  const root = document.documentElement;
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  // Light and dark.

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  document.querySelector(".theme-switch-button").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      /* it lasts as long as the page */
    }
  });
  dark.addEventListener("change", () => {
    if (!stored("theme")) root.dataset.theme = dark.matches ? "dark" : "light";
  });

  // Menus open without a script. A link in the page's contents closes them, and the chapters show where the reader is.

  const chapters = document.getElementById("chapters"),
    contents = document.getElementById("contents");
  contents?.addEventListener("click", ({ target }) => {
    if (target.closest("a")) contents.hidePopover();
  });
  chapters.addEventListener("toggle", () => {
    chapters.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
    mark();
  });

  // A report says where the reader is: the page with the setting of its explorer, and the section.

  const report = document.querySelector(".foot .report");
  report?.addEventListener("click", () => {
    const above = all("article :is(h1, h2, h3)").filter(
      (heading) => heading.getBoundingClientRect().top < innerHeight / 2,
    );
    const section = above.at(-1)?.firstChild?.textContent ?? "";
    const to = new URL(report.href),
      mail = to.protocol === "mailto:";
    to.searchParams.set(mail ? "subject" : "title", `${document.title}: ${section}`);
    to.searchParams.set(
      "body",
      `${location.href}\nSection: ${section}\n${/Version [\d.]+/.exec(document.querySelector(".foot p").textContent)?.[0] ?? ""}\n\n`,
    );
    report.href = mail ? to.href.replaceAll("+", "%20") : to.href;
  });

  // Code to copy has the address of this site.

  for (const code of all(".gallery pre"))
    code.textContent = code.textContent.replace("…/", new URL("../", location.href).href);

  // What this reader has answered, beside each chapter.

  const mark = () => {
    const counts = new Map();
    for (const name of Object.keys(answers())) {
      const chapter = /^ask-(\d\d)-/.exec(name)?.[1];
      if (chapter) counts.set(chapter, (counts.get(chapter) ?? 0) + 1);
    }
    for (const link of all("a", chapters)) {
      const count = counts.get(/book\/(\d\d)_[^/]*$/.exec(link.pathname)?.[1]);
      link.querySelector(".done")?.remove();
      if (count)
        link.append(
          Object.assign(document.createElement("span"), { className: "done", textContent: `${count} answered` }),
        );
    }
  };

  // Who has kept a pair of mechanisms on "Your own run" sees the curve of a chapter for it.

  const FACES = {
    "02": "f",
    "03": "d",
    "04": "d",
    "05": "R",
    "06": "f",
    "07": "R",
    "08": "R",
    "09": "d",
    10: "R",
    11: "f",
    12: "d",
    13: "f",
    15: "f",
    16: "d",
  };
  const chapter = /\/book\/(\d\d)_[^/]*$/.exec(location.pathname)?.[1],
    pair = stored("dptutor-pair");
  if (pair && FACES[chapter]) {
    const link = Object.assign(document.createElement("a"), {
      href: `your_run.html#${pair}&view=${FACES[chapter]}`,
      textContent: "See it for your pair",
    });
    const line = Object.assign(document.createElement("p"), { className: "my-pair" });
    line.append(link);
    document.querySelector("article .cell:has(.dptutor-explorer)")?.after(line);
  }
  // The last chapter ends with a report on it, which is computed when it comes near the screen.
  const invitation = document.querySelector(".my-report");
  if (pair && invitation) {
    const report = Object.assign(document.createElement("div"), { className: "dptutor-run run-waits wide" });
    Object.assign(report.dataset, { pair, script: "../_static/run.js" });
    invitation.replaceWith(report);
    const near = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        near.disconnect();
        document.head.append(Object.assign(document.createElement("script"), { src: report.dataset.script }));
      },
      { rootMargin: "600px" },
    );
    near.observe(report);
  }

  // What a link to a term, a statement, an equation or a source leads to shows itself beside it: under a resting pointer,
  // at a link that keys have reached, and at the first touch, which the second follows. So does what a letter of a formula
  // means, under a pointer and at a touch.

  const brought = new Map(all(".previews > [data-target]").map((card) => [card.dataset.target, card]));
  const leadsTo = (link) => {
    const [page, anchor] = link.href.split("/").pop().split("#");
    if (!anchor || anchor.includes("=")) return null; // "A=1%" is a setting, not the name of a place
    if (brought.has(`${page}#${anchor}`)) return brought.get(`${page}#${anchor}`);
    if (page === "references.html" && (link.title || link.dataset.source)) {
      link.dataset.source ??= link.title; // the browser would show it too
      link.removeAttribute("title");
      const source = document.createElement("div");
      source.append(Object.assign(document.createElement("p"), { textContent: link.dataset.source }));
      return source;
    }
    const there = link.pathname === location.pathname && document.getElementById(decodeURIComponent(anchor));
    return there?.matches?.(".proof, .math") ? there : null;
  };
  const meaningOf = (letter) => {
    const known = globalThis.dptutorSymbols?.[letter.textContent] ?? [];
    const before = letter.previousElementSibling,
      outer = before?.matches("mspace") ? letter.parentElement : letter; // upright letters come with a space
    const indexed = outer.parentElement.matches("msub, msubsup") && outer.parentElement.firstElementChild === outer;
    const numeral = before?.matches("mn"); // 2π is a number
    const meant = numeral ? [] : known.filter(([index]) => index === indexed);
    if (!meant.length) return null;
    return Object.assign(document.createElement("div"), { innerHTML: meant.map(([, said]) => said).join("") });
  };
  // Asked for once, at the first letter.
  let meanings = null;
  const symbols = () => {
    meanings ??= new Promise((arrived) => {
      const script = document.createElement("script");
      script.src = new URL("../_static/symbols.js", location.href);
      script.onload = arrived;
      document.head.append(script);
    });
    return meanings;
  };
  const card = Object.assign(document.createElement("div"), {
    className: "card",
    id: "card",
    role: "tooltip",
    popover: "manual",
  });
  let shownFor = null,
    waiting = 0;
  const hide = () => {
    clearTimeout(waiting);
    if (shownFor) card.hidePopover();
    shownFor?.removeAttribute("aria-describedby");
    shownFor = null;
  };
  const show = (link, content) => {
    hide();
    if (!card.isConnected) document.body.append(card);
    const inside = content.cloneNode(true);
    for (const part of [inside, ...all("[id]", inside)]) part.removeAttribute("id");
    for (const part of all(".headerlink, .aside", inside)) part.remove();
    card.replaceChildren(...inside.childNodes);
    card.showPopover();
    shownFor = link;
    if (link.matches("a")) link.setAttribute("aria-describedby", card.id);
    place();
  };
  const place = () => {
    const [box, { width, height }] = [shownFor.getClientRects()[0], card.getBoundingClientRect()];
    const below = box.bottom + 6 + height < innerHeight || box.top < height + 66;
    card.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
    card.style.top = `${below ? box.bottom + 6 : box.top - height - 6}px`;
  };
  const wait = (act, time) => {
    clearTimeout(waiting);
    waiting = setTimeout(act, time);
  };
  const linkAt = (target) => target.closest?.("article a[href]:not(.headerlink)");
  const letterAt = (target) =>
    target.closest?.("a, button, label, summary, [data-explorer]") ? null : target.closest?.("article math mi");
  const explain = async (letter, time) => {
    await symbols();
    const content = meaningOf(letter);
    if (content && letter.isConnected) wait(() => show(letter, content), time);
    else if (shownFor) wait(hide, 250);
  };
  let touched = false;
  addEventListener("pointerdown", ({ pointerType, target }) => {
    touched = pointerType !== "mouse";
    if (shownFor && !card.contains(target) && (linkAt(target) ?? letterAt(target)) !== shownFor) hide();
  });
  addEventListener("pointerover", ({ pointerType, target }) => {
    if (pointerType !== "mouse") return;
    if (card.contains(target)) return clearTimeout(waiting);
    const link = linkAt(target),
      letter = !link && letterAt(target);
    if (shownFor && (link ?? letter) === shownFor) return clearTimeout(waiting);
    const content = link && leadsTo(link);
    if (content) wait(() => link.matches(":hover") && show(link, content), 250);
    else if (letter) {
      clearTimeout(waiting);
      explain(letter, 500);
    } else wait(hide, 250);
  });
  addEventListener("focusin", ({ target }) => {
    const link = !touched && target.matches?.(":focus-visible") && linkAt(target),
      content = link && leadsTo(link);
    if (content) show(link, content);
    else if (!card.contains(target)) hide();
  });
  addEventListener("click", (event) => {
    const link = linkAt(event.target),
      content = link && leadsTo(link);
    if (content && touched && link !== shownFor) {
      event.preventDefault();
      show(link, content);
      return;
    }
    const letter = !link && touched && letterAt(event.target);
    if (letter && letter !== shownFor) explain(letter, 0);
    else hide();
  });
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") hide();
  });
  // What keys have reached may have to come into view first.
  const moved = () => {
    if (!shownFor) return; // the end of a scroll must not take a card from a pointer that already rests
    if (shownFor === document.activeElement && !touched) place();
    else hide();
  };
  addEventListener("scroll", moved, { passive: true });

  // A phrase that moves a picture elsewhere on the page leaves a way back to the text, until the reader is there again.

  const back = Object.assign(document.createElement("button"), {
    type: "button",
    className: "back-to-text",
    textContent: "Back to the text",
    popover: "manual",
  });
  let left = null;
  const stay = () => {
    left?.seen.disconnect();
    back.remove();
    left = null;
  };
  const leave = (phrase, picture, byKeys) => {
    stay();
    const leaving = { phrase, top: phrase.getBoundingClientRect().top };
    leaving.seen = new IntersectionObserver((entries) => {
      const { isIntersecting } = entries.at(-1); // a busy page is told of several frames at once
      if (isIntersecting === !back.isConnected) return; // still there, or still away
      if (isIntersecting) return stay();
      picture.after(back);
      back.showPopover();
      if (byKeys) back.focus({ preventScroll: true });
    });
    leaving.seen.observe(phrase);
    left = leaving;
  };
  back.addEventListener("click", () => {
    const { phrase, top } = left;
    stay();
    phrase.focus({ preventScroll: true });
    // What is laid out on the way may move it.
    const go = () => scrollBy({ top: phrase.getBoundingClientRect().top - top, behavior: "instant" });
    go();
    requestAnimationFrame(go);
  });
  addEventListener(
    "click",
    ({ target, detail }) => {
      const phrase = target.closest?.("a[data-move]"),
        name = phrase && /^#(\w+)\?/.exec(phrase.getAttribute("href"))?.[1],
        picture = name && document.querySelector(`[data-explorer="${name}"][data-frozen]`);
      const shown = picture?.querySelector(".dpe-panels").getBoundingClientRect();
      if (shown && (shown.top < 0 || shown.bottom > innerHeight)) leave(phrase, picture, !detail);
      else if (phrase) stay();
    },
    { capture: true },
  );

  // Searching: its script and its index come when somebody asks for them.

  const field = document.querySelector(".search-button");
  const search = () => {
    if (globalThis.dptutorSearch) return globalThis.dptutorSearch();
    const script = document.createElement("script");
    script.src = field.dataset.search;
    script.onload = () => globalThis.dptutorSearch();
    document.head.append(script);
    return undefined;
  };
  field.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || document.getElementById("search-page")) return;
    event.preventDefault();
    search();
  });
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input:not([type=range], [type=radio]), textarea, select");
    if (((event.ctrlKey || event.metaKey) && event.key === "k") || (event.key === "/" && !typing)) {
      event.preventDefault();
      search();
    }
  });

  // What scrolls sideways can be scrolled by keys. Its width is asked for when it is on the screen: before, the browser
  // would have to lay out all that it has put off.

  const reachable = (box) => {
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
  };
  const met = [];
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        met.push(target);
        reachable(target);
      }
    },
    { rootMargin: "200px" },
  );
  // Wider letters, or a narrower window, may make what fitted scroll.
  document.fonts.addEventListener("loadingdone", () => met.forEach(reachable));
  addEventListener("resize", () => met.forEach(reachable));
  for (const box of all("article pre, div.math, div.table, .cell_output, table.dptutor-numbers")) seen.observe(box);

  // What is far from the screen is laid out when there is nothing else to do, one at a time: then the page is as tall
  // as it will be, and what is asked of all of it finds all of it. Labels' letters that first stand far down are asked for
  // before: all labels are laid out anew when they come.

  const idle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 200));
  const later = all(".later");
  const layOut = () => {
    const piece = later.shift();
    if (!piece) return;
    piece.style.contentVisibility = "visible";
    requestAnimationFrame(() => idle(layOut));
  };
  // From a folder all letters cost nothing, and whoever prints from there, as `make pdf` does, does not wait for any.
  const FAMILIES = ["Source Sans 3"],
    STYLES = ["normal", "italic"];
  if (location.protocol === "file:") {
    FAMILIES.push("STIX Two Text", "STIX Two Math", "Symbols", "Signs");
    STYLES.push("600", "italic 600");
  }
  const letters = FAMILIES.flatMap((family) => STYLES.map((style) => `${style} 16px "${family}"`));
  const lettersCome = () => letters.map((font) => document.fonts.load(font, document.body.textContent));
  addEventListener("load", () => setTimeout(() => Promise.allSettled(lettersCome()).then(() => idle(layOut)), 500));

  // Back at a page, the reader finds what was on the screen. The browser restores a distance from the top, which is another
  // place as long as not all is laid out.

  const blocks = all("article :is(p, li, h2, h3, pre, figure, table, div.math)"),
    PLACE = `dptutor-place ${location.pathname}`;
  addEventListener("pagehide", () => {
    const number = blocks.findIndex((block) => {
      const { bottom, height } = block.getBoundingClientRect();
      return bottom > 60 && height && !block.closest("details:not([open])");
    });
    try {
      if (scrollY < 60 || number < 0) sessionStorage.removeItem(PLACE);
      else sessionStorage.setItem(PLACE, `${number} ${blocks[number].getBoundingClientRect().top}`);
    } catch {
      /* the browser does it, roughly */
    }
  });
  const returning = performance.getEntriesByType("navigation")[0]?.type;
  if (returning === "back_forward" || returning === "reload")
    try {
      const [number, top] = (sessionStorage.getItem(PLACE) ?? "").split(" ").map(Number),
        block = top !== undefined && blocks[number];
      if (block) {
        history.scrollRestoration = "manual";
        for (let up = block; up; up = up.parentElement)
          if (up.matches(".later")) up.style.contentVisibility = "visible";
        for (let up = block; up; up = up.parentElement) if (up.matches("details")) up.open = true;
        const restore = () => scrollBy(0, block.getBoundingClientRect().top - top);
        restore();
        addEventListener("load", restore, { once: true });
      }
    } catch {
      /* as above */
    }

  // Code is copied without prompts and without what it answers.

  const NOTHING_TO_COPY = ".cell_output .highlight, .output .highlight";
  const code = (pre) => {
    const lines = pre.textContent.replace(/\n$/, "").split("\n");
    if (!lines.some((line) => /^(>>>|\$) /.test(line))) return lines.join("\n");
    return lines
      .filter((line) => /^(>>>|\.\.\.|\$)( |$)/.test(line))
      .map((line) => line.replace(/^(>>>|\.\.\.|\$) ?/, ""))
      .join("\n");
  };
  const buttons = () => {
    for (const pre of all("article .highlight > pre")) {
      if (pre.closest(NOTHING_TO_COPY)) continue;
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "copybtn", textContent: "Copy" });
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(code(pre));
          button.textContent = "Copied";
          button.classList.add("success");
        } catch {
          getSelection().selectAllChildren(pre);
          button.textContent = "Selected";
        }
        setTimeout(() => {
          button.textContent = "Copy";
          button.classList.remove("success");
        }, 2000);
      });
      pre.after(button);
    }
  };
  idle(buttons);

  // A formula is copied as its TeX, not as a column of letters.

  addEventListener("copy", (event) => {
    const selection = getSelection();
    if (!selection.rangeCount || event.target.closest?.("input, textarea")) return;
    const piece = selection.getRangeAt(0).cloneContents();
    const formulas = all("math[data-tex]", piece);
    if (!formulas.length) return;
    for (const formula of formulas) {
      const dollars = formula.getAttribute("display") === "block" ? "$$" : "$";
      formula.replaceWith(dollars + formula.dataset.tex + dollars);
    }
    event.preventDefault();
    event.clipboardData.setData("text/plain", piece.textContent);
  });

  // Folded pictures come after all others: what is opened for printing is printed at once.

  addEventListener("load", () => {
    for (const image of all("article details img[loading]")) image.loading = "eager";
  });

  // On paper nothing can be opened, and ink is dark: folded things open for the time of printing, in light colors.

  let unprinted = () => {};
  addEventListener("beforeprint", () => {
    const folded = all("article details:not([open])"),
      { theme } = root.dataset;
    unprinted = () => {
      for (const details of folded) details.open = false;
      root.dataset.theme = theme;
    };
    for (const details of folded) details.open = true;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => unprinted());
})();
