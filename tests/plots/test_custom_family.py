"""Tests that a family unknown to the code, with its own role and metrics, is shown."""

import csv
import io
import re
from pathlib import Path

import format_2
import pytest
import synthetic
from synthetic import MIB

from plots.model.derive import Run
from plots.page import report
from plots.text import run_tables
from plots.text.table import format_files

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tables_by_name():
    return {table.name: table for table in run_tables.make_tables(Run(format_2.result()))}


def content(table):
    """Returns the rows of the CSV file."""
    data = format_files(table, "")[f"{table.name}.csv"].decode()
    return list(csv.DictReader(io.StringIO(data)))


def test_its_metrics_have_columns_with_their_units_in_the_files(tables_by_name):
    by_name = {row["benchmark"]: row for row in content(tables_by_name["benchmarks"])}
    columns = ("hops", "messages_per_s (1/s)", "retries")
    assert [by_name["ring/barrier"][key] for key in columns] == ["2", "1234.5", "0"]
    assert [by_name["copy/pinned/h2d/1MiB"][key] for key in columns] == ["", "", ""]
    last = content(tables_by_name["role_exchange"])[1]
    assert (last["benchmark"], last["smallest"], last["largest"]) == (
        "ring/neighbours",
        str(MIB),
        str(64 * MIB),
    )
    assert last["messages_per_s (1/s)"] == "1234.5"


def test_figures_of_transfers_leave_it_out(undrawn):
    (section,) = report.make_sections([format_2.result()], None)
    assert "bandwidth" in [figure.name for figure in section.drawn]
    assert not any("ring/" in str(figure.spec) for figure in section.drawn)


def test_its_role_is_on_the_page(undrawn):
    files = report.make_report([format_2.result()], None)
    page = files["report.html"].decode()
    assert "<h3>Exchanges between neighbours</h3>" in page
    assert "<td>1234 1/s</td>" in page
    assert "tables/role_exchange.csv" in files


def test_the_roles_without_a_table_of_their_own_are_those_of_the_strategies():
    text = (ROOT / "bench/strategy/roles.hpp").read_text()
    assert set(re.findall(r'inline const role \w+\{"(\w+)"', text)) == run_tables.OWN_ROLES


def test_roles_with_the_same_file_name_have_separate_tables():
    roles = {role: {"description": "", "table": "times"} for role in ("a/b", "a b")}
    described = {name: format_2.fields(name, role) for name, role in (("x", "a/b"), ("y", "a b"))}
    rows = [synthetic.row(name, 0, 10.0) for name in described]
    made = run_tables.make_tables(Run(format_2.result(rows, roles=roles, benchmarks=described)))
    assert {table.name: (table.heading, table.rows[0][0]) for table in made[1:]} == {
        "role_a_b_0": ("A b", "y"),
        "role_a_b_1": ("A/b", "x"),
    }
