"""The display of objects: in notebooks as a small table, in help and completion with their real
parameters.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

Entry = tuple[str, str | list[str]]  # label, text or lines


def table(title: str, entries: Iterable[Entry]) -> str:
    """Returns HTML for `_repr_html_`: a title, and a row for each entry."""
    rows = "".join(
        f'<tr><th style="text-align:left;vertical-align:top">{escape(label)}</th>'
        f'<td style="text-align:left">{"<br>".join(map(escape, _lines(text)))}</td></tr>'
        for label, text in entries
    )
    return f"<div><strong>{escape(title)}</strong><table>{rows}</table></div>"


def _lines(text: str | list[str]) -> list[str]:
    return [text] if isinstance(text, str) else text


def on_one_line(text: str) -> str:
    """Returns a text with its line ends and other control characters as in a string of Python:
    whatever a file is called, its message is one line and commands no terminal.
    """
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda m: repr(m[0])[1:-1], text.strip())


def number(value: float, digits: int = 3) -> str:
    """Returns a number as people write it: 20 960, 171, 2.5, 0.0013; powers of ten only where
    there is no other way.
    """
    rounded = float(f"{value:.{digits}g}")
    if 1000 <= abs(rounded) < 1e15:
        return f"{rounded:,.0f}".replace(",", " ")
    return f"{value:.{digits}g}"


def parts(thing: Any) -> list[tuple[str, str]]:
    """Returns the keywords of an object's class with the values that it holds."""
    held = {name: vars(thing).get(name) for name in inspect.signature(type(thing)).parameters}
    return [
        (name, _short(repr(value)))
        for name, value in held.items()
        if not (value is None or (isinstance(value, (list, tuple, dict)) and not value))
    ]


def _short(text: str, most: int = 100) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 4]} ..."


class OpenSignature:
    """`__signature__` of a class whose __init__ takes `**parameters`: with all of them, and their
    defaults, which `known` returns when needed.
    """

    def __init__(self, known: Callable[[], Mapping[str, Any]]) -> None:
        self.known = known

    def __get__(self, thing: Any, cls: type) -> inspect.Signature:
        own = inspect.signature(cls.__init__)  # type: ignore[misc]
        closed = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in self.known().items()
        ]
        return own.replace(parameters=[*closed[1:], *more])  # without self
