/* Forms that change something: sent as JSON to the API. data-send is the method, data-to the address, data-then what comes after. */

import { problem, talk } from "./talk.js";

/* The values of a form by field name; data-as marks lists and numbers. Empty fields are left out. */
export function said(form) {
  const body = {};
  for (const field of form.elements) {
    if (!field.name || field.disabled || (field.type === "radio" && !field.checked)) continue;
    const value = READ[field.dataset.as ?? field.type]?.(field) ?? field.value.trim();
    if (value !== "" && value !== null) put(body, field.name.split("."), value);
  }
  return body;
}

const lines = (text, mark) => text.split(mark).map(part => part.trim()).filter(Boolean);
const READ = {
  number: field => (field.value === "" ? null : Number(field.value)),
  range: field => Number(field.value),
  checkbox: field => field.checked,
  yes: field => field.value === "yes",
  lines: field => (field.value.trim() ? lines(field.value, "\n") : null),
  commas: field => (field.value.trim() ? lines(field.value, ",") : null),
  text: field => field.value.trim() || null,
};

function put(body, names, value) {
  const [first, ...rest] = names;
  if (rest.length) put(body[first] ??= {}, rest, value);
  else body[first] = value;
}

/* Sends a form, or a body in its place. Shows errors in the form itself; returns the response, or null. */
export async function send(form, body) {
  const place = form.querySelector("[role=alert]");
  const buttons = [...form.querySelectorAll("button")];
  if (place) place.textContent = "";
  for (const button of buttons) button.disabled = true;
  const answer = await talk(form.dataset.send, form.dataset.to, body, { timeout: 600_000 });
  for (const button of buttons) button.disabled = false;
  if (answer.ok) return answer.data ?? {};
  if (place) place.textContent = problem(answer);
  return null;
}

async function submitted(event) {
  const form = event.target;
  if (!form.dataset?.send) return;
  event.preventDefault();
  if (form.dataset.sure && !(await sure(form))) return;
  const made = form.querySelector("[name]") ? said(form) : undefined;
  const data = await send(form, made);
  if (data === null) return;
  const then = new CustomEvent("sent", { bubbles: true, cancelable: true, detail: { sent: made, data } });
  if (!form.dispatchEvent(then)) return;
  if (form.dataset.then === "again") location.reload();
  else if (form.dataset.then) location.assign(form.dataset.then.replace("{name}", encodeURIComponent(made?.name ?? "")));
}

/* The dialog of a form that asks before it acts. */
function sure(form) {
  const dialog = document.getElementById(form.dataset.sure);
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise(done => dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true }));
}

document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone they scroll
document.addEventListener("submit", submitted);
document.addEventListener("click", event => {
  const copy = event.target.closest?.("[data-copy]");
  if (copy) copyText(document.getElementById(copy.dataset.copy), copy);
});

/* Copies the text of a field; if the browser does not allow it, the text is at least selected. */
async function copyText(field, button) {
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Selected";
  }
}
