// A live cell: what Python sends is drawn anew, as text, whenever an answer was stored.
import { h, say } from "./dom.js";
import { metric, Results } from "./results.js";
import { VegaReliability } from "./vega.js";

/** @param {any} message @returns {Node[]} */
function drawn(message) {
  if (message.type === "text") return [h("pre", { class: "lk-live-text" }, message.text)];
  if (message.type === "problem") return [h("p", { class: "lk-warning", role: "alert" }, message.text)];
  const cell = (value, name) => h("td", {}, name ? metric(name, value.value, value.text, value) : value.text);
  return [
    h("table", { class: "lk-table" }, message.header.length ? h("thead", {}, h("tr", {}, ...message.header.map((name) => h("th", { scope: "col" }, name)))) : null, h(
      "tbody", {}, ...message.rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.name), cell(row, row.name), row.range ? h("td", { class: "lk-quiet" }, row.range) : null)),
    )),
  ];
}

function render({ model, el }) {
  const diagram = new VegaReliability(model);
  const results = new Results(null, diagram);
  const body = h("div", { class: "lk-page" });
  const state = h("p", { class: "lk-quiet lk-fine", role: "status" }, "Computing…");
  const root = h("div", { class: "lk-app lk-live", data: { labkit: "live", lmSuppressShortcuts: "true" } }, body, state);
  const hear = (message) => {
    if (message.type === "vega") return;
    if (message.type === "headlines") return results.ahead(message.estimates);
    if (message.type === "results") results.paint(message);
    if (message.type !== "results") body.replaceChildren(...drawn(message));
    else if (results.root.parentNode !== body) body.replaceChildren(results.root);
    say(state, message.note);
    root.dataset.seq = String(message.seq);
  };
  model.on("msg:custom", hear);
  el.append(root);
  model.send({ type: "hello" });
  return () => {
    model.off("msg:custom", hear);
    diagram.close();
    root.remove();
  };
}

export default { render };
