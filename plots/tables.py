"""Tables of a run, as CSV with full precision, and as Markdown and LaTeX to be read."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from plots import numbers
from plots.derive import Run
from plots.gate import Check

LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "µ": r"\textmu{}",
    "½": r"$\frac12$",
    "×": r"$\times$",
}


@dataclass(frozen=True)
class Table:
    """A table: its heading, the head of each column, and rows of texts.

    `raw` are the same rows, and more, as numbers for programs.
    """

    name: str
    heading: str
    head: list[str]
    rows: list[list[str]]
    raw_head: list[str]
    raw: list[list[str | float | int | None]]


def tables(run: Run) -> list[Table]:
    """Every table that has rows."""
    return [table for table in (_benchmarks(run), _transfers(run), _fits(run)) if table.raw]


def checked(check: Check) -> Table:
    """Every benchmark that the gate says something of, with its texts; worst first."""
    rows, raw = [], []
    for one in check.benchmarks:
        values = [
            numbers.judged(value, check.judged_by) if value is not None else "-"
            for value in (one.before, one.after)
        ]
        detectable = "-" if one.detectable is None else numbers.percent(one.detectable)
        low, high = one.interval or (None, None)
        rows.append(
            [
                one.name,
                f"{check.found(one)} ({one.note})" if one.note else check.found(one),
                *values,
                "-" if one.slowdown is None else numbers.signed_percent(one.slowdown),
                one.interval_text,
                one.p_text,
                "-" if one.threshold is None else f"{100 * one.threshold:g} %",
                f"{detectable} *" if one.advisory else detectable,
            ]
        )
        raw.append(
            [
                one.name,
                one.verdict,
                one.before,
                one.after,
                one.slowdown,
                low,
                high,
                one.p,
                one.threshold,
                one.detectable,
                int(one.advisory),
                one.note,
            ]
        )
    head = [
        "benchmark",
        "verdict",
        "before",
        "after",
        "slower by",
        "95 % interval",
        "p",
        "threshold",
        "detectable",
    ]
    raw_head = [
        "benchmark",
        "verdict",
        "before",
        "after",
        "slowdown",
        "interval_95_low",
        "interval_95_high",
        "p",
        "threshold",
        "detectable_80",
        "advisory",
        "note",
    ]
    heading = "Each benchmark against the baseline (*: advisory)"
    return Table("checked", heading, head, rows, raw_head, raw)


def files(table: Table, prefix: str) -> dict[str, bytes]:
    """The table in each form: contents by file name."""
    return {
        f"{prefix}{table.name}.csv": _csv(table).encode(),
        f"{prefix}{table.name}.md": markdown(table).encode(),
        f"{prefix}{table.name}.tex": latex(table).encode(),
    }


def _benchmarks(run: Run) -> Table:
    """Everything that was measured."""
    rows, raw = [], []
    for one in run.benchmarks:
        times = one.values("median_ns")
        spread = numbers.percent(one.spread) if one.repetitions > 1 else "-"
        rate = one.gb_per_s if one.bytes else None
        rows.append(
            [
                one.name,
                numbers.time(one.ns),
                spread,
                numbers.rate(rate) if rate else "-",
                str(one.repetitions),
            ]
        )
        raw.append(
            [
                one.name,
                one.bytes,
                one.ns,
                min(times),
                max(times),
                rate,
                one.get("link_percent"),
                one.get("device_gb_per_s"),
                one.get("cpu_s_per_gb"),
                one.repetitions,
            ]
        )
    head = ["benchmark", "time", "range", "bandwidth", "repetitions"]
    raw_head = [
        "benchmark",
        "bytes",
        "median_ns",
        "fastest_ns",
        "slowest_ns",
        "gb_per_s",
        "link_percent",
        "device_gb_per_s",
        "cpu_s_per_gb",
        "repetitions",
    ]
    return Table("benchmarks", "Everything that was measured", head, rows, raw_head, raw)


def _transfers(run: Run) -> Table:
    """Each plain transfer at its smallest and its largest size."""
    prefixes = dict.fromkeys("/".join(one.name.split("/")[:3]) for one in run.transfers)
    rows, raw = [], []
    for prefix in prefixes:
        sizes = run.sizes(prefix)
        small, large = sizes[min(sizes)], sizes[max(sizes)]
        rate, share = large.gb_per_s, large.get("link_percent")
        rows.append(
            [
                prefix,
                numbers.size(small.bytes or 0),
                numbers.time(small.ns),
                numbers.size(large.bytes or 0),
                numbers.rate(rate) if rate else "-",
                f"{share:.0f} %" if share else "-",
            ]
        )
        raw.append([prefix, small.bytes, small.ns, large.bytes, rate, share])
    head = ["strategy", "smallest", "time", "largest", "bandwidth", "of the link"]
    raw_head = ["strategy", "smallest", "median_ns", "largest", "gb_per_s", "link_percent"]
    return Table("transfers", "Plain transfers, warm caches", head, rows, raw_head, raw)


def _fits(run: Run) -> Table:
    """The lines that `advise` has fitted to transfers."""
    there = {one.name.rsplit("/", 1)[0] for one in run.transfers}
    there |= {name.replace("/read", "/h2d").replace("/write", "/d2h") for name in there}
    fits = [fit for fit in run.advice.fits.values() if fit.name in there]
    rows = [
        [
            fit.name,
            numbers.time(fit.t0_ns),
            numbers.rate(fit.gb_per_s),
            numbers.size(fit.half_bytes) if fit.half_bytes else "-",
            str(fit.lines),
        ]
        for fit in fits
    ]
    raw: list[list[str | float | int | None]] = [
        [fit.name, fit.t0_ns, fit.gb_per_s, fit.half_bytes, fit.lines] for fit in fits
    ]
    head = ["strategy", "t0", "B", "n½", "lines"]
    raw_head = ["strategy", "t0_ns", "gb_per_s", "half_bandwidth_bytes", "lines"]
    return Table("fits", "Time as t0 + n/B, as advise has fitted it", head, rows, raw_head, raw)


def _csv(table: Table) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.raw_head)
    writer.writerows([["" if value is None else value for value in row] for row in table.raw])
    return out.getvalue()


def markdown(table: Table) -> str:
    """As Markdown, whose cells cannot end early or become HTML."""
    lines = [table.head, ["---"] * len(table.head), *table.rows]
    return "".join(f"| {' | '.join(map(_markdown_cell, line))} |\n" for line in lines)


def _markdown_cell(text: str) -> str:
    for plain, escaped in (("\\", "\\\\"), ("|", "\\|"), ("<", "&lt;"), ("*", "\\*")):
        text = text.replace(plain, escaped)
    return text


def latex(table: Table) -> str:
    """As a LaTeX tabular."""
    columns = "l" + "r" * (len(table.head) - 1)
    lines = [" & ".join(map(_latex_cell, row)) + r" \\" for row in table.rows]
    head = " & ".join(map(_latex_cell, table.head)) + r" \\"
    return "\n".join(
        [rf"\begin{{tabular}}{{{columns}}}", r"\hline", head, r"\hline", *lines]
        + [r"\hline", r"\end{tabular}", ""]
    )


def _latex_cell(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text)
