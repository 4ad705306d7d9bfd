"""Calls the command of reports, and the programs that it asks."""

from plots.__main__ import main
from plots.model.derive import Run
from plots.model.judge import judge


def judged_runs(program, results):
    """Runs with what the program says of them."""
    answers = judge(program, results)
    return [Run(result, judged=one) for result, one in zip(results, answers, strict=True)]


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def assert_fails(capsys, arguments, expected):
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("report: ")
    assert captured.err.count("\n") == 1
    assert expected in captured.err
