"""Statements of the studies on orders and crossings: each holds, and the page of platforms has it
with the figures of the engine.
"""

from pathlib import Path

import pytest

from fathom.scaling.machine import names
from fathom.scaling.studies.statements import statements

page = Path(__file__).parents[2] / "docs" / "results" / "platforms.md"


@pytest.mark.parametrize("statement", statements, ids=lambda s: s.text[:40])
def test_statement(statement):
    found = statement.check()
    assert found.holds, found.figures
    label = "fitted" if statement.fitted else "predicted"
    row = f"| {statement.study} | {statement.text} | {found.figures} | {label} |"
    assert row in page.read_text(encoding="utf-8").splitlines()


def test_every_machine_of_a_study_is_on_the_page():
    text = page.read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in names() if name not in ("cray-ex", "nvidia-h200"))
