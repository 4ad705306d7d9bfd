"""The version stands in CMakeLists.txt; other files follow it."""

from __future__ import annotations

import json
import re

import yaml
from rooms import ROOT


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text("utf-8")
    found = re.search(r"^project\(bench_transfers VERSION (\d+\.\d+\.\d+)", text, re.MULTILINE)
    assert found
    return found[1]


def test_the_citation_has_the_version():
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.*)$", text, re.MULTILINE) == [version()]


def test_the_newest_changes_are_of_the_version():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\S+)", text, re.MULTILINE)
    assert newest
    assert newest[1] == version()


def test_the_report_has_the_version():
    text = (ROOT / "plots/__init__.py").read_text("utf-8")
    assert re.findall(r'^VERSION = "(.*)"$', text, re.MULTILINE) == [version()]


def test_recipes_of_packages_have_the_version():
    packaging = ROOT / "packaging"
    spack = (packaging / "spack/package.py").read_text("utf-8")
    assert re.findall(r'^    version\("(.*)"\)$', spack, re.MULTILINE) == [version()]
    conda = yaml.safe_load((packaging / "conda/recipe.yaml").read_text("utf-8"))
    assert conda["context"]["version"] == version()
    assert conda["package"]["version"] == "${{ version }}"
    vcpkg = json.loads((packaging / "vcpkg/transfers/vcpkg.json").read_text("utf-8"))
    assert vcpkg["version"] == version()


def test_jobs_for_other_repositories_install_a_file():
    """No release is on PyPI yet: whoever took the name there would run code on their machines."""
    docs = ROOT / "docs"
    for path in (docs / "YOUR_REPOSITORY.md", *(docs / "ci").glob("your-*.yml")):
        (options,) = re.findall(r"bin/pip install (.*)", path.read_text("utf-8"))
        assert options.removeprefix("--quiet ") == "--no-index /opt/bench_transfers-*.whl"
