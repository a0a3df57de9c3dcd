/* The people page: links and tokens are shown once, where they were asked for. */

import { send } from "./forms.js";
import { at } from "./talk.js";

function showLink({ person, link }) {
  at("fresh").hidden = false;
  at("fresh-name").textContent = person;
  at("fresh-link").value = link;
  at("fresh").scrollIntoView({ block: "nearest" });
  at("fresh-link").focus();
  at("fresh-link").select();
}

document.addEventListener("sent", event => {
  const form = event.target, { data } = event.detail;
  if (form.id === "make-token") {
    at("fresh-token").hidden = false;
    at("token-text").value = data.token;
    at("token-text").focus();
    form.reset();
  } else if (form.classList.contains("link")) showLink(data);
  if (form.dataset.then === "people") {
    event.preventDefault();
    people();
  }
});

/* Reloads the list. */
const people = () => document.body.dispatchEvent(new CustomEvent("people"));

/* Invites a person; whether they are an owner is a choice of two, not a form field. */
at("add-person")?.addEventListener("submit", async event => {
  event.preventDefault();
  event.stopPropagation();
  const form = event.target;
  const data = await send(form, { name: at("person-name").value.trim(), is_owner: at("person-owner").value === "yes" });
  if (!data) return;
  form.reset();
  showLink(data);
  people();
});

document.addEventListener("submit", event => {
  if (event.target.id !== "give-role") return;
  const [person, study] = [at("role-person").value, at("role-study").value].map(encodeURIComponent);
  event.target.dataset.to = `/api/people/${person}/studies/${study}`;
}, { capture: true });
