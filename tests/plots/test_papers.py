"""Tests that figures, captions, tables and macros of a report can be set in papers."""

import html
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import chain
from pathlib import Path

import format_2
import gate_answers
import pytest
import synthetic
from synthetic import KIB, MIB

from plots.figures import FIGURES
from plots.figures.draw import literal
from plots.figures.forest import draw_forest
from plots.figures.layout import PAPER
from plots.model.derive import Run
from plots.model.judge import judge
from plots.model.load import parse_result, read_result
from plots.model.programs import ask
from plots.model.published import read_published
from plots.page import draw, paper, render
from plots.page.section import Drawer, Section
from plots.text import (
    bibliography,
    check_table,
    choices,
    compared_table,
    latex,
    macros,
    method,
    run_tables,
)
from plots.text.table import Table, format_files

RECORDED = Path(__file__).resolve().parents[2] / "results"
CLASSES = {
    "article": r"\documentclass{article}",
    "two columns": r"\documentclass[twocolumn]{article}",
    "IEEEtran": r"\documentclass[conference]{IEEEtran}",
}
PACKAGES = r"""\usepackage[T1]{fontenc}
\usepackage{booktabs,graphicx,siunitx,textcomp}
"""
FAULTS = re.compile(r"^(?:Overfull.*|.*Float too large.*|! .*|.*undefined.*)$", re.MULTILINE)


def missing_tex():
    """Returns what of Debian's TeX is missing here, or nothing."""
    if shutil.which("pdflatex") is None:
        return "pdflatex (texlive-latex-base)"
    for file, package in (
        ("booktabs.sty", "texlive-latex-recommended"),
        ("siunitx.sty", "texlive-science"),
        ("IEEEtran.cls", "texlive-publishers"),
    ):
        found = subprocess.run(["kpsewhich", file], capture_output=True, check=False)
        if found.returncode:
            return f"{file} ({package})"
    return ""


def recorded(program, name="nvidia-h200/2026-11-21-report/result.json.gz"):
    result = read_result(RECORDED / name)
    (judged,) = judge(program, [result])
    return Run(result, ask(program, result, on_host=False), judged)


def compile_paper(folder, preamble, body):
    """Compiles a document, and returns what of its log is at fault."""
    text = f"{preamble}\n{PACKAGES}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(text, "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    completed = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = (folder / "paper.log").read_text("latin-1")
    assert completed.returncode == 0, log[-3000:]
    return [line for line in FAULTS.findall(log) if "References" not in line]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, program):
    """Writes all tables and macros of a recorded run, and some of its figures."""
    if reason := missing_tex():
        pytest.skip(f"no {reason}")
    folder = tmp_path_factory.mktemp("paper")
    run = recorded(program)
    section = Section(name="", heading="", on_host=False)
    for name in ("gains", "bandwidth", "ladder"):
        Drawer().add_figure(section, name, lambda layout, name=name: FIGURES[name](run, layout))
    contents = {"numbers.tex": macros.format_macros(run, None).encode()}
    processes = recorded(program, "nvidia-h100/2026-11-26-processes/result-1.json.gz")
    contents["run-2-numbers.tex"] = macros.format_macros(processes, 2).encode()
    contents |= method.format_method([(1, run), (2, synthetic.run())])
    for table in chain(
        run_tables.make_tables(run),
        choices.make_recommendations(run),
        [
            compared_table.compare_runs([(1, run), (2, run)]),
            check_table.make_check_table(gate_answers.check(), run.result.metrics),
        ],
    ):
        contents |= format_files(table, "")
    for drawn in section.drawn:
        pictures = draw.column_images(drawn.name, drawn.paper)
        contents |= pictures | paper.format_captions(drawn, pictures)
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("preamble", CLASSES.values(), ids=CLASSES)
def test_everything_is_set_in_papers_of_each_class(folder, preamble):
    figures = [
        rf"\begin{{figure}}\centering\includegraphics[width=\columnwidth]{{{part.stem}}}"
        rf"\input{{{part.stem}.caption}}\end{{figure}}"
        for part in sorted(folder.glob("*-column*.pdf"))
    ]
    assert len(figures) >= 3
    shown = [rf"\input{{{path.stem}}}" for path in sorted(folder.glob("*.tex"))]
    inputs = [line for line in shown if "numbers" not in line and "caption" not in line]
    assert {rf"\input{{{name}}}" for name in ("headline", "transfers", "checked", "method")} <= {
        line for line in inputs if line != r"\input{paper}"
    }
    cited = (
        r"\transfersDevice: \qty{\bandwidthCopyPinnedHtoD}{GB/s} of \linkLimit, "
        r"\qtyrange{\bandwidthRunTwoCopyPinnedHtoDLow}"
        r"{\bandwidthRunTwoCopyPinnedHtoDHigh}{GB/s}, "
        r"$n=\bandwidthCopyPinnedHtoDN$."
    )
    begin = r"\input{numbers}\input{run-2-numbers}"
    body = "\n\\clearpage\n".join(
        [begin, cited, *figures, *(line for line in inputs if "paper" not in line)]
    )
    assert compile_paper(folder, preamble, body) == []


