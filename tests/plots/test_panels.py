"""Tests in a browser what the page opens on request: panels of benchmarks, and the calculator."""

import pytest
import synthetic
from browsing import opened_page
from test_calculator import answer, strategy

from plots.page import report
from plots.page.render import SCRIPT
from plots.text import numbers
from plots.text.numbers import bind

VALUES = [0, 1e-5, 0.00099, 0.5, 1, 9.9994, 9.9996, 12.345, 99.994, 99.996, 999.94, 999.96, 123456]
VALUES += [-value for value in VALUES if value]
NAME = "copy/pinned/h2d/64MiB"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Writes a page with answers of advise to two questions."""
    pinned, plain = strategy("copy/pinned", 100.0, as_good=True), "copy/pageable"
    near = strategy(plain, 90.0, as_good=True)
    far = strategy(plain, 1000.0, extrapolated=True)
    answers = [
        answer(pinned, far, recommended="copy/pinned", reuse=100),
        answer(near, pinned, recommended=plain),
        answer(near, recommended=None, reuse=5),
    ]
    run = synthetic.run(advice=synthetic.advice(rankings=answers))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plots.page.report.ask", lambda *_: run.advice)
        patch.setattr("plots.page.run.FIGURES", {})
        files = report.make_report([run.result], None, page_only=True)
    path = tmp_path_factory.mktemp("panels") / "report.html"
    path.write_bytes(files["report.html"])
    return path


@pytest.fixture
def page(browser, path):
    yield from opened_page(browser, path)


def test_the_page_formats_numbers_as_the_report_does(page):
    code = (SCRIPT / "quantities.js").read_text("utf-8")
    for unit in ("ns", "GB/s", "%", "1"):
        shown = page.evaluate(f"{code}; {VALUES}.map((value) => quantity(value, '{unit}'))")
        assert shown == [bind(numbers.quantity(value, unit)) for value in VALUES]
    sizes = [0, 1, 1023, 1024, 1536, 262144, 3 * 2**20, 2**30, 5 * 2**32]
    shown = page.evaluate(f"{code}; {sizes}.map((value) => quantity(value, 'B'))")
    assert shown == [bind(numbers.size(size)) for size in sizes]


def test_tables_sort_by_value_whatever_blank_parts_number_and_unit(page):
    code = (SCRIPT / "tables.js").read_text("utf-8")
    cells = ["1.040\N{NO-BREAK SPACE}µs", "\N{MINUS SIGN}3 ns", "920.1 ns", "2.000 ms", "1e-04 ns"]
    ordered = page.evaluate(f"{code}; {cells}.sort(compare)")
    assert ordered == [cells[place] for place in (1, 4, 2, 0, 3)]


def test_a_calculator_shows_what_advise_answers(page):
    calculator = page.locator("details.calculator")
    calculator.locator("summary").click()
    said = calculator.locator(".answer")
    page.wait_for_function("document.querySelector('.calculator .answer').textContent")
    expected = "Use copy/pinned: 160.0 ns per transfer (95 %: 144.0 ns to 176.0 ns)."
    assert said.inner_text() == bind(expected)
    rows = [row.locator("th, td").all_inner_texts() for row in calculator.locator("tr").all()]
    assert rows[0][0] == "strategy"
    expected = ["copy/pinned *", "160.0 ns", "", "-", "10.00 ns", "50.00 ns", "100.0 ns"]
    assert rows[1] == [bind(text) for text in expected]
    assert "CPU reads" not in rows[0]  # no strategy needs them here
    assert rows[2][0] == "copy/pageable †"
    assert rows[2][3] == bind("900.0 ns [810.0 ns, 990.0 ns]")
    assert calculator.locator(".bar.cut").count() == 1  # 1060 ns is more than four times as long
    assert "--bytes=1048576 --direction=h2d --reuse=100" in calculator.inner_text()


def test_a_choice_changes_the_answer(page):
    calculator = page.locator("details.calculator")
    calculator.locator("summary").click()
    reuse = calculator.locator("select[name=reuse]")
    reuse.select_option("1")
    text = calculator.locator(".answer").inner_text()
    assert text.startswith(bind("Use copy/pageable: 150.0 ns per transfer"))
    assert text.endswith("1 other is as good.")
    reuse.select_option("5")
    assert "cannot tell" in calculator.locator(".answer").inner_text()


def opened_panel(page):
    table = page.locator("details.table:has(.benchmarks)")
    table.locator("summary").click()
    table.locator("[data-complete]").wait_for(state="attached")
    table.get_by_role("button", name=NAME, exact=True).click()
    page.locator("#panel[data-drawn]").wait_for()
    return page.locator("#panel")


def test_a_name_opens_what_the_file_has_of_its_benchmark(page):
    panel = opened_panel(page)
    assert panel.locator("h2").inner_text() == NAME
    of_it = [
        row for row in synthetic.rows() if row["name"] == NAME and row["run_type"] == "iteration"
    ]
    times = sorted(row["median_ns"] for row in of_it)
    text = panel.locator(".median").inner_text()
    assert text.startswith(f"Median of {len(times)} repetitions: ")
    assert text.endswith(bind(f"{numbers.time(times[0])} to {numbers.time(times[-1])}."))
    dots = panel.locator("path[aria-roledescription=point], g.mark-symbol path")
    assert dots.count() == len(times)
    assert panel.locator(".counters caption").count() >= 1
    panel.get_by_role("button", name="Close").click()
    assert not panel.is_visible()


def test_the_keyboard_opens_a_panel_and_returns_to_its_name(page):
    opened_panel(page)
    page.keyboard.press("Enter")  # Close has the focus
    page.locator("#panel[open]").wait_for(state="detached")
    assert page.evaluate("document.activeElement.textContent") == NAME
    page.wait_for_function("location.hash === ''")
    page.keyboard.press("Enter")
    page.locator("#panel[open]").wait_for()
    assert page.url.endswith("#benchmark=copy%2Fpinned%2Fh2d%2F64MiB")


def test_escape_closes_a_panel_and_leaves_what_is_hidden(page):
    page.evaluate("location.hash = '#hide=copy%2Fpageable'")
    panel = opened_panel(page)
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    page.wait_for_url("**#hide=copy%2Fpageable")
