/* The units this labeler holds, in the order they are shown: those gone by, the one on screen, those fetched ahead. */

import { talk } from "../talk.js";

export const AHEAD = 20;
const MOST = 200; // units a request
const QUICK = 250; // milliseconds between two answers of somebody for whom twice as many are fetched
const SOON = 120_000; // milliseconds before a turn ends at which it is asked for again

export class Turns {
  constructor({ path, adjudicates, outbox, arrived, failed }) {
    Object.assign(this, { path, adjudicates, outbox, arrived, failed });
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

  /* Back to the unit before; false at the first one. */
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

  /* Takes turns up to as many as wanted, and those held already for longer. */
  async fetch() {
    if (this.fetching) return;
    this.fetching = true;
    const acknowledged = new Set(this.outbox.known);
    const answer = await talk("POST", this.path, { units: Math.min(MOST, this.wanted + this.outbox.size), adjudicates: this.adjudicates });
    this.fetching = false;
    if (!answer.ok) return this.failed(answer);
    if (Number.isFinite(answer.clock)) this.offset = answer.clock - Date.now();
    this.receive(answer.data, acknowledged);
  }

  /* A unit answered and acknowledged before it was asked for, and given again, is to be looked at again. */
  receive(data, acknowledged) {
    const had = new Map(this.line.map(turn => [turn.unit, turn]));
    const given = new Set();
    let added = 0;
    for (const turn of data.turns) {
      given.add(turn.unit);
      const again = acknowledged.has(turn.unit) && had.get(turn.unit)?.answers && !this.outbox.has(turn.unit);
      if (had.has(turn.unit) && !again) had.get(turn.unit).until = turn.until;
      else if (!this.outbox.has(turn.unit)) {
        this.line.push({ ...turn, answers: null, sent: null });
        added += 1;
      }
    }
    const lost = this.dropLost(given);
    this.dry = added === 0 && this.short;
    this.arrived(data, lost);
  }

  /* Turns that ended while the page slept, and are not held any more. */
  dropLost(given) {
    const current = this.current;
    const gone = turn => !turn.answers && !given.has(turn.unit) && 1000 * turn.until < this.now;
    const lost = this.line.filter(gone);
    if (!lost.length) return [];
    this.place -= this.line.slice(0, this.place).filter(gone).length;
    this.line = this.line.filter(turn => !gone(turn));
    return lost.includes(current) ? [current] : [];
  }

  /* Called now and then, and when the page wakes. */
  renew() {
    const soonest = Math.min(...this.open.map(turn => 1000 * turn.until));
    if (soonest - this.now < SOON || (this.dry && !this.open.length)) this.fetch();
  }

  /* Hands back what was fetched and not answered, so that others need not wait for it. */
  giveBack({ keepalive = false } = {}) {
    const units = this.open.map(turn => turn.unit);
    this.line = this.line.slice(0, this.place).filter(turn => turn.answers);
    this.place = this.line.length;
    if (units.length) talk("DELETE", this.path, { units }, { keepalive });
  }
}
