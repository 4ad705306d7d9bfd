"""docs/answers.schema.json describes every key of the answers, and what older programs wrote."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import frozen
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from jsonschema.exceptions import best_match  # type: ignore[import-untyped]
from running import APPROVED, ROOT

# The first has a schema of its own. EXPORTS.md describes the others, or only the report reads them.
ELSEWHERE = {"result file", "judged runs", "export"}
RECORDED = ["**/host_map*.json", "**/*.sweep.gz", "**/doctor.json", "**/baseline-*.json"]
CODE_OF_MAP = re.compile(r'(?:push_back\(|return |\? )\s*\{"(\w+)",')
CODE_OF_GATE = re.compile(r'return \{"(\w+)",')


@cache
def schema() -> dict[str, Any]:
    return json.loads((ROOT / "docs/answers.schema.json").read_text("utf-8"))


def parts(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A part of the schema and what it refers to or is put together of."""
    yield part
    if reference := part.get("$ref"):
        yield from parts(schema()["$defs"][reference.rpartition("/")[2]])
    for inner in (*part.get("allOf", ()), *part.get("anyOf", ())):
        yield from parts(inner)


def undescribed(part: dict[str, Any], value: Any, path: str = "") -> Iterator[str]:
    """The keys of a value without a description. An object of any keys is described as a whole."""
    alternatives = list(parts(part))
    if isinstance(value, list):
        for inner in value:
            for items in (one["items"] for one in alternatives if "items" in one):
                yield from undescribed(items, inner, f"{path}[]")
    if not isinstance(value, dict):
        return
    has_names = any("properties" in one for one in alternatives)
    for key, inner in value.items():
        named = [one["properties"][key] for one in alternatives if key in one.get("properties", {})]
        if has_names and not any("description" in one for found in named for one in parts(found)):
            yield f"{path}.{key}"
        if not has_names:
            named = [
                one["additionalProperties"]
                for one in alternatives
                if one.get("additionalProperties")
            ]
        for found in named:
            yield from undescribed(found, inner, f"{path}.{key}")


def kinds() -> dict[tuple[str, int], dict[str, Any]]:
    found = [next(parts(part)) for part in schema()["oneOf"]]
    every = [schema()["$defs"][part["$ref"].rpartition("/")[2]] for part in found]
    return {
        (part["properties"]["kind"]["const"], part["properties"]["format"]["const"]): part
        for part in every
    }


def answers() -> list[tuple[str, dict[str, Any]]]:
    return [
        (path.stem, document)
        for path in sorted(APPROVED.glob("*.txt"))
        for document in frozen.documents(path.read_text("utf-8"))
        if frozen.kind_of(document) not in ELSEWHERE
    ]


def consts(definition: str) -> set[str]:
    code = schema()["$defs"][definition]["properties"]["code"]
    return {one["const"] for one in code["anyOf"] if "const" in one}


def test_every_kind_is_approved_and_described():
    Draft202012Validator.check_schema(schema())
    assert {(found["kind"], found["format"]) for _, found in answers()} == set(kinds())


@pytest.mark.parametrize(("name", "answer"), answers())
def test_every_key_has_a_description(name: str, answer: dict[str, Any]):
    part = kinds()[answer["kind"], answer["format"]]
    assert sorted(set(undescribed(part, answer))) == [], name


def test_keys_without_a_description_are_found():
    answer = {"kind": "fleet_sweep", "format": 1, "own": 1, "gpus": [{"uuid": "a", "mine": [2]}]}
    found = list(undescribed(kinds()["fleet_sweep", 1], answer))
    assert found == [".own", ".gpus[].mine"]


@pytest.mark.parametrize(
    "path",
    [path for pattern in RECORDED for path in sorted((ROOT / "results").glob(pattern))],
    ids=lambda path: "/".join(path.parts[-2:]),
)
def test_recorded_answers_are_valid(path: Path):
    data = path.read_bytes()
    document = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    error = best_match(Draft202012Validator(schema()).iter_errors(document))
    assert error is None, f"{error.json_path}: {error.message}"
    assert set(undescribed(kinds()[document["kind"], document["format"]], document)) == set()


def test_every_code_of_a_map_and_of_the_gate_is_described():
    findings = "\n".join(
        path.read_text() for path in (ROOT / "src/topology/findings").glob("*.cpp")
    )
    assert consts("map_finding") == set(CODE_OF_MAP.findall(findings))
    messages = (ROOT / "src/gate/report/messages.cpp").read_text()
    for definition, room in (
        ("gate_reason", "reasons"),
        ("gate_note", "notes"),
        ("gate_remark", "remarks"),
    ):
        bodies = re.findall(rf"content of\(const {room}::.*?\n?\}}", messages, re.DOTALL)
        assert consts(definition) == set(CODE_OF_GATE.findall("\n".join(bodies))), definition
