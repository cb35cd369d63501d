// The Results tab: what the answers say about the AI. Counts stand beside every ratio.
import { Reliability, Risk, Widths } from "./charts.js";
import { count, h, title, words } from "./dom.js";

const PLAIN = Object.freeze({
  precision: "Precision: flagged and right", recall: "Recall: found of what is there", f1: "F1: both in one", accuracy: "Accuracy: right answers",
  prevalence: "Prevalence: how many are there at all", ece: "Calibration error (ECE)", brier: "Brier score", nll: "Log loss",
  "tags.micro.precision": "Precision, all counts together (micro)", "tags.micro.recall": "Recall, all counts together (micro)",
  "tags.micro.f1": "F1, all counts together (micro)", "tags.macro.f1": "F1, mean of the tags (macro)",
});

/** So many failures are shown at first. */
const FIRST = 15;
const BASES = Object.freeze({
  blind: "Answered before the AI’s answer was shown", assisted: "Answered with the AI’s answer in view", revealed: "Final answers, after the AI’s answer was shown",
});

/** Draws the numbers that Python counted. Only what changed is drawn anew, so nothing flickers and nothing loses its place. */
export class Results {
  /**
   * @param {((item: string) => void) | null} open shows an item on the card
   * @param {Reliability} [reliability] the diagram, where another one than the hand-drawn is wanted
   */
  constructor(open, reliability = new Reliability()) {
    this.open = open;
    this.root = h("div", { class: "lk-page lk-results", tabindex: "-1" });
    this.charts = { reliability, risk: new Risk(), widths: new Widths() };
    this.slots = Object.fromEntries(["lead", "estimates", "others", "calibration", "counted", "tags", "failures"].map((name) => [name, h("section", { class: `lk-slot-${name}` })]));
    this.told = {};
    this.slots.calibration.classList.add("lk-panel");
    this.graphs = h("div", { class: "lk-graphs" }, ...Object.values(this.charts).map((chart) => chart.root), this.slots.calibration);
    const { lead, estimates: first, others, counted: plain, tags: byTag, failures } = this.slots;
    this.filled = [lead, first, this.graphs, others, failures, byTag, plain];
    this.paint(null);
  }

  /** Headlines come at once, the rest a moment later. @param {any[]} estimates rows that replace those of the same name */
  ahead(estimates) {
    if (!this.shown) return;
    const now = new Map(estimates.map((row) => [row.name, row]));
    this.paint({ ...this.shown, estimates: this.shown.estimates.map((row) => now.get(row.name) ?? row) });
  }

  /** @param {any} results null until Python has counted */
  paint(results) {
    this.shown = results?.n ? results : null;
    if (!results?.n) {
      this.told = {};
      this.root.replaceChildren(...(results ? empty() : [h("p", { class: "lk-quiet" }, "Counting…")]));
      return;
    }
    this.fill("lead", [results.sentences, results.based_on, results.plan, results.warnings], () => lead(results));
    this.fill("estimates", results.estimates, () => [heading("Estimated for all predictions"), forest(results.estimates)]);
    this.fill("others", results.others, () => others(results.others));
    this.fill("calibration", results.calibration, () => calibration(results.calibration));
    this.fill("counted", [results.prefix, results.counts, results.ratios, results.n, results.estimates], () => counted(results));
    this.fill("tags", [results.tags, results.tag_estimates], () => tags(results));
    this.fill("failures", [results.failures, results.failed], () => this.failures(results));
    if (!this.graphs.isConnected || this.root.firstChild !== this.slots.lead) this.root.replaceChildren(...this.filled);
    this.charts.reliability.update(results.reliability, results.absent.reliability);
    this.charts.risk.update(results.risk, results.absent.risk);
    this.charts.widths.update({ points: results.widths, goal: results.goal });
  }

  /** Draw a part where what it tells is another than before. */
  fill(name, told, make) {
    const now = JSON.stringify(told);
    if (this.told[name] === now) return;
    this.told[name] = now;
    const parts = make().filter(Boolean);
    this.slots[name].replaceChildren(...parts);
    this.slots[name].hidden = !parts.length;
  }

