"""Writes what to use as rules, from the measured transfers alone.

A strategy is as good as the fastest if it is within 3 % of it, or within 10 % and not clearly
slower; of those the plainest is recommended (`plainness` in the file).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile

from plots.model import values
from plots.model.derive import DIRECTIONS, Benchmark, Run, Sizes
from plots.model.mann_whitney import has_interval
from plots.model.plainness import plainness_key
from plots.model.significance import Ratio, is_clearly_slower, ratio
from plots.text import caption, numbers
from plots.text.trust import LARGE, injected_faults

PHRASES = {"h2d": "to the device", "d2h": "to the host"}
ORDINARY = "pageable"
AGAINST = "as fast as plain cudaMemcpy"
OF_PAGEABLE = " of pageable memory"  # said where cudaMemcpy is named first
ALIKE, MOST_APART = 1.03, 1.1  # as src/advice/ranking.cpp has them
Filter = Callable[[Benchmark], bool]


@dataclass(frozen=True)
class Use:
    """Names a strategy, with the file's words for it."""

    strategy: str
    summary: str


@dataclass(frozen=True)
class Rule:
    """Holds a rule: the data that it is about, the strategies, and why."""

    data: str
    uses: list[Use]
    why: str


@dataclass(frozen=True)
class Choice:
    """Holds the plain copy in one direction at one size, and all that is as good as the fastest."""

    direction: str
    size: int
    plain: Benchmark
    as_good: dict[str, Benchmark]  # by strategy, plainest first

    @property
    def best(self) -> Benchmark:
        """Returns the plainest strategy of those."""
        return next(iter(self.as_good.values()))

    @property
    def is_plain(self) -> bool:
        """Tells whether nothing is clearly better than the plain copy."""
        return self.best.strategy == self.plain.strategy

    @property
    def is_certain(self) -> bool:
        """Tells whether the plain copy was repeated often enough for an interval."""
        return has_interval(self.plain.repetitions, self.plain.repetitions)


def describe(run: Run) -> list[Rule]:
    """Returns the rules that the data support; none for copies within one memory."""
    if run.on_host or injected_faults(run):
        return []
    rules = [_rule_for_large(run), _rule_for_small(run), _rule_for_ordinary(run)]
    return _say_what_is_plain([rule for rule in rules if rule])


def _say_what_is_plain(rules: list[Rule]) -> list[Rule]:
    """Says at the first comparison with a plain cudaMemcpy which memory that copies."""
    for i, rule in enumerate(rules):
        if AGAINST in rule.why:
            why = rule.why.replace(AGAINST, AGAINST + OF_PAGEABLE, 1)
            return [*rules[:i], replace(rule, why=why), *rules[i + 1 :]]
    return rules


def choose(run: Run, direction: str, size: int, allowed: Filter) -> Choice | None:
    """Returns what is as good as the fastest strategy, if a plain copy was measured, too."""
    plain = _plain_copies(run, direction).get(size)
    candidates = [
        benchmark
        for benchmark in run.transfers
        if (benchmark.direction, benchmark.size_bytes) == (direction, size) and allowed(benchmark)
    ]
    if plain is None or not candidates:
        return None
    fastest = min(candidates, key=lambda benchmark: benchmark.ns)
    as_good = [entry for entry in candidates if _is_as_good(entry, fastest)]
    by_plainness = sorted(as_good, key=lambda entry: (plainness_key(entry), entry.ns))
    return Choice(direction, size, plain, {entry.strategy: entry for entry in by_plainness})


def _is_as_good(entry: Benchmark, fastest: Benchmark) -> bool:
    """Tells whether it is as good as the fastest, by the rule of the winner map.

    Noise may hide a small difference, but does not make a large one small.
    """
    part = entry.ns / fastest.ns
    return part <= ALIKE or (part <= MOST_APART and not is_clearly_slower(entry, fastest, ALIKE))


def _plain_copies(run: Run, direction: str) -> Sizes:
    return run.plainest("copy", direction=direction, memory=ORDINARY, method=None, in_place=False)


def _sizes(run: Run, direction: str, allowed: Filter) -> list[int]:
    """Lists the sizes at which there is a choice beside the plain copy."""
    plain = _plain_copies(run, direction)
    return sorted(
        {
            size
            for benchmark in run.transfers
            if allowed(benchmark) and benchmark.direction == direction
            if (size := benchmark.size_bytes or 0) in plain
            if benchmark.strategy != plain[size].strategy
        }
    )


def _choices(run: Run, allowed: Filter, place: int) -> list[Choice]:
    """Chooses in each direction, at the first or the last size."""
    sizes = {direction: _sizes(run, direction, allowed) for direction in DIRECTIONS}
    choices = (
        choose(run, direction, found[place], allowed) for direction, found in sizes.items() if found
    )
    return [choice for choice in choices if choice]


def _rule_for_large(run: Run) -> Rule | None:
    return _rule(run, "Large arrays, copied again and again", _choices(run, _any, -1))


def _rule_for_ordinary(run: Run) -> Rule | None:
    choices = _choices(run, _from_ordinary_memory, -1)
    return _rule(run, "Large arrays that stay in ordinary (pageable) memory", choices)


def _any(_: Benchmark) -> bool:
    return True


def _from_ordinary_memory(benchmark: Benchmark) -> bool:
    return benchmark.memory == ORDINARY


