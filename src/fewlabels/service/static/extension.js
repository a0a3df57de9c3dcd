/* Another classifier: what the labels already show of it, and adding it. */

import { send } from "./forms.js";
import { at, number, problem, studyPath, talk } from "./talk.js";

const study = at("study").dataset.study;
const form = at("extension");
let scores = [];

async function load() {
  const answer = await talk("GET", studyPath(study, "/columns"), undefined, { timeout: 120_000 });
  if (!answer.ok) return void (form.querySelector("[role=alert]").textContent = problem(answer));
  ({ scores } = answer.data);
  const options = [...scores.map(one => new Option(one.column, one.column)), ...answer.data.decisions.map(column => new Option(`${column} (decisions)`, column))];
  at("column").replaceChildren(...options);
  chosen();
}

/* A score needs a threshold; a column of decisions has none. */
function chosen() {
  const score = scores.find(one => one.column === at("column").value);
  at("threshold").disabled = !score;
  at("threshold").value = score?.threshold ?? "";
  at("limits").textContent = score ? `Scores from ${score.low} to ${score.high}.` : "Decisions need no threshold.";
}

/* A goal that names no classifier is about the new one. */
function goals(name) {
  const lines = at("goals").value.split("\n").map(line => line.trim()).filter(Boolean);
  const old = at("compare").value;
  const compared = old ? [`${at("metric").value} >= 0 for ${name} over ${old}`] : [];
  return [...compared, ...lines.map(line => (/ for /.test(line) ? line : line.replace(/ in | by |$/, part => ` for ${name}${part}`)))];
}

function said() {
  const name = at("name").value.trim(), column = at("column").value;
  const score = scores.find(one => one.column === column);
  const made = score ? { name, score: column, threshold: Number(at("threshold").value), score_range: [score.low, score.high] } : { name, predicted: column };
  return { classifiers: [made], goals: goals(name) };
}

function show({ held, total, added, goals: served }) {
  at("shown").hidden = false;
  at("enough").textContent = !served.length ? `${number(held)} labels can be read for it. No goal asks for more.`
    : total === null ? "Not even all units would settle every goal: ask for less."
    : added ? `${number(added)} more labels settle every goal, ${number(total)} in all.` : `The ${number(held)} labels there are settle every goal.`;
  at("reused").hidden = !served.length;
  at("reused").tBodies[0].replaceChildren(...served.map(one => {
    const row = document.createElement("tr"), head = document.createElement("th");
    head.scope = "row";
    head.className = "theirs";
    head.textContent = one.goal;
    const cells = [["drawn units that serve it", number(one.serving)], ["half-width they give", one.already ? one.already.half_width.toFixed(3) : "–"], ["labels from scratch", one.alone === null ? "–" : number(one.alone)]];
    row.append(head, ...cells.map(([name, text]) => cell(name, text)));
    return row;
  }));
  at("budget").value = total ?? held;
  at("shown").scrollIntoView({ block: "nearest" });
}

function cell(name, text) {
  const made = document.createElement("td");
  made.dataset.name = name;
  made.textContent = text;
  return made;
}

form?.addEventListener("submit", async event => {
  event.preventDefault();
  event.stopPropagation();
  const data = await send(form, said());
  if (data) show(data);
});

at("add")?.addEventListener("submit", async event => {
  event.preventDefault();
  event.stopPropagation();
  if (await send(at("add"), { ...said(), budget: Number(at("budget").value) })) location.assign(`/studies/${encodeURIComponent(study)}`);
});

at("column")?.addEventListener("change", chosen);
form?.addEventListener("input", () => { at("shown").hidden = true; });
load();
