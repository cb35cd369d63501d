import assert from "node:assert/strict";
import test from "node:test";
import { afterOption, afterYesNo, complete, found, same, target, toggled } from "../../widgets/labkit_widgets/static/draft.js";

const RELEVANT = { name: "relevant", kind: "binary", prompt: "", options: [] };
const TAGS = { name: "tags", kind: "tags", prompt: "", options: ["security", "auth", "crypto"] };
const BOTH = [RELEVANT, TAGS];
const FINDING = [{ ...RELEVANT, name: "valid" }, { name: "severity", kind: "choice", prompt: "", options: ["low", "high"] }, { ...RELEVANT, name: "right_place" }];

test("n answers no, no tag, and is sent", () => {
  assert.deepEqual(afterYesNo(BOTH, ["security"], {}, false), { draft: { relevant: false, tags: [] }, send: true });
});

test("y opens the tags with the implied one on, and waits", () => {
  assert.deepEqual(afterYesNo(BOTH, ["security"], {}, true), { draft: { relevant: true, tags: ["security"] }, send: false });
});

test("a second y keeps the tags that were chosen, n drops them", () => {
  const draft = { relevant: true, tags: ["auth"] };
  assert.deepEqual(afterYesNo(BOTH, ["security"], draft, true).draft, draft);
  assert.deepEqual(afterYesNo(BOTH, ["security"], draft, false).draft, { relevant: false, tags: [] });
});

test("an implied tag that another taxonomy does not have is not switched on", () => {
  assert.deepEqual(afterYesNo([RELEVANT, { ...TAGS, options: ["x"] }], ["security"], {}, true).draft.tags, []);
});

test("digits do nothing before y, then switch tags in the codebook's order", () => {
  assert.deepEqual(afterOption(BOTH, {}, 1).draft, {});
  const once = afterOption(BOTH, { relevant: true, tags: ["crypto"] }, 1);
  assert.deepEqual(once, { draft: { relevant: true, tags: ["auth", "crypto"] }, send: false });
  assert.deepEqual(afterOption(BOTH, once.draft, 1).draft.tags, ["crypto"]);
  assert.deepEqual(afterOption(BOTH, once.draft, 7), { draft: once.draft, send: false });
});

test("one yes/no question alone is sent by its key", () => {
  assert.equal(afterYesNo([RELEVANT], [], {}, true).send, true);
});

test("one choice alone is sent by a digit, y and n being its first two", () => {
  const choice = [{ name: "label", kind: "choice", prompt: "", options: ["refund", "review", "none"] }];
  assert.deepEqual(afterOption(choice, {}, 2), { draft: { label: "none" }, send: true });
  assert.deepEqual(afterYesNo(choice, [], {}, false), { draft: { label: "review" }, send: true });
});

test("a finding is answered key by key and sent by the last one; no to the first is enough", () => {
  assert.equal(afterYesNo(FINDING, [], {}, false).send, true);
  const valid = afterYesNo(FINDING, [], {}, true);
  assert.deepEqual(valid, { draft: { valid: true }, send: false });
  const severe = afterOption(FINDING, valid.draft, 1);
  assert.equal(severe.send, false);
  assert.deepEqual(afterYesNo(FINDING, [], severe.draft, false), { draft: { valid: true, severity: "high", right_place: false }, send: true });
});

test("complete needs every question but tags", () => {
  assert.equal(complete(BOTH, {}), false);
  assert.equal(complete(BOTH, { relevant: true, tags: [] }), true);
  assert.equal(complete(FINDING, { valid: true, severity: "low" }), false);
  assert.equal(target(BOTH, {}), null);
  assert.equal(target([TAGS], {}).name, "tags");
});

test("answers are the same whatever the order of their tags", () => {
  assert.equal(same(BOTH, { relevant: true, tags: ["auth", "crypto"] }, { relevant: true, tags: ["crypto", "auth"] }), true);
  assert.equal(same(BOTH, { relevant: true, tags: [] }, { relevant: false, tags: [] }), false);
});

test("the search finds by every word and puts beginnings first", () => {
  assert.deepEqual(found(["token-auth", "auth", "crypto"], "auth"), ["auth", "token-auth"]);
  assert.deepEqual(found(["input-validation", "input"], "in val"), ["input-validation"]);
  assert.deepEqual(found(["a"], "zzz"), []);
  assert.deepEqual(toggled(TAGS, {}, "auth"), { tags: ["auth"] });
});
