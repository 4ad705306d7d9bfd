"""Tests what the page shows where a reader points: lines, labels and lists of a size."""

from pathlib import Path

import pytest
import synthetic
from browsing import opened_page, opened_phone, wait_until_drawn
from reporting import judged_runs

from plots.figures import FIGURES, GROUP_FIGURES
from plots.figures.layout import COLUMN
from plots.model.load import read_result
from plots.page import render, report

# Each takes half as long again as the one before.
STRATEGIES = ("copy/pageable", "copy/pinned", "copy_async/pinned", "zero_copy/pinned_mapped")
SIZES = 64 * 1024, 2**20, 64 * 2**20
MIDDLE, LARGEST = SIZES[1:]
RECORDED = Path(__file__).resolve().parents[2] / "results/nvidia-h200/2026-11-21-report"
LIST = "#vg-tooltip-element.visible"
FADED = "one => getComputedStyle(one).opacity === '0.15'"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Writes the page of two figures against size."""
    result = synthetic.result(synthetic.apart(STRATEGIES, SIZES))
    files = report.make_report(
        [result], None, page_only=True, figures=frozenset({"bandwidth", "latency"})
    )
    path = tmp_path_factory.mktemp("lines") / "report.html"
    path.write_bytes(files["report.html"])
    return path


@pytest.fixture
def page(browser, path):
    yield from opened_page(browser, path)


@pytest.fixture
def phone(browser, path):
    yield from opened_phone(browser, path)


def middle(locator):
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def point(page, figure, strategy, size, variant="h2d"):
    """Returns the middle of a point in the window."""
    labels = (f"size of one transfer: {size};", f"strategy: {strategy};", f"variant: {variant}")
    chosen = "".join(f"[aria-label*='{label}']" for label in labels)
    return middle(page.locator(f"#{figure} path[aria-roledescription=point]{chosen}"))


def between(page, figure, strategy, *sizes):
    """Returns a place on a line, halfway between its points of two sizes."""
    ends = [point(page, figure, strategy, size) for size in sizes]
    return tuple(sum(places) / 2 for places in zip(*ends, strict=True))


def direct_label(page, strategy):
    return page.locator(f"#bandwidth text[aria-label*='label: {strategy} ']").first


def listed(page):
    """Returns the title of the list, its rows, and the row that is marked."""
    shown = page.locator(LIST)
    shown.wait_for()
    rows = [tuple(row.locator("td").all_inner_texts()) for row in shown.locator("tr").all()]
    return (
        shown.locator("h2").inner_text(),
        dict(rows),
        shown.locator(".nearest .key").inner_text(),
    )


def lines(page, figure):
    """Returns the lines of strategies in a figure, and whether each is faded."""
    marks = page.locator(f"#{figure} g.mark-line path[aria-label*='strategy: ']").all()
    labels = [mark.get_attribute("aria-label") for mark in marks]
    names = [label.partition("strategy: ")[2].partition(";")[0] for label in labels]
    return [(name, mark.evaluate(FADED)) for name, mark in zip(names, marks, strict=True)]


def wait_for_lines(page, figure, names):
    """Waits until a figure has the lines of these strategies only."""
    page.wait_for_function(
        """([figure, names]) => {
            const lines = [...document.querySelectorAll(`#${figure} g.mark-line path[aria-label]`)]
                .map((line) => line.getAttribute("aria-label").match(/strategy: ([^;]*)/)?.[1])
                .filter((name) => name !== undefined);
            return [...new Set(lines)].sort().join() === [...names].sort().join();
        }""",
        arg=[figure, list(names)],
    )


def checked(page, figure):
    boxes = page.locator(f"#{figure} .controls input").all()
    return [box.input_value() for box in boxes if box.is_checked()]


@pytest.fixture(scope="module")
def run(program):
    (run,) = judged_runs(program, [read_result(RECORDED / "result.json.gz")])
    return run


@pytest.mark.parametrize(
    ("name", "data", "best"),
    [
        ("bandwidth", "points", "copy/pinned +11"),
        ("latency", "points", "copy/pinned +11"),
        ("allocation", "costs", "device_pool"),
        ("machines", "runs", "copy/pinned, run 2"),
    ],
)
def test_rows_have_what_the_page_lists_of_them(name, data, best, run):
    draw = FIGURES.get(name)
    drawn = draw(run, COLUMN) if draw else GROUP_FIGURES[name]([(2, run), (3, run)], COLUMN)
    spec = render.specification(drawn)
    listing = spec["usermeta"]["listing"]
    rows = [row for row in spec["datasets"][data] if row["size"] == "256 MiB"]
    place = rows[0][listing["place"]]
    ordered = sorted(
        (row for row in rows if row[listing["place"]] == place),
        key=lambda row: row[listing["order"]],
        reverse=listing["descending"],
    )
    assert ordered[0]["label"] == best
    assert all(isinstance(row[listing["value"]], str) for row in ordered)
    assert {row["strategy"] for row in ordered} <= {name for name, _ in drawn.strategies}


def test_pointing_at_a_label_fades_the_other_strategies(page):
    page.mouse.move(*middle(direct_label(page, "copy/pinned")))
    assert set(lines(page, "bandwidth")) == {(name, name != "copy/pinned") for name in STRATEGIES}
    assert not direct_label(page, "copy/pinned").evaluate(FADED)
    assert direct_label(page, "copy/pageable").evaluate(FADED)
    assert page.locator(LIST).count() == 0
    page.mouse.move(1, 1)
    assert set(lines(page, "bandwidth")) == {(name, False) for name in STRATEGIES}


def test_pointing_at_a_line_between_its_points_fades_the_others(page):
    page.mouse.move(*between(page, "bandwidth", "copy/pinned", MIDDLE, LARGEST))
    assert set(lines(page, "bandwidth")) == {(name, name != "copy/pinned") for name in STRATEGIES}


def test_a_click_shows_only_one_strategy_in_all_figures_and_another_brings_all_back(page, path):
    direct_label(page, "copy/pinned").click()
    for figure in ("bandwidth", "latency"):
        wait_for_lines(page, figure, ["copy/pinned"])
        assert checked(page, figure) == ["copy/pinned"]
    assert page.url.startswith(f"{path.as_uri()}#hide=copy%2Fpageable,")
    page.mouse.click(*between(page, "bandwidth", "copy/pinned", MIDDLE, LARGEST))  # its line
    for figure in ("bandwidth", "latency"):
        wait_for_lines(page, figure, STRATEGIES)
        assert checked(page, figure) == list(STRATEGIES)
    assert page.url == f"{path.as_uri()}#"


def test_escape_brings_all_back(page, path):
    direct_label(page, "copy/pinned").click()
    wait_for_lines(page, "bandwidth", ["copy/pinned"])
    page.keyboard.press("Escape")
    wait_for_lines(page, "bandwidth", STRATEGIES)
    assert page.url == f"{path.as_uri()}#"


def test_dragging_a_zoomed_line_hides_nothing(page):
    x, y = point(page, "bandwidth", "copy/pinned", MIDDLE)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y, steps=3)
    page.mouse.up()
    page.wait_for_function(  # until the line has followed
        """([x, size]) => document.querySelector(
            `#bandwidth path[aria-roledescription=point][aria-label*="transfer: ${size};"]`
        ).getBoundingClientRect().right < x - 30""",
        arg=[x, MIDDLE],
    )
    assert checked(page, "bandwidth") == list(STRATEGIES)


def test_the_keyboard_shows_only_one_strategy_and_points_at_it(page):
    page.locator("#bandwidth summary").click()
    box = page.locator("#bandwidth input[value='copy/pinned']")
    box.focus()
    assert set(lines(page, "bandwidth")) == {(name, name != "copy/pinned") for name in STRATEGIES}
    page.keyboard.press("Tab")
    button = page.locator("#bandwidth .only:focus-visible")
    assert button.get_attribute("aria-label") == "only copy/pinned"
    assert button.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    wait_for_lines(page, "latency", ["copy/pinned"])
    assert checked(page, "bandwidth") == ["copy/pinned"]
    page.keyboard.press("Enter")
    wait_for_lines(page, "latency", STRATEGIES)


def test_switching_off_what_is_pointed_at_leaves_the_others_unfaded(page):
    page.locator("#bandwidth summary").click()
    page.locator("#bandwidth input[value='copy/pinned']").focus()
    page.keyboard.press("Space")
    others = [name for name in STRATEGIES if name != "copy/pinned"]
    wait_for_lines(page, "bandwidth", others)
    assert set(lines(page, "bandwidth")) == {(name, False) for name in others}
    page.locator("#bandwidth label:has([value='copy/pinned'])").hover()
    assert set(lines(page, "bandwidth")) == {(name, False) for name in others}


def test_all_strategies_are_listed_best_first_wherever_the_pointer_is(page):
    x, _ = point(page, "bandwidth", "copy/pinned", MIDDLE)
    panel = page.locator("#bandwidth path.background[stroke]").first.bounding_box()
    page.mouse.move(x + 20, panel["y"] + panel["height"] / 10)  # far from all lines
    title, rows, nearest = listed(page)
    assert (title, nearest) == ("1 MiB, host → device", "copy/pageable")
    assert set(lines(page, "bandwidth")) == {(name, False) for name in STRATEGIES}
    assert list(rows)[: len(STRATEGIES)] == list(STRATEGIES)
    assert rows["copy/pinned"] == "31.82 GB/s (51 %)"  # of 63 GB/s
    assert rows["time"] == "21.97 µs"  # of the nearest
    rule = page.locator("#bandwidth .rule").bounding_box()
    assert abs(rule["x"] - x) < 1.5
    page.mouse.move(*point(page, "bandwidth", "copy_async/pinned", LARGEST, "d2h"))
    title, rows, nearest = listed(page)
    assert (title, nearest) == ("64 MiB, device → host", "copy_async/pinned")
    assert rows["fastest to slowest"] == "30.0 %"
    page.mouse.move(1, 1)
    page.locator(LIST).wait_for(state="detached")
    assert page.locator(".rule").count() == 0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("width", [1100, 700])
def test_the_list_stands_beside_the_rule_and_covers_no_point_of_its_line(page, size, width):
    page.set_viewport_size({"width": width, "height": 900})
    for strategy in (STRATEGIES[0], STRATEGIES[-1]):
        variant = "read" if strategy.startswith("zero_copy") else "h2d"
        page.mouse.move(*point(page, "latency", strategy, size, variant))
        page.locator(LIST).wait_for()
        box = page.locator(LIST).bounding_box()
        rule = page.locator("#latency .rule").bounding_box()["x"]
        assert rule < box["x"] or box["x"] + box["width"] < rule
        for other in SIZES:
            x, y = point(page, "latency", strategy, other, variant)
            is_inside = box["x"] <= x <= box["x"] + box["width"]
            assert not (is_inside and box["y"] <= y <= box["y"] + box["height"])
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_a_pointer_where_the_list_stands_still_points_at_the_figure(page):
    page.mouse.move(*point(page, "latency", "copy/pageable", SIZES[0]))
    page.locator(LIST).wait_for()
    box = page.locator(LIST).bounding_box()
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    below = page.evaluate("place => document.elementFromPoint(...place).closest('.chart')", place)
    assert below is not None


def test_axe_finds_no_violation_in_lists_and_buttons(page):
    axe = pytest.importorskip("axe_playwright_python")
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.mouse.move(*point(page, "bandwidth", "copy/pinned", MIDDLE))
    page.locator(LIST).wait_for()
    page.evaluate(Path(axe.__file__).with_name("axe.min.js").read_text("utf-8"))
    violations = page.evaluate("axe.run().then((answer) => answer.violations)")
    assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == []
    assert page.locator(LIST).is_visible()


def test_the_panels_of_latency_list_all_strategies_of_a_direction(page):
    # Both directions are as fast here, and this one lies on the other.
    page.mouse.move(*point(page, "latency", "copy_async/pinned", LARGEST))
    title, rows, nearest = listed(page)
    assert (title, nearest) == ("64 MiB, host → device", "copy_async/pinned")
    assert list(rows)[: len(STRATEGIES)] == list(STRATEGIES)  # the shortest time first
    assert rows["copy/pageable"] == "1.343 ms"
    assert rows["bandwidth"] == "22.21 GB/s"


def test_hidden_strategies_are_not_listed(page):
    page.locator("#bandwidth summary").click()
    page.locator("#bandwidth input[value='copy/pinned']").uncheck()
    others = [name for name in STRATEGIES if name != "copy/pinned"]
    wait_for_lines(page, "bandwidth", others)
    page.mouse.move(*point(page, "bandwidth", "copy/pageable", MIDDLE))
    _, rows, _ = listed(page)
    assert [name for name in rows if name in STRATEGIES] == others


def test_the_list_follows_zooming(page):
    x, y = point(page, "bandwidth", "copy/pageable", MIDDLE)
    page.mouse.move(x + 100, y)
    page.locator(LIST).wait_for()
    page.keyboard.down("Alt")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Alt")
    page.wait_for_function(
        """([x, size]) => document.querySelector(
            `#bandwidth path[aria-roledescription=point][aria-label*="transfer: ${size};"]`
        ).getBoundingClientRect().right < x - 20""",
        arg=[x, MIDDLE],
    )
    assert page.locator(LIST).count() == 0  # what it was about has moved
    moved, y = point(page, "bandwidth", "copy/pageable", MIDDLE)
    page.mouse.move(moved, y)
    title, _, nearest = listed(page)
    assert (title, nearest) == ("1 MiB, host → device", "copy/pageable")
    assert abs(page.locator("#bandwidth .rule").bounding_box()["x"] - moved) < 1.5


def test_a_dark_page_lists_and_fades_as_well(page):
    page.locator("#theme").click()
    wait_until_drawn(page, "dark")
    page.mouse.move(*point(page, "bandwidth", "copy/pageable", MIDDLE))
    assert listed(page)[2] == "copy/pageable"
    assert "dark-theme" in page.locator(LIST).get_attribute("class")
    assert ("copy/pinned", True) in lines(page, "bandwidth")


def test_paper_shows_nothing_of_where_the_pointer_is(page):
    page.mouse.move(*point(page, "bandwidth", "copy/pinned", MIDDLE))
    page.locator(LIST).wait_for()
    assert ("copy/pageable", True) in lines(page, "bandwidth")
    page.emulate_media(media="print")
    assert set(lines(page, "bandwidth")) == {(name, False) for name in STRATEGIES}
    assert not page.locator(LIST).is_visible()
    assert not page.locator(".rule").is_visible()


def test_a_tap_lists_within_the_window_and_a_tap_on_a_label_shows_only_it(phone):
    phone.touchscreen.tap(*point(phone, "bandwidth", "copy/pageable", LARGEST))
    title, rows, nearest = listed(phone)
    assert (title, nearest) == ("64 MiB, host → device", "copy/pageable")
    assert list(rows)[: len(STRATEGIES)] == list(STRATEGIES)
    box = phone.locator(LIST).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert checked(phone, "bandwidth") == list(STRATEGIES)  # its line was tapped
    phone.touchscreen.tap(*middle(phone.locator("#bandwidth h4")))
    phone.locator(LIST).wait_for(state="detached")
    phone.touchscreen.tap(*middle(direct_label(phone, "copy/pinned")))
    wait_for_lines(phone, "bandwidth", ["copy/pinned"])
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
