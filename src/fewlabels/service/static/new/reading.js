/* How the table is read: the id, weight, slices and classifiers, proposed with their reasons. */

import { at } from "../talk.js";
import { fill, hint, made } from "./dom.js";

const NUMBERS = new Set(["int", "float32", "float64"]);
let seen = null;
let changed = () => {};
let counted = 0;

export function start(told) {
  changed = told;
  at("add-classifier").addEventListener("click", () => {
    const used = classifiers().map(one => one.score);
    const next = seen.scores.find(one => !used.includes(one.column));
    addClassifier(next ? { name: next.column, score: next.column } : {}).querySelector("[data-of=name]").focus();
    changed();
  });
  for (const id of ["id-column", "weight"]) at(id).addEventListener("change", () => { reasons(); changed(); });
  for (const id of ["guide", "cluster"]) at(id).addEventListener("change", changed);
}

/* Proposes for a new table; what `wanted` names is taken where the table has it. */
export function propose(table, wanted) {
  seen = table;
  const names = table.columns.map(one => one.name);
  const has = name => name !== null && name !== undefined && names.includes(name);
  const every = names.map(name => [name, name]);
  const none = (words, options = every) => [["", words], ...options];
  fill(at("id-column"), every, has(wanted.id) ? wanted.id : table.ids[0]?.column ?? names[0]);
  fill(at("weight"), none("nothing: each counts once", numbers()), has(wanted.weight) ? wanted.weight : table.weights.find(one => one.chosen)?.column ?? "");
  fill(at("guide"), none("the first classifier's score", numbers()), has(wanted.guide) ? wanted.guide : "");
  fill(at("cluster"), none("nothing"), has(wanted.cluster) ? wanted.cluster : "");
  at("more-reading").open = Boolean(at("guide").value || at("cluster").value);
  at("classifiers").replaceChildren();
  for (const one of wanted.classifiers?.length ? wanted.classifiers : [first()]) addClassifier(one);
  showSlices(wanted.slices);
  reasons();
}

const numbers = () => seen.columns.filter(one => NUMBERS.has(one.type)).map(one => [one.name, one.name]);

function first() {
  const [score] = seen.scores;
  if (score) return { name: "classifier", score: score.column };
  return { name: "classifier", predicted: seen.decisions[0]?.column ?? null };
}

function reasons() {
  const why = (list, value) => list.find(one => one.column === value)?.reason ?? "";
  hint(at("id-column-hint"), why(seen.ids, at("id-column").value));
  const weights = seen.weights.map(one => `${one.column} could be: ${one.reason}`).join("; ");
  hint(at("weight-hint"), at("weight").value ? why(seen.weights, at("weight").value) || "For metrics such as recall by amount." : weights);
}

function showSlices(wanted) {
  const names = new Set(seen.columns.map(one => one.name));
  const kept = (wanted ?? []).filter(name => names.has(name));
  const known = new Map(seen.slices.map(one => [one.column, one]));
  const listed = [...new Set([...known.keys(), ...kept])];
  at("slices").replaceChildren(...listed.map((name, i) => {
    const box = made("input", { type: "checkbox", value: name, id: `slice-${i}` });
    box.checked = wanted ? kept.includes(name) : known.get(name)?.chosen ?? false;
    box.addEventListener("change", changed);
    return made("label", { class: "chip", for: `slice-${i}` }, box, made("span", {}, made("bdi", { text: name }), made("span", { class: "hint", text: known.get(name)?.reason ?? "" })));
  }));
  if (!listed.length) at("slices").append(made("p", { class: "soft", text: "No column has a few values that repeat." }));
}

