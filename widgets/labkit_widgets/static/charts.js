// The charts of the Results tab. Rows in, one drawing each that is kept and changed in place; a table says the same.
// Drawn by hand: they are there with the numbers, in the same frame. Live cells in notebooks put Vega in the place of one (vega.js).
import { h, say } from "./dom.js";

const NARROWEST = 250;
const WIDEST = 430;
const LEFT = 46;
const RIGHT = 14;
const TOP = 14;
const BELOW = 42;

function pencil(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

const titled = (element, text) => {
  element.append(pencil("title", {}, text));
  return element;
};
const hundred = (v) => `${Math.round(100 * v)} %`;
const two = (v) => (typeof v === "number" ? v.toFixed(2) : "n/a");
const path = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** Round steps that divide a range, ends included where they are round. */
export function ticks(low, high, most = 5) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = 10 ** Math.floor(Math.log10(span / most));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * rough).find((s) => span / s <= most) ?? rough * 10;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** A drawing with its words: a heading, a sentence, the picture, and the same as a table. */
class Chart {
  constructor(name, heading, lead) {
    this.width = WIDEST;
    this.rows = null;
    this.lead = h("p", { class: "lk-quiet" }, lead);
    this.picture = pencil("svg", { class: "lk-chart", role: "img" });
    this.head = h("thead", {});
    this.body = h("tbody", {});
    this.twin = h("details", { class: "lk-twin" }, h("summary", {}, "The same as a table"), h("table", { class: "lk-table", data: { twin: name } }, this.head, this.body));
    this.told = "";
    this.absent = h("p", { class: "lk-quiet" });
    this.root = h("section", { class: "lk-panel", data: { chart: name } }, h("h3", {}, heading), this.absent, this.lead, this.picture, this.twin);
    const watch = globalThis.ResizeObserver;
    if (watch) new watch(() => this.fit()).observe(this.root);
  }

  /** Take the width that is there: text keeps its size on narrow screens. */
  fit() {
    const style = globalThis.getComputedStyle(this.root);
    const there = this.root.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
    const width = Math.max(NARROWEST, Math.min(WIDEST, Math.floor(there)));
    if (!(there > 0) || width === this.width) return;
    this.width = width;
    if (this.rows && this.enough()) this.draw();
  }

  /**
   * Draw these rows; the same rows again change nothing.
   * @param {any} rows @param {string} [why] what is said while there is nothing to draw; without it the panel is not there
   */
  update(rows, why = "") {
    const told = JSON.stringify([rows, why]);
    if (told === this.told) return;
    this.told = told;
    this.rows = rows;
    const enough = this.enough();
    this.root.hidden = !enough && !why;
    for (const part of this.root.children) part.toggleAttribute("hidden", part.tagName !== "H3" && (part === this.absent ? enough : !enough));
    say(this.absent, enough ? "" : `n/a: ${why}`);
    if (enough) this.draw();
  }

  /** Axes, grid and scales over a plane of the width that is there. */
  plane(x, y, high, { across, upward, below }) {
    const wide = this.width - LEFT - RIGHT;
    const right = (v) => LEFT + ((v - x[0]) / (x[1] - x[0] || 1)) * wide;
    const up = (v) => TOP + (1 - (v - y[0]) / (y[1] - y[0] || 1)) * high;
    const bottom = TOP + high;
    const parts = [pencil("rect", { x: LEFT, y: TOP, width: wide, height: high, class: "lk-plane" })];
    for (const v of ticks(x[0], x[1], Math.max(2, Math.floor(wide / 70)))) {
      parts.push(
        pencil("line", { x1: right(v), x2: right(v), y1: TOP, y2: bottom, class: "lk-grid" }), pencil("text", { x: right(v), y: bottom + 16, "text-anchor": "middle" }, across(v)),
      );
    }
    for (const v of ticks(y[0], y[1], 5)) {
      parts.push(pencil("line", { x1: LEFT, x2: LEFT + wide, y1: up(v), y2: up(v), class: "lk-grid" }), pencil("text", { x: LEFT - 7, y: up(v) + 4, "text-anchor": "end" }, upward(v)));
    }
    parts.push(pencil("text", { x: LEFT + wide / 2, y: bottom + 34, "text-anchor": "middle", class: "lk-axis" }, below));
    return { parts, right, up, wide, bottom };
  }

  /** Everything at once, so that no frame is without a picture. */
  show(parts, height, label) {
    for (const [key, value] of Object.entries({ viewBox: `0 0 ${this.width} ${height}`, width: this.width, height, "aria-label": label })) this.picture.setAttribute(key, String(value));
    this.picture.replaceChildren(...parts);
  }

