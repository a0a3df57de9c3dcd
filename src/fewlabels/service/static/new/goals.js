/* The goals: picked or typed, read by the server at once, and said in words. */

import { at, talk } from "../talk.js";
import { button, fill, made } from "./dom.js";
import { blame, clear } from "./problems.js";

const PAUSE = 300;
const USUAL = { ">=": "0.9", "<=": "0.1", "+-": "0.05" };
let context = () => ({});
let timer = 0;
let asked = 0;
let counted = 0;

export function start(given) {
  context = given;
  at("add-goal").addEventListener("click", () => { addGoal(built()); check(); });
  at("type-goal").addEventListener("click", () => addGoal("").querySelector("input").focus());
  at("comparison").addEventListener("change", () => { at("target").value = USUAL[at("comparison").value]; });
  for (const id of ["about", "level"]) at(id).addEventListener("change", check);
}

export const goals = () => [...at("goals").children].map(row => row.querySelector("input").value.trim()).filter(Boolean);

export function setGoals(texts) {
  at("goals").replaceChildren();
  for (const text of texts) addGoal(text);
}

/* What can be picked, once classifiers or slices change. */
export function offer({ classifiers, slices, weight }) {
  fill(at("of"), [...classifiers.map(name => [name, name]), ["each", "each classifier"]]);
  at("of-field").hidden = classifiers.length < 2;
  fill(at("where"), [["", "all units"], ...slices.map(name => [name, `every ${name}`])]);
  fill(at("by-weight"), [["", "units"], ...(weight ? [[weight, weight]] : [])]);
  at("by-weight-field").hidden = !weight;
}

function built() {
  const by = at("by-weight").value ? ` by ${at("by-weight").value}` : "";
  const sign = at("comparison").value, of = at("of-field").hidden ? "" : ` for ${at("of").value}`;
  const where = at("where").value ? ` in every ${at("where").value}` : "";
  return `${at("metric").value}${by} ${sign}${sign === "+-" ? "" : " "}${at("target").value}${of}${where}`;
}

function addGoal(text) {
  const id = `goal-${++counted}`;
  const input = made("input", { id, maxlength: "200", autocomplete: "off", spellcheck: "false", "aria-label": "Goal", "aria-describedby": `${id}-words` });
  input.value = text;
  const row = made("li", { class: "goal" }, made("div", { class: "line" }, input, button("Remove", () => { row.remove(); check(); at("type-goal").focus(); }, { class: "quiet", "aria-label": "Remove this goal" })),
    made("p", { class: "hint", id: `${id}-words` }), made("p", { class: "field-problem", hidden: true }), made("p", { class: "ways", hidden: true }));
  input.addEventListener("input", later);
  at("goals").append(row);
  number();
  return row;
}

const number = () => [...at("goals").children].forEach((row, i) => { row.dataset.field = `goals.${i}`; });

function later() {
  clearTimeout(timer);
  timer = setTimeout(check, PAUSE);
}

/* Asks the server how it reads the goals; an answer that was overtaken by another question is dropped. */
export async function check() {
  clearTimeout(timer);
  number();
  const rows = [...at("goals").children].filter(row => row.querySelector("input").value.trim());
  if (!rows.length) return;
  const mine = ++asked;
  const answer = await talk("POST", "/api/goals", { goals: rows.map(row => row.querySelector("input").value.trim()), ...context(), level: Number(at("level").value), about: at("about").value });
  if (!answer.ok || mine !== asked) return;
  answer.data.goals.forEach((read, i) => show(rows[i], read));
}

function show(row, read) {
  clear(row);
  row.querySelector(".hint").textContent = read.words ?? "";
  const ways = row.querySelector(".ways");
  ways.replaceChildren(...(read.ways ?? []).map(way => button(way, () => { row.querySelector("input").value = way; check(); })));
  ways.hidden = !read.ways?.length;
  if (read.error) blame(row.dataset.field, read.error, { focus: false });
}
