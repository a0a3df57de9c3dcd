/* The planning page: drag labels, positives and level and the interval narrows; then lock a plan, and write the labeling form. */

import { band, curve } from "./charts.js";
import { send } from "./forms.js";
import { at, number, problem, studyPath, talk } from "./talk.js";
import { curvesOf, exact, expected, labelsAt, outlook, pictured, sentences, shareOf, together } from "./widths.js";

const study = at("study").dataset.study;
const TONES = { ship: "good", "do-not-ship": "bad", "label-more": "warn" };
const points = x => (100 * x).toFixed(x < 0.01 ? 2 : 1);
const say = (id, text) => { at(id).textContent = text; };
let picture = null;
let opened = null; // the labels that the page opens with, until the slider moves

async function load() {
  const answer = await talk("GET", studyPath(study, "/picture"), undefined, { timeout: 600_000 });
  if (!answer.ok) return say("picture-state", `${problem(answer)} A plan can be locked without the picture.`);
  ({ picture } = answer.data);
  at("picture-state").hidden = true;
  if (answer.data.sizes) showSizes(answer.data.sizes);
  if (!picture) return say("picture-state", "These goals have no picture; their sizes are in the table.");
  picture.goals.forEach((goal, i) => at("goal").add(new Option(goal.goal, i)));
  if (at("population")) say("population", `${number(picture.units)} units, ${number(picture.flagged)} flagged (${points(picture.flagged / picture.units)} %)`);
  at("picture").hidden = false;
  at("goal").addEventListener("change", chooseGoal);
  at("labels").addEventListener("input", () => { opened = null; at("budget").value = state().n; });
  for (const id of ["labels", "factor", "level", "cost", "seconds"]) at(id).addEventListener("input", show);
  say("together", together(picture));
  say("of", curvesOf(picture));
  at("budget").addEventListener("input", typedBudget);
  matchMedia("(max-width: 35rem)").addEventListener("change", show);
  at("level").value = nearestLevel(answer.data.level);
  chooseGoal();
}

const nearestLevel = level => (level === undefined ? 2 : picture.levels.reduce((best, one, i) => (Math.abs(one - level) < Math.abs(picture.levels[best] - level) ? i : best), 0));

function state() {
  const goal = picture.goals[Number(at("goal").value)];
  const n = opened || labelsAt(goal, Number(at("labels").value) / 1000);
  return { goal, ...expected(goal, n, Number(at("level").value), Number(at("factor").value) / 100) };
}

function show() {
  const now = state(), { goal } = now;
  say("labels-out", number(now.n));
  say("factor-out", `${points(now.positives)} %`);
  say("level-out", picture.levels[now.level].toFixed(2));
  const forecast = exact(picture, goal, now);
  const { tone, text } = outlook(goal, now, picture.thin_n_eff, forecast);
  say("verdict", picture.goals.length > 1 ? `${goal.goal}: ${text[0].toLowerCase()}${text.slice(1)}` : text);
  at("outlook").className = `banner ${TONES[tone]}`;
  const [shown, needs] = sentences(goal, now, forecast);
  say("sentence", shown);
  say("next", needs);
  say("price", price(now.n, now.needed, now.neededUniform));
  say("together", now.n === picture.shown_at ? together(picture) : `${number(now.n)} labels: ${picture.goals.map((_, i) => outlookOf(now.n, i)).join("; ")}.`);
  band(at("band"), goal, pictured(now, forecast));
  curve(at("curve"), goal, now);
}

/* What the labels cost, in money and in labeling hours. */
function price(...sizes) {
  const [cost, seconds] = [Number(at("cost").value), Number(at("seconds").value)];
  const names = ["this budget", "chosen for the goal", "uniform for the goal"];
  const parts = sizes.map((n, i) => n !== null && `${names[i]} ${[cost > 0 && money(n * cost), seconds > 0 && hours(n * seconds)].filter(Boolean).join(" and ")}`);
  return cost > 0 || seconds > 0 ? `Cost: ${parts.filter(Boolean).join("; ")}.` : "";
}
const money = x => x.toLocaleString("en", { maximumFractionDigits: x < 100 ? 2 : 0 });
const hours = s => (s < 5400 ? `${Math.max(1, Math.round(s / 60))} minutes` : `${(s / 3600).toFixed(1)} hours`);

