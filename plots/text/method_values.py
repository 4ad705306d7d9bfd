"""Describes in the method what a value is: how it is timed, verified and summarised."""

from __future__ import annotations

from plots.model import values
from plots.model.derive import Run
from plots.model.values import is_positive, mapping
from plots.text import numbers
from plots.text.method_facts import Facts


def describe_timing(run: Run) -> Facts:
    """Says what the clock times, how caches were prepared, what was verified."""
    clock = mapping(run.result.transfers, "clock")
    name = values.text(clock, "name", "which one is not known")
    read, resolution = (clock.get(key) for key in ("read_ns", "resolution_ns"))
    yield (
        f"Times are wall times of the host's clock ({name}), from the call until the data are "
        "usable at the destination; the wait for the stream is part of them."
    )
    if is_positive(read):
        yield f"To read the clock takes {numbers.time(read)}."
    if is_positive(resolution):
        yield f"The clock's resolution is {numbers.time(resolution)}."
    if any("device_ns" in row for row in run.result.rows):
        yield "CUDA events time what is called device_ns or device_gb_per_s, and nothing else."
    yield (
        "Before each repetition each cache line of the host's side is flushed, and the "
        "operation runs untimed; later operations find caches as the ones before left them "
        "(warm)."
    )
    if any(benchmark.cold for benchmark in run.benchmarks):
        yield "Where caches are cold, the lines are flushed before every operation."
    if any(not (benchmark.cold or benchmark.warm) for benchmark in run.benchmarks):
        yield (
            "Where threads have written the memory, they load and store each of its lines before "
            "every operation."
        )
    yield (
        "Before each repetition the destination is filled with other bytes; after it every "
        "byte is compared with the source's, and a wrong one fails the benchmark."
    )


def describe_statistics(run: Run) -> Facts:
    """Says what a number is, and what its interval."""
    yield (
        "A time is the median of its repetitions, of which each is the median of its "
        "operations; a bandwidth is the number of bytes divided by that time (1 GB = 10⁹ "
        "bytes)."
    )
    yield (
        "A process is the unit of repetition. Intervals of medians hold with 95 % the median "
        "of seven other processes of the machine: Student's t of the logarithms of the medians "
        "of the processes, whose variances are drawn towards that of all benchmarks that the "
        "same part of the machine limits (Smyth). A run of one process has none."
    )
    yield (
        "Intervals of ratios of strategies have 95 %, from all pairs of repetitions (Mann and "
        "Whitney). They describe the spread within the run; processes of one machine may "
        "differ by more."
    )
    if run.judged.comparisons:
        yield (
            "A difference between runs is significant if the intervals that hold for all "
            "benchmarks together with 95 % (Bonferroni) do not contain zero. They are of processes "
            "and sessions. If neither run has three processes, they are of repetitions, and no "
            "difference is called significant."
        )
