"""Tests the page in a browser: tooltips, switches, scales, themes and print."""

import re
from pathlib import Path

import gate_answers
import made_up_fleet
import made_up_map
import pytest
import synthetic
from browsing import opened_page, wait_until_drawn

from plots.figures import FIGURES, dark_page, style
from plots.model.load import read_result
from plots.page import report

RECORDED = Path(__file__).resolve().parents[2] / "results"
LINES_OF_BANDWIDTH = (
    "document.querySelectorAll('#bandwidth g.mark-line path[aria-label*=copy]').length"
)
# Of each strategy and direction the measured times, and what they are made of.
LINES_OF_LATENCY = "document.querySelectorAll('#latency g.mark-line path').length"
POINT = "#bandwidth path[aria-roledescription=point]"
STRATEGIES = ("copy/pageable", "copy/pinned", "copy_async/pinned", "zero_copy/pinned_mapped")


@pytest.fixture(scope="module")
def written(tmp_path_factory, program):
    """Returns a function that writes a page without the image files, which it does not use."""

    def write(results, *arguments, **options):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("plots.page.render.all_images", lambda named, *_: {})
            files = report.make_report(results, program, *arguments, **options)
        path = tmp_path_factory.mktemp("page") / "report.html"
        path.write_bytes(files["report.html"])
        return path

    return write


@pytest.fixture(scope="module")
def path(written):
    return written([synthetic.result(synthetic.apart(STRATEGIES))])


@pytest.fixture(scope="module")
def verdict_path(written):
    """The page of the gate's answer alone; other tests see the rest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plots.page.run.FIGURES", {})
        return written([synthetic.result()], gate_answers.check())


@pytest.fixture
def page(browser, path):
    yield from opened_page(browser, path)


@pytest.fixture
def verdict_page(browser, verdict_path):
    yield from opened_page(browser, verdict_path)


@pytest.fixture(scope="module")
def host_path(written):
    return written([synthetic.result(device={"kind": "host", "name": "host"}, link=None)])


@pytest.fixture(scope="module")
def compared_path(written):
    other = synthetic.result(synthetic.apart(), device={"kind": "cuda", "name": "Other GPU"})
    return written([synthetic.result(), other])


@pytest.fixture(scope="module")
def map_path(written):
    eight = made_up_map.parse(made_up_map.eight())
    return written([], maps=[eight], page_only=True)


@pytest.fixture(scope="module")
def fleet_path(written):
    """The page of a fleet, and of its GPUs over sweeps."""
    slow = made_up_fleet.judgement(findings=[made_up_fleet.finding("gpu")])
    fleets = [made_up_fleet.parse(slow), made_up_fleet.parse_past(made_up_fleet.history())]
    return written([], fleets=fleets, page_only=True)


@pytest.mark.parametrize(
    "kind", ["path", "verdict_path", "host_path", "compared_path", "map_path", "fleet_path"]
)
def test_axe_finds_no_violation(kind, browser, request):
    axe = pytest.importorskip("axe_playwright_python")
    code = Path(axe.__file__).with_name("axe.min.js").read_text("utf-8")
    for page in opened_page(browser, request.getfixturevalue(kind)):
        page.evaluate(code)
        violations = page.evaluate("axe.run().then((answer) => answer.violations)")
        assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == []


def test_the_first_chart_is_a_picture_without_scripts(browser, path):
    """Looks at the picture before and after the chart is drawn."""
    without_scripts = browser.new_page(java_script_enabled=False)
    without_scripts.goto(path.as_uri())
    assert without_scripts.locator("#gains .still.wide svg").is_visible()
    assert not without_scripts.locator("#gains .still.column svg").is_visible()
    without_scripts.close()
    for page in opened_page(browser, path):
        assert page.locator(".still").count() == 0
        assert page.locator("#gains .chart svg").count() == 1


def test_the_picture_of_the_first_chart_is_readable_on_a_phone(browser, path):
    for width, narrow in ((390, True), (1100, False)):
        page = browser.new_page(java_script_enabled=False, viewport={"width": width, "height": 800})
        page.goto(path.as_uri())
        pictures = [one for one in page.locator("#gains svg").all() if one.is_visible()]
        (shown,) = pictures
        text = shown.locator("text").first.evaluate("one => one.getBoundingClientRect().height")
        assert text > 9  # pixels
        inherent = float(shown.get_attribute("width"))
        assert (inherent < 400) is narrow
        page.close()


def test_a_comparison_on_a_phone_has_each_machine_below_its_question(browser, compared_path):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(compared_path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    row = page.locator(".stacked tbody tr").first
    boxes = [one.bounding_box() for one in row.locator("th, td").all()]
    assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)
    assert len({box["y"] for box in boxes}) == len(boxes) == 4
    assert all(box["x"] + box["width"] <= 390 for box in boxes)
    page.set_viewport_size({"width": 1100, "height": 800})
    assert len({one.bounding_box()["y"] for one in row.locator("td").all()}) == 1
    page.close()


def test_a_comparison_begins_with_a_picture_then_the_sentences(browser, compared_path):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(compared_path.as_uri())
    order = ["#runs-questions", ".sentences", ".card", ".stacked", "#runs-differences"]
    boxes = [page.locator(f"main {one}").first.bounding_box() for one in order]
    assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)
    assert boxes[1]["y"] < 900  # on the first screen
    assert page.locator("figure").first.get_attribute("id") == "runs-questions"
    assert page.locator(".card").count() == 2
    page.close()


def test_the_contents_show_that_they_scroll_and_a_button_scrolls_them(page):
    further = page.locator("nav > button")
    place = "document.querySelector('nav > ul').scrollLeft"
    assert further.inner_text() == "›"
    while further.inner_text() == "›":
        before = page.evaluate(place)
        further.click()
        page.wait_for_function(f"{place} > {before}")
        page.wait_for_timeout(500)  # it scrolls smoothly
    last = page.locator("nav a").last.bounding_box()
    assert last["x"] + last["width"] <= further.bounding_box()["x"]
    further.click()
    page.wait_for_function(f"{place} === 0")
    page.evaluate("document.querySelector('nav ul ul').replaceChildren()")
    page.evaluate("window.dispatchEvent(new Event('resize'))")
    assert not further.is_visible()


def charts(page):
    """Returns the role and the label of each chart by its name."""
    return {
        chart.get_attribute("data-figure"): (
            chart.get_attribute("role"),
            chart.get_attribute("aria-label"),
        )
        for chart in page.locator(".chart").all()
    }


@pytest.fixture(scope="module")
def recorded_path(written):
    """The page of two recorded runs: every figure but the one against a baseline."""
    runs = ("nvidia-h200/2026-11-21-report", "nvidia-h100/2026-11-21-transfers")
    return written([read_result(RECORDED / run / "result.json.gz") for run in runs])


def count_lines(page, figure):
    """Counts the lines of strategies in a figure's panels."""
    return page.locator(f"#{figure} g.mark-line path[aria-label*='copy']").count()


