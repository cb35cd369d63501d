// The Results tab: what the answers say about the AI. Counts stand beside every ratio.
import { riskCurve, widthCurve } from "./curves.js";
import { count, h, title, words } from "./dom.js";

const PLAIN = Object.freeze({
  precision: "Precision: flagged and right", recall: "Recall: found of what is there", f1: "F1: both in one", accuracy: "Accuracy: right answers",
  prevalence: "Prevalence: how many are there at all", ece: "Calibration error (ECE)", brier: "Brier score", nll: "Log loss",
  "tags.micro.precision": "Precision, all counts together (micro)", "tags.micro.recall": "Recall, all counts together (micro)",
  "tags.micro.f1": "F1, all counts together (micro)", "tags.macro.f1": "F1, mean of the tags (macro)",
});

/** Draws the numbers that Python counted. */
export class Results {
  /** @param {((item: string) => void) | null} open shows an item on the card */
  constructor(open) {
    this.open = open;
    this.root = h("div", { class: "lk-page lk-results", tabindex: "-1" });
    this.paint(null);
  }

  /** @param {any} results null until Python has counted */
  paint(results) {
    const top = this.root.scrollTop;
    this.root.replaceChildren(...this.blocks(results));
    this.root.scrollTop = top;
  }

  blocks(results) {
    if (!results) return [h("p", { class: "lk-quiet" }, "Counting…")];
    if (!results.n) return [h("h2", {}, "No numbers yet"), h("p", { class: "lk-quiet" }, "They appear with the first answer and follow every one after it.")];
    const [first, ...rest] = results.sentences;
    return [
      h("h2", {}, first), ...rest.map((text) => h("p", { class: "lk-lead" }, text)),
      h("p", { class: "lk-quiet" }, results.based_on), results.plan ? h("p", { class: "lk-quiet" }, results.plan) : null,
      ...results.warnings.map((text) => h("p", { class: "lk-warning" }, text)),
      estimates(results.estimates, "Estimated for all predictions"), results.others.length ? estimates(results.others, "The same by other answers") : null,
      reliability(results.reliability), riskCurve(results.risk), widthCurve(results.widths, results.goal), ...counted(results), tags(results), this.failures(results),
    ].filter(Boolean);
  }

  failures({ failures, failed }) {
    if (!failures.length) return h("section", {}, h("h3", {}, "Where the AI is wrong"), h("p", { class: "lk-quiet" }, "Nowhere among the items that you answered."));
    const line = (f) => {
      const link = this.open ? h("button", { type: "button", class: "lk-link", data: { item: f.item } }, f.title) : h("span", {}, f.title);
      if (this.open) link.addEventListener("click", () => this.open(f.item));
      return h(
        "tr", {}, h("th", { scope: "row" }, link, h("div", { class: "lk-quiet lk-fine" }, f.subtitle)), h("td", {}, answer(f.yours)), h("td", {}, answer(f.theirs)),
        h("td", {}, typeof f.sure === "number" ? f.sure.toFixed(2) : "n/a"),
      );
    };
    const more = failed > failures.length ? ` The first ${failures.length} are shown.` : "";
    return h(
      "section", {}, h("h3", {}, "Where the AI is wrong"), h("p", { class: "lk-quiet" }, `${count(failed, "item")}, the surest mistakes first.${more}`),
      h("table", { class: "lk-table lk-failures" }, head("Item", "You", "AI", "How sure it was"), h("tbody", {}, ...failures.map(line))),
    );
  }
}

const answer = (given) => Object.values(given ?? {}).map(words).join("; ");

/** A number with its hook. @param {string} name @param {any} value @param {string} text @param {any} [more] */
export function metric(name, value, text, more = {}) {
  const given = Object.fromEntries(Object.entries(more).filter(([, v]) => v !== null && v !== undefined).map(([k, v]) => [k, String(v)]));
  return h("span", { class: "lk-metric", data: { labkit: "metric", name, value: value === null || value === undefined ? "n/a" : String(value), ...given } }, text);
}

const four = (value) => (typeof value === "number" ? value.toFixed(4) : "n/a");
const head = (...names) => h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))));
const hook = (m) => metric(m.name, m.value, four(m.value), { low: m.low, high: m.high, n: m.n, basis: m.basis });

function estimates(rows, heading) {
  if (!rows.length) return null;
  const line = (m) => h(
    "tr", {}, h("th", { scope: "row" }, PLAIN[m.name] ?? title(m.name)), h("td", { class: "lk-number-cell" }, hook(m)), h("td", {}, whisker(m)),
    h("td", { class: "lk-quiet" }, m.value === null ? because(m) : m.low === m.high ? "exact" : `${four(m.low)} to ${four(m.high)}`), h("td", { class: "lk-quiet" }, String(m.n)), h("td", { class: "lk-quiet" }, m.basis),
  );
  return h("section", {}, h("h3", {}, heading), h("table", { class: "lk-table lk-estimates" }, head("", "Value", "", "95 % interval", "Labels", "Basis"), h("tbody", {}, ...rows.map(line))));
}

const because = (m) => (m.reason ?? "not known yet").replace(`${m.name}: `, "");

/** The interval as a line from 0 to 1 with the value as a dot. */
function whisker(m) {
  if (m.value === null || m.low === null || m.high > 1) return "";
  const percent = (x) => `${(100 * Math.max(0, Math.min(1, x))).toFixed(2)}%`;
  const line = h("span", { class: "lk-whisker-line" });
  const dot = h("span", { class: "lk-whisker-dot" });
  line.style.left = percent(m.low);
  line.style.width = percent(m.high - m.low);
  dot.style.left = percent(m.value);
  return h("span", { class: "lk-whisker", aria: { hidden: "true" } }, line, dot);
}

