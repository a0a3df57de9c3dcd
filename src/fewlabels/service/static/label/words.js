/* What the labeling page says about itself: progress, whether answers are saved, and what went wrong. */

import { at, number } from "../talk.js";

const TROUBLE = { waiting: 1, left: 1, "someone else": 1, stopped: 1 };
let spoken = "", again = null;

/* Shows the unit, or a sentence in its place with a button. */
export function stage(what, words = "", act = null, label = "Try again") {
  at("work").hidden = what !== "unit";
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

/* "Saved" beside the buttons; in a banner what is kept back, and why. */
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
    n ? `${navigator.onLine ? "No connection to the server" : "You are offline"}${why ? ` (${why})` : ""}: ${answers} kept in this tab, and sent as soon as it is back. Keep the tab open; you can go on with the units that are here.` : "",
  left: (answers, why, n) =>
    `Your session has ended.${n ? ` ${answers} kept in this tab.` : ""} Open a new link for yourself in another tab, then come back to this one${n ? ": they are sent then" : ""}.`,
  "someone else": answers => `Someone else has entered in this browser. ${answers} of yours are kept in this tab, and sent once you have entered again.`,
  stopped: (answers, why, n) => `${why || "You cannot label this study any more."}${n ? ` ${answers} could not be saved.` : ""}`,
};

export function showNotice(text) {
  at("notice").hidden = !text;
  if (at("notice-words").textContent !== text) at("notice-words").textContent = text;
}

/* An answer the ledger did not take. It is not counted, and the person should know. */
export function refusedUnit({ unit, why }) {
  const line = document.createElement("li");
  const name = document.createElement("bdi");
  name.className = "code";
  name.textContent = unit;
  line.append(name, `: ${why || "given to someone else meanwhile"}`);
  at("refused-list").append(line);
  at("refused").hidden = false;
  announce(`An answer was not taken: ${why || "the unit was given to someone else meanwhile"}`);
}

export function announce(text) {
  at("message").textContent = text;
  speak(text);
}

/* For screen readers; the same sentence is not said twice in a row. */
function speak(text) {
  if (text === spoken) return;
  spoken = text;
  at("spoken").textContent = text;
}
