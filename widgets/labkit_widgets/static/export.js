// The Export tab: what will change in the file, as a diff, before it is written.
import { button, h, say } from "./dom.js";

/** What a kind of file does with what is there already. */
const PROMISES = Object.freeze({
  methodatlas: "Lines that do not change stay as they are, byte for byte.", sarif: "The scan comes out again with your verdicts in it.",
});
const WHOLE = "The file is written anew as a whole.";

/** Preview, then write; the file's place is Python's to know. */
export class Export {
  /** @param {any} study @param {(message: any) => void} send */
  constructor(study, send) {
    this.send = send;
    this.format = h("select", { class: "lk-select", aria: { label: "Kind of file" } }, ...study.exports.map((e) => h("option", { value: e.format }, e.label)));
    this.preview = button("Preview the changes", { action: "export-preview" });
    this.write = button("Write the file", { action: "export-write", class: "lk-primary" });
    this.promise = h("p", { class: "lk-quiet" });
    this.place = h("p", { class: "lk-quiet" });
    this.state = h("p", { class: "lk-state", role: "status" });
    this.diff = h("div", { class: "lk-diff", tabindex: "0", role: "region", aria: { label: "Changes" }, hidden: true });
    this.root = h(
      "div", { class: "lk-page lk-export", data: { lmSuppressShortcuts: "true" } }, h("h2", {}, "Take your decisions along"),
      this.promise,
      h("div", { class: "lk-finish" }, this.format, this.preview, this.write), this.place, this.state, this.diff,
    );
    this.targets = Object.fromEntries(study.exports.map((e) => [e.format, e.path]));
    this.refusal = "";
    this.format.addEventListener("change", () => {
      this.chosen();
      this.ask("preview");
    });
    this.preview.addEventListener("click", () => this.ask("preview"));
    this.write.addEventListener("click", () => this.ask("write"));
    this.chosen();
  }

  /** The tab comes into view: what would change now. */
  open() {
    this.ask("preview");
  }

  chosen() {
    say(this.promise, `Nothing is written before you have seen it. ${PROMISES[this.format.value] ?? WHOLE}`);
    say(this.place, `File: ${this.targets[this.format.value]}`);
    say(this.state, "");
    this.diff.hidden = true;
    this.token = "";
    this.write.setAttribute("aria-disabled", "true");
  }

  ask(type) {
    if (type === "write" && !this.token) return say(this.state, "Preview the changes first.");
    this.asked = type;
    this.refusal = "";
    say(this.state, type === "write" ? "Writing…" : "Working out the changes…");
    return this.send({ type, format: this.format.value, token: this.token });
  }

  /** @param {any} message */
  receive(message) {
    if (message.type === "written") {
      this.token = "";
      this.write.setAttribute("aria-disabled", "true");
      this.root.dataset.written = message.path;
      return say(this.state, `✓ Written: ${message.path}`);
    }
    if (message.problem) return this.refused(message.problem);
    this.token = message.changed ? message.token : "";
    this.write.setAttribute("aria-disabled", String(!message.changed));
    say(this.place, `File: ${message.path}`);
    const told = message.changed ? message.summary : "Nothing would change: the file already says all this.";
    say(this.state, this.refusal ? `Not written: ${this.refusal} What it would change now: ${told}` : told);
    this.diff.replaceChildren(...message.diff.split("\n").map(line));
    this.diff.hidden = !message.changed || !message.diff;
    return undefined;
  }

  /** A write that was refused is previewed again by itself, its reason beside it. */
  refused(problem) {
    const wrote = this.asked === "write";
    this.diff.hidden = true;
    this.token = "";
    this.write.setAttribute("aria-disabled", "true");
    if (wrote) this.ask("preview");
    const reason = this.refusal && !wrote ? `Not written: ${this.refusal} ${problem}` : problem;
    if (wrote) this.refusal = problem.replace("; preview it again", "");
    return say(this.state, reason);
  }
}

function line(text) {
  const kind = /^(\+\+\+|---|@@)/.test(text) ? "lk-hunk" : text.startsWith("+") ? "lk-added" : text.startsWith("-") ? "lk-removed" : "";
  return h("div", { class: `lk-diff-line ${kind}`.trim() }, text || " ");
}
