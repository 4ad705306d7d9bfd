// A panel with everything that the file has of a benchmark.
const panel = document.getElementById("panel");
const runs = new Map(); // what the page has of their benchmarks, by number
let drawPanel = () => {}; // draws the open panel again

// Unpacks what the page has of a run's benchmarks; it has nothing of an unknown run.
function load(run) {
  const id = `panels-${run}`;
  if (!runs.has(run)) runs.set(run, document.getElementById(id) ? unpack(id).then(JSON.parse) : { benchmarks: {} });
  return runs.get(run);
}

// Makes a button of each name in a table of benchmarks.
async function openPanels(table) {
  const { run } = table.closest("section").dataset;
  const { benchmarks } = await load(run);
  for (const { cells: [head] } of table.tBodies[0].rows) {
    const name = head.textContent;
    if (!Object.hasOwn(benchmarks, name)) continue;
    const button = element("button", name, { type: "button", className: "opens" });
    button.addEventListener("click", () => openPanel(name, run));
    head.replaceChildren(button);
  }
}

// Opens the panel, which stands in the address until it is closed, or Back is used.
async function openPanel(name, run) {
  if (await showPanel(name, run)) history.pushState({ isOpen: true }, "", address());
}

// Shows the panel that the address names, if any.
function showAddressed() {
  const parts = partsOfAddress();
  opened = null;
  panel.close();
  if (parts.has("benchmark")) showPanel(decode(parts.get("benchmark")), parts.get("run") ?? "1");
}

function wirePanel() {
  panel.querySelector("button").addEventListener("click", () => panel.close());
  panel.addEventListener("close", () => {
    drawPanel = () => {};
    if (opened === null || panel.open) return; // the address has changed first
    opened = null;
    if (history.state?.isOpen) history.back();
    else history.replaceState(null, "", address());
  });
  for (const hint of document.querySelectorAll("p.opens")) hint.hidden = false;
}

// Shows the panel of a benchmark, and tells whether there is one.
async function showPanel(name, run) {
  const { benchmarks, counters, percentiles } = await load(run);
  if (panel.open || !Object.hasOwn(benchmarks, name)) return false;
  leave();
  opened = { name, run };
  const { ns, median, interval, counters: found } = benchmarks[name];
  const [low, high] = interval.map(time);
  const sorted = ns.toSorted((one, other) => one - other);
  document.getElementById("panel-name").textContent = name;
  panel.querySelector(".median").textContent = `Median of ${ns.length} repetition${ns.length > 1 ? "s" : ""}: `
    + `${time(median)}${low ? ` (95\u00a0%: ${low} to ${high})` : ""}. Repetitions: ${time(sorted[0])} to ${time(sorted.at(-1))}.`;
  const rows = [];
  for (let i = 0; i < found.length; i += 2) {
    const [text, unit] = counters[found[i]];
    rows.push({ text, value: quantity(found[i + 1], unit), isPercentile: found[i] < percentiles });
  }
  panel.querySelector(".counters").replaceChildren(
    ...listed("Single operations: medians over the repetitions", rows.filter((row) => row.isPercentile)),
    ...listed("Steps, device time and cost: likewise", rows.filter((row) => !row.isPercentile)));
  panel.showModal();
  drawPanel = () => drawRepetitions(name, ns, interval, median).then(() => { panel.dataset.drawn = name; });
  drawPanel();
  return true;
}

function listed(heading, rows) {
  if (rows.length === 0) return [];
  const table = document.createElement("table");
  table.append(element("caption", heading));
  for (const { text, value } of rows)
    table.insertRow().append(element("th", text, { scope: "row" }), element("td", value));
  return [table];
}

function drawRepetitions(name, ns, interval, middle) {
  const unit = TIME_UNITS[placeOfUnit(middle, TIME_UNITS)];
  const values = ns.map((one, i) => ({ repetition: i + 1, time: one / UNITS[unit], text: time(one) }));
  const line = (y, size) => ({ mark: { type: "rule", strokeWidth: size, color: "#888888", opacity: size > 1 ? 0.3 : 1 }, data: { values: [{ y: y / UNITS[unit] }] }, encoding: { y: { field: "y", type: "quantitative" } } });
  const band = interval.length === 2 ? [{
    data: { values: [{ low: interval[0] / UNITS[unit], high: interval[1] / UNITS[unit] }] },
    mark: { type: "rect", color: "#e8e8e8" },
    encoding: { y: { field: "low", type: "quantitative" }, y2: { field: "high" } },
  }] : [];
  const spec = {
    config: Object.values(wide)[0]?.config ?? {},
    description: `Repetitions of ${name} in their order: ${values.map(({ text }) => text).join(", ")}.`,
    width: "container", height: 180,
    layer: [...band, line(middle, 1), {
      data: { values },
      mark: { type: "line", point: { filled: true, size: 50, color: "#0072b2" }, color: "#0072b2" },
      encoding: {
        x: { field: "repetition", type: "quantitative", title: "repetition", axis: { tickMinStep: 1, format: "d", grid: false }, scale: { nice: false, padding: 10 } },
        y: { field: "time", type: "quantitative", title: `time (${unit})`, scale: { zero: false } },
      },
    }],
  };
  const shown = JSON.parse(inTheme(JSON.stringify(spec), theme));
  return vegaEmbed(panel.querySelector(".repetitions"), shown, { actions: false, renderer: "svg", ast: false, tooltip: false });
}
