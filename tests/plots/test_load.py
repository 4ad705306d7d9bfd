"""Tests the reading of result files."""

import os
from reprlib import repr as brief

import bad_files
import format_2
import pytest
import synthetic

from plots.model.files import ResultError
from plots.model.judge import judge
from plots.model.load import read_result


@pytest.mark.parametrize("name", ["run.json", "run.json.gz"])
def test_reads_context_and_repetitions(tmp_path, name):
    path = synthetic.write(tmp_path / name, synthetic.document())
    result = read_result(path)
    assert result.transfers["device"]["name"] == "Synthetic GPU"
    assert result.context["host_name"] == "synthetic-host"
    assert len(result.rows) == 4 * 2 * 6 * 3
    assert {row["run_type"] for row in result.rows} == {"iteration"}


# The gate refuses these. A report shows what it can.
SHOWN = {"row-without-name", "no-rows", "faults-as-text", "time-gone"}


@pytest.mark.parametrize("name", [*bad_files.RUNS, *bad_files.TEXTS])
def test_a_bad_file_gives_one_clear_line(tmp_path, program, name):
    path = tmp_path / "run.json"
    path.write_bytes(dict(bad_files.given())[f"{name}.json"]())
    if name in SHOWN:
        read_result(path)
        return
    with pytest.raises(ResultError) as error:
        judge(program, [read_result(path)])
    message = str(error.value)
    assert str(path) in message
    assert "\n" not in message


def test_what_is_wrong_is_named_with_its_place():
    name, *_ = format_2.copies()
    fields = format_2.copies() | {name: format_2.copies()[name] | {"flows": [{"device": "a"}]}}
    with pytest.raises(ResultError) as error:
        format_2.result([], benchmarks=fields)
    place = f"benchmarks[{brief(name)}].flows[0].device"
    assert str(error.value).endswith(f": {place} is 'a', no whole number from 0")


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
