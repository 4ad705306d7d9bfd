// Starts the page. The other files of this folder stand above it in the same script.
const button = document.getElementById("theme");
const asked = window.matchMedia("(prefers-color-scheme: dark)");

function use(name) {
  theme = name;
  document.documentElement.dataset.theme = name;
  button.setAttribute("aria-pressed", String(name === "dark"));
  swatches();
  if (name === "dark") recolour(dark); // the picture that is there before the first chart
  drawing = drawing.then(drawAll);
  drawPanel();
}

function recolour(colours) {
  for (const one of document.querySelectorAll(".chart svg *"))
    for (const name of ["fill", "stroke"]) {
      const colour = colours[one.getAttribute(name)];
      if (colour !== undefined) one.setAttribute(name, colour);
    }
}

async function start() {
  ({ wide, column, rows, dark } = JSON.parse(await unpack("data")));
  const library = document.createElement("script");
  library.textContent = await unpack("library");
  document.head.append(library);
  document.querySelector("nav").addEventListener("click", (event) => unfold(event.target.hash ?? ""));
  unfold(location.hash);
  readAddress();
  document.querySelectorAll(".chart").forEach(wire);
  document.querySelectorAll(".chart").forEach(equipBoxes);
  watchForLeaving();
  document.querySelectorAll("details.table").forEach(equip);
  document.querySelectorAll("details.calculator").forEach(wireCalculator);
  wirePanel();
  window.addEventListener("hashchange", () => { unfold(location.hash); readAddress(); applyFilter(); showAddressed(); });
  button.addEventListener("click", () => use(theme === "dark" ? "light" : "dark"));
  asked.addEventListener("change", (event) => use(event.matches ? "dark" : "light"));
  narrow.addEventListener("change", () => use(theme));
  // Paper is white. Printing does not wait for a chart to be drawn again, so what is drawn gets
  // other colours.
  const light = Object.fromEntries(Object.entries(dark).map(([one, other]) => [other, one]));
  window.addEventListener("beforeprint", () => { if (theme === "dark") recolour(light); });
  window.addEventListener("afterprint", () => { if (theme === "dark") recolour(dark); });
  use(asked.matches ? "dark" : "light");
  showAddressed();
}

if ("DecompressionStream" in window) start();
else document.getElementById("old").hidden = false;
