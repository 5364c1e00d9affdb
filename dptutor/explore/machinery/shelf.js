// What this browser keeps, as JSON under a name. One that keeps nothing loses it with the page.

const shelf = {
  get(name) {
    try {
      return JSON.parse(localStorage.getItem(name));
    } catch {
      return null;
    }
  },
  // What is kept by name under a name; nothing, if that is something else.
  entries(name) {
    const kept = this.get(name);
    return kept && typeof kept === "object" && !Array.isArray(kept) ? kept : {};
  },
  set(name, value) {
    try {
      if (value === null) localStorage.removeItem(name);
      else localStorage.setItem(name, JSON.stringify(value));
    } catch {
      /* only until the page is left */
    }
  },
};
