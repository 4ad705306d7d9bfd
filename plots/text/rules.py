"""Writes what to use as rules; choices.py decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile

from plots.model import values
from plots.model.choices import (
    SMALL,
    Choice,
    choose,
    decide,
    is_clear,
    pays_behind,
    pays_from,
    sizes_with_choice,
    winners,
)
from plots.model.derive import DIRECTIONS, Benchmark, Run
from plots.model.groups import LARGE
from plots.model.significance import Ratio
from plots.text import caption, numbers
from plots.text.trust import injected_faults

PHRASES = {"h2d": "to the device", "d2h": "to the host"}
AGAINST = "as fast as plain cudaMemcpy"
MANY_CORES = 1.5  # more than the thread that calls
OF_PAGEABLE = " of pageable memory"  # said where cudaMemcpy is named first


@dataclass(frozen=True)
class Use:
    """Names a strategy, with the file's words for it."""

    strategy: str
    summary: str
    place: str = ""  # "to the device", where it is not used in both directions


@dataclass(frozen=True)
class Rule:
    """Holds a rule: the data that it is about, the strategies, and why."""

    data: str
    uses: list[Use]
    why: str


def describe(run: Run) -> list[Rule]:
    """Returns the rules that the data support; none for copies within one memory."""
    if run.on_host or injected_faults(run):
        return []
    rules = [_rule_for_large(run), _rule_for_small(run), _rule_for_ordinary(run)]
    return _say_what_is_plain(_say_what_is_missing(run, [rule for rule in rules if rule]))


def _say_what_is_missing(run: Run, rules: list[Rule]) -> list[Rule]:
    """Says first of all that the costs of memory are not known, where the map goes without."""
    answer = run.advice.map
    if not rules or answer is None or answer["measured_terms"]["allocation"]:
        return rules
    why = f"{rules[0].why} What allocating the memory costs was not measured."
    return [replace(rules[0], why=why), *rules[1:]]


def _say_what_is_plain(rules: list[Rule]) -> list[Rule]:
    """Says at the first comparison with a plain cudaMemcpy which memory that copies."""
    for i, rule in enumerate(rules):
        if AGAINST in rule.why:
            why = rule.why.replace(AGAINST, AGAINST + OF_PAGEABLE, 1)
            return [*rules[:i], replace(rule, why=why), *rules[i + 1 :]]
    return rules


def _choices(run: Run, place: int, of_pageable: bool = False) -> list[Choice]:
    """Chooses in each direction, at the first or the last size."""
    choices = (
        choose(run, direction, sizes[place], of_pageable)
        for direction in DIRECTIONS
        if (sizes := sizes_with_choice(run, direction, of_pageable))
    )
    return [choice for choice in choices if choice]


def _rule_for_large(run: Run) -> Rule | None:
    return _rule(run, "Large arrays, copied again and again", _choices(run, -1))


def _rule_for_ordinary(run: Run) -> Rule | None:
    choices = _choices(run, -1, of_pageable=True)
    return _rule(run, "Large arrays that stay in ordinary (pageable) memory", choices)


def _rule_for_small(run: Run) -> Rule | None:
    """Says up to which size a plain copy is as good as anything, and what is better."""
    choices = _choices(run, 0)
    if not choices:
        return None
    pairs = [_show_clear_size(run, choice, decide(run, choice)) for choice in choices]
    strategies = list(dict.fromkeys(benchmark.strategy for _, benchmark in pairs))
    plain = [_choices_of_plain(run, choice.direction) for choice in choices]
    choices = [choice for choice, _ in pairs]
    details = [
        _describe_time(choice, benchmark, len(strategies) > 1, place)
        if benchmark is choice.plain
        else _describe_gain(choice, benchmark, len(strategies) > 1, place)
        + _describe_reuse(pays_from(run, choice, benchmark.strategy))
        for (choice, benchmark), place in zip(pairs, _places(choices), strict=True)
    ]
    name = choices[0].plain.strategy if len(strategies) > 1 else ""
    up_to = _describe_plain([entries for entries in plain if entries], name)
    times = " and ".join(details) if all(plain) else _join(details)
    return Rule("Small transfers", _uses(run, pairs), f"{up_to}{_at(choices)}{times}.")


def _show_clear_size(run: Run, choice: Choice, chosen: Benchmark) -> tuple[Choice, Benchmark]:
    """Returns a strategy at the smallest size at which its gain is clear; else as it is."""
    if chosen is not choice.plain and choice.is_certain:
        for size in sizes_with_choice(run, choice.direction):
            entry = choose(run, choice.direction, size) if size <= SMALL else None
            if entry and entry.gains_clearly(chosen.strategy):
                return entry, entry.measured[chosen.strategy]
    return choice, chosen


def _choices_of_plain(run: Run, direction: str) -> list[Choice]:
    """Returns the choices from the smallest size on, up to where a plain copy is as good."""
    sizes = sizes_with_choice(run, direction)
    choices = [choice for size in sizes if (choice := choose(run, direction, size))]
    return list(takewhile(lambda choice: decide(run, choice) is choice.plain, choices))


def _describe_plain(by_direction: list[list[Choice]], name: str) -> str:
    """Says up to which sizes a plain copy is as good as anything; nothing if it never is.

    `name` is that of the plain copy, if it must be said.
    """
    if not by_direction:
        return ""
    ends = [
        f"{numbers.size(choices[-1].size)} {PHRASES[choices[-1].direction]}"
        for choices in by_direction
    ]
    every = [choice for choices in by_direction for choice in choices]
    if all(choice.is_tie for choice in every):
        nothing_faster = _nothing_faster(any(choice.is_certain for choice in every))
    else:
        nothing_faster = "nothing is, with the costs of its memory, clearly faster"
    than = f" than {name}" if name else ""
    return f"Up to {' and '.join(ends)} {nothing_faster}{than}. "


