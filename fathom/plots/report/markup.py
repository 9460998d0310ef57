"""Tables as HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], shape: str = "") -> str:
    """Returns a table in HTML that scrolls inside itself where the page is narrower. Cells are HTML
    already; a head without words is left out; shape: class of the table.
    """
    lines = [*([_row(head, "th")] if any(head) else []), *(_row(row, "td") for row in rows)]
    return f'<div class="scroll"><table class="{shape}">{"".join(lines)}</table></div>'


def _row(cells: Iterable[str], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}>{cell}</{kind}>' for cell in cells)}</tr>"


def escaped(rows: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Returns rows of plain text, as a table takes them."""
    return [tuple(html.escape(cell) for cell in row) for row in rows]
