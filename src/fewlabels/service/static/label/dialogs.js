/* The dialogs of the labeling page: why a unit is left out, a comment, the keys, an image in full size. Esc closes each. */

import { at } from "../talk.js";

const LARGEST = 8, SMALLEST = 0.05, STEP = 1.25;
let left = null, remarked = null, scale = 1, natural = 1;

export const isOpen = () => document.querySelector("dialog[open]") !== null;

/* The focus leaves at once: the browser would take it away with the next frame, and a key typed before then would go into the closed dialog. */
function shut(dialog) {
  dialog.close();
  if (dialog.contains(document.activeElement)) document.activeElement.blur();
}

/* Asks why; `then` hears the reason. */
export function askReason(then) {
  left = then;
  at("out-form").reset();
  at("out-problem").textContent = "";
  at("out").showModal();
  at("out-form").elements.reason[0].focus();
}

function sendReason(event) {
  event.preventDefault();
  const chosen = at("out-form").elements.reason.value, words = at("out-text").value.trim();
  const reason = [chosen, words].filter(Boolean).join(": ");
  if (!reason) return void (at("out-problem").textContent = "Choose a reason, or say it in other words.");
  shut(at("out"));
  left(reason, event);
}

/* The number of a reason chooses and sends it. */
function numbered(event) {
  if (event.target.id === "out-text" || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const reason = [...at("out-form").elements.reason][Number.parseInt(event.key, 10) - 1];
  if (!reason) return;
  event.preventDefault();
  reason.checked = true;
  at("out-form").requestSubmit();
}

/* Shows the comment as it is; `then` hears the new one. */
export function askComment(text, then) {
  remarked = then;
  at("remark-text").value = text;
  at("remark").showModal();
  at("remark-text").focus();
}

function sendComment(event) {
  event.preventDefault();
  shut(at("remark"));
  remarked(at("remark-text").value.trim());
}

export const showKeys = () => at("help").showModal();

/* An image in full size, inside the page: scrolled by hand, larger and smaller by keys and buttons. */
export function zoom(picture) {
  if (!picture?.naturalWidth) return;
  natural = picture.naturalWidth;
  at("zoom-image").src = picture.src;
  at("zoom-image").alt = picture.alt;
  at("zoom").showModal();
  resize(1);
  at("zoom-frame").focus();
}

/* What is in the middle stays there. */
function resize(wanted) {
  const frame = at("zoom-frame"), before = scale;
  const x = frame.scrollLeft + frame.clientWidth / 2, y = frame.scrollTop + frame.clientHeight / 2;
  scale = Math.min(LARGEST, Math.max(SMALLEST, wanted));
  at("zoom-image").width = Math.max(1, Math.round(natural * scale));
  at("zoom-scale").textContent = `${Math.round(100 * scale)} %`;
  frame.scrollTo((x * scale) / before - frame.clientWidth / 2, (y * scale) / before - frame.clientHeight / 2);
}

const fit = () => resize(at("zoom-frame").clientWidth / natural);
const SIZES = { "+": () => resize(scale * STEP), "=": () => resize(scale * STEP), "-": () => resize(scale / STEP), 0: fit, z: () => shut(at("zoom")) };

function sized(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !SIZES[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  SIZES[event.key]();
}

export function listenToDialogs() {
  for (const button of document.querySelectorAll("dialog [data-close]")) button.addEventListener("click", () => shut(button.closest("dialog")));
  at("out-form").addEventListener("submit", sendReason);
  at("out").addEventListener("keydown", numbered);
  at("remark-form").addEventListener("submit", sendComment);
  at("remark").addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("remark-form").requestSubmit();
  });
  at("zoom").addEventListener("keydown", sized);
  at("zoom").addEventListener("close", () => at("zoom-image").removeAttribute("src"));
  at("zoom-in").addEventListener("click", SIZES["+"]);
  at("zoom-out").addEventListener("click", SIZES["-"]);
  at("zoom-fit").addEventListener("click", fit);
}
