"""Runs a case and writes down all that came out, as one text to approve."""

from __future__ import annotations

import functools
import gzip
import itertools
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

from masks import Masks

ROOT = Path(__file__).resolve().parents[2]
APPROVED = Path(__file__).resolve().parent / "approved"
LIMIT_S = 900  # only for hangs
DRAWN = {".svg", ".png", ".pdf"}
Content = Path | bytes | Callable[[], bytes]
VARIABLE = re.compile(r"[A-Z_]+=")
BESIDE = (
    *("bench_transfers", "gate_transfers", "fleet_transfers"),
    *("bench_transfers_paced", "printed_answers"),  # of the tests
)


@dataclass(frozen=True)
class Case:
    """Commands that are given in one folder, one after another, and what lies there before.

    `given` are files by name there: of the repository (a path), or with this content.
    `before` are commands whose output is not shown. The figures of a `live` case are hidden.
    """

    name: str
    commands: tuple[str, ...]
    given: tuple[tuple[str, Content], ...] = ()
    before: tuple[str, ...] = ()
    live: bool = False
    files: bool = True  # whether the files that are left are shown, too
    of_host_build: bool = False  # of a build with CUDA it would be another text


@dataclass(frozen=True)
class Programs:
    """The programs under test: those beside `binary`, and the report."""

    binary: Path

    @functools.cached_property
    def version(self) -> str:
        return subprocess.run(
            [self.binary, "--version"], capture_output=True, encoding="utf-8", check=True
        ).stdout

    @property
    def has_cuda(self) -> bool:
        return "CUDA not built in" not in self.version

    @property
    def commit(self) -> str:
        found = re.search(r"\(([0-9a-f]{7,}\S*),", self.version)
        return found[1] if found else "no commit known"

    def variables(self, line: str) -> dict[str, str]:
        """Those that stand before the program: `RANK=1 bench_transfers fleet`."""
        given = itertools.takewhile(VARIABLE.match, shlex.split(line))
        return dict(variable.split("=", 1) for variable in given)

    def command(self, line: str) -> list[str]:
        program, *arguments = itertools.dropwhile(VARIABLE.match, shlex.split(line))
        if program == "report":
            asked = {"program": "bench", "gate": "gate", "fleet": "fleet"}
            options = [
                f"--{option}={self.binary.with_name(f'{name}_transfers')}"
                for option, name in asked.items()
            ]
            return [str(ROOT / ".venv/bin/python"), "-P", "-m", "plots", *options, *arguments]
        if program in ("situations", "drawings"):
            return [str(ROOT / ".venv/bin/python"), str(ROOT / f"tests/approval/{program}.py")]
        if program.startswith("scripts/"):
            return [str(ROOT / program), *arguments]
        assert program in BESIDE, line
        return [str(self.binary.with_name(program)), *arguments]


def environment(binary: Path) -> dict[str, str]:
    """That of the tests, without variables that the programs read, as in every terminal."""
    ours = {
        key: value
        for key, value in os.environ.items()
        if not re.match(
            r"BENCHMARK_|TRANSFERS_|SLURM_|OMPI_|PMI|CUDA_VISIBLE|(?:WORLD_SIZE|LOCAL_RANK|RANK|NODE_RANK|GROUP_RANK)$",
            key,
        )
    }
    return ours | {
        "TRANSFERS_SITE_FILE": "",
        "TRANSFERS_BIN": str(binary.parent),
        "PATH": f"{binary.parent}:{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}:{ROOT / 'tests/plots'}",
        "COLUMNS": "80",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
    }


def run(case: Case, programs: Programs) -> str:
    """All that the commands have printed and written, with what may differ masked."""
    begun = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        masks = Masks(
            begun,
            {str(folder): "<folder>", str(programs.binary.parent): "<bin>", str(ROOT): "<root>"}
            | {f"/{platform.node()}/": "/<host>/"},
            programs.commit,
            case.live,
        )
        for path, content in case.given:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                shutil.copy(ROOT / content, folder / path)
            else:
                (folder / path).write_bytes(content if isinstance(content, bytes) else content())
        for line in case.before:
            _call(line, programs, folder)
        given = _files(folder)
        parts = [_shown(line, _call(line, programs, folder), masks) for line in case.commands]
        if case.files:
            left = {path: text for path, text in _files(folder).items() if given.get(path) != text}
            parts += [_file(path, text, masks) for path, text in sorted(left.items())]
    return "\n".join(parts)


def _call(line: str, programs: Programs, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        programs.command(line),
        cwd=folder,
        env=environment(programs.binary) | programs.variables(line),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )


def _shown(line: str, completed: subprocess.CompletedProcess[bytes], masks: Masks) -> str:
    streams = {"stdout": completed.stdout, "stderr": completed.stderr}
    texts = {
        name: masks(content.decode("utf-8", "backslashreplace"))
        for name, content in streams.items()
    }
    shown = [f"===== {name}\n{_ended(text)}" for name, text in texts.items() if text.strip()]
    return "".join([f"$ {line}\nexit code {completed.returncode}\n", *shown])


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n(no newline)\n"


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _file(path: str, content: bytes, masks: Masks) -> str:
    suffix = Path(path).suffix
    if suffix == ".gz":
        content = gzip.decompress(content)
    if suffix in DRAWN:
        return f"===== {masks(path)}: drawn\n"
    text = content.decode("utf-8")
    if suffix == ".html":
        text = readable(text)
    return f"===== {masks(path)}\n{_ended(masks(text))}"


class _Page(HTMLParser):
    """What a page says, without its code and its pictures: a block a line."""

    HIDDEN = ("script", "style", "svg", "template")
    INLINE = ("a", "abbr", "b", "code", "em", "i", "small", "span", "strong", "sub", "sup")

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in self.HIDDEN
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in self.HIDDEN
        self._separate(tag)

    def _separate(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.lines[-1] += " | " if self.lines[-1].strip(" |") else ""
        elif tag not in self.INLINE:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.lines[-1] += data


def readable(page: str) -> str:
    parser = _Page()
    parser.feed(page)
    lines = [re.sub(r"\s+", " ", line.replace(" |  | ", " | ")).strip(" ") for line in parser.lines]
    return "\n".join(line.removesuffix(" |") for line in lines if line) + "\n"
