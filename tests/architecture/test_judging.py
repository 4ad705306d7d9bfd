"""Tests that nothing in plots/ judges: each number that could decide something has a reason here.

Thresholds of health, noise, difference and choice are the programs' (src/trust, src/statistics,
src/advice, src/report), and the report draws what they answer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from rooms import ROOT

HARMLESS = {-1, 0, 1, 2}  # in comparisons: none, one, several

# By reason: file below plots/, and the names of its constants.
CONSTANTS = {
    "a length in a drawing, in pixels, inches, letters or parts of an axis": """
        page/draw PIXELS_PER_INCH COLUMN_INCHES POINTS_PER_INCH WIDEST NARROWEST ROOM_AROUND
        figures/forest WIDTH TEXT_WIDTH NAME_WIDTH KEY_COLUMNS
        figures/forest_rows AXIS_ROOM
        figures/answers COLUMN_BARS
        figures/machine_ranks NAME_WIDTH PANEL_WIDTH TEXT_ROOM
        figures/fleet_labels LIFT
        figures/winner_map CELL_WIDTH KEY_ROOM
        figures/machines KEY_ROOM
        figures/fleet_history HEIGHT
        figures/compared LABEL_ROOM
        figures/cells WIDEST_CELL CELL_HEIGHT LEAST_FOR_TEXT
        figures/named_rows GAP
        figures/bandwidth LABEL_DISTANCE NARROW ROOM_FOR_LABEL AXIS_ROOM
        figures/rows TALL_ROW_HEIGHT ABOVE BELOW GAP NAME_ROOM SPACING
        figures/fleet_scale ROOM
        figures/differences OF_NEXT
        figures/latency TITLE_ROOM TICK_OVERHANG SPACING HALF_ABOVE
        figures/at_once WIDTH TEXT_WIDTH NAMES_WIDTH SUMMARY_WIDTH
        figures/phases KEY_WIDTH
        figures/layout LETTER BOLD_LETTER WHOLE_LINE
        figures/host_tree BELOW_TEXT STEP MOST_NAME VALUES_WIDTH WIDE_MARKS
        figures/allocation GAP
        figures/fleet_map WIDEST TALLEST LEAST_WIDTH LEAST_HEIGHT TALL
        figures/machine_history ROOM
        figures/log_ticks LETTER TICK_GAP
        figures/fleet_outliers WIDTH TEXT_WIDTH NAMES_WIDTH
        figures/keys SAMPLE LINE_HEIGHT DIRECTION_WIDTH
        text/latex LONGEST_WORD
        text/run_tables LONGEST_FILE_NAME
        figures/bandwidth LABEL_ROOM
        figures/break_even ROW_HEIGHT
        figures/fleet_strip ALIGN_LEFT ALIGN_RIGHT
        figures/fleet_labels HEIGHT LIFTS
        figures/forest KEY_WIDTH
        figures/host_tree OFFSETS
        figures/latency HEIGHT LABEL_TOPS
        figures/machine_history HEIGHT
        figures/machines PANEL_HEIGHT
        figures/samples ROW_HEIGHT
        figures/winner_map CELL_HEIGHT
        figures/differences OUTSIDER
        figures/style SOLID DEVICE LOCK DASHES
        figures/machines DASHES""",
    "how much has room in a page, a figure, a table or a sentence": """
        page/section MOST_SECTIONS
        figures/machine_ranks MOST_RUNS
        figures/fleet_strip MOST_MARKS MOST_NAMED
        figures/machines MOST_STRATEGIES
        figures/at_once MOST_ROWS
        figures/differences MOST MOST_OF_SEVERAL
        figures/fleet_history COLUMNS MOST_PANELS
        figures/fleet_grid MOST_COLUMNS
        figures/fleet_outliers MOST_ROWS
        figures/fleet_strip BARS
        figures/fleet_labels MOST_LABELS
        figures/forest MOST_ROWS
        figures/questions MOST MOST_OF_SEVERAL
        figures/latency PANELS PANELS_BESIDE
        figures/machine_history COLUMNS MOST_PANELS MOST_TICKS
        figures/machine_ranks MOST_QUESTIONS
        figures/returns MOST_ROWS
        figures/small_copies MOST_ROWS
        text/choices SHOWN_SIZES
        figures/cells MOST_CELLS
        figures/bandwidth MOST_LINES
        figures/host_tree MOST_DEVICES
        figures/price MOST_GROUPS
        figures/fleet_grid MOST_CELLS MOST_LINES
        figures/fleet_outliers MOST_OF_A_PART
        figures/log_ticks LEAST_TICKS MOST_TICKS
        model/headline MOST_HEADLINES
        model/derive LONGEST_NAME LONGEST_SET_NAME
        text/latex MOST_ROWS MOST_PARTS
        text/fleet_tables MOST_ON_PAGE MOST_FACTS
        text/compared_table MOST_WITH_INTERVALS
        text/method MOST_DESCRIBED
        text/side_by_side MOST_IN_TITLE
        text/fleet_caption MOST_SENTENCES""",
    "which part of the data an axis shows, and which colours": """
        figures/bandwidth SMALLEST
        figures/gains ROOM
        figures/samples WITHIN
        figures/small_copies AXIS_END
        figures/differences INSIDE
        figures/fleet_scale MOST TINT TICKS LINEAR
        figures/samples ENDS
        figures/differences HALVES
        figures/style TEXT_CONTRAST WHITE FULL
        figures/log_ticks SIZE_STEPS""",
    "from how many on a figure shows anything": """
        figures/machine_ranks LEAST_RUNS
        figures/samples LEAST_REPETITIONS
        figures/phases LEAST_REMAINDER
        figures/ladder MOST_COMMON_SHARE""",
    "marks, lines and panels that would lie on each other are drawn once": """
        figures/cpu_access_rows MOST_APART
        figures/ladder ALIKE_DIFFERENCE
        figures/pairs NOTICEABLE TOLD_AS_ONE""",
    "digits, units, and how long something may take": """
        page/packing DIGITS
        page/panels DRAWN_DIGITS
        text/tidy DIGITS
        figures/returns MILLISECOND
        figures/machine_history MONTHS
        page/render MOST_PROCESSES FIGURES_PER_PROCESS
        page/draw SIGNATURE_BYTES PNG_LEVEL PR_SET_PDEATHSIG
        model/questions REFUSES SECONDS
        interruption SOON_S""",
    "what a file may hold; the readers in C++ say the same": """
        model/gunzip GZIP_ONLY CHUNK_BYTES
        model/host_map FORMAT
        model/values SMALLEST LARGEST
        model/strict_json MOST_DEPTH MOST_DIGITS LEAST_INTEGER MOST_INTEGER
        model/load FORMAT
        model/files MOST_BYTES
        model/fleet FORMAT BEGINNING
        model/gate FORMAT
        model/programs FORMAT CANNOT_TELL
        model/judge FORMAT
        model/trusted MOST_LINKS""",
    "arithmetic of links and tests, which tests compare with C++": """
        model/pcie LANE PAYLOAD HEADERS BESIDE_HEADER""",
    "what the programs are asked": "model/programs BREAK_EVEN_SIZES REUSES",
}
# By reason: file below plots/, and the numbers that it compares with.
COMPARED = {
    "digits and units of a number": """
        text/numbers 100 1000 999.95 1000000.0 0.001
        text/numbers 0.9995 9999.5 0.0001 0.0995 9.95 0.005 9.995 99.95
        text/fleet_caption 100 999.5 9.95 9.995 99.95
        text/fleet_tables 0.9999
        figures/nodes 99.95
        page/section 1000000.0""",
    "what has room": """
        figures/cells 26
        figures/fleet_history 4 10
        figures/fleet_map 8
        text/method_procedure 4""",
    "the standard of a colour space, of a link": """
        figures/style 0.04045
        model/pcie 6 32""",
}


def _files() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "plots").rglob("*.py")):
        name = path.relative_to(ROOT / "plots").with_suffix("").as_posix()
        yield name, ast.parse(path.read_text("utf-8"))


def _numbers(node: ast.expr) -> list[float]:
    """The numbers in an expression; none if it has anything else, such as a text or a list."""
    parts = list(ast.walk(node))
    others = (ast.Call, ast.List, ast.Dict, ast.Set, ast.JoinedStr, ast.Subscript)
    constants = [part.value for part in parts if isinstance(part, ast.Constant)]
    if any(isinstance(part, others) for part in parts) or not all(map(_is_number, constants)):
        return []
    return constants


def _numbers_within(node: ast.expr) -> list[float]:
    """Also those of a list, a set or a dictionary."""
    entries: list[ast.expr] = []
    if isinstance(node, ast.Dict):
        entries = node.values
    elif isinstance(node, ast.List | ast.Set | ast.Tuple):
        entries = node.elts
    return _numbers(node) or [number for entry in entries for number in _numbers_within(entry)]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _constants(module: ast.Module) -> Iterator[str]:
    """Names of numbers at the top of a module."""
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        value = getattr(node, "value", None)
        if not targets or not isinstance(value, ast.expr) or not _numbers_within(value):
            continue
        yield from (
            name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
        )


def _compared(module: ast.Module) -> Iterator[float]:
    """Numbers that something is compared with."""
    for node in ast.walk(module):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                yield from (number for number in _numbers(side) if number not in HARMLESS)


def _allowed(groups: dict[str, str]) -> set[tuple[str, str]]:
    lines = [line.split() for text in groups.values() for line in text.strip().splitlines()]
    return {(file, name) for file, *names in lines for name in names}


def test_each_constant_of_the_report_draws():
    found = {(file, name) for file, module in _files() for name in _constants(module)}
    assert found == _allowed(CONSTANTS)


def test_the_report_compares_with_no_threshold():
    found = {(file, str(number)) for file, module in _files() for number in _compared(module)}
    assert found == _allowed(COMPARED)
