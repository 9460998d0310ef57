"""Progress in one line, redrawn on a terminal and in a notebook, logged every 5 % or ten minutes
otherwise:

1994-02-14  56%  14.2 years/day  |u| ≤ 1.4 m/s  T [-1.9, 31.4] °C  17 h 20 min left
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

from fathom.base.failure import InputError
from fathom.base.shown import number

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation

year = 365.2425 * 86400  # [s]
few_days = 10 * 86400.0  # [s] of a run: its line has hours


class Line:
    """A line that is redrawn on a terminal."""

    def __init__(self, stream: TextIO | None = None, terminal: int | None = None) -> None:
        """Makes the line. terminal: columns of the terminal that the line ends up on, 0 for a log;
        None: found out.
        """
        self.stream = stream or sys.stdout
        self.terminal = _columns(self.stream) if terminal is None else terminal
        self._width = 0

    def redraw(self, text: str, last: bool = False) -> None:
        """Writes the line again; nothing in a log."""
        if self.terminal:
            text = text[: self.terminal - 1]
            self._write("\r" + text.ljust(self._width) + ("\n" if last else ""))
            self._width = 0 if last else len(text)

    def clear(self) -> None:
        """Makes room for what follows on the same line."""
        self.redraw("")
        self.redraw("\r")

    def close(self) -> None:
        """Leaves the line where it is, and what follows on the next one."""
        if self._width:
            self._write("\n")
            self._width = 0

    def _write(self, text: str) -> None:
        """Writes a text; a sign that the stream cannot encode becomes "?": that is no reason to end
        a run.
        """
        encoding = getattr(self.stream, "encoding", None) or "utf-8"
        self.stream.write(text.encode(encoding, "replace").decode(encoding))
        self.stream.flush()


class Progress(Line):
    """The function that `Simulation.run(progress=...)` calls: progress(simulation, fraction
    done).
    """

    every = 0.05  # of the run, in a log
    patience = 600.0  # [s], in a log
    logged = 0
    logged_at = 0.0  # wall seconds

    def __call__(self, simulation: Simulation, fraction: float) -> None:
        wall, text = simulation.elapsed_seconds, said(simulation, fraction)
        if self.terminal:
            self.redraw(text, fraction >= 1)
        elif (
            marks := int(fraction / self.every + 1e-9)
        ) > self.logged or wall - self.logged_at > self.patience:
            self.logged, self.logged_at = marks, wall
            self._write(text + "\n")


class InNotebook:
    """A bar of rich and the line, redrawn where the cell of a notebook shows its output."""

    handle: Any = None

    def __call__(self, simulation: Simulation, fraction: float) -> None:
        from IPython.display import display  # optional: where there is a notebook
        from rich.progress_bar import ProgressBar  # start-up time
        from rich.table import Table  # start-up time

        shown = Table.grid(padding=(0, 1))
        shown.add_row(ProgressBar(1.0, fraction, width=24), said(simulation, fraction))
        if self.handle is None:
            self.handle = display(shown, display_id=True)
        else:
            self.handle.update(shown)

    def close(self) -> None:
        """Leaves the last one."""


def chosen(progress: Any) -> Any:
    """Returns the function that a run calls: True: chosen for the terminal or notebook; a function
    (simulation, fraction done); None and False: nothing.
    """
    if progress is True:
        return InNotebook() if _in_notebook() else Progress(sys.stderr)
    if progress and not callable(progress):
        raise InputError(
            f"progress = {progress!r} must be True, False or a function of the simulation and the"
            " fraction done"
        )
    return progress or None


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def said(simulation: Simulation, fraction: float) -> str:
    """Returns the present line."""
    wall = max(simulation.elapsed_seconds, 1e-9)
    seconds = (simulation.count - simulation.start_steps) * simulation.time_step
    years = seconds / year
    return line(
        simulation.date,
        fraction,
        years / (wall / 86400),
        simulation.now,
        wall * (1 - fraction) / max(fraction, 1e-9),
        hours=seconds < few_days * max(fraction, 1e-9),
    )


def line(
    date: Any,
    fraction: float,
    years_per_day: float,
    now: str,
    seconds_left: float,
    hours: bool = False,
) -> str:
    """Returns the line of a moment of a run; `now`: what the model says of it; hours: of the date,
    too.
    """
    pace = (
        f"{number(years_per_day)} years/day"
        if years_per_day >= 1
        else f"{number(years_per_day * year / 86400)} days/day"
    )
    parts = [
        date.strftime("%Y-%m-%d %H:%M" if hours else "%Y-%m-%d"),
        f"{100 * fraction:3.0f}%",
        pace,
        now,
    ]
    return "  ".join(parts + ([f"{duration(seconds_left)} left"] if fraction < 1 else []))


def duration(seconds: float) -> str:
    """Returns 17 h 20 min; 3 min 20 s; 12 s; 0.25 s; 4 d 3 h."""
    for (unit, length), (below, part) in (
        (("d", 86400), ("h", 3600)),
        (("h", 3600), ("min", 60)),
        (("min", 60), ("s", 1)),
    ):
        whole, rest = divmod(round(seconds / part) * part, length)
        if whole:
            return f"{whole:.0f} {unit}" + (f" {rest / part:.0f} {below}" if rest else "")
    return f"{seconds:.0f} s" if seconds >= 9.5 else f"{seconds:.2g} s"


def _columns(stream: TextIO) -> int:
    """Returns columns of the terminal behind a stream; of the one that started the ranks
    (FATHOM_TERMINAL).
    """
    if os.environ.get("FATHOM_TERMINAL"):
        return int(os.environ["FATHOM_TERMINAL"])
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):
        return 0
