/* Small parts of the page for a new study. Names and values of tables are untrusted: they are set as text, never as markup. */

export function made(name, { text, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

export function button(text, act, attributes = {}) {
  const element = made("button", { type: "button", text, ...attributes });
  element.addEventListener("click", act);
  return element;
}

/* Fills a select with [value, text] pairs; what was chosen stays if it is still there. */
export function fill(select, options, chosen = select.value) {
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  select.value = options.some(([value]) => value === chosen) ? chosen : options[0]?.[0] ?? "";
}

export const hint = (place, text) => { place.textContent = text; place.hidden = !text; };

export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const [unit, by] = bytes < 1e6 ? ["kB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(bytes / by).toLocaleString("en", { maximumFractionDigits: bytes / by < 10 ? 1 : 0 })} ${unit}`;
}

const STEPS = [[60, "second"], [3600, "minute"], [86400, "hour"], [30 * 86400, "day"], [365 * 86400, "month"], [Infinity, "year"]];
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function age(at) {
  const seconds = Math.max(0, Date.now() / 1000 - at);
  const i = STEPS.findIndex(([end]) => seconds < end);
  const [, unit] = STEPS[i];
  return ago.format(-Math.floor(seconds / (i ? STEPS[i - 1][0] : 1)), unit);
}

export const short = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);
export const figure = x => Number(x.toPrecision(6)).toString();
