// Formats numbers as plots/text/numbers.py does; a test compares both.
function digits(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(3).replace(/e([+-])(\d)$/, "e$10$2");
  const decimals = [[999.95, 0], [99.995, 1], [9.9995, 2]].find(([least]) => size >= least)?.[1] ?? 3;
  return value.toFixed(decimals);
}

function inUnit(value, units) {
  const last = units.length - 1;
  const place = units.findIndex((_, i) => i === last || value < 999.95 * 1000 ** i);
  return `${digits(value / 1000 ** place)} ${units[place]}`;
}

const time = (ns) => inUnit(ns, ["ns", "µs", "ms", "s"]);

// A value of a metric with its unit.
function quantity(value, unit) {
  if (unit === "ns") return time(value);
  if (unit === "GB/s") return inUnit(value * 1e9, ["B/s", "kB/s", "MB/s", "GB/s"]);
  return unit === "1" || unit === "" ? digits(value) : `${digits(value)} ${unit}`;
}
