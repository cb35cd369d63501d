// One reviewer's sitting as the browser sees it: what is painted, what is on its way. No document.
import { Outbox } from "./outbox.js";
import { afterOption, afterYesNo, complete, opened, same, toggled } from "./draft.js";
import { Slips } from "./keys.js";

/** Without a word from Python for this long, the card says so and takes no more answers. */
export const SILENCE_MS = 3000;
const BEAT_MS = 1000;
const KEEP_PAINTED = 40;

/** The card's state. Every method that changes it returns the messages to send. */
export class Session {
  /** @param {{storage: Storage | null, newId: () => string}} world */
  constructor({ storage, newId }) {
    this.storage = storage;
    this.newId = newId;
    this.study = null;
    this.outbox = new Outbox(null, "");
    /** @type {Map<string, any>} */ this.items = new Map();
    /** @type {Map<string, any>} */ this.reveals = new Map();
    /** @type {string | null} null before the first item, "" when nothing is left */ this.at = null;
    this.draft = {};
    this.changing = false;
    this.saved = 0;
    this.savedAt = null;
    this.undo = false;
    this.redo = false;
    this.progress = null;
    /** @type {{text: string, retry: boolean} | null} */ this.problem = null;
    this.fatal = "";
    this.stalled = false;
    this.waiting = false;
    this.slips = new Slips();
    this.sources = new Map();
    this.shownAt = 0;
    this.heardAt = 0;
    this.beatAt = 0;
    this.note = "";
    this.agreed = false;
  }

  get view() {
    return this.at ? this.items.get(this.at) ?? null : null;
  }

  get phase() {
    if (this.fatal) return "error";
    if (this.at === "" || this.at === null) return "done";
    return this.view?.phase === "answer" ? "answer" : "revealed";
  }

  get pending() {
    return this.outbox.acts.length;
  }

  /** May the painted item be answered now? */
  get open() {
    const limit = this.study?.pending ?? 1;
    const room = this.problem?.retry ? true : this.pending < limit;
    return Boolean(this.view) && !this.waiting && !this.stalled && room;
  }

  /** Is the AI's answer a suggestion, and nothing chosen yet? Then Enter takes it over; what was revealed by an answer since undone is none. */
  get acceptable() {
    return this.phase === "answer" && this.reveals.get(this.at ?? "")?.suggested === true && Object.keys(this.draft).length === 0;
  }

  /** Are the answer's buttons live: an open question, or a change after the reveal? */
  get editing() {
    return this.phase === "answer" || (this.phase === "revealed" && this.changing);
  }

  /**
   * Do what a key or a button stands for.
   * @param {string} act @param {string} source the key or button, for slips @param {number} now
   * @param {any} [detail]
   * @returns {any[]} messages for Python
   */
  act(act, source, now, detail = undefined) {
    if (this.slips.isSlip(source, now)) return [];
    if (act === "retry") return this.retry(now);
    if (act === "undo" || act === "redo") return this.takeBack(act, source, now);
    if (act === "next" || act === "previous") return this.visit(act, now);
    if (!this.open) return [];
    if (this.phase === "revealed" && !this.changing) return this.afterReveal(act, source, now);
    if (act === "escape") {
      if (this.changing) this.resume();
      return [];
    }
    if (act === "yes" || act === "no") return this.yesNo(act === "yes", source, now);
    if (act.startsWith("option:")) return this.option(Number(act.slice(7)), source, now, detail);
    if (act === "toggle") return this.toggle(detail);
    if (act === "enter" || act === "submit") return this.submit(source, now);
    if ((act === "unsure" || act === "skip") && this.phase === "answer") return this.send(act, null, source, now);
    if (act === "flag") return this.send("flag", null, source, now);
    return [];
  }

  yesNo(yes, source, now) {
    const { draft, send } = afterYesNo(this.study.questions, this.study.implied, this.draft, yes);
    this.draft = draft;
    return send ? this.submit(source, now) : [];
  }

  option(index, source, now, question = null) {
    const { draft, send } = afterOption(this.study.questions, this.draft, index, question);
    this.draft = draft;
    return send ? this.submit(source, now) : [];
  }

