"""Lists what `advise` answers about each size, direction and reuse, for the page to choose from."""

from __future__ import annotations

from typing import Any

from plots.figures import style
from plots.model.derive import Run
from plots.page.packing import rounded
from plots.text import caption, numbers

# Each term of the sum: its name on the page, its colour, and the key of whether it was measured.
TERMS = {
    "allocation_ns": ("allocation per use", style.PHASES["allocate"][0], "allocation"),
    "fill_ns": ("CPU writes", style.PHASES["compute"][0], "cpu_writes"),
    "transfer_ns": ("transfer", style.PHASES["upload"][0], ""),
    "read_back_ns": ("CPU reads", style.PHASES["download"][0], "cpu_reads"),
}


def calculate(run: Run) -> dict[str, Any]:
    """Returns the answers by direction, size and reuse; nothing if there are none.

    A row is a strategy's place in `strategies`, whether it is as good as the fastest, as the map
    counts, whether it was measured only at sizes far away, its terms, the interval of their sum,
    and by how much it is behind the fastest, with the interval; times in ns.
    """
    answers = [answer for answer in run.advice.rankings if answer["strategies"]]
    if not answers:
        return {}
    names = sorted({strategy["name"] for answer in answers for strategy in answer["strategies"]})
    places = {name: i for i, name in enumerate(names)}
    measured = answers[0]["measured_terms"]
    return {
        "terms": [[text, colour] for text, colour, _ in TERMS.values()],
        "missing": [text for text, _, key in TERMS.values() if key and not measured[key]],
        "command": _command(run),
        "strategies": names,
        "answers": [
            {
                **{key: answer["question"][key] for key in ("bytes", "direction", "reuse")},
                "size": numbers.size(answer["question"]["bytes"]),
                "recommended": places.get(answer["recommended"]),
                "rows": [
                    _row(places[strategy["name"]], strategy) for strategy in answer["strategies"]
                ],
            }
            for answer in answers
        ],
    }


def _command(run: Run) -> str:
    """Returns the command that answers other questions, up to the question."""
    several = len(caption.entries(run.result, "devices")) > 1
    device = f" --of-device={caption.device_ids(run)[0]}" if several else ""
    return f"bench_transfers advise --from=FILE{' --allow-host' if run.on_host else ''}{device}"


def _row(place: int, strategy: dict[str, Any]) -> list[float]:
    terms = [strategy[term]["value"] for term in TERMS]
    behind = [strategy["behind_ns"][end] for end in ("value", "low", "high")]
    total = [strategy["total_ns"][end] for end in ("low", "high")]
    # An older advise has no `as_good`.
    as_good = strategy["as_good" if "as_good" in strategy else "as_good_as_best"]
    facts = [int(as_good), int(strategy["extrapolated"])]
    return [place, *facts, *map(rounded, [*terms, *total, *behind])]
