"""Whose site file and plugin are used: also a service user's, and root's where it has no number."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import call
from program import USAGE, Program

SERVICE, SOMEBODY, STRANGER = 2001, 2002, 2003
AS_SOMEBODY = ("setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups")
BELONGS = "not to root, this user or the program's owner"


@pytest.fixture
def software(program: Program) -> Iterator[Path]:
    """A folder of a service user that all can read, with the program, a site file and a plugin."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can give files away, and setpriv is needed")
    folder = Path(tempfile.mkdtemp())
    shutil.copy(program.path, folder / "bench_transfers")
    (folder / "site.conf").write_text("no_option = 1\n", "utf-8")
    (folder / "plugin.so").write_text("none\n", "utf-8")
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
        os.chown(path, SERVICE, SERVICE)
    yield folder
    shutil.rmtree(folder)


def said(folder: Path, *before: str) -> dict[str, str]:
    """What is said of the site file, in which no option is known, and of the plugin, which is no
    library: as far as they are trusted, they are read."""
    lines = {}
    for name, arguments, site in (
        ("site.conf", ("--device=host",), folder / "site.conf"),
        ("plugin.so", ("fleet", f"--mpi={folder}/plugin.so", f"--out={folder}/none"), ""),
    ):
        completed = call(
            [*AS_SOMEBODY, *before, folder / "bench_transfers", *arguments],
            env={**os.environ, "TRANSFERS_SITE_FILE": str(site)},
            cwd="/",
            expected=USAGE,
        )
        lines[name] = " ".join(completed.stderr.split())
    return lines


def assert_used(lines: dict[str, str]) -> None:
    assert "'no_option' is not among what it may set" in lines["site.conf"]
    assert BELONGS not in lines["plugin.so"]
    assert "cannot use" in lines["plugin.so"]


def test_what_the_owner_of_the_program_made_is_used(software: Path):
    assert_used(said(software))
    for name in ("site.conf", "plugin.so"):
        os.chown(software / name, STRANGER, STRANGER)
        assert f"{name} belongs to user {STRANGER}, {BELONGS}" in said(software)[name]


def test_what_root_made_is_used_where_root_has_no_number(software: Path):
    if subprocess.run([*AS_SOMEBODY, "unshare", "-Ur", "true"], check=False).returncode:
        pytest.skip("there are no user namespaces")
    for path in (software, *software.iterdir()):
        os.chown(path, 0, 0)
    os.chown(software / "bench_transfers", SOMEBODY, SOMEBODY)
    assert_used(said(software, "unshare", "-Ur"))
    # There user and group of root have one number, and are not one user's.
    (software / "site.conf").chmod(0o664)
    assert "others may write to" in said(software, "unshare", "-Ur")["site.conf"]
