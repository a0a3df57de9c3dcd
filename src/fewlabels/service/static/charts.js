/* The charts: drawn as SVG by hand, each with a sentence that says the same. */

import { number } from "./talk.js";
import { width } from "./widths.js";

const SVG = "http://www.w3.org/2000/svg";

export function draw(parent, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}

/* Clears a chart and sets its sentence; returns its width, which is smaller on a small screen so that its text stays legible. */
export function blank(svg, sentence, height) {
  const wide = (svg.parentElement?.clientWidth || innerWidth) < 560 ? 380 : 760;
  svg.replaceChildren();
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", sentence);
  svg.setAttribute("viewBox", `0 0 ${wide} ${height}`);
  return wide;
}

/* The interval of a metric with so many labels: chosen against uniform. */
export function band(svg, goal, now) {
  const wide = blank(svg, `${goal.metric} ${now.value.toFixed(3)}: from ${(now.value - now.chosen).toFixed(3)} to ${(now.value + now.chosen).toFixed(3)} chosen, from ${(now.value - now.uniform).toFixed(3)} to ${(now.value + now.uniform).toFixed(3)} uniform`, 120);
  const x = v => 68 + (wide - 100) * (Math.min(goal.high, Math.max(goal.low, v)) - goal.low) / (goal.high - goal.low);
  draw(svg, "line", { x1: 68, x2: wide - 32, y1: 96, y2: 96, stroke: "currentColor", "stroke-opacity": .35 });
  for (let k = 0; k <= 4; k += 1) {
    const v = goal.low + k * (goal.high - goal.low) / 4;
    draw(svg, "text", { x: x(v), y: 114, "text-anchor": "middle" }, v.toFixed(2));
  }
  for (const [name, w, y] of [["uniform", now.uniform, 60], ["chosen", now.chosen, 24]]) {
    draw(svg, "rect", { x: x(now.value - w), y, width: Math.max(2, x(now.value + w) - x(now.value - w)), height: 22, rx: 3, fill: `var(--${name})`, "fill-opacity": .55 });
    draw(svg, "text", { x: 0, y: y + 15 }, name);
  }
  draw(svg, "line", { x1: x(now.value), x2: x(now.value), y1: 18, y2: 96, stroke: "currentColor", "stroke-width": 2 });
  if (goal.kind !== "+-") {
    draw(svg, "line", { x1: x(goal.value), x2: x(goal.value), y1: 14, y2: 96, stroke: "currentColor", "stroke-dasharray": "4 3" });
    draw(svg, "text", { x: x(goal.value), y: 11, "text-anchor": "middle" }, "target");
  }
}

/* Half-width against labels. */
export function curve(svg, goal, now) {
  const wide = blank(svg, `Half-width against labels: at ${number(now.n)} labels ${now.chosen.toFixed(3)} chosen and ${now.uniform.toFixed(3)} uniform`, 300);
  const first = goal.labels[0], top = goal.labels[goal.labels.length - 1];
  const tallest = 1.05 * Math.max(goal.allowed, ...goal.labels.map(n => width(goal.uniform, goal, n, now.level, now.f)));
  const x = n => 60 + (wide - 84) * (Math.log(n) - Math.log(first)) / Math.max(1e-9, Math.log(top) - Math.log(first));
  const y = w => 256 - 236 * Math.min(w, tallest) / tallest;
  for (const share of [0, .25, .5, .75, 1]) {
    draw(svg, "line", { x1: 60, x2: wide - 24, y1: y(share * tallest), y2: y(share * tallest), stroke: "currentColor", "stroke-opacity": .15 });
    draw(svg, "text", { x: 54, y: y(share * tallest) + 4, "text-anchor": "end" }, "± " + (share * tallest).toFixed(2));
  }
  for (const n of goal.labels.filter((_, i) => i % (wide > 500 ? 3 : 5) === 0)) draw(svg, "text", { x: x(n), y: 276, "text-anchor": "middle" }, number(n));
  draw(svg, "text", { x: wide / 2 + 18, y: 295, "text-anchor": "middle" }, "labels");
  for (const name of ["uniform", "chosen"]) {
    const points = goal.labels.map(n => `${x(n).toFixed(1)},${y(width(goal[name], goal, n, now.level, now.f)).toFixed(1)}`).join(" ");
    draw(svg, "polyline", { points, fill: "none", stroke: `var(--${name})`, "stroke-width": 3 });
    draw(svg, "circle", { cx: x(now.n), cy: y(now[name]), r: 6, fill: `var(--${name})` });
  }
  if (goal.kind === "+-") {
    draw(svg, "line", { x1: 60, x2: wide - 24, y1: y(goal.value), y2: y(goal.value), stroke: "currentColor", "stroke-dasharray": "5 4" });
    draw(svg, "text", { x: 66, y: y(goal.value) - 5 }, "goal");
  }
}

