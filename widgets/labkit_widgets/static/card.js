// The card: one item, its questions, its keys. Python decides, this draws.
import { Ask } from "./ask.js";
import { button, cap, count, h, isTyping, say } from "./dom.js";
import { List } from "./list.js";
import { Evidence } from "./evidence.js";
import { actFor, pressOf } from "./keys.js";
import { Reveal } from "./reveal.js";
import { minutes, Strip } from "./strip.js";

const WHY = ["Not enough is shown", "It could be both", "The question does not fit", "Outside my field"];

const KEYS = [
  ["y  n", "yes, no (first, second option)"], ["1 – 9, 0", "an option or a tag, on and off"], ["/", "search all tags"],
  ["Enter", "submit; after the reveal: keep"], ["c", "change your answer after the reveal"],
  ["u", "unsure; then 1 – 4 say why"], ["r", "a reason in your own words"], ["s", "skip: it comes back at the end"], ["f", "flag"],
  ["z, Ctrl+Z", "undo, as often as you like"], ["Shift+Z, Ctrl+Y", "redo"], ["j k, → ←", "next, previous item"], ["l", "list: filter, search, jump"],
  ["m", "more lines around the code"], ["g", "guidelines"], ["?", "this list"],
];

/** Acts that concern what is folded out, and the one that changes nothing. */
const SHEETS = ["escape", "keys", "guidelines", "list", "saved?"];

