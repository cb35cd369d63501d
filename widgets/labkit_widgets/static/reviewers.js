// The Reviewers tab: who has done what, how far they agree, and the desk where differences are settled.
import { Card } from "./card.js";
import { count, h } from "./dom.js";
import { newId } from "./outbox.js";
import { metric } from "./results.js";
import { Session } from "./session.js";

/** A second card, for disputes, beside tables that Python made. */
export class Reviewers {
  /** @param {{send: (messages: any[]) => void, now: () => number, tab: (name: string) => void, storage: Storage | null}} world */
  constructor(world) {
    this.world = world;
    this.session = new Session({ storage: world.storage, newId });
    this.tables = h("div", { class: "lk-page lk-team" }, h("p", { class: "lk-quiet" }, "Counting…"));
    this.desk = h("div", { class: "lk-desk", hidden: true });
    this.root = h("div", { class: "lk-reviewers" }, this.desk, this.tables);
  }

  /** @param {any} team */
  paint(team) {
    const settle = h("button", { type: "button", class: "lk-button lk-primary", data: { action: "settle" } }, h("span", { class: "lk-label" }, `Settle ${count(team.disputed, "difference")}`));
    settle.addEventListener("click", () => this.open());
    this.tables.replaceChildren(
      h("h2", {}, team.disputed ? `Reviewers differ on ${count(team.disputed, "item")}` : "Nothing to settle"),
      h("p", { class: "lk-quiet" }, team.disputed ? "Until they are settled these items are not in the numbers. You answer first; then you see the answers, without names." : "Where two reviewers differ on an item, it comes here."),
      ...(team.disputed ? [h("div", { class: "lk-finish" }, settle)] : []),
      h("h3", {}, "Who has done what"), people(team.reviewers), ...team.blocks.map(block),
    );
  }

  open() {
    this.send([{ type: "hello" }]);
  }

  send(messages) {
    this.world.send(messages.map((message) => ({ type: "desk", message })));
  }

  /** @param {any} reply a message for the desk's own card */
  receive(reply) {
    const answers = this.session.receive(reply, this.world.now());
    if (reply.type === "welcome") this.build();
    if (this.card && this.session.at !== null) this.show();
    this.send(answers);
  }

  build() {
    this.session.at = null;
    this.card = new Card(this.session, { send: (messages) => this.send(messages), now: this.world.now, tab: () => this.close() });
    const back = h("button", { type: "button", class: "lk-link", data: { action: "desk-close" } }, "← Back to the reviewers");
    back.addEventListener("click", () => this.close());
    this.desk.replaceChildren(h("p", { class: "lk-desk-head" }, back, h("span", { class: "lk-quiet" }, "Settle differences: your answer first, then the others’.")), this.card.root);
  }

  show() {
    this.card.paint();
    if (!this.desk.hidden) return;
    this.desk.hidden = false;
    this.tables.hidden = true;
    this.world.tab("reviewers");
    this.card.focus(true);
  }

  close() {
    this.desk.hidden = true;
    this.tables.hidden = false;
    this.world.tab("reviewers");
  }

  get live() {
    return this.desk.hidden ? null : this.card;
  }

  tick(now) {
    if (!this.live) return;
    const messages = this.session.tick(now);
    if (messages.length || this.session.stalled) this.card.paint();
    this.send(messages);
  }
}

function people(rows) {
  const cell = (row, key) => h("td", {}, metric(`${row.name}.${key}`, row[key], String(row[key])));
  const line = (row) => h(
    "tr", {}, h("th", { scope: "row" }, row.name), ...["answered", "skipped", "unsure", "flagged"].map((key) => cell(row, key)),
    h("td", {}, metric(`${row.name}.medianSeconds`, row.medianSeconds, row.medianSeconds === null ? "n/a" : `${row.medianSeconds.toFixed(1)} s`)),
  );
  return h("table", { class: "lk-table" }, h("thead", {}, h("tr", {}, ...["", "Answered", "Skipped", "Unsure", "Flagged", "Time an answer"].map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...rows.map(line)));
}

function block(part) {
  if (part.kind === "heading") return h("h3", {}, part.text);
  if (part.kind === "paragraph") return h("p", { class: "lk-quiet" }, part.text);
  if (part.kind === "bullets") return h("ul", {}, ...part.items.map((text) => h("li", {}, text)));
  const row = (cells) => h("tr", {}, ...cells.map((text, i) => h(i ? "td" : "th", i ? {} : { scope: "row" }, text)));
  return h("table", { class: "lk-table" }, h("thead", {}, h("tr", {}, ...part.header.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...part.rows.map(row)));
}
