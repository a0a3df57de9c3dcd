/* What is in the table: its first rows, and what each column holds. */

import { at, number } from "../talk.js";
import { figure, made, short } from "./dom.js";

const LONGEST = 80;

export function showTable(seen) {
  const names = seen.columns.map(column => column.name);
  at("rows-caption").textContent = `The first ${seen.rows.length} of ${number(seen.units)} rows`;
  at("rows-head").replaceChildren(made("tr", {}, ...seen.columns.map(column => made("th", { scope: "col", dir: "auto" }, made("bdi", { text: column.name }), made("span", { class: "type", text: column.type })))));
  at("rows").replaceChildren(...seen.rows.map(row => made("tr", {}, ...row.map((value, i) => cell(value, seen.columns[i])))));
  at("columns-seen").replaceChildren(...seen.columns.map(column => described(column, seen)));
  return names;
}

function cell(value, { type }) {
  if (value === null) return made("td", { class: "soft", text: "empty" });
  if (type.startsWith("float") && Number.isFinite(Number(value))) return made("td", { text: figure(Number(value)) });
  return made("td", { class: "theirs", dir: "auto", text: short(value, LONGEST) });
}

function described(column, { read, units }) {
  const range = column.low !== null && column.low !== undefined ? `${figure(column.low)} to ${figure(column.high)}` : "";
  const many = column.distinct === read && read > 1 ? "all different" : `${number(column.distinct)} different`;
  const where = read < units ? ` in the first ${number(read)} rows` : "";
  return made("tr", {},
    made("th", { scope: "row", dir: "auto", text: column.name }),
    made("td", { "data-name": "type", text: column.type }),
    made("td", { "data-name": "example", class: "theirs", dir: "auto", text: column.example === null ? "" : short(column.example, LONGEST) }),
    made("td", { "data-name": "values", text: [range, `${many}${where}`].filter(Boolean).join("; ") }),
    made("td", { "data-name": "empty", class: "number", text: column.nulls ? `${number(column.nulls)}${where}` : "none" }));
}
