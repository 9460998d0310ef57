"""The benchmark of the radiation, small: all its figures, and that they belong together."""

import json

import numpy as np
import pytest

import box
from fathom.atmosphere.radiation import RRTMGP, Tables, longwave, shortwave
from fathom.base import mpi
from fathom.performance.bench import radiation


def test_bench(tmp_path):
    file = tmp_path / "b.json"
    options = ["--columns", 3, "--layers", 20, "--repetitions", 1, "--precision", "fp32"]
    options += ["--device", "processor"]
    status, out, err = box.fathom("bench", "radiation", *options, "--json", file, folder=tmp_path)
    assert (status, err) == (0, "") and "a second with clouds" in out
    figures = json.loads(file.read_text())
    both = sum(figures[n]["microseconds_per_column"] for n in ("longwave", "shortwave"))
    assert figures["columns_per_second"] == pytest.approx(1e6 / both)
    assert figures["longwave"]["multiply_adds_in_that_time"] > 1
    there = figures["device"]
    assert there["name"] == "processor" and there["columns_per_second"] > 10
    assert "times one thread of the processor" in " ".join(out.split())
    assert figures["case"]["columns"] == 3
    status, _, err = box.fathom("bench", "radiation", "--longwave", "nowhere", folder=tmp_path)
    assert status == 2 and "nowhere" in err and "Traceback" not in err


def test_one_thread_has_fewer_columns_and_a_device_its_power(monkeypatch):
    many = radiation.Case(columns=4096, device="processor")
    assert many.of_a_thread.columns == 1024
    assert radiation.Case(columns=4096).of_a_thread.columns == 4096
    monkeypatch.setattr(radiation, "power", lambda advance, seconds: 500.0)
    case = radiation.Case(columns=3, layers=8, repetitions=1, device="processor")
    found = radiation.on_device(case, "processor")
    joules = 500 / found["columns_per_second"]
    assert found["joules_per_column"] == pytest.approx(joules)


def test_columns_of_a_model_are_those_of_the_benchmark():
    """Clear columns, one of three, have nearly the same fluxes; drops are of other sizes."""
    case = radiation.Case(layers=40, columns=8)
    found = mpi.core.run_column(RRTMGP().process(8), radiation.fields_of(case), case.layers)
    air = radiation.air(case.columns, case.layers)
    up, down = longwave(Tables(case.longwave), air)
    flux = found["longwave_flux"][0, 0]
    np.testing.assert_allclose(flux[::3], (up - down)[::3, 0], rtol=0.01)
    up, down, _ = shortwave(Tables(case.shortwave), air)
    share, given = found["shortwave_share"][0, 0], 1 - up[:, 0] / down[:, 0]
    np.testing.assert_allclose(share[::3], given[::3], rtol=0.01)
    np.testing.assert_allclose(share, given, rtol=0.2)
