// The Results tab: what the answers say about the AI. Counts stand beside every ratio.
import { count, h, title } from "./dom.js";

/** Draws the numbers that Python counted. */
export class Results {
  constructor() {
    this.root = h("div", { class: "lk-page lk-results" });
    this.paint(null);
  }

  /** @param {any} results null until Python has counted */
  paint(results) {
    if (!results) return this.root.replaceChildren(h("p", { class: "lk-quiet" }, "Counting…"));
    if (!results.n) return this.root.replaceChildren(h("h2", {}, "No numbers yet"), h("p", { class: "lk-quiet" }, "They appear with the first answer and follow every one after it."));
    return this.root.replaceChildren(...[
      h("h2", {}, results.sentence), h("p", { class: "lk-quiet" }, results.based_on),
      estimates(results.estimates ?? []), h("h3", {}, "Labelled items, counted"),
      h("p", { class: "lk-quiet" }, `${count(results.n, "item")} with a final answer, as “labkit score” prints them for the exported file.`),
      counted(results), tags(results.tags ?? []),
    ].filter(Boolean));
  }
}

/** A number with its hook. @param {string} name @param {any} value @param {string} text @param {any} [more] */
export function metric(name, value, text, more = {}) {
  const given = Object.fromEntries(Object.entries(more).filter(([, v]) => v !== null && v !== undefined).map(([k, v]) => [k, String(v)]));
  return h("span", { class: "lk-metric", data: { labkit: "metric", name, value: value === null || value === undefined ? "n/a" : String(value), ...given } }, text);
}

const four = (value) => (typeof value === "number" ? value.toFixed(4) : "n/a");

function estimates(rows) {
  if (!rows.length) return null;
  const line = (m) => h(
    "tr", {}, h("th", { scope: "row" }, m.label ?? title(m.name)),
    h("td", {}, metric(m.name, m.value, four(m.value), { low: m.low, high: m.high, n: m.n, basis: m.basis })),
    h("td", {}, m.value === null ? m.reason ?? "" : m.low === null ? "no interval" : `${four(m.low)} to ${four(m.high)}`), h("td", {}, m.basis ?? ""),
  );
  return h("table", { class: "lk-table" }, head("", "Value", "95 % interval", "Basis"), h("tbody", {}, ...rows.map(line)));
}

const head = (...names) => h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))));

function counted({ prefix, counts, ratios }) {
  if (!counts) return null;
  const cell = (key) => h("td", { class: "lk-count" }, metric(`${prefix}.${key}`, counts[key], String(counts[key])));
  return h(
    "div", { class: "lk-pair" },
    h("table", { class: "lk-table lk-confusion" }, head("", "AI: yes", "AI: no"), h(
      "tbody", {}, h("tr", {}, h("th", { scope: "row" }, "You: yes"), cell("tp"), cell("fn")), h("tr", {}, h("th", { scope: "row" }, "You: no"), cell("fp"), cell("tn")),
    )),
    h("table", { class: "lk-table" }, head("", "Value", "Counts"), h("tbody", {}, ...ratios.map((r) => h(
      "tr", {}, h("th", { scope: "row" }, title(r.name)), h("td", {}, metric(`${prefix}.${r.name}`, r.value, four(r.value))), h("td", { class: "lk-quiet" }, r.counts),
    )))),
  );
}

function tags(rows) {
  if (!rows.length) return null;
  const line = (t) => h(
    "tr", {}, h("th", { scope: "row" }, t.tag), ...["tp", "fp", "fn"].map((key) => h("td", { class: "lk-count" }, metric(`tag.${t.tag}.${key}`, t[key], String(t[key])))),
    ...["precision", "recall", "f1"].map((key) => h("td", {}, metric(`tag.${t.tag}.${key}`, t[key], four(t[key])))),
  );
  return h("section", {}, h("h3", {}, "By tag"), h("table", { class: "lk-table" }, head("Tag", "Both", "AI only", "You only", "Precision", "Recall", "F1"), h("tbody", {}, ...rows.map(line))));
}
