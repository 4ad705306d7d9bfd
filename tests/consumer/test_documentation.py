"""The program in the documentation is the one that the tests build."""

from __future__ import annotations

import re

from cmake_calls import CONSUMERS, ROOT


def test_the_page_shows_the_program_that_is_tested():
    page = (ROOT / "docs/library/INSTALL.md").read_text()
    (program,) = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
    project = re.findall(r"```cmake\n(.*?)```", page, re.DOTALL)[0]
    assert program == (CONSUMERS / "hello/main.cpp").read_text()
    assert project == (CONSUMERS / "hello/CMakeLists.txt").read_text()
