"""Requests to a run from outside, by a signal or a file in its directory: to end with a restart, or
to write a restart and continue.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

stop, restart = ".stop", ".restart"  # the files, and the names of the wishes
signals = {signal.SIGINT: stop} | (
    {signal.SIGUSR1: restart} if hasattr(signal, "SIGUSR1") else {}  # not on Windows
)


ending = "\nending after this piece, with a restart (Ctrl-C again ends at once)"


class Wishes:
    """The requests that this rank knows of."""

    def __init__(self) -> None:
        self._asked: set[str] = set()
        self._heard_stop = False  # by a signal
        self.told: Callable[[str], None] | None = None  # of Ctrl-C

    def ask(self, wish: str) -> None:
        """Asks for it."""
        self._asked.add(wish)

    def hear(self, wish: str) -> None:
        """Takes a signal. KeyboardInterrupt: the second one that asks for the end."""
        if wish == stop:
            if self._heard_stop:
                raise KeyboardInterrupt
            self._heard_stop = True
            if self.told is not None:
                self.told(ending)
        self.ask(wish)

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Treats SIGINT and SIGUSR1 as stop and restart requests, in the main thread; clears them
        on exit.
        """
        before: dict[signal.Signals, Any] = {}
        if threading.current_thread() is threading.main_thread():
            before = {
                number: signal.signal(number, lambda *_, wish=wish: self.hear(wish))
                for number, wish in signals.items()
            }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            self._asked.clear()
            self._heard_stop = False

    def look(self, directory: Path) -> None:
        """Looks for requests by files, and takes them: each is asked for once."""
        for wish in (stop, restart):
            if (directory / wish).exists():
                (directory / wish).unlink(missing_ok=True)
                self.ask(wish)

    def take(self, wish: str) -> bool:
        """Returns whether it was asked for since the last time."""
        asked = wish in self._asked
        self._asked.discard(wish)
        return asked


def forget(directory: Path) -> None:
    """Deletes files that an earlier run has left."""
    for name in (stop, restart):
        (directory / name).unlink(missing_ok=True)
