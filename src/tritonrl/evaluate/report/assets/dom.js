// Elements are made here, and only from text: nothing that a model wrote is ever read as markup.

const $ = (id) => document.getElementById(id);

/** An element with attributes (`on…`: a listener) and children, which are nodes or text. */
function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const MISSING = "–";
const times = (value) => `${value.toFixed(2)}×`;
const mark = (run) => el("i", { class: "mark", style: `--mark: var(--run-${run % 6})` });

/** A box that scrolls by itself. */
const box = (label, ...content) =>
  el("div", { class: "box", tabindex: "0", role: "region", "aria-label": label }, ...content);

/** A table: names of columns, rows of cells; the first of a row is its header. */
function grid(columns, rows, cls) {
  return el(
    "table",
    { class: cls },
    el("thead", {}, el("tr", {}, columns.map((name) => el("th", { scope: "col" }, name)))),
    el(
      "tbody",
      {},
      rows.map(([first, ...others]) =>
        el("tr", {}, el("th", { scope: "row" }, first), others.map((cell) => el("td", {}, cell)))),
    ),
  );
}
