"""Tables whose rows are shown by commands: each row has something that shows it, and verdicts
follow from figures.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

root = Path(__file__).resolve().parents[2]
sys.path.append(str(root / "experiments"))

import shown_rows  # noqa: E402
import standard_tests  # noqa: E402
import studies  # noqa: E402

pages = (studies.page, standard_tests.page)


def test_all_rows_are_there():
    """The numbers of the rows of each study: 70, 35, 24, 19, 24; of the standard tests those that
    the field asks for."""
    counts = {}
    for name in shown_rows.rows(studies.page.table):
        counts[name[:2]] = counts.get(name[:2], 0) + 1
    assert counts == {"MF": 70, "PX": 35, "UM": 24, "SS": 19, "KC": 24}
    assert {
        "williamson-1", "williamson-2", "williamson-5", "williamson-6", "galewsky", "polvani",
        "jablonowski-williamson", "held-suarez", "dcmip-2-0-0", "straka", "schar", "schar-low",
        "robert", "bryan-fritsch", "supercell", "radiative-convective", "gabls1", "dephy", "rfmip",
        "ckdmip", "maykut-untersteiner", "lock-exchange", "overflow", "gyre", "rossby-wave",
        "kelvin-wave", "eady-wave", "seamount", "twin-4deg",
    } <= set(shown_rows.rows(standard_tests.page.table))  # fmt: skip


@pytest.mark.parametrize("page", pages, ids=lambda page: page.name)
def test_what_shows_a_row_exists(page):
    """Files of tests and scripts are there, with the tests that are named; a row has a section, and
    the figure of a page its commit."""
    for row in shown_rows.rows(page.table).values():
        assert page.section_of(row) in page.sections, row.id
        assert bool(row.stands) == bool(row.commit), row.id
        for node in row.tests:
            file, _, name = node.partition("::")
            assert (root / file).exists(), f"{row.id}: {file}"
            assert not name or f"def {name}(" in (root / file).read_text(), f"{row.id}: {node}"
        for shown in row.shown:
            program, *words = shown.command.split()
            assert program in ("fathom", "python"), row.id
            for word in words:
                if word.endswith((".toml", ".py")) and "/" in word:
                    assert (root / word).exists(), f"{row.id}: {word}"


def test_a_row_that_is_not_run_keeps_what_the_page_says(tmp_path):
    row = shown_rows.rows(studies.page.table)["MF02"]
    draw = lambda results: shown_rows.draw(studies.page, {"MF02": row}, {"rows": results})
    done = {"shown": [{"got": 1.01, "good": True}], "tests": {}, "verdict": "works"}
    (page := tmp_path / "page.md").write_text(draw({"MF02": done}))
    kept = shown_rows.said_before(page)
    assert kept["MF02"]["verdict"] == "works" and "1.01" in kept["MF02"]["said"]
    assert draw(kept).replace("not run", "") == page.read_text().replace("not run", "")


def test_a_long_row_has_the_figure_of_its_page():
    row = shown_rows.rows(standard_tests.page.table)["jablonowski-williamson"]
    page = shown_rows.draw(standard_tests.page, {row.id: row}, {})
    assert "941.7 hPa Eulerian, 942.7 semi-Lagrangian (at 325154f0) | works" in page


@pytest.mark.parametrize(
    "path, number",
    [("a.b", 3.0), ("a.b / c.1", 1.5), ("named.second.x", 7.0), ("named.*.x", 5.0)],
)
def test_figures_of_a_file(path, number):
    found = {
        "a": {"b": 3},
        "c": [1, 2],
        "named": [{"name": "first", "x": 5}, {"name": "second", "x": 7}],
    }
    assert shown_rows.value(found, path) == number


def _table(folder):
    """Rows that reach their figure, miss it, fail, lack something, or are none."""
    code = """python -c 'import json, sys; json.dump(dict(x=3), open(sys.argv[1], "w"))' {json}"""
    text = "\n".join(
        f'[{name}]\nwhat = "w"\n{rest}'
        for name, rest in (
            ("MF01", f"shown = [{{ command = '''{code}''', figure = 'x', least = 3 }}]"),
            ("MF02", f"shown = [{{ command = '''{code}''', figure = 'x', most = 2 }}]"),
            ("PX01", "shown = [{ command = '''python -c 'raise SystemExit(4)' ''' }]"),
            ("PX02", "tests = ['tests/machine/test_nothing.py::test_none']"),
            ("UM01", "why = 'no machine'\nmissing = 'all'"),
            ("UM05", "by = 'context'\nwhy = 'no feature'"),
        )
    )
    file = folder / "studies.toml"
    file.write_text(text)
    return file


def test_verdicts(tmp_path):
    made = shown_rows.rows(_table(tmp_path))
    done = shown_rows.Done(tmp_path, tests={"tests/machine/test_nothing.py::test_none": "failed"})
    found = {name: shown_rows.result(row, done) for name, row in made.items()}
    assert {name: one["verdict"] for name, one in found.items()} == {
        "MF01": "works",
        "MF02": "short",
        "PX01": "fails",
        "PX02": "fails",
        "UM01": "partly",
        "UM05": "context",
    }
    page = shown_rows.draw(studies.page, made, {"rows": found})
    assert "3 (at most 2) | short" in page and "status 4" in page and "0 of 1 tests" in page


def test_a_row_that_shows_nothing_says_why(tmp_path):
    (tmp_path / "t.toml").write_text('[MF01]\nwhat = "w"\n')
    with pytest.raises(shown_rows.Mistake, match="says why"):
        shown_rows.rows(tmp_path / "t.toml")


def test_command(tmp_path):
    """A row that is not there is refused; one row is run, the page has all."""
    call = [sys.executable, str(root / "experiments" / "studies.py"), "--json"]
    where = [str(tmp_path / "s.json"), "--page", str(tmp_path / "page.md"), "--only"]
    wrong = subprocess.run([*call, *where, "MF99"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "no row MF99" in wrong.stderr
    subprocess.run([*call, *where, "PX01"], check=True, capture_output=True)
    assert json.loads((tmp_path / "s.json").read_text())["rows"]["PX01"]["verdict"] == "works"
    assert (tmp_path / "page.md").read_text().count("\n| ") > 172
