"""Calls the command of reports."""

from plots.__main__ import main


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def assert_fails(capsys, arguments, expected):
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("report: ")
    assert captured.err.count("\n") == 1
    assert expected in captured.err
