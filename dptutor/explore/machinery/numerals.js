// One grammar for what is typed as a number, in questions, fields of explorers, sketches and "Your own run": 0.25, .25, 0,25,
// 1/4, 25%, 3 000, 1e-5, 10⁻⁵, 2.5·10^-3, −0.3, exp(-1). `dptutor/exercises/judging/numerals.py` reads the same description and
// gives the same numbers and refusals; tests/numerals.yaml is the table of cases for both, and for how numbers are shown.

const numerals = (() => {
  // JSON, up to the semicolon, as Python reads it too. A form is what a number looks like, the characters that part its
  // thousands and that of its decimals; the first form that fits is taken.
  // biome-ignore format: JSON
  const GRAMMAR = {
    "longest": 200,
    "spaces": " \t\n\r\u000b\f\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000",
    "unseen": "\u00ad\u200b\u200e\u200f\u2060\ufeff",
    "ahead": "(?:[a-zΑ-ω]+ *)?[=≈~≃] *",
    "same": {
      "-": "−–‐‑﹣－", "+": "＋﬩", "*": "×·⋅∙＊", "/": "÷:∕⁄／", "(": "（", ")": "）", "^": "＾", "%": "％٪",
      ".": "．٫", ",": "，", "'": "’", "∞": "♾", "π": "Π",
      "0": "０٠۰", "1": "１١۱", "2": "２٢۲", "3": "３٣۳", "4": "４٤۴",
      "5": "５٥۵", "6": "６٦۶", "7": "７٧۷", "8": "８٨۸", "9": "９٩۹",
      "a": "A", "b": "B", "c": "C", "d": "D", "e": "E", "f": "F", "g": "G", "h": "H", "i": "I", "j": "J", "k": "K", "l": "L",
      "m": "M", "n": "N", "o": "O", "p": "P", "q": "Q", "r": "R", "s": "S", "t": "T", "u": "U", "v": "V", "w": "W", "x": "X",
      "y": "Y", "z": "Z"
    },
    "raised": {"⁻": "-", "⁺": "+", "⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9"},
    "forms": [
      ["[1-9][0-9]{0,2}(?:[ '_][0-9]{3})+(?:[.,][0-9]*)?", " '_", ","],
      ["[1-9][0-9]{0,2}(?:,[0-9]{3})+\\.[0-9]*", ",", ""],
      ["[1-9][0-9]{0,2}(?:,[0-9]{3}){2,}", ",", ""],
      ["[1-9][0-9]{0,2},000", ",", ""],
      ["[1-9][0-9]{0,2}(?:\\.[0-9]{3})+,[0-9]+", ".", ","],
      ["[1-9][0-9]{0,2}(?:\\.[0-9]{3}){2,}", ".", ""],
      ["[1-9][0-9]{0,2},[0-9]{3}", ",", "", "ambiguous"],
      ["[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+", "", ","]
    ],
    "exponent": "(?:e[-+]?[0-9]+)?(?![0-9.,])",
    "sign": "\\*\\*|[-+*/^%‰()√∞½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒π]|[a-z]+",
    "shares": {"%": 100, "percent": 100, "‰": 1000},
    "functions": {"exp": "exp", "ln": "log", "log": "log", "sqrt": "sqrt", "√": "sqrt"},
    "constants": {"e": "E", "pi": "PI", "π": "PI"},
    "quotients": {
      "∞": [1, 0], "inf": [1, 0], "infinity": [1, 0], "½": [1, 2], "⅓": [1, 3], "⅔": [2, 3], "¼": [1, 4], "¾": [3, 4],
      "⅕": [1, 5], "⅖": [2, 5], "⅗": [3, 5], "⅘": [4, 5], "⅙": [1, 6], "⅚": [5, 6], "⅐": [1, 7],
      "⅛": [1, 8], "⅜": [3, 8], "⅝": [5, 8], "⅞": [7, 8], "⅑": [1, 9], "⅒": [1, 10]
    },
    "refusals": {
      "empty": "There is nothing to check yet: type a number first.",
      "unreadable": "I cannot read this as a number. Numbers such as 0.25, .25, 1/4, 25% or exp(-1) are fine.",
      "ambiguous": "This comma could mark thousands or decimals. Leave it out, or write a point for the decimals.",
      "undefined": "This works out to no number. Is there a 0/0, or a root or logarithm that does not exist?",
      "infinite": "This is infinite, or too large to work with. The answer is a finite number."
    }
  };

  const SAME = new Map(
    Object.entries(GRAMMAR.same).flatMap(([plain, others]) => [...others].map((one) => [one, plain])),
  );
  const SPACES = new Set(GRAMMAR.spaces),
    UNSEEN = new Set(GRAMMAR.unseen);
  const FORMS = GRAMMAR.forms.map(([form, parting, point, refusal]) => [
    new RegExp(`(?:${form})${GRAMMAR.exponent}`, "y"),
    parting,
    point,
    refusal,
  ]);
  const SIGN = new RegExp(GRAMMAR.sign, "y");
  const AHEAD = new RegExp(`^${GRAMMAR.ahead}`);
  const LONGEST_WHOLE = 15;

  class Refusal extends Error {}
  const refuse = (reason) => {
    throw new Refusal(reason);
  };

  // {value, plain} or {problem, reason}, where the problem is a kind word. In counts a comma always parts thousands.
  function read(text, counts = false) {
    try {
      const typed = normal(text);
      if (!typed) refuse("empty");
      const value = work(tokens(typed, counts));
      if (Number.isNaN(value)) refuse("undefined");
      if (!Number.isFinite(value)) refuse("infinite");
      return { value, plain: /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)$/.test(typed) };
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      return { problem: GRAMMAR.refusals[refusal.message], reason: refusal.message };
    }
  }

  // In the characters of the grammar, all spaces alike, what is raised as a power, and no "≈" or "α =" ahead.
  function normal(text) {
    const typed = [];
    let raised = false;
    for (const one of text) {
      if (UNSEEN.has(one)) continue;
      const power = GRAMMAR.raised[one];
      if ((power !== undefined) !== raised) typed.push(raised ? ")" : "^(");
      raised = power !== undefined;
      typed.push(power ?? SAME.get(one) ?? (SPACES.has(one) ? " " : one));
    }
    if (raised) typed.push(")");
    const all = typed.join("");
    if ([...all].length > GRAMMAR.longest) refuse("unreadable");
    return all.replace(/^ +| +$/g, "").replace(AHEAD, "");
  }

  // Numbers as {digits}, ready to be read by a program; other tokens as they are.
  function tokens(typed, counts) {
    const found = [];
    const fits = (form, place) => {
      form.lastIndex = place;
      return form.exec(typed)?.[0];
    };
    for (let place = 0; place < typed.length; ) {
      if (typed[place] === " ") {
        place += 1;
        continue;
      }
      const form = FORMS.find(([form]) => fits(form, place));
      const token = fits(form?.[0] ?? SIGN, place);
      if (!token) refuse("unreadable");
      place += token.length;
      if (!form) {
        found.push(token);
        continue;
      }
      const [, parting, point, refusal] = form;
      if (refusal && !counts) refuse(refusal);
      const digits = [...token].filter((one) => !parting.includes(one)).join("");
      found.push({ digits: point ? digits.replace(point, ".") : digits });
    }
    return powersOfTen(found);
  }

  // 2.5·10^-3 is the number that a program has for 2.5e-3; multiplied it would be off by a rounding.
  function powersOfTen(found) {
    const made = [];
    for (let k = 0; k < found.length; k++) {
      const power = found[k].digits === "10" && !["^", "**"].includes(made.at(-1)) ? exponentAt(found, k + 1) : null;
      if (!power) {
        made.push(found[k]);
        continue;
      }
      k = power.end - 1;
      const [before, factor, times] = [made.at(-3), made.at(-2), made.at(-1)];
      const whole =
        times === "*" && factor?.digits && !/e/.test(factor.digits) && [undefined, "+", "-", "("].includes(before);
      made.push({ digits: `${whole ? made.splice(-2)[0].digits : 1}e${power.exponent}` });
    }
    return made;
  }

  // What stands after a ten, if it is a whole power that is not raised again: ^3, **-3, ^(-3).
  function exponentAt(found, start) {
    let place = start;
    if (!["^", "**"].includes(found[place++])) return null;
    const inside = found[place] === "(";
    if (inside) place += 1;
    const sign = ["-", "+"].includes(found[place]) ? found[place++] : "";
    const digits = found[place++]?.digits;
    if (!/^[0-9]+$/.test(digits ?? "") || (inside && found[place++] !== ")")) return null;
    return ["^", "**"].includes(found[place]) ? null : { exponent: sign + digits, end: place };
  }

  // sum: product (± product)*, product: sign (·/ sign)*, where a function needs no ·, sign: ± sign | power, power: atom %* (^ exponent)? %*,
  // exponent: ± exponent | atom (^ exponent)?
  function work(queue) {
    const take = (...signs) => (signs.includes(queue[0]) ? queue.shift() : null);
    const functionNext = () => Object.hasOwn(GRAMMAR.functions, queue[0]);
    const sum = () => {
      let value = product();
      for (let sign; (sign = take("+", "-")); ) value += sign === "+" ? product() : -product();
      return value;
    };
    const product = () => {
      let value = signed();
      for (let sign; (sign = take("*", "/") ?? functionNext()); )
        value = sign === "/" ? value / signed() : value * signed();
      return value;
    };
    const signed = () => {
      const sign = take("+", "-");
      return sign ? (sign === "-" ? -signed() : signed()) : power();
    };
    const power = () => {
      let value = shares(atom());
      if (take("^", "**")) value **= exponent();
      return shares(value);
    };
    const exponent = () => {
      const sign = take("+", "-");
      if (sign) return sign === "-" ? -exponent() : exponent();
      const value = atom();
      return take("^", "**") ? value ** exponent() : value;
    };
    const shares = (value) => {
      for (let sign; (sign = take(...Object.keys(GRAMMAR.shares))); ) value /= GRAMMAR.shares[sign];
      return value;
    };
    const atom = () => {
      const next = queue.shift() ?? refuse("unreadable");
      if (next.digits) return Number(next.digits);
      if (next === "(") {
        const value = sum();
        return take(")") ? value : refuse("unreadable");
      }
      if (Object.hasOwn(GRAMMAR.constants, next)) return Math[GRAMMAR.constants[next]];
      if (Object.hasOwn(GRAMMAR.quotients, next)) return GRAMMAR.quotients[next][0] / GRAMMAR.quotients[next][1];
      if (Object.hasOwn(GRAMMAR.functions, next)) return Math[GRAMMAR.functions[next]](atom());
      return refuse("unreadable");
    };
    const value = sum();
    return queue.length ? refuse("unreadable") : value;
  }

  // As a reader would write it, rounded to so many digits, or to a whole number where that has more.
  function shown(value, digits = 6) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    const exponent = Number(size.toExponential().split("e")[1]);
    const places = digits <= exponent && exponent < LONGEST_WHOLE ? exponent + 1 : digits;
    const [factor, power] = size
      .toExponential(places - 1)
      .split("e")
      .map(Number);
    const sign = value < 0 ? "−" : "";
    if (-4 <= power && power < LONGEST_WHOLE) {
      const [whole, after = ""] = size.toFixed(Math.max(0, places - 1 - power)).split(".");
      const decimals = after.replace(/0+$/, "");
      const parted = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
      return sign + parted + (decimals && `.${decimals}`);
    }
    const raised = [...String(power)].map((one) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(one)]).join("");
    return `${sign}${factor === 1 ? "" : `${factor}·`}10${raised}`;
  }

  return { read, shown };
})();
