// Answers of `advise`, which the page has for each size, direction and reuse that it offers.
const DIRECTIONS = { h2d: "host → device", d2h: "device → host" };
const FULL = 4; // times as long as the fastest is the longest bar

function wireCalculator(details) {
  details.hidden = false;
  details.addEventListener("toggle", async () => {
    const advice = JSON.parse(await unpack(details.dataset.answers));
    const { answers } = advice;
    const form = details.querySelector("form");
    const offer = (name, text) => {
      for (const value of new Set(answers.map((answer) => answer[name])))
        form[name].append(element("option", text(value), { value }));
    };
    offer("direction", (direction) => DIRECTIONS[direction]);
    offer("bytes", (bytes) => answers.find((answer) => answer.bytes === bytes).size);
    offer("reuse", (reuse) => reuse.toLocaleString("en"));
    const show = () => {
      const chosen = { direction: form.direction.value, bytes: form.bytes.value, reuse: form.reuse.value };
      const answer = answers.find((one) => Object.entries(chosen).every(([name, value]) => String(one[name]) === value));
      showAnswer(details, advice, chosen, answer);
    };
    form.bytes.value = String(answers.map(({ bytes }) => bytes).findLast((bytes) => bytes <= 2 ** 20) ?? answers[0].bytes);
    form.reuse.value = "100";
    if (form.reuse.selectedIndex < 0) form.reuse.selectedIndex = 0;
    form.reuse.disabled = advice.missing.includes(advice.terms[0][0]); // then all answers are alike
    form.addEventListener("change", show);
    show();
  }, { once: true });
}

function swatch(colour) {
  const made = element("span", "", { className: "swatch" });
  made.dataset.colour = colour;
  made.style.background = inTheme(colour, theme);
  return made;
}

function showAnswer(details, { terms, strategies, command }, { bytes, direction, reuse }, answer) {
  const table = details.querySelector("table");
  table.replaceChildren();
  details.querySelector(".command").textContent =
    `${command} --bytes=${bytes} --direction=${direction} --reuse=${reuse}`;
  const said = details.querySelector(".answer");
  if (answer === undefined) {
    said.textContent = "Nothing can be ranked there.";
    return;
  }
  const rows = answer.rows.map(([place, isAsGood, isFar, ...numbers]) => ({
    name: strategies[place], isBest: place === answer.recommended, isAsGood, isFar,
    times: numbers.slice(0, 4), sum: numbers.slice(0, 4).reduce((all, one) => all + one, 0),
    interval: numbers.slice(4, 6), behind: numbers.slice(6),
  }));
  const best = rows.find((row) => row.isBest);
  const others = rows.filter((row) => row.isAsGood && !row.isBest).length;
  // Terms that all strategies go without are not shown.
  const shown = terms.map((_, i) => i).filter((i) => rows.some((row) => row.times[i] > 0));
  details.querySelector(".terms").replaceChildren(
    ...shown.flatMap((i) => [swatch(terms[i][1]), `\u00a0${terms[i][0].replaceAll(" ", "\u00a0")} `]));
  said.replaceChildren(...(best
    ? ["Use ", element("strong", best.name), `: ${time(best.sum)} per transfer (95\u00a0%: ${best.interval.map(time).join(" to ")}).`]
    : ["The file cannot tell: measure this size and those around it."]),
  best && others > 0 ? ` ${others} other${others > 1 ? "s are" : " is"} as good.` : "");
  details.querySelector(".far").hidden = !rows.some((row) => row.isFar);
  const head = table.createTHead().insertRow();
  for (const text of ["strategy", "sum", "", "behind the fastest", ...shown.map((i) => terms[i][0])])
    head.append(element(text ? "th" : "td", text, text ? { scope: "col" } : {}));
  const body = table.createTBody();
  const longest = Math.min(Math.max(...rows.map((row) => row.sum)), FULL * rows[0].sum);
  for (const row of rows) body.append(rowOf(row, longest, shown, terms));
}

function rowOf({ name, isBest, isAsGood, isFar, times, sum, behind: [value, low, high] }, longest, shown, terms) {
  const made = document.createElement("tr");
  const bar = element("span", "", { className: "bar", ariaHidden: "true" });
  bar.append(...shown.map((i) => {
    const part = swatch(terms[i][1]);
    part.style.width = `${100 * times[i] / longest}%`;
    return part;
  }));
  bar.classList.toggle("cut", sum > longest);
  const behind = value ? `${time(value)}\u00a0[${[low, high].map(time).join(", ")}]` : "-";
  const cells = [behind, ...shown.map((i) => times[i] ? time(times[i]) : "-")];
  made.append(element("th", isBest ? element("strong", name) : name, { scope: "row" }),
    element("td", time(sum)), element("td", bar),
    ...cells.map((text) => element("td", text)));
  made.firstChild.append(isAsGood ? " *" : "", isFar ? " †" : "");
  return made;
}
