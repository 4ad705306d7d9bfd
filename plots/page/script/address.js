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
