import assert from "node:assert/strict";
import test from "node:test";
import { ticks } from "../../widgets/labkit_widgets/static/charts.js";

test("ticks are round, inside the range, and few", () => {
  assert.deepEqual(ticks(0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(260, 1040, 4), [400, 600, 800, 1000]);
  for (const [low, high, most] of [[0, 0.0575, 5], [3, 200, 6], [0.7, 1, 5], [0, 12000, 4]]) {
    const found = ticks(low, high, most);
    assert.ok(found.length >= 2 && found.length <= most + 1, `${low} ${high}: ${found}`);
    assert.ok(found.every((v) => v >= low - 1e-9 && v <= high + 1e-9));
  }
});

test("a range without width has one tick", () => {
  assert.deepEqual(ticks(5, 5), [5]);
});