/* Round values between two others, about so many, each with its text. */
export function ticks(low, high, most) {
  const raw = Math.max(1e-12, high - low) / most, ten = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(k => k * ten).find(one => one >= raw * 0.999);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push({ at: k * step, text: digits ? (k * step).toFixed(digits) : number(k * step) });
  return found;
}

/* How the interval narrowed: low, value and high after so many labels. */
export function shrank(svg, goal, points, target) {
  const last = points[points.length - 1], first = points[0];
  const wide = blank(svg, `${goal}: ${first.low.toFixed(3)} to ${first.high.toFixed(3)} after ${number(first.labels)} labels, ${last.low.toFixed(3)} to ${last.high.toFixed(3)} after ${number(last.labels)}`, 262);
  const values = points.flatMap(p => [p.low, p.high]).concat(target === null ? [] : [target]);
  const room = 0.04 * Math.max(1e-3, Math.max(...values) - Math.min(...values));
  const low = Math.min(...values) - room, high = Math.max(...values) + room;
  const start = points.length > 1 ? first.labels : 0, top = Math.max(start + 1, last.labels);
  const x = n => 58 + (wide - 84) * (n - start) / (top - start), y = v => 212 - 196 * (v - low) / (high - low);
  for (const one of ticks(low, high, 5)) {
    draw(svg, "line", { x1: 58, x2: wide - 26, y1: y(one.at), y2: y(one.at), stroke: "currentColor", "stroke-opacity": .15 });
    draw(svg, "text", { x: 52, y: y(one.at) + 4, "text-anchor": "end" }, one.text);
  }
  for (const one of ticks(start, top, wide > 500 ? 6 : 4)) draw(svg, "text", { x: x(one.at), y: 232, "text-anchor": "middle" }, one.text);
  draw(svg, "text", { x: wide / 2 + 17, y: 252, "text-anchor": "middle" }, "labels");
  const line = (name, list) => list.map(p => `${x(p.labels).toFixed(1)},${y(p[name]).toFixed(1)}`).join(" ");
  if (points.length > 1) {
    draw(svg, "polygon", { points: `${line("high", points)} ${line("low", [...points].reverse())}`, fill: "var(--chosen)", "fill-opacity": .25 });
    draw(svg, "polyline", { points: line("value", points.filter(p => p.value !== null)), fill: "none", stroke: "var(--chosen)", "stroke-width": 2.5 });
  }
  for (const p of points.length > 12 ? [last] : points) {
    draw(svg, "line", { x1: x(p.labels), x2: x(p.labels), y1: y(p.low), y2: y(p.high), stroke: "var(--chosen)", "stroke-width": 2 });
    if (p.value !== null) draw(svg, "circle", { cx: x(p.labels), cy: y(p.value), r: 4, fill: "var(--chosen)" });
  }
  if (target !== null) {
    draw(svg, "line", { x1: 58, x2: wide - 26, y1: y(target), y2: y(target), stroke: "currentColor", "stroke-width": 1.5, "stroke-dasharray": "6 4" });
    draw(svg, "text", { x: wide - 28, y: y(target) - 5, "text-anchor": "end", class: "ink" }, `target ${target}`);
  }
}
