/* Interpolation of half-widths between the values a picture holds, as on the page of `fewlabels plan --html`. */

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
      const t = (Math.log(last.w) - Math.log(wanted)) / (Math.log(last.w) - Math.log(Math.max(w, 1e-9)));
      return Math.exp((1 - t) * Math.log(last.n) + t * Math.log(n));
    }
    last = { n, w };
  }
  return null;
}

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
