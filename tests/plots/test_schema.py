"""Tests the published JSON Schema of the result file: what it accepts and rejects."""

import functools
import gzip
import json
import re
from pathlib import Path

import format_2
import pytest
import synthetic
from calls import call
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from plots.model.files import ResultError
from plots.model.judge import judge
from plots.model.load import parse_result, read_result
from plots.model.values import is_failed

ROOT = Path(__file__).resolve().parents[2]
RECORDED = sorted((ROOT / "results").glob("**/*.json.gz"))


@functools.cache
def validator():
    schema = json.loads((ROOT / "docs" / "result_file.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def first_violation(document):
    """Returns the place and the kind of the most relevant violation, or None."""
    error = best_match(validator().iter_errors(document))
    return error and f"{error.json_path}: {error.message}"


def listed_codes(part):
    return set(re.findall(r"[a-z_]+", part["description"]))


def row_as_the_schema_sees_it(row):
    """Of names and of counters the type is all that counts."""
    limited = validator().schema["$defs"]["row"]["properties"].keys() - {"name", "run_name"}
    return {key: value if key in limited else type(value)() for key, value in row.items()}


@functools.cache
def violation_of(definition, text):
    """Of a part of a file: many runs have the same."""
    part = {"$defs": validator().schema["$defs"], "$ref": f"#/$defs/{definition}"}
    error = best_match(Draft202012Validator(part).iter_errors(json.loads(text)))
    return error and error.message


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: "/".join(path.parts[-2:]))
def test_recorded_runs_are_valid_and_their_codes_listed(path):
    document = json.loads(gzip.decompress(path.read_bytes()))
    transfers = document["context"]["transfers"]
    keys = validator().schema["$defs"]["transfers"]["properties"]
    assert {found["code"] for found in transfers["warnings"]} <= listed_codes(keys["warnings"])
    reasons = {skipped["reason"]["code"] for skipped in transfers["skipped"]}
    assert reasons <= listed_codes(keys["skipped"])
    errors = {row["error_code"] for row in document["benchmarks"] if is_failed(row)}
    row = validator().schema["$defs"]["row"]["properties"]
    assert errors <= listed_codes(row["error_code"])
    # All repetitions of a benchmark have the same keys, so checking one of them is enough.
    first = {row["name"]: row for row in reversed(document["benchmarks"])}
    rows = map(row_as_the_schema_sees_it, first.values())
    for definition, parts in (("row", rows), ("fields", transfers["benchmarks"].values())):
        for text in {json.dumps(part, sort_keys=True) for part in parts}:
            assert violation_of(definition, text) is None, text
    document["benchmarks"], transfers["benchmarks"] = [], {}
    assert first_violation(document) is None


def test_there_are_recorded_runs_of_several_machines():
    assert {path.relative_to(ROOT / "results").parts[0] for path in RECORDED} == {
        "host",
        "nvidia-h100",
        "nvidia-h200",
    }


def test_a_made_up_file_is_valid():
    assert first_violation(format_2.document()) is None
    failed = synthetic.failed_row("ring/barrier") | {"error_code": "wrong_data"}
    texts = {
        "warnings": [format_2.message("own_code", "anything", at=3)],
        "skipped": [{"name": "copy/x", "reason": format_2.message("unsupported", "not here")}],
    }
    assert first_violation(format_2.document([*format_2.rows(), failed], **texts)) is None


@pytest.mark.parametrize("number", [1, 3])
def test_a_file_of_another_format_is_not(number):
    assert first_violation(format_2.document(format=number)) is not None


def test_further_keys_are_taken_everywhere():
    document = format_2.document([row | {"own_counter": None} for row in format_2.rows()])
    transfers = document["context"]["transfers"]
    for holder in (
        document,
        document["context"],
        transfers,
        transfers["device"],
        transfers["devices"][0],
        *transfers["benchmarks"].values(),
    ):
        holder["further"] = {"anything": [1]}
    assert first_violation(document) is None


def with_row(**more):
    rows = format_2.rows()
    return format_2.document([rows[0] | more, *rows[1:]])


def invalid_documents():
    """Returns documents with one fault each."""
    name = "copy/pinned/h2d/1MiB"
    fields = format_2.copies() | format_2.exchanges()

    def with_field(**more):
        return format_2.document(benchmarks=fields | {name: fields[name] | more})

    def without_field(key):
        kept = {field: value for field, value in fields[name].items() if field != key}
        return format_2.document(benchmarks=fields | {name: kept})

    def with_metric(**more):
        metrics = format_2.METRICS
        return format_2.document(metrics=metrics | {"hops": metrics["hops"] | more})

    return {
        "role-missing": without_field("role"),
        "role-number": with_field(role=7),
        "family-null": with_field(family=None),
        "strategy-missing": without_field("strategy"),
        "method-number": with_field(method=1),
        "direction-up": with_field(direction="up"),
        "direction-missing": without_field("direction"),
        "size-text": with_field(size_bytes="1MiB"),
        "size-negative": with_field(size_bytes=-1),
        "size-part": with_field(size_bytes=0.5),
        "cache-luke": with_field(cache="luke"),
        "devices-number": with_field(devices=0),
        "devices-negative": with_field(devices=[-1]),
        "devices-null": with_field(devices=None),
        "flows-object": with_field(flows={}),
        "flow-number": with_field(flows=[0]),
        "flow-without-device": with_field(flows=[{"direction": "h2d"}]),
        "flow-node": with_field(flows=[{"device": 0, "direction": "h2d", "node": "1"}]),
        "flow-up": with_field(flows=[{"device": 0, "direction": "up"}]),
        "metric-flow": with_metric(flow=[0]),
        "metric-alone": with_metric(alone="yes"),
        "plainness-text": with_field(plainness="0"),
        "plainness-missing": without_field("plainness"),
        "node-text": with_field(node="0"),
        "node-negative": with_field(node=-1),
        "node-large": with_field(node=2**40),
        "in-place-number": with_field(in_place=1),
        "emulation-text": with_field(emulation="yes"),
        "no-benchmarks": format_2.document(benchmarks=None),
        "benchmark-list": format_2.document(benchmarks=fields | {name: []}),
        "no-roles": format_2.document(roles=None),
        "role-text": format_2.document(roles=format_2.ROLES | {"copy": "copies"}),
        "role-no-table": format_2.document(roles=format_2.ROLES | {"copy": {}}),
        "no-metrics": format_2.document(metrics=[]),
        "role-without-description": format_2.document(
            roles=format_2.ROLES | {"copy": {"table": "times"}}
        ),
        "metric-better": with_metric(better="higher"),
        "metric-unit": with_metric(unit=None),
        "metric-description": with_metric(description=1),
        "metric-headline": with_metric(headline="yes"),
        "metric-kind": with_metric(kind="else"),
        "no-devices": format_2.document(devices=[]),
        "device-text": format_2.document(devices=["GPU"]),
        "warning-text": format_2.document(warnings=["beware"]),
        "warning-without-code": format_2.document(warnings=[{"text": "beware"}]),
        "warning-code": format_2.document(warnings=[format_2.message("Two words", "t")]),
        "warnings-object": format_2.document(warnings={}),
        "skip-text": format_2.document(skipped=[{"name": "a", "reason": "b"}]),
        "warning-without-text": format_2.document(warnings=[{"code": "numa_far", "data": {}}]),
        "skip-text-number": format_2.document(
            skipped=[{"name": "a", "reason": {"code": "b", "text": 1}}]
        ),
        "device-missing": format_2.document(device=None),
        "device-kind": format_2.document(device={"kind": 7}),
        "plainness-large": with_field(plainness=2**40),
        "metric-headline-null": with_metric(headline=None),
        "why-text": format_2.document(device={"kind": "host", "why_not_gpu": "none"}),
        "counter-text": with_row(hops="two"),
        "error-without-code": with_row(error_occurred=True, error_message="e"),
        "complete-text": format_2.document(complete="yes"),
        "disturbed-text": with_row(disturbed="stopped"),
        "disturbed-numbers": with_row(disturbed=[1]),
    }


# Readers only show these values, or ignore them.
HARMLESS = {"warning-code", "metric-headline-null", "counter-text", "error-without-code"}


def gate_takes(gate_program, path):
    """Whether the reader in C++ takes a file: `show` prints it, or exits with 2."""
    process = call([gate_program, "show", "--judge-by=median_ns", path])
    assert process.returncode in (0, 2), process
    return process.returncode == 0


@pytest.mark.parametrize("case", invalid_documents())
def test_an_invalid_document_is_refused_by_schema_and_readers(
    case, tmp_path, program, gate_program
):
    document = invalid_documents()[case]
    assert first_violation(document) is not None
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document), "utf-8")
    assert gate_takes(gate_program, path) is (case in HARMLESS)
    refusal = refusal_of_report(program, path)
    assert refusal.startswith(f"cannot use {path}: ") is (case not in HARMLESS), refusal


