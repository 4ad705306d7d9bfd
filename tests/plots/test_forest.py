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
from gate_answers import absent, class_verdict, compared, document, latency
from packed import page_data

from plots.__main__ import main
from plots.figures import FIGURES, style
from plots.figures.forest import MOST_ROWS, draw_forest
from plots.figures.layout import COLUMN, WIDE
from plots.model import gate
from plots.model.derive import NoData, Run
from plots.model.load import ResultError, read_result
from plots.page import draw, render, report
from plots.text import tables, verdict

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
def program(pytestconfig):
    program = pytestconfig.getoption("binary").with_name("gate_transfers")
    if not program.is_file():
        pytest.skip("gate_transfers is not built")
    return program


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


@pytest.fixture
def quick_images(monkeypatch, undrawn):
    """Replaces the slow drawing in tests of the page and the files."""
    monkeypatch.setattr("plots.page.report.FIGURES", {"latency": FIGURES["latency"]})


# The answer of the gate


@pytest.mark.parametrize("word", gate_answers.CODES)
def test_every_answer_is_read(fake, word):
    content = document(word, reasons=[message("too_noisy", "too noisy")])
    program = fake(content, gate_answers.CODES[word])
    answer = gate.check(program, Path("b.json"), [Path("r.json")])
    assert (answer.verdict, answer.sentence) == (word, f"{word}: as was made up")
    assert [entry.text for entry in answer.reasons] == ["too noisy"]
    assert [entry.note.text for entry in answer.benchmarks if entry.note] == ["not measured"]
    assert len(answer.benchmarks) == 8
    assert [(entry.name, entry.verdict, entry.tested) for entry in answer.classes] == [
        ("link", "REGRESSION", 3),
        ("latency", "REGRESSION", 1),
    ]
    assert [entry.name for entry in answer.benchmarks if entry.slowdown is None] == [
        "copy/gone/h2d/4B",
        "copy/added/h2d/4B",
    ]


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
        document(benchmarks=[without("interval_95", compared("a", "unchanged", 0.0))]),
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
    with pytest.raises(ResultError, match="not built, and --baseline needs it: cmake"):
        gate.check(tmp_path / "none", Path("b.json"), [Path("r.json")])
    (tmp_path / "text").write_text("no program")
    with pytest.raises(ResultError, match=r"cannot be asked: .*Permission denied"):
        gate.check(tmp_path / "text", Path("b.json"), [Path("r.json")])


def test_missing_and_infinite_numbers_count_as_unknown():
    (benchmark,) = gate_answers.check(
        "PASS",
        [compared("a", "unchanged", 0.0, interval_95=[0, 1e999], p=None, detectable_80=None)],
    ).benchmarks
    assert (benchmark.interval, benchmark.p, benchmark.detectable) == (None, None, None)
    assert verdict.interval(benchmark) == "-"


# Sentences


def texts_by_heading(check, runs=3):
    return {
        name: [sentence.text for sentence in group]
        for name, group in verdict.sentences(check, runs).items()
    }


