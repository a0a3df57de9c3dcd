/* Tables that are sorted in the page: by the buttons in their headings, or by a list to choose from. Unknown numbers come last. */

const comparing = {
  number: (a, b) => (a === "" ? 1 : b === "" ? -1 : Number(a) - Number(b)),
  text: (a, b) => a.localeCompare(b, "en", { numeric: true }),
};

const key = (row, column) => row.cells[column].dataset.key ?? row.cells[column].textContent.trim();

/* Sorts a table by a column. Numbers begin with the largest unless `ascending` says otherwise. */
export function sortBy(table, column, ascending) {
  const heads = [...table.tHead.rows[0].cells];
  const compare = comparing[heads[column].querySelector("button").dataset.sort];
  const unknown = row => key(row, column) === "";
  const rows = [...table.tBodies[0].rows].sort((a, b) => {
    if (unknown(a) || unknown(b)) return Number(unknown(a)) - Number(unknown(b));
    return (ascending ? 1 : -1) * compare(key(a, column), key(b, column));
  });
  table.tBodies[0].append(...rows);
  heads.forEach((head, i) => {
    if (head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", i !== column ? "none" : ascending ? "ascending" : "descending");
  });
}

document.addEventListener("click", event => {
  const button = event.target.closest?.("table.sortable th button[data-sort]");
  if (!button) return;
  const head = button.closest("th"), was = head.getAttribute("aria-sort");
  sortBy(button.closest("table"), head.cellIndex, was === "none" ? button.dataset.sort === "text" : was === "descending");
  for (const list of document.querySelectorAll(`[data-sorts="${button.closest("table").id}"]`)) {
    if ([...list.options].some(one => one.value === String(head.cellIndex))) list.value = String(head.cellIndex);
  }
});

document.addEventListener("change", event => {
  const table = document.getElementById(event.target.dataset?.sorts ?? "");
  if (table) sortBy(table, Number(event.target.value), event.target.value === "0");
});
