"""Cycles of a small sea: what data do, 4D-Var against 3D-Var, errors of the model, mistakes."""

import numpy as np
import pytest

import sea_cycles
from fathom.assimilation.cycle import report
from fathom.assimilation.cycle.sea_filter import SeaFiltered
from fathom.assimilation.maps import adjoint_error
from fathom.base.earth import RADIUS, unit_vectors
from sea_cycles import cycles


def test_four_dimensional_uses_all_data_of_a_window(tmp_path):
    """From the same data the state at the end of a window of 20 days is nearer to the truth than
    by 3D-Var of 5 days each; both are nearer than a forecast without data.
    """
    made = cycles(tmp_path, "assimilation.window='20d'")
    results = {method: made.run(method) for method in ("3d-var", "4d-var")}
    three, four = (results[m][-1] for m in results)
    assert four["hours"] == three["hours"] == 480
    assert three["analysis"]["thermocline"] < 0.6 * three["free"]["thermocline"]
    assert four["analysis"]["thermocline"] < 0.95 * three["analysis"]["thermocline"]
    assert three["free"] == four["free"]
    again = cycles(tmp_path, "assimilation.window='20d'")  # goes on from what is stored
    assert again.run("4d-var") == results["4d-var"]
    assert "without data thermocline" in report.text(results)[-1]


def test_observed_values_have_their_adjoint(tmp_path):
    """Also with errors of the model within the window, in fp64."""
    made = cycles(tmp_path, "assimilation.model_error=0.3")
    window = made.analysis("4d-var")
    inner = made.inner.trajectory
    start = made.inner.down(made.first)
    inner.restart(start)
    inner.follow(20)
    G = window.inner.trajectory.observed(
        {10: made.seen(0, inner)[20].inner, 20: made.seen(1, inner)[20].inner}
    )
    random = np.random.default_rng(1)
    L = window.background
    x = L.apply(random.standard_normal(2 * made.background.controls))
    y = random.standard_normal(len(G.apply(x)))
    assert len(x) == 2 * inner.size
    assert adjoint_error(G, x, y) < 1e-10


def test_an_error_of_the_model_is_found(tmp_path):
    """Where nature mixes more, an error that may be added in the window lets the
    analysis fit the data better.
    """
    other = 'sea.nature=["model.vertical_mixing.diffusivity=3e-3"]'
    strong = cycles(tmp_path / "strong", other).run("4d-var")[0]
    weak = cycles(tmp_path / "weak", other, "assimilation.model_error=0.5").run("4d-var")[0]
    assert weak["residual"] < strong["residual"]


few = "ensemble.members=12", "ensemble.length=1500.0", "background.samples=20"


def test_a_local_filter_draws_near_to_the_truth(tmp_path):
    """Nearer than a forecast without data; its members say how near. Stopped and continued, the
    same numbers; members of one window alone stay on the disk.
    """
    made = cycles(tmp_path / "whole", *few, "assimilation.window='20d'")
    (found,) = made.run("letkf")
    assert found["analysis"]["thermocline"] < 0.75 * found["free"]["thermocline"]
    assert found["analysis"]["height"] < found["free"]["height"]
    assert 0.5 < found["spread"]["thermocline"] / found["analysis"]["thermocline"] < 1.5
    folder = tmp_path / "whole" / "run" / "letkf"
    assert [one.name for one in folder.glob("members-*")] == ["members-0003.npz"]
    lines = report.text({"letkf": [found]})
    assert any("letkf: spread over the error of the members' mean, thermocline" in x for x in lines)
    words = *few, "assimilation.window='10d'"
    first = cycles(tmp_path / "parts", *words).run("letkf")
    again = cycles(tmp_path / "parts", *words, "cycle.windows=2").run("letkf")
    assert again[0] == first[0] and again[1] == found


