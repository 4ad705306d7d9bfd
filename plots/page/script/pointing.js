// What a reader points at. In figures against size, whose specifications say what to list, these are
// the nearest line and all points of the nearest size. It lies on top of what Vega has drawn, so the
// pictures in files, which are drawn from the same specifications, have none of it.
const NO_KEYWORD = "\u200b"; // before labels: Vega's tooltip makes pictures of "image", and sorts numbers
const REACH = 6; // pixels between the pointer and a line or a point
const GAP = 12; // pixels between what is listed and the list
const rule = document.createElement("div");
rule.className = "rule";
let tapped = null; // the row of which a tap has shown the values
let tappedBefore = null;

const itemsBelow = (node) => (node.items ?? []).flatMap((item) => [item, ...itemsBelow(item)]);
// The points of lines that are shown, as items of Vega's scene: their places follow zooming.
const pointsOf = (view) => itemsBelow(view.scenegraph().root)
  .filter(({ mark, datum }) => mark?.marktype === "symbol" && datum?.label !== undefined);
const least = (items, value) =>
  items.reduce((best, item) => (value(item) < value(best) ? item : best));

// The distance of a place from the stretch between two others.
function distance(place, first, last) {
  const [dx, dy] = [last.x - first.x, last.y - first.y];
  const along = ((place.x - first.x) * dx + (place.y - first.y) * dy) / (dx * dx + dy * dy || 1);
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(place.x - first.x - part * dx, place.y - first.y - part * dy);
}

// The line that is nearest to a place: its points, and how far away it is. Where several lie on each
// other it is the one whose point is seen there.
function nearestLine(place, points, item) {
  const lines = new Map();
  for (const point of points) {
    const name = `${point.datum.label} ${point.datum.direction}`; // a panel may have both directions
    const line = lines.get(name) ?? { points: [], away: Number.MAX_VALUE };
    line.away = Math.min(line.away, distance(place, line.points.at(-1) ?? point, point));
    line.points.push(point);
    lines.set(name, line);
  }
  const every = [...lines.values()];
  return every.find((line) => line.points.includes(item)) ?? least(every, ({ away }) => away);
}

// The benchmark that a mark stands for. A line is of those of all its points.
const benchmarkOf = (item) => (/^(line|area)$/.test(item?.mark.marktype) ? undefined : item?.datum?.benchmark);

// Finds what is below the pointer: a strategy (at its label, in a key or on its line), the nearest
// point and its line, a point as a mark that is right there, and the frame of its panel in the window.
function locate(event, item, view) {
  const strategy = item?.datum?.strategy;
  const panel = item?.mark.marktype === "group" ? item : item?.mark.group;
  const points = panel ? pointsOf(view).filter(({ mark }) => mark.group === panel) : [];
  const seen = points.filter(({ x }) => x >= 0 && x <= panel.width);
  if (seen.length === 0) return { strategy };
  const frame = event.target.closest("g.role-scope").querySelector(".background").getBoundingClientRect();
  const scale = frame.width / panel.width; // a narrow window makes charts smaller
  const place = { x: (event.clientX - frame.left) / scale, y: (event.clientY - frame.top) / scale };
  if (place.x < 0 || place.x > panel.width) return { strategy };
  const { bytes } = least(seen, ({ x }) => Math.abs(x - place.x)).datum;
  const ofSize = seen.filter(({ datum }) => datum.bytes === bytes);
  const line = nearestLine(place, points, item);
  const point = ofSize.find((candidate) => line.points.includes(candidate))
    ?? least(ofSize, ({ y }) => Math.abs(y - place.y));
  const onLine = line.away < REACH ? line.points[0].datum.strategy : undefined;
  const isThere = Math.hypot(point.x - place.x, point.y - place.y) < REACH;
  const mark = isThere && item?.mark.marktype !== "text" ? point : undefined;
  return { strategy: strategy ?? onLine, point, line: line.points, mark, frame, scale };
}

