"""The programs under test."""

from __future__ import annotations

import pytest
from running import BESIDE, Programs


@pytest.fixture(scope="session")
def programs(pytestconfig: pytest.Config) -> Programs:
    binary = pytestconfig.getoption("binary").resolve()
    for name in BESIDE:
        if not binary.with_name(name).is_file():
            pytest.fail(f"{binary.with_name(name)} does not exist: build it", pytrace=False)
    return Programs(binary)