def test_the_sentences_repeat_the_gates_answer():
    check = gate_answers.check(
        "REGRESSION",
        reasons=[message("ambiguous", "1 benchmark is ambiguous: more runs would tell", count=1)],
        notes=[message("interrupted", "somewhere/run-1.json was interrupted")],
        changed=[
            {"key": "link.width", "before": "16", "after": "8", "allowed": False},
            {"key": "cpu.governor", "before": "powersave", "after": None, "allowed": True},
        ],
        classes=[
            class_verdict("link", "REGRESSION", of_baseline=76, tested=70, slowdown=-0.0125),
            class_verdict(
                "latency",
                "INCONCLUSIVE",
                tested=0,
                slowdown=0.031,
                changed=True,
                reasons=[message("environment_changed", "latency: the environment changed")],
            ),
        ],
    )
    assert list(texts_by_heading(check).values()) == [
        ["REGRESSION: as was made up"],
        ["1 benchmark is ambiguous: more runs would tell"],
        [
            "link: REGRESSION, 70 of 76 tested at 2 %; as a whole 1.25 % faster",
            "latency: INCONCLUSIVE, 0 of 4 tested at 5 %; as a whole 3.10 % slower: "
            "the environment changed",
        ],
        ["link.width: was 16, is 8", "cpu.governor: was powersave, is unknown (allowed)"],
        [
            "3 runs of 1 session against a baseline of 13 runs of 2 sessions, judged by real_time. "
            "Benchmarks: 2 slower, 1 ambiguous, 1 missing, 1 faster, 1 new, 1 not known, "
            "1 unchanged.",
            "1 of 6 compared is not known: noise would hide a slowdown of the threshold.",
            "Only the first of these 3 runs has a section of its own below: they are of one "
            "machine. For a section of each, make a report without the baseline.",
        ],
        ["somewhere/run-1.json was interrupted"],
    ]


def test_a_pass_speaks_of_what_was_tested():
    check = gate_answers.check(
        "PASS",
        classes=[
            class_verdict("link", of_baseline=76, tested=75),
            class_verdict("latency", of_baseline=40, tested=21),
            class_verdict("other", of_baseline=0, compared=0, tested=0),
        ],
    )
    assert [verdict.describe_class(entry) for entry in check.classes] == [
        "link: PASS, 75 of 76 tested at 2 %",
        "latency: PASS, 21 of 40 tested at 5 %",
        "other: nothing tested",
    ]
    expected = "PASS, 96 of 116 tested"
    assert verdict.heading(check, synthetic.run()).startswith(f"{expected}: 3 runs")
    assert f"New runs against the baseline: {expected} — Synthetic GPU" in texts(draw_spec(check))


def test_classes_that_do_not_decide_are_reported_with_their_reasons_and_not_counted():
    reason = message("too_noisy", "latency: too noisy")
    check = gate_answers.check(
        "PASS",
        classes=[
            class_verdict("link"),
            class_verdict("latency", "INCONCLUSIVE", tested=0, decides=False, reasons=[reason]),
        ],
    )
    assert texts_by_heading(check)["Each class of benchmarks"] == [
        "link: PASS, 4 of 4 tested at 2 %",
        "latency: INCONCLUSIVE, 0 of 4 tested at 5 % (does not decide)",
        "latency: too noisy",
    ]
    assert verdict.describe_verdict(check) == "PASS, 4 of 4 tested in the classes that decide"
    assert any(heading.endswith("; does not decide") for heading in panels(draw_spec(check)))


def test_runs_are_called_by_their_names_alone():
    check = gate_answers.check(
        notes=[
            message("interrupted", "/home/somebody/run-1.json was interrupted"),
            message("one_session", "the baseline is of one session"),
        ],
        paths=(Path("/home/somebody/run-1.json"),),
    )
    assert [note.text for note in check.notes] == [
        "run-1.json was interrupted",
        "the baseline is of one session",
    ]


def test_reasons_are_not_repeated():
    check = gate_answers.check(
        "INCONCLUSIVE",
        sentence="INCONCLUSIVE: too noisy: very",
        reasons=[message("too_noisy", "too noisy: very")],
    )
    assert [
        text for group in texts_by_heading(check).values() for text in group if "noisy" in text
    ] == ["INCONCLUSIVE: too noisy: very"]


def test_with_too_few_runs_nothing_is_judged():
    check = gate_answers.check(
        "INCONCLUSIVE",
        [absent("a", "missing", message("too_few_runs", "measured by 1 of 1 runs"))],
        runs={"before": 13, "after": 1},
    )
    assert "Benchmarks: 1 not judged." in texts_by_heading(check, 1)["What was compared"][0]
    assert "section" not in " ".join(texts_by_heading(check, 1)["What was compared"])
    with pytest.raises(NoData, match="no benchmark could be compared"):
        draw_spec(check, 1)


