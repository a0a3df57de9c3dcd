/* The questions of a unit: a row of buttons for each, and the keys that press them. */

const WORDS = { yes: "Yes", no: "No", cannot_tell: "Cannot tell", skipped: "Left out" };
const LETTERS = { y: "yes", n: "no" }; // of yes-or-no questions only: a class might begin with either

export class Choices {
  constructor({ place, sheet, chosen }) {
    this.questions = sheet.questions;
    this.keys = keysOf(sheet.answers);
    this.letters = sheet.answers.join() === "yes,no" ? LETTERS : {};
    this.chosen = chosen;
    this.given = {};
    this.active = 0;
    this.fields = this.questions.map((question, row) => this.row(question, row, sheet));
    place.replaceChildren(...this.fields.map(field => field.set));
  }

  row(question, row, sheet) {
    const set = document.createElement("fieldset");
    set.className = "question";
    const legend = document.createElement("legend");
    legend.dir = "auto";
    legend.className = "theirs";
    legend.textContent = asked(question, sheet);
    const choices = document.createElement("div");
    choices.className = "choices";
    const buttons = [...this.keys].map(([key, answer]) => this.button(key, answer, row));
    choices.append(...buttons);
    set.append(legend, choices);
    return { set, buttons };
  }

  button(key, answer, row) {
    const made = document.createElement("button");
    made.type = "button";
    made.dataset.answer = answer;
    made.setAttribute("aria-pressed", "false");
    const caps = [key, ...Object.keys(this.letters).filter(letter => this.letters[letter] === answer)].filter(Boolean);
    if (caps.length) made.setAttribute("aria-keyshortcuts", caps.join(" "));
    if (answer === "cannot_tell") made.className = "lesser";
    const words = document.createElement("span");
    words.dir = "auto";
    words.className = "theirs";
    words.textContent = WORDS[answer] ?? answer;
    made.append(words);
    for (const one of caps) {
      const cap = document.createElement("kbd");
      cap.setAttribute("aria-hidden", "true");
      cap.textContent = one;
      made.append(cap);
    }
    made.addEventListener("click", event => this.chosen(row, answer, event));
    return made;
  }

  /* Shows what was answered already, or nothing. */
  show(given) {
    this.given = { ...given };
    const first = this.questions.findIndex(question => !(question in this.given));
    this.activate(Math.max(0, first));
  }

  activate(row) {
    this.active = row;
    this.fields.forEach(({ set, buttons }, i) => {
      const answer = this.given[this.questions[i]];
      set.classList.toggle("active", i === row && this.questions.length > 1);
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.answer === answer));
    });
  }

  /* Notes an answer; returns true when every question has one and none is left below. */
  choose(row, answer) {
    const again = this.complete;
    this.given[this.questions[row]] = answer;
    const open = this.questions.findIndex(question => !(question in this.given));
    this.activate(open >= 0 ? open : Math.min(row + 1, this.questions.length - 1));
    return open < 0 && (!again || row === this.questions.length - 1);
  }

  /* Leaves out the questions that have no answer yet, or all if each has one. */
  skip() {
    const all = this.complete;
    for (const question of this.questions) this.given[question] = all ? "skipped" : this.given[question] ?? "skipped";
  }

  get complete() {
    return this.questions.every(question => question in this.given);
  }

  answerOf(key) {
    return this.keys.find(([one]) => one === key)?.[1] ?? this.letters[key] ?? null;
  }

  move(step) {
    if (this.questions.length > 1) this.activate((this.active + step + this.questions.length) % this.questions.length);
  }
}

/* Yes, no, cannot tell are 1, 2, 3; classes 1 to 9 in order, and cannot tell 0. Further classes have a button but no key. */
function keysOf(answers) {
  const two = answers.length <= 2;
  return [...answers.map((answer, i) => [i < 9 ? String(i + 1) : "", answer]), [two ? "3" : "0", "cannot_tell"]];
}

function asked(question, sheet) {
  if (sheet.questions.length > 1) return question;
  if (sheet.ask) return sheet.ask;
  return sheet.answers.length > 2 ? "Which of these is it?" : "Yes or no?";
}
