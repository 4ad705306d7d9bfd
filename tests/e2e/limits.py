"""Limits for a process that is about to start (for preexec_fn)."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from calls import call
from program import ROOT

Preparation = Callable[[], None]

CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_IPC_LOCK = 1, 2, 14
PR_CAPBSET_DROP = 24
_libc = ctypes.CDLL(None, use_errno=True)


def without_capabilities(*capabilities: int) -> Preparation:
    """Drops capabilities; skips the test where that is impossible."""

    def drop() -> None:
        for capability in capabilities:
            _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)

    status = call(["cat", "/proc/self/status"], preexec_fn=drop, expected=0).stdout
    effective = next(int(line.split()[1], 16) for line in status.splitlines() if "CapEff" in line)
    if any(effective >> capability & 1 for capability in capabilities):
        pytest.skip("this user's capabilities cannot be dropped here")
    return drop


def without_override_of_permissions() -> Preparation:
    """Makes root obey the permissions of files that it owns."""
    return without_capabilities(CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH)


def address_space(limit: int) -> Preparation:
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def locked_memory(limit: int) -> Preparation:
    drop = without_capabilities(CAP_IPC_LOCK)

    def prepare() -> None:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, limit))
        drop()

    return prepare


def file_size(limit: int) -> Preparation:
    """Files cannot grow beyond the limit."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def processes(limit: int) -> Preparation:
    """A user without privileges and without other processes, who may have so many threads."""
    user = 60_000 + os.getpid() % 1000

    def prepare() -> None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))

    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    return prepare


def mount_small_disk(where: os.PathLike[str], size: int) -> None:
    """Skips the test where mounting is not allowed."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", os.fspath(where)]
    try:
        completed = call(command)
    except FileNotFoundError:
        pytest.skip("there is no mount command here")
    if completed.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted here: {completed.stderr.strip()}")


def unmount(where: os.PathLike[str]) -> None:
    subprocess.run(["umount", os.fspath(where)], check=True)


def memory_cgroup(name: str, limit: int) -> Iterator[Preparation]:
    """Makes a control group with this memory; skips the test where that is not allowed."""
    v1, v2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
    group = (v1 if v1.is_dir() else v2) / name
    file = "memory.limit_in_bytes" if v1.is_dir() else "memory.max"
    try:
        group.mkdir()
        (group / file).write_text(str(limit))
    except OSError as error:
        group.rmdir() if group.is_dir() else None
        pytest.skip(f"no control group can be made here: {error.strerror}")

    def join() -> None:
        (group / "cgroup.procs").write_text(str(os.getpid()))

    yield join
    group.rmdir()


def library(name: str, folder: Path) -> Path:
    """Builds a library of tests/data that a program loads before its own (LD_PRELOAD)."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    source = ROOT / "tests/data" / f"{name}.c"
    built = folder / f"{name}.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", built, source, "-ldl"], check=True)
    return built