def test_the_check_sees_what_does_not_fit(folder):
    body = r"\begin{figure}\rule{1cm}{60cm}\end{figure}\clearpage\noindent\rule{30cm}{1cm}"
    faults = " ".join(compile_paper(folder, CLASSES["article"], body))
    assert "Float too large" in faults
    assert "Overfull" in faults


# Figures that are too high for a column: their wide form spans both.
TOO_HIGH = {"interference", "company"}


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(set(FIGURES) - TOO_HIGH))
def test_figures_fit_into_a_column_without_titles(name, program):
    run = recorded(program)
    spec = render.specification(FIGURES[name](run, PAPER))
    files = draw.column_images(name, spec)
    drawings = {key: data.decode() for key, data in files.items() if key.endswith(".svg")}
    parts = draw.split(spec)
    assert len(drawings) in (1, len(parts))  # nothing is left out
    for drawing in drawings.values():
        width, height = map(
            float, re.search(r'width="([\d.]+)in" height="([\d.]+)in"', drawing).groups()
        )
        assert width == pytest.approx(3.3)
        assert height <= 3.3
        *_, pixels, _ = re.search(r'viewBox="([^"]*)"', drawing)[1].split()
        assert 11 * 72 * 3.3 / float(pixels) >= 6.8  # points: the smallest text
        shown = re.findall(r">([^<]+)</text>", drawing)
        assert shown
        assert not any("NVIDIA" in text for text in shown)  # titles name the machine
    for key, data in files.items():
        if key.endswith(".pdf"):
            box = re.search(rb"/MediaBox \[([\d. ]*)\]", data)
            assert float(box[1].split()[2]) == pytest.approx(3.3 * 72, abs=0.1)


def forest(layout):
    return draw_forest(gate_answers.check(), [(1, synthetic.run())], layout)


def drawn_for_papers(name, run):
    """Returns a figure, its pictures for columns, and the captions of its pictures."""
    section = Section(name="", heading="", on_host=False)
    Drawer().add_figure(section, name, lambda layout: FIGURES[name](run, layout))
    drawn = section.drawn[0]
    pictures = draw.column_images(drawn.name, drawn.paper)
    files = paper.format_captions(drawn, pictures)
    return pictures, {name: data.decode() for name, data in files.items()}


def test_each_picture_has_a_caption_of_what_it_shows():
    """The wide one has percentages; each column has one direction."""
    pictures, captions = drawn_for_papers("bandwidth", synthetic.run(synthetic.apart()))
    names = {name.rpartition(".")[0] for name in pictures} | {"bandwidth"}
    assert set(captions) == {f"{name}.caption.{kind}" for name in names for kind in ("txt", "tex")}
    wide = captions["bandwidth.caption.txt"]
    first, second = (captions[f"bandwidth-column-{i}.caption.txt"] for i in (1, 2))
    assert "Shown:" not in wide
    assert "In brackets" not in first
    assert first.replace("host → device (h2d, read)", "") == second.replace(
        "device → host (d2h, write)", ""
    )


