/* What the page says when there is no unit to show: all are labeled, others are to label, or the study is closed. No number but the person's own. */

import { at, number } from "../talk.js";

const LABELING = {
  "no plan": ["There is no plan yet", "Units appear here once an owner has locked the plan."],
  open: ["Units are open again", "They were put off, or somebody has given them back."],
  waiting: ["Nothing for you now", "The units that are still open are with other people, or need a second look by somebody else. What comes back appears here by itself."],
  closed: ["Labeling is closed", "An owner has closed it. Units without an answer are counted as never answered."],
  finished: ["All units are labeled", "The owner of the study reads the results."],
};
const ADJUDICATING = {
  ...LABELING,
  waiting: ["Nothing for you now", "The units on which labelers disagree are with other people. What comes back appears here by itself."],
  finished: ["No disagreement is open", "Units on which labelers disagree appear here by themselves."],
};
const OWNERS = {
  look: "The look is open.",
  none: "The look is not open yet: the results say what is missing.",
};

/* Shows it. `label` is the word of the button that looks again. */
export function showEnd({ rest, told, elsewhere, look }, { adjudicates, isOnline }) {
  const [heading, words] = (adjudicates ? ADJUDICATING : LABELING)[rest];
  const ended = !adjudicates && ["finished", "closed"].includes(rest);
  const more = ended && look !== null ? (look ? OWNERS.look : OWNERS.none) : rest === "waiting" && isOnline ? "The next step of this study waits for them." : "";
  at("instead-heading").textContent = heading;
  at("instead-words").textContent = ended && look !== null && rest === "finished" ? more : [words, more].filter(Boolean).join(" ");
  at("instead-told").textContent = told === 1 ? "You have answered 1 unit." : `You have answered ${number(told)} units.`;
  at("instead-results").hidden = !(ended && look !== null);
  at("instead-studies").replaceChildren(...elsewhere.map(linked));
  at("instead-elsewhere").hidden = !elsewhere.length;
  at("instead-told").hidden = !told;
  at("instead-heading").hidden = false;
}

/* Before another sentence is shown there. */
export function hideEnd() {
  for (const id of ["instead-heading", "instead-told", "instead-results", "instead-elsewhere"]) at(id).hidden = true;
}

function linked(study) {
  const line = document.createElement("li"), link = document.createElement("a");
  link.href = `/studies/${encodeURIComponent(study)}/label`;
  link.dir = "auto";
  link.className = "theirs";
  link.textContent = study;
  line.append(link);
  return line;
}
