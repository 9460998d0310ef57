"""The notebooks of docs/tutorials run, cell by cell, without Jupyter; what a reader sees below
each cell is short, and a picture where one is meant.
"""

import ast
import contextlib
import io
import json
import pprint
from pathlib import Path

import matplotlib.pyplot as plt
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


def shown(source, where, names):
    """What a notebook shows below a cell: its lines of text, and its pictures in PNG: those that a
    value is, and those that pyplot holds at the end.
    """
    tree, said, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        exec(compile(tree, where, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
    hidden = last is None or source.rstrip().endswith(";") or value is None
    pictures = [value._repr_png_()] if not hidden and hasattr(value, "_repr_png_") else []
    for number in plt.get_fignums():
        picture = io.BytesIO()
        plt.figure(number).savefig(picture)
        pictures.append(picture.getvalue())
    plt.close("all")
    hidden |= bool(pictures) or hasattr(value, "_repr_html_")
    text = said.getvalue() + ("" if hidden else pprint.pformat(value))
    return text.splitlines(), pictures


@pytest.mark.parametrize("notebook", notebooks, ids=lambda path: path.stem)
def test_runs_and_shows_what_it_teaches(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    plt.close("all")
    names = {}
    for number, source in enumerate(cells(notebook)):
        text, pictures = shown(source, f"{notebook.name}, cell {number}", names)
        meant = any(word in source.splitlines()[-1] for word in ("plots.", ".plot("))
        assert len(pictures) == meant, source
        assert all(p.startswith(b"\x89PNG") and len(p) > 10_000 for p in pictures), source
        assert len(text) <= 40, (source, len(text), text[:5])


@pytest.mark.parametrize("notebook", notebooks, ids=lambda path: path.stem)
def test_is_kept_without_results(notebook):
    """Results are made anew with the site; in the repository they would only grow."""
    kept = json.loads(notebook.read_text(encoding="utf-8"))
    code = [cell for cell in kept["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    assert kept["cells"][0]["source"][0].startswith("# ")