def text_of(more=b""):
    """A result file with something more in its context."""
    return json.dumps(format_2.document()).encode().replace(b'"context": {', b'"context": {' + more)


def odd_texts():
    """Returns files as bytes, and whether they can be read."""
    text = text_of()
    packed = gzip.compress(text)
    return {
        "plain": (text, True),
        "packed": (packed, True),
        "packed-in-members": (gzip.compress(text[:99]) + gzip.compress(text[99:]), True),
        "packed-twice": (gzip.compress(packed), False),
        "packed-and-zeros": (packed + bytes(8), False),
        "packed-and-text": (packed + b"x", False),
        "packed-zeros-member": (packed + bytes(4) + gzip.compress(b" "), False),
        "packed-cut": (packed[:-1], False),
        "packed-damaged": (packed[:-8] + bytes(4) + packed[-4:], False),
        "white-space": (b" \t\r\n" + text + b"\n", True),
        "form-feed": (text + b"\f", False),
        "zero-byte": (text + b"\0", False),
        "mark": (text.decode().encode("utf-8-sig"), False),
        "utf-16": (text.decode().encode("utf-16"), False),
        "utf-16-no-mark": (text.decode().encode("utf-16-le"), False),
        "utf-32": (text.decode().encode("utf-32"), False),
        "latin-1": (text_of('"a": "é", '.encode("latin-1")), False),
        "half-character": (text_of(b'"a": "\\ud800", '), False),
        "half-character-as-bytes": (text_of(b'"a": "\xed\xa0\x80", '), False),
        "both-halves": (text_of(b'"a": "\\ud83d\\ude00", '), True),
        "backslash-u": (text_of(b'"a": "\\\\ud800", '), True),
        "nan": (text_of(b'"a": NaN, '), False),
        "infinity": (text_of(b'"a": -Infinity, '), False),
        "number-too-large": (text_of(b'"a": 1e400, '), False),
        "number-too-small": (text_of(b'"a": 1e-400, '), True),
        "integer-too-large": (text_of(b'"a": 18446744073709551616, '), False),
        "largest-integer": (text_of(b'"a": 18446744073709551615, '), True),
        "smallest-integer": (text_of(b'"a": -9223372036854775808, '), True),
        "integer-too-small": (text_of(b'"a": -9223372036854775809, '), False),
        "many-digits": (text_of(b'"a": ' + b"1" * 100_000 + b", "), False),
        "deep": (text_of(b'"a": ' + b"[" * 510 + b"]" * 510 + b", "), True),
        "too-deep": (text_of(b'"a": ' + b"[" * 511 + b"]" * 511 + b", "), False),
    }


