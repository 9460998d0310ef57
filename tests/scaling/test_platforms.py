"""Statements of the studies on orders and crossings: each holds, and the page of platforms has it
with the figures of the engine.
"""

from pathlib import Path

import pytest

from fathom.performance.scaling.machine import load, names
from fathom.performance.scaling.studies.statements import statements

page = Path(__file__).parents[2] / "docs" / "results" / "platforms.md"


@pytest.mark.parametrize("statement", statements, ids=lambda s: s.text[:40])
def test_statement(statement):
    found = statement.check()
    assert found.holds, found.figures
    row = f"| {statement.study} | {statement.text} | {found.figures} | {statement.label} |"
    assert row in page.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", [n for n in names() if n not in ("cray-ex", "nvidia-h200")])
def test_every_machine_of_a_study_is_on_the_page(name):
    """With the sources of its numbers, counted."""
    (row,) = [
        line
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| `{name}` |")
    ]
    origins = load(name).origins
    assert sum(origins.values()) == len(load(name).values)
    assert row.endswith("| " + ", ".join(map(str, origins.values())) + " |")
