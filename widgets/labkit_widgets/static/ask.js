// The right side: the questions as buttons with their keys, and what can be done with the item.
import { button, cap, h, title } from "./dom.js";
import { complete, found, opened } from "./draft.js";
import { keyOf } from "./keys.js";

const ALL_IN_VIEW = 16;

/** The questions; buttons are made once, so focus stays where it is. */
export class Ask {
  /** @param {any} study @param {(act: string, source: string, detail?: any) => void} dispatch */
  constructor(study, dispatch) {
    this.study = study;
    this.dispatch = dispatch;
    this.picks = [];
    this.sets = study.questions.map((q, i) => this.question(q, i));
    this.submit = button("Submit", { action: "submit", key: "Enter", class: "lk-primary" });
    this.keep = button("Keep and go on", { action: "reveal-keep", key: "Enter", class: "lk-primary" });
    this.change = button("Change", { action: "reveal-change", key: "c" });
    this.finish = h("div", { class: "lk-finish" }, this.submit, this.keep, this.change);
    this.root = h("div", { class: "lk-questions" }, ...this.sets.map((s) => s.root));
  }

  question(q, index) {
    const rows = h("div", { class: `lk-options lk-${q.kind}` });
    const set = { q, index, rows, root: h("fieldset", { class: "lk-ask" }, h("legend", { class: index ? "lk-prompt lk-second" : "lk-prompt" }, q.prompt || title(q.name)), rows) };
    if (q.kind === "binary") rows.append(this.answer(q, "yes", "Yes", "y", true), this.answer(q, "no", "No", "n", false));
    else if (q.kind !== "text") q.options.forEach((option, i) => rows.append(this.pick(q, option, i)));
    if (q.kind === "tags" && q.options.length > 10) set.root.append(this.search(q));
    return set;
  }

  answer(q, action, label, key, value) {
    const element = button(label, { action, key, class: "lk-answer" });
    this.picks.push({ q, element, on: (draft) => draft[q.name] === value });
    return element;
  }

  pick(q, option, i) {
    const element = button(option, { key: keyOf(i), class: "lk-option", data: { option } });
    element.addEventListener("click", () => this.dispatch(`option:${i}`, `click ${option}`, q));
    const on = q.kind === "tags" ? (draft) => (draft[q.name] ?? []).includes(option) : (draft) => draft[q.name] === option;
    this.picks.push({ q, element, on, rare: q.kind === "tags" && q.options.length > ALL_IN_VIEW && i > 9 });
    return element;
  }

  search(q) {
    this.field = h("input", {
      class: "lk-search", type: "text", placeholder: `Search all ${q.options.length} tags`, autocomplete: "off", spellcheck: "false",
      role: "combobox", aria: { label: "Search all tags", expanded: "false", autocomplete: "list" },
    });
    this.hits = h("div", { class: "lk-hits", role: "listbox", aria: { label: "Tags found" }, hidden: true });
    this.chosen = 0;
    this.field.addEventListener("input", () => this.list(q, 0));
    this.field.addEventListener("focus", () => this.list(q, 0));
    this.field.addEventListener("blur", () => this.fold());
    this.field.addEventListener("keydown", (event) => this.typed(event, q));
    return h("div", { class: "lk-searchbox" }, cap("/"), this.field, this.hits);
  }

  list(q, chosen) {
    const names = found(q.options, this.field.value).slice(0, 8);
    this.chosen = Math.max(0, Math.min(chosen, names.length - 1));
    this.names = names;
    this.hits.replaceChildren(...names.map((name, i) => h(
      "div",
      { class: "lk-hit", role: "option", aria: { selected: i === this.chosen }, on: { mousedown: (event) => { event.preventDefault(); this.take(q, name); } } },
      name,
    )), ...(names.length ? [] : [h("div", { class: "lk-hit lk-none" }, "No such tag")]));
    this.hits.hidden = false;
    this.field.setAttribute("aria-expanded", "true");
  }

  typed(event, q) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.list(q, this.chosen + (event.key === "ArrowDown" ? 1 : -1));
    else if (event.key === "Enter" && !event.ctrlKey && this.names?.[this.chosen] && !event.repeat) this.take(q, this.names[this.chosen]);
    else if (event.key === "Escape") this.dispatch("focus", "");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  take(q, name) {
    this.dispatch("toggle", `search ${name}`, { question: q, option: name });
    this.dispatch("focus", "");
  }

  fold() {
    this.field.value = "";
    this.hits.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
  }

  /** @param {import("./session.js").Session} session */
  paint(session) {
    const { questions } = this.study;
    const live = session.editing;
    const open = opened(questions, session.draft);
    for (const { q, element, on, rare } of this.picks) {
      const chosen = on(session.draft);
      const asked = q === questions[0] || open;
      element.setAttribute("aria-pressed", String(chosen));
      element.setAttribute("aria-disabled", String(!live || !asked));
      element.classList.toggle("lk-on", chosen);
      element.hidden = !chosen && (Boolean(rare) || (!live && q.kind === "tags"));
    }
    for (const { q, root } of this.sets) root.classList.toggle("lk-closed", q !== questions[0] && !open);
    this.root.classList.toggle("lk-answered", !live);
    if (this.field) this.field.parentElement.hidden = !live;
    const gathers = questions.some((q) => q.kind === "tags" || q.kind === "text");
    this.submit.hidden = !live || !(session.acceptable || gathers || session.changing || questions.length > 1);
    this.submit.setAttribute("aria-disabled", String(!complete(questions, session.draft) && !session.acceptable));
    this.submit.querySelector(".lk-label").textContent = session.acceptable ? "Accept the AI’s answer" : "Submit";
    this.keep.hidden = this.change.hidden = live;
    const again = session.view && session.view.phase !== "revealed";
    this.keep.querySelector(".lk-label").textContent = again ? "Go on" : "Keep and go on";
  }
}
