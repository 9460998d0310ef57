"""`fathom bench bi-fourier`: figures of a small plane, peers that do the same, bad input."""

import json

import numpy as np
import pytest

import box
from fathom.performance.bench import planes

SMALL = ("bench", "bi-fourier", "--points", "30", "--rows", "24", "--fields", "9")


@pytest.mark.parametrize("precision, error", [("fp64", 1e-14), ("fp32", 1e-5)])
def test_figures(tmp_path, precision, error):
    more = ("--precision", precision, "--repetitions", "2", "--json", "f.json")
    status, out, _ = box.fathom(*SMALL, *more, folder=tmp_path)
    assert status == 0 and "24 rows of 30 points" in out
    figures = json.loads((tmp_path / "f.json").read_text())
    assert figures["round_trip_error"] < error
    assert set(figures["phases"]) == {"inverse", "direct", "columns", "fourier"}
    assert all("milliseconds_per_pair" in figures["peers"][name] for name in ("numpy", "scipy"))


@pytest.mark.parametrize("peer", ["_numpy", "_scipy", "_ducc0"])
def test_peers_go_there_and_back(peer):
    pytest.importorskip(peer[1:])
    field = np.random.default_rng(0).normal(size=(15, 21))
    _, to_waves, to_points = getattr(planes, peer)(planes.Case(points=21, rows=15))
    waves = to_waves(field)
    assert np.allclose(waves, np.fft.rfft2(field)) and np.allclose(to_points(waves), field)


def test_bad_grid(tmp_path):
    status, _, err = box.fathom(*SMALL, "--grid", "linaer", folder=tmp_path)
    assert status and "did you mean 'linear'" in err
