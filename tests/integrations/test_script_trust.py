"""What scripts of integrations believe, run and leave behind, whatever others have prepared."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import call
from node import BAD, HEALTHY, INTEGRATIONS, ROOT, Node, write_script

SOMEBODY_ELSE = 65534
# The group of another user may be that user's own.
OPEN = (0o020, 0o002) if os.geteuid() == 0 else (0o002,)
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """One whose programs answer at once, with two runs: the next one passes."""
    write_script(
        tmp_path / "programs/bench_transfers",
        'for a; do case $a in --out=*) echo {} >"${a#--out=}" ;; esac; done',
    )
    write_script(tmp_path / "programs/gate_transfers", "exit 0")
    for name in ("runs/run-1.json", "runs/run-2.json", "baseline.json"):
        path = tmp_path / "state" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}", "utf-8")
    (tmp_path / "settings").write_text(
        f"programs={tmp_path}/programs\nstate={tmp_path}/state\n", "utf-8"
    )
    return Node(tmp_path)


def test_the_state_is_in_a_folder_of_its_own(node: Node):
    state = node.folder / "state"
    state.chmod(0o755)
    assert node.check() == (HEALTHY, "pass")
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert stat.S_IMODE((state / "lock").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["settings", "state", "state/baseline.json", "state/runs", "."])
@pytest.mark.parametrize("mode", OPEN)
def test_nothing_is_believed_that_others_can_write(node: Node, name: str, mode: int):
    path = node.folder / name
    path.chmod(path.stat().st_mode | mode)
    code, line = node.check()
    assert (code, line.split()[0]) == (BAD, "bad_settings")
    assert line.endswith(f" not_trusted={path}")


@AS_ROOT
@pytest.mark.parametrize(
    "name", ["settings", "state", "state/baseline.json", "state/runs/run-1.json"]
)
def test_nothing_is_believed_that_belongs_to_somebody_else(node: Node, name: str):
    os.chown(node.folder / name, SOMEBODY_ELSE, -1)
    code, line = node.check()
    assert (code, line.split()[0]) == (BAD, "bad_settings")
    assert line.endswith(f" not_trusted={node.folder / name}")


@AS_ROOT
def test_a_link_counts_as_what_it_leads_to(node: Node):
    (node.folder / "settings").rename(node.folder / "real")
    (node.folder / "settings").symlink_to("real")
    assert node.check() == (HEALTHY, "pass")
    os.chown(node.folder / "settings", SOMEBODY_ELSE, -1, follow_symlinks=False)
    code, line = node.check()
    assert (code, line.endswith(f" not_trusted={node.folder}/settings")) == (BAD, True)


NO_NUMBERS = (
    "30s",
    "abc",
    "",
    "1.5",
    "0x3",
    "-1",
    "1e3",
    " 5",
    "5 ",
    "10000000000",
    "5\r",
    "\u0665",
)


@pytest.mark.parametrize("name", ["limit_s", "every_s"])
@pytest.mark.parametrize("value", NO_NUMBERS)
def test_a_number_of_the_settings_is_one(node: Node, name: str, value: str):
    node.set(f"{name}='{value}'")
    code, line = node.check()
    assert (code, line.split()[0]) == (BAD, "bad_settings")
    assert "\r" not in line


def test_a_limit_of_no_seconds_is_none(node: Node):
    node.set("limit_s=0")
    assert node.check() == (BAD, "bad_settings limit_s=0")
    node.set("limit_s=030")
    assert node.check() == (HEALTHY, "pass")


def test_settings_of_another_system_are_refused(node: Node):
    text = node.settings.read_text("utf-8")
    node.settings.write_bytes(text.replace("\n", "\r\n").encode())
    assert node.check() == (BAD, f"bad_settings file={node.settings} carriage_return")


def test_settings_that_exit_are_no_answer(node: Node):
    node.set("exit 1")
    assert node.check() == (BAD, f"bad_settings file={node.settings}")


def test_the_environments_seconds_do_not_count(node: Node, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECONDS", "99999")
    assert node.check() == (HEALTHY, "pass")
    node.set("SECONDS=99999")
    (node.folder / "state/passed").unlink()
    assert node.check() == (HEALTHY, "pass")


@pytest.mark.parametrize(
    "variable",
    ["TRANSFERS_NODES", "TRANSFERS_NODE_INDEX", "TRANSFERS_GPUS", "TRANSFERS_LIMIT_S"],
)
@pytest.mark.parametrize("value", [value for value in NO_NUMBERS if value])
def test_a_number_of_the_environment_is_one(tmp_path: Path, variable: str, value: str):
    write_script(tmp_path / "bench_transfers", "exit 0")
    completed = call(
        [INTEGRATIONS / "node_sweep", tmp_path],
        env={
            **os.environ,
            "TRANSFERS_PROGRAMS": str(tmp_path),
            "TRANSFERS_GPUS": "1",
            variable: value,
        },
        expected=2,
    )
    assert "is no whole number" in completed.stderr


@pytest.mark.parametrize("beside", ["bin/integrations", "share/bench_transfers/integrations"])
def test_a_sweep_finds_the_scripts_of_the_bundle_and_of_a_package(tmp_path: Path, beside: str):
    for command in ("sinfo", "srun", "fleet_transfers"):
        write_script(tmp_path / "bin" / command, f'echo {command} "$@"')
    (tmp_path / beside).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / beside).symlink_to(INTEGRATIONS)
    copied = shutil.copy(INTEGRATIONS / "slurm/sweep.sbatch", tmp_path)
    completed = call(
        ["bash", "-p", copied],
        env={
            "PATH": f"{tmp_path}/bin:/usr/bin:/bin",
            "SLURM_JOB_ID": "7",
            "TRANSFERS_PROGRAMS": f"{tmp_path}/bin",
            "TRANSFERS_SWEEPS": f"{tmp_path}/sweeps",
        },
    )
    assert "srun --kill-on-bad-exit=0" in completed.stdout, completed.stderr
    assert "fleet_transfers judge" in completed.stdout


def test_the_numbers_of_all_scripts_are_checked_by_one_function():
    """So no script has a pattern of digits of its own."""
    for script in (
        "node_check",
        "node_sweep",
        "judge_sweep",
        "slurm/node_check.sh",
        "slurm/sweep.sbatch",
    ):
        text = (INTEGRATIONS / script).read_text("utf-8")
        assert not re.search(r"\[!0-9\]|10#", text), script


def process_in(file: Path) -> int:
    """The process that a program has noted, as soon as it has."""
    while not (file.exists() and file.read_text().endswith("\n")):
        time.sleep(0.02)
    return int(file.read_text())


def wait_until_gone(process: int) -> None:
    """Until it has ended; who it was left to may not have asked for its exit code yet."""
    status = Path(f"/proc/{process}/status")
    while status.exists() and "\nState:\tZ" not in status.read_text():
        time.sleep(0.02)


SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("script", ["node_check", "slurm/node_check.sh"])
def test_what_node_check_starts_ends_with_it(node: Node, script: str, number: signal.Signals):
    noted = node.folder / "noted"
    write_script(node.folder / "bin/pgrep", "exit 1")
    with node.program(f"trap '' TERM HUP INT; echo $$ >{noted}; while :; do sleep 600; done"):
        started = subprocess.Popen(
            [INTEGRATIONS / script],
            env={
                **os.environ,
                "TRANSFERS_SETTINGS": str(node.settings),
                "PATH": f"{node.folder}/bin:{os.environ['PATH']}",
            },
            stdout=subprocess.DEVNULL,
        )
        process = process_in(noted)
        started.send_signal(number)
        started.wait()
    wait_until_gone(process)


@pytest.mark.parametrize("script", ["node_sweep", "judge_sweep"])
def test_what_a_sweep_starts_ends_with_it(tmp_path: Path, script: str):
    (tmp_path / "runs").mkdir()
    for program in ("bench_transfers", "fleet_transfers"):
        write_script(tmp_path / program, f"echo $$ >{tmp_path}/noted; exec sleep 600")
    started = subprocess.Popen(
        [INTEGRATIONS / script, tmp_path],
        env={**os.environ, "TRANSFERS_PROGRAMS": str(tmp_path), "TRANSFERS_GPUS": "1"},
    )
    process = process_in(tmp_path / "noted")
    started.kill()
    started.wait()
    wait_until_gone(process)


@AS_ROOT
@pytest.mark.parametrize(("user", "calls"), [(0, False), (SOMEBODY_ELSE, True)])
def test_only_root_names_a_job(tmp_path: Path, user: int, calls: bool):
    """What somebody else calls slurmstepd keeps no node from being checked."""
    called = tmp_path / "called"
    for name in ("slurm/node_check.sh", "common.sh", "safe_path.sh"):
        copy = tmp_path / "site" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((INTEGRATIONS / name).read_bytes())
        copy.chmod(0o755)
    write_script(tmp_path / "site/node_check", f"touch {called}; echo node_check: pass")
    # A program is known by its file's name, and shows its arguments, among which is the job.
    program = Path(tempfile.mkdtemp()) / "slurmstepd"  # where all can start it
    program.parent.chmod(0o755)
    shutil.copy("/bin/sleep", program)
    script = f"exec -a 'slurmstepd: [4711.batch]' {program} 600"
    job = subprocess.Popen(["bash", "-c", script], user=user, cwd="/")
    try:
        while Path(f"/proc/{job.pid}/comm").read_text() != "slurmstepd\n":
            assert job.poll() is None
            time.sleep(0.02)
        subprocess.run([tmp_path / "site/slurm/node_check.sh"], check=True)
    finally:
        job.kill()
        job.wait()
        shutil.rmtree(program.parent)
    assert called.exists() == calls


def test_a_file_takes_over_the_mode_of_the_one_before(tmp_path: Path):
    answer = 'for a; do case $a in --*=/*) echo new >"${a#*=}" ;; esac; done'
    write_script(tmp_path / "fleet_transfers", answer)
    (tmp_path / "sweep/runs").mkdir(parents=True)
    (tmp_path / "metrics").mkdir()
    variables = {
        "TRANSFERS_PROGRAMS": str(tmp_path),
        "TRANSFERS_TEXTFILE_FOLDER": str(tmp_path / "metrics"),
    }
    victim = tmp_path / "victim"
    victim.write_text("precious")
    judged = [tmp_path / "sweep/judgement.json", tmp_path / "metrics/transfers.prom"]
    for file in judged:
        file.write_text("old")
        file.chmod(0o640)
    (tmp_path / "sweep/judgement.md").symlink_to(victim)
    subprocess.run(
        [INTEGRATIONS / "judge_sweep", tmp_path / "sweep"], env=os.environ | variables, check=True
    )
    for file in judged:
        assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new\n", 0o640)
    assert victim.read_text() == "precious"
    assert [path.name for path in (tmp_path / "metrics").iterdir()] == ["transfers.prom"]


ONE_MEMBER, ANOTHER_MEMBER, SHARED = 2001, 2002, 3000


@pytest.fixture
def site() -> Iterator[Path]:
    """A folder that all can read, with the scripts."""
    folder = Path(tempfile.mkdtemp())
    shutil.copytree(INTEGRATIONS, folder / "integrations")
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@AS_ROOT
@pytest.mark.parametrize("mode", [0o664, 0o644])
def test_each_member_of_a_group_may_replace_an_answer(site: Path, mode: int):
    answer = 'for a; do case $a in --*=/*) echo $UID >"${a#*=}" ;; esac; done'
    write_script(site / "fleet_transfers", answer)
    (site / "sweep/runs").mkdir(parents=True)
    os.chown(site / "sweep", 0, SHARED)
    (site / "sweep").chmod(0o2775)
    judgement = site / "sweep/judgement.json"
    for user in (ONE_MEMBER, ANOTHER_MEMBER):
        completed = call(
            [site / "integrations/judge_sweep", site / "sweep"],
            env={**os.environ, "TRANSFERS_PROGRAMS": str(site)},
            user=user,
            group=SHARED,
            extra_groups=[],
            umask=0o002,
            cwd="/",
        )
        if user == ANOTHER_MEMBER and mode == 0o644:
            assert completed.returncode == 2
            assert completed.stderr == (
                f"judge_sweep: cannot write {judgement}: it belongs to another user, "
                "and this one may not write to it\n"
            )
            return
        assert (completed.returncode, completed.stderr) == (0, "")
        status = judgement.stat()
        assert (judgement.read_text(), status.st_uid, status.st_gid) == (f"{user}\n", user, SHARED)
        assert stat.S_IMODE(status.st_mode) == 0o664
        judgement.chmod(mode)


def untrusted(site: Path, path: Path | str, *before: str) -> str:
    completed = call(
        [*before, "bash", "-c", '. "$0"; not_trusted "$1"', site / "integrations/common.sh", path],
        cwd="/",
    )
    assert completed.stderr == ""
    return completed.stdout


@AS_ROOT
def test_what_the_owner_of_the_scripts_made_is_believed(site: Path):
    file = site / "file"
    file.touch()
    os.chown(file, ONE_MEMBER, -1)
    assert untrusted(site, file) == f"{file}\n"
    os.chown(site / "integrations/common.sh", ONE_MEMBER, -1)
    assert untrusted(site, file) == ""


def test_root_may_have_no_number(site: Path):
    """As in a container of a user: what is root's is the overflow user's there."""
    inside = ["unshare", "-Ur"]
    if os.geteuid() == 0:
        inside = ["setpriv", f"--reuid={ONE_MEMBER}", "--clear-groups", *inside]
    if not shutil.which(inside[0]) or subprocess.run([*inside, "true"], check=False).returncode:
        pytest.skip("there are no user namespaces")
    assert untrusted(site, "/etc/passwd", *inside) == ""
    if os.geteuid() == 0:
        file = site / "file"
        file.touch()
        file.chmod(0o664)
        assert untrusted(site, file, *inside) == f"{file}\n"


@pytest.mark.parametrize("name", ["programs", "state"])
@pytest.mark.parametrize("value", ["", ".", "{}", "./{}", "../{}"])
def test_a_relative_folder_of_the_settings_is_none(
    node: Node, monkeypatch: pytest.MonkeyPatch, name: str, value: str
):
    monkeypatch.chdir(node.folder)
    node.set(f"{name}={value.format(name)}")
    assert node.check() == (BAD, f"bad_settings {name}={value.format(name)}")


@pytest.mark.parametrize("name", ["programs", "programs/bench_transfers"])
@pytest.mark.parametrize("mode", OPEN)
def test_no_program_runs_that_others_can_write(node: Node, name: str, mode: int):
    path = node.folder / name
    path.chmod(path.stat().st_mode | mode)
    line = f"bad_settings programs={node.folder}/programs not_trusted={path}"
    assert node.check() == (BAD, line)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (":", None),
        ("", None),
        (".", None),
        ("/a", "/a"),
        (":/a::/b:", "/a:/b"),
        ("lib:/a:./b:../c", "/a"),
        ("/a;.;/b", "/a:/b"),  # the loader takes either
        ("/*", "/*"),
    ],
)
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_no_library_is_looked_for_in_the_current_folder(shell: str, given: str, kept: str | None):
    answer = call(
        [shell, "-uc", '. "$0"; env', ROOT / "scripts/safe_path.sh"],
        env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": given},
        cwd="/",
        expected=0,
    )
    variables = dict(line.partition("=")[::2] for line in answer.stdout.splitlines())
    assert variables.get("LD_LIBRARY_PATH") == kept
    assert variables["PATH"] == "/usr/bin:/bin"


@pytest.mark.parametrize("script", ["node_check", "node_sweep", "judge_sweep"])
def test_what_a_script_starts_loads_nothing_of_the_current_folder(tmp_path: Path, script: str):
    for program in ("bench_transfers", "gate_transfers", "fleet_transfers"):
        write_script(tmp_path / program, f'echo "${{LD_LIBRARY_PATH-none}}" >{tmp_path}/noted')
    (tmp_path / "settings").write_text(f"programs={tmp_path}\nstate={tmp_path}/state\n", "utf-8")
    (tmp_path / "state").mkdir()
    (tmp_path / "state/baseline.json").touch()
    (tmp_path / "sweep/runs").mkdir(parents=True)
    arguments = [] if script == "node_check" else [tmp_path / "sweep"]
    subprocess.run(
        [INTEGRATIONS / script, *arguments],
        env={
            "PATH": os.environ["PATH"],
            "LD_LIBRARY_PATH": ":",
            "TRANSFERS_SETTINGS": str(tmp_path / "settings"),
            "TRANSFERS_PROGRAMS": str(tmp_path),
            "TRANSFERS_GPUS": "1",
        },
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (tmp_path / "noted").read_text() == "none\n"


DECOYS = ("bash", "cat", "dirname", "env", "grep", "python3", "readlink", "sed", "sh", "stat")
SCRIPTS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in (
        "scripts/*",
        "integrations/*",
        "integrations/slurm/*",
        "packaging/report_transfers",
    )
    for path in ROOT.glob(pattern)
    if path.is_file() and os.access(path, os.X_OK)
)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("path", [".:{}", ":{}", "decoys:{}", "{}:."])
def test_no_program_of_the_current_folder_runs(tmp_path: Path, script: str, path: str):
    for folder in (tmp_path, tmp_path / "decoys"):
        for name in DECOYS:
            write_script(folder / name, "")
            (folder / name).write_text(f"#!/bin/sh\necho {name} >>{tmp_path}/ran\nexit 9\n")
    started = ROOT / script
    if script == "packaging/report_transfers":  # has its other half where it is installed
        started = tmp_path / "installed/bin/report_transfers"
        (tmp_path / "installed/share/bench_transfers").mkdir(parents=True)
        (tmp_path / "installed/share/bench_transfers/scripts").symlink_to(ROOT / "scripts")
        started.parent.mkdir()
        shutil.copy(ROOT / script, started)
    subprocess.run(
        [started, "--help"],
        cwd=tmp_path,
        env={"PATH": path.format("/usr/bin:/bin"), "TRANSFERS_PROGRAMS": str(tmp_path / "none")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()


def test_no_shell_is_looked_for():
    """`env` takes the shell of the PATH before a script can make that safe."""
    listed = call(["git", "ls-files", "-s"], cwd=ROOT, expected=0).stdout
    heads = {}
    for mode, name in re.findall(r"^(\d+) \S+ \d\t(.+)$", listed, re.MULTILINE):
        if mode == "100755" and not name.startswith("tests/"):
            heads[name] = (ROOT / name).read_text("utf-8").split("\n")[0]
    assert "integrations/node_check" in heads
    assert [name for name, head in heads.items() if "env" in head] == []
