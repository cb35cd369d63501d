import assert from "node:assert/strict";
import test from "node:test";
import { actFor, keyOf, Slips, SLIP_MS } from "../../widgets/labkit_widgets/static/keys.js";

const press = (key, more = {}) => ({ key, code: "", repeat: false, ctrl: false, alt: false, meta: false, shift: false, caps: false, composing: false, ...more });

test("every key of the card stands for its act", () => {
  const table = [
    [press("y"), "yes"], [press("n"), "no"], [press("Y", { caps: true }), "yes"], [press("1"), "option:0"], [press("0"), "option:9"],
    [press("1", { shift: true }), "option:0"], [press("9", { code: "Numpad9" }), "option:8"], [press("Enter"), "enter"],
    [press("c"), "reveal-change"], [press("s"), "skip"], [press("u"), "unsure"], [press("f"), "flag"], [press("/"), "search"],
    [press("z"), "undo"], [press("Z", { shift: true }), "redo"], [press("Z", { caps: true }), "undo"], [press("z", { caps: true, shift: true }), "redo"],
    [press("z", { ctrl: true }), "undo"], [press("Z", { ctrl: true, shift: true }), "redo"], [press("y", { ctrl: true }), "redo"],
    [press("s", { ctrl: true }), "saved?"], [press("Enter", { ctrl: true }), "enter"], [press("j"), "next"], [press("ArrowLeft"), "previous"],
  ];
  for (const [given, act] of table) assert.equal(actFor(given), act, JSON.stringify(given));
});

test("a keyboard without Latin letters has the acts where a Latin one has them", () => {
  const table = [
    [press("т", { code: "KeyN" }), "no"], [press("Я", { code: "KeyZ", shift: true }), "redo"], [press("я", { code: "KeyZ", ctrl: true }), "undo"],
    [press("υ", { code: "KeyY" }), "yes"], [press("ו", { code: "KeyU" }), "unsure"], [press("é", { code: "KeyS" }), null], [press("z", { code: "KeyY" }), "undo"],
  ];
  for (const [given, act] of table) assert.equal(actFor(given), act, JSON.stringify(given));
});

test("chords of the system and half-typed characters are nobody's act", () => {
  for (const more of [{ alt: true }, { meta: true }, { composing: true }, { ctrl: true, alt: true }]) assert.equal(actFor(press("y", more)), null);
  for (const key of ["!", "a", "d", "x", "F5", "Tab", " "]) assert.equal(actFor(press(key)), null);
  assert.equal(actFor(press("n", { ctrl: true })), null);
});

test("a repeat of the same key counts again 300 ms after the change it caused, another key at once", () => {
  const slips = new Slips();
  assert.equal(slips.isSlip("key no", 0), false);
  slips.changed("key no", 1000);
  assert.equal(slips.isSlip("key no", 1000 + SLIP_MS - 1), true);
  assert.equal(slips.isSlip("key no", 1000 + SLIP_MS), false);
  assert.equal(slips.isSlip("key yes", 1001), false);
  assert.equal(slips.isSlip("key no", 1002), false, "after another key it is no repeat");
});

test("ten options have a digit, the eleventh has none", () => {
  assert.deepEqual([0, 8, 9, 10].map(keyOf), ["1", "9", "0", ""]);
});
