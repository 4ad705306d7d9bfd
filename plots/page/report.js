"use strict";
(async () => {
  // Packed, because a page of three megabytes is too large to be sent.
  async function unpack(id) {
    const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (byte) => byte.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  if (!("DecompressionStream" in window)) {
    document.getElementById("old").hidden = false;
    return;
  }
  const { wide, column, rows, dark } = JSON.parse(await unpack("data"));
  const library = document.createElement("script");
  library.textContent = await unpack("library");
  document.head.append(library);
  const button = document.getElementById("theme");
  const asked = window.matchMedia("(prefers-color-scheme: dark)");
  const narrow = window.matchMedia("(max-width: 40rem)"); // as in report.css
  const charts = new Map();
  let theme = asked.matches ? "dark" : "light";

  const inTheme = (text, name) =>
    name === "dark" ? text.replace(/#[0-9a-f]{6}\b/g, (colour) => dark[colour] ?? colour) : text;

  // Gives axes with this title the other scale, linear for logarithmic and the other way round.
  function rescale(node, { title, scale, axis }) {
    if (node === null || typeof node !== "object") return;
    for (const value of Object.values(node)) rescale(value, { title, scale, axis });
    if (node.title === title && node.scale) Object.assign(node, { scale, axis });
  }

  // Strategies that are switched off are so in all figures, and in the address, which can be sent.
  const hidden = new Set();
  function decode(text) {
    try { return decodeURIComponent(text); } catch { return text; } // not of this page
  }
  function readAddress() {
    const [, names] = location.hash.match(/^#hide=(.*)$/) ?? [];
    if (names === undefined) return;
    hidden.clear();
    for (const name of names.split(",").filter(Boolean)) hidden.add(decode(name));
  }
  function filter(change) {
    change();
    const names = [...hidden].map(encodeURIComponent).join(",");
    history.replaceState(null, "", names ? `#hide=${names}` : "#");
    applyFilter();
  }
  function applyFilter() {
    for (const box of document.querySelectorAll(".controls input")) box.checked = !hidden.has(box.value);
    for (const [name, chart] of charts) hide(document.querySelector(`.chart[data-figure="${CSS.escape(name)}"]`), chart);
  }

  async function hide(element, chart) {
    await chart.view?.signal("hidden", [...hidden]).runAsync();
    // Vega announces layers without marks as pictures without a text.
    for (const layer of element.querySelectorAll("g[aria-roledescription$='mark container']"))
      layer.hasChildNodes() ? layer.removeAttribute("aria-hidden") : layer.setAttribute("aria-hidden", "true");
  }

  async function draw(element) {
    const name = element.dataset.figure;
    const chart = charts.get(name);
    const spec = JSON.parse(inTheme(JSON.stringify((narrow.matches ? column : wide)[name]), theme));
    // Of data only whole texts are colours; others are names.
    const shown = (data) => JSON.parse(JSON.stringify(data, (key, value) =>
      typeof value === "string" && /^#[0-9a-f]{6}$/.test(value) ? inTheme(value, theme) : value));
    for (const [key, index] of Object.entries(spec.datasets)) spec.datasets[key] = shown(rows[index]);
    if (chart.other) rescale(spec, spec.usermeta.axis);
    const made = await vegaEmbed(element, spec, {
      actions: false, renderer: "svg", ast: false, tooltip: { theme },
    });
    chart.view?.finalize();
    chart.view = made.view;
    await hide(element, chart);
    element.dataset.drawn = theme;
    element.dataset.layout = narrow.matches ? "column" : "wide";
  }

  function wire(element) {
    const name = element.dataset.figure;
    const chart = { other: false, view: null };
    charts.set(name, chart);
    const controls = document.querySelector(`.controls[data-for="${CSS.escape(name)}"]`);
    if (controls === null) return;
    controls.hidden = false;
    const boxes = [...controls.querySelectorAll("input")];
    for (const box of boxes) {
      box.checked = !hidden.has(box.value);
      box.addEventListener("change", () => filter(() => box.checked ? hidden.delete(box.value) : hidden.add(box.value)));
    }
    for (const [choice, change] of [["all", (name) => hidden.delete(name)], ["none", (name) => hidden.add(name)]])
      controls.querySelector(`.${choice}`)?.addEventListener("click", () => filter(() => boxes.forEach((box) => change(box.value))));
    const scale = controls.querySelector(".scale");
    scale?.addEventListener("click", () => {
      chart.other = !chart.other;
      scale.setAttribute("aria-pressed", String(chart.other));
      draw(element);
    });
  }

  function swatches() {
    for (const one of document.querySelectorAll(".swatch"))
      one.style.background = inTheme(one.dataset.colour, theme);
  }

  async function drawAll() {
    for (const element of document.querySelectorAll(".chart")) {
      await draw(element);
      // One after the other, so that the page stays alive and the first is there at once.
      await new Promise((done) => setTimeout(done));
    }
    document.documentElement.dataset.ready = theme;
  }

  let drawing = Promise.resolve();
  function use(name) {
    theme = name;
    document.documentElement.dataset.theme = name;
    button.setAttribute("aria-pressed", String(name === "dark"));
    swatches();
    if (name === "dark") recolour(dark); // the picture that is there before the first chart
    drawing = drawing.then(drawAll);
  }

  const UNITS = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9, "B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9,
    B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  // The value of a cell with a number and perhaps a unit; null for any other text.
  function quantity(text) {
    const [, number, unit] = text.match(/^([+−-]?[\d.]+)(?: (\S+))?$/) ?? [];
    return number === undefined ? null : Number(number.replace("−", "-")) * (UNITS[unit] ?? 1);
  }
  function compare(first, second) {
    const [one, other] = [quantity(first), quantity(second)];
    if (one !== null && other !== null) return one - other;
    if (one !== null || other !== null) return one === null ? 1 : -1; // numbers come first
    return first.localeCompare(second, "en", { numeric: true });
  }
  // Gives a long table a search and heads that sort.
  function equip(details) {
    const table = details.querySelector("table");
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

  // What a link leads to is unfolded.
  function unfold(hash) {
    const target = hash.length > 1 ? document.getElementById(decode(hash.slice(1))) : null;
    const folded = target?.closest("details:not([open])");
    if (folded) folded.open = true;
  }
  document.querySelector("nav").addEventListener("click", (event) => unfold(event.target.hash ?? ""));
  unfold(location.hash);

  readAddress();
  document.querySelectorAll(".chart").forEach(wire);
  document.querySelectorAll("details.table").forEach(equip);
  window.addEventListener("hashchange", () => { unfold(location.hash); readAddress(); applyFilter(); });
  button.addEventListener("click", () => use(theme === "dark" ? "light" : "dark"));
  asked.addEventListener("change", (event) => use(event.matches ? "dark" : "light"));
  narrow.addEventListener("change", () => use(theme));
  // Paper is white.
  // Printing does not wait for a chart to be drawn again, so what is drawn gets other colours.
  const light = Object.fromEntries(Object.entries(dark).map(([one, other]) => [other, one]));
  function recolour(colours) {
    for (const one of document.querySelectorAll(".chart svg *"))
      for (const name of ["fill", "stroke"]) {
        const colour = colours[one.getAttribute(name)];
        if (colour !== undefined) one.setAttribute(name, colour);
      }
  }
  window.addEventListener("beforeprint", () => { if (theme === "dark") recolour(light); });
  window.addEventListener("afterprint", () => { if (theme === "dark") recolour(dark); });
  use(theme);
})();