// Fades all other strategies of a chart.
function highlight(element, strategy) {
  if (strategy === undefined || hidden.has(strategy)) return;
  for (const mark of element.querySelectorAll(".role-mark :is(path, text, line)")) {
    const other = mark.__data__?.datum?.strategy; // Vega leaves the item of its scene there
    if (other !== undefined && other !== strategy) mark.classList.add("faded");
  }
}

// Lists all points of a size and direction, the best first, and then what else is known of the
// nearest one. Vega's tooltip shows it.
function list(event, target, view, { order, descending, value, place }) {
  const { point } = target;
  const { datum, tooltip } = point;
  const sign = descending ? -1 : 1;
  const points = pointsOf(view)
    .filter(({ datum: { bytes, [place]: other } }) => bytes === datum.bytes && other === datum[place])
    .sort((first, second) => sign * (first.datum[order] - second.datum[order]));
  const lines = new Map(points.map((listed) => [listed.datum.label, listed])); // a figure may have both units
  const share = ({ percent }) => (percent ? ` (${Math.round(percent)} %)` : "");
  const texts = [...lines].map(([label, { datum: row }]) => [NO_KEYWORD + label, row[value] + share(row)]);
  const told = [datum.strategy, datum.size, datum[value]];
  const details = Object.entries(tooltip)
    .filter(([key, text]) => key !== "direction" && !told.includes(text));
  const title = `${datum.size}, ${datum[place]}`;
  view.tooltip()(null, event, point, { title, ...Object.fromEntries([...texts, ...details]) });
  const box = document.getElementById("vg-tooltip-element");
  document.getElementById("main").append(box); // screen readers want all texts in a landmark
  const cells = [...box.querySelectorAll("td.key")];
  [...lines].forEach(([label, { fill }], i) => {
    cells[i].textContent = label;
    cells[i].style.borderLeft = `.4rem solid ${fill}`;
    cells[i].parentNode.classList.toggle("nearest", label === datum.label);
  });
  cells[lines.size]?.parentNode.classList.add("details");
  placeBeside(box, target);
}

// The places of a box of this size right and left of a point, below and above it, within the window.
function placesBeside({ x, y }, { width, height }) {
  const { clientWidth, clientHeight } = document.documentElement;
  const within = (start, most) => Math.max(0, Math.min(start, most));
  return [y + GAP, y - GAP - height].flatMap((top) => [x + GAP, x - GAP - width].map((left) =>
    new DOMRect(within(left, clientWidth - width), within(top, clientHeight - height), width, height)));
}

