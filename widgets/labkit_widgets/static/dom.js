// Elements from data. Text only: what an item, a model or a reviewer wrote is never markup.

/**
 * @param {string} tag
 * @param {Record<string, any>} [props] `class`, `data`, `aria`, `on`, or plain attributes
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "aria") for (const [k, v] of Object.entries(value)) element.setAttribute(`aria-${k}`, String(v));
    else if (name === "on") for (const [k, v] of Object.entries(value)) element.addEventListener(k, v);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Write text only where it changed: screen readers and selections stay quiet. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A key as it is printed on a button. */
export function cap(key) {
  return h("kbd", { class: "lk-kbd", aria: { hidden: "true" } }, key);
}

/**
 * A button with its key printed on it.
 * @param {string} label @param {{action?: string, key?: string, class?: string, data?: object, title?: string}} [how]
 */
export function button(label, { action, key, class: name, data, title } = {}) {
  return h(
    "button",
    {
      type: "button", class: `lk-button ${name ?? ""}`.trim(), title,
      data: { ...(action ? { action } : {}), ...data },
      aria: key ? { keyshortcuts: key.replace("⇧", "Shift+") } : {},
    },
    key ? cap(key) : null,
    h("span", { class: "lk-label" }, label),
  );
}

/** Where keys are text, not acts. */
export function isTyping(target) {
  return target instanceof HTMLElement
    && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}

/** A value of an answer in words. */
export function words(value) {
  if (value === true) return "Yes";
  if (value === false) return "No";
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none";
  return value === null || value === undefined || value === "" ? "none" : String(value);
}

/** `right_place` as a heading: "Right place". */
export function title(name) {
  const plain = name.replace(/_/g, " ").trim();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** "1 answer", "2 answers". */
export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
