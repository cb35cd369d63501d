// The widget: a header with tabs, the card, and the wire to Python. Wires and cleans up, decides nothing.
import { Card } from "./card.js";
import { h, say } from "./dom.js";
import { Export } from "./export.js";
import { browserStorage, newId } from "./outbox.js";
import { Reviewers } from "./reviewers.js";
import { Results } from "./results.js";
import { Session, SILENCE_MS } from "./session.js";

const TICK_MS = 500;
const NAMES = { review: "Review", results: "Results", reviewers: "Reviewers", export: "Export" };

/** One view of the widget on one page. */
class App {
  constructor(model, el) {
    this.model = model;
    this.session = new Session({ storage: browserStorage(), newId });
    this.root = h("div", { class: "lk-app", data: { lmSuppressShortcuts: "true" } });
    this.quiet = h("p", { class: "lk-opening", role: "status" }, "Opening the study…");
    this.root.append(this.quiet);
    this.panels = {};
    this.stray = (event) => this.strayKey(event);
    this.hear = (message) => this.receive(message);
    model.on("msg:custom", this.hear);
    el.append(this.root);
    this.openedAt = this.now();
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.root.ownerDocument.addEventListener("keydown", this.stray);
    this.send([{ type: "hello" }]);
  }

  now() {
    return performance.now();
  }

  send(messages) {
    for (const message of messages) {
      try {
        this.model.send(message);
      } catch {
        // the connection is gone: the outbox keeps the act, and the card says so after three seconds
      }
    }
  }

  receive(message) {
    if (message.type === "team") return this.panels.reviewers?.paint(message);
    if (message.type === "desk") return this.panels.reviewers?.receive(message.reply);
    if (message.type === "results") return this.panels.results?.paint(message);
    if (message.type === "found") return this.card?.list.paint(message);
    if (message.type === "preview" || message.type === "written") return this.panels.export?.receive(message);
    const replies = this.session.receive(message, this.now());
    if (message.type === "progress" && this.name) say(this.name, message.name);
    if (message.type === "welcome") this.rebuild(message.study);
    if (this.card && (this.session.at !== null || this.session.fatal)) this.show();
    else if (message.type === "fatal") say(this.quiet, message.message);
    return this.send(replies);
  }

  /** A study that has grown says welcome again: everything is made anew. */
  rebuild(study) {
    this.card?.root.remove();
    this.session.at = null;
    this.session.items.clear();
    this.build(study);
  }

  build(study) {
    const world = { send: (messages) => this.send(messages), now: () => this.now(), tab: (name) => this.turn(name) };
    this.card = new Card(this.session, world);
    this.panels = { review: this.card };
    if (study.tabs.includes("results")) this.panels.results = new Results((item) => this.visit(item));
    if (study.tabs.includes("reviewers")) this.panels.reviewers = new Reviewers({ ...world, storage: browserStorage() });
    if (study.tabs.includes("export")) this.panels.export = new Export(study, (message) => this.send([message]));
    this.tabs = Object.fromEntries(study.tabs.map((name) => [name, this.tab(name)]));
    this.name = h("span", { class: "lk-name" }, "labkit");
    this.header = h(
      "header", { class: "lk-header" }, this.name,
      study.tabs.length > 1 ? h("div", { class: "lk-tabs", role: "tablist", aria: { label: "labkit" } }, ...Object.values(this.tabs)) : null,
      h("span", { class: "lk-who" }, study.reviewer),
    );
  }

  tab(name) {
    const tab = h("button", { type: "button", class: "lk-tab", role: "tab", data: { tab: name }, aria: { selected: name === "review" } }, NAMES[name] ?? name);
    tab.addEventListener("click", () => this.turn(name));
    return tab;
  }

  /** The card enters the page with its first item, never before. */
  show() {
    this.card.paint();
    if (this.card.root.isConnected) return;
    this.root.replaceChildren(this.header, ...Object.values(this.panels).map((panel) => panel.root));
    const first = this.session.study.tab ?? "review";
    this.turn(first);
    if (first === "reviewers") this.panels.reviewers.open();
  }

  turn(name) {
    if (!this.panels[name]) return;
    for (const [other, panel] of Object.entries(this.panels)) panel.root.hidden = other !== name;
    for (const [other, tab] of Object.entries(this.tabs)) tab.setAttribute("aria-selected", String(other === name));
    const desk = name === "reviewers" ? this.panels.reviewers.live : null;
    this.card.root.dataset.labkit = desk ? "card-behind" : "card"; // one card at a time answers to the name
    if (this.panels.reviewers?.card) this.panels.reviewers.card.root.dataset.labkit = desk ? "card" : "card-behind";
    this.send([{ type: "tab", tab: name }]);
    if (name === "export") this.panels.export.open();
    if (name === "review") this.card.focus(this.ready);
    this.ready = true;
  }

  /** Show one item on the card; the card takes the place that Python gives it. */
  visit(item) {
    this.turn("review");
    this.send([{ type: "visit", where: "item", item }]);
  }

  tick() {
    const messages = this.session.tick(this.now());
    this.panels.reviewers?.tick(this.now());
    if (!this.card?.root.isConnected) {
      if (this.now() - this.openedAt > SILENCE_MS) say(this.quiet, "The kernel does not answer. In a notebook: run the cell again. In the browser: reload the page.");
      return;
    }
    if (messages.length || this.session.stalled) this.card.paint();
    this.send(messages);
  }

  /** Alone on its page the card hears keys that were pressed while nothing had the focus. */
  strayKey(event) {
    const { body } = this.root.ownerDocument;
    const card = this.panels.reviewers?.live ?? this.card;
    if (event.target !== body || !body.hasAttribute("data-voila") || !card?.root.offsetParent) return;
    card.focus(true);
    card.key(event);
  }

  close() {
    clearInterval(this.timer);
    this.root.ownerDocument.removeEventListener("keydown", this.stray);
    this.model.off("msg:custom", this.hear);
    this.root.remove();
  }
}

/** The one name that a widget module exports. */
function render({ model, el }) {
  const app = new App(model, el);
  return () => app.close();
}

export default { render };