def test_every_figure_is_drawn_and_small_enough(page, path):
    figures = page.locator("figure").count()
    assert figures == page.locator(".chart svg").count() == 7
    assert path.stat().st_size < 6e6


def test_pointing_at_a_mark_shows_its_values(page):
    mark = page.locator("#bandwidth path[aria-label*='copy/pinned'][aria-roledescription=point]")
    mark.first.scroll_into_view_if_needed()
    mark.first.hover(force=True)
    tooltip = page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    text = " ".join(tooltip.inner_text().split())
    assert re.search(r"copy/pinned [\d.]+ [kMG]?B/s", text)
    assert re.search(r"time [\d.]+ [mµn]?s", text)
    assert "fastest to slowest 30.0 %" in text


def test_a_strategy_can_be_hidden_and_shown_by_keyboard(page):
    before, others = count_lines(page, "bandwidth"), page.evaluate(LINES_OF_LATENCY)
    page.locator("#bandwidth summary").focus()
    page.keyboard.press("Enter")
    for _ in range(3):  # all, none, the first strategy
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.wait_for_function(f"{LINES_OF_BANDWIDTH} < {before}")
    assert count_lines(page, "bandwidth") == before - 2  # both panels
    page.wait_for_function(f"{LINES_OF_LATENCY} < {others}")  # one switch is for all figures
    page.keyboard.press("Space")
    page.wait_for_function(f"{LINES_OF_BANDWIDTH} == {before}")


def test_figures_are_folded_by_question_and_links_unfold_them(browser, path):
    opened = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="light")
    opened.goto(path.as_uri())
    wait_until_drawn(opened, "light")
    folded = opened.locator("details.figures:not([open])")
    before = folded.count()
    assert before >= 2
    assert opened.locator("#bandwidth svg").first.is_visible()
    assert not opened.locator("#latency svg").first.is_visible()
    opened.locator("nav a[href='#latency']").click()
    assert opened.locator("#latency svg").first.is_visible()
    assert folded.count() == before - 1
    opened.emulate_media(media="print")  # paper cannot be unfolded
    assert opened.locator("#samples svg").first.is_visible()
    opened.close()
    opened = browser.new_page()
    opened.goto(f"{path.as_uri()}#samples")
    wait_until_drawn(opened, "light")
    assert opened.locator("#samples svg").first.is_visible()
    opened.goto(f"{path.as_uri()}#hide=%")  # not of this page
    opened.reload()
    wait_until_drawn(opened, "light")
    opened.close()