# The figure


def test_each_class_is_a_panel_with_its_threshold_and_the_worst_above():
    spec = draw_spec(gate_answers.check())
    assert panels(spec) == {
        "link: REGRESSION, 3 of 4 tested at 2 %; dashed: threshold; shown: 4 of 4 compared": [
            "copy/pinned/h2d/64MiB",
            "copy/staged/h2d/64MiB",
            "copy/pageable/h2d/64MiB",
            "copy/managed/h2d/64MiB",
        ],
        "latency: REGRESSION, 1 of 2 tested at 5 %; dashed: threshold; shown: 2 of 2 compared": [
            "copy/pinned/h2d/4B",
            "copy/pageable/h2d/4B",
        ],
    }
    lines = {(line["class"], line["slowdown"]) for line in spec["datasets"]["lines"]}
    assert lines == {("link", 0), ("link", 2), ("latency", 0), ("latency", 5)}
    shown = texts(spec)
    assert {"+10.0 %", "+8.00 %", "+6.00 %", "−4.00 %", "+30.0 %", "+0.10 %"} <= set(shown)
    assert "New runs against the baseline: REGRESSION, 4 of 6 tested — Synthetic GPU" in shown
    assert any("Synthetic CPU" in text and "2026-11-20 11:00 UTC" in text for text in shown)
    assert any("3 runs of 1 session against a baseline of 13 runs" in text for text in shown)


def test_verdicts_differ_by_shape_as_well_as_colour_and_what_noise_hides_is_hollow():
    assert len({look.shape for look in style.VERDICT.values()}) == len(style.VERDICT)
    assert len({look.colour for look in style.VERDICT.values()}) == len(style.VERDICT)
    root = ElementTree.fromstring(draw.svg(draw_spec(gate_answers.check())))
    points = {}
    for element in root.iter(f"{SVG}path"):
        label = element.get("aria-label") or ""
        name_match = re.search(r"benchmark: (\S+);", label)
        if name_match and element.get("aria-roledescription") == "point":
            points.setdefault(name_match[1], []).append(
                (element.get("fill"), element.get("stroke"))
            )
    colours = {name: look.colour for name, look in style.VERDICT.items()}
    assert points["copy/pinned/h2d/64MiB"] == [(colours["slower"], None)]
    assert points["copy/staged/h2d/64MiB"] == [(colours["faster"], None)]
    assert points["copy/pageable/h2d/4B"] == [(colours["ambiguous"], None)]
    assert points["copy/managed/h2d/64MiB"] == [(colours["unchanged"], None)]
    assert points["copy/pinned/h2d/4B"] == [(style.PAPER, colours["slower"])]
    # Its interval continues beyond both ends of the axis, so it has two arrows.
    hidden = colours["not_known"]
    arrow = (hidden, None)
    assert points["copy/pageable/h2d/64MiB"] == [arrow, arrow, (style.PAPER, hidden)]


def test_unchanged_and_not_known_are_told_apart_in_words():
    # It looks slower by more than the threshold, but other benchmarks explain that: not advisory.
    benchmarks = [
        compared("slowest", "not_known", 0.021),
        compared("middle", "unchanged", 0.001),
        compared("fastest", "unchanged", -0.001),
    ]
    check = gate_answers.check("PASS", benchmarks)
    figure = draw_forest(check, [(1, synthetic.run())], WIDE)
    spec = render.specification(figure)
    rows = {row["name"]: row for row in spec["datasets"]["checked"]}
    assert {name: (row["words"], row["hollow"]) for name, row in rows.items()} == {
        "slowest": ("not known", True),
        "middle": ("unchanged", False),
        "fastest": ("unchanged", False),
    }
    assert {"unchanged (tested)", "not known (hidden by noise)"} <= set(texts(spec))
    assert figure.summary == (
        "PASS: as was made up. link: PASS, 2 of 3 tested at 2 %. Of 3 compared, slowest has "
        "changed by +2.10 % (not known) and fastest has changed by −0.10 % (unchanged)."
    )
    assert [row[2] for row in tables.make_check_table(check, {}).rows] == [
        "not known",
        "unchanged",
        "unchanged",
    ]