// Places a list beside the rule of its size, where it covers least of the nearest line, and its point
// only if there is no other place.
function placeBeside(box, { point, line, frame, scale }) {
  const inWindow = ({ x, y }) => ({ x: frame.left + x * scale, y: frame.top + y * scale });
  const middles = line.slice(1).map((end, i) => ({ x: (end.x + line[i].x) / 2, y: (end.y + line[i].y) / 2 }));
  const ofLine = [...line, ...middles].map(inWindow);
  const covers = ({ left, right, top, bottom }, { x, y }) => x >= left && x <= right && y >= top && y <= bottom;
  const cost = (place) => ofLine.filter((one) => covers(place, one)).length
    + (covers(place, inWindow(point)) ? ofLine.length : 0);
  const { left, top } = least(placesBeside(inWindow(point), box.getBoundingClientRect()), cost);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

function drawRule(element, { point, frame, scale }) {
  const { left, top } = element.getBoundingClientRect();
  rule.style.left = `${frame.left - left - element.clientLeft + element.scrollLeft + point.x * scale}px`;
  rule.style.top = `${frame.top - top - element.clientTop}px`;
  rule.style.height = `${frame.height}px`;
  element.append(rule);
}

function leave() {
  tapped = null;
  rule.remove();
  document.getElementById("vg-tooltip-element")?.classList.remove("visible");
  for (const mark of document.querySelectorAll(".faded")) mark.classList.remove("faded");
}

// Shows only this strategy in the figures that have it; all strategies, if it is alone already.
function showOnly(name) {
  const others = new Set([...document.querySelectorAll(".controls")]
    .map((controls) => [...controls.querySelectorAll("input")].map((box) => box.value))
    .filter((names) => names.includes(name)).flat());
  others.delete(name);
  const isAlone = !hidden.has(name) && [...others].every((other) => hidden.has(other));
  filter(() => {
    hidden.clear();
    if (!isAlone) others.forEach((other) => hidden.add(other));
  });
}

// Follows the pointer in a chart that was drawn. A finger scrolls when it moves, so it taps instead.
function follow(element, view, listing) {
  const find = (event, item) => (listing ? locate(event, item, view) : { point: item, mark: item });
  let start = null;
  view.addEventListener("pointermove", (event, item) => {
    if (event.pointerType === "touch") return;
    const target = find(event, item);
    element.classList.toggle("clickable", Boolean(target.strategy ?? benchmarkOf(target.mark)));
    if (listing) show(element, event, item, target, view, listing);
  });
  view.addEventListener("pointerdown", (event) => { start = event; });
  view.addEventListener("click", (event, item) => {
    const isDrag = start !== null && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > REACH;
    if (isDrag) return;
    const target = find(event, item);
    const isLabel = listing && item?.mark.marktype === "text";
    if (event.pointerType === "touch" && !isLabel) tap(element, event, item, target, view, listing);
    else if (benchmarkOf(target.mark)) openMark(element, target.mark);
    else if (target.strategy !== undefined) showOnly(target.strategy);
  });
}

// Shows what is known where the pointer is in a figure against size.
function show(element, event, item, target, view, listing) {
  if (item?.tooltip && item.datum.label === undefined) return; // a mark that is no point of a line
  leave();
  highlight(element, target.strategy);
  if (target.point === undefined) return;
  drawRule(element, target);
  list(event, target, view, listing);
}

// Shows values by a first tap, and opens the panel of the same mark by a second one.
function tap(element, event, item, target, view, listing) {
  const datum = target.point?.datum;
  if (datum !== undefined && datum === tappedBefore) {
    openMark(element, target.point);
    return;
  }
  if (listing) show(element, event, item, target, view, listing);
  else if (item?.tooltip) view.tooltip()(null, event, item, item.tooltip);
  tapped = datum;
}

function openMark(element, mark) {
  const run = mark.datum.of_run ?? element.closest("section").dataset.run;
  const benchmark = benchmarkOf(mark);
  if (benchmark) openPanel(benchmark, String(run));
}

// Lets check boxes point at their strategies, and adds a button to each that shows only this one.
function equipBoxes(element) {
  element.addEventListener("pointerleave", leave);
  const controls = `.controls[data-for="${CSS.escape(element.dataset.figure)}"]`;
  for (const label of document.querySelectorAll(`${controls} label`)) {
    const { value } = label.querySelector("input");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "only";
    button.textContent = "only";
    button.ariaLabel = `only ${value}`;
    button.addEventListener("click", () => showOnly(value));
    label.after(button);
    for (const control of [label, button]) {
      for (const type of ["pointerenter", "focusin"])
        control.addEventListener(type, () => { leave(); highlight(element, value); });
      for (const type of ["pointerleave", "focusout"]) control.addEventListener(type, leave);
    }
  }
}

function watchForLeaving() {
  document.addEventListener("pointerdown", () => { tappedBefore = tapped; }, { capture: true });
  for (const type of ["pointerdown", "wheel"])
    document.addEventListener(type, leave, { capture: true, passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.target.matches("input, select") || panel.open) return;
    leave();
    if (hidden.size > 0) filter(() => hidden.clear());
  });
}
