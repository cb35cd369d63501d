// The AI's box: an empty slot until the first answer is on disk, then the two answers side by side.
import { h, title, words } from "./dom.js";

/** Draws the slot and what comes into it. */
export class Reveal {
  constructor() {
    this.body = h("div", { class: "lk-ai-body" });
    this.root = h(
      "section", { class: "lk-ai", data: { labkit: "ai", hidden: "true" }, aria: { label: "The AI's answer" } },
      this.body,
    );
    this.painted = undefined;
  }

  /**
   * @param {any} ai null while hidden @param {any} view @param {any} study
   */
  paint(ai, view, study) {
    const suggests = Boolean(ai) && !view.answer && !view.unsure && !ai.answers;
    this.root.parentElement?.classList.toggle("lk-suggested", suggests);
    const mark = ai ? JSON.stringify([view.item, view.answer, view.unsure]) : `hidden ${study.protocol}`;
    if (this.painted === mark) return;
    this.painted = mark;
    this.root.dataset.hidden = ai ? "false" : "true";
    this.root.classList.toggle("lk-agrees", Boolean(ai?.agrees));
    this.root.classList.toggle("lk-suggests", suggests);
    this.root.classList.toggle("lk-differs", Boolean(ai) && !suggests && !ai.agrees && !view.unsure);
    this.body.replaceChildren(...(ai ? shown(ai, view, study) : hidden(study)));
  }
}

function hidden(study) {
  if (study.protocol === "settling") return [h("p", { class: "lk-ai-name" }, "The reviewers’ answers"), h("p", { class: "lk-ai-hint" }, "hidden until you answer")];
  const never = study.protocol === "blind";
  return [
    h("p", { class: "lk-ai-name" }, "AI’s answer"),
    h("p", { class: "lk-ai-hint" }, never ? "hidden in this study: your own judgement is what counts" : "hidden until you answer"),
  ];
}

function verdict(ai, view) {
  if (view.phase === "answer") return "The AI’s answer";
  if (view.unsure) return "You were unsure. The AI says:";
  return ai.agrees ? "✓ You and the AI agree" : "You and the AI differ";
}

function shown(ai, view, study) {
  if (ai.answers) return settled(ai, view, study);
  const rows = study.questions.filter((q) => ai.answer?.[q.name] !== undefined || view.answer?.[q.name] !== undefined)
    .map((q) => row(q, view.answer?.[q.name], ai.answer?.[q.name], Boolean(view.answer)));
  const head = h("tr", {}, h("td", {}), view.answer ? h("th", { scope: "col" }, "You") : null, h("th", { scope: "col" }, "AI"));
  const told = [...Object.values(ai.answer ?? {}).map(words)];
  const more = (ai.fields ?? []).filter(([, value]) => !told.includes(String(value)));
  const sure = sureness(ai);
  return [
    h("p", { class: "lk-ai-name lk-verdict" }, verdict(ai, view)),
    h("table", { class: "lk-compare" }, view.answer ? h("thead", {}, head) : null, h("tbody", {}, ...rows)),
    sure === null ? null : h("p", { class: "lk-ai-sure" }, `Its confidence: ${sure}`),
    ai.reason ? h("p", { class: "lk-ai-reason" }, ai.reason) : null,
    more.length ? h("dl", { class: "lk-ai-said" }, ...more.map(said)) : null,
  ].filter(Boolean);
}

const sureness = (ai) => (typeof ai.confidence === "number" ? ai.confidence.toFixed(2) : null);

/** One more thing that was hidden: the tool, its rank, who confirmed it. */
const said = ([name, value]) => h("div", {}, h("dt", {}, title(name.replace(/^ai_/, ""))), h("dd", {}, String(value)));

/** The reviewers' answers beside one's own: no names, no counts, in shuffled order. */
function settled(ai, view, study) {
  const letter = (i) => String.fromCharCode(65 + i);
  const line = (q) => h("tr", {}, h("th", { scope: "row" }, title(q.name)), h("td", {}, words(view.answer?.[q.name])), ...ai.answers.map((a) => h("td", {}, words(a[q.name]))));
  return [
    h("p", { class: "lk-ai-name lk-verdict" }, ai.agrees ? "✓ Some reviewers say the same" : "No reviewer says the same"),
    h("table", { class: "lk-compare" }, h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "You"), ...ai.answers.map((_, i) => h("th", { scope: "col" }, letter(i))))), h("tbody", {}, ...study.questions.map(line))),
  ];
}

/** What "no" to the first question left unasked differs from nothing. */
function row(question, yours, theirs, answered) {
  const asked = yours !== undefined && yours !== null;
  const differ = answered && asked && words(sorted(yours)) !== words(sorted(theirs));
  return h(
    "tr", { class: differ ? "lk-differ" : "" }, h("th", { scope: "row" }, title(question.name)),
    answered ? h("td", {}, asked ? words(yours) : "not asked") : null, h("td", {}, words(theirs), differ ? h("span", { class: "lk-sr" }, " (differs)") : null),
  );
}

const sorted = (value) => (Array.isArray(value) ? [...value].sort() : value);
