/* What a planning picture says between the values it holds: for the workbench, and inside the page of `fewlabels plan --html`. */

/* Between two numbers of labels: linear in the logarithms. */
function place(labels, n) {
  let i = 0;
  while (i < labels.length - 2 && labels[i + 1] < n) i += 1;
  if (labels.length < 2) return [0, 0, 0];
  const t = (Math.log(n) - Math.log(labels[i])) / (Math.log(labels[i + 1]) - Math.log(labels[i]));
  return [i, i + 1, Math.min(1, Math.max(0, t))];
}

function mixed(a, b, t) {
  return a > 0 && b > 0 ? Math.exp((1 - t) * Math.log(a) + t * Math.log(b)) : (1 - t) * a + t * b;
}

/* Interpolates a row over the factors of the odds. */
export function overFactors(row, f) {
  const i = Math.min(Math.floor(f), row.length - 2);
  return mixed(row[i], row[i + 1], f - i);
}

export function width(widths, goal, n, level, f) {
  const [i, j, t] = place(goal.labels, n);
  return mixed(overFactors(widths[i][level], f), overFactors(widths[j][level], f), t);
}

/* The number of labels at which a half-width is reached, or null. */
export function reaching(widths, goal, wanted, level, f) {
  let last = null;
  for (const n of goal.labels) {
    const w = width(widths, goal, n, level, f);
    if (w <= wanted) {
      if (last === null || last.w <= w) return n;
      const t = (Math.log(last.w) - Math.log(Math.max(wanted, 1e-9))) / (Math.log(last.w) - Math.log(Math.max(w, 1e-9)));
      return Math.exp((1 - t) * Math.log(last.n) + t * Math.log(n));
    }
    last = { n, w };
  }
  return null;
}

/* Everything expected of `n` labels at a level and a factor of the odds; `effective` is null if no draw the picture holds is as narrow. */
export function expected(goal, n, level, f) {
  const at = widths => width(widths, goal, n, level, f);
  const [chosen, uniform, value] = [at(goal.chosen), at(goal.uniform), overFactors(goal.values, f)];
  const same = goal.relative ? value / goal.values[usualFactor(goal)] : 1;  // a share of the value moves with it
  const wanted = goal.kind === "+-" ? goal.value * same : Math.abs(value - goal.value);
  const reaches = goal.kind === "+-" ? goal : { chosen: goal.reach_chosen, uniform: goal.reach_uniform };
  const needed = name => {
    const [settled, narrow] = [reaching(reaches[name], goal, wanted, level, f), reaching(goal[name], goal, goal.allowed, level, f)];
    return settled === null || narrow === null ? null : Math.max(settled, narrow);
  };
  return {
    n, level, f, value, chosen, uniform, wanted,
    settled: at(reaches.chosen) <= wanted * 1.0001,
    positives: overFactors(goal.positives, f),
    effective: reaching(goal.simple, goal, chosen, level, f),
    needed: needed("chosen"), neededUniform: needed("uniform"),
  };
}

/* The forecast of a goal, as every place prints it; null where labels, positives or level are dragged away from those it is of. */
export const exact = (picture, goal, now) => (goal.forecast && now.n === picture.shown_at && now.f === usualFactor(goal) && picture.levels[now.level] === goal.level ? goal.forecast : null);
const usualFactor = goal => (goal.values.length - 1) / 2;
const TONES = { pass: "ship", fail: "do-not-ship", open: "label-more" };
const SAID = { pass: "Expected to pass", fail: "Expected to fail: do not ship", open: "Expected to stay open: label more" };
const percent = x => (x > 0.99 ? "> 99 %" : x < 0.01 ? "< 1 %" : `${Math.round(100 * x)} %`);

/* What the picture of the interval shows: the forecast of the draw for all goals where there is one, as the sentence beneath it says. */
export const pictured = (now, forecast) => (forecast && forecast.half_width !== null ? { ...now, chosen: forecast.half_width, value: forecast.value ?? now.value } : now);

/* What the curves are of, where the numbers are of a draw for several goals. */
export const curvesOf = picture => (picture.goals.length > 1 ? " The curves are of a draw for this goal alone; the numbers are of the draw for all goals." : "");

/* What the plan's labels should show of all goals together. */
export function together(picture) {
  if (!picture.shown_at) return "Not even all units would settle every goal.";
  const known = picture.chance === null ? "" : ` The chance that all goals are settled is ${percent(picture.chance)}.`;
  const what = picture.budget ? `A budget of ${whole(picture.budget)} labels` : `${whole(picture.shown_at)} labels settle all goals with a chance of 80 %`;
  const paid = picture.to_pay ? ` ${picture.to_pay[0].toUpperCase()}${picture.to_pay.slice(1)}.` : "";
  return `${what}. ${SAID[picture.expected]}.${known}${paid}`;
}

/* The verdict to expect, in words and in the tone of a verdict: never "ship" if the metric is expected to fail. */
export function outlook(goal, now, fewest, forecast) {
  if (forecast) return { tone: TONES[forecast.expected], text: `${SAID[forecast.expected]} (chance to be settled: ${percent(forecast.chance)})` };
  const fails = goal.kind === ">=" ? now.value < goal.value : goal.kind === "<=" && now.value > goal.value;
  const thin = now.chosen > goal.allowed || (now.effective !== null && now.effective < fewest);
  if (fails && now.settled) return { tone: "do-not-ship", text: SAID.fail };
  if (fails) return { tone: "label-more", text: "Expected to fail, with too few labels to show it" };
  if (thin) return { tone: "label-more", text: "Too thin to ship on: label more" };
  return now.settled ? { tone: "ship", text: SAID.pass } : { tone: "label-more", text: SAID.open };
}

/* The sentences beneath it: what these labels show, and how many the goal needs. */
export function sentences(goal, now, forecast) {
  const [value, chosen] = forecast ? [forecast.value ?? now.value, forecast.half_width] : [now.value, now.chosen];
  const points = x => (100 * x).toFixed(x < 0.01 ? 2 : 1);
  const count = x => (x === null ? `more than ${whole(goal.labels[goal.labels.length - 1])}` : whole(x));
  const width = goal.relative ? `± ${+(100 * goal.relative).toFixed(2)} % of it (± ${points(now.wanted)} points)` : `± ${points(now.wanted)} points`;
  const need = goal.kind === "+-" ? `${width} needs` : "Settling the target needs";
  return [
    `With ${whole(now.n)} labels: ${goal.metric} ${value.toFixed(3)} ± ${points(chosen)} points chosen (effective n ${count(now.effective)}), ± ${points(now.uniform)} points uniform.`,
    `${need} about ${forecast && goal.needed ? whole(goal.needed) : count(now.needed)} chosen labels, or ${count(now.neededUniform)} uniform ones.`,
  ];
}
const whole = x => Math.round(x).toLocaleString("en");

/* A slider from 0 to 1000 over labels, on a log scale. */
export const labelsAt = (goal, share) => {
  const [first, top] = ends(goal);
  return Math.round(first * (top / first) ** share);
};
export const shareOf = (goal, n) => {
  const [first, top] = ends(goal);
  return Math.min(1, Math.max(0, Math.log(n / first) / Math.max(1e-9, Math.log(top / first))));
};
const ends = goal => [goal.labels[0], goal.labels[goal.labels.length - 1]];