  failures({ failures, failed }) {
    if (!failures.length) return [heading("Where the AI is wrong"), h("p", { class: "lk-quiet" }, "Nowhere among the labelled items.")];
    const line = (f) => {
      const link = this.open ? h("button", { type: "button", class: "lk-link", data: { item: f.item } }, f.title) : h("span", {}, f.title);
      if (this.open) link.addEventListener("click", () => this.open(f.item));
      return h(
        "tr", {}, h("th", { scope: "row" }, link, h("div", { class: "lk-quiet lk-fine" }, f.subtitle)), h("td", {}, answer(f.yours)), h("td", {}, answer(f.theirs)),
        h("td", {}, typeof f.sure === "number" ? f.sure.toFixed(2) : "n/a"),
      );
    };
    const more = failed > failures.length ? ` The first ${failures.length} are kept here.` : "";
    const rows = failures.map(line);
    const rest = this.all ? [] : rows.slice(FIRST);
    for (const row of rest) row.hidden = true;
    const show = rest.length ? h("button", { type: "button", class: "lk-button" }, `Show all ${failures.length}`) : null;
    show?.addEventListener("click", () => {
      this.all = true;
      for (const row of rest) row.hidden = false;
      rest[0].querySelector("button")?.focus();
      show.remove();
    });
    return [
      heading("Where the AI is wrong"), h("p", { class: "lk-quiet" }, `${count(failed, "item")}, the surest mistakes first.${more}`),
      scrolled(h("table", { class: "lk-table lk-failures" }, head("Item", "People", "AI", "How sure it was"), h("tbody", {}, ...rows))), show,
    ];
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

/** Two decimals for reading; what is not 0 is never said to be 0, what is not 1 never 1. @param {any} value */
export function hundredths(value) {
  if (typeof value !== "number") return "n/a";
  if (value > 0 && value < 0.005) return "<0.01";
  return value < 1 && value >= 0.995 ? ">0.99" : value.toFixed(2);
}

/** An estimate with its hook; all four decimals on hovering. */
function hook(m) {
  const shown = metric(m.name, m.value, hundredths(m.value), { low: m.low, high: m.high, n: m.n, basis: m.basis });
  if (m.value !== null) shown.title = m.low === null ? four(m.value) : `${four(m.value)}, from ${four(m.low)} to ${four(m.high)}`;
  return shown;
}

const heading = (text) => h("h3", {}, text);
/** Wide tables scroll by themselves, never the page. */
const scrolled = (table) => h("div", { class: "lk-scroll", tabindex: "0", role: "region", aria: { label: "Table" } }, table);
const range = (m) => (m.value === null ? because(m) : m.low === null ? "no interval" : m.method === "census" || m.low === m.high ? "exact" : `${m.low.toFixed(2)} to ${m.high.toFixed(2)}`);
const empty = () => [h("h2", {}, "No numbers yet"), h("p", { class: "lk-quiet" }, "They appear with the first answer and follow every one after it.")];

/** The plain sentences first, then what they rest on. */
function lead({ sentences: [first, ...rest], based_on: basis, plan, warnings }) {
  return [
    h("h2", {}, first), ...rest.map((text) => h("p", { class: "lk-lead" }, text)), h("p", { class: "lk-quiet" }, basis), plan ? h("p", { class: "lk-quiet" }, plan) : null,
    ...warnings.map((text) => h("p", { class: "lk-warning" }, text)),
  ];
}

/** A forest plot that is its own table: metric, interval on a common axis, and everything needed to defend it. */
function forest(rows) {
  const axis = h("span", { class: "lk-forest-axis", aria: { hidden: "true" } }, ...["0", ".25", ".5", ".75", "1"].map((text) => h("span", {}, text)));
  const line = (m) => h(
    "tr", { title: `${m.design}; interval: ${m.method}` }, h("th", { scope: "row" }, PLAIN[m.name] ?? title(m.name)), h("td", { class: "lk-value" }, hook(m)), h("td", { class: "lk-forest-cell" }, whisker(m)),
    h("td", { class: "lk-quiet lk-range" }, range(m)), h("td", { class: "lk-quiet lk-n" }, count(m.n, "label")), h("td", { class: "lk-quiet lk-basis" }, m.basis),
  );
  const top = h("thead", {}, h("tr", {}, ...["Metric", "Estimate"].map((name) => h("th", { scope: "col" }, name)), h("th", { scope: "col", class: "lk-forest-cell" }, axis), ...["95 % interval", "From", "Basis"].map((name) => h("th", { scope: "col" }, name))));
  return h("table", { class: "lk-table lk-forest" }, top, h("tbody", {}, ...rows.map(line)));
}

/** Bases are never mixed: each has a forest of its own. */
function others(rows) {
  const names = [...new Set(rows.map((m) => m.basis))];
  const called = (basis) => BASES[basis] ?? (basis.endsWith("+imported") ? `With the labels that were imported before the draw (${basis})` : basis);
  return names.flatMap((basis) => [heading(called(basis)), forest(rows.filter((m) => m.basis === basis))]);
}

function calibration(rows) {
  if (!rows.length) return [];
  const line = (m) => h("tr", {}, h("th", { scope: "row" }, PLAIN[m.name] ?? title(m.name)), h("td", { class: "lk-value" }, hook(m)), h("td", { class: "lk-quiet" }, range(m)));
  const notes = rows.filter((m) => m.value !== null && m.reason).map((m) => h("p", { class: "lk-quiet" }, `${(PLAIN[m.name] ?? m.name)}: ${m.reason.replace(`${m.name}: `, "")}.`));
  return [heading("How far its confidence is off"), h("p", { class: "lk-quiet" }, "0 is best for each of them."), scrolled(h("table", { class: "lk-table" }, head("Metric", "Estimate", "95 % interval"), h("tbody", {}, ...rows.map(line)))), ...notes];
}

const because = (m) => (m.reason ?? "not known yet").replace(`${m.name}: `, "");

/** The interval as a line from 0 to 1 with the value as a dot; grey over everything where nothing is known. */
function whisker(m) {
  if (m.low === null || m.high > 1) return "";
  const percent = (x) => `${(100 * Math.max(0, Math.min(1, x))).toFixed(2)}%`;
  const known = m.value !== null;
  const line = h("span", { class: "lk-whisker-line" });
  line.style.left = percent(m.low);
  line.style.width = percent(m.high - m.low);
  const dot = known ? h("span", { class: "lk-whisker-dot" }) : null;
  if (dot) dot.style.left = percent(m.value);
  return h("span", { class: `lk-whisker${known ? "" : " lk-whisker-unknown"}`, aria: { hidden: "true" } }, line, dot);
}

/** Plain counts, apart: what they are is said, and the estimate stands beside each share. */
function counted({ prefix, counts, ratios, n, estimates }) {
  const cell = (key) => h("td", { class: "lk-count" }, metric(`${prefix}.${key}`, counts[key], String(counts[key])));
  const by = new Map(estimates.map((m) => [m.name, m]));
  const line = (r) => h(
    "tr", {}, h("th", { scope: "row" }, title(r.name)), h("td", {}, metric(`${prefix}.${r.name}`, r.value, four(r.value))), h("td", { class: "lk-quiet" }, r.counts),
    h("td", { class: "lk-quiet" }, by.has(r.name) ? four(by.get(r.name).value) : ""),
  );
  return [
    heading("Labelled items, counted"),
    h("p", { class: "lk-quiet" }, `${count(n, "item")} by final answer, as “labkit score” prints them for the exported file. These shares describe the labelled items alone; the estimates for all predictions stand beside them.`),
    h(
      "div", { class: "lk-pair" },
      h("table", { class: "lk-table lk-confusion" }, head("", "AI: yes", "AI: no"), h(
        "tbody", {}, h("tr", {}, h("th", { scope: "row" }, "People: yes"), cell("tp"), cell("fn")), h("tr", {}, h("th", { scope: "row" }, "People: no"), cell("fp"), cell("tn")),
      )),
      scrolled(h("table", { class: "lk-table" }, head("", "Labelled items", "Counts", "All predictions"), h("tbody", {}, ...ratios.map(line)))),
    ),
  ];
}

function tags({ tags: rows, tag_estimates: estimated }) {
  if (!rows.length) return [];
  const by = new Map(estimated.map((m) => [m.name, m]));
  const value = (t, key) => (by.has(`tag.${t.tag}.${key}`) ? hook(by.get(`tag.${t.tag}.${key}`)) : hundredths(t[key]));
  const ends = (m) => (m && m.value !== null && m.low !== null ? `${m.low.toFixed(2)} to ${m.high.toFixed(2)}` : "");
  const line = (t) => h(
    "tr", {}, h("th", { scope: "row" }, t.tag), ...["tp", "fp", "fn"].map((key) => h("td", { class: "lk-count" }, metric(`tags.${t.tag}.${key}`, t[key], String(t[key])))),
    ...["precision", "recall", "f1"].map((key) => h("td", {}, value(t, key))), h("td", {}, by.has(`tag.${t.tag}.f1`) ? whisker(by.get(`tag.${t.tag}.f1`)) : ""), h("td", { class: "lk-quiet" }, ends(by.get(`tag.${t.tag}.f1`))),
  );
  const pooled = estimated.filter((m) => m.name.startsWith("tags."));
  return [
    heading("By tag"), h("p", { class: "lk-quiet" }, "Counts are of the labelled items; the ratios are estimates for all predictions."),
    scrolled(h("table", { class: "lk-table" }, head("Tag", "Both", "AI only", "People only", "Precision", "Recall", "F1", "", "95 % interval of F1"), h("tbody", {}, ...rows.map(line)))),
    ...(pooled.length ? [heading("All tags together"), forest(pooled)] : []),
  ];
}
