// The thin strip on top: where I am, what is saved, how fast, what is left. Never an estimate's value.
import { count, h, say } from "./dom.js";

/** Draws the strip; every part is text that is rewritten in place. */
export class Strip {
  constructor() {
    this.bar = h("div", { class: "lk-bar-done" });
    this.parts = Object.fromEntries(["place", "saved", "pace", "left", "goal"].map((name) => [name, h("span", { class: `lk-strip-${name}` })]));
    this.root = h(
      "div", { class: "lk-strip" },
      h("div", { class: "lk-bar", aria: { hidden: "true" } }, this.bar),
      this.parts.place, this.parts.saved, this.parts.pace, this.parts.left, this.parts.goal,
      h("span", { class: "lk-stop" }, "You can stop at any time."),
    );
  }

  /** @param {import("./session.js").Session} session */
  paint(session) {
    const { saved, study, view, progress } = session;
    const all = study.sampled;
    say(this.parts.place, view?.position ? `${view.position.toLocaleString("en")} of ${all.toLocaleString("en")}` : view ? "Not in the sample" : count(all, "item"));
    const onTheWay = session.pending > 0;
    this.parts.saved.classList.toggle("lk-waiting", onTheWay);
    const clock = session.savedAt ? `, ${hour(session.savedAt)}` : "";
    const agreed = session.agreed && study.reveal === "disagreement" ? " · you and the AI agreed" : "";
    say(this.parts.saved, onTheWay ? "Saving…" : saved ? `✓ ${saved.toLocaleString("en")} saved${clock}${agreed}` : "Every answer is saved at once");
    const pace = progress?.median_seconds;
    say(this.parts.pace, pace ? `${seconds(pace)} an answer` : "");
    const left = Math.max(0, all - saved);
    say(this.parts.left, left === 0 ? "" : pace ? `${left.toLocaleString("en")} left, about ${minutes(left * pace)}` : `${left.toLocaleString("en")} left`);
    say(this.parts.goal, goal(progress));
    this.bar.style.width = `${all ? Math.min(100, (100 * saved) / all) : 100}%`;
  }
}

const hour = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

/** @param {number} value */
export function seconds(value) {
  return value < 10 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;
}

/** Seconds in words: "4 min", "1 h 20 min". @param {number} value */
export function minutes(value) {
  const whole = Math.max(1, Math.round(value / 60));
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}

/** How far the headline interval is from its goal, in plain words; the value itself would be an anchor. */
export function goal(progress) {
  const { half_width: now, goal: wanted, more } = progress ?? {};
  if (typeof now !== "number" || typeof wanted !== "number") return "";
  const firm = `a firm number (±${wanted.toFixed(2)})`;
  if (now <= wanted) return `Enough for ${firm}`;
  return more ? `about ${more.toLocaleString("en")} more for ${firm}` : `±${now.toFixed(2)} so far, firm at ±${wanted.toFixed(2)}`;
}
