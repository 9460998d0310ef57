"""How far a run is, for `fathom watch`: where the file `.watched` lies in its directory, the run
writes its date, its pace and its series beside it, now and then.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.base import writing
from fathom.run.progress import said

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation

asked, told = ".watched", ".progress.json"


def tell(simulation: Simulation, fraction: float) -> None:
    """Writes how far the run is, if somebody watches."""
    if (simulation.directory / asked).exists():
        curves = simulation.series.curves()
        found = {
            "line": said(simulation, fraction),
            "fraction": fraction,
            "title": f"{type(simulation.model).__name__}, {simulation.date}",
            "series": {n: (t.tolist(), v.tolist(), units) for n, (t, v, units) in curves.items()},
        }
        writing.replace(simulation.directory / told, json.dumps(found))


def ask(directory: Path) -> None:
    """Asks the run in a directory to tell how far it is."""
    (directory / asked).touch()


def read(directory: Path) -> dict[str, Any]:
    """Returns what the run has told last, {} before that."""
    try:
        found: dict[str, Any] = json.loads((directory / told).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def forget(directory: Path) -> None:
    """Deletes both files."""
    for name in (asked, told):
        (directory / name).unlink(missing_ok=True)