  table(head, rows) {
    this.head.replaceChildren(h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name))));
    this.body.replaceChildren(...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell)))));
  }
}

/** Stated confidence against what happened: on the diagonal the AI means what it says. */
export class Reliability extends Chart {
  constructor() {
    super(
      "reliability", "Does it know when it is right?",
      "Each dot is a group of labelled items. On the line the AI means what it says. Inside a grey bar the difference may be chance (exact, 95 %); the thin line is the interval of the dot.",
    );
  }

  enough() {
    return this.rows.length > 0;
  }

  draw() {
    const bins = this.rows;
    const high = Math.min(this.width - LEFT - RIGHT, 300);
    const { parts, right, up, bottom } = this.plane([0, 1], [0, 1], high, { across: two, upward: two, below: "what the AI said" });
    const most = Math.max(...bins.map((b) => b.count));
    for (const b of bins) {
      if (typeof b.consistent_low !== "number") continue;
      const bar = { x: right(b.lower) + 1, y: up(b.consistent_high), width: right(b.upper) - right(b.lower) - 2, height: Math.max(2, up(b.consistent_low) - up(b.consistent_high)), class: "lk-consistent" };
      parts.push(titled(pencil("rect", bar), `An AI that means what it says shows ${two(b.consistent_low)} to ${two(b.consistent_high)} here.`));
    }
    parts.push(pencil("line", { x1: right(0), y1: up(0), x2: right(1), y2: up(1), class: "lk-diagonal" }));
    for (const b of bins) {
      const words = `said ${two(b.mean_confidence)}, was ${two(b.accuracy)} (${two(b.low)} to ${two(b.high)}), ${b.count} labelled`;
      const x = right(b.mean_confidence);
      parts.push(
        pencil("line", { x1: x, x2: x, y1: up(b.low), y2: up(b.high), class: "lk-whisk" }), titled(pencil("circle", { cx: x, cy: up(b.accuracy), r: 3.5 + 5 * Math.sqrt(b.count / most), class: "lk-dot" }), words),
      );
    }
    const strip = bottom + 44;
    for (const b of bins) {
      const tall = Math.max(1, (26 * b.count) / most);
      parts.push(titled(pencil("rect", { x: right(b.lower) + 1, y: strip + 26 - tall, width: right(b.upper) - right(b.lower) - 2, height: tall, class: "lk-count-bar" }), `${b.count} labelled from ${two(b.lower)} to ${two(b.upper)}`));
    }
    parts.push(pencil("text", { x: LEFT - 7, y: strip + 26, "text-anchor": "end" }, "labels"));
    this.show(parts, strip + 32, `Reliability: ${bins.map((b) => `said ${two(b.mean_confidence)}, was ${two(b.accuracy)}`).join("; ")}`);
    this.table(
      ["It said", "It was", "95 % interval", "By chance alone", "Labels"],
      bins.map((b) => [two(b.mean_confidence), two(b.accuracy), `${two(b.low)} to ${two(b.high)}`, `${two(b.consistent_low)} to ${two(b.consistent_high)}`, String(b.count)]),
    );
  }
}

/** Accuracy of the answers that are kept, against the share kept; the threshold can be dragged. */
export class Risk extends Chart {
  constructor() {
    super("risk", "How good are the answers it is sure of?", "Answers below a threshold go to people, the others stand. Drag it.");
    this.at = 0;
    this.said = h("p", { class: "lk-said", aria: { live: "polite" } });
    this.slider = h("input", { type: "range", min: "0", step: "1", class: "lk-threshold", aria: { label: "Confidence threshold" } });
    this.slider.addEventListener("input", () => this.move(Number(this.slider.value)));
    this.picture.after(this.slider, this.said);
    this.picture.classList.add("lk-draggable");
    for (const kind of ["pointerdown", "pointermove"]) this.picture.addEventListener(kind, (event) => this.drag(event));
  }

  enough() {
    return this.rows.length > 1;
  }

