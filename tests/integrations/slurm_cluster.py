"""A real Slurm of a few nodes on this computer: slurmctld, a slurmd for each node, and munged.

Debian's packages slurmctld, slurmd, slurm-client and munge, started by root, are all it takes. It
has neither cgroups nor accounting. Everything of it, its logs too, is below one folder.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from calls import call

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol", "sinfo")
LIMIT_S = 60  # only for hangs: on a busy machine everything takes ten times as long


@dataclass(frozen=True)
class SlurmCluster:
    folder: Path
    nodes: tuple[str, ...]

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """That of a user who is logged in, and is in no job of another cluster."""
        ours = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
        return ours | {"SLURM_CONF": str(self.folder / "slurm.conf")} | dict(more or {})

    def run(
        self, *command: str | Path, env: Mapping[str, str] | None = None, limit_s: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command such as srun, and waits for it."""
        return call(
            [str(word) for word in command],
            cwd=self.folder,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            timeout=limit_s,
        )

    def state(self, node: str) -> str:
        """For example `idle`, `allocated`, `drained`."""
        return self._of_node(node, "%T")

    def reason(self, node: str) -> str:
        """Why it is drained."""
        return self._of_node(node, "%E")

    def _of_node(self, node: str, column: str) -> str:
        return self.run("sinfo", "-h", "-n", node, "-o", column).stdout.strip()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + LIMIT_S
        while not condition():
            assert time.monotonic() < deadline, self.logs()
            time.sleep(0.05)

    def logs(self) -> str:
        return "\n".join(
            f"== {log.name}\n{log.read_text('utf-8', 'replace')[-3000:]}"
            for log in sorted(self.folder.glob("*.log"))
        )


def skip_without_slurm() -> None:
    for directory in ("/usr/sbin", "/sbin"):  # where Debian has the daemons
        if directory not in os.environ["PATH"].split(":"):
            os.environ["PATH"] += f":{directory}"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)} (scripts/test --slurm installs them)")
    if os.geteuid() != 0:
        pytest.skip("only root starts a Slurm")


@contextmanager
def slurm_cluster(
    folder: Path,
    nodes: int = 2,
    *,
    cpus: int = 4,
    gpus: int = 0,
    settings: Mapping[str, str] | None = None,
) -> Iterator[SlurmCluster]:
    """Starts a cluster, waits until its nodes are idle, and ends it.

    `gpus` are made up: Slurm counts them, and sets no CUDA_VISIBLE_DEVICES. `settings` are further
    lines of slurm.conf, for example {"Prolog": "/path"}.
    """
    skip_without_slurm()
    folder.mkdir(parents=True, exist_ok=True)
    cluster = SlurmCluster(folder, tuple(f"n{number + 1}" for number in range(nodes)))
    _write_settings(cluster, cpus, gpus, settings or {})
    with ExitStack() as daemons:
        _start_munge(daemons, folder)
        _start(daemons, folder, "slurmctld", "-D")
        for node in cluster.nodes:
            (folder / f"spool.{node}").mkdir()
            _start(daemons, folder, "slurmd", "-D", "-N", node)
        _wait_until_idle(cluster)
        try:
            yield cluster
        finally:
            cluster.run("scancel", "--user=root")


def _write_settings(
    cluster: SlurmCluster, cpus: int, gpus: int, settings: Mapping[str, str]
) -> None:
    folder, host = cluster.folder, socket.gethostname().partition(".")[0]
    ports = _free_ports(1 + len(cluster.nodes))
    (folder / "state").mkdir()
    lines = {
        "ClusterName": "test",
        "SlurmctldHost": f"{host}(127.0.0.1)",
        "SlurmctldPort": str(ports.pop()),
        "SlurmUser": "root",
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={folder}/munge.socket",
        "StateSaveLocation": f"{folder}/state",
        "SlurmdSpoolDir": f"{folder}/spool.%n",
        "SlurmctldPidFile": f"{folder}/slurmctld.pid",
        "SlurmdPidFile": f"{folder}/slurmd.%n.pid",
        "SlurmctldLogFile": f"{folder}/slurmctld.log",
        "SlurmdLogFile": f"{folder}/slurmd.%n.log",
        "SlurmdParameters": "config_overrides",  # more CPUs than there are
        "ProctrackType": "proctrack/pgid",
        "TaskPlugin": "task/none",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core",
        "MpiDefault": "none",
        "ReturnToService": "2",
        "KillWait": "2",
    }
    if gpus:
        lines["GresTypes"] = "gpu"
        devices = [folder / f"gpu{number}" for number in range(gpus)]
        for device in devices:
            device.touch()
        names = ",".join(str(device) for device in devices)
        (folder / "gres.conf").write_text(f"AutoDetect=off\nName=gpu File={names}\n", "utf-8")
    text = "".join(f"{key}={value}\n" for key, value in {**lines, **settings}.items())
    for node in cluster.nodes:
        text += (
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports.pop()}"
            f" CPUs={cpus} {f'Gres=gpu:{gpus} ' if gpus else ''}State=UNKNOWN\n"
        )
    text += f"PartitionName=all Nodes={','.join(cluster.nodes)} Default=YES State=UP\n"
    (folder / "slurm.conf").write_text(text, "utf-8")


def _free_ports(count: int) -> list[int]:
    with ExitStack() as sockets:
        opened = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for each in opened:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in opened]


def _start_munge(daemons: ExitStack, folder: Path) -> None:
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    files = {"key": "key", "pid": "pid", "seed": "seed", "log": "log"}
    _start(
        daemons,
        folder,
        "munged",
        "--foreground",
        "--force",  # folders of tests are no folders of daemons
        f"--socket={folder}/munge.socket",
        *(f"--{option}-file={folder}/munge.{ending}" for option, ending in files.items()),
    )
    deadline = time.monotonic() + LIMIT_S
    while not (folder / "munge.socket").exists() and time.monotonic() < deadline:
        time.sleep(0.01)


def _start(daemons: ExitStack, folder: Path, name: str, *arguments: str) -> None:
    output = daemons.enter_context((folder / "daemons.log").open("a"))
    daemon = subprocess.Popen(
        [name, *arguments],
        cwd=folder,
        env=SlurmCluster(folder, ()).environment(),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
    )
    daemons.callback(_stop, daemon)


def _stop(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    try:
        daemon.wait(timeout=30)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def _wait_until_idle(cluster: SlurmCluster) -> None:
    def are_idle() -> bool:
        states = cluster.run("sinfo", "-h", "-N", "-o", "%T").stdout.split()
        assert "inval" not in states, cluster.logs()
        return states == ["idle"] * len(cluster.nodes)

    cluster.wait_for(are_idle)
