/* The results page: live progress, the numbers when the plan allows them, and how the interval narrowed. */

import { shrank } from "./charts.js";
import { at, number, studyPath, talk } from "./talk.js";

const study = at("study").dataset.study;
const TARGET = /(>=|<=|>|<)\s*(-?[0-9.]+)/;
const WAYS = {
  afterwards: "Computed afterwards from the first labels in asking order: an illustration, not a series of looks.",
  running: "The running band, a confidence sequence: valid at every look.",
};
let seen = "", spoken = 0;

function grown(data) {
  const words = `${number(data.labels)} of ${number(data.planned)} planned units resolved`;
  at("progress-words").textContent = words;
  at("progress").max = Math.max(1, data.planned);
  at("progress").value = data.labels;
  if (Date.now() - spoken > 20_000) {
    spoken = Date.now();
    at("spoken").textContent = words;
  }
  document.body.dispatchEvent(new CustomEvent("grown"));
}

/* Reloads the numbers when they may be shown and have changed. */
function look(key) {
  if (key === seen) return;
  const first = seen === "";
  seen = key;
  if (!first || at("numbers").querySelector(".card")) document.body.dispatchEvent(new CustomEvent("look"));
  convergence();
}

async function convergence() {
  const answer = await talk("GET", studyPath(study, "/convergence"));
  const goals = answer.ok ? answer.data.convergence.goals.filter(one => one.points.length) : [];
  at("convergence-words").textContent = answer.ok ? WAYS[answer.data.convergence.kind] ?? "" : "";
  at("convergence").hidden = goals.length === 0;
  at("convergence-charts").replaceChildren();
  for (const { goal, points } of goals) {
    const heading = document.createElement("h3");
    heading.textContent = goal;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "chart");
    at("convergence-charts").append(heading, svg, asTable(goal, points));
    const target = TARGET.exec(goal);
    shrank(svg, goal, points, target ? Number(target[2]) : null);
  }
}

/* The same as a table, for those who cannot see the chart: at most twelve rows. */
function asTable(goal, points) {
  const step = Math.max(1, Math.ceil(points.length / 12));
  const chosen = points.filter((_, i) => i % step === 0 || i === points.length - 1);
  const details = document.createElement("details"), table = document.createElement("table");
  details.append(Object.assign(document.createElement("summary"), { textContent: "The same as a table" }), table);
  const row = (parent, cells, cell) => {
    const line = parent.insertRow();
    cells.forEach((text, i) => {
      const made = document.createElement(cell ?? (i ? "td" : "th"));
      if (cell || !i) made.scope = cell ? "col" : "row";
      made.textContent = text;
      line.append(made);
    });
  };
  const caption = table.createCaption();
  caption.textContent = goal;
  row(table.createTHead(), ["labels", "low", "value", "high"], "th");
  const body = table.createTBody();
  for (const p of chosen) row(body, [number(p.labels), ...[p.low, p.value, p.high].map(v => (v === null ? "–" : v.toFixed(3)))]);
  return details;
}

function watch() {
  const events = new EventSource(studyPath(study, "/events"));
  const on = (name, act) => events.addEventListener(name, event => act(JSON.parse(event.data)));
  events.addEventListener("open", () => { at("live").textContent = "live"; });
  events.addEventListener("error", () => { at("live").textContent = events.readyState === 2 ? "no longer live: reload the page" : "connection lost, retrying"; });
  on("progress", grown);
  on("look", data => look(`look ${data.plan} ${data.labels}`));
  on("running", data => look(`running ${data.labels} ${data.outcome}`));
  addEventListener("pagehide", () => events.close());
}

matchMedia("(max-width: 35rem)").addEventListener("change", convergence);
convergence();
watch();
