/* Problems where they belong: below the field they are about, read out, and with the focus on it. */

import { made } from "./dom.js";

let last = 0;

/* The element of a field, or of the nearest part of the page that holds it. */
function place(field) {
  for (let name = field; name; name = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : "") {
    const found = document.querySelector(`[data-field="${CSS.escape(name)}"]`);
    if (found) return found;
  }
  return null;
}

function controlOf(holder) {
  return holder.matches("input, select, textarea") ? holder : holder.querySelector("input:not([type=file]), select, textarea, button");
}

/* Shows a problem at its field; false if no part of the page is about that field. */
export function blame(field, text, { focus = true } = {}) {
  const holder = field && place(field);
  if (!holder) return false;
  const words = ownWords(holder);
  words.id ||= `problem-${++last}`;
  words.textContent = `${text[0].toUpperCase()}${text.slice(1)}`;
  words.hidden = false;
  const control = controlOf(holder);
  if (control) {
    control.setAttribute("aria-invalid", "true");
    const named = (control.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean);
    if (!named.includes(words.id)) control.setAttribute("aria-describedby", [...named, words.id].join(" "));
  }
  for (let at = holder.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
  if (focus) {
    holder.scrollIntoView({ block: "center" });
    control?.focus();
  }
  return true;
}

/* The paragraph of a field itself, not of one inside it. */
function ownWords(holder) {
  const found = [...holder.querySelectorAll(".field-problem")].find(one => one.closest("[data-field]") === holder);
  if (found) return found;
  const words = made("p", { class: "field-problem", hidden: true });
  holder.append(words);
  return words;
}

export function clear(within = document) {
  for (const words of within.querySelectorAll(".field-problem:not([hidden])")) {
    for (const control of document.querySelectorAll(`[aria-describedby~="${CSS.escape(words.id || "none")}"]`)) {
      const named = control.getAttribute("aria-describedby").split(" ").filter(id => id !== words.id);
      control.setAttribute("aria-describedby", named.join(" "));
      if (!named.length) control.removeAttribute("aria-describedby");
      control.removeAttribute("aria-invalid");
    }
    words.textContent = "";
    words.hidden = true;
  }
}

/* What is changed is no longer known to be wrong. */
document.addEventListener("input", event => {
  const holder = event.target.closest?.("[data-field]");
  if (holder) clear(holder);
});
