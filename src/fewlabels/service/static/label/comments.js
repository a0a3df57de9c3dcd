/* Comments on their way to the ledger, kept in this tab until the server has them. They are sent apart from answers, which never wait for them. */

import { freshToken, problem, talk } from "../talk.js";

const PAUSE = 4_000;
const RETRIED = new Set([0, 408, 425, 429, 500, 502, 503, 504]);

export class Comments {
  constructor({ path, store, person, refused }) {
    Object.assign(this, { path, store, person, refused });
    this.waiting = new Map(this.restored());
    this.sending = null;
    if (this.size) this.flush();
  }

  get size() {
    return this.waiting.size;
  }

  /* The person's comment on a unit as it stands. */
  of(turn) {
    return this.waiting.get(turn.unit) ?? turn.comment ?? "";
  }

  put(turn, text) {
    if (text === this.of(turn)) return;
    turn.comment = text;
    this.waiting.set(turn.unit, text);
    this.keep();
    this.flush();
  }

  /* Sends what waits, once; what fails is tried again later. */
  flush() {
    clearTimeout(this.timer);
    this.sending ??= this.sendAll().finally(() => { this.sending = null; });
    return this.sending;
  }

  async sendAll() {
    let renewed = false;
    for (let next = this.next(); next; next = this.next()) {
      const [unit, text] = next;
      const answer = await talk("PUT", this.path, { unit, text });
      if (answer.status === 403 && !renewed && (await freshToken(this.person)) === "fresh") {
        renewed = true;
        continue;
      }
      if (RETRIED.has(answer.status)) return void (this.timer = setTimeout(() => this.flush(), answer.wait ?? PAUSE));
      if (answer.status === 401 || answer.status === 403) return; // until the person is back
      if (!answer.ok) this.refused({ unit, why: `the comment was not kept: ${problem(answer)}` });
      if (this.waiting.get(unit) === text) this.waiting.delete(unit);
      this.keep();
    }
  }

  next() {
    return this.waiting.entries().next().value;
  }

  keep() {
    try {
      if (this.size) sessionStorage.setItem(this.store, JSON.stringify([...this.waiting]));
      else sessionStorage.removeItem(this.store);
    } catch { /* no store in this browser: comments stay in memory */ }
  }

  restored() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.store) ?? "[]");
      return Array.isArray(kept) ? kept.filter(one => typeof one?.[0] === "string" && typeof one[1] === "string") : [];
    } catch {
      return [];
    }
  }
}
