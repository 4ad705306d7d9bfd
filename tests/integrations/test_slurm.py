"""Slurm's prolog, epilog and sweep, in a real Slurm of two nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from node import INTEGRATIONS, ON_THE_HOST, SLOW, Node, make_bundle, make_node, write_script
from slurm_cluster import SlurmCluster, skip_without_slurm, slurm_cluster

UNTIL_NO_JOB_IS_LEFT = 'while [ -n "$(squeue --noheader)" ]; do sleep 0.1; done'


@dataclass(frozen=True)
class Site:
    cluster: SlurmCluster
    node: Node  # what both of Slurm's nodes measure
    other_jobs: Path  # what pgrep says

    def job(self) -> str:
        """The name of the node that ran it; nothing if none did."""
        completed = self.cluster.run(
            "srun", "--immediate=60", "--nodelist=n1", "sh", "-c", "echo $SLURMD_NODENAME"
        )
        return completed.stdout.strip()

    def resume(self) -> None:
        self.cluster.run("scontrol", "update", "NodeName=n1", "State=RESUME")


@pytest.fixture(scope="module")
def site(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    skip_without_slurm()
    folder = tmp_path_factory.mktemp("slurm")
    node = make_node(folder / "node", pytestconfig.getoption("binary"))
    # Other jobs of this computer are none of this cluster's.
    other_jobs = folder / "bin/jobs"
    write_script(folder / "bin/pgrep", f"cat {other_jobs}")
    other_jobs.touch()
    at_edge = write_script(
        folder / "at_edge",
        f"export TRANSFERS_SETTINGS={node.settings} PATH={folder}/bin:/usr/bin:/bin\n"
        f"[ -e {folder}/$SLURM_SCRIPT_CONTEXT ] || exit 0\n"
        f"exec {INTEGRATIONS}/slurm/node_check.sh",
    )
    settings = {"Prolog": str(at_edge), "Epilog": str(at_edge), "PrologFlags": "Alloc"}
    settings["SchedulerParameters"] = "nohold_on_prolog_fail"
    with slurm_cluster(folder / "cluster", nodes=2, gpus=2, settings=settings) as cluster:
        yield Site(cluster, node, other_jobs)


@pytest.fixture
def prolog(site: Site) -> Iterator[Site]:
    """The site with a prolog."""
    yield from _with(site, "prolog_slurmd")


@pytest.fixture
def epilog(site: Site) -> Iterator[Site]:
    """The site with an epilog."""
    yield from _with(site, "epilog_slurmd")


def _with(site: Site, context: str) -> Iterator[Site]:
    switch = site.cluster.folder.parent / context
    switch.touch()
    yield site
    switch.unlink()
    site.node.inject("")
    site.other_jobs.write_text("")
    site.resume()


def test_a_process_for_each_gpu(site: Site) -> None:
    names = ("SLURMD_NODENAME", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS")
    completed = site.cluster.run(
        "srun",
        "--nodes=2",
        "--ntasks-per-node=2",
        "--gpus-per-task=1",
        "sh",
        "-c",
        "echo " + " ".join(f"${name}" for name in names),
    )
    assert completed.returncode == 0, site.cluster.logs()
    lines = sorted(completed.stdout.splitlines())
    assert lines == ["n1 0 0 4", "n1 1 1 4", "n2 2 0 4", "n2 3 1 4"]


def test_jobs_start_on_healthy_nodes(prolog: Site) -> None:
    assert [prolog.job() for _ in range(3)] == ["n1"] * 3
    assert prolog.node.check()[1] == "pass"
    prolog.cluster.wait_for(lambda: prolog.cluster.state("n1") == "idle")


def test_a_slow_node_is_drained_before_a_job(prolog: Site) -> None:
    prolog.node.inject(SLOW)
    prolog.node.check()
    prolog.node.check()
    submitted = prolog.cluster.run("sbatch", "--parsable", "--wrap=true")
    prolog.cluster.wait_for(lambda: prolog.cluster.state("n1") == "drained")
    assert prolog.cluster.reason("n1").startswith("node_check: slower benchmarks=")
    # It goes to another node, and is not held.
    job = prolog.cluster.run("scontrol", "show", "job", submitted.stdout.strip()).stdout
    assert "JobState=PENDING Reason=BeginTime" in job
    assert "Restarts=1" in job
    prolog.cluster.run("scancel", submitted.stdout.strip())
    assert prolog.cluster.state("n2") == "idle"


def test_a_slow_node_is_drained_after_a_job(epilog: Site) -> None:
    epilog.node.inject(SLOW)
    epilog.node.check()
    epilog.node.check()
    assert epilog.job() == "n1"
    epilog.cluster.wait_for(lambda: epilog.cluster.state("n1") == "drained")
    assert epilog.cluster.reason("n1").startswith("node_check: slower benchmarks=")


def test_a_job_starts_though_the_driver_hangs(prolog: Site) -> None:
    prolog.node.set("limit_s=1")
    with prolog.node.program("trap '' TERM; exec sleep 600"):
        assert prolog.job() == "n1"
    prolog.node.set("limit_s=60")
    prolog.cluster.wait_for(lambda: prolog.cluster.state("n1") == "idle")


def test_nothing_is_measured_beside_other_jobs(prolog: Site) -> None:
    prolog.other_jobs.write_text("25250 slurmstepd: [9999.0]\n25251 [slurmstepd] <defunct>\n")
    with prolog.node.program(f"touch {prolog.node.folder}/measured; exit 3"):
        assert prolog.job() == "n1"
    assert not (prolog.node.folder / "measured").exists()


def commands_of_the_docs(folder: Path) -> str:
    """From zero to a nightly sweep, on this cluster and below this folder."""
    text = (INTEGRATIONS.parent / "docs/SITE.md").read_text("utf-8")
    commands = text.split("### Slurm")[1].split("```sh\n")[1].split("```")[0]
    for theirs, ours in {
        "=90-100": "=1-2",
        "StartTime=03:00:00": "StartTime=now",
        "=8": "=2",
        "/shared": str(folder),
        "/etc/": f"{folder}/etc/",
        'sweep.sbatch"': f'sweep.sbatch {" ".join(ON_THE_HOST)}"',
        # It asks at intervals of seconds.
        "sbatch --wait $job": f"sbatch --output={folder}/output $job; {UNTIL_NO_JOB_IS_LEFT}",
    }.items():
        assert theirs in commands
        commands = commands.replace(theirs, ours)
    return commands


def test_from_zero_to_a_nightly_sweep(
    site: Site, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    make_bundle(
        tmp_path / "bench_transfers-0.1.0-Linux-x86_64.tar.gz", pytestconfig.getoption("binary")
    )
    (tmp_path / "etc/cron.d").mkdir(parents=True)
    commands = f"cd {tmp_path}\n{commands_of_the_docs(tmp_path)}"
    completed = site.cluster.run("bash", "-uc", commands)
    assert completed.returncode == 0, completed
    output = (tmp_path / "output").read_text("utf-8")
    (folder,) = (tmp_path / "sweeps").iterdir()
    # Host devices on a machine that others use: any answer may be right.
    judgement = json.loads((folder / "judgement.json").read_text("utf-8"))
    assert judgement["gpus"] == 4, output
    assert (folder / "judgement.md").read_text("utf-8") in completed.stdout
    measured = [path.parent.name for path in folder.glob("runs/*/*.json")]
    assert sorted(measured) == ["n1", "n1", "n2", "n2"]
    assert (folder / "transfers.prom").read_text("utf-8").endswith("# EOF\n")

    nightly = (tmp_path / "etc/cron.d/transfers").read_text("utf-8")
    assert nightly.startswith("0 3 * * * root ")
    assert nightly.count("\n") == 1
    # One node is drained tonight.
    site.cluster.run("scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=test")
    command = nightly.split(" root ")[1].strip().replace("sbatch ", "sbatch --output=output ", 1)
    completed = site.cluster.run("sh", "-c", f"{command}; {UNTIL_NO_JOB_IS_LEFT}")
    site.resume()
    site.cluster.run("scontrol", "delete", "ReservationName=transfers")
    assert completed.returncode == 0, completed
    (second,) = set((tmp_path / "sweeps").iterdir()) - {folder}
    measured = [path.parent.name for path in second.glob("runs/*/*.json")]
    assert measured == ["n2", "n2"], completed
    assert (second / "absent").read_text("utf-8") == "n1\n"
    assert (folder / "absent").read_text("utf-8") == ""
