"""Published measurements of other programs on earlier machines; sources are in the first lines of
each file.
"""

from __future__ import annotations

import csv
from pathlib import Path


def rows_of(name: str) -> list[str]:
    """Returns lines of a file, without those of its source."""
    return (
        Path(__file__)
        .with_name(name)
        .read_text(encoding="utf-8")
        .split("\n# ")[-1]
        .partition("\n")[2]
        .splitlines()
    )


def table(name: str) -> list[dict[str, str]]:
    """Returns rows of a file, by column."""
    return list(
        csv.DictReader(
            line
            for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
            if not line.startswith("#")
        )
    )
