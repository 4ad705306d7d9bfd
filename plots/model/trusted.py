"""Tells whether others could have changed a file (src/common/trusted_path.hpp has the rule)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MOST_LINKS = 40  # the kernel's limit


def why_untrusted(path: Path) -> str:
    """Tells why somebody else could have put there, or could change, what a path leads to.

    Empty where only those can who are trusted. Raises OSError where there is nothing.
    """
    for place, status in _way_to(path):
        if _is_of_others(status):
            return (
                f"{place} belongs to user {status.st_uid}, "
                "not to root, this user or the program's owner"
            )
        if _is_open(status):
            mode = stat.S_IMODE(status.st_mode)
            return f"others may write to {place} (mode {mode:04o}; chmod go-w)"
    return ""


def link_of_others(path: Path) -> Path | None:
    """Returns the first link on the way that belongs to nobody who is trusted."""
    try:
        for place, status in _way_to(path):
            if stat.S_ISLNK(status.st_mode) and _is_of_others(status):
                return place
    except OSError:
        pass  # the path need not exist
    return None


def take_over(new: Path, old: Path) -> None:
    """Gives a file or folder the owner, group and mode of the one that it is to replace.

    As far as it can: one of the caller's own may replace what the caller may write to; otherwise
    it raises OSError. A link has none of its own.
    """
    before, after = old.lstat(), new.lstat()
    if stat.S_ISLNK(before.st_mode):
        return
    if before.st_uid != after.st_uid:
        try:
            os.chown(new, before.st_uid, -1)
        except OSError:
            if not os.access(old, os.W_OK, effective_ids=True):
                raise
    if before.st_gid != after.st_gid:
        with suppress(OSError):
            os.chown(new, -1, before.st_gid)
    # What is new in a folder gets its group, if that is asked for.
    mode = before.st_mode & (0o2777 if stat.S_ISDIR(before.st_mode) else 0o777)
    if new.lstat().st_gid != before.st_gid:
        # Who is in the new group was one of the others before.
        mode = mode & 0o707 | (mode & 0o007) << 3
    if stat.S_IMODE(after.st_mode) != mode:
        new.chmod(mode)


def _way_to(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yields each entry from the root on, links and what they lead to."""
    names = list(reversed(Path(Path.cwd(), path).parts))
    folder, links = Path("/"), 0
    while names:
        name = names.pop()
        if name == "..":
            folder = folder.parent
            continue
        entry = folder / name
        status = entry.lstat()
        yield entry, status
        if not stat.S_ISLNK(status.st_mode):
            folder = entry
            continue
        links += 1
        if links > MOST_LINKS:
            raise OSError(f"{path}: too many links")
        names += reversed(entry.readlink().parts)


def _users_of_root() -> set[int]:
    """Returns root's number, and where a user namespace has none for it, the overflow user's."""
    users = {0}
    with suppress(OSError):
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
        if all(line.split()[1] != "0" for line in lines):
            users.add(int(Path("/proc/sys/kernel/overflowuid").read_text("ascii")))
    return users


def _is_of_others(status: os.stat_result) -> bool:
    owner_of_program = Path(__file__).stat().st_uid
    return status.st_uid not in {*_users_of_root(), os.geteuid(), owner_of_program}


def _is_open(status: os.stat_result) -> bool:
    """Tells whether others can change it, or exchange what is in it."""
    if stat.S_ISLNK(status.st_mode) or stat.S_ISCHR(status.st_mode):
        return False
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return False
    is_private = status.st_gid == status.st_uid and status.st_uid not in _users_of_root()
    return bool(status.st_mode & (stat.S_IWOTH if is_private else stat.S_IWGRP | stat.S_IWOTH))