/** One card on one session. */
export class Card {
  /**
   * @param {import("./session.js").Session} session
   * @param {{send: (messages: any[]) => void, now: () => number, tab: (name: string) => void}} world
   */
  constructor(session, world) {
    this.session = session;
    this.world = world;
    const { study } = session;
    this.evidence = new Evidence(study);
    this.reveal = new Reveal();
    this.strip = new Strip();
    this.ask = new Ask(study, (act, source, detail) => this.do(act, source, detail));
    this.undo = button("Undo", { action: "undo", key: "z", class: "lk-small" });
    this.redo = button("Redo", { action: "redo", key: "⇧Z", class: "lk-small" });
    this.flag = button("Flag", { action: "flag", key: "f", class: "lk-small" });
    this.unsure = button("Unsure", { action: "unsure", key: "u", class: "lk-small" });
    this.skip = button("Skip", { action: "skip", key: "s", class: "lk-small" });
    this.more = h(
      "div", { class: "lk-more", role: "group", aria: { label: "More" } }, this.unsure, this.skip, this.flag,
      this.undo, this.redo,
    );
    this.list = new List({
      find: (text, state) => world.send([{ type: "find", text, state }]), visit: (item) => this.jump(item), close: () => this.fold(""),
    });
    const settling = study.protocol === "settling"; // the desk has no list, no unsure, no flags
    this.flag.hidden = this.unsure.hidden = this.redo.hidden = settling;
    this.listed = !settling;
    this.strip.root.append(
      ...(settling ? [] : [button("List", { action: "list", key: "l", class: "lk-small" })]),
      ...(study.guidelines ? [button("Guidelines", { action: "guidelines", key: "g", class: "lk-small" })] : []),
      button("Keys", { action: "keys", key: "?", class: "lk-small" }),
    );
    this.reason = h("input", { class: "lk-search lk-reason", type: "text", maxlength: "500", list: `lk-notes-${study.key}`, autocomplete: "off", aria: { label: "Reason, in your own words" } });
    this.reason.addEventListener("input", () => { session.note = this.reason.value; });
    this.reason.addEventListener("keydown", (event) => this.written(event));
    this.notes = h("datalist", { id: `lk-notes-${study.key}` });
    this.propose(study.notes ?? []);
    this.why = h("div", { class: "lk-why", role: "group", aria: { label: "Why unsure" }, hidden: true }, ...WHY.map((text, i) => {
      const chip = button(text, { key: String(i + 1), class: "lk-small" });
      chip.addEventListener("click", () => this.because(i));
      return chip;
    }));
    this.reasonBox = h("div", { class: "lk-searchbox" }, cap("r"), this.reason, this.notes);
    this.aside = h("aside", { class: "lk-side", aria: { label: "Your answer" } }, this.ask.root, this.why, this.reveal.root, this.reasonBox, this.ask.finish, this.more);
    this.problem = h("div", { class: "lk-problem", role: "alert", hidden: true });
    this.news = h("div", { class: "lk-sr", aria: { live: "polite" } });
    this.start = start(study, (act) => this.do(act, `click ${act}`));
    this.body = h("div", { class: "lk-body" }, this.evidence.root, this.aside);
    this.end = h("div", { class: "lk-end", hidden: true });
    this.sheet = h("div", { class: "lk-sheet", hidden: true });
    this.root = h(
      "section",
      { class: "lk-card", tabindex: "0", role: "group", aria: { label: "Review card" }, data: { labkit: "card", lmSuppressShortcuts: "true" } },
      this.strip.root, this.start, this.problem, this.body, this.end, this.sheet, this.news,
    );
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("click", (event) => this.click(event));
    this.root.addEventListener("mousedown", (event) => this.pointer(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const press = pressOf(event);
    if (isTyping(event.target)) {
      event.stopPropagation();
      if (press.ctrl && press.key === "s") event.preventDefault();
      else if (press.key === "Escape") this.focus(true);
      return;
    }
    const onButton = event.target instanceof HTMLButtonElement && ["Enter", " "].includes(event.key) && !press.ctrl;
    const act = onButton ? null : actFor(press);
    if (onButton) event.stopPropagation();
    if (onButton && press.repeat) event.preventDefault();
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (press.repeat) return;
    // what lies over the evidence goes first: nobody answers what they do not see
    if (!this.sheet.hidden && !SHEETS.includes(act)) this.fold("");
    else this.do(act, `key ${act}`);
  }

  click(event) {
    const pressed = event.target instanceof Element ? event.target.closest("button[data-action]") : null;
    if (pressed instanceof HTMLElement && pressed.dataset.action) this.do(pressed.dataset.action, `click ${pressed.dataset.action}`);
  }

  /** Buttons never take the focus from the card by mouse: the keys go on working. */
  pointer(event) {
    const inside = event.target instanceof Element ? event.target : null;
    if (isTyping(inside)) return;
    if (inside?.closest("button")) event.preventDefault();
    if (!inside?.closest(".lk-code, .lk-text, .lk-title, .lk-facts")) this.root.focus({ preventScroll: true });
  }

  do(act, source, detail) {
    const { session } = this;
    if (act === "focus") return this.focus(true);
    if (act === "saved?") return this.tell(session.pending ? "Saving…" : "all saved");
    if (act === "list" && !this.listed) return undefined;
    if (act === "keys" || act === "guidelines" || act === "list") return this.fold(act);
    if (act === "begin") {
      session.study.fresh = false;
      this.paint();
      return this.focus(true);
    }
    if (act === "extend") return this.world.send([{ type: "extend" }]);
    if (act === "more") return this.widen();
    if (act === "reason") return this.reason.focus();
    if (/^option:[0-3]$/.test(act) && session.phase === "revealed" && session.view.unsure && !session.changing) return this.because(Number(act.slice(7)));
    if (act === "escape" && !this.sheet.hidden) return this.fold("");
    if (act === "search") return this.session.editing ? this.ask.field?.focus() : undefined;
    if (act === "reload") return globalThis.location.reload();
    if (act.startsWith("tab:")) return this.world.tab(act.slice(4));
    const messages = session.act(act, source, this.world.now(), detail);
    this.paint();
    if (session.editing && Object.keys(session.draft).length) [this.ask.finish, this.ask.root].forEach((part) => this.bring(part));
    this.world.send(messages);
    return undefined;
  }

  /** Ask for more lines around the item. */
  widen() {
    const { view } = this.session;
    if (!view?.code || view.code.whole || view.code.numbers) return;
    view.context = (view.context ?? 8) * 4;
    this.world.send([{ type: "context", item: view.item, lines: view.context }]);
  }

  /** Show the item that was picked from the list. */
  jump(item) {
    this.fold("");
    this.world.send([{ type: "visit", where: "item", item }]);
  }

  /** Why unsure: the reason goes along with the next key. */
  because(index) {
    const { session } = this;
    session.note = session.note === WHY[index] ? "" : WHY[index];
    this.paint();
  }

  /** Everything that changes is drawn here, in one go; the hooks come last. */
  paint() {
    const { session } = this;
    const { phase, view } = session;
    this.strip.paint(session);
    this.body.hidden = phase === "done" || phase === "error";
    this.end.hidden = !this.body.hidden;
    if (view && phase !== "error") {
      this.evidence.paint(view);
      this.ask.paint(session);
      const shown = session.reveals.get(view.item) ?? null;
      this.reveal.paint(shown, view, session.study);
    }
    if (phase === "done") this.finished();
    if (phase === "error") this.broken();
    this.start.hidden = !this.session.study.fresh || session.saved > 0 || phase === "error" || phase === "done";
    this.trouble();
    this.controls();
    this.hooks(phase);
  }

  /** Enter leaves the reason; the next answer or keep takes it along. */
  written(event) {
    if (event.isComposing || event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    this.focus(true);
    if (event.ctrlKey) this.do("enter", "key enter");
  }

  /** The reviewer's own reasons so far, the latest first. */
  propose(notes) {
    this.proposed = this.session.study.notes;
    this.notes.replaceChildren(...notes.map((text) => h("option", { value: text })));
  }

  controls() {
    const { session } = this;
    const wrote = session.view?.note ?? "";
    if (this.proposed !== session.study.notes) this.propose(session.study.notes ?? []);
    if (this.reason !== this.root.ownerDocument.activeElement && this.reason.value !== session.note) this.reason.value = session.note;
    this.reason.placeholder = wrote ? `You wrote: ${wrote}` : "Reason, in your own words (optional)";
    this.why.hidden = !(session.phase === "revealed" && session.view?.unsure && !session.changing);
    [...this.why.children].forEach((chip, i) => chip.setAttribute("aria-pressed", String(session.note === WHY[i])));
    const off = (element, is) => element.setAttribute("aria-disabled", String(is));
    off(this.undo, !session.undo && session.pending === 0);
    off(this.redo, !session.redo);
    off(this.unsure, session.phase !== "answer");
    off(this.skip, session.phase !== "answer");
    this.flag.setAttribute("aria-pressed", String(Boolean(session.view?.flagged)));
    say(this.flag.querySelector(".lk-label"), session.view?.flagged ? "Flagged" : "Flag");
  }

  hooks(phase) {
    const { session, root } = this;
    const item = phase === "answer" || phase === "revealed" ? session.at : "";
    const turned = root.dataset.item !== item || root.dataset.phase !== phase;
    root.classList.toggle("lk-stalled", session.stalled);
    root.setAttribute("aria-busy", String(session.pending > 0));
    for (const [name, value] of Object.entries({ item: item ?? "", phase, saved: String(session.saved) })) {
      if (root.dataset[name] !== value) root.dataset[name] = value; // who watches is told of changes only
    }
    if (!turned) return;
    this.announce(phase);
    this.focus();
    this.bring(phase === "revealed" ? this.reveal.root : root);
  }

  /** Where the card is longer than the window, what has just changed comes into view. */
  bring(part) {
    const { defaultView } = this.root.ownerDocument;
    if (this.body.hidden || !defaultView || !this.root.contains(this.root.ownerDocument.activeElement)) return;
    const stacked = defaultView.getComputedStyle(this.body).display !== "grid";
    if (stacked) part.scrollIntoView({ block: part === this.root ? "start" : "nearest" });
    else this.root.scrollIntoView({ block: "nearest" }); // in a notebook the card may hang below the window
  }

  announce(phase) {
    const { session } = this;
    const { view } = session;
    if (phase === "answer") say(this.news, `Item ${view.position} of ${session.study.sampled}: ${view.title}`);
    else if (phase === "revealed") {
      const ai = session.reveals.get(view.item);
      say(this.news, ai ? (ai.agrees ? "Saved. The AI agrees. Enter keeps, c changes." : "Saved. The AI differs. Enter keeps, c changes.") : "Saved.");
    } else say(this.news, phase === "done" ? "All done." : session.fatal);
  }

  /** Take the focus back after a change, unless the reader is somewhere else on the page. */
  focus(always = false) {
    const { activeElement, body } = this.root.ownerDocument;
    const mine = this.root.getRootNode() instanceof ShadowRoot || activeElement === body || activeElement === null || this.root.contains(activeElement);
    if (always || mine) this.root.focus({ preventScroll: true });
  }

  tell(text) {
    say(this.news, text);
    say(this.strip.parts.saved, `✓ ${text}`);
  }

  trouble() {
    const { session, problem } = this;
    const text = session.stalled
      ? "Your answer is not saved yet: the kernel is busy or gone. It is kept in this browser and stored as soon as a kernel is back, after a reload too."
      : session.problem?.text ?? "";
    problem.hidden = text === "";
    if (problem.dataset.text === text) return;
    problem.dataset.text = text;
    problem.replaceChildren(
      h("span", {}, text),
      ...(session.stalled ? [button("Reload", { action: "reload", class: "lk-small" })] : []),
      ...(session.problem?.retry ? [button("Try again", { action: "retry", class: "lk-small" })] : []),
    );
  }

  finished() {
    const { session } = this;
    const p = session.progress ?? {};
    const mark = JSON.stringify([session.saved, p, session.study.tabs]);
    if (this.ended === mark) return;
    this.ended = mark;
    const empty = session.study.sampled === 0;
    const facts = [
      count(session.saved, "answer"), p.median_seconds ? `${p.median_seconds.toFixed(1)} s each` : "", p.seconds ? `${minutes(p.seconds)} of work` : "",
      p.revised ? `${count(p.revised, "answer")} changed after the reveal` : "", p.unsure ? `${p.unsure} unsure` : "", p.flagged ? `${p.flagged} flagged` : "",
    ].filter(Boolean);
    const next = (name, label, main) => (session.study.tabs.includes(name) ? button(label, { action: `tab:${name}`, class: main ? "lk-primary" : "" }) : null);
    this.end.replaceChildren(
      h("p", { class: "lk-end-mark", aria: { hidden: "true" } }, empty ? "∅" : "✓"),
      h("h2", { class: "lk-end-title" }, empty ? "Nothing to review" : "All done"),
      h("p", { class: "lk-end-text" }, empty ? "This study has no items. Were the predictions read? “labkit check FILE” says what is in them." : "Every item has your answer, and every answer is on disk."),
      empty ? "" : h("p", { class: "lk-end-facts" }, facts.join(" · ")),
      h("div", { class: "lk-finish" }, ...[session.study.outside && session.study.leads ? button(`Review ${count(session.study.outside, "more item")}`, { action: "extend" }) : null, empty ? null : next("results", "See the results", true), empty ? null : next("export", "Write the override file", false), empty ? null : button("Undo the last answer", { action: "undo", key: "z" })].filter(Boolean)),
    );
  }

  broken() {
    this.end.replaceChildren(
      h("p", { class: "lk-end-mark", aria: { hidden: "true" } }, "!"), h("h2", { class: "lk-end-title" }, "This study cannot be shown"),
      h("p", { class: "lk-end-text" }, this.session.fatal), h("div", { class: "lk-finish" }, button("Reload", { action: "reload", class: "lk-primary" })),
    );
  }

  /** Fold the keys or the guidelines out over the evidence, or in again. */
  fold(which) {
    const same = this.sheet.dataset.sheet === which && !this.sheet.hidden;
    this.sheet.hidden = same || which === "";
    this.sheet.dataset.sheet = which;
    if (this.sheet.hidden) return this.focus(true);
    const keys = () => h("dl", { class: "lk-keylist" }, ...KEYS.map(([key, text]) => h("div", {}, h("dt", {}, ...key.split(", ").map((k) => cap(k))), h("dd", {}, text))));
    if (which === "list") {
      this.sheet.replaceChildren(this.list.root);
      return this.list.open();
    }
    this.sheet.replaceChildren(
      h("h2", { class: "lk-sheet-title" }, which === "keys" ? "Keys" : "Guidelines"),
      which === "keys" ? keys() : h("div", { class: "lk-text" }, this.session.study.guidelines || "This study has no guidelines."),
      button("Close", { action: which, key: "Esc", class: "lk-small" }),
    );
    return undefined;
  }
}

/** Before the first answer: how this works, and the one choice there is. It never stands in the way of a key. */
function start(study, act) {
  const all = study.outside && study.leads;
  const choice = (label, name, on) => h("button", { type: "button", class: "lk-chip", data: { start: name }, aria: { pressed: on }, on: { click: () => act(name) } }, label);
  return h(
    "div", { class: "lk-start", hidden: true },
    h("p", {}, study.protocol === "assisted" ? "Read the item and the AI’s suggestion, then answer with the keys on the buttons." : "Read the item, then answer with the keys on the buttons. What the AI said comes after your answer, so that yours is your own."),
    h(
      "div", { class: "lk-chips", role: "group", aria: { label: "What to review" } }, choice(study.outside ? `Random sample of ${study.sampled.toLocaleString("en")} (recommended)` : `All ${study.sampled.toLocaleString("en")}, in random order`, "begin", true),
      all ? choice(`All ${(study.sampled + study.outside).toLocaleString("en")}`, "extend", false) : null, choice("Search for items", "list", false),
    ),
  );
}
