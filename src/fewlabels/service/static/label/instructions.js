/* Instructions are open until they were read once: until the person closes them, or, on a small screen, answers the first unit. */

import { at } from "../talk.js";

const NARROW = "(max-width: 34rem)";

export function rememberInstructions(study) {
  const place = at("instructions"), text = place.querySelector(".instructions").textContent;
  const key = `fewlabels:read:${study}`, mark = `${text.length}:${[...text].reduce((sum, c) => (31 * sum + c.codePointAt(0)) | 0, 7)}`;
  if (read(key) === mark) place.open = false;
  place.addEventListener("toggle", () => keep(key, place.open ? null : mark));
  if (!matchMedia(NARROW).matches) return;
  at("questions").addEventListener("click", () => { place.open = false; }, { once: true });
}

function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key, mark) {
  try {
    if (mark === null) localStorage.removeItem(key);
    else localStorage.setItem(key, mark);
  } catch { /* no store in this browser: they are open every time */ }
}