@pytest.mark.parametrize("case", odd_texts())
def test_both_readers_read_the_same_bytes(case, tmp_path, program, gate_program):
    data, is_read = odd_texts()[case]
    path = tmp_path / "run.json"
    path.write_bytes(data)
    assert gate_takes(gate_program, path) is is_read
    assert (refusal_of_report(program, path) == "") is is_read


def refusal_of_report(program, path):
    """What a report says of a file that it refuses, in one line; the program is asked, too."""
    try:
        judge(program, [read_result(path)])
    except ResultError as error:
        assert "\n" not in str(error)
        return str(error)
    return ""


def with_schema(number):
    document = format_2.document()
    return document | {"context": document["context"] | {"json_schema_version": number}}


def with_device_kind(kind):
    document = format_2.document()
    transfers = document["context"]["transfers"]
    for device in (transfers["device"], transfers["devices"][0]):
        device |= {"kind": kind}
    return document


def without_row_key(key):
    rows = [{name: value for name, value in row.items() if name != key} for row in format_2.rows()]
    return format_2.document(rows)


@pytest.mark.parametrize(
    ("document", "is_read"),
    [
        (with_row(run_type="warm-up"), False),
        (with_row(run_name=7), False),
        (with_row(name="of no benchmark"), True),  # run_name counts
        (with_row(run_name="of no benchmark"), False),
        (without_row_key("run_name"), True),
        (without_row_key("run_type"), True),
        (without_row_key("name"), True),
        (with_row(repetition_index=0), True),
        (with_row(repetition_index=None), False),
        (with_row(repetition_index=-1), False),
        (with_row(repetition_index=1.0), False),
        (with_row(repetition_index=True), False),
        (with_row(repetition_index=2**63), False),
        (with_row(error_message=5), False),
        (with_row(skip_message=[]), False),
        (with_row(skipped="true"), False),
        (with_row(skipped=True), True),
        (with_row(skipped=1.5), True),  # a counter
        (with_row(error_occurred=True, error_code=5), False),
        (with_row(error_occurred=True, error_code="verification"), True),
        (with_device_kind("\t"), True),
        (with_device_kind(""), False),
        (format_2.document(format=1), False),
        (format_2.document(warnings="far"), False),
        (format_2.document(skipped={}), False),
        (format_2.document(skipped=[{"name": "a"}]), False),
        (format_2.document(skipped=["a"]), False),
        (format_2.document() | {"benchmarks": [{}]}, False),
        (with_schema(1), True),
        (with_schema(None), True),
        (with_schema(2), False),
        (with_schema("1"), False),
    ],
)
def test_both_readers_take_the_same_rows_and_versions(
    document, is_read, tmp_path, program, gate_program
):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document), "utf-8")
    assert gate_takes(gate_program, path) is is_read
    assert (refusal_of_report(program, path) == "") is is_read


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"measured": [synthetic.row("copy/else", 4, 9.0)]}, "'copy/else' is not in context"),
        (
            {"benchmarks": {"a": format_2.fields("a", "unheard-of")}, "measured": []},
            "the role of 'a', 'unheard-of', is not in roles",
        ),
        (
            {"benchmarks": {"a": format_2.fields("a", "copy", devices=[1])}, "measured": []},
            "'a' names a device that is not in devices",
        ),
        (
            {
                "benchmarks": {
                    "a": format_2.fields("a", "copy", flows=[{"device": 1, "direction": "h2d"}])
                },
                "measured": [],
            },
            "'a' names a device that is not in devices",
        ),
        (
            {
                "metrics": {
                    "hops": format_2.METRICS["hops"] | {"flow": {"device": 1, "direction": "h2d"}}
                },
                "measured": [],
            },
            "metric 'hops' names a device that is not in devices",
        ),
    ],
)
def test_the_reader_refuses_dangling_references(more, expected):
    with pytest.raises(ResultError, match=expected):
        parse_result(Path("run.json"), format_2.document(**more))


