"use strict";
/* The report is complete without this script, which lets a reader drag the budget and the threshold, and unfolds tables before printing. */
(() => {
  const at = id => document.getElementById(id);
  const data = JSON.parse(at("data").textContent);
  const TOP = 14, TALL = 180;
  const count = n => Math.round(n).toLocaleString("en-US");
  const share = v => (v === null ? "unknown" : Math.abs(v) >= 5e-5 && Math.abs(v) < 0.01 ? v.toFixed(4) : v.toFixed(3));
  const least = list => Math.min(...list), most = list => Math.max(...list);

  /* Between two budgets: linear in the logarithms. */
  function between(curve, kind, n) {
    const { labels } = curve, values = curve[kind];
    if (n <= labels[0]) return values[0];
    for (let i = 1; i < labels.length; i += 1) {
      if (n > labels[i]) continue;
      const t = Math.log(n / labels[i - 1]) / Math.log(labels[i] / labels[i - 1]), [a, b] = [values[i - 1], values[i]];
      return a > 0 && b > 0 ? Math.exp((1 - t) * Math.log(a) + t * Math.log(b)) : (1 - t) * a + t * b;
    }
    return values[values.length - 1];
  }

  function outcome(curve, width) {
    if (curve.kind === "+-") return width <= curve.target ? "reaches the goal" : "does not reach the goal";
    if (curve.value === null) return "";
    const [low, high] = [curve.value - width, curve.value + width];
    const [met, missed] = curve.kind === ">=" ? [low >= curve.target, high < curve.target] : [high <= curve.target, low > curve.target];
    return met ? "clear of the target" : missed ? "on the wrong side of the target" : "the target is still inside";
  }

  function moveBudget(n) {
    const said = data.budgets.map((curve, i) => {
      const chosen = between(curve, "chosen", n), uniform = between(curve, "uniform", n);
      const chart = document.querySelector(`[data-budget="${i}"]`), tallest = Number(chart.dataset.high);
      const first = curve.labels[0], top = curve.labels[curve.labels.length - 1];
      const x = `${Math.min(100, Math.max(0, (100 * Math.log(n / first)) / Math.max(1e-9, Math.log(top / first)))).toFixed(2)}%`;
      const y = w => (TOP + TALL * (1 - w / tallest)).toFixed(1);
      const dot = chart.querySelector(".chosen-dot"), square = chart.querySelector(".uniform-at");
      dot.setAttribute("cx", x); dot.setAttribute("cy", y(chosen));
      square.setAttribute("x", x); square.setAttribute("y", y(uniform));
      return `${curve.goal}: ±${share(chosen)} chosen (${outcome(curve, chosen)}), ±${share(uniform)} uniform`;
    });
    const more = said.length > 3 ? ` And ${said.length - 3} more goals below.` : "";
    at("budget-said").textContent = `Expected with ${count(n)} labels. ${said.slice(0, 3).join(". ")}.${more} A forecast, not a promise.`;
    at("budget-out").textContent = `${count(n)} labels`;
    at("budget").setAttribute("aria-valuetext", `${count(n)} labels`);
  }

  function wakeBudget() {
    const first = least(data.budgets.map(curve => least(curve.labels))), top = most(data.budgets.map(curve => most(curve.labels)));
    const now = data.budgets[0].now, slider = at("budget");
    const labels = () => Math.round(first * (top / first) ** (slider.value / 1000));
    const start = Math.round((1000 * Math.log(now / first)) / Math.max(1e-9, Math.log(top / first)));
    slider.value = start;
    slider.addEventListener("input", () => moveBudget(Number(slider.value) === start ? now : labels()));
    at("budget-card").hidden = false;
    moveBudget(now);
  }

  function moveThreshold(i) {
    const { units, curves } = data.thresholds, said = [];
    const first = Math.max(1, units[0]), top = units[units.length - 1];
    const x = `${((100 * Math.log(Math.max(units[i], first) / first)) / Math.max(1e-9, Math.log(top / first))).toFixed(2)}%`;
    for (const [metric, curve] of Object.entries(curves)) {
      said.push(`${metric} ${share(curve.value[i])} (${share(curve.ribbon_low[i])} to ${share(curve.ribbon_high[i])})`);
      for (const line of document.querySelectorAll(`[data-ribbon="${CSS.escape(metric)}"] .moving`)) {
        line.setAttribute("x1", x); line.setAttribute("x2", x); line.setAttribute("visibility", "visible");
      }
    }
    at("threshold-said").textContent = `Threshold ${data.thresholds.at[i]}: ${count(units[i])} units flagged, ${said.join(", ")}. The ribbon is valid at all thresholds together.`;
    at("threshold-out").textContent = `threshold ${data.thresholds.at[i]}`;
    at("threshold").setAttribute("aria-valuetext", `threshold ${data.thresholds.at[i]}`);
  }

  function wakeThreshold() {
    const { units, now } = data.thresholds, slider = at("threshold");
    slider.max = units.length - 1;
    const gap = i => Math.abs(Math.log(Math.max(1, units[i]) / Math.max(1, now ?? units[0])));
    slider.value = units.reduce((best, _, i) => (gap(i) < gap(best) ? i : best), 0);
    slider.addEventListener("input", () => moveThreshold(Number(slider.value)));
    at("threshold-card").hidden = false;
    moveThreshold(Number(slider.value));
  }

  if (data.budgets.length) wakeBudget();
  if (data.thresholds && at("threshold")) wakeThreshold();
  const folded = () => document.querySelectorAll("details:not([open])");
  let opened = [];
  addEventListener("beforeprint", () => { opened = [...folded()]; for (const one of opened) one.open = true; });
  addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
})();
