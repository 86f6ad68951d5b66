"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const headers = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const compare = (at, numeric) => (one, other) => {
    const [a, b] = [one.cells[at], other.cells[at]];
    return numeric
      ? Number(a.dataset.value || -1) - Number(b.dataset.value || -1)
      : a.textContent.localeCompare(b.textContent, "en", { numeric: true });
  };
  headers.forEach((header, at) => {
    const numeric = "numeric" in header.dataset;
    const first = numeric ? "descending" : "ascending";
    const second = numeric ? "ascending" : "descending";
    header.querySelector("button").addEventListener("click", () => {
      const order = header.getAttribute("aria-sort") === first ? second : first;
      const rows = [...body.rows].sort(compare(at, numeric));
      body.append(...(order === "ascending" ? rows : rows.reverse()));
      headers.forEach((each) => each.setAttribute("aria-sort", "none"));
      header.setAttribute("aria-sort", order);
    });
  });
}
