"""Tests runs against a baseline: the gate's answer, the forest plot and the table."""

import json
import re
import stat
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import gate_answers
import pytest
import synthetic
from format_2 import message
from gate_answers import absent, compared, document
from packed import page_data
from reporting import assert_fails

from plots.__main__ import main
from plots.figures import dark_page, style
from plots.figures.forest import MOST_ROWS, draw_forest
from plots.figures.layout import COLUMN, WIDE
from plots.model import gate
from plots.model.derive import Run
from plots.model.files import ResultError
from plots.model.load import read_result
from plots.page import draw, render, report
from plots.text import check_table, verdict

RECORDED = Path(__file__).resolve().parents[2] / "results" / "nvidia-h200" / "2026-11-21-gate"
BASELINE = RECORDED / "baseline-median.json"
CHECKED = {
    name: [RECORDED / f"{name}-{number}.json.gz" for number in numbers]
    for name, numbers in {"slowed": (1, 2, 3), "second": (6, 7, 8), "third": (1, 2, 3)}.items()
}
MOST = MOST_ROWS[WIDE.name]
SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<script>alert('x')</script> & “Söhne” | \\x"


def draw_spec(check, runs=3, layout=WIDE):
    """Returns the specification of the figure for this number of synthetic runs."""
    figure = draw_forest(
        check, [(number, synthetic.run()) for number in range(1, runs + 1)], layout
    )
    return render.specification(figure)


def texts(spec):
    root = ElementTree.fromstring(draw.svg(spec))
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def panels(spec):
    """Returns the names in each panel by its heading."""
    return {
        f"{panel['title']['text']}; {panel['title']['subtitle']}": panel["layer"][2]["encoding"][
            "y"
        ]["scale"]["domain"]
        for panel in spec["vconcat"][:-1]
    }


