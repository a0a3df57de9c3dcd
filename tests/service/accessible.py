"""An accessibility check of our own: names, headings, landmarks, tables, targets and contrast, as the browser computed them."""

from playwright.sync_api import Page

CHECK = r"""
() => {
  const found = [];
  const visible = e => e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && !e.closest("[aria-hidden=true]");
  const all = selector => [...document.querySelectorAll(selector)].filter(visible);
  const short = e => e.outerHTML.slice(0, 90);
  const text = ids => ids.split(/\s+/).map(id => document.getElementById(id)?.textContent ?? "").join(" ").trim();
  const name = e => (e.getAttribute("aria-labelledby") && text(e.getAttribute("aria-labelledby"))) || e.getAttribute("aria-label")
    || [...(e.labels ?? [])].map(label => label.textContent.trim()).join(" ")
    || (e.matches("button, a, summary, legend") && e.textContent.trim()) || e.alt || "";
  const controls = "button, a[href], input:not([type=hidden]), select, textarea, summary, dialog, [tabindex='0'], progress";

  for (const e of all(controls)) if (!name(e)) found.push(`no name: ${short(e)}`);
  for (const e of all("svg")) if (e.getAttribute("role") !== "img" || !name(e)) found.push(`a picture without words: ${short(e)}`);
  for (const e of all("img")) if (!e.hasAttribute("alt")) found.push(`an image without words: ${short(e)}`);
  for (const e of all("th")) if (!e.hasAttribute("scope")) found.push(`a heading of a table without scope: ${short(e)}`);
  for (const e of all("table")) if (!e.querySelector("th")) found.push(`a table without headings: ${short(e)}`);
  for (const e of all("label[for]")) if (!document.getElementById(e.htmlFor)) found.push(`a label for nothing: ${short(e)}`);
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) found.push(`two elements with the id ${id}`);
  for (const attribute of ["aria-labelledby", "aria-describedby"])
    for (const e of document.querySelectorAll(`[${attribute}]`))
      for (const id of e.getAttribute(attribute).split(/\s+/))
        if (!document.getElementById(id)) found.push(`${attribute} names nothing: ${id}`);

  if (!document.documentElement.lang) found.push("no language");
  if (!document.title.trim()) found.push("no title");
  if (all("main").length !== 1) found.push("not one main");
  if (all("h1").length !== 1) found.push(`${all("h1").length} first headings`);
  const levels = all("h1, h2, h3, h4").map(e => Number(e.tagName[1]));
  levels.forEach((level, i) => { if (i && level > levels[i - 1] + 1) found.push(`heading ${level} after ${levels[i - 1]}`); });
  if (document.documentElement.scrollWidth > innerWidth) found.push(`wider than the screen: ${document.documentElement.scrollWidth}`);
  for (const e of all("button, select, input:not([type=hidden])")) {
    const box = e.getBoundingClientRect();
    if (box.height < 24 || box.width < 24) found.push(`too small to hit: ${short(e)}`);
  }

  const numbers = color => (color.match(/[\d.]+/g) ?? []).map(Number);
  const linear = c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const behind = e => {
    for (let at = e; at; at = at.parentElement) {
      const [r, g, b, a = 1] = numbers(getComputedStyle(at).backgroundColor);
      if (a > 0.99) return [r, g, b];
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !visible(e) || e.closest(":disabled, .unseen, script, style, option")) continue;
    const style = getComputedStyle(e), size = parseFloat(style.fontSize);
    const [front, back] = [light(numbers(e.closest("svg") ? style.fill : style.color)), light(behind(e))];
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    const enough = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < enough) found.push(`contrast ${ratio.toFixed(2)}: ${texts.currentNode.data.trim().slice(0, 40)} in ${short(e)}`);
  }
  return found;
}
"""


def faults(page: Page) -> list[str]:
    """What stands in the way of people who do not see the page, or use no mouse."""
    found: list[str] = page.evaluate(CHECK)
    return found


def unfocused(page: Page, steps: int = 60) -> list[str]:
    """Elements that the Tab key reaches without their showing it; fails where it is caught in a trap."""
    page.evaluate("document.activeElement?.blur(); window.scrollTo(0, 0)")
    bare, reached = [], []
    for _ in range(steps):
        page.keyboard.press("Tab")
        at = page.evaluate(
            "() => { const e = document.activeElement; const s = getComputedStyle(e);"
            " return [e === document.body, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0, e.outerHTML.slice(0, 90)]; }"
        )
        if at[0]:
            break
        reached.append(at[2])
        if not at[1]:
            bare.append(at[2])
    assert reached, "the Tab key reaches nothing"
    assert len(reached) < steps or len(set(reached)) > steps // 3, f"caught: {reached[-4:]}"
    return bare
