"""What can be asked for by name: output variables that follow from the fields of the sequence."""

from dataclasses import dataclass
from typing import Callable

from fathom import names


@dataclass(frozen=True)
class Diagnostic:
    """`needs`: fields of the sequence; `surface`: only their top layer; `of(model, window, *arrays)` gives (levels, ny, nx) of a block.
    Linear ones may be averaged in time from the means of what they need. `vertical`: layer, interface or column, where it is not that of
    the first field; then all levels of a column are there."""

    needs: tuple[str, ...]
    of: Callable
    surface: bool = False
    linear: bool = True
    vertical: str = ""


def same(model, window, value):
    return value


def find(name, model, fields):
    """The diagnostic of that name or output alias; any field of the sequence is one too. ValueError with near names."""
    for long_name, entry in names.fields.items():
        if name == entry.alias and (long_name in model.derived or long_name in fields):
            name = long_name
    if name in model.derived:
        return name, model.derived[name]
    if name in fields:
        return name, Diagnostic((name,), same)
    raise ValueError(f"no output variable '{name}'{names.near(name, [*model.derived, *sorted(fields)])}")
