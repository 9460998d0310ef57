"""Flow over small hills, with levels that follow them far up: short waves decay as they do in the
linear solution, and trajectories climb with the wind.
"""

import numpy as np
import pytest

import fathom as fm


def test_short_waves_decay(tmp_path):
    """Hills of 10 m, 4 km long, eight columns: waves shorter than 2 pi U / N = 6.3 km decay as
    exp(-z sqrt(k^2 - N^2 / U^2)), though levels at 6 km still have half of the hills.
    """
    k, N, U = 2 * np.pi / 4e3, 0.01, 10.0
    levels = fm.HeightLevels(nz=40, top=12e3)
    grid = fm.CartesianGrid(8, extent=4e3, staggering="C", levels=levels)
    air = fm.GridPointAtmosphere(
        grid,
        orography=lambda x, y: 10 * np.cos(k * x) + 0 * y,
        surface_potential_temperature=280,
        stability=N,
        implicitness=0.7,
        sponge_bottom=8e3,
        sponge_rate=0.15,
    ).set(x_wind=U)
    sim = fm.Simulation(air, time_step="16s", directory=tmp_path).prepare()
    sim.advance(400)
    w = np.abs(np.fft.rfft(sim.gather("upward_air_velocity")[:, 0])[:, 1])
    linear = np.exp(-levels.interfaces * np.sqrt(k**2 - (N / U) ** 2))
    low = (levels.interfaces > 0) & (levels.interfaces <= 3e3)
    assert w[low] / w[-1] == pytest.approx(linear[low], rel=0.35, abs=0.002)
    assert w[levels.interfaces == 6e3] < 0.003 * w[-1]  # by the velocity through levels 0.05


@pytest.mark.parametrize("deep", [True, False])
def test_trajectories_over_hills_of_a_sphere(tmp_path, deep):
    """Air without vertical motion comes from its own height: that of levels, as interpolated."""
    top, hills, nx = 10e3, 500.0, 32
    levels = fm.HeightLevels(nz=8, top=top)
    air = fm.GridPointAtmosphere(
        fm.LatitudeLongitudeGrid(nx, 16, staggering="C", levels=levels, radius=600e3),
        orography=lambda x, y: hills * (1 + np.cos(np.deg2rad(4 * x))) + 0 * y,
        deep=deep,
        rotation=0.0,
        outer=1,
    ).set(x_wind=lambda x, y, z: 60 * np.cos(np.deg2rad(y)) + 0 * (x + z))
    sim = fm.Simulation(air, time_step="20min", directory=tmp_path).prepare()
    sim.advance(1)
    row = 8  # beside the equator
    x, y = (np.deg2rad(c[row]) for c in air.grid.coordinates())
    back = {a: sim.gather(f"displacement_{a}")[:, row] for a in ("x", "y", "level")}
    by_velocity = sim.gather("displacement_level_by_velocity")[:, row]
    X, Y = np.cos(x) * np.cos(y) - back["x"], np.sin(x) * np.cos(y) - back["y"]
    place = np.arctan2(Y, X) / (2 * np.pi / nx) % nx  # in columns
    first, s = np.floor(place).astype(int), place - np.floor(place)
    weights = (
        -s * (s - 1) * (s - 2) / 6,
        (s + 1) * (s - 1) * (s - 2) / 2,
        -(s + 1) * s * (s - 2) / 2,
        (s + 1) * s * (s - 1) / 6,
    )
    ground = sum(w * air.ground[row][(first + m - 1) % nx] for m, w in enumerate(weights))

    def missed(displacement):
        eta = levels.interfaces[:, None] - displacement
        return np.abs(eta + ground * (1 - eta / top) - air.heights[:, row])[1:-3].max()

    assert missed(by_velocity) > 10
    assert missed(back["level"]) < 0.05 * missed(by_velocity)
