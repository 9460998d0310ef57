"""`fathom bench blocking` on a small box: sizes that are chosen, the table, the picture, mistakes;
a run's own lengths in its report.
"""

import json

import pytest

import box
import cases
from fathom.performance.bench import blocking
from fathom.plots.report import page as report


def test_sizes_by_halves():
    assert blocking.sizes(None, 100, 116, 1, 2) == [
        (100, 116),
        (100, 58),
        (100, 29),
        (50, 29),
        (50, 15),
        (25, 15),
    ]
    assert (100, 116) not in blocking.sizes(None, 100, 116, 2, 2) and blocking.sizes(
        "36x24, 18x12", 100, 116, 1, 2
    ) == [(36, 24), (18, 12)]
    assert blocking.lengths(None, 100) == [4, 8, 16, 32, 64, 128] and blocking.lengths(
        "64,16", 100
    ) == [16, 64]
    for wrong in ("16,x", "0"):
        with pytest.raises(ValueError, match="must be numbers of columns"):
            blocking.lengths(wrong, 100)


def test_lengths_that_are_the_same_code_come_once():
    lengths = [4, 30, 32, 62, 128, 254, 2046, -30, -2046, -2047]
    found = blocking.by_what_is_computed(lengths, vector=16, row=128)
    assert {c.size: c.given for c in found} == {
        16: [4, 30],
        32: [32],
        48: [62],
        128: [128, 254],
        1920: [2046],
        -16: [-30],
        -2032: [-2046, -2047],
    }
    assert all(c.configuration == {"tile": c.size} for c in found)


def test_columns_at_once_are_those_that_are_computed():
    """Whole vectors, whole rows with their halo, or so many of joined rows; any length has the same
    bits.
    """
    found, sums, whole = {}, set(), None
    for given in (1, 30, 60, 2046, -100):
        sim = cases.simulate(cases.stirred(cases.box()), surface=cases.wind())
        sim.parallel["tile"] = given
        sim.advance(3)
        groups = [g for g in sim.sequence.groups if g["tile"]]
        found[given] = {(g["tile"], g["tile_reason"]) for g in groups}
        sums.add(sim.checksum())
        whole = blocking.vector_and_row(sim) if given == 1 else whole
    assert len(sums) == 1
    (vector, least), (few, of_30), (row, of_row), (rows, of_rows), (cut, of_cut) = (
        next(iter(groups)) for groups in found.values()
    )
    assert vector in (2, 4, 8) and least == "of 1 given: at least a vector"
    assert few == 30 // vector * vector
    assert of_30 == ("given" if few == 30 else f"of 30 given: whole vectors of {vector}")
    width = sim.model.grid.shape[2] + 2 * sim.model.halo
    assert width <= row < width + vector and of_row == "of 60 given: a whole row"
    assert whole == (vector, row)
    assert rows % row == 0 and row < rows <= 2046 and of_rows.endswith(": rows join")
    assert cut == 100 // vector * vector and of_cut.endswith(": rows join and are cut")


def test_the_command(tmp_path):
    box.write(tmp_path)
    status, out, err = box.fathom(
        "bench",
        "blocking",
        "box.toml",
        "--tile",
        "8,16",
        "--block",
        "16x12",
        "--seconds",
        1,
        "--json",
        "b.json",
        "--picture",
        "b.png",
        folder=tmp_path,
    )
    assert (status, err) == (0, ""), err
    found = json.loads((tmp_path / "b.json").read_text())["found"]
    assert [(e["what"], e["size"]) for e in found] == [
        ("tile", 8),
        ("tile", 16),
        ("block", [16, 12]),
    ]
    assert all(e["turns"] >= 3 and e["ratio"] > 0 for e in found) and "16×12" in out
    assert (tmp_path / "b.png").stat().st_size > 10000
    status, _, err = box.fathom("bench", "blocking", "box.toml", "--block", "16", folder=tmp_path)
    assert status == 2 and "is not WIDTHxHEIGHT" in err and "Traceback" not in err


def test_report_shows_the_lengths_that_a_run_tried(tmp_path):
    tried = [
        {"first": "A", "columns": 16, "tried": {"8": 2e-3, "16": 1e-3, "32": 1.5e-3}},
        {"first": "B", "columns": 8, "tried": {"8": 1e-3}},
    ]
    with_them, without = (
        report.write_report(
            tmp_path / f"{n}.html", title="t", summary={"tiles": tiles}, configuration=""
        ).read_text()
        for n, tiles in enumerate((tried, tried[1:]))
    )
    assert 'alt="tiles"' in with_them and 'alt="tiles"' not in without