def _describe_reuse(transfers: int | None) -> str:
    """Says how often memory must be used until a strategy pays, if not at once."""
    if transfers is None or transfers == 1:
        return ""
    return f", if its memory is used {transfers:,} times or more"


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
        choice.is_certain and not is_clear(choice.gain(benchmark)) for choice, benchmark in pairs
    ):
        return _rule_without_clear_gain(run, data, pairs)
    gains = [
        _describe_gain(choice, benchmark, len(strategies) > 1, place)
        for (choice, benchmark), place in zip(pairs, _places(choices), strict=True)
    ]
    why = f"{_at(choices)}{_join(gains)}.{_describe_few_uses(run, pairs)}{_describe_cores(chosen)}"
    return Rule(data, _uses(run, pairs), why)


def _describe_few_uses(run: Run, pairs: list[tuple[Choice, Benchmark]]) -> str:
    """Says what the map names instead for memory that is used less often, if it names anything."""
    counts = {
        choice.direction: count
        for choice, chosen in pairs
        if (count := pays_behind(run, choice, chosen.strategy))
    }
    others = dict.fromkeys(
        name
        for choice, chosen in pairs
        if choice.direction in counts
        for name in winners(run.advice.map, choice.direction, choice.size)
        if name and name != chosen.strategy
    )
    if not others:
        return ""
    (direction, count), *more = counts.items()
    few = _at_most(count)
    if len(counts) < len(pairs) or len(set(counts.values())) > 1:
        parts = [f"{few} {PHRASES[direction]}"]
        parts += [f"{count:,} {PHRASES[direction]}" for direction, count in more]
        few = " or ".join(parts)
    return f" If the memory is used {few}, use {' or '.join(others)} instead."


def _at_most(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times or fewer"


def _describe_cores(chosen: list[Benchmark]) -> str:
    """Says how many cores the busiest strategy keeps busy, if it has threads of its own."""
    busiest = max(chosen, key=lambda benchmark: benchmark.get("cores") or 0)
    cores = busiest.get("cores") or 0
    subject = "It" if len({benchmark.strategy for benchmark in chosen}) == 1 else busiest.strategy
    return f" {subject} keeps up to {cores:.1f} CPU cores busy." if cores >= MANY_CORES else ""


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


def _describe_time(choice: Choice, chosen: Benchmark, with_name: bool, place: str) -> str:
    name = f"{chosen.strategy} " if with_name else ""
    return f"{name}{_show(chosen, choice.size)} {place}"


def _describe_gain(choice: Choice, chosen: Benchmark, with_name: bool, place: str) -> str:
    text = _describe_time(choice, chosen, with_name, place)
    if chosen.strategy == choice.plain.strategy:
        return f"{text}, and {_nothing_faster(choice.is_certain)}"
    gain = choice.gain(chosen)
    if gain.interval and not is_clear(gain):
        return f"{text}, no clear gain [{_describe_interval(gain.interval)}]"
    doubt = "" if gain.interval else " (too few repetitions to be sure)"
    return f"{text}, {describe_ratio(gain)} {AGAINST}{doubt}"


def _join(gains: list[str]) -> str:
    """Joins gains, and says what they are compared with only at the first of them."""
    first, *others = "; ".join(gains).split(f" {AGAINST}")
    return f"{first} {AGAINST}{''.join(others)}" if others else first


def _rule_without_clear_gain(run: Run, data: str, pairs: list[tuple[Choice, Benchmark]]) -> Rule:
    """Names the plain copy, and what was compared with it without a clear gain."""
    others = [(one, chosen) for one, chosen in pairs if chosen.strategy != one.plain.strategy]
    choices = [choice for choice, _ in others]
    gains = [
        _describe_gain(choice, chosen, True, place)
        for (choice, chosen), place in zip(others, _places(choices), strict=True)
    ]
    why = f"Nothing measured is clearly faster. {_at(choices)}{_join(gains)}."
    return Rule(data, [_use(run, pairs[0][0].plain.strategy)], why)


def _nothing_faster(is_certain: bool) -> str:
    """Says that the plain copy is as good as anything, and how sure that is."""
    if is_certain:
        return "nothing measured is clearly faster"
    return "nothing measured is more than 10 % faster (too few repetitions to tell less apart)"


def describe_ratio(gain: Ratio) -> str:
    """Formats a factor with its interval."""
    if gain.interval is None:
        return numbers.times(gain.value)
    return f"{numbers.times(gain.value)} [{_describe_interval(gain.interval)}]"


def _describe_interval(interval: tuple[float, float]) -> str:
    return ", ".join(numbers.times(end).rstrip("×") for end in interval)


def _uses(run: Run, pairs: list[tuple[Choice, Benchmark]]) -> list[Use]:
    """Returns the strategies of choices, with their directions if they differ in them."""
    strategies = [chosen.strategy for _, chosen in pairs]
    if len(set(strategies)) == 1:
        return [_use(run, strategies[0])]
    return [
        replace(_use(run, chosen.strategy), place=PHRASES[choice.direction])
        for choice, chosen in pairs
    ]


def _use(run: Run, strategy: str) -> Use:
    summaries = {
        values.text(entry, "name", ""): values.text(entry, "summary", "")
        for entry in caption.entries(run.result, "strategies")
    }
    return Use(strategy, summaries.get(strategy, ""))
