"""ReFrame: copies of pinned memory on each kind of node, and the gate's verdict on them.

    reframe -C site.py -c transfers.py -r -S transfers_links.programs=/opt/transfers \
        -S transfers_links.baseline=/shared/transfers/baseline.json

Without a baseline (gate_transfers pin, docs/GATE.md) it measures, checks that all data arrived, and
reports GB/s. With one the test fails if the gate says REGRESSION or ENVIRONMENT_SLOWER: three
processes of a job must show it. An inconclusive answer is no failure; `slower` and `inconclusive`
are performance variables as well, so that ReFrame's log has them.
"""

# ruff: noqa: N801, RUF012 - tests are classes of ReFrame, which reads their attributes
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable

RUNS = ("run-1.json", "run-2.json", "run-3.json")


@rfm.simple_test
class transfers_links(rfm.RunOnlyRegressionTest):
    descr = "host-device copies, and whether they got slower"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    maintainers = ["site"]
    tags = {"gpu", "health"}
    num_tasks = 1
    time_limit = "10m"

    programs = variable(str, value="/opt/transfers")
    device = variable(str, value="all")
    options = variable(
        str, value="--strategies=copy/pinned --sizes=16MiB,64MiB --cache=warm --profile=quick"
    )
    baseline = variable(str, value="")
    gate_options = variable(str, value="--decide-by=link")

    @run_before("run")
    def set_commands(self) -> None:
        measure = f"{self.programs}/bench_transfers"
        common = [f"--device={self.device}", *self.options.split()]
        self.executable = measure
        self.executable_opts = [*common, f"--out={RUNS[-1]}"]
        if not self.baseline:
            return
        # A verdict needs three fresh processes.
        self.prerun_cmds = [
            " ".join([self.job.launcher.run_command(self.job), measure, *common, f"--out={run}"])
            for run in RUNS[:-1]
        ]
        gate = f"{self.programs}/gate_transfers check {self.baseline} {' '.join(RUNS)}"
        # Its exit code is in its answer, too.
        self.postrun_cmds = [f"{gate} {self.gate_options} --json=check.json || true"]

    def _read(self, name: str) -> dict[str, Any]:
        return json.loads((Path(self.stagedir) / name).read_text("utf-8"))

    @sanity_function
    def check_data_and_speed(self) -> bool:
        run = self._read(RUNS[-1])
        failed = [row["name"] for row in run["benchmarks"] if row.get("error_occurred")]
        ok = sn.all(
            [
                sn.assert_true(run["context"]["transfers"]["complete"], "the run ended early"),
                sn.assert_true(run["benchmarks"], "nothing was measured"),
                sn.assert_false(failed, f"failed: {failed}"),
            ]
        )
        if self.baseline:
            check = self._read("check.json")
            is_slower = check["verdict"] in ("REGRESSION", "ENVIRONMENT_SLOWER")
            ok = sn.all([ok, sn.assert_false(is_slower, check["sentence"])])
        return ok

    @run_before("performance")
    def set_performance_variables(self) -> None:
        rates: dict[str, list[float]] = {}
        for row in self._read(RUNS[-1])["benchmarks"]:
            if "gb_per_s" in row:
                rates.setdefault(row["run_name"], []).append(row["gb_per_s"])
        for name, values in rates.items():
            median = sorted(values)[len(values) // 2]
            self.perf_variables[name] = sn.make_performance_function(sn.defer(median), "GB/s")
        if self.baseline:
            check = self._read("check.json")
            facts = {
                "slower": check["counts"]["slower"],
                "inconclusive": int(check["verdict"] == "INCONCLUSIVE"),
            }
            for name, value in facts.items():
                self.perf_variables[name] = sn.make_performance_function(sn.defer(value), "1")
