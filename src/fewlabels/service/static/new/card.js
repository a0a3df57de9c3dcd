/* What labelers see: the columns, the question, and a row of the table as they would see it. */

import { shownUnit } from "../label/shown.js";
import { at } from "../talk.js";
import { button, fill, made } from "./dom.js";

const WORDS = { yes: "Yes", no: "No", cannot_tell: "Cannot tell" };
let table = null;
let chosen = []; // {column, kind}
let hidden = () => new Set();
let question = () => ({ questions: ["positive"], answers: ["yes", "no"] });
let row = 0;

export function start(hides, asks) {
  [hidden, question] = [hides, asks];
  at("show-more").addEventListener("change", () => {
    const column = at("show-more").value;
    if (!column) return;
    chosen.push({ column, kind: table.shown.find(one => one.column === column)?.kind ?? "text" });
    refresh();
  });
  at("next-row").addEventListener("click", () => { row = (row + 1) % Math.max(1, table.rows.length); refresh(); });
  at("ask").addEventListener("input", preview);
}

export function propose(seen, wanted) {
  table = seen;
  row = 0;
  const names = new Set(seen.columns.map(one => one.name));
  chosen = (wanted ?? seen.shown.map(({ column, kind }) => ({ column, kind }))).filter(one => names.has(one.column));
  refresh();
}

/* Again, once a column has become a score or a prediction, which nobody may see. */
export function refresh() {
  const blind = hidden();
  chosen = chosen.filter(one => !blind.has(one.column));
  at("shown").replaceChildren(...chosen.map(line));
  const shown = new Set(chosen.map(one => one.column));
  const rest = table.columns.filter(one => !shown.has(one.name) && !blind.has(one.name));
  const words = one => (one.telling ? `${one.name} (its name sounds like an answer)` : one.name);
  fill(at("show-more"), [["", "choose a column"], ...rest.map(one => [one.name, words(one)])], "");
  preview();
}

function line(one, i) {
  const kind = made("select", { "aria-label": `${one.column} is shown as` });
  kind.append(at("kinds").content.cloneNode(true));
  kind.value = one.kind;
  kind.addEventListener("change", () => { one.kind = kind.value; preview(); });
  const up = button("Up", () => { chosen.splice(i - 1, 0, ...chosen.splice(i, 1)); refresh(); }, { class: "quiet", "aria-label": `Move ${one.column} up`, disabled: i === 0 });
  const remove = button("Remove", () => { chosen.splice(i, 1); refresh(); at("show-more").focus(); }, { class: "quiet", "aria-label": `Remove ${one.column}` });
  return made("li", {}, made("bdi", { text: one.column }), kind, up, remove);
}

function preview() {
  const values = table.rows[row] ?? [];
  const content = Object.fromEntries(table.columns.map((column, i) => [column.name, values[i] ?? null]));
  const show = chosen.map(one => (one.kind === "image" ? { ...one, kind: "text" } : one)); // images are served once there is a study
  const unit = content[at("id-column").value] ?? "";
  const parts = shownUnit("", { show }, { unit, content });
  at("card").replaceChildren(...parts.map(lowered), ...(chosen.length ? [] : [made("p", { class: "soft", text: "Only the id of the unit: choose columns." })]), made("p", { class: "name" }, "unit ", made("bdi", { text: unit })));
  const { questions, answers } = question();
  at("card-question").replaceChildren(...questions.map(one => made("div", {},
    made("p", { class: "asked", dir: "auto", text: asked(one, questions.length) }),
    made("p", { class: "answers" }, ...[...answers, "cannot_tell"].map(answer => made("span", { class: "answer", dir: "auto", text: WORDS[answer] ?? answer }))))));
}

const asked = (name, many) => (many === 1 && at("ask").value.trim()) || (name === "positive" ? "Is this unit positive?" : `${at("ask").value.trim()} ${name}?`.trim());

/* The name of a column is a heading below that of the preview. */
function lowered(part) {
  return part.localName === "h2" ? made("h4", { text: part.textContent, dir: "auto" }) : part;
}

export const sheet = () => ({ show: chosen, ask: at("ask").value.trim(), instructions: at("instructions-text").value.trim() });
export const shownNow = () => chosen.map(one => ({ ...one }));
