"""Tests the page and the tables: escaping, separation of GPU and host, and agreement."""

import csv
import gzip
import io
import json
import re
import unicodedata
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import format_2
import pytest
import synthetic
from colours import contrast
from packed import page_data
from synthetic import KIB, MIB

from plots.figures import FIGURES, dark_page, style
from plots.model.derive import Run
from plots.model.judged import Judged
from plots.model.load import parse_result, read_result
from plots.page import draw, html, report
from plots.text import run_tables
from plots.text.method import describe_method
from plots.text.table import Table, format_files, markdown

EVIL = "<script>alert('x')</script> & “Söhne” </script>"


class Page(HTMLParser):
    """Collects the elements of the page with their attributes, and its texts by element."""

    def __init__(self, text):
        super().__init__()
        self.text = text
        self.elements, self.texts, self.stack = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.stack.append(tag)

    def handle_endtag(self, tag):
        if tag in self.stack:
            while self.stack.pop() != tag:
                pass

    def handle_data(self, data):
        if data.strip():
            self.texts.append((self.stack[-1] if self.stack else "", data.strip()))

    def data(self):
        return page_data(self.text)

    def texts_of(self, tag):
        """Returns texts as a reader sees them, to whom all blanks look alike."""
        return [text.replace("\N{NO-BREAK SPACE}", " ") for text in self.written(tag)]

    def written(self, tag):
        return [text for element, text in self.texts if element == tag]

    def attributes(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(autouse=True)
def quick(monkeypatch, undrawn):
    """Keeps two figures that are drawn quickly."""
    monkeypatch.setattr(
        "plots.page.run.FIGURES", {name: FIGURES[name] for name in ("bandwidth", "cpu_access")}
    )


def make_page(*results):
    files = report.make_report(list(results), None)
    return files, Page(files["report.html"].decode())


def test_numbers_keep_their_units_and_commands_their_blanks():
    run = {"command_line": ["bench_transfers", "--note=5 s"]}
    path = "report.html"
    files, page = make_page(synthetic.result(synthetic.rows(("copy/pinned",)), run=run))
    texts = [text for tag in ("td", "dd", "li") for text in page.written(tag)]
    assert any(re.search(r"\d\N{NO-BREAK SPACE}GB/s", text) for text in texts)
    assert not any(re.search(r"\d (?:GB/s|µs|MiB|%)", text) for text in texts)
    assert any("--note=5 s" in text for text in page.written("td"))
    assert re.search(rb"\d GB/s", files["tables/transfers.md"])
    assert not any("\N{NO-BREAK SPACE}".encode() in files[name] for name in files if name != path)


def test_names_from_files_are_escaped_everywhere():
    evil = synthetic.result(
        synthetic.rows(("copy/pinned", "copy/<b>x")),
        device={"kind": "cuda", "name": EVIL},
        machine={"cpu": {"model": EVIL}},
        warnings=[format_2.message("other", EVIL)],
        skipped=[{"name": EVIL, "reason": format_2.message("unsupported", EVIL)}],
    )
    files, page = make_page(evil)
    # Only the script of the report runs, and what it unpacks.
    *packed, script = page.attributes("script")
    assert script == {"type": "module"}
    assert packed == [
        {"type": "text/plain", "id": name} for name in ("panels-1", "data", "library")
    ]
    assert page.attributes("b") == []
    assert any(EVIL in text for text in page.texts_of("h2"))
    assert EVIL in page.data()["wide"]["bandwidth"]["title"]["text"][0]
    assert "&lt;b>x" in files["tables/transfers.md"].decode()


def test_the_page_asks_no_network_for_anything():
    _, page = make_page(synthetic.result())
    for tag, attributes in page.elements:
        for name in ("src", "srcset", "data", "action", "poster"):
            assert name not in attributes
        if tag == "link":
            assert attributes["href"] == "data:,"
        if tag == "a":  # a link is followed only on a click
            assert attributes["href"].startswith(
                ("#", "figures/", "tables/", "https://github.com/")
            )
    (policy,) = [m["content"] for m in page.attributes("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none';")
    assert "connect-src" not in policy


def test_links_to_the_folder_lead_to_files_of_the_report(monkeypatch):
    monkeypatch.setattr(
        "plots.page.render.all_images",
        lambda named, *_: {
            f"{name}.{kind}": b"" for name, *_ in named for kind in ("svg", "pdf", "png")
        },
    )
    files, page = make_page(synthetic.result(), synthetic.result())
    targets = [a["href"] for a in page.attributes("a") if a["href"][0] in "ft"]
    assert len(targets) > 20
    assert set(targets) <= set(files)


def test_a_page_alone_has_no_links_to_files():
    files = report.make_report([synthetic.result()], None, page_only=True)
    assert list(files) == ["report.html"]
    page = Page(files["report.html"].decode())
    assert not any(a["href"].startswith(("figures/", "tables/")) for a in page.attributes("a"))
    assert page.attributes("figure")


@pytest.mark.parametrize("page_only", [True, False])
def test_without_javascript_a_page_names_the_folder_of_figures_if_there_is_one(page_only):
    page = report.make_report([synthetic.result()], None, page_only=page_only)["report.html"]
    note, _ = re.findall("<noscript>(.*?)</noscript>", page.decode())  # and that of a long table
    assert "need JavaScript" in note
    assert ("in the folder figures" in note) is not page_only


def test_the_first_figure_is_seen_without_javascript(monkeypatch):
    # As wide as the form that they are of.
    monkeypatch.setattr(
        "plots.page.render.pictures",
        lambda specs: [
            f"<svg>{len(spec['vconcat'][0].get('hconcat', []))}</svg>" for spec in specs
        ],
    )
    for page_only in (True, False):
        files = report.make_report(
            [synthetic.result(), synthetic.result()], None, page_only=page_only
        )
        page = files["report.html"].decode()
        chart = r'<div class="chart" data-figure="([^"]*)"[^>]*>(.*?)</div>\n'
        first, *others = re.findall(chart, page)
        pictures = re.findall(r'<div class="still (\w+)"><svg>(\d)</svg></div>', first[1])
        assert pictures == [("wide", "2"), ("column", "0")]  # panels beside each other
        assert len(others) > 1
        assert {content for _, content in others} == {""}
        assert "The first chart of this page is a picture." in page


def test_headings_are_in_order_and_figures_have_names():
    _, page = make_page(synthetic.result(), synthetic.result())
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    charts = [chart for chart in page.attributes("div") if "data-figure" in chart]
    assert charts
    for chart in charts:
        assert (chart["role"], chart["tabindex"]) == ("img", "0")
        assert len(chart["aria-label"]) > 30
    identifiers = [a["id"] for _, a in page.elements if "id" in a]
    assert len(identifiers) == len(set(identifiers))
    targets = [a["href"][1:] for a in page.attributes("a") if a["href"].startswith("#")]
    assert set(targets) <= set(identifiers)


def test_contrast_is_computed_as_its_definition_says():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_text_can_be_read_in_both_themes_and_on_paper():
    css = (html.HERE / "report.css").read_text("utf-8")
    themes = re.findall(r":root[^{]*\{([^}]*)\}", css)
    assert len(themes) == 3
    for theme in themes:
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", theme))
        for text in ("ink", "soft", "warn", "good", "link"):
            assert contrast(colours[text], colours["paper"]) >= 4.5, (text, colours)
    assert themes[0] == themes[2].replace(" color-scheme: light;", "")  # print uses the light theme


def test_text_in_figures_can_be_read_in_both_themes():
    dark = dark_page.dark_colours()
    for text in (style.INK, style.SOFT_INK):
        assert contrast(text, style.PAPER) >= 4.5
        assert contrast(dark[text], dark[style.PAPER]) >= 4.5


def test_tables_have_names_and_their_heads_a_scope():
    _, page = make_page(synthetic.result(), synthetic.result())
    assert page.attributes("table")
    assert all(attributes.get("aria-label") for attributes in page.attributes("table"))
    assert {attributes.get("scope") for attributes in page.attributes("th")} == {"col", "row"}
    regions = [
        attributes["aria-label"]
        for attributes in page.attributes("div")
        if attributes.get("role") == "region"
    ]
    assert len(regions) == len(set(regions))


def test_recommendations_stand_below_their_heading(monkeypatch):
    winners = {"h2d": [["copy/pinned", "copy/<b>"]] * 3}
    answer = synthetic.advice(winners=winners)
    judged = Judged(basis={"predicted": "How times are predicted."})
    monkeypatch.setattr("plots.page.report.ask", lambda *_: answer)
    monkeypatch.setattr("plots.page.report.judge", lambda *_: [judged])
    files, page = make_page(synthetic.result())
    (caption,) = page.texts_of("caption")
    assert caption.startswith("Which strategy, by size")
    assert "copy/<b>" in page.texts_of("td")
    assert "(2.00×, next: +10 %)" in page.texts_of("small")
    tex = files["tables/what_to_use.tex"].decode()
    assert r"h2d & 100 & 1 MiB & copy/\textless{}b\textgreater{} & 1.000 & 2.00$\times$, " in tex


def test_runs_of_gpu_and_host_device_never_share_a_chart():
    gpu = synthetic.result()
    host = synthetic.result(device={"kind": "host", "name": "host"}, link=None)
    files, page = make_page(host, gpu, host, gpu)
    specs = page.data()["wide"]
    assert set(specs) == {f"run-{i}-bandwidth" for i in range(1, 5)} | {
        "runs-machines",
        "host-runs-machines",
    }
    for name, spec in specs.items():
        on_host = "no GPU" in " ".join(spec["title"]["text"])
        assert on_host is (name in ("run-3-bandwidth", "run-4-bandwidth", "host-runs-machines"))
    numbers = {
        name: {r["run"] for r in page.data()["rows"][specs[name]["datasets"]["runs"]]}
        for name in specs
        if name.endswith("machines")
    }
    assert numbers == {
        "runs-machines": {"run 1", "run 2"},
        "host-runs-machines": {"run 3", "run 4"},
    }
    assert "tables/run-4-transfers.csv" in files
    assert "2 runs without a GPU side by side" in page.texts_of("h2")


def test_runs_of_different_kinds_are_not_put_side_by_side():
    host = synthetic.result(device={"kind": "host", "name": "host"}, link=None)
    _, page = make_page(host, synthetic.result())
    assert set(page.data()["wide"]) == {"run-1-bandwidth", "run-2-bandwidth"}


COMMAND = ["/private/bench_transfers", "--strategies=copy a", "--seed=17", "--out=/private/r.json"]


def test_the_method_has_what_is_needed_to_repeat_the_run(tmp_path):
    document = synthetic.document(run={"profile": "full", "seed": 17, "command_line": COMMAND})
    _, page = make_page(read_result(synthetic.write(tmp_path / "run.json.gz", document)))
    rows = dict(zip(page.texts_of("th"), page.texts_of("td"), strict=False))
    shown = " ".join(page.texts_of("td"))
    assert "bench_transfers '--strategies=copy a' --seed=17 --out=r.json" in shown
    assert "private" not in shown
    assert "run.seed" in page.texts_of("th")
    assert "program.git_commit" in page.texts_of("th")
    assert rows


def test_page_and_tables_print_the_same_numbers():
    rows = synthetic.rows(("copy/pinned",), (KIB, 64 * MIB))
    files, page = make_page(synthetic.result(rows))
    shown = page.texts_of("td")
    markdown = files["tables/benchmarks.md"].decode().splitlines()[2:]
    for line in markdown:
        for cell in line.strip("| ").split(" | ")[1:]:
            assert cell in shown
    content = list(csv.DictReader(io.StringIO(files["tables/benchmarks.csv"].decode())))
    assert {row["benchmark"]: float(row["median_ns"]) for row in content} == {
        f"copy/pinned/{direction}/{name}": pytest.approx(synthetic.expected_ns(size))
        for direction in ("h2d", "d2h")
        for name, size in (("1KiB", KIB), ("64MiB", 64 * MIB))
    }


def test_the_key_tables_are_open_and_complete_however_long_they_are():
    strategies = tuple(f"copy/memory_{i}" for i in range(30))
    _, page = make_page(synthetic.result(synthetic.rows(strategies, (KIB,))))
    opened = [
        attributes
        for attributes in page.attributes("details")
        if attributes.get("class") == "table"
    ]
    assert page.texts_of("h3")[-4:] == [
        "Everything that was measured",
        "At a glance: bandwidth of the largest transfers, time of the smallest",
        "Plain transfers, warm caches",
        "Method: how to repeat this run",
    ]
    assert ["open" in attributes for attributes in opened] == [False, True, True]
    packed = [attributes.get("data-rows") for attributes in page.attributes("tbody")]
    assert list(filter(None, packed)) == ["rows-benchmarks"]
    assert {"copy/memory_29/h2d", "copy/memory_29/d2h"} <= set(page.texts_of("th"))


def test_the_method_of_older_files_has_no_notes():
    words = ["bench_transfers", "--sizes=1KiB", "--note", "a lab", "--label=rack=7", "--quiet"]
    run = synthetic.run(run={"profile": "quick", "command_line": words})
    text = " ".join(describe_method([(1, run)]))
    assert "with the profile quick and the options --sizes=1KiB." in text


def test_the_method_has_no_more_digits_than_a_reader_needs():
    link = {**synthetic.LINK, "limit_gb_per_s": 63.015384615384612}
    _, page = make_page(synthetic.result(link=link))
    assert "63.0154" in page.texts_of("td")
    assert not any("63.01538" in text for text in page.texts_of("td"))


def check_agreement(run):
    """Checks that time and bandwidth of each row agree, and counts the rows."""
    (table, *_) = run_tables.make_tables(run)
    rows = [dict(zip(table.raw_head, row, strict=True)) for row in table.raw]
    compared = 0
    for row in rows:
        if not row["gb_per_s"]:
            continue
        assert row["gb_per_s"] == pytest.approx(row["bytes"] / row["median_ns"], rel=1e-12)
        if row["link_percent"]:
            share = 100 * row["gb_per_s"] / run.link_limit
            assert row["link_percent"] == pytest.approx(share, rel=1e-12)
        compared += 1
    return compared


def test_time_and_bandwidth_of_a_row_agree():
    rows = [
        synthetic.row("copy/pinned/h2d/1MiB", MIB, ns, link_percent=100 * MIB / ns / 63.0)
        for ns in (20e3, 80e3)
    ]
    assert check_agreement(synthetic.run(rows)) == 1
    ((*_, rate, _),) = [table.rows[0] for table in run_tables.make_tables(synthetic.run(rows))][:1]
    assert rate == "20.97 GB/s"  # of 50 µs; the mean of the two bandwidths would be 32.77


def test_time_and_bandwidth_of_recorded_rows_agree():
    recorded = Path(__file__).resolve().parents[2] / "results" / "nvidia-h200"
    for name in ("2026-11-21-report", "2026-11-21-cpu-again"):
        assert check_agreement(Run(read_result(recorded / name / "result.json.gz"))) > 1000


def test_latex_and_markdown_are_escaped():
    table = Table("t", "T", ["a|b", "50 %"], [["x_y & <z>", "1 µs"]], [], [[1]])
    assert markdown(table) == "| a\\|b | 50 % |\n| --- | --- |\n| x_y &amp; &lt;z> | 1 µs |\n"
    head, _, row = latex_rows(table)
    assert head == r"a\textbar{}b & 50 \% \\"
    assert row == r"x\_y \& \textless{}z\textgreater{} & 1 \textmu{}s \\"


def test_captions_of_tables_say_what_was_measured():
    table = Table("t", "Plain transfers", ["a"], [["1"]], [], [[1]])
    tex = format_files(table, "", "GPU_1, 2026-01-02")["t.tex"].decode()
    assert r"\caption{Plain transfers. GPU\_1, 2026-01-02}" in tex


def latex_rows(table):
    """Returns head, rule and rows of a table in LaTeX."""
    lines = format_files(table, "")["t.tex"].decode().splitlines()
    first, last = (next(i for i, line in enumerate(lines) if rule in line) for rule in RULES)
    return [line.strip() for line in lines[first + 1 : last]]


RULES = (r"\toprule", r"\bottomrule")


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("[1]", "{}[1]"),  # otherwise an argument of the \\ before it
        (" *", "{}*"),
        ("a[1]*", "a[1]*"),
        ("Größe", "Größe"),  # each engine has these letters
        ("大\u202e", "(U+5927)"),
        ("→Ω", r"$\to$(U+03A9)"),
        ("ạ ﬁ ½ ²", r"(U+1EA1) (U+FB01) $\frac12$ (U+00B2)"),
        ("a\x1b]0;x\x07\nb", "a ]0;x b"),
    ],
)
def test_latex_compiles_whatever_a_cell_contains(name, cell):
    table = Table("t", "T", [name], [[name]], [name], [[name]])
    head, _, row = latex_rows(table)
    assert (head, row) == (rf"{cell} \\", rf"{cell} \\")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n=", " =", "＝"])
