"""The programs under test."""

from __future__ import annotations

import pytest
from running import Programs


@pytest.fixture(scope="session")
def programs(pytestconfig: pytest.Config) -> Programs:
    binary = pytestconfig.getoption("binary").resolve()
    for name in ("bench_transfers", "bench_transfers_paced", "gate_transfers", "fleet_transfers"):
        if not binary.with_name(name).is_file():
            pytest.fail(f"{binary.with_name(name)} does not exist: build it", pytrace=False)
    return Programs(binary)
