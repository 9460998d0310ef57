"""Measurements of other people's programs on machines of their time, with their sources in the first lines of each file."""

from __future__ import annotations

import csv
from pathlib import Path


def table(name: str) -> list[dict[str, str]]:
    """Rows of a file, by column."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))
