"""The benchmark of the radiation, small: all its figures, and that they belong together."""

import json

import pytest

import box


def test_bench(tmp_path):
    file = tmp_path / "b.json"
    options = ["--columns", 3, "--layers", 20, "--repetitions", 1, "--precision", "fp32"]
    status, out, err = box.fathom("bench", "radiation", *options, "--json", file, folder=tmp_path)
    assert (status, err) == (0, "") and "a second with clouds" in out
    figures = json.loads(file.read_text())
    both = sum(figures[n]["microseconds_per_column"] for n in ("longwave", "shortwave"))
    assert figures["columns_per_second"] == pytest.approx(1e6 / both)
    assert figures["longwave"]["multiply_adds_in_that_time"] > 1
    status, _, err = box.fathom("bench", "radiation", "--longwave", "nowhere", folder=tmp_path)
    assert status == 2 and "nowhere" in err and "Traceback" not in err
