"""Writes titles, names and sentences of fleets: sweeps, parts, and what they are slower by."""

from __future__ import annotations

import re
from collections import Counter

from plots.model.fleet import MISSING, PEERS, Aspect, Finding, Gpu, Judgement, Slow
from plots.model.fleet_history import History, Trace
from plots.model.judged import Mark, Sentence
from plots.text import caption, numbers

MOST_SENTENCES = 12
CLASS_WORDS = {
    "link": "link (what the path between host and device limits)",
    "host": "host (what the CPU and its memory limit)",
    "latency": "latency (short operations)",
}
STATES = {"healthy": "good", "named": "warning", "unknown": "unknown"}  # of marks, by verdict
SCOPE_NOUNS = {"gpu": "GPU", "node": "node", "rack": "rack", "slot": "slot", "fleet": "fleet"}
DIRECTIONS = {"both": " both ways", "none": ""}


def percent(value: float) -> str:
    """Formats a slowdown in percent with its sign."""
    digits = 0 if abs(value) >= 999.5 else 1 if abs(value) >= 9.95 else 2
    text = f"{value:+,.{digits}f} %"
    return numbers.with_minus(text) if text.strip("+-0. %") else "0 %"


def percent_in_interval(value: float, interval: tuple[float, float] | None) -> str:
    """Formats a slowdown with its interval."""
    if interval is None:
        return percent(value)
    low, high = (percent(end).removesuffix(" %") for end in interval)
    return f"{percent(value)} [{low}, {high}]"


def slower_by(value: float, interval: tuple[float, float] | None = None) -> str:
    """Formats by how much something takes longer; of more than 100 % how many times as long."""
    if value <= 100:
        return percent_in_interval(value, interval).lstrip("+")
    ends = f" [{', '.join(map(_factor, interval))}]" if interval else ""
    return f"a factor of {_factor(value)}{ends}"


def _factor(value: float) -> str:
    """Formats how many times as long, with the three digits of fleet_transfers."""
    times = 1 + value / 100
    return f"{times:.{2 if times < 9.995 else 1 if times < 99.95 else 0}f}"


def aspect_words(aspect: Aspect) -> str:
    """Returns an aspect in words."""
    direction = DIRECTIONS.get(aspect.direction, f" {aspect.direction}")
    together = ", all GPUs of the node at once" if aspect.together else ""
    return f"{aspect.class_name}{direction}{together}"


def short_aspect(aspect: Aspect) -> str:
    """Returns an aspect in few words."""
    words = (aspect.class_name, DIRECTIONS.get(aspect.direction, aspect.direction).strip())
    return " ".join(filter(None, (*words, "at once" if aspect.together else "")))


def slow_words(slow: Slow) -> str:
    """Returns in what a part is slow."""
    return slow.benchmark or aspect_words(slow.aspect)


def _short_words(slow: Slow) -> str:
    return slow.benchmark or short_aspect(slow.aspect)


def gpu_name(gpu: Gpu | Trace | Finding) -> str:
    """Returns a short name of a GPU by its place: node7/c1:00."""
    slot = re.sub(r"^0000:|\.0$", "", gpu.slot)
    uuid = gpu.gpu if isinstance(gpu, Finding) else gpu.uuid
    return "/".join(filter(None, (gpu.node, slot or uuid)))


def part_name(finding: Finding) -> str:
    """Returns a short name of what is named."""
    if finding.code == MISSING:
        return finding.node or "unknown node"
    if finding.scope == "gpu":
        return gpu_name(finding) or "unknown"
    if finding.scope == "fleet":
        return finding.model or "all models"
    return finding.name or "unknown"


def models(judgement: Judgement) -> str:
    """Returns the models with their numbers."""
    counts = Counter(gpu.model for gpu in judgement.gpus)
    return ", ".join(f"{count:,} × {model}" for model, count in counts.most_common(4))


def title(subject: str, judgement: Judgement) -> str:
    """Returns the title of a figure."""
    return f"{subject} — {models(judgement)}"


def origin(judgement: Judgement) -> str:
    """Returns what sweep it is, and its verdict."""
    nodes = len({gpu.node for gpu in judgement.gpus})
    sweep = f"sweep {judgement.sweep}" if judgement.sweep else caption.short_path(judgement.path)
    return f"{sweep}: {judgement.verdict}; {caption.count(nodes, 'node')}"


def describe(judgement: Judgement) -> str:
    """Says what was swept: the models, the sweep, and its verdict."""
    return "; ".join(filter(None, (models(judgement), origin(judgement))))


def heading(judgement: Judgement) -> str:
    """Returns the heading of the section."""
    sweep = f", sweep {judgement.sweep}" if judgement.sweep else ""
    gpus = f"{judgement.gpu_count:,} GPU{'s' if judgement.gpu_count != 1 else ''}"
    return f"Fleet: {judgement.verdict} ({gpus}{sweep})"


def finding_words(finding: Finding) -> str:
    """Returns a finding as a sentence."""
    if finding.code == MISSING:
        where = f"on node {finding.node}" if finding.node else "of an unknown node"
        return f"{_begin(', '.join(finding.facts))} {where} left no results."
    rack = f"rack {finding.rack}" if finding.rack and finding.scope != "rack" else ""
    beside = list(filter(None, (finding.gpu, rack)))
    where = f" ({', '.join(beside)})" if beside else ""
    subject = _begin(f"{SCOPE_NOUNS[finding.scope]} {part_name(finding)}{where}")
    how_much = (
        f" is slower by {slower_by(finding.slower, finding.interval)} in "
        f"{' and '.join(map(_short_words, finding.slow[:2])) or finding.class_name}"
        if finding.slower is not None
        else ""
    )
    is_of_peers = finding.reference in ("", PEERS)
    compared = "" if is_of_peers else f"beside the {finding.reference.replace('_', ' ')}"
    facts = [compared, f"its link is {finding.link}" if finding.link else ""]
    facts += [fact.replace("_", " ") for fact in finding.facts[:3]]
    since = [f"since {date(finding.since)}"] if finding.since else []
    remarks = "; ".join(filter(None, (*facts, *since)))
    code = finding.code.replace("_", " ")
    return f"{subject}{how_much} ({code}){f'; {remarks}' if remarks else ''}."


