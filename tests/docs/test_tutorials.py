"""The notebooks of docs/tutorials run, cell by cell, without Jupyter."""

import json
from pathlib import Path

import pytest

folder = Path(__file__).parents[2] / "docs" / "tutorials"
notebooks = sorted(folder.glob("*.ipynb"))


def cells(notebook):
    """Sources of the cells that are code."""
    return [
        "".join(cell["source"])
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]


@pytest.mark.parametrize("notebook", notebooks, ids=lambda path: path.stem)
def test_runs(notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, source in enumerate(cells(notebook)):
        exec(compile(source, f"{notebook.name}, cell {number}", "exec"), names)


@pytest.mark.parametrize("notebook", notebooks, ids=lambda path: path.stem)
def test_is_kept_without_results(notebook):
    """Results are made anew with the site; in the repository they would only grow."""
    kept = json.loads(notebook.read_text(encoding="utf-8"))
    code = [cell for cell in kept["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    assert kept["cells"][0]["source"][0].startswith("# ")
