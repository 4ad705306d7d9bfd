// What the page draws: specifications in two layouts, the rows of their data, and the dark theme's
// colour for each of the light theme.
let { wide, column, rows, dark } = {};
let theme = "light";
const narrow = window.matchMedia("(max-width: 40rem)"); // as in report.css
const charts = new Map(); // by name of the figure
let drawing = Promise.resolve();

const inTheme = (text, name) =>
  name === "dark" ? text.replace(/#[0-9a-f]{6}\b/g, (colour) => dark[colour] ?? colour) : text;

// Gives axes with this title the other scale, linear for logarithmic and the other way round.
function rescale(node, { title, scale, axis }) {
  if (node === null || typeof node !== "object") return;
  for (const value of Object.values(node)) rescale(value, { title, scale, axis });
  if (node.title === title && node.scale) Object.assign(node, { scale, axis });
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
  follow(element, chart.view, spec.usermeta?.listing);
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
  for (const one of document.querySelectorAll(".swatch[data-colour]"))
    one.style.background = inTheme(one.dataset.colour, theme);
}

async function drawAll() {
  for (const element of document.querySelectorAll(".chart")) {
    // A figure that Vega cannot draw must not take the others with it.
    await draw(element).catch((error) => console.error(element.dataset.figure, error));
    // One after the other, so that the page stays alive and the first is there at once.
    await new Promise((done) => setTimeout(done));
  }
  document.documentElement.dataset.ready = theme;
}
