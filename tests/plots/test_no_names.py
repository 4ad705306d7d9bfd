"""Tests that no code of plots knows a strategy by its name."""

import ast
import re
from pathlib import Path

import pytest
from described import recorded
from reporting import judged_runs

from plots.figures import FIGURES
from plots.figures.layout import WIDE
from plots.model.load import parse_result, read_result
from plots.model.no_data import NoData

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "plots").rglob("*.py"))
ROLES, METRICS, BENCHMARKS = recorded()
FAMILIES, STRATEGIES = (
    {fields[key] for fields in BENCHMARKS.values()} for key in ("family", "strategy")
)
STEPS = {counter.removesuffix("_ns") for counter in METRICS}
FIELDS = {
    fields[key]
    for fields in BENCHMARKS.values()
    for key in ("method", "setting", "memory", "direction", "role")
}
KEYS = {"cpu"}  # keys of the context
# Families whose name is not also a role, field, step or key.
NAMES = FAMILIES - {*ROLES} - STEPS - FIELDS - KEYS
IN_A_NAME = re.compile(rf"\b({'|'.join(FAMILIES)})/(?!\w+ )")


def texts(path):
    """Yields every text in the code except docstrings, with its line."""
    tree = ast.parse(path.read_text("utf-8"))
    explained = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in explained:
            yield node.lineno, node.value


def findings(path):
    for line, text in texts(path):
        if text in NAMES or text in STRATEGIES - FIELDS - {*ROLES} - STEPS:
            yield f"{path.name}:{line}: {text!r} is a name"
        elif IN_A_NAME.search(text):
            yield f"{path.name}:{line}: {text!r} has a name in it"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_of_the_code_is_a_strategy(path):
    assert list(findings(path)) == []


@pytest.mark.parametrize("text", ["copy/pinned", "gpu_array", "cpu/", "scatter/loop"])
def test_the_guard_sees_such_a_text(tmp_path, text):
    source = tmp_path / "source.py"
    source.write_text(f'"""Explains {text}."""\nif name == {text!r}:\n    pass\n', "utf-8")
    assert len(list(findings(source))) == 1


def test_no_code_splits_names():
    pattern = re.compile(r"""\.(split|rsplit|partition|rpartition)\(["']/["']""")
    files = [path.name for path in SOURCES if pattern.search(path.read_text("utf-8"))]
    assert files == []


def rename_strategies(result):
    """Renames families and strategies of a run, and keeps their order."""
    transfers = result.transfers
    strategies = sorted({fields["strategy"] for fields in transfers["benchmarks"].values()})
    families = sorted({name.split("/")[0] for name in strategies})
    new_names = {
        name: f"family{families.index(name.split('/')[0]):03}/strategy{i:04}"
        for i, name in enumerate(strategies)
    }

    def new_name(name):
        strategy = transfers["benchmarks"][name]["strategy"]
        return new_names[strategy] + name.removeprefix(strategy)

    benchmarks = {
        new_name(name): fields
        | {
            "strategy": new_names[fields["strategy"]],
            "family": new_names[fields["strategy"]].split("/")[0],
        }
        for name, fields in transfers["benchmarks"].items()
    }
    context = result.context | {"transfers": transfers | {"benchmarks": benchmarks}}
    rows = [row | dict.fromkeys(("name", "run_name"), new_name(row["name"])) for row in result.rows]
    return parse_result(result.path, {"context": context, "benchmarks": rows})


def figure_numbers(run):
    """Returns all numbers in the data of each figure that can be drawn."""
    numbers = {}
    for name, make in FIGURES.items():
        try:
            data = make(run, WIDE).chart.datasets
        except NoData:
            continue
        numbers[name] = {
            key: [[value for value in row.values() if isinstance(value, float)] for row in rows]
            for key, rows in data.items()
        }
    return numbers


def test_other_names_change_no_finding_and_no_figure(program):
    recorded = read_result(
        ROOT / "results" / "nvidia-h200" / "2026-11-21-report" / "result.json.gz"
    )
    results = [recorded, rename_strategies(recorded)]
    before, after = judged_runs(program, results)
    assert not {benchmark.strategy for benchmark in before.benchmarks} & {
        benchmark.strategy for benchmark in after.benchmarks
    }
    assert before.judged.matters == after.judged.matters
    assert len(before.judged.matters) == 5
    figures, renamed_figures = figure_numbers(before), figure_numbers(after)
    assert len(figures) >= 8
    del figures["compared"]  # published rates are found by name
    assert figures == renamed_figures
