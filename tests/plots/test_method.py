"""Tests which options the method leaves out; test_report.py has its sentences."""

import re

from calls import call

from plots.text.method_procedure import NO_METHOD


def test_each_option_that_the_method_leaves_out_is_one_of_the_program(program):
    shown = call([program, "--help"], expected=0).stdout
    assert set(NO_METHOD) - set(re.findall(r"--\w[\w-]*", shown)) == set()