@pytest.fixture
def fake(tmp_path):
    """Makes a program in the gate's place, which writes a file and ends with a code."""

    def make(content, code=0, stderr=""):
        answer = tmp_path / "answer"
        text = content if isinstance(content, str) else json.dumps(content)
        answer.write_text(text, "utf-8")
        script = tmp_path / "gate"
        script.write_text(
            "#!/bin/sh\nfor out; do :; done\n"
            f"cp {answer} $out\nprintf '{stderr}' >&2\nexit {code}\n"
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return script

    return make


# The answer of the gate


def without(key, members):
    return {name: value for name, value in members.items() if name != key}


@pytest.mark.parametrize(
    "content",
    [
        [],
        "null",
        {},
        document(format=4),
        document(format=2),  # its pass does not say how much was tested
        document(kind="baseline"),
        document("PASS") | {"verdict": "FINE"},
        document("PASS"),  # the exit code 1 contradicts it
        document(runs={"before": 13}),
        document(benchmarks={"a": 1}),
        document(benchmarks=["a"]),
        document(benchmarks=[compared("a", "unchanged", 0.0, interval_95=[0.1])]),
        document(benchmarks=[compared("a", "unchanged", 0.0, threshold=None)]),
        document(benchmarks=[compared("a", "unchanged", 0.0) | {"slowdown": "much"}]),
        document(classes=[]),  # its benchmarks have classes
        document(classes=[without("tested", gate_answers.class_verdict("link"))], benchmarks=[]),
        document(classes=[gate_answers.class_verdict("link", tested=None)], benchmarks=[]),
        document(classes=[gate_answers.class_verdict("link") | {"verdict": "FINE"}], benchmarks=[]),
        *(without(key, document()) for key in document() if key != "exit_code"),
    ],
)
def test_an_answer_in_another_form_is_one_line(fake, content):
    with pytest.raises(ResultError, match="answers in a form that is not known here"):
        gate.check(fake(content, 1), Path("b.json"), [Path("r.json")])


@pytest.mark.parametrize(
    ("content", "code", "stderr", "expected"),
    [
        ("{", 0, "", "cannot be asked: Expecting"),
        (document(), 2, "gate_transfers: cannot read b:\\n  No such file\\n", "^cannot read b: No"),
        (document(), 139, "", "ended with 139, saying nothing"),
    ],
)
def test_no_answer_is_one_line(fake, content, code, stderr, expected):
    with pytest.raises(ResultError, match=expected) as error:
        gate.check(fake(content, code, stderr), Path("b.json"), [Path("r.json")])
    assert "\n" not in str(error.value)


def test_a_missing_or_unusable_gate_is_one_line(tmp_path):
    with pytest.raises(ResultError, match=r"none is not built \(cmake"):
        gate.check(tmp_path / "none", Path("b.json"), [Path("r.json")])
    (tmp_path / "text").write_text("no program")
    with pytest.raises(ResultError, match=r"cannot be asked: .*Permission denied"):
        gate.check(tmp_path / "text", Path("b.json"), [Path("r.json")])


def test_missing_numbers_count_as_unknown():
    (benchmark,) = gate_answers.check(
        "PASS",
        [compared("a", "unchanged", 0.0, interval_95=[0, None], p=None, detectable_80=None)],
    ).benchmarks
    assert (benchmark.interval, benchmark.p, benchmark.detectable) == (None, None, None)
    assert verdict.interval(benchmark) == "-"


# The figure


def test_long_and_odd_names_leave_room_for_the_figure():
    benchmarks = [compared("copy/" + "long_" * 60 + "/h2d/4B", "slower", 0.1)]
    benchmarks.append(compared(f"copy/{EVIL}/h2d/4B", "unchanged", 0.0))
    spec = draw_spec(gate_answers.check(benchmarks=benchmarks))
    root = ElementTree.fromstring(draw.svg(spec))
    assert float(root.get("width")) < 960
    assert f"copy/{EVIL}/h2d/4B" in texts(spec)
    column = draw_spec(gate_answers.check(benchmarks=benchmarks), layout=COLUMN)
    assert float(ElementTree.fromstring(draw.svg(column)).get("width")) < 390


# The table


def test_the_table_has_the_digits_that_the_gate_has_printed(gate_program):
    for runs in CHECKED.values():
        check = gate.check(gate_program, BASELINE, runs)
        rows = {row[0]: row for row in check_table.make_check_table(check, {}).rows}
        command = [gate_program, "check", BASELINE, *runs, "--all"]
        printed = subprocess.run(command, capture_output=True, check=False).stdout.decode()
        lines = [
            re.split(r" {2,}", line)
            for line in printed.splitlines()
            if re.match(r"\S+/\S+ {2,}", line)
        ]
        assert len(lines) > 5
        for line in lines:
            row = rows[line[0]]
            shown = [cell.replace("−", "-") for cell in (*row[3:6], row[7], row[9])]
            assert line[1:] == shown
            assert row[6] != "-"


def test_the_classes_that_decide_are_the_gates_to_know(gate_program):
    check = gate.check(gate_program, BASELINE, CHECKED["second"], "link,latency")
    assert {entry.name for entry in check.classes if entry.decides} == {"link", "latency"}
    with pytest.raises(ResultError, match=r"^bad --decide-by 'lnk'"):
        gate.check(gate_program, BASELINE, CHECKED["second"], "lnk")


# Recorded runs


@pytest.mark.parametrize("name", CHECKED)
def test_recorded_runs_are_drawn(gate_program, name):
    paths = CHECKED[name]
    check = gate.check(gate_program, BASELINE, paths)
    assert (check.verdict == "REGRESSION") == (name == "slowed")
    runs = [(i, Run(read_result(path))) for i, path in enumerate(paths, start=1)]
    figure = draw_forest(check, runs, WIDE)
    spec = render.specification(figure)
    root = ElementTree.fromstring(draw.svg(spec))
    assert root.get("font-family") == style.FONT
    shown = texts(spec)
    title = verdict.describe_verdict(check)
    heading = f"New runs against the baseline: {title} — NVIDIA H200"
    assert heading.replace(" ", "") in "".join(shown).replace(" ", "")  # it may have two lines
    assert set(map(verdict.describe_class, check.classes)) <= set(shown)
    names = [name for names in panels(spec).values() for name in names]
    assert len(names) == MOST
    assert set(names) <= set(shown)  # none is cut
    assert {benchmark.name for benchmark in check.compared if benchmark.has_changed} <= set(names)
    assert check.sentence in figure.summary
    for benchmark in check.compared:
        low, high = benchmark.interval
        assert low < benchmark.slowdown < high
        assert len(benchmark.runs) == 3


# The page and the command line


def page_of(check, results):
    return report.make_report(results, None, check)


def test_the_verdict_comes_first_and_only_the_first_run_has_a_section(quick_images):
    files = page_of(gate_answers.check(), [synthetic.result()] * 3)
    page = files["report.html"].decode()
    assert re.findall(r'<h2 id="section[^>]*>(.*?)</h2>', page) == [
        "REGRESSION, 4 of 6 tested: 3 runs against the baseline, Synthetic GPU",
        "3 runs with a GPU side by side",
        "Run 1: Synthetic GPU",
    ]
    assert set(files) >= {"figures/forest.png", "tables/checked.csv", "tables/run-1-transfers.csv"}
    assert not any("run-2" in name for name in files)
    data = json.dumps(page_data(files["report.html"].decode()))
    colours = set(re.findall(r"#[0-9a-f]{6}\b", data))
    assert {look.colour for look in style.VERDICT.values()} <= colours
    assert {look.colour for look in style.VERDICT.values()} <= set(dark_page.dark_colours())


SOURCE = Path(__file__).resolve().parents[2] / "src" / "gate" / "report" / "messages.cpp"
CODES = re.findall(r'return \{"(\w+)"', SOURCE.read_text("utf-8"))


def check_with_notes(*codes):
    """Of the slowest and the fastest benchmark, and of the answer as a whole."""
    data = {"runs": 3, "list": [{"factor": 1.5}]}
    noted = [message(code, f"made up: {code}.") | {"data": data} for code in codes]
    benchmarks = [
        compared(f"{name}/{note['code']}", verdict, slowdown, note=note)
        for note in noted
        for name, verdict, slowdown in (("copy/a", "slower", 0.1), ("copy/b", "faster", -0.04))
    ]
    benchmarks.append(compared("copy/managed/h2d/64MiB", "unchanged", 0.001))
    return gate_answers.check("REGRESSION", benchmarks, reasons=noted, notes=noted)


@pytest.mark.parametrize("code", sorted(set(CODES)))
def test_a_figure_is_drawn_with_each_note_at_the_slowest_and_the_fastest(code):
    runs = [(number, synthetic.run()) for number in (1, 2, 3)]
    figure = draw_forest(check_with_notes(code), runs, WIDE)
    assert f"copy/a/{code} has changed by +10.0 %" in figure.summary
    assert f"copy/b/{code} has changed by −4.00 %" in figure.summary


@pytest.mark.parametrize(
    "without", [{"too_few_runs"}, {*CODES} - {"too_few_runs"}, {*CODES} - {"slow_runs"}, set()]
)
def test_a_page_has_all_notes(quick_images, without):
    shown = {*CODES} - without
    page = page_of(check_with_notes(*shown), [synthetic.result()] * 3)["report.html"].decode()
    assert {code for code in shown if f"made up: {code}." not in page} == set()


def test_all_codes_of_the_gates_notes_are_known_to_the_test():
    assert {"slow_runs", "implausibly_fast", "too_few_runs", "machine_differs"} <= {*CODES}


def test_without_a_comparable_benchmark_there_is_a_line_instead_of_a_figure(quick_images):
    missing = absent("a", "missing", message("not_measured", "not measured"))
    check = gate_answers.check("INCONCLUSIVE", [missing])
    files = page_of(check, [synthetic.result()])
    page = files["report.html"].decode()
    assert "<li>INCONCLUSIVE: as was made up</li>" in page
    assert "<li>against the baseline: no benchmark could be compared.</li>" in page
    assert "figures/forest.png" not in files
    assert "tables/checked.csv" in files


def test_texts_of_the_gate_are_escaped(quick_images):
    check = gate_answers.check(
        "REGRESSION",
        [compared(EVIL, "slower", 0.1)],
        sentence=f"REGRESSION: {EVIL}",
        notes=[message("interrupted", EVIL)],
        changed=[{"key": EVIL, "before": EVIL, "after": EVIL, "allowed": True}],
    )
    files = page_of(check, [synthetic.result()])
    assert "<script>alert" not in files["report.html"].decode()
    assert "&lt;script>" in files["tables/checked.md"].decode()


@pytest.mark.parametrize("word", gate_answers.CODES)
def test_the_verdict_is_printed_and_is_no_failure(tmp_path, capsys, fake, quick_images, word):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    program = fake(document(word), gate_answers.CODES[word])
    arguments = [path, "--baseline", tmp_path / "b.json", "--gate", program]
    assert main(list(map(str, arguments))) == 0
    out = tmp_path / "report" / "report.html"
    assert capsys.readouterr().out == f"{out}\n{word}: as was made up\n"


def test_without_a_gate_or_an_answer_nothing_is_written(tmp_path, capsys, fake, quick_images):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    arguments = [path, "--out", tmp_path / "out", "--baseline", tmp_path / "b.json", "--gate"]
    assert_fails(capsys, [*arguments, tmp_path / "none"], "none is not built (cmake")
    assert_fails(capsys, [*arguments, fake("{}", 1)], "answers in a form that is not known here")
    assert not (tmp_path / "out").exists()


def test_bad_input_is_the_gates_line(tmp_path, capsys, gate_program, quick_images):
    run = RECORDED / "third-1.json.gz"
    host = synthetic.write(
        tmp_path / "host.json", synthetic.document(device={"kind": "host", "name": "host"})
    )
    options = ["--out", tmp_path / "out", "--gate", gate_program, "--baseline"]
    assert_fails(capsys, [run, *options, tmp_path / "none"], "none: No such file or directory")
    assert_fails(capsys, [run, *options, run], "it is not a baseline")
    assert_fails(
        capsys, [host, *options, BASELINE], "was made without a GPU, the baseline's runs with one"
    )
    assert_fails(capsys, [run, run, *options, BASELINE], "the same")
    assert_fails(capsys, [run, *options, BASELINE, "--decide-by=lnk"], "bad --decide-by 'lnk'")
    assert not (tmp_path / "out").exists()


def test_one_run_alone_gets_no_verdict(tmp_path, capsys, gate_program, quick_images):
    out = tmp_path / "out"
    arguments = [RECORDED / "third-1.json.gz", "--out", out, "--gate", gate_program]
    arguments += ["--baseline", BASELINE]
    assert main(list(map(str, arguments))) == 0
    assert "INCONCLUSIVE: only 1 run" in capsys.readouterr().out
    assert "240 not judged" in (out / "report.html").read_text("utf-8")
