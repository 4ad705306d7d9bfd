"""Tells whether others could have changed a file (src/common/trusted_path.hpp has the rule)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

MOST_LINKS = 40  # the kernel's limit
PERMISSIONS = 0o777


def why_untrusted(path: Path) -> str:
    """Tells why somebody else could have put there, or could change, what a path leads to.

    Empty where root and the caller alone can. Raises OSError where there is nothing.
    """
    for place, status in _way_to(path):
        if _is_of_others(status):
            return f"{place} belongs to user {status.st_uid}, neither to root nor to this user"
        if _is_open(status):
            mode = stat.S_IMODE(status.st_mode)
            return f"others may write to {place} (mode {mode:04o}; chmod go-w)"
    return ""


def link_of_others(path: Path) -> Path | None:
    """Returns the first link on the way that belongs neither to root nor to the caller."""
    try:
        for place, status in _way_to(path):
            if stat.S_ISLNK(status.st_mode) and _is_of_others(status):
                return place
    except OSError:
        pass  # the path need not exist
    return None


def take_over(new: Path, old: Path) -> None:
    """Gives a file or folder the owner, group and mode of the one that it is to replace.

    Raises OSError where it cannot. A link has none of its own.
    """
    before, after = old.lstat(), new.lstat()
    if stat.S_ISLNK(before.st_mode):
        return
    if (before.st_uid, before.st_gid) != (after.st_uid, after.st_gid):
        os.chown(new, before.st_uid, before.st_gid)
    if (before.st_mode ^ after.st_mode) & PERMISSIONS:
        new.chmod(before.st_mode & PERMISSIONS)


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


def _is_of_others(status: os.stat_result) -> bool:
    return status.st_uid not in (0, os.geteuid())


def _is_open(status: os.stat_result) -> bool:
    """Tells whether others can change it, or exchange what is in it."""
    if stat.S_ISLNK(status.st_mode) or stat.S_ISCHR(status.st_mode):
        return False
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return False
    is_private = status.st_gid == status.st_uid != 0
    return bool(status.st_mode & (stat.S_IWOTH if is_private else stat.S_IWGRP | stat.S_IWOTH))
