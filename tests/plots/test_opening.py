"""Tests how the panel of a benchmark is opened: from marks in figures, and by an address."""

import functools

import pytest
import synthetic
from browsing import HANGS_MS, opened_page, opened_phone, wait_until_drawn
from synthetic import MIB
from test_pointing import LIST, RECORDED, checked, middle, point, wait_for_lines

from plots.figures import FIGURES
from plots.figures.layout import WIDE
from plots.model.derive import Run
from plots.model.load import read_result
from plots.model.no_data import NoData
from plots.page import render, report

STRATEGIES = ("copy/pageable", "copy/pinned", "copy_async/pinned")
SIZES = (64 * 1024, MIB, 64 * MIB)
DRAWN = frozenset({"bandwidth", "ladder", "latency", "samples", "machines"})
NAME = "copy/pinned/h2d/1MiB"
ADDRESS = "#benchmark=copy%2Fpinned%2Fh2d%2F1MiB"
PANEL = "#panel[open]"
PREDICTED = {"winner_map", "break_even"}  # by advise, from several benchmarks


@functools.cache
def recorded_run():
    return Run(read_result(RECORDED / "result.json.gz"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Writes the page of a run, and that of two runs."""
    folder = tmp_path_factory.mktemp("opening")
    first, second = (
        synthetic.result(synthetic.apart(names, SIZES))
        for names in (STRATEGIES, reversed(STRATEGIES))
    )
    for name, results in (("one", [first]), ("two", [first, second])):
        files = report.make_report(results, None, page_only=True, figures=DRAWN)
        (folder / f"{name}.html").write_bytes(files["report.html"])
    return folder


@pytest.fixture
def page(browser, pages):
    yield from opened_page(browser, pages / "one.html")


@pytest.fixture
def page_of_two(browser, pages):
    yield from opened_page(browser, pages / "two.html")


@pytest.fixture
def open_at(browser, pages):
    """Returns a function that opens the page of one run by an address within it."""
    opened = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="light")
    opened.set_default_timeout(HANGS_MS)

    def open_at(address):
        opened.goto("about:blank")
        opened.goto((pages / "one.html").as_uri() + address)
        wait_until_drawn(opened, "light")
        return opened

    yield open_at
    opened.close()


@pytest.fixture
def phone(browser, pages):
    yield from opened_phone(browser, pages / "one.html")


def mark(page, figure, *texts):
    """Returns the middle of the first mark whose description has these texts."""
    chosen = "".join(f"[aria-label*='{text}']" for text in texts)
    return middle(page.locator(f"#{figure} g.role-mark path{chosen}").first)


def opened_name(page):
    page.locator(PANEL).wait_for()
    return page.locator("#panel-name").inner_text()


def wait_until_closed(page, address):
    page.locator(PANEL).wait_for(state="detached")
    page.wait_for_function("address => location.hash === address", arg=address)


@pytest.mark.parametrize("figure", sorted(FIGURES.keys() - PREDICTED))
def test_marks_name_benchmarks_that_the_run_has(figure):
    subject = recorded_run()
    known = {benchmark.name for benchmark in subject.benchmarks}
    try:
        datasets = render.specification(FIGURES[figure](subject, WIDE))["datasets"]
    except NoData:
        pytest.skip("not measured")
    rows = [row for rows in datasets.values() for row in rows]
    named = {row["benchmark"] for row in rows if row.get("benchmark")}
    assert named
    assert named <= known


def test_a_click_on_a_point_opens_its_panel_and_back_closes_it(page):
    start = page.url
    page.mouse.click(*point(page, "bandwidth", "copy/pinned", MIB))
    assert opened_name(page) == NAME
    assert page.url == start + ADDRESS
    assert checked(page, "bandwidth") == list(STRATEGIES)  # its line was not clicked
    page.go_back()
    wait_until_closed(page, "")
    page.go_forward()
    assert opened_name(page) == NAME


def test_of_points_that_lie_on_each_other_the_one_that_is_seen_opens(page):
    place = point(page, "latency", "copy/pinned", MIB)
    seen = page.evaluate(
        "place => document.elementFromPoint(...place).__data__.datum.benchmark", place
    )
    assert seen == NAME  # drawn after d2h, at the same place
    page.mouse.click(*place)
    assert opened_name(page) == seen


def test_bars_and_dots_open_panels_and_what_stands_for_no_benchmark_does_not(page):
    page.mouse.click(*mark(page, "ladder", "copy/pageable"))
    assert opened_name(page) == "copy/pageable/h2d/64MiB"
    page.get_by_role("button", name="Close").click()
    wait_until_closed(page, "")
    page.mouse.click(*mark(page, "samples", "copy/pinned", "repetition: 2 of 3"))
    assert opened_name(page) == "copy/pinned/h2d/64KiB"
    page.keyboard.press("Escape")
    wait_until_closed(page, "")
    page.mouse.click(*mark(page, "ladder", "PCIe"))
    page.mouse.click(*mark(page, "ladder", "copy_async/pinned"))
    assert opened_name(page) == "copy_async/pinned/h2d/64MiB"


def test_a_first_tap_shows_values_and_a_second_one_opens_the_panel(phone):
    def tap_point(strategy, size):
        phone.touchscreen.tap(*point(phone, "bandwidth", strategy, size))

    def wait_for_list(title):
        phone.locator(LIST).get_by_role("heading", name=title).wait_for()

    tap_point("copy/pinned", MIB)
    wait_for_list("1 MiB")
    tap_point("copy/pageable", 64 * MIB)
    wait_for_list("64 MiB")
    tap_point("copy/pinned", MIB)  # the second one, but not in turn
    wait_for_list("1 MiB")
    assert phone.locator(PANEL).count() == 0
    tap_point("copy/pinned", MIB)
    assert opened_name(phone) == NAME


def test_a_bar_takes_two_taps_as_well(phone):
    for is_open in (0, 1):
        phone.touchscreen.tap(*mark(phone, "ladder", "copy/pageable"))
        phone.locator(PANEL if is_open else LIST).wait_for()
        assert phone.locator(PANEL).count() == is_open
    assert opened_name(phone) == "copy/pageable/h2d/64MiB"
    phone.get_by_role("button", name="Close").tap()
    wait_until_closed(phone, "")


def test_an_address_opens_a_panel_and_keeps_what_is_hidden(open_at):
    hiding = "#hide=copy%2Fpageable"
    both = hiding + ADDRESS.replace("#", "&")
    page = open_at(both)
    assert opened_name(page) == NAME
    wait_for_lines(page, "bandwidth", STRATEGIES[1:])
    page.keyboard.press("Escape")
    wait_until_closed(page, hiding)
    page.mouse.click(*point(page, "bandwidth", "copy/pinned", MIB))
    assert opened_name(page) == NAME
    assert page.url.endswith(both)
    page.reload()
    assert opened_name(page) == NAME
    page.keyboard.press("Escape")
    wait_until_closed(page, hiding)


@pytest.mark.parametrize("name", ["copy/unknown/h2d/1MiB", "constructor", "__proto__", "%", ""])
@pytest.mark.parametrize("run", ["", "&run=2", "&run=__proto__"])
def test_an_address_of_an_unknown_benchmark_is_ignored(open_at, name, run):
    page = open_at(f"#benchmark={name}{run}")
    page.mouse.click(*point(page, "bandwidth", "copy/pinned", MIB))
    assert opened_name(page) == NAME  # and no other one before


def test_history_and_switched_off_strategies_agree(open_at):
    page = open_at("#hide=copy%2Fpinned&benchmark=copy%2Fpageable%2Fh2d%2F1MiB")
    page.locator(PANEL).wait_for()
    page.keyboard.press("Escape")
    page.locator(PANEL).wait_for(state="detached")
    page.evaluate("location.hash = ''")
    page.wait_for_function(
        "[...document.querySelectorAll('.controls input')].every((b) => b.checked)"
    )
    page.go_back()
    page.wait_for_function(
        "!document.querySelector('.controls input[value=\"copy/pinned\"]').checked"
    )


def test_an_open_panel_follows_the_theme(open_at):
    page = open_at(ADDRESS)
    page.locator("#panel[data-drawn]").wait_for()
    colour = "getComputedStyle(document.querySelector('#panel .role-axis-title text')).fill"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{colour} !== {light!r}")


def test_figures_of_several_runs_open_the_panel_of_the_run(page_of_two, pages):
    page = page_of_two
    found = page.locator(
        "#runs-machines path[aria-roledescription=point][aria-label*='run 2']"
        "[aria-label*='transfer: 1048576'], "
        "#runs-machines path[aria-roledescription=point][aria-label*='run 2']"
    )
    page.mouse.click(*middle(found.first))
    name = opened_name(page)
    median = page.locator("#panel .median").inner_text()
    assert page.url.endswith("&run=2")
    address = page.url
    page.keyboard.press("Escape")
    page.locator(PANEL).wait_for(state="detached")
    page.goto(address.removesuffix("&run=2"))
    assert opened_name(page) == name
    assert page.locator("#panel .median").inner_text() != median
    page.goto(address)
    page.wait_for_function(
        "text => document.querySelector('#panel .median').textContent === text", arg=median
    )
    assert opened_name(page) == name
