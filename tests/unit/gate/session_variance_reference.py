"""Prints the figures of session_variance_test.cpp, computed from the text of session_variance.hpp.

It shares no code with the gate: Student's t and the F distribution are written out here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

DEGREES = 6.0  # of the prior
STEPS, LEAST, MOST = 43, 0.05, 1000.0
MARGIN = 2.0
PARTS = {"improved": 0.1, "slowed": 0.25}


@dataclass(frozen=True)
class Evidence:
    """What one benchmark says; the fields are those of session_evidence."""

    deviation: float
    shift: float = 0.0
    process_part: float = 0.0
    session_part: float = 0.0
    between: float = 0.0
    between_part: float = 0.0
    between_degrees: float = 0.0


def t_density(x: float) -> float:
    gammas = math.gamma((DEGREES + 1) / 2) / math.gamma(DEGREES / 2)
    return gammas / math.sqrt(DEGREES * math.pi) * (1 + x * x / DEGREES) ** (-(DEGREES + 1) / 2)


def t_above(x: float) -> float:
    """Abramowitz and Stegun, 26.7.4, for six degrees of freedom."""
    sine = x / math.sqrt(DEGREES + x * x)
    cosine_squared = 1 - sine * sine
    return 0.5 - 0.5 * sine * (1 + cosine_squared / 2 + 3 * cosine_squared**2 / 8)


def log_f(variance: float, scale: float, degrees: float) -> float:
    """The logarithm of F's density, without what does not depend on the scale."""
    ratio = variance / scale
    if ratio <= 0:
        return -math.log(scale)
    return (
        -math.log(scale)
        + (degrees / 2 - 1) * math.log(ratio)
        - (degrees + DEGREES) / 2 * math.log(1 + ratio * degrees / DEGREES)
    )


def quantile(values: list[float], part: float) -> float:
    """Between the two nearest, as Hyndman and Fan's definition 7."""
    place = (len(values) - 1) * part
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


def candidates(suite: list[Evidence]) -> list[list[float]]:
    typical = math.exp(sum(math.log(e.deviation) for e in suite) / len(suite))
    factors = [0.0] + [LEAST * (MOST / LEAST) ** (k / (STEPS - 1)) for k in range(STEPS)]
    return [
        [(factor * typical * (e.deviation / typical) ** exponent) ** 2 for e in suite]
        for exponent in (0.0, 0.5, 1.0)
        for factor in factors
    ]


def shift_variance(e: Evidence, variance: float) -> float:
    return e.deviation**2 * e.process_part + variance * e.session_part


def by_side(suite: list[Evidence], sign: int, part: float) -> list[tuple[float, list[float]]]:
    """Returns each candidate with the logarithm of its likelihood."""
    shifts = sorted(sign * e.shift for e in suite if e.session_part > 0)
    limit = max(0.0, quantile(shifts, 1 - part)) if part > 0 else math.inf
    models = []
    for variances in candidates(suite):
        total = 0.0
        for e, variance in zip(suite, variances, strict=True):
            distance = sign * e.shift
            if e.session_part <= 0 or distance < 0:
                continue
            deviation = math.sqrt(shift_variance(e, variance))
            if distance > limit:
                total += math.log(t_above(limit / deviation))
            else:
                total += math.log(t_density(distance / deviation) / deviation)
        models.append((total, variances))
    return models


def likely(models: list[tuple[float, list[float]]]) -> list[list[float]]:
    best = max(total for total, _ in models)
    return [variances for total, variances in models if total > best - MARGIN]


def largest(models: list[tuple[float, list[float]]]) -> list[float]:
    return [max(column) for column in zip(*likely(models), strict=True)]


def means(models: list[tuple[float, list[float]]]) -> list[float]:
    return [sum(variances) / len(variances) for variances in likely(models)]


def by_shifts(suite: list[Evidence]) -> list[float]:
    faster = by_side(suite, -1, PARTS["improved"])
    slower = by_side(suite, 1, PARTS["slowed"])
    if min(means(faster)) > max(means(slower)):
        return largest(slower)
    variances = largest(faster)
    improved = any(
        e.session_part > 0
        and t_above(-e.shift / math.sqrt(shift_variance(e, variance))) < 0.01 / len(suite)
        for e, variance in zip(suite, variances, strict=True)
    )
    if improved:
        return variances
    all_of_them = largest(by_side(suite, -1, 0))
    return [max(pair) for pair in zip(variances, all_of_them, strict=True)]


def by_sessions(suite: list[Evidence]) -> list[float]:
    models = []
    for variances in candidates(suite):
        total = sum(
            log_f(e.between, e.deviation**2 * e.between_part + variance, e.between_degrees)
            for e, variance in zip(suite, variances, strict=True)
            if e.between_degrees > 0
        )
        models.append((total, variances))
    return largest(models)


def session_variances(suite: list[Evidence]) -> list[float]:
    """For enough evidence: nothing is assumed."""
    assert sum((e.session_part > 0) + e.between_degrees for e in suite) >= 20
    variances = [0.0] * len(suite)
    if any(e.session_part > 0 for e in suite):
        variances = by_shifts(suite)
    if any(e.between_degrees > 0 for e in suite):
        variances = [max(pair) for pair in zip(variances, by_sessions(suite), strict=True)]
    results = []
    for e, variance in zip(suite, variances, strict=True):
        own = max(0.0, e.between - e.deviation**2 * e.between_part)
        degrees = DEGREES + e.between_degrees
        weighted = (DEGREES * variance + e.between_degrees * own) / degrees
        results.append(max(variance, weighted))
    return results


def wave(i: int) -> float:
    """Numbers between -1 and 1 without a pattern."""
    return math.sin(1.0 + i * i)


def made_up(
    scale: float, improvement: float, degrees: float, session_part: float
) -> list[Evidence]:
    """Thirty benchmarks, as in the test; the last of them gets faster by `improvement`."""
    return [
        Evidence(
            deviation=0.001 * (1 + i % 7),
            shift=scale * wave(i) * (1 + i % 7) - (improvement if i == 29 else 0.0),
            process_part=0.43,
            session_part=session_part,
            between=(0.002 * (1 + wave(i + 50))) ** 2,
            between_part=0.3,
            between_degrees=degrees,
        )
        for i in range(30)
    ]


SUITES = {
    "shifts": made_up(0.004, 0, 0, 0.8),
    "an_improvement": made_up(0.004, 0.085, 0, 0.8),
    "hardly_an_improvement": made_up(0.004, 0.08, 0, 0.8),
    "sessions": made_up(0, 0, 2, 0),
    "both": made_up(0.004, 0, 2, 1.34),
    "wide": made_up(0.3, 0, 0, 0.8),
}

if __name__ == "__main__":
    for name, suite in SUITES.items():
        variances = session_variances(suite)
        print(name, *(f"{math.sqrt(variances[i]):.12g}" for i in (0, 3, 6)))
