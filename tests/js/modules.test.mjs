import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const PLACE = new URL("../../widgets/labkit_widgets/static/", import.meta.url);

/** A module and what it imports from beside it. */
function reached(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, other] of readFileSync(new URL(name, PLACE), "utf8").matchAll(/^import .* from "\.\/([a-z]+\.js)";$/gm)) reached(other, seen);
  return seen;
}

test("modules that are joined into one share no name at their top level", () => {
  for (const entry of ["review.js", "live.js"]) {
    const owner = new Map();
    for (const module of reached(entry)) {
      for (const [, name] of readFileSync(new URL(module, PLACE), "utf8").matchAll(/^(?:export )?(?:async )?(?:class|const|let|function) (\w+)/gm)) {
        assert.equal(owner.get(name), undefined, `${name} stands in ${owner.get(name)} and in ${module}`);
        owner.set(name, module);
      }
    }
    assert.ok(owner.size > 20, entry);
  }
});
