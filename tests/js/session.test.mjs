import assert from "node:assert/strict";
import test from "node:test";
import { Outbox } from "../../widgets/labkit_widgets/static/outbox.js";
import { Session, SILENCE_MS } from "../../widgets/labkit_widgets/static/session.js";

const QUESTIONS = [{ name: "relevant", kind: "binary", prompt: "", options: [] }, { name: "tags", kind: "tags", prompt: "", options: ["security", "auth"] }];
const view = (n, more = {}) => ({ item: `m${n}`, phase: "answer", nonce: `n${n}`, title: `m${n}`, position: n, answer: null, unsure: false, flagged: false, ...more });

function storage() {
  const kept = new Map();
  return { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v), removeItem: (k) => kept.delete(k), kept };
}

function sitting({ pending = 1, store = storage(), at = "m1", items = [view(1), view(2), view(3)] } = {}) {
  let id = 0;
  const session = new Session({ storage: store, newId: () => `u${(id += 1)}` });
  const ready = session.receive({ type: "welcome", study: { key: "k", questions: QUESTIONS, implied: ["security"], pending, sampled: 3 } }, 0);
  session.receive({ type: "items", items }, 0);
  session.receive({ type: "place", at, saved: 0, undo: false, redo: false }, 0);
  return { session, store, ready };
}

const ack = (uuid, after, more) => ({ type: "ack", uuid, view: after, saved: 1, undo: true, redo: false, next: null, ...more });

test("an answer is bound to the item in view and its nonce, and waits for its acknowledgement", () => {
  const { session, store } = sitting();
  const [act] = session.act("no", "key no", 10);
  assert.deepEqual(act, { type: "act", uuid: "u1", item: "m1", nonce: "n1", kind: "answer", answer: { relevant: false, tags: [] }, note: "", elapsed_ms: 10 });
  assert.equal(session.phase, "answer");
  assert.equal(session.saved, 0);
  assert.equal(JSON.parse(store.kept.get("labkit.outbox.k")).length, 1);
});

test("ten presses make one answer: while it waits, and within 300 ms of the change it caused", () => {
  const { session } = sitting();
  assert.equal(session.act("no", "key no", 0).length, 1);
  for (let i = 1; i < 6; i += 1) assert.deepEqual(session.act("no", "key no", i * 10), []);
  session.receive(ack("u1", view(1, { phase: "done" }), { next: "m2" }), 60);
  assert.equal(session.at, "m2");
  for (let i = 6; i < 10; i += 1) assert.deepEqual(session.act("no", "key no", i * 10), []);
  assert.equal(session.act("no", "key no", 360).length, 1);
});

test("another key counts as soon as the next phase is painted", () => {
  const { session } = sitting();
  session.act("no", "key no", 0);
  session.receive({ type: "reveal", item: "m1", ai: { agrees: true } }, 5);
  assert.equal(session.phase, "answer");
  session.receive(ack("u1", view(1, { phase: "revealed", answer: { relevant: false, tags: [] } })), 6);
  assert.equal(session.phase, "revealed");
  assert.equal(session.act("enter", "key enter", 7)[0].kind, "keep");
});

test("c opens the answer for a change; saying the same again is a keep", () => {
  const { session } = sitting({ items: [view(1, { phase: "revealed", answer: { relevant: false, tags: [] } })] });
  assert.deepEqual(session.act("yes", "key yes", 0), []);
  session.act("reveal-change", "key c", 1);
  assert.equal(session.editing, true);
  assert.equal(session.act("no", "key no", 2)[0].kind, "keep");
  const other = sitting({ items: [view(1, { phase: "revealed", answer: { relevant: false, tags: [] } })] }).session;
  other.act("reveal-change", "key c", 1);
  other.act("yes", "key yes", 2);
  assert.deepEqual(other.act("enter", "key enter", 3)[0], { type: "act", uuid: "u1", item: "m1", nonce: "n1", kind: "revise", answer: { relevant: true, tags: ["security"] }, note: "", elapsed_ms: 3 });
});

test("with five pending the next item is painted at once, and the sixth answer has to wait", () => {
  const items = [1, 2, 3, 4, 5, 6, 7].map((n) => view(n));
  const { session } = sitting({ pending: 5, items });
  for (let i = 0; i < 5; i += 1) assert.equal(session.act("no", `key ${i}`, i).length, 1);
  assert.equal(session.at, "m6");
  assert.equal(session.saved, 0);
  assert.deepEqual(session.act("no", "key x", 9), []);
  session.receive(ack("u1", view(1, { phase: "done" }), { next: "m2" }), 10);
  assert.equal(session.at, "m6");
  assert.equal(session.saved, 1);
  assert.equal(session.act("no", "key x", 11).length, 1);
});

