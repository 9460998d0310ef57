"""Williamson 1: a cosine bell carried by the model itself half round the sphere, along the equator
and over a pole, both schemes.
"""

import numpy as np
import pytest

import fathom as fm


def norms(grid, value, exact):
    """l1, l2 and linf as Williamson et al. (1992) define them."""
    mean = lambda x: float((x.mean(-1) * np.asarray(grid.rows.weight)).sum())
    difference = abs(value - exact)
    return (
        mean(difference) / mean(abs(exact)),
        np.sqrt(mean(difference**2) / mean(exact**2)),
        difference.max() / abs(exact).max(),
    )


def halfway(scheme, step, truncation, case, directory, **options):
    grid = fm.GaussianGrid(truncation, levels=fm.SigmaLevels(2))
    atmosphere = fm.SpectralAtmosphere(
        grid, scheme=scheme, rotation=0, tracers=["bell"], diffusion_time=0, **options
    ).set(case=case)
    sim = fm.Simulation(atmosphere, time_step=f"{step}s", directory=directory).prepare()
    u = sim.gather("eastward_wind")
    sim.advance(round(6 * 86400 / step))
    assert abs(sim.gather("eastward_wind") - u).max() < 0.02  # the flow that carries it is steady
    longitude, latitude = (np.deg2rad(x) for x in grid.coordinates())
    distance = np.arccos(np.clip(np.cos(latitude) * np.cos(longitude - 0.5 * np.pi), -1, 1))
    return norms(
        grid, sim.gather("bell")[1], 0.5 * (1 + np.cos(3 * np.pi * np.minimum(distance, 1 / 3)))
    )


@pytest.mark.parametrize("case", ["williamson-1", "williamson-1-90"])
@pytest.mark.parametrize(
    "scheme, step, limits",
    [("semi-lagrangian", 14400, (0.16, 0.14, 0.18)), ("eulerian", 1200, (0.08, 0.03, 0.025))],
)
def test_cosine_bell(scheme, step, limits, case, tmp_path):
    assert all(
        found < limit for found, limit in zip(halfway(scheme, step, 31, case, tmp_path), limits)
    )


def test_errors():
    with pytest.raises(ValueError, match="rotation=0, tracers"):
        fm.SpectralAtmosphere(fm.GaussianGrid(21, levels=fm.SigmaLevels(2))).set(
            case="williamson-1"
        )
