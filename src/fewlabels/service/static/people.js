/* The people page: what a list of invitations does is shown first; links and tokens are shown once, where they were asked for. */

import { send } from "./forms.js";
import { at, problem, talk } from "./talk.js";

/* Reloads the list. */
const people = () => document.body.dispatchEvent(new CustomEvent("people"));
const returning = new Set(); // names that the owner says are the same people as before

function row(...parts) {
  const line = document.createElement("tr");
  for (const [i, part] of parts.entries()) {
    const cell = document.createElement(i ? "td" : "th");
    if (!i) cell.scope = "row";
    cell.append(...(Array.isArray(part) ? part : [part]));
    line.append(cell);
  }
  return line;
}

function made(tag, text, more = {}) {
  const found = Object.assign(document.createElement(tag), more);
  found.textContent = text;
  return found;
}

/* Shows links that are never shown again, each in a line of a table, and all of them to copy at once. */
function showLinks(links) {
  at("fresh").hidden = false;
  at("fresh-links").replaceChildren(...links.map(({ name, link }) => row(made("bdi", name), made("span", link, { className: "code" }))));
  at("fresh-all").value = links.map(({ name, link }) => `${name}\t${link}`).join("\n");
  at("fresh").scrollIntoView({ block: "nearest" });
  at("fresh-heading").focus();
}

/* ---------------- a list of invitations */

const WORDS = { new: "new", returns: "comes back", changes: "changes", nothing: "no change", refused: "refused" };
const TONES = { new: "good", returns: "good", changes: "info", nothing: "", refused: "bad" };
const listed = () => ({ text: at("invite-text").value, returns: [...returning] });

async function preview() {
  const place = at("invite").querySelector("[role=alert]");
  place.textContent = "";
  if (!at("invite").reportValidity()) return;
  const answer = await talk("POST", "/api/invitations/preview", listed());
  if (!answer.ok) {
    place.textContent = problem(answer);
    return;
  }
  const { lines } = answer.data;
  const does = lines.filter(line => !["refused", "nothing"].includes(line.becomes)).length;
  at("preview-lines").replaceChildren(...lines.map(line => row(
    made("bdi", line.name || `line ${line.line}`),
    [made("span", WORDS[line.becomes], { className: `pill ${TONES[line.becomes]}` }), ` ${line.why}`],
    choices(line),
  )));
  at("invite-preview").hidden = false;
  at("show-preview").hidden = true;
  at("do-invite").hidden = !does;
  at("do-invite").textContent = does === 1 ? "Do this for 1 line" : `Do this for ${does} lines`;
  at("preview-heading").focus();
}

/* The two ways out for a name that has answers: the same person comes back, or it is somebody else with another name. */
function choices(line) {
  if (line.becomes === "returns") return [button("It is somebody else", line, () => returning.delete(line.name))];
  if (line.becomes !== "refused" || !line.answers) return [];
  return [button("It is the same person", line, () => returning.add(line.name)), " ", button("Choose another name", line, () => rename(line))];
}

function button(text, line, act) {
  const found = made("button", text, { type: "button" });
  found.setAttribute("aria-label", `${text}: ${line.name}`);
  found.addEventListener("click", () => { if (act() !== "stay") preview(); });
  return found;
}

/* Selects the name in the list, to be typed over. */
function rename(line) {
  const field = at("invite-text"), lines = field.value.split("\n");
  const number = lines.map((text, i) => [text, i]).filter(([text]) => text.trim())[line.line - 1]?.[1] ?? 0;
  const start = lines.slice(0, number).join("\n").length + (number ? 1 : 0) + lines[number].search(/\S/);
  hidePreview();
  field.focus();
  field.setSelectionRange(start, start + line.name.length);
  return "stay";
}

function hidePreview() {
  at("invite-preview").hidden = at("do-invite").hidden = true;
  at("show-preview").hidden = false;
}

at("show-preview")?.addEventListener("click", preview);
at("invite-text")?.addEventListener("input", hidePreview);
at("invite")?.addEventListener("submit", async event => {
  event.preventDefault();
  event.stopPropagation();
  const data = await send(event.target, listed());
  if (!data) return;
  const fresh = data.lines.filter(line => line.link);
  if (fresh.length) showLinks(fresh);
  hidePreview();
  returning.clear();
  event.target.reset();
  people();
});

/* ---------------- one person */

document.addEventListener("sent", event => {
  const form = event.target, { data } = event.detail;
  if (form.id === "make-token") {
    at("fresh-token").hidden = false;
    at("token-text").value = data.token;
    at("token-text").focus();
    form.reset();
  } else if (form.classList.contains("link")) showLinks([{ name: data.person, link: data.link }]);
  if (form.dataset.then === "people") {
    event.preventDefault();
    people();
  }
});

at("add-owner")?.addEventListener("submit", async event => {
  event.preventDefault();
  event.stopPropagation();
  const form = event.target;
  const data = await send(form, { name: at("owner-name").value.trim(), is_owner: true });
  if (!data) return;
  form.reset();
  showLinks([{ name: data.person, link: data.link }]);
  people();
});

document.addEventListener("submit", event => {
  const form = event.target;
  if (form.id === "give-role") {
    const [person, study] = [at("role-person").value, at("role-study").value].map(encodeURIComponent);
    form.dataset.to = `/api/people/${person}/studies/${study}`;
  } else if (form.classList.contains("join")) {
    form.dataset.to = `/api/groups/${encodeURIComponent(form.querySelector("input").value.trim())}/people/${form.dataset.person}`;
  }
}, { capture: true });
