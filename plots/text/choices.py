"""Reads what `bench_transfers advise` recommends, and makes its table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from plots.model.derive import Run
from plots.text import numbers
from plots.text.table import Column, Table, make_table

SHOWN_SIZES = [4 * 2**10, 64 * 2**10, 2**20, 16 * 2**20, 256 * 2**20, 2**30]


@dataclass(frozen=True)
class Choice:
    """Holds what `bench_transfers advise` recommends for one direction, reuse and size."""

    direction: str
    reuse: int | None  # None if the costs of allocation are not known
    bytes: int
    strategy: str | None
    total_ns: float | None
    as_good: int  # from how many others it was chosen
    next: str | None  # the fastest strategy that can be told from it
    margin: float | None  # how much longer `next` takes, as a part of one
    gain: float | None  # how many times as fast as the plain copy it is
    extrapolated: bool

    @property
    def text(self) -> str:
        """Returns the strategy, and how clear its lead is."""
        if self.strategy is None:
            return "-"
        return f"{self.strategy} ({self.certainty})" if self.certainty else self.strategy

    @property
    def certainty(self) -> str:
        """Returns how clear the lead of the strategy is; empty if nothing is known of it."""
        remarks = [numbers.times(self.gain)] if self.gain and self.gain > 1 else []
        if self.as_good:
            remarks.append(f"{self.as_good} as good")
        elif self.margin is not None and not self.extrapolated:
            remarks.append(_describe_margin(self.margin))
        if self.extrapolated:
            remarks.append("extrapolated")
        return ", ".join(remarks)


def _describe_margin(margin: float) -> str:
    return f"next: +{100 * margin:.0f} %" if margin < 2 else f"next: {1 + margin:.0f}×"


def read_choices(run: Run) -> list[Choice]:
    """Reads the map of `advise` at a few sizes; empty if there was nothing to choose from."""
    answer = run.advice.map
    if answer is None:
        return []
    sizes = [size for size in answer["sizes"] if size in SHOWN_SIZES or size == answer["sizes"][-1]]
    has_allocation = answer["measured_terms"]["allocation"]
    choices = []
    for direction in ("h2d", "d2h"):
        table = answer["directions"].get(direction) or {}
        for reuse in (1, 100) if has_allocation else (1,):
            if not table.get("winner") or reuse not in answer["reuse"]:
                continue
            column = answer["reuse"].index(reuse)
            for size in sizes:
                row = answer["sizes"].index(size)
                choices.append(
                    Choice(
                        direction,
                        reuse if has_allocation else None,
                        size,
                        table["winner"][row][column],
                        table["total_ns"][row][column],
                        table["as_good"][row][column] or 0,
                        table["runner_up"][row][column],
                        table["margin"][row][column],
                        table["gain"][row][column],
                        bool(table["extrapolated"][row][column]),
                    )
                )
    return choices if any(choice.as_good or choice.next for choice in choices) else []


def make_recommendations(run: Run) -> list[Table]:
    """Makes the table of recommendations by size; empty if there are none."""
    choices = read_choices(run)
    if not choices or run.on_host:
        return []
    columns = list(dict.fromkeys((choice.direction, choice.reuse) for choice in choices))
    cells = {(choice.direction, choice.reuse, choice.bytes): choice.text for choice in choices}
    rows = [
        [numbers.size(size), *(cells[direction, reuse, size] for direction, reuse in columns)]
        for size in dict.fromkeys(choice.bytes for choice in choices)
    ]
    reuse_texts = {None: "", 1: ", memory used once", 100: ", memory used 100 times"}
    head = ["size", *(f"{direction}{reuse_texts[reuse]}" for direction, reuse in columns)]
    in_files: list[Column[Choice]] = [
        Column("direction", lambda one: one.direction, paper="direction"),
        Column("reuse", lambda one: str(one.reuse or "-"), raw=lambda one: one.reuse, paper="uses"),
        Column(
            "size",
            lambda one: numbers.size(one.bytes),
            key="bytes",
            raw=lambda one: one.bytes,
            paper="size",
        ),
        Column("", key="strategy", raw=lambda one: one.strategy, paper="strategy"),
        Column(
            "", key="total_ns", raw=lambda one: one.total_ns, paper="predicted", unit="µs", per=1e3
        ),
        Column("certainty", lambda one: one.certainty, key=None, paper="certainty"),
        Column("", key="as_good", raw=lambda one: one.as_good),
        Column("", key="next", raw=lambda one: one.next),
        Column("", key="margin", raw=lambda one: one.margin),
        Column("", key="gain", raw=lambda one: one.gain),
        Column("", key="extrapolated", raw=lambda one: int(one.extrapolated)),
    ]
    heading = "What to use: direction, uses of the same memory and size"
    table = make_table("what_to_use", heading, choices, in_files)
    return [replace(table, head=head, rows=rows)]
