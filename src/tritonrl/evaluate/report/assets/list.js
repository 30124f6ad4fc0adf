// The list of tasks: filtered and sorted as an array, shown a page at a time.

const ROWS_A_PAGE = 50;
const ID = 0, LEVEL = 1, OPERATORS = 2, OUTCOMES = 3;
const RIGHT = 0, OF = 1, BEST = 2, LAYER = 3;

const summary = JSON.parse($("summary").textContent);
const haystacks = summary.tasks.map((task) => [task[ID], ...operatorsOf(task)].join(" ").toLowerCase());
const list = { sort: null, down: false, page: 0, found: [] };

function operatorsOf(task) {
  return task[OPERATORS].map((number) => summary.operators[number]);
}

const solved = (outcome) => outcome !== null && outcome[RIGHT] > 0;
const OUTCOMES_OF_A_TASK = {
  solved: ["solved", (task) => task[OUTCOMES].some(solved)],
  unsolved: ["not solved", (task) => task[OUTCOMES].some(Boolean) && !task[OUTCOMES].some(solved)],
  differ: ["runs differ", (task) => new Set(task[OUTCOMES].filter(Boolean).map(solved)).size > 1],
  unscored: ["not scored", (task) => !task[OUTCOMES].every(Boolean)],
};

function startList() {
  const levels = [...new Set(summary.tasks.map((task) => task[LEVEL]))].filter((level) => level !== null);
  fill($("filter-level"), ["all", ...levels.sort((a, b) => a - b)].map((level) => [level, level]));
  const names = Object.entries(OUTCOMES_OF_A_TASK).map(([key, [words]]) => [key, words]);
  const failing = new Set(summary.tasks.flatMap((task) => task[OUTCOMES].map((each) => each && each[LAYER])));
  const layers = summary.layers.flatMap((name, at) => (failing.has(at) ? [[`layer ${at}`, `fails: ${name}`]] : []));
  const several = names.filter(([key]) => key !== "differ" || summary.runs.length > 1);
  fill($("filter-outcome"), [["all", "all"], ...several, ...layers]);

  for (const id of ["filter-text", "filter-level", "filter-outcome"]) {
    $(id).addEventListener("input", () => findTasks());
  }
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("page-before").addEventListener("click", () => turnPage(-1));
  $("page-after").addEventListener("click", () => turnPage(1));
  showHead();
  findTasks();
  $("filters").hidden = false;
}

function fill(select, options) {
  select.append(...options.map(([value, words]) => el("option", { value }, String(words))));
}

const COLUMNS = [
  ["Task", (task) => task[ID]],
  ["Level", (task) => task[LEVEL]],
  ...summary.runs.map((name, run) => [
    name,
    // Share of right answers, then speed.
    (task) => task[OUTCOMES][run] && task[OUTCOMES][run][RIGHT] / task[OUTCOMES][run][OF]
      + Math.min(task[OUTCOMES][run][BEST] ?? 0, 1e6) * 1e-9,
    run,
  ]),
  ["Operators", (task) => operatorsOf(task).join(" ")],
];

function showHead() {
  const cells = COLUMNS.map(([name, , run], at) => {
    const sorted = list.sort === at ? (list.down ? "descending" : "ascending") : "none";
    const swatch = run === undefined ? null : mark(run);
    const button = el("button", { type: "button", onclick: () => sortBy(at) }, swatch, name);
    return el("th", { scope: "col", "aria-sort": sorted }, button);
  });
  document.querySelector("#task-table thead").replaceChildren(el("tr", {}, cells));
}

function sortBy(at) {
  const isRun = COLUMNS[at][2] !== undefined;
  list.down = list.sort === at ? !list.down : isRun; // of runs the best on top
  list.sort = at;
  showHead();
  findTasks();
  document.querySelectorAll("#task-table thead button")[at].focus();
}

function findTasks() {
  const words = $("filter-text").value.toLowerCase().split(/\s+/).filter(Boolean);
  const level = $("filter-level").value;
  const outcome = $("filter-outcome").value;
  const layer = outcome.startsWith("layer ") ? Number(outcome.slice(6)) : null;
  const holds = (OUTCOMES_OF_A_TASK[outcome] ?? [null, () => true])[1];
  list.found = summary.tasks.flatMap((task, at) =>
    words.every((word) => haystacks[at].includes(word))
      && (level === "all" || String(task[LEVEL]) === level)
      && (layer === null || task[OUTCOMES].some((each) => each && each[LAYER] === layer))
      && holds(task) ? [at] : []);
  if (list.sort !== null) sortFound();
  list.page = 0;
  showRows();
}

function sortFound() {
  const key = COLUMNS[list.sort][1];
  const keys = new Map(list.found.map((at) => [at, key(summary.tasks[at])]));
  const sign = list.down ? -1 : 1;
  list.found.sort((a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    if (x === y) return a - b;
    if (x === null || y === null) return x === null ? 1 : -1; // what is not there comes last
    return sign * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
  });
}

function turnPage(by) {
  list.page += by;
  showRows();
  $("task-table").parentElement.scrollIntoView({ block: "nearest" });
}

function showRows() {
  const pages = Math.max(1, Math.ceil(list.found.length / ROWS_A_PAGE));
  const first = list.page * ROWS_A_PAGE;
  const shown = list.found.slice(first, first + ROWS_A_PAGE);
  document.querySelector("#task-table tbody").replaceChildren(...shown.map(taskRow));
  const all = summary.tasks.length.toLocaleString("en");
  $("task-count").textContent = `${list.found.length.toLocaleString("en")} of ${all} tasks`;
  $("page-number").textContent = `Page ${list.page + 1} of ${pages}`;
  $("page-before").disabled = list.page === 0;
  $("page-after").disabled = list.page >= pages - 1;
  $("pager").hidden = pages === 1;
}

function taskRow(at) {
  const task = summary.tasks[at];
  const link = el("a", { href: hashOf(task[ID]) }, task[ID]);
  return el(
    "tr",
    {},
    el("th", { scope: "row", class: "id" }, link),
    el("td", {}, task[LEVEL] === null ? MISSING : String(task[LEVEL])),
    task[OUTCOMES].map((outcome) => el("td", { class: "outcome" }, outcomeOf(outcome))),
    el("td", { class: "operators" }, operatorsOf(task).join(", ") || MISSING),
  );
}

function outcomeOf(outcome) {
  if (!outcome) return [el("span", { class: "missing" }, "not scored")];
  const sign = outcome[RIGHT] ? el("span", { class: "yes" }, "✓ ") : el("span", { class: "no" }, "✗ ");
  const speed = outcome[BEST] === null ? null : el("span", { class: "speed" }, times(outcome[BEST]));
  const layer = outcome[LAYER] === null ? null : el("small", {}, `fails: ${summary.layers[outcome[LAYER]]}`);
  return [el("span", { class: "count" }, sign, `${outcome[RIGHT]} of ${outcome[OF]}`), speed, layer];
}

function hashOf(id) {
  return `#task/${encodeURIComponent(id)}`;
}
