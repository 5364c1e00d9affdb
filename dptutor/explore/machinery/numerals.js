// One grammar for what is typed as a number, in questions, fields of explorers and predictions: 0.25, .25, 0,25, 1/4, 25 %,
// 3 000, 1e-5, 10⁻⁵, 2.5·10^-3, −0.3, exp(-1).

const numerals = (() => {
  const FUNCTIONS = { exp: Math.exp, ln: Math.log, log: Math.log, sqrt: Math.sqrt, "√": Math.sqrt };
  const CONSTANTS = { e: Math.E, pi: Math.PI, π: Math.PI, "½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4 };
  const TOKEN = /\s*(?:(\d+(?:[.,]\d*)?(?:e[+-]?\d+)?|[.,]\d+(?:e[+-]?\d+)?)|(\*\*|[-+*/^%()√π½¼¾]|[a-z]+))/y;
  const SIGNS = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹",
    RAISED = /[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+/g;

  const POWER = /^([-+]?)(?:([\d.,]+)\s*\*\s*)?10\s*(?:\^|\*\*)\s*(?:\(([-+]?\d+)\)|([-+]?\d+))(?![\d.,^*%])/;

  // {value} or {problem}, which is a kind word.
  function read(text) {
    let typed = text.trim().toLowerCase().replace(/[−–]/g, "-").replace(/[×·⋅]/g, "*").replace(/[÷:]/g, "/");
    typed = typed.replace(
      RAISED,
      (raised) => `^(${[...raised].map((sign) => "-0123456789"[SIGNS.indexOf(sign)]).join("")})`,
    );
    if (/^[-+]?\d{1,3}([ \u00a0\u2009\u202f'’]\d{3})+([.,]\d*)?$/.test(typed)) typed = typed.replace(/[\s'’]/g, "");
    // 2.5·10^-3 is the number that a program has for 2.5e-3; multiplied it would be off by a rounding.
    typed = typed.replace(POWER, (_, sign, factor = "1", inside, bare) => `${sign}${factor}e${inside ?? bare}`);
    if (!typed) return { problem: "There is nothing to check yet: type a number first." };
    const plain = /^[-+]?(\d+\.?\d*|\.\d+)$/.test(typed);
    // One comma is a decimal point, more of them part thousands.
    if (/^[-+]?\d{1,3}(,\d{3}){2,}(\.\d*)?$/.test(typed)) typed = typed.replace(/,/g, "");
    let value;
    try {
      value = work(tokens(typed));
    } catch {
      return { problem: "I cannot read this as a number. Numbers such as 0.25, .25, 1/4, 25 % or exp(-1) are fine." };
    }
    if (Number.isNaN(value))
      return { problem: "This works out to no number. Is there a 0/0, or a root or logarithm that does not exist?" };
    if (!Number.isFinite(value))
      return { problem: "This is infinite, or too large to work with. The answer is a finite number." };
    return { value, plain };
  }

  function tokens(typed) {
    const found = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < typed.length) {
      const match = TOKEN.exec(typed);
      if (!match) throw new SyntaxError(typed);
      found.push(match[1] ? Number(match[1].replace(",", ".")) : match[2]);
    }
    return found;
  }

  // sum: product (± product)*, product: sign (·/ sign)*, sign: ± power, power: atom %* (^ sign)?
  function work(queue) {
    const take = (...signs) => (signs.includes(queue[0]) ? queue.shift() : null);
    const sum = () => {
      let value = product();
      for (let sign; (sign = take("+", "-")); ) value += sign === "+" ? product() : -product();
      return value;
    };
    const product = () => {
      let value = signed();
      for (let sign; (sign = take("*", "/")); ) value = sign === "*" ? value * signed() : value / signed();
      return value;
    };
    const signed = () => {
      const sign = take("+", "-");
      return sign ? (sign === "-" ? -signed() : signed()) : power();
    };
    const power = () => {
      let value = atom();
      while (take("%")) value /= 100;
      return take("^", "**") ? value ** signed() : value;
    };
    const atom = () => {
      const next = queue.shift();
      if (typeof next === "number") return next;
      if (next === "(") {
        const value = sum();
        if (!take(")")) throw new SyntaxError(next);
        return value;
      }
      if (Object.hasOwn(CONSTANTS, next)) return CONSTANTS[next];
      if (Object.hasOwn(FUNCTIONS, next)) return FUNCTIONS[next](atom());
      throw new SyntaxError(next);
    };
    const value = sum();
    if (queue.length) throw new SyntaxError(queue[0]);
    return value;
  }

  // Python's format(value, ".6g").
  function shown(value) {
    if (value === 0) return Object.is(value, -0) ? "-0" : "0";
    const [digits, exponent] = value.toExponential(5).split("e");
    if (exponent >= -4 && exponent < 6) return String(Number(value.toFixed(5 - exponent)));
    const power = Math.abs(exponent).toString().padStart(2, "0");
    return `${Number(digits)}e${exponent < 0 ? "-" : "+"}${power}`;
  }

  return { read, shown };
})();
