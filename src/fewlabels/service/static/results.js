/* The page of results. All numbers come as a whole, read from one state of the ledger; parts that are loaded later name that state, and if the
   study has gone on, the whole is read again, so that no two numbers on the page are of different states. */

import { shrank } from "./charts.js";
import "./sorting.js";
import { sortBy } from "./sorting.js";
import { at, number, studyPath } from "./talk.js";
import { slide, thresholds } from "./threshold_chart.js";

const { study, here } = at("study").dataset;
const TARGET = /(>=|<=|>|<)\s*(-?[0-9.]+)/;
const WAYS = {
  afterwards: "Computed afterwards from the first labels in asking order: an illustration, not a series of looks.",
  running: "The running band, a confidence sequence: valid at every look.",
};
const LEAST = 1_500; // milliseconds between two readings of the whole
let reading = false, again = false, spoken = 0, latest = 0;

const whole = () => at("whole").dataset;
const headOf = data => Number(data.head);

async function fragment(path) {
  try {
    const answer = await fetch(path, { credentials: "same-origin", cache: "no-store", redirect: "error", headers: { "hx-request": "true" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return { status: answer.status, ok: answer.ok, page };
  } catch {
    return { status: 0, ok: false, page: null };
  }
}

/* Reads the whole again, now or as soon as the reading under way has ended. What is older than the page is left out. */
async function refresh() {
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  const begun = performance.now();
  const { ok, page } = await fragment(`${here}/results/numbers`);
  const fresh = ok ? page.getElementById("whole") : null;
  if (fresh && headOf(fresh.dataset) >= headOf(whole())) put(fresh, page.getElementById("labelers"));
  setTimeout(() => {
    reading = false;
    if (again || latest > headOf(whole())) {
      again = false;
      refresh();
    }
  }, Math.max(LEAST, 3 * (performance.now() - begun)));
}

function put(fresh, labelers) {
  const before = whole();
  const moved = headOf(fresh.dataset) !== headOf(before), first = before.numbers !== fresh.dataset.numbers;
  const open = [...at("numbers").querySelectorAll("details")].map(one => one.open);
  at("numbers").replaceChildren(document.adoptNode(fresh));
  at("labelers").replaceWith(document.adoptNode(labelers));
  at("numbers").querySelectorAll("details").forEach((one, i) => { one.open = open[i] ?? one.open; });
  shown(moved || first);
  if (Date.now() - spoken > 20_000) {
    spoken = Date.now();
    at("spoken").textContent = at("progress-words").textContent;
  }
}

/* What is drawn or loaded once a whole is on the page. */
function shown(moved) {
  narrowing();
  const has = whole().numbers === "yes";
  for (const section of document.querySelectorAll(".after-look")) section.hidden = !has;
  if (at("to-thresholds")) at("to-thresholds").hidden = !at("thresholds");
  if (!has) return;
  if (moved) for (const form of document.querySelectorAll("form[data-part]")) load(form);
  else offer();
}

/* Loads a part of the same state. */
async function load(form) {
  const asked = new URLSearchParams(new FormData(form));
  asked.set("head", whole().head);
  const { status, page } = await fragment(`${here}/results/${form.dataset.part}?${asked}`);
  if (status === 412) {
    refresh();
    return;
  }
  const into = at(form.dataset.into);
  if (page === null) into.textContent = "The server does not answer. Reload the page when it is back.";
  else into.replaceChildren(...[...page.body.childNodes].map(one => document.adoptNode(one)));
  const order = form.querySelector("[data-sorts]"), table = order && at(order.dataset.sorts);
  if (table && order.value !== "0") sortBy(table, Number(order.value), false);
  if (form.dataset.part === "thresholds") curves();
}

function curves() {
  const data = at("threshold-data");
  if (data) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "chart");
    at("threshold-chart").replaceChildren(svg);
    const found = JSON.parse(data.textContent);
    slide(at("threshold-at"), at("threshold-out"), at("threshold-said"), thresholds(svg, found), found);
  }
  offer();
}

/* The verdict says in a sentence what the search for a threshold found. */
function offer() {
  const place = at("offered"), found = at("thresholds")?.querySelectorAll("[data-offer]");
  if (!place || !found?.length) return;
  place.textContent = [...found].map(one => one.dataset.offer).join(" ");
  place.hidden = false;
}

function narrowing() {
  const data = at("convergence-data");
  if (!data) return;
  const { kind, goals } = JSON.parse(data.textContent);
  const drawn = goals.filter(one => one.points.length);
  at("convergence-words").textContent = WAYS[kind] ?? "";
  at("convergence").hidden = drawn.length === 0;
  at("convergence-charts").replaceChildren();
  const pictures = drawn.map(({ goal, points }) => {
    const heading = document.createElement("h3");
    heading.textContent = goal;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "chart");
    const box = document.createElement("div");
    box.append(heading, svg, asTable(goal, points));
    at("convergence-charts").append(box);
    return svg;
  });
  drawn.forEach(({ goal, points }, i) => { // once all are in their places: how wide each is depends on how many there are
    const target = TARGET.exec(goal);
    shrank(pictures[i], goal, points, target ? Number(target[2]) : null);
  });
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
  events.addEventListener("open", () => { at("live").textContent = "live"; });
  events.addEventListener("error", () => { at("live").textContent = events.readyState === 2 ? "no longer live: reload the page" : "connection lost, retrying"; });
  events.addEventListener("progress", event => {
    latest = Math.max(latest, JSON.parse(event.data).head);
    if (latest > headOf(whole())) refresh();
  });
  addEventListener("pagehide", () => events.close());
}

document.addEventListener("change", event => {
  const form = event.target.closest?.("form[data-part]");
  if (form && !event.target.dataset.sorts) load(form);
});
document.addEventListener("submit", event => {
  if (!event.target.dataset?.part) return;
  event.preventDefault();
  load(event.target);
});
matchMedia("(max-width: 35rem)").addEventListener("change", () => { narrowing(); curves(); });
shown(true);
watch();
