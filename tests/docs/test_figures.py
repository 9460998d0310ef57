"""The page of figures shows what `make figures` draws, and says of each what its numbers are."""

import re
import runpy

from test_pages import root, text_of

page = root / "docs" / "results" / "figures.md"
kinds = ("study", "measured", "simulated", "estimated")


def test_every_figure_is_shown_and_labelled(monkeypatch):
    monkeypatch.syspath_prepend(str(root / "docs" / "results"))
    drawn, measured = (
        runpy.run_path(str(root / "docs" / "results" / f"{script}_figures.py"))["drawn"]
        for script in ("study", "measured")
    )
    text = text_of(page)
    shown = set(re.findall(r"\(\.\./pictures/([\w-]+)\.png\)", text))
    assert set(drawn) | set(measured) == shown
    sections = text.partition("## Not there yet")[0].split("\n### ")[1:]
    assert len(sections) == len(shown)
    for section in sections:
        label = re.search(r"^\*\*(.+?)\*\*", section, re.M | re.S)[1].lower()
        assert any(kind in label for kind in kinds), section.splitlines()[0]
        name = re.search(r"pictures/([\w-]+)\.png", section)[1]
        assert name in drawn or re.search(r"^`(fathom|python) .+`$", section, re.M), name


def test_a_figure_is_drawn(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(root / "docs" / "results"))
    drawn = runpy.run_path(str(root / "docs" / "results" / "study_figures.py"))["drawn"]
    for name in ("study-phase-split", "study-vector-lengths"):
        drawn[name](path=tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000
