"""Text as a short tree, for experiments, benchmarks and data sets.

Ocean at 2000-01-01
├── grid      TripolarGrid 360×300×40, halo 2, 0.6 GB on 2 ranks
├── sequence  41 processes, 5 exchanges
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable

Entry = tuple[str, str | list[str]]  # label, text or lines


def tree(title: str, entries: Iterable[Entry], width: int | None = None) -> str:
    """Returns the text of a tree; long lines are folded under their label."""
    entries = list(entries)
    width = max(60, width or shutil.get_terminal_size((120, 24)).columns)
    column = max((len(label) for label, _ in entries), default=0) + 2
    lines = [title]
    for number, (label, content) in enumerate(entries):
        last = number == len(entries) - 1
        texts = [content] if isinstance(content, str) else content
        folded = [piece for text in texts for piece in _folded(text, width - column - 4)]
        for n, piece in enumerate(folded):
            branch = ("└── " if last else "├── ") if n == 0 else ("    " if last else "│   ")
            lines.append(f"{branch}{label if n == 0 else '':<{column}}{piece}")
    return "\n".join(lines)


def bytes_text(number: float) -> str:
    """Returns "1.5 GB", "3.0 MB"."""
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:.1f} MB"


def _folded(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    ) or [""]
