/* The units this labeler holds, in the order they are shown: past ones, the one on screen, those fetched ahead. */

import { talk } from "../talk.js";

export const AHEAD = 20;
const MOST = 200; // units per request
const QUICK = 250; // milliseconds between two answers below which twice as many units are fetched
const SOON = 120_000; // milliseconds before a turn ends at which it is renewed

export class Turns {
  constructor({ path, adjudicates, outbox, comments, arrived, failed }) {
    Object.assign(this, { path, adjudicates, outbox, comments, arrived, failed });
    this.off = new Set(); // units put off, until the server knows
    this.line = [];
    this.place = 0;
    this.offset = 0;
    this.fetching = false;
    this.dry = false;
    this.gap = this.last = Infinity;
  }

  get current() {
    return this.line[this.place] ?? null;
  }

  get ahead() {
    return this.line.length - this.place - 1;
  }

  next() {
    const now = performance.now();
    this.gap = now - this.last;
    this.last = now;
    this.place += 1;
    if (this.short && !this.dry) this.fetch();
  }

  /* How many to hold: more for those who answer quickly. */
  get wanted() {
    return this.gap >= 0 && this.gap < QUICK ? 2 * AHEAD : AHEAD;
  }

  get short() {
    return this.ahead < 0.7 * this.wanted;
  }

  /* Goes back to the previous unit; returns false at the first one. */
  previous() {
    if (this.place === 0) return false;
    this.place -= 1;
    return true;
  }

  get open() {
    return this.line.filter(turn => !turn.answers);
  }

  get now() {
    return Date.now() + this.offset;
  }

  /* Takes as many turns as wanted, and renews those held already. */
  async fetch() {
    if (this.fetching) return;
    this.fetching = true;
    const refused = this.off.size ? await this.sendOff() : null;
    if (refused) {
      this.fetching = false;
      return this.failed(refused);
    }
    const acknowledged = new Set(this.outbox.known);
    const answer = await talk("POST", this.path, { units: Math.min(MOST, this.wanted + this.outbox.size), adjudicates: this.adjudicates });
    this.fetching = false;
    if (!answer.ok) return this.failed(answer);
    if (Number.isFinite(answer.clock)) this.offset = answer.clock - Date.now();
    this.receive(answer.data, acknowledged);
  }

  /* Puts the current unit off. It is not shown again before the server has moved it behind the others, however long that takes. */
  later() {
    const [turn] = this.line.splice(this.place, 1);
    this.off.add(turn.unit);
    this.fetch();
  }

  /* Returns the answer if it failed. A comment goes first: it is of a unit that is still held. */
  async sendOff() {
    await this.comments.flush();
    const units = [...this.off];
    const answer = await talk("POST", `${this.path}/later`, { units });
    if (!answer.ok) return answer;
    for (const unit of units) this.off.delete(unit);
    return null;
  }

  /* A unit that was answered and acknowledged before this request, and is handed out again, is to be labeled again. */
  receive(data, acknowledged) {
    const had = new Map(this.line.map(turn => [turn.unit, turn]));
    const given = new Set();
    let added = 0;
    for (const turn of data.turns) {
      given.add(turn.unit);
      const again = acknowledged.has(turn.unit) && had.get(turn.unit)?.answers && !this.outbox.has(turn.unit);
      if (had.has(turn.unit) && !again) had.get(turn.unit).until = turn.until;
      else if (!this.outbox.has(turn.unit) && !this.off.has(turn.unit)) {
        this.line.push({ ...turn, answers: null, sent: null });
        added += 1;
      }
    }
    const lost = this.dropLost(given);
    this.dry = added === 0 && this.short;
    this.arrived(data, lost);
    if (this.off.size) this.fetch();
  }

  /* Turns that ended while the page was inactive, and are no longer held. */
  dropLost(given) {
    const current = this.current;
    const gone = turn => !turn.answers && !given.has(turn.unit) && 1000 * turn.until < this.now;
    const lost = this.line.filter(gone);
    if (!lost.length) return [];
    this.place -= this.line.slice(0, this.place).filter(gone).length;
    this.line = this.line.filter(turn => !gone(turn));
    return lost.includes(current) ? [current] : [];
  }

  /* Called periodically, and when the page becomes active. */
  renew() {
    const soonest = Math.min(...this.open.map(turn => 1000 * turn.until));
    if (soonest - this.now < SOON || (this.dry && !this.open.length)) this.fetch();
  }

  /* Returns units that were fetched but not answered, so that others need not wait for them. */
  giveBack({ keepalive = false } = {}) {
    const units = this.open.map(turn => turn.unit);
    this.line = this.line.slice(0, this.place).filter(turn => turn.answers);
    this.place = this.line.length;
    if (this.off.size) talk("POST", `${this.path}/later`, { units: [...this.off] }, { keepalive });
    if (units.length) talk("DELETE", this.path, { units }, { keepalive });
  }
}