def test_no_cell_of_a_csv_file_is_a_formula(start):
    name = f"{start}cmd|'/c calc'!A0"
    table = Table("t", "T", [name], [[name]], [name, "ns"], [[name, -1.5], ["a-b", None]])
    content = format_files(table, "")["t.csv"].decode()
    head, first, second = csv.reader(io.StringIO(content))
    assert head == [f"'{name.strip()}", "ns"]
    assert first == [f"'{name.strip()}", "-1.5"]  # numbers stay numbers
    assert second == ["a-b", ""]


ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b31m\r\x00\u202e"


def escaped(value):
    """Returns the value with terminal escapes in all texts that nothing compares."""
    if isinstance(value, dict):
        return {key: member if key in FIXED else escaped(member) for key, member in value.items()}
    if isinstance(value, list):
        return [escaped(member) for member in value]
    return value + ESCAPES if isinstance(value, str) else value


# Texts that have to be others' or one of a few.
FIXED = (
    *("kind", "direction", "cache", "better", "run_type", "name", "run_name", "role", "table"),
    "time_unit",
)


def test_no_output_controls_a_terminal(undrawn, monkeypatch):
    """Puts escapes into every text of a run, and looks at all files of its report."""
    document = escaped(format_2.document())
    transfers = document["context"]["transfers"]
    transfers["metrics"][f"extra{ESCAPES}"] = {**format_2.METRICS["hops"], "unit": ESCAPES}
    for row in document["benchmarks"]:
        row[f"extra{ESCAPES}"] = 1.0
    monkeypatch.setattr(
        "plots.page.render.all_images",
        lambda specs, *_: {f"{name}.svg": draw.svg(spec).encode() for name, spec, *_ in specs},
    )
    files = report.make_report([parse_result(Path("run.json"), document)], None)
    assert {Path(name).suffix for name in files} == {
        ".html",
        ".svg",
        ".csv",
        ".gz",
        ".bib",
        ".md",
        ".tex",
        ".txt",
    }
    packed = json.dumps(page_data(files["report.html"].decode()), ensure_ascii=False)
    for name, data in [*files.items(), ("data of the page", packed.encode())]:
        text = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8")
        controls = {
            character
            for character in text
            if unicodedata.category(character) in ("Cc", "Cf") and character != "\n"
        }
        assert not controls, name


def test_every_colour_of_a_figure_has_a_counterpart_on_a_dark_page():
    _, page = make_page(synthetic.result(synthetic.rows(synthetic.SIXTEEN)))
    data = page.data()
    colours = set(
        re.findall(r"#[0-9a-f]{6}\b", json.dumps([data["wide"], data["column"], data["rows"]]))
    )
    assert colours <= set(data["dark"])
    assert set(data["dark"]) >= {look.colour for look in style.MEMORY.values()}


def test_each_dark_colour_has_one_light_counterpart():
    dark = dark_page.dark_colours()
    assert len(set(dark.values())) == len(dark)


def test_without_a_gpu_no_figures_of_gpus_are_listed():
    host = {"kind": "host", "name": "host"}
    _, page = make_page(synthetic.result(device=host, link=None))
    assert "Figures published by others" not in page.texts_of("h2")
    _, page = make_page(synthetic.result(device=host, link=None), synthetic.result())
    assert "Figures published by others" in page.texts_of("h2")