function counted({ prefix, counts, ratios, n }) {
  const cell = (key) => h("td", { class: "lk-count" }, metric(`${prefix}.${key}`, counts[key], String(counts[key])));
  return [
    h("h3", {}, "Labelled items, counted"), h("p", { class: "lk-quiet" }, `${count(n, "item")} by final answer, as “labkit score” prints them for the exported file.`),
    h(
      "div", { class: "lk-pair" },
      h("table", { class: "lk-table lk-confusion" }, head("", "AI: yes", "AI: no"), h(
        "tbody", {}, h("tr", {}, h("th", { scope: "row" }, "You: yes"), cell("tp"), cell("fn")), h("tr", {}, h("th", { scope: "row" }, "You: no"), cell("fp"), cell("tn")),
      )),
      h("table", { class: "lk-table" }, head("", "Value", "Counts"), h("tbody", {}, ...ratios.map((r) => h(
        "tr", {}, h("th", { scope: "row" }, title(r.name)), h("td", {}, metric(`${prefix}.${r.name}`, r.value, four(r.value))), h("td", { class: "lk-quiet" }, r.counts),
      )))),
    ),
  ];
}

function tags({ tags: rows, tag_estimates: estimated }) {
  if (!rows.length) return null;
  const by = new Map(estimated.map((m) => [m.name, m]));
  const value = (t, key) => (by.has(`tag.${t.tag}.${key}`) ? hook(by.get(`tag.${t.tag}.${key}`)) : four(t[key]));
  const range = (m) => (m && m.value !== null ? `${m.low.toFixed(2)} to ${m.high.toFixed(2)}` : "");
  const line = (t) => h(
    "tr", {}, h("th", { scope: "row" }, t.tag), ...["tp", "fp", "fn"].map((key) => h("td", { class: "lk-count" }, metric(`tags.${t.tag}.${key}`, t[key], String(t[key])))),
    ...["precision", "recall", "f1"].map((key) => h("td", {}, value(t, key))), h("td", { class: "lk-quiet" }, range(by.get(`tag.${t.tag}.f1`))),
  );
  const pooled = estimated.filter((m) => m.name.startsWith("tags."));
  return h(
    "section", {}, h("h3", {}, "By tag"), h("p", { class: "lk-quiet" }, "Counts are of the labelled items; the ratios are estimates for all predictions."),
    h("table", { class: "lk-table" }, head("Tag", "Both", "AI only", "You only", "Precision", "Recall", "F1", "95 % interval of F1"), h("tbody", {}, ...rows.map(line))),
    pooled.length ? estimates(pooled, "All tags together") : null,
  );
}

const SVG = "http://www.w3.org/2000/svg";
const SIZE = 240;
const EDGE = 34;

function draw(name, attributes, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
}

/** Stated confidence against what happened: on the diagonal the AI means what it says. */
function reliability(bins) {
  if (!bins.length) return null;
  const at = (x) => EDGE + x * SIZE;
  const up = (y) => 16 + (1 - y) * SIZE;
  const most = Math.max(...bins.map((b) => b.count));
  const told = bins.map((b) => `said ${b.mean_confidence.toFixed(2)}, was ${b.accuracy.toFixed(2)} (${b.count})`).join("; ");
  const picture = draw("svg", { viewBox: `0 0 ${SIZE + EDGE + 16} ${SIZE + 54}`, class: "lk-reliability", role: "img", "aria-label": `Reliability: ${told}` });
  picture.append(draw("rect", { x: at(0), y: up(1), width: SIZE, height: SIZE, class: "lk-plane" }), draw("line", { x1: at(0), y1: up(0), x2: at(1), y2: up(1), class: "lk-diagonal" }));
  for (const tick of [0, 0.5, 1]) {
    picture.append(
      draw("text", { x: at(tick), y: up(0) + 20, "text-anchor": "middle" }, String(tick)), draw("text", { x: at(0) - 7, y: up(tick) + 4, "text-anchor": "end" }, String(tick)),
    );
  }
  picture.append(draw("text", { x: at(0.5), y: up(0) + 35, "text-anchor": "middle" }, "what the AI said"));
  for (const b of bins) {
    if (typeof b.consistent_low !== "number") continue;
    const bar = draw("rect", { x: at(b.lower), y: up(b.consistent_high), width: at(b.upper) - at(b.lower), height: up(b.consistent_low) - up(b.consistent_high), class: "lk-consistent" });
    bar.append(draw("title", {}, `an AI that means what it says shows ${b.consistent_low.toFixed(2)} to ${b.consistent_high.toFixed(2)} here`));
    picture.append(bar);
  }
  for (const b of bins) {
    const dot = draw("circle", { cx: at(b.mean_confidence), cy: up(b.accuracy), r: 4 + 8 * Math.sqrt(b.count / most), class: "lk-dot" });
    dot.append(draw("title", {}, `said ${b.mean_confidence.toFixed(2)}, was ${b.accuracy.toFixed(2)}: ${count(b.count, "item")}`));
    picture.append(dot);
  }
  const line = (b) => h("tr", {}, h("td", {}, b.mean_confidence.toFixed(2)), h("td", {}, b.accuracy.toFixed(2)), h("td", {}, String(b.count)));
  return h(
    "section", {}, h("h3", {}, "Does it know when it is right?"), h("p", { class: "lk-quiet" }, "Each dot is a group of labelled items. On the line the AI means what it says; below it is too sure. Inside the grey bars it may be chance."),
    h("div", { class: "lk-pair" }, picture, h("table", { class: "lk-table" }, head("It said", "It was", "Items"), h("tbody", {}, ...bins.map(line)))),
  );
}