def _rule_for_small(run: Run) -> Rule | None:
    """Says up to which size a plain copy is as good as anything, or what is better."""
    choices = _choices(run, _any, 0)
    if not choices or not all(choice.is_plain for choice in choices):
        return _rule(run, "Small transfers", choices)
    ends = [
        f"{numbers.size(_end_of_plain(run, choice.direction))} {PHRASES[choice.direction]}"
        for choice in choices
    ]
    nothing_faster = _nothing_faster(any(choice.is_certain for choice in choices))
    times = [
        f"{_show(choice.plain, choice.size)} {place}"
        for choice, place in zip(choices, _places(choices), strict=True)
    ]
    why = f"Up to {' and '.join(ends)} {nothing_faster}. {_at(choices)}{' and '.join(times)}."
    return Rule("Small transfers", [_use(run, choices[0].plain.strategy)], why)


def _end_of_plain(run: Run, direction: str) -> int:
    """Returns the largest size up to which nothing is clearly better than a plain copy."""
    sizes = _sizes(run, direction, _any)
    choices = (choose(run, direction, size, _any) for size in sizes)
    plain = takewhile(lambda choice: choice is not None and choice.is_plain, choices)
    return sizes[len(list(plain)) - 1]


def _rule(run: Run, data: str, choices: list[Choice]) -> Rule | None:
    if not choices:
        return None
    common = [
        strategy
        for strategy in choices[0].as_good
        if all(strategy in choice.as_good for choice in choices)
    ]
    chosen = [choice.as_good[common[0]] if common else choice.best for choice in choices]
    strategies = list(dict.fromkeys(benchmark.strategy for benchmark in chosen))
    pairs = list(zip(choices, chosen, strict=True))
    has_other = any(benchmark.strategy != choice.plain.strategy for choice, benchmark in pairs)
    if has_other and all(
        choice.is_certain and not _is_clear(ratio(choice.plain, benchmark))
        for choice, benchmark in pairs
    ):
        return _rule_without_clear_gain(run, data, pairs)
    gains = [
        _describe_gain(choice, benchmark, len(strategies) > 1, place)
        for (choice, benchmark), place in zip(pairs, _places(choices), strict=True)
    ]
    uses = [_use(run, strategy) for strategy in strategies]
    return Rule(data, uses, f"{_at(choices)}{_join(gains)}.")


def _places(choices: list[Choice]) -> list[str]:
    """Returns words for the directions of choices, with their sizes unless all have one."""
    alike = _have_one_size(choices)
    return [
        PHRASES[choice.direction] + ("" if alike else f" ({numbers.size(choice.size)})")
        for choice in choices
    ]


def _at(choices: list[Choice]) -> str:
    """Says the size that all choices have, if they have one."""
    return f"At {numbers.size(choices[0].size)}: " if _have_one_size(choices) else ""


def _have_one_size(choices: list[Choice]) -> bool:
    return len({choice.size for choice in choices}) == 1


def _show(benchmark: Benchmark, size: int) -> str:
    """Formats what a reader asks for at a size: the rate, or the time of a small transfer."""
    if size < LARGE:
        return numbers.time(benchmark.ns)
    return numbers.rate(benchmark.gb_per_s or 0)


def _describe_gain(choice: Choice, chosen: Benchmark, with_name: bool, place: str) -> str:
    name = f"{chosen.strategy} " if with_name else ""
    text = f"{name}{_show(chosen, choice.size)} {place}"
    if chosen.strategy == choice.plain.strategy:
        return f"{text}, and {_nothing_faster(choice.is_certain)}"
    gain = ratio(choice.plain, chosen)
    return f"{text}, {describe_ratio(gain)} {AGAINST}{_doubt(gain)}"


def _doubt(gain: Ratio) -> str:
    """Says what keeps a factor from being a gain."""
    if gain.interval is None:
        return " (too few repetitions to be sure)"
    return "" if _is_clear(gain) else " (no clear gain)"


def _join(gains: list[str]) -> str:
    """Joins gains, and says what they are compared with only at the first of them."""
    first, *others = "; ".join(gains).split(f" {AGAINST}")
    return f"{first} {AGAINST}{''.join(others)}" if others else first


def _is_clear(gain: Ratio) -> bool:
    """Tells whether it is a gain by the interval that stands beside it."""
    return gain.interval is not None and gain.interval[0] > 1


def _rule_without_clear_gain(run: Run, data: str, pairs: list[tuple[Choice, Benchmark]]) -> Rule:
    """Names the plain copy, and what may be faster but is not as clearly as noise would need."""
    others = [(one, chosen) for one, chosen in pairs if chosen.strategy != one.plain.strategy]
    choices = [choice for choice, _ in others]
    gains = [
        f"{chosen.strategy} {_show(chosen, choice.size)} {place}, "
        f"{describe_ratio(ratio(choice.plain, chosen))} {AGAINST}"
        for (choice, chosen), place in zip(others, _places(choices), strict=True)
    ]
    at = f" at {numbers.size(choices[0].size)}" if _have_one_size(choices) else ""
    why = f"Nothing measured is clearly faster. By the medians{at}: {_join(gains)}."
    return Rule(data, [_use(run, pairs[0][0].plain.strategy)], why)


def _nothing_faster(is_certain: bool) -> str:
    """Says that the plain copy is as good as anything, and how sure that is."""
    if is_certain:
        return "nothing measured is clearly faster"
    most = round(100 * (MOST_APART - 1))
    return f"nothing measured is more than {most} % faster (too few repetitions to tell less apart)"


def describe_ratio(gain: Ratio) -> str:
    """Formats a factor with its interval."""
    if gain.interval is None:
        return numbers.times(gain.value)
    low, high = (numbers.times(end).rstrip("×") for end in gain.interval)
    return f"{numbers.times(gain.value)} [{low}, {high}]"


def _use(run: Run, strategy: str) -> Use:
    summaries = {
        values.text(entry, "name", ""): values.text(entry, "summary", "")
        for entry in caption.entries(run.result, "strategies")
    }
    return Use(strategy, summaries.get(strategy, ""))
