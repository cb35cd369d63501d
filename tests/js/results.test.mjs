import assert from "node:assert/strict";
import test from "node:test";
import { hundredths } from "../../widgets/labkit_widgets/static/results.js";
import { goal } from "../../widgets/labkit_widgets/static/strip.js";

test("an estimate is read with two decimals and never rounded to all or nothing", () => {
  const told = [[0.8349, "0.83"], [0.9996, ">0.99"], [1, "1.00"], [0.001, "<0.01"], [0, "0.00"], [0.9949, "0.99"], [1.234, "1.23"], [null, "n/a"]];
  for (const [value, text] of told) assert.equal(hundredths(value), text);
});

test("the strip says what a firm number needs, and never the number", () => {
  assert.equal(goal({ half_width: 0.5, goal: 0.05, more: 1046 }), "about 1,046 more for a firm number (±0.05)");
  assert.equal(goal({ half_width: 0.04, goal: 0.05, more: 0 }), "Enough for a firm number (±0.05)");
  assert.equal(goal({ half_width: null, goal: 0.05, more: 3 }), "");
});