def _begin(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def marks(judgement: Judgement) -> list[Mark]:
    """Returns what a reader asks first: is anything slow, what is not known, what is wrong."""
    slow, doubts = len(judgement.findings), judgement.doubts
    state = "warning" if slow else STATES[judgement.verdict]
    tested = _tested(judgement) or [Sentence("What would have been found is not known.")]
    parts = [part_name(one) for one in judgement.findings]
    named = caption.listed([*parts[:2], *([f"{slow - 2} more"] if slow > 2 else [])])
    gpus = len({gpu for one in doubts for gpu in one.gpus})
    texts = (f"{caption.count(len(one.gpus), 'GPU')} {one.text}." for one in doubts)
    problems = _problems(judgement)
    known = [Sentence("Of each GPU it is known whether it is slow.")]
    return [
        Mark("Slow", state, f"{slow or 'none'} reported", named, tested),
        Mark(
            "Not known",
            "unknown" if doubts else "good",
            (caption.count(gpus, "GPU") or "the sweep") if doubts else "nothing",
            "whether slow or not" if doubts else "",
            [Sentence(_begin(text.lstrip())) for text in texts] or known,
        ),
        Mark(
            "Problems",
            "warning" if problems else "good",
            str(len(judgement.problems) or "none"),
            "of the sweep itself" if problems else "",
            problems or [Sentence("Nothing is wrong with the sweep itself.")],
        ),
    ]


def sentences(judgement: Judgement) -> dict[str, list[Sentence]]:
    """Returns what the judgement says, by heading."""
    named = [Sentence(finding_words(entry)) for entry in judgement.findings[:MOST_SENTENCES]]
    more = len(judgement.findings) - len(named)
    if more > 0:
        named.append(Sentence(f"{more} more are in the table below."))
    return {"Who is slow": named or [Sentence("No GPU, node, rack or slot is reported.")]}


def _problems(judgement: Judgement) -> list[Sentence]:
    counts = Counter(problem.code for problem in judgement.problems)
    firsts = {problem.code: problem.text for problem in reversed(judgement.problems)}
    return [
        Sentence(
            f"{_begin(firsts[code])}{f', and {count - 1} more like this' if count > 1 else ''}."
        )
        for code, count in counts.most_common(MOST_SENTENCES)
    ]


def _tested(judgement: Judgement) -> list[Sentence]:
    """Says for each class what slowdown would have been found, by the worst of its aspects."""
    worst: dict[str, dict[str, float]] = {}
    for tested in judgement.tested:
        if (value := tested.percent) is not None:
            scopes = worst.setdefault(tested.class_name, {})
            scopes[tested.scope] = max(value, scopes.get(tested.scope, value))
    return [
        Sentence(
            f"{class_name}: "
            + ", ".join(
                f"a {SCOPE_NOUNS.get(scope, scope)} slower by {slower_by(value)}"
                for scope, value in scopes.items()
            )
            + ", four times out of five."
        )
        for class_name, scopes in worst.items()
    ]


def date(written: str) -> str:
    """Returns a date of a file without seconds, in its own zone."""
    return caption.moment(written, "", "")


def sweep_name(history: History, sweep: int) -> str:
    """Returns a sweep by its day, or its id."""
    named = history.sweeps[sweep]
    return date(named.begin)[:10] if named.begin else named.id or str(sweep + 1)


def history_sentences(history: History) -> list[Sentence]:
    """Says since when each GPU is in trouble."""
    troubled = history.troubled
    said = [Sentence(_trace_words(history, trace)) for trace in troubled[:MOST_SENTENCES]]
    if len(troubled) > len(said):
        said.append(Sentence(f"{len(troubled) - len(said)} more are in the table below."))
    return said or [Sentence("No GPU was named in any of these sweeps.")]


def history_origin(history: History) -> str:
    """Says of which days the sweeps are."""
    sweeps = [sweep_name(history, place) for place in (0, -1)] if history.sweeps else []
    return f"sweeps of {' to '.join(dict.fromkeys(sweeps)) or 'no day'}"


def history_marks(history: History) -> list[Mark]:
    """Returns whether any GPU is slow now."""
    now = sum(trace.since is not None for trace in history.gpus)
    state = "warning" if now else "good" if history.gpus else "unknown"
    origin = history_origin(history)
    return [Mark("Slow now", state, str(now or "none"), origin, [Sentence(f"{_begin(origin)}.")])]


def since_words(history: History, trace: Trace) -> str:
    """Returns since when a GPU is in trouble; empty if it is not."""
    if trace.since is None:
        return ""
    first = f"since {sweep_name(history, trace.since)}"
    return f"{first}, or before" if trace.before is None else first


def _trace_words(history: History, trace: Trace) -> str:
    named = f"named in {caption.count(len(trace.named), 'sweep')}" if trace.named else "never named"
    gpu = f"GPU {gpu_name(trace)} ({trace.uuid})"
    if trace.since is None:
        return f"{gpu} was slow and is not any more; {named}."
    where = f" in {aspect_words(history.aspect(trace.aspect))}" if trace.aspect else ""
    return f"{gpu} is slow{where} {since_words(history, trace)}; {named}."
