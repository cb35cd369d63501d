// What the reviewer has chosen for the item in view, before it is sent. Pure.

/** @typedef {{name: string, kind: string, prompt: string, options: string[]}} Question */
/** @typedef {Record<string, any>} Draft */

const isPick = (question) => question.kind === "choice" || question.kind === "scale";

/** The yes/no question that decides whether the others are asked, if there is one. */
export function gate(questions) {
  return questions[0]?.kind === "binary" ? questions[0] : null;
}

/** Are the questions after the first one asked, as the draft stands? */
export function opened(questions, draft) {
  const first = gate(questions);
  return first === null || draft[first.name] === true;
}

/** The question that digits go to: the first open pick, else the tags. */
export function target(questions, draft) {
  if (!opened(questions, draft)) return null;
  const rest = questions.filter((q) => isPick(q) || q.kind === "tags");
  return rest.find((q) => isPick(q) && draft[q.name] === undefined) ?? rest.find((q) => q.kind === "tags")
    ?? rest[rest.length - 1] ?? null;
}

/** Does Enter send this draft? */
export function complete(questions, draft) {
  if (questions.length === 0) return false;
  const first = gate(questions);
  if (first && draft[first.name] === undefined) return false;
  if (first && draft[first.name] === false) return true;
  return questions.every((q) => q.kind === "tags" || q.kind === "text" || draft[q.name] !== undefined);
}

/** Is the answer whole as soon as its last key is pressed (nothing to gather after it)? */
function closes(questions, draft) {
  const gathers = questions.some((q) => q.kind === "tags" || q.kind === "text");
  return complete(questions, draft) && (!opened(questions, draft) || !gathers);
}

/**
 * After `y` (first option) or `n` (second option).
 * @param {Question[]} questions @param {string[]} implied @param {Draft} draft @param {boolean} yes
 * @returns {{draft: Draft, send: boolean}}
 */
export function afterYesNo(questions, implied, draft, yes) {
  const first = questions[0];
  if (!first) return { draft, send: false };
  if (isPick(first)) return afterOption(questions, draft, yes ? 0 : 1);
  const open = opened(questions, draft)
    ? questions.find((q) => q.kind === "binary" && draft[q.name] === undefined) : null;
  const asked = open ?? gate(questions);
  if (!asked) return { draft, send: false };
  if (asked !== gate(questions)) {
    const next = { ...draft, [asked.name]: yes };
    return { draft: next, send: closes(questions, next) };
  }
  const next = { [asked.name]: yes };
  for (const q of questions) {
    if (q.kind !== "tags") continue;
    const kept = draft[asked.name] === true ? draft[q.name] : undefined;
    next[q.name] = yes ? kept ?? implied.filter((tag) => q.options.includes(tag)) : [];
  }
  return { draft: next, send: closes(questions, next) };
}

/**
 * After a digit, a click on an option, or a pick from the search.
 * @param {Question[]} questions @param {Draft} draft @param {number} index
 * @param {Question | null} [asked] the question of the button, when it was a click
 */
export function afterOption(questions, draft, index, asked = null) {
  const question = asked ?? target(questions, draft);
  const option = question?.options[index];
  if (question === null || option === undefined) return { draft, send: false };
  if (question !== questions[0] && !opened(questions, draft)) return { draft, send: false };
  if (question.kind === "tags") return { draft: toggled(question, draft, option), send: false };
  const next = { ...draft, [question.name]: option };
  return { draft: next, send: closes(questions, next) };
}

/** The draft with one tag switched on or off, in the order of the codebook. */
export function toggled(question, draft, tag) {
  const on = new Set(draft[question.name] ?? []);
  if (!on.delete(tag)) on.add(tag);
  return { ...draft, [question.name]: question.options.filter((t) => on.has(t)) };
}

/** Two answers that say the same. */
export function same(questions, one, other) {
  const plain = (answer, q) => (q.kind === "tags" ? [...(answer?.[q.name] ?? [])].sort().join("\n") : String(answer?.[q.name] ?? ""));
  return questions.every((q) => plain(one, q) === plain(other, q));
}

/**
 * Options whose name holds every word that was typed; names that start with it come first.
 * @param {string[]} options @param {string} typed
 */
export function found(options, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = options.filter((o) => words.every((w) => o.toLowerCase().includes(w)));
  const starts = (o) => (words.length > 0 && o.toLowerCase().startsWith(words[0]) ? 0 : 1);
  return hits.sort((a, b) => starts(a) - starts(b));
}
