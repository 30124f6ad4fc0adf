// Python in colours, a line at a time. It only looks: each character of the text comes out once.

const LONGEST_COLOURED = 200000;
const KEYWORDS = new Set(
  ("and as assert async await break class continue def del elif else except finally for from global if import in "
    + "is lambda nonlocal not or pass raise return try while with yield match case None True False").split(" "),
);
const TOKEN = new RegExp(
  [
    "(?<comment>#[^\\n]*)",
    "(?<string>[rbfuRBFU]{0,2}(?:\"\"\"[^]*?(?:\"\"\"|$)|'''[^]*?(?:'''|$)|\"(?:\\\\[^]|[^\"\\\\\\n])*\"?|'(?:\\\\[^]|[^'\\\\\\n])*'?))",
    "(?<decorator>@[\\w.]+)",
    "(?<number>\\d[\\w.]*)",
    "(?<word>[^\\W\\d]\\w*)",
    "(?<other>[^\\w\"'#@]+|[^])",
  ].join("|"),
  "gy",
);

/** The code as an element: lines with numbers, those of `marked` made visible. */
function codeBlock(text, label, marked = new Set()) {
  const lines = [[]];
  for (const [kind, piece] of tokens(text.replace(/\n$/, ""))) {
    piece.split("\n").forEach((part, index) => {
      if (index) lines.push([]);
      if (part) lines.at(-1).push(kind ? el("span", { class: `py-${kind}` }, part) : part);
    });
  }
  const shown = lines.map((pieces, index) =>
    el("span", { class: marked.has(index + 1) ? "line marked" : "line", "data-n": index + 1 }, pieces, "\n"));
  return el("pre", { class: "code", tabindex: "0", "aria-label": label }, el("code", { dir: "ltr" }, shown));
}

function* tokens(text) {
  if (text.length > LONGEST_COLOURED) {
    yield [null, text];
    return;
  }
  let defines = false;
  for (const { 0: piece, groups } of text.matchAll(TOKEN)) {
    let kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    if (kind === "word") {
      kind = KEYWORDS.has(piece) ? "keyword" : defines ? "name" : null;
      defines = piece === "def" || piece === "class";
    } else if (kind === "other") {
      kind = null;
    }
    yield [kind, piece];
  }
}
