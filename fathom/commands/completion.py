"""What the tab key offers for `--set`: the keys that the file on the command line can have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fathom.base.failure import Error


def of_settings(context: Any, option: Any, begun: str) -> list[str]:
    """Returns completions of A.B.C=VALUE: keys of the table that is named so far."""
    given = context.params.get("file") or context.params.get("experiment")
    given = given or next((word for word in context.args if word.endswith(".toml")), None)
    before, _, last = begun.rpartition(".")
    if given is None or "=" in begun:
        return []
    from fathom.run.experiment.schema import keys_below  # start-up time: loads NumPy
    from fathom.run.experiment.toml import Document

    try:
        tables = Document.read(Path(given)).tables
    except (Error, OSError):
        return []
    path = tuple(before.split(".")) if before else ()
    start = f"{before}." if before else ""
    return [start + name for name in keys_below(tables, path) if name.startswith(last)]
