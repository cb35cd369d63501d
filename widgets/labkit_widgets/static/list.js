// The list of items: filter by state, search by name, jump by number.
import { button, count, h } from "./dom.js";

const STATES = ["all", "open", "answered", "skipped", "unsure", "flagged"];
const WAIT_MS = 120;

/** A sheet over the evidence; what it shows comes from Python. */
export class List {
  /** @param {{find: (text: string, state: string) => void, visit: (item: string) => void, close: () => void}} world */
  constructor(world) {
    this.world = world;
    this.state = "all";
    this.chosen = 0;
    this.items = [];
    this.field = h("input", {
      class: "lk-search", type: "text", placeholder: "Part of a name, or a number", autocomplete: "off", spellcheck: "false", aria: { label: "Search items" },
    });
    this.filters = STATES.map((state) => h("button", { type: "button", class: "lk-chip", aria: { pressed: state === "all" }, on: { click: () => this.filter(state) } }, state));
    this.hits = h("div", { class: "lk-items", role: "listbox", aria: { label: "Items" } });
    this.total = h("p", { class: "lk-quiet lk-fine", role: "status" });
    this.field.addEventListener("input", () => this.ask());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.root = h(
      "div", { class: "lk-list" }, h("h2", { class: "lk-sheet-title" }, "Items"), this.field, h("div", { class: "lk-chips", role: "group", aria: { label: "Show" } }, ...this.filters),
      this.total, this.hits, h("div", { class: "lk-finish" }, button("Close", { key: "Esc", class: "lk-small", action: "list" })),
    );
  }

  open() {
    this.field.focus();
    this.field.select();
    this.ask(0);
  }

  ask(wait = WAIT_MS) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.world.find(this.field.value, this.state), wait);
  }

  filter(state) {
    this.state = state;
    this.filters.forEach((chip, i) => chip.setAttribute("aria-pressed", String(STATES[i] === state)));
    this.field.focus();
    this.ask(0);
  }

  key(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && !event.repeat && this.items[this.chosen]) this.world.visit(this.items[this.chosen].item);
    else if (event.key === "Escape") this.world.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  move(step) {
    this.chosen = Math.max(0, Math.min(this.items.length - 1, this.chosen + step));
    this.mark();
  }

  mark() {
    [...this.hits.children].forEach((row, i) => row.setAttribute("aria-selected", String(i === this.chosen)));
    this.hits.children[this.chosen]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {any} found */
  paint(found) {
    if (found.text !== this.field.value || found.state !== this.state) return;
    this.items = found.items;
    this.chosen = 0;
    const more = found.total > found.items.length ? `, the first ${found.items.length} are shown` : "";
    this.total.textContent = `${count(found.total, "item")}${more}`;
    this.hits.replaceChildren(...found.items.map((item) => h(
      "div", { class: "lk-item", role: "option", data: { listed: item.item }, on: { mousedown: (event) => event.preventDefault(), click: () => this.world.visit(item.item) } },
      h("span", { class: "lk-item-place" }, item.place === null ? "–" : String(item.place)), h("span", { class: "lk-item-name" }, item.title, h("span", { class: "lk-quiet lk-fine" }, ` ${item.subtitle}`)),
      h("span", { class: `lk-item-state lk-state-${item.state}` }, item.place === null ? "not in the sample" : item.state, item.flagged ? " · flagged" : ""),
    )));
    this.mark();
  }
}
