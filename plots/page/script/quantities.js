// Formats numbers as plots/text/numbers.py does for a page; a test compares both.
const NO_BREAK = "\u00a0";

function digits(value) {
  if (value < 0) return `−${digits(-value)}`;
  if (value === 0) return "0";
  if (value >= 1e6 || value < 1e-3) return value.toExponential(3).replace(/e([+-])(\d)$/, "e$10$2");
  const decimals = [[999.95, 0], [99.995, 1], [9.9995, 2]].find(([least]) => value >= least)?.[1] ?? 3;
  return value.toFixed(decimals);
}

// The first unit that leaves less than a thousand; each is 1000 times the one before.
function placeOfUnit(value, units) {
  const last = units.length - 1;
  return units.findIndex((_, i) => i === last || Math.abs(value) < 999.95 * 1000 ** i);
}

function inUnit(value, units) {
  const place = placeOfUnit(value, units);
  return `${digits(value / 1000 ** place)}${NO_BREAK}${units[place]}`;
}

const TIME_UNITS = ["ns", "µs", "ms", "s"];
const time = (ns) => inUnit(ns, TIME_UNITS);

function size(bytes) {
  const [unit, factor] = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]].find(([, least]) => bytes >= least) ?? ["B", 1];
  return `${Number((bytes / factor).toPrecision(unit === "B" ? 4 : 3))}${NO_BREAK}${unit}`;
}

// A value of a metric with its unit.
function quantity(value, unit) {
  if (unit === "ns") return time(value);
  if (unit === "GB/s") return inUnit(value * 1e9, ["B/s", "kB/s", "MB/s", "GB/s"]);
  if (unit === "B") return size(value);
  return unit === "1" || unit === "" ? digits(value) : `${digits(value)}${NO_BREAK}${unit}`;
}