  toggle({ question, option }) {
    if (opened(this.study.questions, this.draft)) this.draft = toggled(question, this.draft, option);
    return [];
  }

  submit(source, now) {
    if (this.acceptable) return this.send("keep", null, source, now);
    if (!complete(this.study.questions, this.draft)) return [];
    if (this.phase === "answer") return this.send("answer", { ...this.draft }, source, now);
    const unchanged = same(this.study.questions, this.draft, this.view.answer);
    return this.send(unchanged ? "keep" : "revise", unchanged ? null : { ...this.draft }, source, now);
  }

  afterReveal(act, source, now) {
    if (act === "reveal-keep" || act === "enter" || act === "submit") {
      return this.view.phase === "revealed" ? this.send("keep", null, source, now) : this.visit("current", now);
    }
    if (act === "reveal-change") {
      this.changing = true;
      this.draft = { ...(this.view.answer ?? {}) };
    }
    if (act === "flag") return this.send("flag", null, source, now);
    return [];
  }

  takeBack(kind, source, now) {
    const possible = kind === "undo" ? this.undo || this.pending > 0 : this.redo;
    if (!possible || this.waiting || this.stalled || this.problem?.retry) return [];
    this.waiting = true;
    return this.send(kind, null, source, now);
  }

  visit(where, now) {
    if (this.pending > 0 || this.stalled || this.waiting) return [];
    return [{ type: "visit", where, item: this.at ?? "", at: now }];
  }

  /** Put an act into the outbox and on the wire; move on where the protocol allows it. */
  send(kind, answer, source, now) {
    if (this.problem?.retry) {
      const failed = this.outbox.acts.find((a) => a.item === this.at);
      if (failed) this.outbox.take(failed.uuid);
    }
    this.problem = null;
    const painted = this.view;
    const act = {
      uuid: this.newId(), item: painted?.item ?? "", nonce: painted?.nonce ?? "", kind, answer,
      note: this.note, elapsed_ms: Math.max(0, Math.round(now - this.shownAt)),
    };
    if (act.note && !this.study.notes?.includes(act.note)) this.study.notes = [act.note, ...(this.study.notes ?? [])];
    if (this.pending === 0) this.heardAt = this.beatAt = now;
    this.outbox.put(act);
    this.sources.set(act.uuid, source);
    if (kind !== "undo" && kind !== "redo" && kind !== "flag") this.moveOn(painted, kind, source, now);
    return [{ type: "act", ...act }];
  }

  moveOn(painted, kind, source, now) {
    const next = this.study.pending > 1 ? this.following(painted) : null;
    if (next === null || kind === "skip") {
      this.waiting = true;
      return;
    }
    painted.phase = "done";
    this.enter(next.item, source, now);
  }

  /** The next item of the window that is still open, in the order of the queue. */
  following(painted) {
    const open = [...this.items.values()].filter((v) => v.phase === "answer" && v.item !== painted.item);
    const after = open.filter((v) => v.position > painted.position);
    return after.sort((a, b) => a.position - b.position)[0] ?? null;
  }

  /** Paint this item (or, with "", the end) from now on. */
  enter(item, source, now) {
    this.at = item;
    this.resume();
    this.shownAt = now;
    if (source) this.slips.changed(source, now);
  }

  /** Forget what was half chosen: nothing is pre-selected before the first key. */
  resume() {
    this.note = "";
    this.changing = false;
    this.draft = this.phase === "revealed" ? { ...(this.view?.answer ?? {}) } : {};
  }

  retry(now) {
    if (!this.problem?.retry) return [];
    this.problem = null;
    this.waiting = true;
    this.heardAt = this.beatAt = now;
    return this.outbox.acts.map((act) => ({ type: "act", ...act }));
  }

