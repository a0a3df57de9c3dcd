/* Answers on their way to the ledger. Kept in this tab until the server has acknowledged each: unit ids, answers and reasons, nothing else. */

import { freshToken, problem, talk } from "../talk.js";

const GATHER = 250; // milliseconds an answer waits for others, so that a quick undo is not a correction
const MOST = 50; // answers per request
const PAUSES = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
const RETRIED = new Set([0, 408, 425, 429, 500, 502, 503, 504]);

const asSent = ({ sent, ...said }) => said;

export class Outbox {
  constructor({ path, store, person, changed, refused, acknowledged, entered }) {
    Object.assign(this, { path, store, person, changed, refused, acknowledged, entered });
    this.waiting = new Map();
    this.flying = new Map();
    this.known = new Set();
    this.state = "saved"; // saved, saving, waiting, left, someone else, stopped
    this.why = "";
    this.failures = 0;
    this.renewed = false;
    this.checking = false;
    this.running = false;
    for (const said of this.restored()) this.waiting.set(said.unit, said);
    if (this.size) this.run();
  }

  get size() {
    return new Set([...this.waiting.keys(), ...this.flying.keys()]).size;
  }

  has(unit) {
    return this.waiting.has(unit) || this.flying.has(unit);
  }

  /* One answer, in place of an earlier one of the same unit: edited here if it was not sent, else sent as a correction. */
  put(said) {
    const before = this.waiting.get(said.unit);
    const correct = this.known.has(said.unit) || this.flying.has(said.unit) || (before?.sent ?? false) || (before?.correct ?? false);
    this.waiting.set(said.unit, { ...said, correct });
    this.keep();
    this.say(this.failures || this.halted ? this.state : "saving");
    this.run();
  }

  get halted() {
    return ["left", "someone else", "stopped"].includes(this.state);
  }

  /* Retries at once instead of waiting for a pause to end: the network is back, or the person is. */
  async kick() {
    if (this.state === "left" || this.state === "someone else") {
      if (this.checking) return;
      this.checking = true;
      const found = await freshToken(this.person);
      this.checking = false;
      if (found !== "fresh") return found === "away" ? undefined : this.say(found);
      this.say(this.size ? "saving" : "saved");
      this.entered();
    }
    this.wake?.();
    this.run();
  }

  async run() {
    if (this.running || this.halted) return;
    this.running = true;
    await this.pause(GATHER);
    while (this.waiting.size && !this.halted) await this.send([...this.waiting.values()].slice(0, MOST));
    this.running = false;
  }

  async send(batch) {
    for (const said of batch) {
      this.waiting.delete(said.unit);
      said.sent = true; // it may be recorded even if no response arrives: what replaces it is a correction
      this.flying.set(said.unit, said);
    }
    const answer = await talk("POST", this.path, { answers: batch.map(asSent) });
    this.flying.clear();
    if (answer.ok) this.landed(answer.data);
    else await this.failed(batch, answer);
    this.keep();
  }

  landed(data) {
    this.failures = 0;
    this.renewed = false;
    for (const one of data.acknowledged) {
      if (one.status === "refused") this.refused(one);
      else this.known.add(one.unit);
    }
    this.keep();
    this.acknowledged(data);
    this.say(this.waiting.size ? "saving" : "saved");
  }

  async failed(batch, answer) {
    if (RETRIED.has(answer.status)) {
      this.back(batch);
      const pause = PAUSES[Math.min(this.failures, PAUSES.length - 1)];
      this.failures += 1;
      this.say("waiting", answer.status === 429 ? "the server asks for a pause" : "the server does not answer");
      await this.pause(answer.wait ?? pause * (0.75 + 0.5 * Math.random()));
    } else if (answer.status === 401 || answer.status === 403) {
      this.back(batch);
      await this.shut(answer);
    } else if (answer.status === 404) {
      this.back(batch);
      this.say("stopped", problem(answer));
    } else if (batch.length > 1) {
      for (const said of batch) if (!this.waiting.has(said.unit)) await this.alone(said);
    } else {
      this.refused({ unit: batch[0].unit, why: problem(answer) });
      this.say(this.waiting.size ? "saving" : "saved");
    }
  }

  /* Nobody is signed in, or the page belongs to an earlier session of the same person. */
  async shut(answer) {
    const found = answer.status === 401 ? "left" : this.renewed ? "stopped" : await freshToken(this.person);
    this.renewed ||= found !== "away"; // a server that was busy has said nothing of the session
    if (found === "away") await this.pause(PAUSES[2]);
    else if (found !== "fresh") this.say(found, problem(answer));
  }

  /* One answer of a batch that was refused as a whole: the others must not wait for the faulty one. */
  async alone(said) {
    this.waiting.set(said.unit, said);
    await this.send([said]);
  }

  /* Puts what was not acknowledged back in front, unless a newer answer of the same unit has replaced it. */
  back(batch) {
    const newer = this.waiting;
    this.waiting = new Map(batch.filter(said => !newer.has(said.unit)).map(said => [said.unit, said]));
    for (const [unit, said] of newer) this.waiting.set(unit, said);
  }

  /* The last try of a page that is closing; what it cannot send stays in the store until the tab is opened again. */
  leave() {
    if (this.waiting.size && !this.halted) talk("POST", this.path, { answers: [...this.waiting.values()].slice(0, MOST).map(asSent) }, { keepalive: true });
  }

  pause(milliseconds) {
    return new Promise(done => {
      const timer = setTimeout(done, milliseconds);
      this.wake = () => { clearTimeout(timer); done(); };
    });
  }

  say(state, why = "") {
    this.state = state;
    this.why = why;
    this.changed(this);
  }

  keep() {
    const unsent = [...this.flying.values(), ...this.waiting.values()];
    try {
      if (unsent.length) sessionStorage.setItem(this.store, JSON.stringify(unsent));
      else sessionStorage.removeItem(this.store);
    } catch { /* no store in this browser: the answers stay in memory, and the page asks before it is closed */ }
  }

  restored() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.store) ?? "[]");
      return Array.isArray(kept) ? kept.filter(said => typeof said?.unit === "string") : [];
    } catch {
      return [];
    }
  }
}
