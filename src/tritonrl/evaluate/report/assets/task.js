// The page of a task: its source, and for each run and sample the plan, the code and the verdict. Details are
// unpacked when they are asked for.

const unpacked = new Map();

function unpack(number) {
  if (!unpacked.has(number)) unpacked.set(number, read($(`chunk-${number}`).textContent));
  return unpacked.get(number);
}

async function read(encoded) {
  const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** Everything about task number `at`, as nodes. */
async function taskPage(at) {
  const task = summary.tasks[at];
  const chunk = await unpack(Math.floor(at / summary.tasksAChunk));
  const details = chunk.tasks[at % summary.tasksAChunk];
  const facts = [["level", task[LEVEL]], ["operators", operatorsOf(task).join(", ")]];
  return [
    el("nav", { "aria-label": "Tasks" },
      el("a", { href: "#tasks" }, "← All tasks"),
      neighbour(at - 1, "Previous"),
      neighbour(at + 1, "Next")),
    el("p", { class: "over" }, "Task"),
    el("h1", { class: "id" }, task[ID]),
    el("dl", { class: "facts" }, facts.filter(([, value]) => value !== null && value !== "").map(([name, value]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, String(value))))),
    details.errors.map((error) => el("p", { class: "finding reject" }, error)),
    details.sources.length ? el("h2", {}, "Source") : null,
    details.sources.map((number) => codeBlock(chunk.texts[number], "Source")),
    details.runs.map((samples, run) => runSection(samples, run, task[OUTCOMES][run], chunk.texts)),
  ].flat();
}

function neighbour(at, words) {
  const task = summary.tasks[at];
  return task ? el("a", { href: hashOf(task[ID]) }, words) : null;
}

function runSection(samples, run, outcome, texts) {
  const heading = el("h2", {}, mark(run), summary.runs[run]);
  if (!samples.length) return el("section", {}, heading, el("p", { class: "note" }, "No answer yet."));
  const chosen = Math.max(0, samples.findIndex((sample) => sample.right));
  return el("section", {}, heading, el("p", { class: "outcome" }, outcomeOf(outcome)),
    samples.map((sample, at) => sampleBox(sample, texts, at === chosen)));
}

function sampleBox(sample, texts, open) {
  const content = el("div", { class: "sample" });
  const shown = el("details", {}, el("summary", {}, `Answer ${sample.sample + 1} `, verdictWords(sample)), content);
  const fillIn = () => {
    if (!content.hasChildNodes()) content.append(...sampleContent(sample, texts));
  };
  shown.addEventListener("toggle", fillIn);
  if (open) {
    fillIn();
    shown.open = true;
  }
  return shown;
}

function verdictWords(sample) {
  if (!sample.verdict) return el("span", { class: "missing" }, sample.unanswered ? "no answer" : "not judged");
  const rejection = (sample.verdict.findings ?? []).find((finding) => finding.severity === "reject");
  const why = rejection ? ` · ${rejection.layer} · ${rejection.rule}` : "";
  const speed = typeof sample.verdict.speedup === "number" ? ` · ${times(sample.verdict.speedup)}` : "";
  return sample.right
    ? el("span", {}, el("span", { class: "yes" }, "✓ right"), speed, why)
    : el("span", {}, el("span", { class: "no" }, "✗ rejected"), why);
}

function sampleContent(sample, texts) {
  const verdict = sample.verdict;
  const lines = new Set(verdict ? verdict.findings.map((finding) => finding.line).filter(Boolean) : []);
  return [
    sample.unanswered ? el("p", { class: "note" }, sample.unanswered) : null,
    sample.error ? el("p", { class: "finding warning" }, sample.error) : null,
    verdict ? verdictParts(verdict) : null,
    sample.plan === undefined ? null : [el("h3", {}, "Plan"), el("p", { class: "plan" }, texts[sample.plan])],
    sample.code === undefined ? null : [el("h3", {}, "Code"), codeBlock(texts[sample.code], "Code", lines)],
    sample.answer === undefined
      ? null
      : [el("h3", {}, "Answer, without code"), el("p", { class: "plan" }, texts[sample.answer])],
  ].flat().filter(Boolean);
}

function verdictParts(verdict) {
  return [
    ...verdict.findings.map(findingBox),
    el("h3", {}, "Layers"),
    box("Layers", grid(["Layer", "Outcome", "Seconds", "What it saw"], verdict.layers.map(layerRow), "layers")),
    ...timingParts(verdict.timing),
    el("p", { class: "note" }, circumstances(verdict)),
  ];
}

function findingBox(finding) {
  const where = finding.line ? `${finding.layer}, line ${finding.line}` : finding.layer;
  return el("p", { class: `finding ${finding.severity}` },
    el("b", {}, finding.rule), ` (${where}, ${finding.severity}) `, finding.message);
}

const STATUS = { pass: ["yes", "✓ pass"], fail: ["no", "✗ fail"], skip: ["missing", "· skipped"] };

function layerRow(layer) {
  const [cls, words] = STATUS[layer.status];
  const seconds = layer.status === "skip" ? MISSING : layer.seconds.toFixed(2);
  return [layer.name, el("span", { class: cls }, words), seconds, (layer.story ?? []).join("; ")];
}

function timingParts(timing) {
  if (!timing) return [];
  const us = (value) => `${value.toFixed(1)} µs`;
  const rows = Object.entries(timing.baselines).map(([name, each]) => [
    name, us(each.wall_us), us(each.device_us), timing.refused ? "not trusted" : times(each.speedup),
    `${each.low.toFixed(2)}–${times(each.high)}`, times(each.device_speedup),
  ]);
  const columns = ["", "A call", "Device", "Speedup", "95 % interval", "Device alone"];
  const how = `${timing.num_rounds} rounds of ${timing.num_calls} calls, ${timing.num_checked} timed calls checked; `
    + `spread ${(100 * timing.spread).toFixed(1)} %, floor ${us(timing.floor_us)}.`;
  return [
    el("h3", {}, "Timing"),
    timing.refused ? el("p", { class: "finding warning" }, timing.refused) : null,
    box("Timing", grid(columns,
      [["candidate", us(timing.wall_us), us(timing.device_us), "", "", ""], ...rows], "timing")),
    el("p", { class: "note" }, how),
  ].filter(Boolean);
}

function circumstances(verdict) {
  const answer = (value) => (value === undefined ? "not decided" : value ? "yes" : "no");
  const facts = ["valid", "compiled", "correct"].map((name) => `${name}: ${answer(verdict[name])}`);
  if (verdict.coverage !== undefined) facts.push(`coverage: ${(100 * verdict.coverage).toFixed(1)}%`);
  facts.push(`${verdict.num_calls} checked calls over ${verdict.num_draws} draws of inputs`);
  facts.push(`${verdict.device}, ${verdict.seconds.toFixed(1)} s${verdict.cached ? ", from the cache" : ""}`);
  const missing = Object.keys(verdict.sandbox?.missing ?? {});
  if (missing.length) facts.push(`missing from the sandbox: ${missing.join(", ")}`);
  return facts.join(" · ");
}
