/* The page for a new study: a table is chosen, seen and read; then goals, what labelers see, and a name. Nothing typed is lost meanwhile. */

import { at, number, problem, talk } from "../talk.js";
import * as card from "./card.js";
import * as choose from "./choose.js";
import { fill } from "./dom.js";
import * as goals from "./goals.js";
import { showTable } from "./look.js";
import { blame, clear } from "./problems.js";
import * as reading from "./reading.js";

const LONG = 600_000;
const before = at("before") ? JSON.parse(at("before").textContent) : null;
let source = null; // what the study is made of
let picked = null; // what was chosen: the file, which may have sheets
let named = Boolean(before); // whether the name is somebody's own
let opened = false;
let asked = 0;

async function look(path, name, sheet) {
  const mine = ++asked;
  clear();
  at("problem").textContent = "";
  at("looking").hidden = false;
  const answer = await talk("POST", "/api/preview", { source: path, ...(sheet ? { sheet } : {}) }, { timeout: LONG });
  if (mine !== asked) return;
  at("looking").hidden = true;
  if (!answer.ok) return blame("population.source", problem(answer), { focus: false });
  const seen = answer.data;
  [source, picked] = [seen.source, { path, name }];
  at("chosen-name").textContent = name;
  at("chosen-size").textContent = `${number(seen.units)} rows, ${seen.columns.length} columns`;
  fill(at("sheet"), seen.sheets.map(one => [one, one]), seen.sheet ?? "");
  at("sheet-choice").hidden = seen.sheets.length < 2;
  [at("choose").hidden, at("chosen").hidden, at("new-study").hidden] = [true, false, false];
  propose(seen);
  at("choose-again").focus();
}

/* For the first table what an earlier study had; for another what is on the page. */
function propose(seen) {
  const wanted = opened ? { ...reading.population(source), id: at("id-column").value } : before ?? {};
  const shown = opened ? card.shownNow() : before?.sheet.show;
  showTable(seen);
  reading.propose(seen, wanted);
  card.propose(seen, shown?.length ? shown : undefined);
  if (!named) at("name").value = seen.name;
  opened = true;
  changed();
}

function context() {
  return { classifiers: reading.classifiers().map(one => one.name).filter(Boolean), slices: reading.slices(), ...(at("weight").value ? { weight: at("weight").value } : {}) };
}

function changed() {
  goals.offer({ weight: null, ...context() });
  goals.check();
  card.refresh();
}

function question() {
  const judged = reading.classifiers();
  const classes = judged.map(one => one.value).filter(Boolean);
  return { questions: [...new Set(judged.map(one => one.question ?? "positive"))], answers: classes.length ? classes : ["yes", "no"] };
}

async function create(event) {
  event.preventDefault();
  clear();
  at("problem").textContent = "";
  const body = {
    name: at("name").value.trim(), population: reading.population(source), goals: goals.goals(), level: Number(at("level").value),
    about: at("about").value, rule: at("rule").value, sheet: card.sheet(), ...(at("follows")?.checked ? { follows: before.follows } : {}),
  };
  if (!body.name) return blame("name", "A study needs a name.");
  if (!body.goals.length) return blame("goals", "A study needs a goal: pick a metric and a number, and add it.");
  at("create").disabled = true;
  at("create").textContent = "Creating…";
  const answer = await talk("POST", "/api/studies", body, { timeout: LONG });
  if (answer.ok) return location.assign(`/studies/${encodeURIComponent(body.name)}/plan`);
  at("create").disabled = false;
  at("create").textContent = "Create the study";
  if (answer.data?.field === "population.source") again();
  if (!blame(answer.data?.field, problem(answer))) at("problem").textContent = problem(answer);
}

const again = () => { at("choose").hidden = false; };

goals.start(context);
reading.start(changed);
card.start(reading.hidden, question);
goals.setGoals(before?.goals ?? ["precision +-0.05"]);
if (before) {
  at("name").value = before.name;
  for (const id of ["about", "rule"]) at(id).value = before[id] ?? at(id).value;
  if (![...at("level").options].some(one => Number(one.value) === before.level)) at("level").add(new Option(before.level, before.level));
  at("level").value = before.level;
  at("ask").value = before.sheet.ask;
  at("instructions-text").value = before.sheet.instructions;
}
at("name").addEventListener("input", () => { named = true; });
at("choose-again").addEventListener("click", () => { again(); at("files").querySelector("button")?.focus(); });
at("sheet").addEventListener("change", () => look(picked.path, picked.name, at("sheet").value));
at("new-study").addEventListener("submit", create);
choose.start(look);
