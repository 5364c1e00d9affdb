// Judges the questions of a page. What is right, and the replies, come with each question; this file only reads what
// was typed, compares as `Exercise.check` does, and remembers right answers in this browser.

const KEPT = "dptutor-questions";

// As Exercise.check: what is right, the first mistake that it looks like, a law it breaks, or where it lies.
function judge(data, value) {
  if (Math.abs(value - data.right) <= data.tolerance) return { passed: true, message: data.praise };
  const mistake = data.mistakes.find(([other, , near]) => Math.abs(value - other) <= near);
  const law = data.laws.find(([least, most]) => value < (least ?? -Infinity) || value > (most ?? Infinity));
  const message =
    mistake?.[1] ??
    law?.[2] ??
    `Your answer is ${numerals.shown(value + 0)}, which is too ${value > data.right ? "large" : "small"}.`;
  return { passed: false, message, known: Boolean(mistake) };
}

// What is remembered: the right answers as they were typed. Where nothing can be kept, nothing is.

function remember(changes) {
  const kept = Object.entries({ ...shelf.entries(KEPT), ...changes }).filter(([, text]) => text !== null);
  shelf.set(KEPT, kept.length ? Object.fromEntries(kept) : null);
}

// A question.

function element(tag, text, name) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

class Question {
  constructor(form, changed) {
    this.form = form;
    this.id = form.dataset.question;
    this.done = false;
    this.seen = 0; // hints
    const bytes = Uint8Array.from(atob(this.find(".dpq-data").textContent), (letter) => letter.charCodeAt(0));
    this.data = JSON.parse(new TextDecoder().decode(bytes));
    this.typed = this.find("input[type=text]");
    this.find(".dpq-entry").hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.check()) remember({ [this.id]: this.answer });
      changed();
    });
    this.hints = [...form.querySelectorAll(".dpq-hint")];
    this.hints.forEach((hint, place) => hint.addEventListener("toggle", () => this.unfold(hint.open ? place + 1 : 0)));
    this.unfold();
    this.find(".dpq-show").addEventListener("click", () => this.work(this.find(".dpq-worked").hidden));
  }

  find(selector) {
    return this.form.querySelector(selector);
  }

  get answer() {
    return this.typed ? this.typed.value : (this.find("input:checked")?.value ?? "");
  }

  set answer(text) {
    if (this.typed) this.typed.value = text;
    else this.form.querySelectorAll("input").forEach((option) => (option.checked = option.value === text));
  }

  // Says what there is to say to the answer; true if it is right.
  check() {
    const given = this.typed || this.answer ? numerals.read(this.answer) : { problem: "Choose one of them first." };
    if (given.problem) {
      this.say("", "…", given.problem);
      return false;
    }
    const { passed, message, known } = judge(this.data, given.value);
    const asides = [];
    if (this.typed && !given.plain) asides.push(`I read ${this.answer.trim()} as ${numerals.shown(given.value)}.`);
    if (!passed && !known && !this.hints.at(-1).open) asides.push("A hint may help.");
    this.say(passed ? "right" : "wrong", passed ? "✔" : "✘", message, asides);
    this.mark(this.done || passed);
    if (passed) {
      const why = element("p", "");
      why.innerHTML = this.data.why;
      this.find(".dpq-reply").append(why);
    }
    return passed;
  }

  say(verdict, sign, message, asides = []) {
    const reply = this.find(".dpq-reply");
    const line = element("p", "");
    const mark = element("span", sign, "dpq-sign");
    mark.setAttribute("aria-hidden", "true");
    const told = element("span", "", "dpq-message");
    told.innerHTML = message; // the question's own, or ours: never what was typed
    line.append(mark, " ", told);
    reply.dataset.verdict = verdict;
    reply.replaceChildren(line, ...asides.map((text) => element("p", text, "dpq-aside")));
  }

  mark(done) {
    this.done = done;
    this.form.classList.toggle("dpq-done", done);
    this.unfold();
  }

  // A hint is offered when the one before was opened; after the third, or the right answer, the worked answer.
  unfold(seen = 0) {
    this.seen = Math.max(this.seen, seen);
    this.hints.forEach((hint, place) => (hint.hidden = place > this.seen));
    this.find(".dpq-show").hidden = !this.done && this.seen < this.hints.length;
  }

  work(shown) {
    const worked = this.find(".dpq-worked");
    const show = this.find(".dpq-show");
    const why = element("p", "");
    why.innerHTML = this.data.why;
    const code = element("pre", "");
    code.tabIndex = 0;
    code.append(element("code", this.data.code));
    worked.replaceChildren(why, code);
    worked.hidden = !shown;
    show.textContent = shown ? "Hide the worked answer" : "Show the worked answer";
    show.setAttribute("aria-expanded", String(shown));
  }

  // As if it had never been tried.
  erase() {
    this.answer = "";
    this.find(".dpq-reply").replaceChildren();
    delete this.find(".dpq-reply").dataset.verdict;
    this.hints.forEach((hint) => (hint.open = false));
    this.seen = 0;
    this.work(false);
    this.mark(false);
  }
}

// All questions of a page, and the ring that counts them.

function start(sheet) {
  const find = (selector) => sheet.querySelector(selector);
  const count = () => {
    const done = questions.filter((question) => question.done).length;
    find(".dpq-count").textContent = `${done} of ${questions.length} answered`;
    find(".dpq-ring circle + circle").style.strokeDasharray = `${done / questions.length} 1`;
    find(".dpq-erase").hidden =
      !Object.keys(shelf.entries(KEPT)).some((id) => questions.some((question) => question.id === id)) && !done;
  };
  const questions = [...sheet.querySelectorAll(".dpq-question")].map((form) => new Question(form, count));
  const kept = shelf.entries(KEPT);
  for (const question of questions) {
    // Judged anew: the question may have changed since.
    if (typeof kept[question.id] !== "string") continue;
    question.answer = kept[question.id];
    if (!question.check()) question.erase();
  }
  find(".dpq-erase").addEventListener("click", () => {
    remember(Object.fromEntries(questions.map((question) => [question.id, null])));
    questions.forEach((question) => question.erase());
    count();
    questions[0].form.querySelector("input").focus();
  });
  for (const part of sheet.querySelectorAll(".dpq-head, .dpq-note")) part.hidden = false;
  find(".dpq-silent").hidden = true;
  count();
}

for (const sheet of document.querySelectorAll(".dptutor-questions:not([data-ready])")) {
  sheet.dataset.ready = "";
  start(sheet);
}