  draw() {
    const points = this.rows;
    const floor = Math.max(0, Math.floor(10 * Math.min(...points.map((p) => p.low))) / 10);
    const { parts, right, up, bottom } = this.plane([0, 1], [floor, 1], 200, { across: hundred, upward: hundred, below: "answers kept" });
    const band = [...points.map((p) => [right(p.coverage), up(p.high)]), ...[...points].reverse().map((p) => [right(p.coverage), up(p.low)])];
    this.rule = pencil("line", { y1: TOP, y2: bottom, class: "lk-rule" });
    this.dot = pencil("circle", { r: 6, class: "lk-dot lk-handle" });
    parts.push(
      pencil("path", { d: `${path(band)}Z`, class: "lk-band" }), pencil("path", { d: path(points.map((p) => [right(p.coverage), up(p.accuracy)])), class: "lk-curve-line" }), this.rule, this.dot,
    );
    this.scales = { right, up };
    this.show(parts, bottom + BELOW, "Accuracy of the answers kept, against the share of answers kept");
    this.slider.max = String(points.length - 1);
    this.table(
      ["Threshold", "Kept", "Right", "95 % interval", "Labels"], points.map((p) => [two(p.threshold), hundred(p.coverage), hundred(p.accuracy), `${hundred(p.low)} to ${hundred(p.high)}`, String(p.labelled)]),
    );
    const known = points.findIndex((p) => p.threshold >= (this.chosen ?? 0));
    this.move(known < 0 ? points.length - 1 : known);
  }

  drag(event) {
    if (event.type === "pointerdown") this.picture.setPointerCapture(event.pointerId);
    else if (!event.buttons) return;
    const box = this.picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.width;
    const far = this.rows.map((p) => Math.abs(this.scales.right(p.coverage) - x));
    this.move(far.indexOf(Math.min(...far)));
  }

  /** Put the threshold on one of the points. */
  move(at) {
    const p = this.rows[at];
    this.chosen = p.threshold;
    this.slider.value = String(at);
    for (const key of ["x1", "x2"]) this.rule.setAttribute(key, String(this.scales.right(p.coverage)));
    this.dot.setAttribute("cx", String(this.scales.right(p.coverage)));
    this.dot.setAttribute("cy", String(this.scales.up(p.accuracy)));
    say(this.said, `At a confidence of ${two(p.threshold)} and more ${hundred(p.coverage)} of the answers are kept; ${hundred(p.accuracy)} of them are right (${hundred(p.low)} to ${hundred(p.high)}, ${p.labelled} labels).`);
    this.slider.setAttribute("aria-valuetext", this.said.textContent);
    Object.assign(this.root.dataset, { threshold: String(p.threshold), coverage: String(p.coverage), accuracy: String(p.accuracy), low: String(p.low), high: String(p.high), labelled: String(p.labelled) });
  }
}

/** How wide the headline interval will be with more labels, and where the goal is met. */
export class Widths extends Chart {
  constructor() {
    super("widths", "What more labels bring", "");
  }

  enough() {
    return this.rows.points.length > 1;
  }

  draw() {
    const { points, goal } = this.rows;
    const [now, last] = [points[0], points[points.length - 1]];
    const met = points.find((p) => p.half_width <= goal.at);
    const top = Math.max(1.15 * goal.at, ...points.map((p) => p.half_width));
    const { parts, right, up, wide, bottom } = this.plane([now.labels, last.labels], [0, top], 200, { across: (v) => v.toLocaleString("en"), upward: (v) => `\u00b1${two(v)}`, below: "labels" });
    parts.push(
      pencil("line", { x1: LEFT, x2: LEFT + wide, y1: up(goal.at), y2: up(goal.at), class: "lk-diagonal" }), pencil("text", { x: LEFT + wide - 6, y: up(goal.at) - 6, "text-anchor": "end" }, `goal \u00b1${two(goal.at)}`),
      pencil("path", { d: path(points.map((p) => [right(p.labels), up(p.half_width)])), class: "lk-curve-line" }),
    );
    for (const p of points) parts.push(titled(pencil("circle", { cx: right(p.labels), cy: up(p.half_width), r: p === now ? 6 : 3, class: "lk-dot" }), `${p.labels} labels: \u00b1${p.half_width.toFixed(3)}`));
    const name = goal.metric.toUpperCase() === "F1" ? "F1" : goal.metric;
    say(this.lead, `The interval of ${name} is \u00b1${two(now.half_width)} with ${now.labels.toLocaleString("en")} labels, the large dot. If the shares stay as they are, ${met ? `${met === now ? "the goal is met" : `about ${met.labels.toLocaleString("en")} meet the goal`}` : "the goal lies further to the right"}.`);
    this.show(parts, bottom + BELOW, `Half-width of the interval of ${name} against labels`);
    this.table(["Labels", "Half-width"], points.map((p) => [p.labels.toLocaleString("en"), `\u00b1${p.half_width.toFixed(3)}`]));
  }
}
