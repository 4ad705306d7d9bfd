"""Ends the command in good order when it is interrupted: one line at most, never a traceback.

SIGTERM is treated as SIGINT is. What ignores a signal when it starts, goes on ignoring it.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType, TracebackType
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
SOON_S = 0.01


class Interrupted(KeyboardInterrupt):
    """Is raised in the main thread by the first signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code(interruption: KeyboardInterrupt) -> int:
    """Returns the code with which shells show the end by the signal."""
    number = interruption.number if isinstance(interruption, Interrupted) else signal.SIGINT
    return 128 + number


def end_at_once() -> None:
    """Lets signals end the process while it has nothing to clean up, such as during imports."""
    for number in _heeded():
        signal.signal(number, _end)
    # scripts/report blocks them, because Python prints a traceback while it starts.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def raise_once() -> None:
    """Lets the first signal raise Interrupted; later ones must not disturb the clean-up."""
    raiser = _Raiser()
    sys.excepthook = _end_quietly
    sys.unraisablehook = raiser.repeat
    signal.signal(signal.SIGALRM, raiser.again)
    for number in _heeded():
        signal.signal(number, raiser.first)


def ignore() -> None:
    """Ignores signals while Python ends, where it would print their exceptions."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _heeded() -> list[signal.Signals]:
    return [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]


def _end(number: int, _: FrameType | None) -> NoReturn:
    os._exit(128 + number)


class _Raiser:
    def __init__(self) -> None:
        self._number: int | None = None

    def first(self, number: int, _: FrameType | None) -> None:
        if self._number is None:
            self._number = number
            raise Interrupted(number)

    def again(self, *_: object) -> None:
        if self._number is not None:
            raise Interrupted(self._number)

    def repeat(self, lost: sys.UnraisableHookArgs) -> None:
        """Raises it again later: in a finalizer, Python prints an exception and goes on."""
        if isinstance(lost.exc_value, Interrupted):
            signal.setitimer(signal.ITIMER_REAL, SOON_S)
        else:
            sys.__unraisablehook__(lost)


def _end_quietly(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if isinstance(error, KeyboardInterrupt):
        os._exit(exit_code(error))
    sys.__excepthook__(kind, error, trace)
