// Which act a key stands for. Pure: no document, no clock of its own.

/** @typedef {{key: string, code: string, repeat: boolean, ctrl: boolean, alt: boolean, meta: boolean, shift: boolean, caps: boolean, composing: boolean}} Press */

/** A second press of the same key this soon after the change it caused is a slip, not an act. */
export const SLIP_MS = 300;

const LETTERS = Object.freeze({
  y: "yes", n: "no", u: "unsure", s: "skip", f: "flag", c: "reveal-change", r: "reason",
  j: "next", k: "previous", g: "guidelines", "?": "keys", "/": "search", l: "list", m: "more",
});

const FOREIGN = /^\p{L}$/u;
const LATIN = /^\p{Script=Latin}$/u;

/** A letter of a script without y and n, as the Latin letter that is printed on the same key. */
function latin({ key, code }) {
  const plain = FOREIGN.test(key) && !LATIN.test(key) ? /^Key([A-Z])$/.exec(code) : null;
  return plain ? plain[1].toLowerCase() : key;
}

const NAMED = Object.freeze({
  Enter: "enter", Escape: "escape", ArrowRight: "next", ArrowLeft: "previous",
});

/**
 * The act a key press stands for: a name, `option:3` for a digit, or null.
 * @param {Press} press
 * @returns {string | null}
 */
export function actFor(press) {
  if (press.composing || press.alt || press.meta) return null;
  const letter = press.key.length === 1 ? latin(press).toLowerCase() : press.key;
  if (press.ctrl) {
    if (letter === "s") return "saved?";
    if (letter === "z") return press.shift ? "redo" : "undo";
    if (letter === "y") return "redo";
    return letter === "Enter" ? "enter" : null;
  }
  if (letter === "z") return press.shift || (press.key === "Z" && !press.caps) ? "redo" : "undo";
  if (/^[0-9]$/.test(press.key)) return `option:${press.key === "0" ? 9 : Number(press.key) - 1}`;
  return LETTERS[letter] ?? NAMED[press.key] ?? null;
}

/**
 * What a DOM event says about the key, as plain data.
 * @param {KeyboardEvent} event
 * @returns {Press}
 */
export function pressOf(event) {
  return {
    key: event.key, code: event.code, repeat: event.repeat, ctrl: event.ctrlKey, alt: event.altKey,
    meta: event.metaKey, shift: event.shiftKey, caps: event.getModifierState("CapsLock"),
    composing: event.isComposing || event.keyCode === 229,
  };
}

/** Swallows the repeat of a key or button within 300 ms of the change it caused. */
export class Slips {
  constructor() {
    this.source = "";
    this.at = -Infinity;
  }

  /**
   * Another key in between makes it an act again.
   * @param {string} source @param {number} now
   */
  isSlip(source, now) {
    if (source !== this.source) this.source = "";
    return source === this.source && now - this.at < SLIP_MS;
  }

  /** @param {string} source @param {number} now */
  changed(source, now) {
    this.source = source;
    this.at = now;
  }
}

/**
 * The key printed on the n-th option: 1…9, 0 for the tenth, none after that.
 * @param {number} index
 */
export function keyOf(index) {
  return index < 9 ? String(index + 1) : index === 9 ? "0" : "";
}