test("an answer that another page gave first stands, with the number of answers there are", () => {
  const { session } = sitting();
  session.act("no", "key no", 0);
  const theirs = view(1, { phase: "revealed", answer: { relevant: true, tags: ["auth"] } });
  session.receive({ type: "refused", uuid: "u1", item: "m1", message: "is answered", view: theirs, retry: false, saved: 4, undo: true, redo: false }, 2);
  assert.deepEqual(session.draft, { relevant: true, tags: ["auth"] });
  assert.deepEqual([session.saved, session.phase, session.problem.text], [4, "revealed", "is answered"]);
});

test("a refused answer comes back with its sentence and what was chosen", () => {
  const { session } = sitting();
  session.act("yes", "key yes", 0);
  session.act("enter", "key enter", 1);
  session.receive({ type: "refused", uuid: "u1", item: "m1", message: "no such tag", view: view(1, { nonce: "n9" }), retry: false }, 2);
  assert.deepEqual(session.problem, { text: "no such tag", retry: false });
  assert.deepEqual(session.draft, { relevant: true, tags: ["security"] });
  assert.equal(session.pending, 0);
});

test("a failed answer is kept and sent again under its own id", () => {
  const { session } = sitting();
  session.act("no", "key no", 0);
  session.receive({ type: "refused", uuid: "u1", item: "m1", message: "disk full", view: view(1), retry: true }, 2);
  assert.equal(session.pending, 1);
  assert.equal(session.act("retry", "click retry", 3)[0].uuid, "u1");
});

test("three seconds of silence are said, nothing more is taken, and the first word ends it", () => {
  const { session } = sitting();
  session.act("no", "key no", 0);
  assert.deepEqual(session.tick(500), []);
  assert.deepEqual(session.tick(1000), [{ type: "beat" }]);
  session.tick(SILENCE_MS);
  assert.equal(session.stalled, true);
  assert.deepEqual(session.act("undo", "key undo", 3100), []);
  assert.equal(session.tick(7000)[0].uuid, "u1");
  session.receive(ack("u1", view(1, { phase: "done" }), { next: "m2" }), 7100);
  assert.equal(session.stalled, false);
  assert.equal(session.at, "m2");
});

test("what was never acknowledged is handed to the next page once, and forgotten when it is stored", () => {
  const store = storage();
  sitting({ store }).session.act("no", "key no", 0);
  const { session, ready } = sitting({ store });
  assert.equal(ready[0].acts[0].uuid, "u1");
  session.receive({ type: "place", at: "m2", saved: 1, undo: true, redo: false, acked: ["u1"] }, 1);
  assert.equal(store.kept.size, 0);
});

test("undo leads to the item that it opened, redo of a keep to the first open one", () => {
  const { session } = sitting();
  session.receive({ type: "place", at: "m2", saved: 1, undo: true, redo: true }, 0);
  assert.equal(session.act("undo", "key undo", 1)[0].kind, "undo");
  session.receive(ack("u1", view(1, { phase: "revealed", answer: { relevant: false, tags: [] } }), { next: "m1" }), 2);
  assert.deepEqual([session.at, session.phase], ["m1", "revealed"]);
  session.redo = true;
  session.act("redo", "key redo", 3);
  session.receive(ack("u2", view(1, { phase: "done" }), { next: "m2" }), 4);
  assert.deepEqual([session.at, session.phase], ["m2", "answer"]);
});

test("a suggestion is taken over by Enter before anything is chosen; what an undone answer revealed is not", () => {
  const { session } = sitting();
  assert.deepEqual(session.act("enter", "key enter", 0), []);
  session.receive({ type: "reveal", item: "m1", ai: { answer: {}, suggested: false } }, 0);
  assert.deepEqual(session.act("enter", "key enter", 0), []);
  session.receive({ type: "reveal", item: "m1", ai: { answer: {}, suggested: true } }, 0);
  assert.equal(session.act("enter", "key enter", 1)[0].kind, "keep");
});

test("a broken or forbidden storage costs nothing but the protection against a reload", () => {
  const broken = { getItem: () => "{not json", setItem: () => { throw new Error("full"); }, removeItem: () => {} };
  const outbox = new Outbox(broken, "k");
  outbox.put({ uuid: "u1" });
  assert.equal(outbox.take("u1").uuid, "u1");
  assert.deepEqual(new Outbox(null, "k").acts, []);
});

test("code that came back no longer than it was is known to be whole, and is not asked for again", () => {
  const lines = ["a", "b"];
  const { session } = sitting({ items: [view(1, { code: { first: 1, lines } })] });
  session.receive({ type: "code", item: "m1", code: { first: 1, lines: [...lines, "c"] } }, 0);
  assert.equal(session.view.code.whole, undefined);
  session.receive({ type: "code", item: "m1", code: { first: 1, lines: [...lines, "c"] } }, 0);
  assert.equal(session.view.code.whole, true);
});
