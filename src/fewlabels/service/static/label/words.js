/* What the labeling page says about itself: progress, whether answers are saved, and what went wrong. */

import { at, number } from "../talk.js";
import { hideEnd } from "./ending.js";

const TROUBLE = { waiting: 1, left: 1, "someone else": 1, stopped: 1 };
let spoken = "", again = null;

/* Shows the unit, or a sentence in its place with a button. */
export function stage(what, words = "", act = null, label = "Try again") {
  hideEnd();
  for (const id of ["work", "questions"]) at(id).hidden = what !== "unit";
  for (const id of ["later", "skip", "comment"]) at(id).disabled = what !== "unit";
  if (what !== "unit") at("keep").hidden = true;
  at("instead").hidden = what === "unit";
  at("instead-words").textContent = words;
  at("instead-act").hidden = act === null;
  at("instead-act").textContent = label;
  at("instead-act").onclick = act;
}

export function showProgress(progress) {
  if (!progress) return;
  at("told").textContent = number(progress.told);
  at("resolved").textContent = number(progress.resolved);
  at("planned").textContent = number(progress.planned);
  at("meter").max = Math.max(1, progress.planned);
  at("meter").value = progress.resolved;
}

/* "Saved" beside the buttons; a banner shows what is held back, and why. */
export function showSaved(outbox) {
  const n = outbox.size, answers = n === 1 ? "1 answer" : `${number(n)} answers`;
  const state = !navigator.onLine && n ? "waiting" : outbox.state;
  at("saved").textContent = n === 0 ? "saved" : TROUBLE[state] ? `${answers} not saved yet` : `saving ${number(n)}`;
  clearTimeout(again);
  if (TROUBLE[state]) {
    showNotice(NOTICES[state](answers, outbox.why, n));
  } else {
    showNotice("");
    if (n === 0) again = setTimeout(() => speak("All answers are saved."), 1500);
  }
}

const NOTICES = {
  waiting: (answers, why, n) =>
    n ? `${navigator.onLine ? "No connection to the server" : "You are offline"}${why ? ` (${why})` : ""}: ${answers} kept in this tab, and sent as soon as it is back. Keep the tab open; you can continue with the units already loaded.` : "",
  left: (answers, why, n) =>
    `Your session has ended.${n ? ` ${answers} kept in this tab.` : ""} Open a new sign-in link in another tab, then come back to this one${n ? "; the answers are sent then" : ""}.`,
  "someone else": answers => `Someone else has signed in with this browser. ${answers} of yours kept in this tab, to be sent once you have signed in again.`,
  stopped: (answers, why, n) => `${why || "You cannot label this study any more."}${n ? ` ${answers} could not be saved.` : ""}`,
};

export function showNotice(text) {
  at("notice").hidden = !text;
  if (at("notice-words").textContent !== text) at("notice-words").textContent = text;
}

/* An answer that the ledger did not accept. It is not counted, and the person should know. */
export function refusedUnit({ unit, why }) {
  const line = document.createElement("li");
  const name = document.createElement("bdi");
  name.className = "code";
  name.textContent = unit;
  line.append(name, `: ${why || "given to someone else in the meantime"}`);
  at("refused-list").append(line);
  at("refused").hidden = false;
  announce(`An answer was not recorded: ${why || "the unit was given to someone else in the meantime"}`);
}

export function announce(text) {
  at("message").textContent = text;
  speak(text);
}

/* For screen readers; the same sentence is not repeated. */
function speak(text) {
  if (text === spoken) return;
  spoken = text;
  at("spoken").textContent = text;
}