def test_a_caption_names_those_alike_that_its_picture_shows(program):
    """Each panel of latency stands for a group of its own."""
    rows = [
        row
        for i in range(4)
        for row in synthetic.rows(
            (f"copy/a{i}", f"copy/b{i}"), factors=tuple(1.5**i * f for f in (0.9, 1.0, 1.2))
        )
    ]
    run = synthetic.run(rows)
    (judged,) = judge(program, [run.result])
    _, captions = drawn_for_papers("latency", replace(run, judged=judged))
    first, second = (captions[f"latency-column-{i}.caption.txt"] for i in (1, 2))
    assert "copy/a0 +1 stands also for copy/b0; copy/a1 +1 stands also for copy/b1." in first
    assert "copy/a2 +1 stands also for copy/b2; copy/a3 +1 stands also for copy/b3." in second
    assert "b2" not in first
    assert "b1" not in second


def test_rungs_of_the_ladder_name_those_alike_in_their_direction():
    rows = synthetic.rows(("copy/pinned", "copy/pageable"))
    rows += [
        synthetic.row(
            row["name"].replace("pinned", "other"), row["bytes"], row["median_ns"] * factor
        )
        for row in synthetic.rows(("copy/pinned",))
        for factor in [3 if "d2h" in row["name"] else 1]
        if row["run_type"] == "iteration"
    ]
    _, captions = drawn_for_papers("ladder", synthetic.run(rows))
    assert "stands also for copy/other" in captions["ladder-column-1.caption.txt"]
    assert "copy/other" not in captions["ladder-column-2.caption.txt"]


def test_a_caption_says_which_names_are_shortened():
    names = tuple(f"copy/with_a_very_long_name_that_{end}_has" for end in ("this", "that"))
    pictures, captions = drawn_for_papers("bandwidth", synthetic.run(synthetic.apart(names)))
    drawing = html.unescape(pictures["bandwidth-column-1.svg"].decode())
    labels = re.findall(r">([^< ]+…[^< ]*)", drawing)
    assert len(set(labels)) == 2
    text = captions["bandwidth-column-1.caption.txt"]
    for label in labels:
        assert re.search(rf"Shortened: .*{re.escape(label)} is copy/with", text)


def test_captions_are_escaped():
    section = Section(name="", heading="", on_host=False)
    run = synthetic.run(device={"kind": "cuda", "name": "50 % & {x} \\y_z"})
    Drawer().add_figure(section, "bandwidth", lambda layout: FIGURES["bandwidth"](run, layout))
    tex = paper.format_captions(section.drawn[0], {})["bandwidth.caption.tex"].decode()
    assert r"50~\% \& \{x\} \textbackslash{}y\_z" in tex


def test_a_part_has_the_key_and_its_own_panels_only():
    spec = render.specification(FIGURES["latency"](synthetic.run(synthetic.apart()), PAPER))
    parts = draw.split(spec)
    titles = [
        [panel["title"]["text"]["expr"] for panel in part["vconcat"][0]["hconcat"]]
        for part in parts
    ]
    assert titles == [
        [literal("copy/pageable"), literal("copy/pinned")],
        [literal("copy_async/pinned"), literal("zero_copy/pinned_mapped")],
    ]
    keys = [part["vconcat"][1] for part in parts]
    assert keys[0] == keys[1]
    assert all("title" not in part for part in parts)


def test_a_part_that_is_too_high_is_left_out(monkeypatch):
    monkeypatch.setattr(draw, "fits", lambda drawing: False)
    spec = render.specification(forest(PAPER))
    assert draw.column_images("forest", spec) == {}


def test_numbers_have_their_units_in_the_head_and_their_points_aligned():
    columns = [
        latex.Column("name", ["a_b", "c"]),
        latex.Column("time", [12.5, None], "µs"),
        latex.Column("change", [-0.25, 100.0], "%"),
    ]
    lines = latex.format_table("t", "50 %", columns, one_column=True).splitlines()
    assert r"\begin{table}" in lines
    assert r"  \caption{50 \%}" in lines
    assert r"  \label{tab:t}" in lines
    shown = [line.strip() for line in lines]
    assert r"name & {time (\textmu{}s)} & {change (\%)} \\" in shown
    assert r"a\_b & 12.50 & -0.250 \\" in shown
    assert r"c & {--} & 100.0 \\" in shown
    assert any("{@{}lS[table-format=2.2]S[table-format=-3.3]@{}}" in line for line in shown)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.5e-5, "0.000015"), (123456789.0, "123500000"), (3, "3")],
)
def test_numbers_in_latex_have_no_exponent(value, text):
    assert latex.number(value) == text


