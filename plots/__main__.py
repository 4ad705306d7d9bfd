"""Command line: python -m plots RESULT.json [--out DIR]."""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from pathlib import Path

import altair as alt

from plots import style
from plots.figures import FIGURES
from plots.load import ResultError, read_result


def main(arguments: list[str] | None = None) -> int:
    """Draws every figure of a result file; returns the exit code."""
    options = _parse(arguments)
    out = options.out or options.result.parent / "figures"
    try:
        result = read_result(options.result)
        images: dict[str, bytes] = {}
        for name, figure in FIGURES.items():
            images |= _render(name, figure(result))
        paths = _write(out, images)
    except ResultError as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2
    for path in paths:
        print(path)
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m plots", description="Draws the figures of a result file."
    )
    parser.add_argument(
        "result", type=Path, metavar="RESULT.json", help="result file, may be gzipped"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of the figures (default: figures, beside the result file)",
    )
    return parser.parse_args(arguments)


def _render(name: str, chart: alt.VConcatChart) -> dict[str, bytes]:
    """The chart as image files: their contents by file name."""
    png, svg = io.BytesIO(), io.StringIO()
    chart.save(png, format="png", ppi=style.PIXELS_PER_INCH)
    chart.save(svg, format="svg")
    return {f"{name}.png": png.getvalue(), f"{name}.svg": svg.getvalue().encode()}


def _write(out: Path, images: dict[str, bytes]) -> list[Path]:
    """Writes all images or, when that fails, none."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=".plots-") as scratch:
            for name, data in images.items():
                (Path(scratch) / name).write_bytes(data)
            return [(Path(scratch) / name).replace(out / name) for name in images]
    except OSError as error:
        raise ResultError(f"{out}: cannot be written: {error.strerror or error}") from error


if __name__ == "__main__":
    sys.exit(main())
