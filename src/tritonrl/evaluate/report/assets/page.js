// Which of the two is to be seen, by the address: a task for `#task/ID`, else the overview.

const title = document.title;
const numbers = new Map();
summary.tasks.forEach((task, at) => numbers.has(task[ID]) || numbers.set(task[ID], at));
let scrolled = 0;

function wantedTask() {
  if (!location.hash.startsWith("#task/")) return null;
  try {
    return decodeURIComponent(location.hash.slice(6));
  } catch {
    return location.hash.slice(6);
  }
}

async function route() {
  const id = wantedTask();
  if (id === null) {
    showOverview();
    return;
  }
  const at = numbers.get(id);
  const content = at === undefined
    ? [el("nav", {}, el("a", { href: "#tasks" }, "← All tasks")), el("h1", {}, "No such task"), el("p", {}, id)]
    : await taskPage(at).catch((error) => [el("h1", {}, "Cannot be shown"), el("p", {}, String(error))]);
  if (wantedTask() !== id) return; // somebody went on while it was unpacked
  if (!$("overview").hidden) scrolled = scrollY;
  $("task").replaceChildren(...content.filter(Boolean));
  $("overview").hidden = true;
  $("task").hidden = false;
  document.title = `${id} · ${title}`;
  scrollTo(0, 0);
  $("task").focus({ preventScroll: true });
}

function showOverview() {
  const returns = $("overview").hidden;
  $("overview").hidden = false;
  $("task").hidden = true;
  $("task").replaceChildren();
  document.title = title;
  if (returns) scrollTo(0, scrolled);
}

history.scrollRestoration = "manual";
startList();
addEventListener("hashchange", route);
// Chunks stand after this script.
if (wantedTask() !== null) addEventListener("DOMContentLoaded", route);