def test_each_class_has_its_own_axis():
    noisy = compared("host", "not_known", 0.4, **{"class": "host"}, advisory=True)
    spec = draw_spec(gate_answers.check("PASS", [compared("link", "unchanged", 0.001), noisy]))
    ends = [
        panel["layer"][0]["encoding"]["x"]["scale"]["domain"][1] for panel in spec["vconcat"][:-1]
    ]
    assert ends[0] < 10
    assert ends[1] > 40
    # The single runs of both are within their own axes.
    assert len(spec["datasets"]["single"]) == 6


def test_the_classes_take_turns_where_not_all_benchmarks_fit():
    benchmarks = [
        compared(f"host/{i}", "not_known", 0.5 + i / 1e4, **{"class": "host"}) for i in range(100)
    ]
    benchmarks += [compared(f"link/{i}", "unchanged", i / 1e4) for i in range(100)]
    benchmarks += [latency("latency/0", "unchanged", 0.0), latency("latency/1", "slower", 0.1)]
    names = list(panels(draw_spec(gate_answers.check(benchmarks=benchmarks))).values())
    in_turn = (MOST - 2) // 2
    assert [len(members) for members in names] == [in_turn, in_turn, 2]
    assert names[1] == [f"link/{i}" for i in range(99, 99 - in_turn, -1)]


