"""The names of fields: Fathom name, CF name, GRIB2 number, unit, place, alias in output, and how
they are drawn.

One table serves output, plots, the report and error messages. A field is found by its Fathom name
(`temperature`) or by its output alias (`thetao`, the CMIP name where there is one).
"""

from __future__ import annotations

from fathom.base.failure import InputError
from fathom.base.near import near, near_or_all, nearest, unknown
from fathom.names import air, air_columns, grid, ocean, sea_surface
from fathom.names.name import Name

__all__ = [
    "Name",
    "add",
    "describe",
    "fields",
    "get",
    "known",
    "near",
    "near_or_all",
    "nearest",
    "unknown",
]

_tables = (ocean, sea_surface, air, air_columns, grid)
fields: dict[str, Name] = {row.name: row for table in _tables for row in table.rows}
_added: set[str] = set()  # by users
_by_alias = {row.alias: row for row in fields.values()}


def get(name: str) -> Name:
    """Returns the entry of a Fathom name or an output alias; ValueError with the near names
    otherwise.
    """
    found = fields.get(name) or _by_alias.get(name)
    if found is None:
        raise InputError(unknown("field", name, fields))
    return found


def add(name: Name) -> None:
    """Adds a user's name to the table. ValueError: it exists already."""
    if name.name in fields and name.name not in _added:
        raise InputError(f"'{name.name}' is in the table of names already; take another")
    _added.add(name.name)
    fields[name.name] = _by_alias[name.alias] = name


def known(name: str) -> bool:
    """Returns whether the table has that Fathom name or alias."""
    return name in fields or name in _by_alias


def describe(name: str) -> Name:
    """Works like `get`; a name outside the table gets a plain entry (a user's own tracer, say)."""
    return (
        fields.get(name)
        or _by_alias.get(name)
        or Name(name, name, "", name.replace("_", " "), "", "center", "layer", "viridis")
    )
