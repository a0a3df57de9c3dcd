/* A unit on the page. Its content is untrusted: it is set as text, never as markup, and opens or loads nothing by itself. */

import { studyPath } from "../talk.js";
import { zoom } from "./dialogs.js";

const LONG = 20_000; // characters shown at once

function made(name, { text, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

/* The parts of a unit, as the labeling form defines them. */
export function shownUnit(study, sheet, turn) {
  const headed = sheet.show.length > 1;
  return sheet.show.flatMap(({ column, kind }) => {
    const value = turn.content[column] ?? null;
    const part = value === null || value === "" ? made("div", { class: "empty", text: "(empty)" }) : KINDS[kind](study, turn, column, value);
    return headed ? [made("h2", { text: column, dir: "auto" }), part] : [part];
  });
}

const KINDS = {
  text: (study, turn, column, value) => textBox(value),
  link: (study, turn, column, value) => link(value),
  image: (study, turn, column) => image(imageAddress(study, turn.unit, column), column),
};

function textBox(value) {
  const box = made("div", { class: "box", dir: "auto", tabindex: "0", role: "group", "aria-label": "text" });
  box.textContent = value.length > LONG ? value.slice(0, LONG) : value;
  if (value.length <= LONG) return box;
  const more = made("button", { type: "button", text: `Show the other ${(value.length - LONG).toLocaleString("en")} characters` });
  more.addEventListener("click", () => {
    box.textContent = value;
    more.remove();
    box.focus();
  });
  return made("div", {}, box, more);
}

/* Only addresses of the web become links, with the host beside them; anything else stays text. */
function link(value) {
  let address = null;
  try {
    address = new URL(value.trim());
  } catch { /* no address */ }
  if (address === null || !["http:", "https:"].includes(address.protocol)) return textBox(value);
  const anchor = made("a", { href: address.href, target: "_blank", rel: "noopener noreferrer", dir: "auto", class: "theirs", text: value });
  return made("p", {}, anchor, " ", made("span", { class: "host", text: `(opens ${address.host} in a new tab)` }));
}

function image(address, column) {
  const picture = made("img", { alt: `image of the unit: ${column}`, decoding: "async" });
  const button = made("button", { type: "button", class: "zoomable", "aria-keyshortcuts": "z", title: "Zoom" }, picture);
  button.setAttribute("aria-label", `Zoom the image: ${column}`);
  button.addEventListener("click", () => zoom(picture));
  picture.addEventListener("error", () => button.replaceWith(made("div", { class: "empty", text: "(the image cannot be shown)" })));
  picture.src = address;
  return button;
}

export const imageAddress = (study, unit, column) =>
  studyPath(study, `/images/${encodeURIComponent(unit)}/${encodeURIComponent(column)}`);

/* Loads the images of units fetched ahead, so that they are there when the unit is shown. */
export function prefetchImages(study, sheet, turns) {
  for (const turn of turns) {
    if (turn.images) continue;
    turn.images = sheet.show.filter(one => one.kind === "image" && turn.content[one.column]).map(one => {
      const picture = new Image();
      picture.src = imageAddress(study, turn.unit, one.column);
      return picture;
    });
  }
}
