/* The people of a study: roles are saved when they are chosen, and so is who labels what. */

import { at, problem, talk } from "./talk.js";

const address = `${at("study-people").dataset.api}/routes`;
const again = () => document.body.dispatchEvent(new CustomEvent("people"));
const routing = () => JSON.parse(at("routing-data").dataset.routing);

/* Saves who labels what, and shows the page as it is then. */
async function save(by, routes) {
  at("routing-problem").textContent = "";
  const answer = await talk("PUT", address, { route_by: by || null, routes }, { timeout: 600_000 });
  if (answer.ok) again();
  else at("routing-problem").textContent = problem(answer);
}

/* The routes as they are, with the names of one value changed. */
function changed(value, change) {
  const known = routing();
  const names = known.routes.map(route => [route.value, route.value === value ? change(route.names) : route.names]);
  return save(known.route_by, Object.fromEntries(names.filter(([, some]) => some.length)));
}

/* Another column drops what was chosen for the values of this one: asked first. */
async function divided(field) {
  const known = routing(), dialog = at("sure-routes");
  if (known.routes.some(route => route.names.length)) {
    dialog.returnValue = "no";
    dialog.showModal();
    await new Promise(done => dialog.addEventListener("close", done, { once: true }));
    if (dialog.returnValue !== "yes") return void (field.value = known.route_by ?? "");
  }
  await save(field.value, {});
}

document.addEventListener("change", event => {
  const field = event.target;
  if (field.id === "route-by") divided(field);
  else if (field.matches("[data-add]") && field.value) changed(field.dataset.value, names => [...names, field.value]);
  else if (field.matches("[data-saves]")) field.form.requestSubmit();
});

document.addEventListener("click", event => {
  const drop = event.target.closest?.("[data-drop]");
  if (drop) changed(drop.dataset.value, names => names.filter(name => name !== drop.dataset.drop));
});

document.addEventListener("submit", event => {
  const form = event.target;
  if (form.id === "give-access") form.dataset.to = `/api/people/${encodeURIComponent(at("access-person").value)}/studies/${form.dataset.study}`;
}, { capture: true });

document.addEventListener("sent", event => {
  if (event.target.dataset.then !== "people") return;
  event.preventDefault();
  again();
});