function chooseGoal() {
  const { goal } = state();
  opened = Number(at("budget").value) || picture.shown_at || goal.needed || labelsAt(goal, 0.5);
  at("labels").value = Math.round(1000 * shareOf(goal, opened));
  if (picture.levels.includes(goal.level)) at("level").value = picture.levels.indexOf(goal.level);
  if (!at("budget").value) at("budget").value = state().n;
  show();
}

function typedBudget() {
  const n = Number(at("budget").value);
  opened = n > 0 ? n : null;
  if (n > 0) at("labels").value = Math.round(1000 * shareOf(state().goal, n));
  show();
}

function showSizes(sizes) {
  const rows = sizes.goals.map(one => [one.goal, one.labels, one.worst, one.simple, one.uniform]);
  if (rows.length > 1) rows.push(["one draw, each with its own chance", sizes.together, null, null, sizes.uniform]);
  rows.push([rows.length > 1 ? "one draw, all with a chance of 80 %" : "with a chance of 80 %", sizes.for_all, null, null, null]);
  const names = ["goal", "chosen", "at worst", "simple draw", "uniform"];
  at("sizes").replaceChildren(...rows.map(row => {
    const line = document.createElement("tr");
    row.forEach((value, i) => {
      const cell = document.createElement(i ? "td" : "th");
      if (i) cell.dataset.name = names[i];
      else cell.scope = "row";
      cell.textContent = i ? (value === null || value === undefined ? "–" : number(value)) : value;
      line.append(cell);
    });
    return line;
  }));
}

/* The labeling form: rows of columns. */
function addColumn({ column = "", kind = "text" } = {}) {
  const row = at("column-row").content.firstElementChild.cloneNode(true);
  row.querySelector("[data-part=column]").value = column;
  row.querySelector("[data-part=kind]").value = kind;
  row.querySelector("[data-part=remove]").addEventListener("click", () => { row.remove(); at("add-column").focus(); });
  at("columns").append(row);
  return row;
}

function sheet() {
  const form = at("sheet-form");
  const kept = JSON.parse(at("sheet-data").textContent);
  for (const one of kept.length ? kept : [{}]) addColumn(one);
  at("add-column").addEventListener("click", () => addColumn().querySelector("input").focus());
  form.addEventListener("submit", async event => {
    event.preventDefault();
    event.stopPropagation();
    const part = (row, name) => row.querySelector(`[data-part=${name}]`).value.trim();
    const show = [...at("columns").children].map(row => ({ column: part(row, "column"), kind: part(row, "kind") }));
    say("sheet-told", "");
    const words = { ask: at("ask").value.trim(), instructions: at("instructions-text").value.trim() };
    if (await send(form, { show, ...words, check_every: Number(at("check-every").value) })) say("sheet-told", "The labeling form is saved. Labelers see it with the next unit.");
  });
}

function sureWords() {
  const n = Number(at("budget").value), grow = Number(at("grow_to")?.value);
  say("sure-words", `${number(n)} labels${grow > 0 ? `, declared to grow to ${number(grow)}` : ""}`);
  if (at("stopping")) say("sure-looks", at("stopping").selectedOptions[0].textContent);
  if (picture) say("sure-expected", n === picture.shown_at ? together(picture) : picture.goals.map((_, i) => outlookOf(n, i)).join("; "));
}

/* What another budget than the forecast one should show of a goal; of the one on the page if none is named. */
function outlookOf(n, i = Number(at("goal").value)) {
  const { level, f } = state(), goal = picture.goals[i];
  const now = { goal, ...expected(goal, n, level, f) };
  return `${goal.goal}: ${outlook(goal, now, picture.thin_n_eff, exact(picture, goal, now)).text.toLowerCase()}`;
}

at("fix").addEventListener("submit", sureWords, { capture: true });
if (at("sheet-form")) sheet();
const more = () => { if (location.hash === "#more-labels" && at("more-labels")) at("more-labels").open = true; };
addEventListener("hashchange", more);
setTimeout(more);
if (at("more-labels")) at("more-labels").addEventListener("toggle", load, { once: true });
else load();
