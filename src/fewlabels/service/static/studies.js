/* The list of studies: where each stands, search, sort, and the archived ones. */

import { at, number } from "./talk.js";

const cards = [...document.querySelectorAll(".study")];
const ORDER = {
  newest: (a, b) => b.dataset.created.localeCompare(a.dataset.created),
  name: (a, b) => a.dataset.name.localeCompare(b.dataset.name, "en", { numeric: true }),
  state: (a, b) => a.dataset.state.localeCompare(b.dataset.state) || ORDER.newest(a, b),
};

function show() {
  const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const archived = at("which")?.value ?? "no";
  let shown = 0;
  for (const card of cards) {
    const said = card.dataset.words.toLowerCase();
    card.hidden = card.dataset.archived !== archived || !words.every(word => said.includes(word));
    shown += !card.hidden;
  }
  at("none").hidden = shown > 0;
  if (at("which-words")) at("which-words").textContent = archived === "yes" ? "archived" : "current";
  at("found").textContent = words.length ? `${number(shown)} found` : "";
}

function sort() {
  at("studies").append(...cards.sort(ORDER[at("sort").value]));
}

/* Where each study stands, one after the other: what was computed before comes at once. */
async function glances() {
  for (const place of document.querySelectorAll("[data-glance]")) {
    try {
      const answer = await fetch(place.dataset.glance, { credentials: "same-origin", cache: "no-store", redirect: "error", headers: { "hx-request": "true" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      place.replaceChildren(...[...page.body.childNodes].map(one => document.adoptNode(one)));
    } catch {
      return; // the server is away: the goals stay
    }
  }
}

glances();
if (at("filters")) {
  at("filters").hidden = false;
  at("search").addEventListener("input", show);
  at("sort").addEventListener("change", sort);
  at("which")?.addEventListener("change", show);
}
