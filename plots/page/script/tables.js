const UNITS = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9, "B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9,
  B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
// The value of a cell with a number and perhaps a unit; null for any other text.
function measured(text) {
  const [, number, unit] = text.match(/^([+−-]?[\d.]+(?:e[+-]\d+)?)(?:[ \u00a0](\S+))?$/) ?? [];
  return number === undefined ? null : Number(number.replace("−", "-")) * (UNITS[unit] ?? 1);
}
function compare(first, second) {
  const [one, other] = [measured(first), measured(second)];
  if (one !== null && other !== null) return one - other;
  if (one !== null || other !== null) return one === null ? 1 : -1; // numbers come first
  return first.localeCompare(second, "en", { numeric: true });
}
function element(name, text, attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(text);
  return made;
}

// The rows of a long table, which are packed.
async function addRows(body) {
  for (const [first, ...others] of JSON.parse(await unpack(body.dataset.rows)))
    body.insertRow().append(
      element("th", first, { scope: "row", className: first.length > 120 ? "long" : "" }),
      ...others.map((text) => element("td", text)));
}

// Gives a table its rows when it is opened, a long one also a search and heads that sort.
function equip(details) {
  const table = details.querySelector("table");
  const complete = async () => {
    if (!details.open) return;
    details.removeEventListener("toggle", complete);
    if (table.tBodies[0].dataset.rows) await addRows(table.tBodies[0]);
    if (table.matches(".benchmarks")) openPanels(table);
    addSearch(details, table);
    table.dataset.complete = "";
  };
  details.addEventListener("toggle", complete);
  complete();
}

function addSearch(details, table) {
  const search = details.querySelector(".search");
  if (search === null) return;
  search.hidden = false;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, text: row.textContent.toLowerCase() }));
  const found = search.querySelector("output");
  search.querySelector("input").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word));
    found.textContent = `${rows.filter(({ row }) => !row.hidden).length} of ${rows.length} rows`;
  });
  for (const head of table.tHead.rows[0].cells) {
    const sort = document.createElement("button");
    sort.type = "button";
    sort.append(...head.childNodes);
    head.append(sort);
    sort.addEventListener("click", () => {
      const down = head.ariaSort === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.ariaSort = down ? "descending" : "ascending";
      const text = ({ row }) => row.cells[head.cellIndex].textContent;
      const sorted = rows.toSorted((one, other) => (down ? -1 : 1) * compare(text(one), text(other)));
      body.append(...sorted.map(({ row }) => row));
    });
  }
}