def first_name():
    return format_2.rows()[0]["name"]


def repetitions(*disturbed):
    """Returns a document with a repetition of one benchmark for each list of codes."""
    row = format_2.rows()[0]
    rows = [
        synthetic.row(row["name"], int(row["bytes"]), 1000.0 + i)
        | {"repetition_index": i, "disturbed": codes}
        for i, codes in enumerate(disturbed)
    ]
    return format_2.document(rows)


@pytest.mark.parametrize(
    ("disturbed", "counting"),
    [
        (([], []), [1000, 1001]),
        (([], ["other_load"], ["stopped"]), [1000]),
        ((["other_load"], ["fewer_cpus"], ["slow_round"]), [1000, 1001, 1002]),
        ((["slow_round"], [], []), [1001, 1002]),
        ((["other_load"], ["stopped", "other_load"], ["moonlight"]), [1000, 1002]),
        ((["stopped"], ["clock_jumped"], ["clock_stood_still"]), []),
        ((["moonlight"], []), [1001]),
    ],
)
def test_both_readers_use_the_least_disturbed_repetitions(
    disturbed, counting, tmp_path, gate_program
):
    document = repetitions(*disturbed)
    assert first_violation(document) is None
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document), "utf-8")
    rows = read_result(path).rows
    assert [row["median_ns"] for row in rows if not is_failed(row)] == counting
    assert {row["error_code"] for row in rows if is_failed(row)} <= {"disturbed"}
    command = [gate_program, "show", "--judge-by=median_ns", path]
    shown = call(command)
    (line,) = (line for line in shown.stdout.splitlines() if line.startswith(first_name()))
    kept = json.dumps(repetitions(*([] for _ in counting)))
    if all(disturbed):  # the gate judges by none of them
        assert line.split() == [first_name(), "disturbed"]
    else:
        fewer = json.loads(kept)
        for row, value in zip(fewer["benchmarks"], counting, strict=True):
            row["median_ns"] = value
        path.write_text(json.dumps(fewer), "utf-8")
        alone = call(command)
        assert line in alone.stdout


def with_key_twice():
    """Returns texts of files with a key twice in one object, and the key."""
    text = json.dumps(format_2.document())
    name = first_name()
    return {
        "benchmarks": (text[:-1] + ', "benchmarks": []}', "benchmarks"),
        "context": ('{"context": {}, ' + text[1:], "context"),
        "complete": (text.replace('"format": 2', '"format": 2, "format": 2', 1), "format"),
        "counter": (text.replace('"median_ns"', '"median_ns": 1, "median_ns"', 1), "median_ns"),
        "escaped": (text.replace('"median_ns"', '"median\\u005fns": 1, "median_ns"'), "median_ns"),
        "fields": (text.replace(f'"{name}": {{', f'"{name}": {{}}, "{name}": {{', 1), name),
    }


@pytest.mark.parametrize("case", with_key_twice())
def test_both_readers_refuse_a_key_that_is_there_twice(case, tmp_path, program, gate_program):
    text, key = with_key_twice()[case]
    path = tmp_path / "run.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ResultError) as error:
        read_result(path)
    assert str(error.value) == f"cannot use {path}: it has {key} twice"
    for command in (
        [gate_program, "show", "--judge-by=median_ns", path],
        [gate_program, "pin", path, path, path, f"--out={tmp_path / 'baseline'}"],
        [program, "advise", f"--from={path}", "--check"],
    ):
        process = call(command, expected=2)
        assert process.stderr.replace("\n  ", " ").count("\n") == 1
        assert str(path) in process.stderr.replace("\n  ", "")
        assert f"it has {key} twice" in process.stderr.replace("\n  ", " ")
