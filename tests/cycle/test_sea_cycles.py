"""Cycles of a small sea: what data do, 4D-Var against 3D-Var, errors of the model, mistakes."""

import numpy as np
import pytest

import sea_cycles
from fathom.assimilation.cycle import report
from fathom.assimilation.maps import adjoint_error
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


def test_same_bits_on_ranks(on_ranks):
    assert on_ranks(2, sea_cycles, "bits") == on_ranks(1, sea_cycles, "bits")


@pytest.mark.parametrize(
    "setting, message",
    [
        ("sea.experment='x'", "no key 'experment'; did you mean 'experiment'"),
        ('assimilation.methods=["eda"]', "'eda' of a sea; allowed are 3d-var, fgat, 4d-var"),
        ('assimilation.window="12d"', "window = '12d' is no multiple of analyses"),
        ('observations.every="2d"', "analyses = '5d' is no multiple of observations.every"),
        ('inner.step="5h"', "no multiple of a step of 10800 s"),
        ('inner.freeze=["KPPP"]', "no process 'KPPP'"),
        ("nature.levels=7", r"no table \[nature\]"),
    ],
)
def test_mistakes_have_their_place(tmp_path, setting, message):
    with pytest.raises(ValueError, match=message):
        cycles(tmp_path, setting).analysis("4d-var")
