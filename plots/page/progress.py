"""Says on a terminal how far a report is."""

from __future__ import annotations

from typing import Any, TextIO

LINE = "\r\x1b[K"  # back to the beginning of the line, which is cleared


class Progress:
    """Rewrites one line of a terminal while a report is made. Elsewhere it says nothing."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: Any) -> None:
        self._write(LINE)

    def __call__(self, text: str) -> None:
        """Says what is being done."""
        self._write(f"{LINE}report: {text} …")

    def _write(self, text: str) -> None:
        try:
            if self._stream:
                print(text, end="", file=self._stream, flush=True)
        except (OSError, ValueError):  # a terminal that is gone needs no progress
            self._stream = None


NO_PROGRESS = Progress(None)
