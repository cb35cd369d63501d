// Two curves of the Results tab: what is kept at a threshold, and what more labels bring.
import { h } from "./dom.js";

const WIDE = 420;
const HIGH = 200;
const LEFT = 44;
const BELOW = 36;
const dragged = { to: 0 }; // the numbers are painted anew with every answer; the threshold stays

function pencil(name, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
}

/** A frame with three ticks a side. */
function sheet(label, x, y, [across, upward]) {
  const right = (v) => LEFT + ((v - x[0]) / (x[1] - x[0] || 1)) * WIDE;
  const up = (v) => 12 + (1 - (v - y[0]) / (y[1] - y[0] || 1)) * HIGH;
  const picture = pencil("svg", { viewBox: `0 0 ${LEFT + WIDE + 16} ${HIGH + 12 + BELOW}`, class: "lk-curve", role: "img", "aria-label": label });
  picture.append(pencil("rect", { x: LEFT, y: 12, width: WIDE, height: HIGH, class: "lk-plane" }));
  for (const k of [0, 0.5, 1]) {
    const [a, b] = [x[0] + k * (x[1] - x[0]), y[0] + k * (y[1] - y[0])];
    picture.append(
      pencil("text", { x: right(a), y: HIGH + 28, "text-anchor": "middle" }, across(a)), pencil("text", { x: LEFT - 6, y: up(b) + 4, "text-anchor": "end" }, upward(b)),
    );
  }
  return { picture, right, up };
}

const hundred = (v) => `${Math.round(100 * v)} %`;
const path = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** Accuracy of the answers that are kept, against the share kept; the threshold can be dragged. */
export function riskCurve(points) {
  if (!points || points.length < 2) return null;
  const least = Math.min(...points.map((p) => p.low));
  const floor = Math.max(0, Math.floor(10 * least) / 10);
  const { picture, right, up } = sheet("Accuracy of the answers kept, against the share of answers kept", [0, 1], [floor, 1], [hundred, hundred]);
  const band = [...points.map((p) => [right(p.coverage), up(p.high)]), ...[...points].reverse().map((p) => [right(p.coverage), up(p.low)])];
  const rule = pencil("line", { y1: 12, y2: 12 + HIGH, class: "lk-rule" });
  const dot = pencil("circle", { r: 5, class: "lk-dot" });
  picture.append(
    pencil("path", { d: `${path(band)}Z`, class: "lk-band" }), pencil("path", { d: path(points.map((p) => [right(p.coverage), up(p.accuracy)])), class: "lk-line" }), rule, dot,
    pencil("text", { x: LEFT + WIDE / 2, y: HIGH + 45, "text-anchor": "middle" }, "answers kept"),
  );
  const said = h("p", { class: "lk-quiet", role: "status" });
  const slider = h("input", { type: "range", min: "0", max: String(points.length - 1), value: String(Math.min(dragged.to, points.length - 1)), class: "lk-threshold", "aria-label": "Confidence threshold" });
  const show = () => {
    dragged.to = Number(slider.value);
    const p = points[dragged.to];
    for (const key of ["x1", "x2"]) rule.setAttribute(key, String(right(p.coverage)));
    dot.setAttribute("cx", String(right(p.coverage)));
    dot.setAttribute("cy", String(up(p.accuracy)));
    said.textContent = `Answers with a confidence of ${p.threshold.toFixed(2)} and more: ${hundred(p.coverage)} are kept, ${hundred(p.accuracy)} of them right (${hundred(p.low)} to ${hundred(p.high)}, ${p.labelled} labelled).`;
    slider.setAttribute("aria-valuetext", said.textContent);
  };
  slider.addEventListener("input", show);
  show();
  return h("section", { class: "lk-risk" }, h("h3", {}, "How good are the answers it is sure of?"), picture, slider, said);
}

/** How wide the headline interval will be with more labels. */
export function widthCurve(points, goal) {
  if (!points || points.length < 2) return null;
  const most = Math.max(goal.at, ...points.map((p) => p.half_width));
  const { picture, right, up } = sheet(
    `Half-width of the interval of ${goal.metric} against labels`, [points[0].labels, points[points.length - 1].labels], [0, most], [(v) => String(Math.round(v)), (v) => `\u00b1${v.toFixed(2)}`],
  );
  picture.append(
    pencil("line", { x1: LEFT, x2: LEFT + WIDE, y1: up(goal.at), y2: up(goal.at), class: "lk-diagonal" }), pencil("path", { d: path(points.map((p) => [right(p.labels), up(p.half_width)])), class: "lk-line" }),
    pencil("text", { x: LEFT + WIDE / 2, y: HIGH + 45, "text-anchor": "middle" }, "labels"),
  );
  for (const p of points) {
    const mark = pencil("circle", { cx: right(p.labels), cy: up(p.half_width), r: 4, class: "lk-dot" });
    mark.append(pencil("title", {}, `${p.labels} labels: \u00b1${p.half_width.toFixed(3)}`));
    picture.append(mark);
  }
  return h("section", { class: "lk-widths" }, h("h3", {}, "What more labels bring"), h("p", { class: "lk-quiet" }, `The interval of ${goal.metric}, if the shares stay as they are; the dashed line is the goal.`), picture);
}