def test_what_is_hidden_stands_in_the_address(page, browser, path):
    page.locator("#bandwidth summary").click()
    page.locator("#bandwidth .none").click()
    page.wait_for_function(f"{LINES_OF_BANDWIDTH} == 0")
    page.locator("#bandwidth input[value='copy/pinned']").check()
    page.wait_for_function(f"{LINES_OF_BANDWIDTH} == 2")
    address = page.url
    assert address.startswith(f"{path.as_uri()}#hide=")
    sent = browser.new_page(color_scheme="light")
    sent.goto(address)
    wait_until_drawn(sent, "light")
    assert count_lines(sent, "bandwidth") == 2
    for figure in ("bandwidth", "latency"):
        boxes = sent.locator(f"#{figure} input").all()
        assert [box.input_value() for box in boxes if box.is_checked()] == ["copy/pinned"]
    sent.close()
    page.locator("#bandwidth .all").click()
    page.wait_for_function(f"{LINES_OF_BANDWIDTH} == 8")
    assert page.url == f"{path.as_uri()}#"


def test_a_long_table_can_be_searched_and_sorted(page):
    table = page.locator("details.table:has(.search)").last
    table.locator("summary").click()
    table.locator("[data-complete]").wait_for(state="attached")
    rows = table.locator("tbody tr")
    every = rows.count()
    assert every > 40
    table.locator("input").fill("PINNED h2d")
    shown = [row.inner_text() for row in rows.all() if row.is_visible()]
    assert 0 < len(shown) < every
    assert all("pinned" in text and "h2d" in text for text in shown)
    assert table.locator("output").inner_text() == f"{len(shown)} of {every} rows"
    time = table.locator("thead th").nth(1)
    for order in ("ascending", "descending"):
        time.locator("button").click()
        assert time.get_attribute("aria-sort") == order
        cells = [row.locator("td").first.inner_text() for row in rows.all() if row.is_visible()]
        units = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
        times = [float(number) * units[unit] for number, unit in map(str.split, cells)]
        assert times == sorted(times, reverse=order == "descending")
    table.locator("input").fill("")
    assert sum(row.is_visible() for row in rows.all()) == every


def test_the_other_scale_is_linear_and_keeps_what_is_hidden(page):
    label = page.locator("#latency svg [aria-roledescription=axis][aria-label*='time']").first
    assert "log scale" in label.get_attribute("aria-label")
    every = page.evaluate(LINES_OF_LATENCY)
    of_others = every * (len(STRATEGIES) - 1) // len(STRATEGIES)
    page.locator("#latency summary").click()
    page.locator("#latency input").first.uncheck()
    button = page.locator("#latency .scale")
    assert button.inner_text() == "Linear scale"
    look = "one => getComputedStyle(one).backgroundColor"
    before = button.evaluate(look)
    button.click()
    page.wait_for_selector("#latency svg [aria-label*='time'][aria-label*='linear scale']")
    assert button.get_attribute("aria-pressed") == "true"
    page.wait_for_function(f"{LINES_OF_LATENCY} == {of_others}")
    assert of_others < every
    assert button.evaluate(look) != before  # it looks pressed


def test_the_dark_page_has_light_lines_and_keeps_its_figures(page):
    dark = style.MEMORY["pageable"].dark
    assert page.locator(f"#bandwidth path[stroke='{dark}']").count() == 0
    page.locator("#theme").click()
    wait_until_drawn(page, "dark")
    assert page.locator(f"#bandwidth path[stroke='{dark}']").count() > 0
    assert page.locator(".chart svg").count() == 7
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(28, 28, 30)"


def test_zooming_needs_a_key_so_that_the_wheel_scrolls_the_page(page):
    def turn_the_wheel(amount):
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        page.mouse.move(box["x"] + 250, box["y"] + 250)
        page.mouse.wheel(0, amount)

    def place():
        return page.locator(POINT).first.get_attribute("transform")

    chart = page.locator("#bandwidth svg")
    chart.scroll_into_view_if_needed()
    before, scrolled = place(), page.evaluate("window.scrollY")
    turn_the_wheel(10)
    page.wait_for_function(f"window.scrollY != {scrolled}")
    assert place() == before
    page.keyboard.down("Alt")
    turn_the_wheel(-300)
    page.keyboard.up("Alt")
    page.wait_for_function(
        "([point, was]) => document.querySelector(point).getAttribute('transform') !== was",
        arg=[POINT, before],
    )


