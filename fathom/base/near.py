"""Names that look like another: the tail of error messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, allowed: Iterable[str], number: int = 3) -> list[str]:
    """Returns up to `number` allowed names that look like `name`, nearest first; then those that
    begin with it.
    """
    by_folded = {str(word).lower(): str(word) for word in allowed}
    folded = str(name).lower()
    close = difflib.get_close_matches(folded, by_folded, number, 0.6)
    longer = [word for word in by_folded if len(folded) > 2 and word.startswith(folded)]
    return [by_folded[word] for word in dict.fromkeys([*close, *longer])][:number]


def near(name: str, allowed: Iterable[str]) -> str:
    """Returns the tail of an error message: "; did you mean 'salinity'?", or "" where nothing is
    near.
    """
    close = nearest(name, allowed)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def near_or_all(name: str, allowed: Iterable[str]) -> str:
    """Returns what `near` does; all that are allowed where none is."""
    known = list(allowed)
    return near(name, known) or f"; allowed: {', '.join(sorted(known))}"


def unknown(kind: str, given: str, allowed: Iterable[str]) -> str:
    """Returns a whole message: "unknown variable 'tho'; did you mean 'rho'? known: ..."."""
    allowed = list(allowed)
    shown = ", ".join(allowed[:20]) + (", ..." if len(allowed) > 20 else "")
    return f"unknown {kind} {given!r}{near(given, allowed) or '.'} known: {shown or 'none'}"
