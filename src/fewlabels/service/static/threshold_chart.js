/* Precision and recall against the threshold, each with its interval by itself and its ribbon; the present threshold is marked. */

import { blank, draw, ticks } from "./charts.js";
import { number } from "./talk.js";

const COLORS = ["chosen", "uniform"];
const said = v => (v === null || v === undefined ? "unknown" : v.toFixed(3));

export function thresholds(svg, { curves, present, found, goals = [] }) {
  const t = curves.thresholds, names = Object.keys(curves.curves);
  const near = present === null ? -1 : t.reduce((best, v, i) => (Math.abs(v - present) < Math.abs(t[best] - present) ? i : best), 0);
  const now = near < 0 ? "" : `; at the present one, ${names.map(name => `${name} ${said(curves.curves[name].value[near])}`).join(" and ")}`;
  const wide = blank(svg, `${names.join(" and ")} of ${curves.classifier} at ${number(t.length)} thresholds from ${t[t.length - 1].toPrecision(3)} to ${t[0].toPrecision(3)}${now}`, 300);
  const marked = [...t, ...(present === null ? [] : [present])];
  const low = Math.min(...marked), high = Math.max(...marked);
  const x = v => 52 + (wide - 72) * (v - low) / Math.max(1e-9, high - low), y = v => 234 - 200 * v;
  for (const v of [0, .25, .5, .75, 1]) {
    draw(svg, "line", { x1: 52, x2: wide - 20, y1: y(v), y2: y(v), stroke: "currentColor", "stroke-opacity": .15 });
    draw(svg, "text", { x: 46, y: y(v) + 4, "text-anchor": "end" }, v.toFixed(2));
  }
  for (const v of ticks(low, high, wide > 500 ? 6 : 4)) draw(svg, "text", { x: x(v.at), y: 254, "text-anchor": "middle" }, v.text);
  draw(svg, "text", { x: wide / 2 + 16, y: 274, "text-anchor": "middle" }, "threshold");
  names.forEach((name, i) => {
    const color = `var(--${COLORS[i % COLORS.length]})`, curve = curves.curves[name];
    area(svg, t, curve.ribbon_low, curve.ribbon_high, { x, y, color, opacity: .12 });
    area(svg, t, curve.low, curve.high, { x, y, color, opacity: .22 });
    const points = t.map((v, k) => [v, curve.value[k]]).filter(p => p[1] !== null).map(([v, c]) => `${x(v).toFixed(1)},${y(c).toFixed(1)}`);
    draw(svg, "polyline", { points: points.join(" "), fill: "none", stroke: color, "stroke-width": 2.5, ...(i ? { "stroke-dasharray": "7 3" } : {}) });
    draw(svg, "line", { x1: 56 + 110 * i, x2: 80 + 110 * i, y1: 14, y2: 14, stroke: color, "stroke-width": 3, ...(i ? { "stroke-dasharray": "7 3" } : {}) });
    draw(svg, "text", { x: 86 + 110 * i, y: 18, class: "ink" }, name);
  });
  for (const goal of goals) {
    const i = names.indexOf(goal.metric);
    if (i < 0) continue;
    draw(svg, "line", { x1: 52, x2: wide - 20, y1: y(goal.target), y2: y(goal.target), stroke: `var(--${COLORS[i % COLORS.length]})`, "stroke-width": 1.5, "stroke-dasharray": "2 4" });
    draw(svg, "text", { x: wide - 22, y: y(goal.target) - 4, "text-anchor": "end", class: "ink" }, goal.goal);
  }
  const mark = (v, word, row) => {
    draw(svg, "line", { x1: x(v), x2: x(v), y1: 30, y2: 234, stroke: "currentColor", "stroke-width": 1.5, "stroke-dasharray": "5 4" });
    draw(svg, "text", { x: x(v) + (x(v) > wide - 110 ? -5 : 5), y: 44 + 14 * row, "text-anchor": x(v) > wide - 110 ? "end" : "start", class: "ink" }, `${word} ${Number(v.toPrecision(4))}`);
  };
  if (present !== null) mark(present, "now", 0);
  found.forEach((v, i) => mark(v, "found", i + 1));
  return draw(svg, "line", { x1: 0, x2: 0, y1: 30, y2: 234, stroke: "var(--ink)", "stroke-width": 2, visibility: "hidden", "data-low": low, "data-high": high, "data-wide": wide });
}

/* The slider: what the curves say at one threshold, and which goals it meets there. */
export function slide(slider, out, words, line, { curves, present, goals = [] }) {
  const t = curves.thresholds, names = Object.keys(curves.curves);
  const near = v => t.reduce((best, one, i) => (Math.abs(one - v) < Math.abs(t[best] - v) ? i : best), 0);
  const show = () => {
    const i = t.length - 1 - Number(slider.value), { low, high, wide } = line.dataset;
    const x = 52 + (wide - 72) * (t[i] - low) / Math.max(1e-9, high - low);
    for (const end of ["x1", "x2"]) line.setAttribute(end, x);
    line.setAttribute("visibility", "visible");
    out.textContent = Number(t[i].toPrecision(4));
    slider.setAttribute("aria-valuetext", out.textContent);
    const values = names.map(name => `${name} ${said(curves.curves[name].value[i])} (${said(curves.curves[name].ribbon_low[i])} .. ${said(curves.curves[name].ribbon_high[i])})`);
    const met = goals.map(goal => `${goal.goal}: ${meets(curves.curves[goal.metric], goal.target, i)}`);
    words.textContent = `${number(curves.units[i])} units flagged. ${values.join(", ")}.${met.length ? ` ${met.join("; ")}.` : ""}`;
  };
  slider.value = t.length - 1 - near(present ?? t[0]);
  slider.addEventListener("input", show);
  show();
}

function meets(curve, target, i) {
  if (curve.value[i] === null) return "unknown";
  if (curve.ribbon_low[i] >= target) return "shown";
  return curve.value[i] >= target ? "by its value, not shown" : "not met";
}

function area(svg, t, lows, highs, { x, y, color, opacity }) {
  const known = t.map((v, i) => i).filter(i => lows[i] !== null && highs[i] !== null);
  const line = (values, order) => order.map(i => `${x(t[i]).toFixed(1)},${y(values[i]).toFixed(1)}`).join(" ");
  draw(svg, "polygon", { points: `${line(highs, known)} ${line(lows, [...known].reverse())}`, fill: color, "fill-opacity": opacity });
}