def test_a_phone_need_not_scroll_sideways(page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_selector("#samples .chart[data-layout=column]")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for chart in page.locator(".chart").all():
        box = chart.locator("svg").bounding_box()
        # Charts must stay readable, so they are hardly scaled.
        assert 0.95 * 370 < box["width"] <= 390
    page.set_viewport_size({"width": 1100, "height": 900})
    page.wait_for_selector("#samples .chart[data-layout=wide]")


A4_WITHOUT_MARGINS = {"width": 718, "height": 1047}  # pixels of 1/96 inch
TOO_WIDE = """[...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map((one) => one.outerHTML.slice(0, 80))"""


def colours_of_marks(page):
    return set(
        page.eval_on_selector_all(
            "#bandwidth path", "all => all.map((p) => p.getAttribute('stroke'))"
        )
    )


def test_print_shows_the_text_and_hides_the_controls(page):
    page.emulate_media(media="print")
    page.set_viewport_size(A4_WITHOUT_MARGINS)
    for hidden in ("nav", "#theme", ".skip", ".controls"):
        assert not page.locator(hidden).first.is_visible(), hidden
    assert page.locator("details.method td").first.is_visible()  # closed, but printed
    assert page.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("media", ["screen", "print"])
def test_a_dark_page_is_printed_on_white(page, media):
    page.locator("#theme").click()
    wait_until_drawn(page, "dark")
    pageable = style.MEMORY["pageable"]
    assert pageable.dark in colours_of_marks(page)
    page.emulate_media(media=media)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert pageable.colour in colours_of_marks(page)
    assert not colours_of_marks(page) & (set(dark_page.dark_colours().values()) - {"#777777"})
    paper = {"screen": "rgb(28, 28, 30)", "print": "rgb(255, 255, 255)"}[media]
    for element in ("body", ".chart svg"):
        background = page.evaluate(
            f"getComputedStyle(document.querySelector('{element}')).backgroundColor"
        )
        assert background == paper
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert pageable.dark in colours_of_marks(page)
    assert pageable.colour not in colours_of_marks(page)


def test_the_contents_stay_in_sight_and_cover_no_heading(page):
    page.locator("nav a[href='#latency']").click()
    page.wait_for_function("window.scrollY > 500")
    contents, heading = (page.locator(at).bounding_box() for at in ("nav", "#latency h4"))
    assert contents["y"] == 0
    assert heading["y"] >= contents["y"] + contents["height"]


def test_the_first_screen_has_a_picture_and_the_rates(page):
    picture = page.locator("main figure").first
    assert picture.get_attribute("id") == "gains"
    (first, *_) = page.locator(".glance dd").all()
    box = first.bounding_box()
    assert "GB/s" in first.inner_text()
    assert box["y"] > picture.bounding_box()["y"]
    assert box["y"] + box["height"] < 900
    reached = first.locator(".reached").bounding_box()
    frame = first.locator(".gauge").bounding_box()
    assert 0 < reached["width"] < frame["width"]


def test_what_the_bars_mean_stands_right_below_them(page):
    bars, key, rules = (
        page.locator(f".{name}").first.bounding_box() for name in ("glance", "key", "rules")
    )
    assert abs(key["y"] - (bars["y"] + bars["height"])) < 20
    assert key["height"] < 30  # one line
    assert key["y"] + key["height"] < rules["y"]


@pytest.mark.parametrize(
    "recorded", ["nvidia-h200/2026-11-21-report", "nvidia-h100/2026-11-21-transfers"]
)
def test_the_first_screen_of_a_phone_has_what_to_use_and_a_verdict(
    browser, program, tmp_path, recorded
):
    path = RECORDED / recorded / "result.json.gz"
    files = report.make_report(
        [read_result(path)], program, page_only=True, figures=frozenset({"gains"})
    )
    (tmp_path / "report.html").write_bytes(files["report.html"])
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((tmp_path / "report.html").as_uri())
    shown = page.locator("#gains .chart").inner_text()
    assert all(f"copy/{name} to the device" in shown for name in ("pinned", "pageable", "staged"))
    summary = page.locator(".summary")
    assert summary.inner_text().startswith("No fault seen:")
    box = summary.bounding_box()
    assert box["y"] + box["height"] < 844
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.close()


def test_the_first_stop_of_the_keyboard_leads_to_the_findings(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the findings"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_the_verdict_is_the_first_heading_and_its_figure_shows_values(verdict_page):
    heading = verdict_page.locator("h2").first
    assert heading.is_visible()
    assert heading.inner_text().startswith("REGRESSION, 4 of 6 tested: 3 runs against the baseline")
    mark = "#forest path[aria-roledescription=point][aria-label*='copy/pinned/h2d/4B']"
    verdict_page.locator(mark).scroll_into_view_if_needed()
    verdict_page.locator(mark).hover(force=True)
    tooltip = verdict_page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    text = " ".join(tooltip.inner_text().split())
    assert "verdict slower" in text
    assert "slower by +8.00 %" in text
    assert "95 % interval +7.00 % to +9.20 %" in text


def test_a_mark_unfolds_what_it_follows_from(page):
    evidence = page.locator(".mark li", has_text="The link ran at its full speed")
    assert not evidence.is_visible()
    page.locator(".mark summary", has_text=re.compile(r"^\s*Link")).click()
    assert evidence.is_visible()


def test_the_forest_plot_is_drawn_for_a_dark_page(verdict_page):
    verdict_page.get_by_role("button", name="Dark").click()
    wait_until_drawn(verdict_page, "dark")
    marks = verdict_page.locator("#forest path[aria-roledescription=point]")
    fills = {marks.nth(i).get_attribute("fill") for i in range(marks.count())}
    assert style.VERDICT["slower"].dark in fills
    assert not fills & {look.colour for look in style.VERDICT.values()}


def assert_charts_are_described(page, browser, path):
    """Checks that charts keep the labels that they have without scripts."""
    without_scripts = browser.new_page(java_script_enabled=False)
    without_scripts.goto(path.as_uri())
    undrawn = charts(without_scripts)
    without_scripts.close()
    drawn = charts(page)
    assert {name: label for name, (_, label) in drawn.items()} == {
        name: label for name, (_, label) in undrawn.items()
    }
    # Vega's role announces that there is more to read inside.
    assert {role for role, _ in drawn.values()} == {"graphics-document"}
    return drawn


PICTURES_WITHOUT_TEXT = """[...document.querySelectorAll(
        "svg[role], svg [role=img], svg [role=graphics-symbol]")]
    .filter((one) => !one.getAttribute("aria-label") && !one.closest("[aria-hidden=true]"))
    .map((one) => one.outerHTML.slice(0, 200))"""


def test_every_mark_that_is_announced_has_a_text(page, verdict_page):
    # axe calls this rule svg-img-alt. Layers without marks are pictures without text otherwise.
    assert page.evaluate(PICTURES_WITHOUT_TEXT) == []
    assert verdict_page.evaluate(PICTURES_WITHOUT_TEXT) == []
    page.locator("#bandwidth summary").click()
    for box in page.locator("#bandwidth input").all():
        box.uncheck()
    page.wait_for_function(f"{LINES_OF_BANDWIDTH} == 0")
    assert page.evaluate(PICTURES_WITHOUT_TEXT) == []
    page.locator("#bandwidth input").first.check()
    page.wait_for_function(f"{LINES_OF_BANDWIDTH} == 2")
    shown = page.locator("#bandwidth g.mark-line path[aria-label*='copy']").first
    assert shown.evaluate("one => one.closest('[aria-hidden=true]') === null")


def test_a_chart_keeps_its_text_when_it_is_drawn(page, browser, path):
    assert len(assert_charts_are_described(page, browser, path)) == 7
    page.locator("#theme").click()
    wait_until_drawn(page, "dark")
    assert_charts_are_described(page, browser, path)
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_selector("#samples .chart[data-layout=column]")
    assert_charts_are_described(page, browser, path)


def test_the_forest_plot_keeps_its_text(verdict_page, browser, verdict_path):
    assert set(assert_charts_are_described(verdict_page, browser, verdict_path)) == {"forest"}


def test_every_chart_of_recorded_runs_keeps_its_text(browser, recorded_path):
    for opened in opened_page(browser, recorded_path):
        drawn = assert_charts_are_described(opened, browser, recorded_path)
    measured_apart = {"interference", "company"}  # by runs of their own
    assert {f"run-1-{name}" for name in FIGURES.keys() - measured_apart} <= set(drawn)
    assert "runs-machines" in drawn
