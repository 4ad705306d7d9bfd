// Answers of `advise`, which the page has for each size, direction and reuse that it offers.
const DIRECTIONS = { h2d: "host → device", d2h: "device → host" };
const TERM_COLOURS = ["#b07d00", "#2a9d8f", "#332288", "#882255"]; // of plots/figures/style.py
const FULL = 4; // times as long as the fastest is the longest bar

function wireCalculator(details) {
  details.hidden = false;
  details.addEventListener("toggle", async () => {
    const { terms, strategies, answers } = JSON.parse(await unpack(details.dataset.answers));
    const form = details.querySelector("form");
    const offer = (name, text) => {
      for (const value of new Set(answers.map((answer) => answer[name])))
        form[name].append(element("option", text(value), { value }));
    };
    offer("direction", (direction) => DIRECTIONS[direction]);
    offer("bytes", (bytes) => answers.find((answer) => answer.bytes === bytes).size);
    offer("reuse", (reuse) => reuse.toLocaleString("en"));
    const show = () => {
      const chosen = Object.fromEntries(new FormData(form));
      const answer = answers.find((one) => Object.entries(chosen).every(([name, value]) => String(one[name]) === value));
      showAnswer(details, terms, strategies, chosen, answer);
    };
    form.bytes.value = String(answers.map(({ bytes }) => bytes).findLast((bytes) => bytes <= 2 ** 20) ?? answers[0].bytes);
    form.reuse.value = "100";
    if (form.reuse.selectedIndex < 0) form.reuse.selectedIndex = 0;
    form.addEventListener("change", show);
    show();
  }, { once: true });
}

function swatch(term) {
  const made = element("span", "", { className: "swatch" });
  made.dataset.colour = TERM_COLOURS[term];
  made.style.background = inTheme(TERM_COLOURS[term], theme);
  return made;
}

function showAnswer(details, terms, strategies, { bytes, direction, reuse }, answer) {
  const table = details.querySelector("table");
  table.replaceChildren();
  details.querySelector(".command").textContent =
    `bench_transfers advise --from=FILE --bytes=${bytes} --direction=${direction} --reuse=${reuse}`;
  const said = details.querySelector(".answer");
  if (answer === undefined) {
    said.textContent = "Nothing can be ranked there.";
    return;
  }
  const rows = answer.rows.map(([place, isTied, isFar, ...times]) => ({
    name: strategies[place], isBest: place === answer.recommended, isTied, isFar,
    terms: times.slice(0, 4), sum: times.slice(0, 4).reduce((all, one) => all + one, 0),
    interval: times.slice(4, 6), behind: times.slice(6),
  }));
  const best = rows.find((row) => row.isBest);
  const ties = rows.filter((row) => row.isTied && !row.isBest).length;
  // Terms that all strategies go without are not shown.
  const shown = terms.map((_, i) => i).filter((i) => rows.some((row) => row.terms[i] > 0));
  details.querySelector(".terms").replaceChildren(
    ...shown.flatMap((i) => [swatch(i), `\u00a0${terms[i].replaceAll(" ", "\u00a0")} `]));
  said.replaceChildren(...(best
    ? ["Use ", element("strong", best.name), `: ${time(best.sum)} per transfer (95 %: ${best.interval.map(time).join(" to ")}).`]
    : ["The file cannot tell: measure this size and those around it."]),
  ties > 0 ? ` ${ties} other${ties > 1 ? "s" : ""} cannot be told from the fastest.` : "");
  details.querySelector(".far").hidden = !rows.some((row) => row.isFar);
  const head = table.createTHead().insertRow();
  for (const text of ["strategy", "sum", "", "behind the fastest", ...shown.map((i) => terms[i])])
    head.append(element(text ? "th" : "td", text, text ? { scope: "col" } : {}));
  const body = table.createTBody();
  const longest = Math.min(Math.max(...rows.map((row) => row.sum)), FULL * rows[0].sum);
  for (const row of rows) body.append(rowOf(row, longest, shown));
}

function rowOf({ name, isBest, isTied, isFar, terms, sum, behind: [value, low, high] }, longest, shown) {
  const made = document.createElement("tr");
  const bar = element("span", "", { className: "bar", ariaHidden: "true" });
  bar.append(...terms.map((ns, i) => {
    const part = swatch(i);
    part.style.width = `${100 * ns / longest}%`;
    return part;
  }));
  bar.classList.toggle("cut", sum > longest);
  const behind = value ? `${time(value)} [${[low, high].map(signedTime).join(", ")}]` : "-";
  const cells = [behind, ...shown.map((i) => terms[i] ? time(terms[i]) : "-")];
  made.append(element("th", isBest ? element("strong", name) : name, { scope: "row" }),
    element("td", time(sum)), element("td", bar),
    ...cells.map((text) => element("td", text)));
  made.firstChild.append(isTied ? " *" : "", isFar ? " †" : "");
  return made;
}

const signedTime = (ns) => ns < 0 ? `−${time(-ns)}` : time(ns);
