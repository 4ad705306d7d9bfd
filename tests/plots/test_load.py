"""Tests the reading of result files."""

import gzip
import json
import os

import pytest
import synthetic

from plots.model.load import ResultError, read_result


@pytest.mark.parametrize("name", ["run.json", "run.json.gz"])
def test_reads_context_and_repetitions(tmp_path, name):
    path = synthetic.write(tmp_path / name, synthetic.document())
    result = read_result(path)
    assert result.transfers["device"]["name"] == "Synthetic GPU"
    assert result.context["host_name"] == "synthetic-host"
    assert len(result.rows) == 4 * 2 * 6 * 3
    assert {row["run_type"] for row in result.rows} == {"iteration"}


def with_row(**fields):
    document = synthetic.document()
    document["benchmarks"][0] |= fields
    return json.dumps(document).encode()


def unusable_files():
    complete = json.dumps(synthetic.document()).encode()
    without_rows = synthetic.document()
    del without_rows["benchmarks"]
    return {
        "not-json": (b"hello", "not JSON"),
        "empty": (b"", "not JSON"),
        "truncated": (complete[:-100], "not JSON"),
        "not-text": (b"\xff\xfe\x00\xff", "not JSON"),
        "deep": (b"[" * 200_000, "not JSON"),
        "truncated-gzip": (gzip.compress(complete)[:-100], "damaged gzip"),
        "broken-gzip": (b"\x1f\x8bnonsense", "damaged gzip"),
        "list": (b"[]", "no context.transfers"),
        "other-json": (b'{"context": {"date": "x"}, "benchmarks": []}', "no context.transfers"),
        "no-rows": (json.dumps(without_rows).encode(), "no list of benchmarks"),
        "odd-rows": (json.dumps(synthetic.document([]) | {"benchmarks": [1]}).encode(), "no list"),
        "error-as-text": (with_row(error_occurred="true"), "error_occurred is neither true nor"),
        "error-as-number": (with_row(error_occurred=1), "error_occurred is neither true nor false"),
        "complete-as-text": (
            json.dumps(synthetic.document(complete="false")).encode(),
            "complete is neither true nor false",
        ),
        **{
            f"parts-{number}": (json.dumps(synthetic.document(parts=parts)).encode(), expected)
            for number, (parts, expected) in enumerate(
                [
                    (2, "parts is no list"),
                    ([], "its parts are no list of parts"),
                    (["first"], "its part 1 has no number"),
                    ([{"number": True}], "its part 1 has no number"),
                    ([{"number": 2, "complete": True}], "its part 1 has another number"),
                    ([{"number": 1}], "its part 1 does not say whether it is complete"),
                ]
            )
        },
        "no-format": (json.dumps(synthetic.document(format=None)).encode(), "format is None"),
        **{
            f"format-{number}": (
                json.dumps(synthetic.document(format=number)).encode(),
                f"its result format is {number}, this program reads 2",
            )
            for number in (1, 3)
        },
    }


@pytest.mark.parametrize("case", unusable_files())
def test_a_bad_file_gives_one_clear_line(tmp_path, case):
    data, expected = unusable_files()[case]
    path = tmp_path / "run.json"
    path.write_bytes(data)
    with pytest.raises(ResultError) as error:
        read_result(path)
    message = str(error.value)
    assert expected in message
    assert message.startswith(f"{path}: ")
    assert "\n" not in message


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ResultError, match=r"absent\.json: cannot be read: No such file"):
        read_result(tmp_path / "absent.json")
    with pytest.raises(ResultError, match="cannot be read: Is a directory"):
        read_result(tmp_path)


def test_a_named_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        with pytest.raises(ResultError, match=rf"{name}: cannot be read: it is a named pipe"):
            read_result(tmp_path / name)
