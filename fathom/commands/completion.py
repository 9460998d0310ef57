"""What the tab key offers: for `--set` keys that the file on the command line can have, and
variables of the store on it.
"""

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


def of_variables(context: Any, argument: Any, begun: str) -> list[str]:
    """Returns names of variables of the store on the command line, those of the file and Fathom's;
    none where it cannot be read.
    """
    file = context.params.get("file")
    if file is None or "://" in str(file):
        return []
    from fathom import output  # start-up time: loads NumPy
    from fathom.names import fields

    try:
        held = [str(name) for name in output.open(file).data_vars]
    except (Error, OSError, ValueError):
        return []
    names = {*held, *(row.name for row in fields.values() if row.alias in held)}
    return sorted(n for n in names if n.startswith(begun) and not n.endswith("_bounds"))
