// Answers on their way to the disk. They outlive a reload and a dead kernel.

/** @typedef {{uuid: string, item: string, nonce: string, kind: string, answer: any, note: string, elapsed_ms: number | null}} Act */

/** Keeps acts in `localStorage` until Python says that they are stored. */
export class Outbox {
  /** @param {Storage | null} storage @param {string} key */
  constructor(storage, key) {
    this.storage = storage;
    this.key = `labkit.outbox.${key}`;
    this.acts = this.read();
  }

  /** @returns {Act[]} */
  read() {
    try {
      const kept = JSON.parse(this.storage?.getItem(this.key) ?? "[]");
      return Array.isArray(kept) ? kept.filter((act) => typeof act?.uuid === "string") : [];
    } catch {
      return [];
    }
  }

  /** @param {Act} act */
  put(act) {
    this.acts.push(act);
    this.write();
  }

  /** @param {string} uuid @returns {Act | undefined} the act, now taken out */
  take(uuid) {
    const act = this.acts.find((a) => a.uuid === uuid);
    this.acts = this.acts.filter((a) => a.uuid !== uuid);
    this.write();
    return act;
  }

  write() {
    try {
      if (this.acts.length) this.storage?.setItem(this.key, JSON.stringify(this.acts));
      else this.storage?.removeItem(this.key);
    } catch {
      // a full or forbidden storage costs the reload protection, never the answer itself
    }
  }
}

/** The browser's storage, or null where it is forbidden. */
export function browserStorage() {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}

/** A random id that two browsers never share. */
export function newId() {
  if (globalThis.crypto?.randomUUID) return globalThis.crypto.randomUUID();
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
