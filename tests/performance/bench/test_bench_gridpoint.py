"""`fathom bench gridpoint`: figures of a small sphere and plane, bad input."""

import pytest

from fathom.performance.bench import gridpoint


@pytest.mark.parametrize("case", gridpoint.cases)
def test_figures(case, tmp_path):
    small = gridpoint.Case(
        case=case, nx=16, levels=8, steps=2, spin_up=1, peer=case == "sphere-physics"
    )
    figures = gridpoint.measure(small)
    assert gridpoint.present(figures, tmp_path / "figures.json") == 0
    assert figures["seconds_per_step_per_million_cells"] > 0
    whole = sum(figures["phases"].values())
    assert whole == pytest.approx(figures["seconds_per_step_per_million_cells"])
    assert figures["phases"]["semi-Lagrangian"] > 0 and figures["phases"]["solver"] > 0
    assert (figures["phases"]["physics"] > 0) == bool(gridpoint.physics_of[case])
    rows = figures["semi_lagrangian_by_row"]
    assert case == "plane" or (len(rows) == 12 and min(rows) > 0)
    assert (figures["peer"] is not None) == (case == "sphere-physics")


def test_bad_cases():
    with pytest.raises(ValueError, match="did you mean 'sphere'"):
        gridpoint.Case(case="spher")
