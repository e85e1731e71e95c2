"""Signals while a model learns: it stops between two steps, never within one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from tarl._vector import LostProcess


class Interrupts:
    """While it exists, the first Ctrl-C requests a stop, and the second raises at once.

    SIGTERM and SIGUSR1 also request a stop if the run has a folder to save itself to and nothing else
    handles them. Handlers belong to the main thread; in others this has no effect.
    """

    def __init__(self, stop: Callable[[], None], *, saves: bool) -> None:
        self._stop = stop
        self._saves = saves
        self._before: dict[int, Any] = {}
        self._seen = 0

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is not threading.main_thread():
            return self
        before = signal.getsignal(signal.SIGINT)
        outer = isinstance(getattr(before, "__self__", None), Interrupts)  # a callback that trains another model
        if before is signal.default_int_handler or outer:
            self._take(signal.SIGINT)
        if self._saves:
            for number in (signal.SIGTERM, signal.SIGUSR1):
                if signal.getsignal(number) is signal.SIG_DFL:
                    self._take(number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number in reversed(list(self._before)):  # Ctrl-C last: from then on it raises, even here
            signal.signal(number, self._before[number])
        # A terminal's Ctrl-C also ends processes that other code has started for its environments.
        if self._seen == 0 or (kind is not None and not isinstance(problem, LostProcess)):
            return
        if self._seen == signal.SIGINT:
            raise KeyboardInterrupt from problem
        raise SystemExit(128 + self._seen)

    def _take(self, number: int) -> None:
        self._before[number] = signal.signal(number, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._seen and number == signal.SIGINT:
            raise KeyboardInterrupt
        self._seen = self._seen or number
        self._stop()