def test_each_source_of_published_figures_can_be_cited():
    sources = {figure.source: figure.title for figure in read_published()}
    written = bibliography.format_bibliography(read_published())
    entries = re.findall(
        r"@misc\{([A-Za-z0-9-]+),\n  key = \{\1\},\n  title = \{\{(.*)\}\},\n"
        r"  howpublished = \{\\url\{(.*)\}\},",
        written,
    )
    assert [source for _, _, source in entries] == list(sources)
    assert len({key for key, _, _ in entries}) == len(sources)
    assert (
        "NVIDIA-nvbandwidth-issues-42",
        "Performance drop in host\\_to\\_device\\_memcpy\\_sm",
    ) in {(key, title.partition(" with")[0]) for key, title, _ in entries}


def test_long_tables_are_split_and_very_long_ones_are_left_to_csv():
    def table(count):
        rows = [[f"row {i}"] for i in range(count)]
        return Table("t", "T", ["a"], rows, ["a"], rows)

    two = format_files(table(latex.MOST_ROWS + 1), "")["t.tex"].decode()
    assert two.count(r"\begin{table*}") == two.count(r"\toprule") == 2
    assert r"\caption{T (part 2 of 2)}" in two
    assert r"\label{tab:t-2}" in two
    assert "row 0" in two
    assert f"row {latex.MOST_ROWS}" in two
    most = latex.MOST_ROWS * latex.MOST_PARTS
    assert set(format_files(table(most), "")) == {"t.csv", "t.md", "t.tex"}
    assert set(format_files(table(most + 1), "")) == {"t.csv", "t.md"}


def test_macros_have_letters_only_and_are_defined_once():
    rows = synthetic.rows(("copy/pinned", "copy/my_2nd"), (KIB, 64 * MIB))
    rows.append(synthetic.row("duplex/engines/pinned/64MiB", 128 * MIB, 2e6))
    text = macros.format_macros(synthetic.run(rows), None)
    names = re.findall(r"^\\newcommand\{\\([A-Za-z]+)\}\{", text, re.MULTILINE)
    assert len(names) == text.count("\n") - 1 == len(set(names))  # the first line is a comment
    rate = 64 * MIB / synthetic.expected_ns(64 * MIB)
    assert rf"\newcommand{{\bandwidthCopyPinnedHtoD}}{{{rate:.2f}}} % GB/s at 64 MiB" in text
    assert r"\newcommand{\latencyCopyMyTwoNdDtoH}{1.020} % microseconds at 1 KiB" in text
    assert r"\newcommand{\bandwidthBothWays}{67.11} % GB/s, 64 MiB" in text
    assert r"\newcommand{\bandwidthRunOneTwoCopyPinnedHtoD}" in macros.format_macros(
        synthetic.run(rows), 12
    )


def test_two_variants_of_one_direction_have_macros_of_their_own():
    result = parse_result(Path("run.json"), format_2.document())
    text = macros.format_macros(Run(result), None)
    names = re.findall(r"\\newcommand\{\\(\w+)\}", text)
    assert len(names) == len(set(names)) > 3


def test_options_can_be_broken_in_a_narrow_column_and_keep_their_hyphens():
    assert latex.prose("ran --sizes=4B,16B_x 95 %") == (
        r"ran -{}-sizes=\allowbreak{}4B,\allowbreak{}16B\_\allowbreak{}x 95~\%"
    )
    assert latex.prose("short/a") == "short/a"


def test_options_keep_their_hyphens_and_their_quotes():
    text = latex.prose("with '--strategies=^copy' and --note=a--b, 10–20, of the GPU's clock")
    quoted = r"\textquotesingle{}-{}-strategies=\textasciicircum{}copy\textquotesingle{}"
    assert quoted in text.replace(r"\allowbreak{}", "")
    assert "-{}-note=a-{}-b" in text
    assert "10--20" in text
    assert "GPU's" in text


def test_sources_that_look_alike_have_keys_of_their_own():
    (known, *_) = read_published()
    sources = [
        "https://a.example/?p=1",
        "https://a.example/?p=2",
        "https://a.example/p-1",
        "https://b.example/",
    ]
    text = bibliography.format_bibliography(replace(known, source=one) for one in sources)
    keys = re.findall(r"@misc\{(.*),", text)
    assert len(set(keys)) == len(sources)
    assert all(keys)