def test_a_local_filter_is_the_kalman_filter_of_its_members(tmp_path):
    """With data that count everywhere: mean + P H' (H P H' + R)^-1 d, of all fields of a state;
    with a short reach nothing changes far from a datum.
    """
    made = cycles(tmp_path, "ensemble.members=8")
    random = np.random.default_rng(2)
    model, N = made.model, 8
    there = np.concatenate(
        [
            np.broadcast_to(model.there, (n, *model.there.shape)).ravel()
            for n in model.levels.values()
        ]
    )
    X = random.standard_normal((N, model.size)) * np.append(there, 0)
    X -= X.mean(0)
    seen = {20: made.seen(0)[20]}
    kept = np.arange(len(seen[20].values)) % 9 == 0
    Y = np.array([seen[20].operator.apply(x) for x in X])[:, kept]
    variances, d = seen[20].variances[kept], random.standard_normal(kept.sum())
    filtered = SeaFiltered(made, seen)
    places, depths = filtered.places()
    filtered.places = lambda: (places[kept], depths[kept])
    filtered.of.length, filtered.of.depth = 1e9, 1e9
    change = filtered.changed(X, Y, d, 1 / variances)
    gain = X.T @ Y / (N - 1) @ np.linalg.inv(Y.T @ Y / (N - 1) + np.diag(variances))
    inside = _of_water(made)
    assert np.allclose(change.mean(0)[inside], (gain @ d)[inside], atol=1e-8)
    after = change - change.mean(0)
    P = X.T @ X[:, inside[:200]] / (N - 1) - gain @ (Y.T @ X[:, inside[:200]]) / (N - 1)
    assert np.allclose((after.T @ after[:, inside[:200]] / (N - 1))[inside], P[inside], atol=1e-8)

    filtered.of.length, filtered.of.depth = 800.0, 200.0
    one = np.flatnonzero(np.isfinite(depths))[40]
    filtered.places = lambda: (places[[one]], depths[[one]])
    Y = np.array([seen[20].operator.apply(x) for x in X])[:, [one]]
    parts = model.split(filtered.changed(X, Y, np.ones(1), np.full(1, 25.0)).mean(0))
    sea = made.sea
    at = unit_vectors(sea.longitude, sea.latitude) @ places[one]
    far = RADIUS * np.arccos(np.clip(at, -1, 1)) >= 1.6e6
    z = np.cumsum(sea.thickness) - sea.thickness / 2
    deep = np.abs(z - depths[one]) >= 400
    T = parts["temperature"]
    assert np.abs(T).max() > 1e-3
    assert max(np.abs(T[:, far]).max(), np.abs(T[deep]).max()) < 1e-12


def _of_water(made):
    """Numbers of a state of temperature, salinity and height in water, of both time levels."""
    fields = made.model.split(np.arange(made.model.size, dtype=float))
    found = [fields[n][made.sea.wet] for n in fields if n.startswith(("temperature", "salinity"))]
    found += [fields["sea_surface_height"][0][made.sea.wet_levels > 0]]
    return np.concatenate(found).astype(int)


def test_a_local_filter_has_the_same_bits_on_ranks(on_ranks):
    assert on_ranks(2, sea_cycles, "filtered") == on_ranks(1, sea_cycles, "filtered")


def test_same_bits_on_ranks(on_ranks):
    assert on_ranks(2, sea_cycles, "bits") == on_ranks(1, sea_cycles, "bits")


@pytest.mark.parametrize(
    "setting, message",
    [
        ("sea.experment='x'", "no key 'experment'; did you mean 'experiment'"),
        ('assimilation.methods=["eda"]', "'eda' of a sea; allowed are 3d-var, fgat, 4d-var, letkf"),
        ('assimilation.window="12d"', "window = '12d' is no multiple of analyses"),
        ('observations.every="2d"', "analyses = '5d' is no multiple of observations.every"),
        ('inner.step="5h"', "no multiple of a step of 10800 s"),
        ('inner.freeze=["KPPP"]', "no process 'KPPP'"),
        ("ensemble.members=0", "members = 0 must be like 20"),
        ("ensemble.relaxation=1.5", "relaxation = 1.5 must lie between 0 and 1"),
        ("nature.levels=7", r"no table \[nature\]"),
    ],
)
def test_mistakes_have_their_place(tmp_path, setting, message):
    with pytest.raises(ValueError, match=message):
        cycles(tmp_path, setting).analysis("4d-var")