  /**
   * Take in one message from Python.
   * @param {any} message @param {number} now
   * @returns {any[]} messages for Python
   */
  receive(message, now) {
    this.heardAt = now;
    switch (message.type) {
      case "welcome":
        this.study = message.study;
        this.outbox = new Outbox(this.storage, message.study.key);
        return [{ type: "ready", acts: this.outbox.acts }];
      case "items":
        for (const view of message.items) this.items.set(view.item, view);
        return [];
      case "code":
        if (this.items.has(message.item)) this.items.get(message.item).code = grown(this.items.get(message.item).code, message.code);
        return [];
      case "reveal":
        this.reveals.set(message.item, message.ai);
        return [];
      case "place":
        return this.place(message, now);
      case "ack":
        return this.acknowledged(message, now);
      case "refused":
        return this.refused(message, now);
      case "progress":
        this.progress = message;
        return [];
      case "fatal":
        this.fatal = message.message;
        return [];
      default:
        return [];
    }
  }

  place(message, now) {
    for (const uuid of message.acked ?? []) this.outbox.take(uuid);
    this.standing(message);
    this.stalled = false;
    this.waiting = false;
    this.problem = message.problem ? { text: message.problem, retry: false } : null;
    this.enter(message.at ?? "", "", now);
    return [];
  }

  standing({ saved, undo, redo }) {
    this.saved = saved;
    this.undo = undo;
    this.redo = redo;
  }

  acknowledged(message, now) {
    const act = this.outbox.take(message.uuid);
    const source = this.sources.get(message.uuid) ?? "";
    this.sources.delete(message.uuid);
    this.standing(message);
    this.savedAt = Date.now();
    this.stalled = false;
    const { view } = message;
    const before = view ? this.items.get(view.item) : null;
    if (view) this.items.set(view.item, view);
    if (!act) return [];
    if (!view) {
      this.waiting = false;
      this.enter(message.next ?? "", source, now);
      return [];
    }
    const turned = act.kind === "undo" || act.kind === "redo";
    if (turned) this.waiting = false;
    if (act.kind === "flag") return [];
    if (turned) this.enter(view.phase === "done" ? message.next ?? "" : view.item, source, now);
    else if (this.at === view.item) {
      this.waiting = false;
      this.enter(view.phase === "revealed" ? view.item : message.next ?? "", source, now);
    } else if (before && this.at === "" && message.next) this.enter(message.next, source, now);
    this.agreed = view.phase === "done" && act.kind === "answer" && this.reveals.get(view.item)?.agrees === true;
    this.prune();
    return [];
  }

  refused(message, now) {
    const act = this.outbox.acts.find((a) => a.uuid === message.uuid);
    if (!message.retry) this.outbox.take(message.uuid);
    this.waiting = false;
    this.stalled = false;
    if (message.view) this.items.set(message.view.item, message.view);
    if (act && this.items.has(act.item)) {
      this.enter(act.item, "", now);
      const open = message.retry || this.items.get(act.item)?.phase === "answer" || act.kind === "revise";
      // an answer from another page stands: ours would only look like it
      if (act.answer && open) this.draft = { ...act.answer };
      this.changing = act.kind === "revise";
    }
    if (message.saved !== undefined) this.standing(message);
    this.problem = { text: message.message, retry: Boolean(message.retry) };
    return [];
  }

  /** Called about twice a second: notices silence, asks for a sign of life, sends again. */
  tick(now) {
    if (this.pending === 0 || this.problem?.retry) return [];
    if (now - this.heardAt >= SILENCE_MS) this.stalled = true;
    if (now - this.beatAt < (this.stalled ? SILENCE_MS : BEAT_MS)) return [];
    this.beatAt = now;
    if (!this.stalled) return [{ type: "beat" }];
    return this.outbox.acts.map((act) => ({ type: "act", ...act }));
  }

  prune() {
    if (this.items.size <= KEEP_PAINTED) return;
    for (const [id, view] of this.items) {
      if (this.items.size <= KEEP_PAINTED) return;
      if (view.phase === "done" && id !== this.at) {
        this.items.delete(id);
        this.reveals.delete(id);
      }
    }
  }
}

/** Code that came back no longer than it was is all there is. */
function grown(before, code) {
  return before && before.lines.length >= code.lines.length ? { ...code, whole: true } : code;
}