def test_the_axis_has_all_points_and_cuts_intervals_with_arrows():
    spec = draw_spec(gate_answers.check())
    low, high = spec["vconcat"][0]["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert -20 < low < -4
    assert 30 < high < 50
    rows = {row["name"]: row for row in spec["datasets"]["checked"]}
    wide = rows["copy/pageable/h2d/64MiB"]
    assert (wide["low"], wide["high"]) == (low, high)
    assert wide["beyond_low"]
    assert wide["beyond_high"]
    assert wide["interval"] == "−90.0 % to +400 %"
    narrow = rows["copy/pinned/h2d/64MiB"]
    assert (narrow["low"], narrow["high"]) == pytest.approx((9.0, 11.2))
    assert not narrow["beyond_low"]
    unknown = rows["copy/managed/h2d/64MiB"]
    assert unknown["low"] == unknown["high"] == unknown["slowdown"]
    assert "an arrow: the interval goes on beyond the axis" in " ".join(spec["title"]["subtitle"])


def test_without_a_wide_interval_there_is_no_arrow():
    spec = draw_spec(gate_answers.check("PASS", [compared("a", "unchanged", 0.001)]))
    assert "arrow" not in " ".join(spec["title"]["subtitle"])
    assert not any(row["beyond_low"] or row["beyond_high"] for row in spec["datasets"]["checked"])


def test_single_runs_are_shown_under_their_numbers_and_counted_where_they_are_not():
    benchmark = compared("a", "unchanged", 0.001, slowdown_of_runs=[0.001, None, 0.004, 5.0])
    spec = draw_spec(gate_answers.check("PASS", [benchmark]), runs=4)
    assert [(row["run"], row["text"]) for row in spec["datasets"]["single"]] == [
        ("run 1", "+0.10 %"),
        ("run 3", "+0.40 %"),
    ]
    assert "beyond the axis: 1 value of single runs" in " ".join(spec["title"]["subtitle"])


def test_of_many_benchmarks_the_changed_and_the_slowest_are_shown():
    benchmarks = [compared(f"same/{i}", "unchanged", i / 1e5) for i in range(900)]
    benchmarks += [latency(f"faster/{i}", "faster", -0.06 - i / 100) for i in range(3)]
    benchmarks += [compared(f"slower/{i}", "slower", 0.1 + i / 100) for i in range(5)]
    spec = draw_spec(gate_answers.check(benchmarks=benchmarks))
    link, latencies = panels(spec).values()
    assert latencies == ["faster/2", "faster/1", "faster/0"]
    assert link[:6] == ["slower/4", "slower/3", "slower/2", "slower/1", "slower/0", "same/899"]
    assert len(link) + len(latencies) == MOST
    subtitle = " ".join(spec["title"]["subtitle"])
    assert "every benchmark that is slower, ambiguous or faster (8), and the largest" in subtitle
    assert f"the other {908 - MOST} are in the table" in subtitle


def test_a_column_has_fewer_rows_with_names_above_and_says_so():
    benchmarks = [compared(f"same/{i}", "unchanged", i / 1e5) for i in range(100)]
    spec = draw_spec(gate_answers.check("PASS", benchmarks), layout=COLUMN)
    (names,) = panels(spec).values()
    assert names == [f"same/{i}" for i in range(99, 99 - MOST_ROWS[COLUMN.name], -1)]
    assert f"the other {100 - len(names)} are in the table" in " ".join(spec["title"]["subtitle"])
    assert set(names) <= set(texts(spec))
    # Each row has its own lines for zero and the threshold.
    assert len(spec["datasets"]["lines"]) == 2 * len(names)


def test_of_many_changed_benchmarks_the_worst_are_shown():
    benchmarks = [compared(f"slower/{i}", "slower", 0.1 + i / 1000) for i in range(100)]
    benchmarks.append(compared("faster", "faster", -0.1))
    spec = draw_spec(gate_answers.check(benchmarks=benchmarks))
    (names,) = panels(spec).values()
    assert names == [f"slower/{i}" for i in range(99, 99 - MOST, -1)]
    assert f"the {MOST} worst of 101 that are slower" in " ".join(spec["title"]["subtitle"])


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


def test_the_table_has_every_benchmark_with_what_is_known():
    table = tables.make_check_table(gate_answers.check(), {})
    assert table.rows[1] == [
        "copy/pinned/h2d/4B",
        "latency",
        "slower",
        "1.000 ms",
        "1.080 ms",
        "+8.00 %",
        "+7.00 % to +9.20 %",
        "<0.0001",
        "5 %",
        "2.50 % *",
    ]
    assert table.rows[3] == ["copy/gone/h2d/4B", "-", "missing (not measured)"] + ["-"] * 7
    assert {len(row) for row in table.rows} == {len(table.head)}
    assert {len(row) for row in table.raw} == {len(table.raw_head)}
    assert table.raw[1][table.raw_head.index("slowdown")] == 0.08
    assert table.raw[1][table.raw_head.index("advisory")] == 1


def test_the_table_has_the_digits_that_the_gate_has_printed(program):
    for runs in CHECKED.values():
        check = gate.check(program, BASELINE, runs)
        rows = {row[0]: row for row in tables.make_check_table(check, {}).rows}
        command = [program, "check", BASELINE, *runs, "--all"]
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


def test_the_classes_that_decide_are_the_gates_to_know(program):
    check = gate.check(program, BASELINE, CHECKED["second"], "link,latency")
    assert {entry.name for entry in check.classes if entry.decides} == {"link", "latency"}
    with pytest.raises(ResultError, match=r"^bad --decide-by 'lnk'"):
        gate.check(program, BASELINE, CHECKED["second"], "lnk")


# Recorded runs


@pytest.mark.parametrize("name", CHECKED)
def test_recorded_runs_are_drawn(program, name):
    paths = CHECKED[name]
    check = gate.check(program, BASELINE, paths)
    assert (check.verdict == "REGRESSION") == (name == "slowed")
    runs = [(i, Run(read_result(path))) for i, path in enumerate(paths, start=1)]
    figure = draw_forest(check, runs, WIDE)
    spec = render.specification(figure)
    root = ElementTree.fromstring(draw.svg(spec))
    assert root.get("font-family") == style.FONT
    shown = texts(spec)
    title = verdict.describe_verdict(check)
    assert f"New runs against the baseline: {title} — NVIDIA H200" in shown
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
        "Run 1 (synthetic.json): Synthetic GPU, synthetic-host (Synthetic CPU), 2026-11-20 11:00 "
        "UTC, profile standard",
    ]
    assert set(files) >= {"figures/forest.png", "tables/checked.csv", "tables/run-1-transfers.csv"}
    assert not any("run-2" in name for name in files)
    data = json.dumps(page_data(files["report.html"].decode()))
    colours = set(re.findall(r"#[0-9a-f]{6}\b", data))
    assert {look.colour for look in style.VERDICT.values()} <= colours
    assert {look.colour for look in style.VERDICT.values()} <= set(style.dark_colours())