/* One classifier. What the page does not show of an earlier study's (a question, a class, a vote) is kept as it was. */
function addClassifier({ name = "", score = null, threshold = null, predicted = null, score_range: range = null, ...kept }) {
  const row = at("classifier-row").content.firstElementChild.cloneNode(true);
  const of = part => row.querySelector(`[data-of=${part}]`);
  counted += 1;
  for (const field of row.querySelectorAll(".field")) {
    const [label, control] = [field.querySelector("label"), field.querySelector("input, select")];
    control.id ||= `classifier-${counted}-${field.dataset.part}`;
    if (label) label.htmlFor = control.id;
  }
  row.kept = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && !value.length)));
  of("name").value = name;
  fill(of("score"), numbers(), score ?? seen.scores[0]?.column);
  missing(of("score"), score);
  const decisions = seen.columns.filter(one => ["bool", "int", "text"].includes(one.type)).map(one => [one.name, one.name]);
  fill(of("predicted"), decisions, predicted ?? seen.decisions[0]?.column);
  missing(of("predicted"), predicted);
  of("kind").value = predicted && threshold === null ? "predicted" : "score";
  limits(row, threshold, range);
  shape(row);
  of("score").addEventListener("change", () => { limits(row); shape(row); changed(); });
  of("kind").addEventListener("change", () => { shape(row); changed(); });
  of("predicted").addEventListener("change", () => { shape(row); changed(); });
  of("name").addEventListener("input", changed);
  of("remove").addEventListener("click", () => { row.remove(); number(); changed(); at("add-classifier").focus(); });
  at("classifiers").append(row);
  number();
  return row;
}

/* A column that an earlier study read and this table does not have stays visible, so that the refusal has its place. */
function missing(select, name) {
  if (!name || seen.columns.some(one => one.name === name)) return;
  select.add(new Option(`${name} (not in this table)`, name), 0);
  select.value = name;
}

function limits(row, threshold = null, range = null) {
  const of = part => row.querySelector(`[data-of=${part}]`);
  const proposed = seen.scores.find(one => one.column === of("score").value);
  const [low, high] = range ?? (proposed ? [proposed.low, proposed.high] : [0, 1]);
  of("low").value = low;
  of("high").value = high;
  of("threshold").value = threshold ?? proposed?.threshold ?? (low + high) / 2;
}

function shape(row) {
  const of = part => row.querySelector(`[data-of=${part}]`);
  const part = name => row.querySelector(`[data-part=${name}]`);
  const scored = of("kind").value === "score";
  const proposed = seen.scores.find(one => one.column === of("score").value);
  for (const name of ["score", "threshold", "score_range"]) part(name).hidden = !scored;
  part("predicted").hidden = scored;
  hint(of("reason"), proposed?.reason ?? columnWords(of("score").value));
  hint(of("predicted-reason"), seen.decisions.find(one => one.column === of("predicted").value)?.reason ?? "");
  const said = [row.kept.value && `class ${row.kept.value}`, row.kept.of && `a vote of ${row.kept.of.join(", ")}`, row.kept.question && row.kept.question !== "positive" && `question: ${row.kept.question}`];
  hint(of("kept"), said.filter(Boolean).join("; "));
}

function columnWords(name) {
  const column = seen.columns.find(one => one.name === name);
  return column && column.low !== null ? `numbers from ${column.low} to ${column.high}` : "";
}

/* Numbers the classifiers, and names the fields of each. */
function number() {
  const rows = [...at("classifiers").children];
  rows.forEach((row, i) => {
    row.querySelector("legend").textContent = `Classifier ${i + 1}`;
    row.dataset.field = `population.classifiers.${i}`;
    for (const field of row.querySelectorAll("[data-part]")) field.dataset.field = `population.classifiers.${i}.${field.dataset.part}`;
    row.querySelector("[data-of=remove]").hidden = rows.length < 2;
  });
}

export function classifiers() {
  return [...at("classifiers").children].map(row => {
    const of = part => row.querySelector(`[data-of=${part}]`).value.trim();
    if (row.kept.of) return { name: of("name"), ...row.kept };
    if (of("kind") === "predicted") return { name: of("name"), predicted: of("predicted"), ...row.kept };
    const figures = part => (of(part) === "" ? null : Number(of(part)));
    return { name: of("name"), score: of("score"), threshold: figures("threshold"), score_range: [figures("low") ?? 0, figures("high") ?? 1], ...row.kept };
  });
}

export const slices = () => [...at("slices").querySelectorAll("input:checked")].map(box => box.value);

export function population(source) {
  const some = Object.fromEntries(["weight", "guide", "cluster"].filter(id => at(id).value).map(id => [id, at(id).value]));
  return { source, id: at("id-column").value, classifiers: classifiers(), slices: slices(), ...some };
}

/* The columns that labelers must not see. */
export function hidden() {
  const judged = classifiers().flatMap(one => [one.score, one.predicted]);
  return new Set([...judged, at("guide").value].filter(Boolean));
}
