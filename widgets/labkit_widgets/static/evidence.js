// The left side: what is under review. Nothing of the AI is ever here.
import { button, h, say, title } from "./dom.js";

const LONG_TITLE = 90;

/** Draws one item's evidence; drawn again only when the item changes. */
export class Evidence {
  /** @param {{attached?: boolean}} study */
  constructor(study) {
    this.study = study;
    this.heading = h("h2", { class: "lk-title" });
    this.subtitle = h("p", { class: "lk-subtitle" });
    this.facts = h("dl", { class: "lk-facts" });
    this.body = h("div", { class: "lk-source" });
    this.root = h(
      "article", { class: "lk-evidence", aria: { label: "Item under review" } },
      h("header", { class: "lk-head" }, this.heading, this.subtitle, this.facts), this.body,
    );
    this.painted = null;
  }

  /** @param {any} view */
  paint(view) {
    if (this.painted === view.item && this.code === view.code) return;
    const grown = this.painted === view.item && this.code && view.code ? this.code.first - view.code.first : null;
    const top = this.body.querySelector(".lk-code")?.scrollTop ?? 0;
    this.painted = view.item;
    this.code = view.code;
    say(this.heading, view.title);
    this.heading.classList.toggle("lk-long", view.title.length > LONG_TITLE);
    say(this.subtitle, view.subtitle ?? "");
    this.facts.replaceChildren(...(view.fields ?? []).filter(([, value]) => value !== "").map(fact));
    this.body.replaceChildren(...prose(view), ...(view.code ? [code(view.code)] : absent(view, this.study)));
    this.root.classList.toggle("lk-bare", !view.code);
    const mark = this.body.querySelector(".lk-line.lk-mark");
    const box = this.body.querySelector(".lk-code");
    if (grown !== null && box) box.scrollTop = top + grown * (box.querySelector(".lk-line")?.offsetHeight ?? 0);
    else if (mark && box) box.scrollTop = Math.max(0, mark.offsetTop - box.clientHeight / 5);
  }
}

const HEADINGS = Object.freeze({ loc: "Lines", tags: "Tags in the source", fqcn: "Class", source_root: "Source root" });

function fact([name, value]) {
  return h("div", { class: "lk-fact" }, h("dt", {}, HEADINGS[name] ?? title(name)), h("dd", {}, String(value)));
}

const FENCE = /^```[^\n]*\n([\s\S]*?)\n?^[ \t]*```[ \t]*$/m;

/** The text under review, what stands between ``` as code; nothing where the title says it all. */
function prose({ text, title: heading }) {
  if (!text || text.trim() === heading.trim()) return [];
  const parts = text.split(FENCE).map((part, i) => (i % 2 ? h("pre", { class: "lk-fence" }, part) : part.trim()));
  return [h("div", { class: "lk-text" }, ...(parts.length > 1 ? parts.filter(Boolean) : [text]))];
}

/** One line in place of the code: how it comes here, or that it was looked for. */
function absent({ text }, { attached }) {
  if (text) return [];
  const told = attached
    ? ["This one was not found in the source that is attached. Judge by the names and facts above, or skip it."]
    : ["No source code is attached. To read it here, start with ", h("code", {}, "--source FOLDER"), " or put ", h("code", {}, "source: FOLDER"), " into study.yaml."];
  return [h("p", { class: "lk-absent" }, ...told)];
}

/** @param {{file: string, first: number, lines: (string | [string, string][])[], mark: [number, number] | null, numbers?: (number | null)[], whole?: boolean}} code */
function code({ file, first, lines, mark, numbers, whole }) {
  const width = String(first + lines.length).length;
  const rows = lines.map((line, i) => {
    const number = numbers ? numbers[i] : first + i; // a removed line has none
    const sign = { "+": " lk-added", "-": " lk-removed" }[numbers ? plain(line).charAt(0) : ""] ?? "";
    const marked = mark && number !== null && number >= mark[0] && number <= mark[1];
    return h(
      "div", { class: `lk-line${marked ? " lk-mark" : ""}${sign}` },
      h("span", { class: "lk-number", aria: { hidden: "true" } }, String(number ?? "").padStart(width)),
      h("code", { class: "lk-chars" }, ...tokens(line)),
    );
  });
  const place = mark ? `${file}, ${mark[0] === mark[1] ? `line ${mark[0]}` : `lines ${mark[0]} to ${mark[1]}`}` : file;
  return h(
    "figure", { class: "lk-figure" }, h("figcaption", { class: "lk-place" }, h("span", {}, place), numbers ? null : whole ? h("span", {}, "No more lines here") : button("More lines", { action: "more", key: "m", class: "lk-small" })),
    h("div", { class: "lk-code", tabindex: "0", role: "region", aria: { label: `Source of ${place}` } }, ...rows),
  );
}

const plain = (line) => (typeof line === "string" ? line : line.map(([, part]) => part).join(""));

function tokens(line) {
  if (typeof line === "string") return [line || " "];
  if (!line.length) return [" "];
  return line.map(([kind, text]) => (kind ? h("span", { class: `lk-t-${kind}` }, text) : text));
}
