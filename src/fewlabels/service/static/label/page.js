/* The labeling page. A key shows the next unit at once; the answer is sent in the background, and is on disk when the page says "saved". */

import { at, meta, problem, studyPath, talk } from "../talk.js";
import { Choices } from "./choices.js";
import { Outbox } from "./outbox.js";
import { prefetchImages, shownUnit } from "./shown.js";
import { Tabs } from "./tabs.js";
import { Turns } from "./turns.js";
import { announce, refusedUnit, showNotice, showProgress, showSaved, stage } from "./words.js";

const TOO_SOON = 120; // milliseconds: the second tap of a double tap belongs to the previous unit
const AGAIN = 20_000; // milliseconds between two checks for units to label
const study = at("desk").dataset.study;
const person = meta("fewlabels-person");
const adjudicates = at("desk").dataset.adjudicates === "yes";
let sheet, choices, outbox, turns, tabs;
let shown = null, since = 0, hiddenFor = 0, hiddenAt = null, paused = true;

async function start() {
  const answer = await talk("GET", studyPath(study, "/sheet"));
  if (!answer.ok) return stage("empty", problem(answer), () => location.reload());
  sheet = answer.data;
  choices = new Choices({ place: at("questions"), sheet, chosen: clicked });
  outbox = new Outbox({
    path: studyPath(study, "/answers"), store: `fewlabels:${study}:${person}`, person, changed: showSaved,
    refused: refusedUnit, acknowledged: data => showProgress(data.progress), entered: () => { if (!paused) turns.fetch(); },
  });
  turns = new Turns({ path: studyPath(study, "/turns"), adjudicates, outbox, arrived, failed });
  tabs = new Tabs(`fewlabels:${study}:${person}`, { paused: elsewhere, yielded: elsewhere });
  listen();
  stage("waiting", "Getting the first units.");
  paused = false;
  await tabs.start();
  if (!paused) here();
}

/* This tab labels. */
function here() {
  paused = false;
  tabs.take();
  outbox.kick();
  turns.fetch();
}

/* Another tab labels: fetched units stay with the person, and are shown there. */
function elsewhere() {
  paused = true;
  shown = null;
  if (turns) { turns.line = turns.line.slice(0, turns.place).filter(turn => turn.answers); turns.place = turns.line.length; }
  stage("empty", "This study is open in another tab; continue labeling there.", here, "Label here instead");
}

function arrived(data, lost) {
  showProgress(data.progress);
  if (paused) return;
  if (lost.length) announce("That unit was given to someone else while the page was inactive. Here is the next one.");
  if (turns.current !== shown || !shown) show();
  prefetchImages(study, sheet, turns.line.slice(turns.place + 1, turns.place + 4));
}

function failed(answer) {
  if (answer.status === 401 || answer.status === 403) outbox.say("left", problem(answer));
  else if (answer.status === 404) outbox.say("stopped", problem(answer));
  else if (answer.status >= 400 && answer.status < 500 && ![408, 425, 429].includes(answer.status)) {
    if (!shown && !paused) stage("empty", problem(answer), () => turns.fetch(), "Check again");
    return;
  } else setTimeout(() => turns.fetch(), answer.wait ?? 2_000);
  if (!shown && !paused) stage("waiting", "The server does not respond. Trying again.");
}

/* Shows the unit of the current turn. */
function show() {
  shown = turns.current;
  at("undo").disabled = turns.place === 0;
  if (shown === null) {
    return turns.dry ? stage("empty", "There is nothing to label now.", () => turns.fetch(), "Check again") : stage("waiting", "Getting the next unit.");
  }
  at("unit").replaceChildren(...shownUnit(study, sheet, shown));
  at("unit").scrollTop = 0;
  at("unit-name").textContent = shown.unit;
  choices.show(shown.answers ?? {});
  at("keep").hidden = !shown.answers;
  stage("unit");
  since = performance.now();
  hiddenFor = 0;
}

/* The unit has all its answers: they go into the outbox, and the next unit is shown. */
function answered() {
  const turn = shown;
  const given = { ...choices.given };
  const seconds = Math.max(0, Math.round(performance.now() - since - hiddenFor)) / 1000;
  const changed = JSON.stringify(turn.answers) !== JSON.stringify(given);
  turn.answers = given;
  at("message").textContent = "";
  turns.next();
  show();
  if (changed) outbox.put({ unit: turn.unit, answers: given, at: new Date().toISOString(), seconds });
  prefetchImages(study, sheet, turns.line.slice(turns.place + 1, turns.place + 4));
}

function undo() {
  if (paused || !turns.previous()) return;
  show();
  announce("Back at the previous unit. A new answer replaces the old one.");
}

function clicked(row, answer, event) {
  if (shown === null || (event.detail > 0 && performance.now() - since < TOO_SOON)) return;
  if (choices.choose(row, answer)) timed(event, answered);
}

function skip() {
  choices.skip();
  answered();
}

/* From the key to the next unit on the screen, to be read with performance.getEntriesByName("fewlabels:next"). */
function timed(event, act) {
  const start = event.timeStamp;
  act();
  performance.measure("fewlabels:next:made", { start, end: performance.now() });
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => performance.measure("fewlabels:next", { start, end: performance.now() });
    port2.postMessage(null);
  });
}

const TYPED = "input, textarea, select, [contenteditable]";
const PRESSED = "button, a, summary";

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.target.closest?.(TYPED)) return;
  if (event.repeat) {
    if (event.key === "Enter" && event.target.closest?.(PRESSED)) event.preventDefault();
    return;
  }
  const key = event.key.toLowerCase();
  if (key === "u") return undo();
  if (key === "i") return void (at("instructions").open = !at("instructions").open);
  if (shown === null || paused) return;
  if (key === "s") return timed(event, skip);
  if (key === "arrowdown" || key === "arrowup") return void (event.target.closest?.(".box") || choices.move(key === "arrowdown" ? 1 : -1));
  if (key === "enter" && !event.target.closest?.(PRESSED) && choices.complete) return timed(event, answered);
  const answer = choices.answerOf(key);
  if (answer === null) return;
  event.preventDefault();
  if (choices.choose(choices.active, answer)) timed(event, answered);
}

function listen() {
  document.addEventListener("keydown", pressed);
  at("undo").addEventListener("click", undo);
  at("skip").addEventListener("click", event => { if (shown && !(event.detail > 0 && performance.now() - since < TOO_SOON)) timed(event, skip); });
  at("keep").addEventListener("click", event => { if (shown && choices.complete) timed(event, answered); });
  addEventListener("online", () => { outbox.kick(); turns.fetch(); showSaved(outbox); });
  addEventListener("offline", () => showSaved(outbox));
  addEventListener("beforeunload", event => { if (outbox.size) event.preventDefault(); });
  addEventListener("pagehide", () => { outbox.leave(); if (!paused) turns.giveBack({ keepalive: true }); });
  addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
  document.addEventListener("visibilitychange", looked);
  setInterval(() => { if (!document.hidden) again(); }, AGAIN);
}

/* Time during which the page is hidden does not count as time spent on a unit. */
function looked() {
  if (document.hidden) hiddenAt = performance.now();
  else {
    if (hiddenAt !== null) hiddenFor += performance.now() - hiddenAt;
    hiddenAt = null;
    again();
  }
}

function again() {
  outbox.kick();
  if (!paused && !outbox.halted) turns.renew();
}

showNotice("");
start();
