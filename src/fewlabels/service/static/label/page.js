/* The labeling page. A key shows the next unit at once; the answer is sent in the background, and is on disk when the page says "saved". */

import { at, meta, problem, studyPath, talk } from "../talk.js";
import { Choices } from "./choices.js";
import { Comments } from "./comments.js";
import { askComment, askReason, isOpen, listenToDialogs, showKeys, zoom } from "./dialogs.js";
import { showEnd } from "./ending.js";
import { rememberInstructions } from "./instructions.js";
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
let sheet, choices, outbox, comments, turns, tabs;
let shown = null, since = 0, hiddenFor = 0, hiddenAt = null, paused = true;

async function start() {
  const answer = await talk("GET", studyPath(study, "/sheet"));
  if (!answer.ok) return stage("empty", problem(answer), () => location.reload());
  sheet = answer.data;
  choices = new Choices({ place: at("questions"), sheet, chosen: clicked });
  outbox = new Outbox({
    path: studyPath(study, "/answers"), store: `fewlabels:${study}:${person}`, person, changed: showSaved,
    refused: refusedUnit, acknowledged, entered: () => { if (!paused) turns.fetch(); },
  });
  comments = new Comments({ path: studyPath(study, "/comments"), store: `fewlabels:comments:${study}:${person}`, person, refused: refusedUnit });
  turns = new Turns({ path: studyPath(study, "/turns"), adjudicates, outbox, comments, arrived, failed });
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
  if (turns) { turns.off.clear(); turns.line = turns.line.slice(0, turns.place).filter(turn => turn.answers); turns.place = turns.line.length; }
  stage("empty", "This study is open in another tab; continue labeling there.", here, "Label here instead");
}

function acknowledged(data) {
  showProgress(data.progress);
  if (shown === null && !paused && turns.dry && !outbox.size) end();
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
  if (shown === null) return turns.dry ? end() : stage("waiting", "Getting the next unit.");
  at("unit").replaceChildren(...shownUnit(study, sheet, shown));
  at("unit").scrollTop = 0;
  at("unit-name").textContent = shown.unit;
  choices.show(shown.answers ?? {});
  stage("unit");
  at("keep").hidden = !shown.answers;
  at("later").disabled = Boolean(shown.answers);
  at("commented").hidden = !comments.of(shown);
  since = performance.now();
  hiddenFor = 0;
}

/* There is no unit for this person: why, and what comes next. Answers that were not sent yet come first, as they may change that. */
async function end() {
  if (outbox.size) return stage("waiting", "Saving the last answers.");
  if (at("instead-heading").hidden) stage("waiting", "Nothing to label now.", () => turns.fetch(), "Check again");
  const answer = await talk("GET", studyPath(study, `/rest?adjudicates=${adjudicates}`));
  if (shown !== null || paused || !turns.dry || !answer.ok) return;
  stage("empty", "", () => turns.fetch(), "Check again");
  showEnd(answer.data, { adjudicates, isOnline: sheet.is_online });
}

/* The unit has all its answers: they go into the outbox, and the next unit is shown. */
function answered(note = null) {
  const turn = shown;
  const given = { ...choices.given };
  const seconds = Math.max(0, Math.round(performance.now() - since - hiddenFor)) / 1000;
  const changed = JSON.stringify(turn.answers) !== JSON.stringify(given) || (note !== null && note !== turn.note);
  Object.assign(turn, { answers: given, note });
  at("message").textContent = "";
  turns.next();
  if (changed) outbox.put({ unit: turn.unit, answers: given, at: new Date().toISOString(), seconds, ...(note === null ? {} : { note }) });
  show(); // after the answer is in the outbox: the end of the queue waits for it
  prefetchImages(study, sheet, turns.line.slice(turns.place + 1, turns.place + 4));
}

function undo() {
  if (paused || !turns.previous()) return;
  show();
  announce("Back at the previous unit. A new answer replaces the old one.");
}

function clicked(row, answer, event) {
  if (shown === null || (event.detail > 0 && performance.now() - since < TOO_SOON)) return;
  if (choices.choose(row, answer)) timed(event, () => answered());
}

/* Asks why, then records the unit as one without a usable answer. */
function leaveOut() {
  if (shown === null || paused) return;
  const turn = shown;
  askReason((reason, event) => {
    if (shown !== turn) return announce("That unit was given to someone else in the meantime.");
    choices.skip();
    timed(event, () => answered(reason));
  });
}

function later() {
  if (shown === null || paused) return;
  if (shown.answers) return announce("This unit has your answer. Give another one, or keep it.");
  turns.later();
  show();
  announce(sheet.is_online ? "Put off. The study moves past that unit only once it is answered." : "Put off. It comes back after the other units.");
}

function comment() {
  if (shown === null || paused) return;
  const turn = shown;
  askComment(comments.of(turn), text => {
    comments.put(turn, text);
    if (shown === turn) at("commented").hidden = !text;
  });
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
const isTyped = target => Boolean(target.closest?.(TYPED)) && !target.closest("dialog:not([open])"); // just closed by Esc
const ACTS = { l: later, o: leaveOut, s: leaveOut, c: comment, z: () => zoom(document.querySelector("#unit img")) };

function pressed(event) {
  if (isOpen() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyped(event.target)) return;
  if (event.repeat) {
    if (event.key === "Enter" && event.target.closest?.(PRESSED)) event.preventDefault();
    return;
  }
  const key = event.key.toLowerCase();
  if (key === "u") return undo();
  if (key === "?") return showKeys();
  if (key === "i") return void (at("instructions").open = !at("instructions").open);
  if (shown === null || paused) return;
  if (ACTS[key]) {
    event.preventDefault(); // the letter must not end up in the dialog
    return ACTS[key]();
  }
  if (key === "arrowdown" || key === "arrowup") return void (event.target.closest?.(".box") || choices.move(key === "arrowdown" ? 1 : -1));
  if (key === "enter" && !event.target.closest?.(PRESSED) && choices.complete) return timed(event, () => answered());
  const answer = choices.answerOf(key);
  if (answer === null) return;
  event.preventDefault();
  if (choices.choose(choices.active, answer)) timed(event, () => answered());
}

function listen() {
  document.addEventListener("keydown", pressed);
  at("undo").addEventListener("click", undo);
  at("later").addEventListener("click", event => { if (!(event.detail > 0 && performance.now() - since < TOO_SOON)) later(); });
  at("skip").addEventListener("click", leaveOut);
  at("comment").addEventListener("click", comment);
  at("keys").addEventListener("click", showKeys);
  at("keep").addEventListener("click", event => { if (shown && choices.complete) timed(event, () => answered()); });
  listenToDialogs();
  addEventListener("online", () => { outbox.kick(); comments.flush(); turns.fetch(); showSaved(outbox); });
  addEventListener("offline", () => showSaved(outbox));
  addEventListener("beforeunload", event => { if (outbox.size || comments.size) event.preventDefault(); });
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
  if (comments.size) comments.flush();
  if (!paused && !outbox.halted) turns.renew();
}

showNotice("");
rememberInstructions(study);
start();
