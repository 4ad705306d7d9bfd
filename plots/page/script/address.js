// The address can be sent: it has the strategies that are switched off in all figures, and the
// benchmark whose panel is open.
const hidden = new Set();
let opened = null; // the name of this benchmark, and the number of its run
function decode(text) {
  try { return decodeURIComponent(text); } catch { return text; } // not of this page
}
const partsOfAddress = () => new Map(location.hash.slice(1).split("&").map((part) => part.split("=")));
function address() {
  const parts = [];
  if (hidden.size > 0) parts.push(`hide=${[...hidden].map(encodeURIComponent).join(",")}`);
  if (opened !== null) parts.push(`benchmark=${encodeURIComponent(opened.name)}`);
  if (opened !== null && opened.run !== "1") parts.push(`run=${opened.run}`);
  return `#${parts.join("&")}`;
}
function readAddress() {
  const parts = partsOfAddress();
  if (location.hash.length > 1 && !parts.has("hide") && !parts.has("benchmark")) return; // a link to a figure
  hidden.clear();
  for (const name of (parts.get("hide") ?? "").split(",").filter(Boolean)) hidden.add(decode(name));
}
function filter(change) {
  change();
  history.replaceState(null, "", address());
  applyFilter();
}
function applyFilter() {
  leave();
  for (const box of document.querySelectorAll(".controls input")) box.checked = !hidden.has(box.value);
  for (const [name, chart] of charts) hide(document.querySelector(`.chart[data-figure="${CSS.escape(name)}"]`), chart);
}

// What a link leads to is unfolded.
function unfold(hash) {
  const target = hash.length > 1 ? document.getElementById(decode(hash.slice(1))) : null;
  const folded = target?.closest("details:not([open])");
  if (folded) folded.open = true;
}
