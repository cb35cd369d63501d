// The reliability diagram of a live cell: authored with Altair, drawn by one Vega view that is kept; rows are pushed into it.
import { Reliability } from "./charts.js";
import { h } from "./dom.js";

const PATIENCE = 30_000;

/**
 * Vega and the chart's specification, sent by Python once a page; every live cell on it shares them.
 * @param {any} model
 * @returns {Promise<{ embed: Function, spec: any }>}
 */
function vega(model) {
  globalThis.labkitVega ??= new Promise((resolve, reject) => {
    const hear = async (message, buffers) => {
      if (message.type !== "vega") return;
      model.off("msg:custom", hear);
      if (!message.spec) return reject(new Error("altair or vl-convert is not installed"));
      const url = URL.createObjectURL(new Blob(buffers, { type: "text/javascript" }));
      const { vegaEmbed: embed } = await import(url);
      URL.revokeObjectURL(url);
      resolve({ embed, spec: message.spec });
    };
    model.on("msg:custom", hear);
    setTimeout(() => reject(new Error("nothing came")), PATIENCE);
    model.send({ type: "vega" });
  }).catch((error) => {
    globalThis.labkitVega = undefined;
    throw error;
  });
  return globalThis.labkitVega;
}

/** Colours of the page, so that the chart is at home in light and dark. */
function themed(element) {
  const ink = globalThis.getComputedStyle(element).color;
  const axis = { labelColor: ink, titleColor: ink, domainColor: ink, tickColor: ink, gridOpacity: 0.2 };
  return { background: null, axis, legend: { labelColor: ink, titleColor: ink }, view: { stroke: null } };
}

/** Until Vega is there, and where it cannot be had, the picture is drawn by hand. */
export class VegaReliability extends Reliability {
  constructor(model) {
    super();
    this.box = h("div", { class: "lk-vega", data: { labkit: "vega" } });
    this.picture.after(this.box);
    this.model = model;
  }

  draw() {
    super.draw();
    this.turn = (this.turn ?? Promise.resolve()).then(() => this.push(this.rows)).catch(() => undefined);
  }

  async push(rows) {
    if (!this.view) {
      const { embed, spec } = await vega(this.model);
      const { view } = await embed(this.box, structuredClone(spec), { actions: false, renderer: "svg", config: themed(this.root) });
      this.view = view;
      this.picture.remove();
    }
    await this.view.data("rows", structuredClone(rows)).runAsync();
    this.box.dataset.rows = String(rows.length);
  }

  close() {
    this.view?.finalize();
  }
}