SOURCE = Path(__file__).resolve().parents[2] / "src" / "gate" / "report" / "messages.cpp"
CODES = re.findall(r'return \{"(\w+)"', SOURCE.read_text("utf-8"))


@pytest.mark.parametrize("code", sorted(set(CODES)))
def test_a_page_is_drawn_with_each_note_at_the_slowest_and_the_fastest(quick_images, code):
    noted = message(code, f"made up: {code}") | {"data": {"runs": 3, "list": [{"factor": 1.5}]}}
    benchmarks = [
        compared("copy/pinned/h2d/64MiB", "slower", 0.1, note=noted),
        compared("copy/staged/h2d/64MiB", "faster", -0.04, note=noted),
        compared("copy/managed/h2d/64MiB", "unchanged", 0.001),
    ]
    check = gate_answers.check("REGRESSION", benchmarks, reasons=[noted], notes=[noted])
    figure = draw_forest(check, [(number, synthetic.run()) for number in (1, 2, 3)], WIDE)
    assert "copy/pinned/h2d/64MiB has changed by +10.0 %" in figure.summary
    assert "copy/staged/h2d/64MiB has changed by −4.00 %" in figure.summary
    page = page_of(check, [synthetic.result()] * 3)["report.html"].decode()
    assert f"made up: {code}" in page


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


def assert_fails(capsys, arguments, expected):
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("report: ")
    assert captured.err.count("\n") == 1
    assert expected in captured.err


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
    assert_fails(
        capsys, [*arguments, tmp_path / "none"], "not built, and --baseline needs it: cmake"
    )
    assert_fails(capsys, [*arguments, fake("{}", 1)], "answers in a form that is not known here")
    assert not (tmp_path / "out").exists()


def test_bad_input_is_the_gates_line(tmp_path, capsys, program, quick_images):
    run = RECORDED / "third-1.json.gz"
    host = synthetic.write(
        tmp_path / "host.json", synthetic.document(device={"kind": "host", "name": "host"})
    )
    options = ["--out", tmp_path / "out", "--gate", program, "--baseline"]
    assert_fails(capsys, [run, *options, tmp_path / "none"], "none: No such file or directory")
    assert_fails(capsys, [run, *options, run], "it is not a baseline")
    assert_fails(
        capsys, [host, *options, BASELINE], "was made without a GPU, the baseline's runs with one"
    )
    assert_fails(capsys, [run, run, *options, BASELINE], "the same")
    assert_fails(capsys, [run, *options, BASELINE, "--decide-by=lnk"], "bad --decide-by 'lnk'")
    assert not (tmp_path / "out").exists()


def test_one_run_alone_gets_no_verdict(tmp_path, capsys, program, quick_images):
    out = tmp_path / "out"
    arguments = [RECORDED / "third-1.json.gz", "--out", out, "--gate", program]
    arguments += ["--baseline", BASELINE]
    assert main(list(map(str, arguments))) == 0
    assert "INCONCLUSIVE: only 1 run" in capsys.readouterr().out
    assert "240 not judged" in (out / "report.html").read_text("utf-8")
