"""The grid-point atmosphere over an area: steady flow about another pole, weather that comes in
from the globe around it, ranks, restarts, errors.
"""

import numpy as np
import pytest

import fathom as fm
import small_spheres


def left(sim, steps):
    """How far wind along x and y of the middle has moved from where it was, at most."""
    before = {name: sim.gather(name) for name in ("x_wind", "y_wind")}
    sim.advance(steps)
    inside = np.s_[:, 6:-6, 6:-6]
    return max(np.abs((sim.gather(n) - v)[inside]).max() for n, v in before.items())


@pytest.mark.parametrize("deep", [False, pytest.param(True, marks=pytest.mark.long)])
def test_air_that_turns_about_the_axis(deep):
    """About another pole all of the rotation and all metric terms act: 20 m/s stay as they are; in
    deep air, for which the state is not exact, nearly.
    """
    errors = []
    for n in (1, 2):
        sim = small_spheres.around_the_axis(
            deep=deep, resolution=150e3 / n, points=(30 * n, 24 * n), coupling=6 * n,
            number=8 * n, step=f"{600 // n}s",
        ).prepare()  # fmt: skip
        errors.append(left(sim, 4 * n))
    assert errors[0] < (0.05 if deep else 0.01)
    assert deep or errors[0] / errors[1] > 2


def test_same_bits_on_ranks_blocks_and_from_a_restart(on_ranks, tmp_path):
    alone = on_ranks(1, small_spheres, "bits_of_area", "deep=true")
    found = on_ranks(3, small_spheres, "bits_of_area", "deep=true")
    assert found["checksum"] == alone["checksum"] and found["received"] > 0
    half = small_spheres.around_the_axis(
        deep=True, directory=str(tmp_path / "a"), parallel={"blocks": [11, 7]}
    )
    half.prepare().advance(1)
    path = half.write_restart("half.fathom")
    again = small_spheres.around_the_axis(deep=True, directory=str(tmp_path / "b"))
    again.restore(path).prepare().advance(1)
    assert again.checksum() == alone["checksum"]


class Stronger:
    """The outer model blows half as fast again after an hour."""

    def __init__(self, sim):
        self.model = sim.model

    class axis:
        repeated = True
        bracket = staticmethod(lambda clock, seconds: (0, 1, 0.0, 3600.0))
        coverage = staticmethod(lambda clock: (-np.inf, np.inf))
        date = staticmethod(lambda number: "")

    def state(self, number):
        wind = self.model.initial["eastward_wind"]
        faster = lambda x, y, p: (1 + 0.5 * number) * wind(x, y, p)
        return self.model.initial | {"eastward_wind": faster}


def test_the_rim_has_the_outer_state():
    """Exactly, at each step, on the straight line between two records; outside waves come in."""
    sim = small_spheres.around_the_axis()
    given = Stronger(sim)
    sim = small_spheres.around_the_axis(outer=given).prepare()
    first = sim.gather("x_wind")
    sim.advance(6)  # half an hour
    now, rim = sim.gather("x_wind"), np.s_[:, :1]
    assert np.allclose(now[rim], 1.25 * first[rim], rtol=1e-12)
    assert np.abs(now - first)[:, 8:-8, 8:-8].max() < 8.0


def test_follows_the_globe_that_runs_beside_it(tmp_path):
    """Air over the poles blows through an area relaxed to the globe around it: as in the globe."""
    globe = small_spheres.turning(
        nx=48, ny=36, ground=False, step="20min", directory=str(tmp_path / "globe")
    )
    grid = fm.RotatedGrid(
        centre=(0, 70), resolution=200e3, points=(26, 24), coupling=6,
        levels=fm.HeightLevels(nz=8, top=20e3, decay=2),
    )  # fmt: skip
    model = fm.GridPointAtmosphere(grid, deep=False, rotation=0.0, outer_model=globe)
    model.set(**{n: v for n, v in globe.model.initial.items() if n != "log_surface_pressure"})
    area = fm.Simulation(model, time_step="10min", directory=str(tmp_path / "area")).prepare()
    before = area.gather("x_wind")
    area.advance(6)
    away = np.abs(area.gather("x_wind") - before)
    assert away.max() < 1.0 and np.sqrt((away**2).mean()) < 0.15
    assert area.model.outer_model.simulation.seconds >= area.seconds


def inner(outer_model, folder):
    """Air over a hill inside an area that blows over it."""
    grid = fm.RotatedGrid(
        centre=(0, 70), resolution=100e3, points=(20, 18), coupling=6,
        levels=fm.HeightLevels(nz=8, top=20e3, decay=2),
    )  # fmt: skip
    return _over_a_hill(grid, outer_model, folder)


def _over_a_hill(grid, outer_model, folder):
    model = fm.GridPointAtmosphere(
        grid, deep=False, rotation=0.0, outer_model=outer_model,
        orography=lambda x, y: 800 * np.exp(-((x / 20) ** 2) - ((y - 70) / 6) ** 2),
    )  # fmt: skip
    still = small_spheres.turning(nx=8, ny=6, ground=False, directory=str(folder / "still"))
    air = still.model.initial
    model.set(**{name: v for name, v in air.items() if name != "log_surface_pressure"})
    return fm.Simulation(model, time_step="10min", directory=str(folder))


@pytest.mark.long
def test_follows_an_area_by_file(tmp_path):
    """As the one that runs beside it, from the outer area's own levels and points, its levels of
    pressure, or latitudes and longitudes, where it knows a part.
    """

    def outside(folder):
        grid = fm.RotatedGrid(
            centre=(0, 70), resolution=200e3, points=(26, 24), coupling=6,
            levels=fm.HeightLevels(nz=8, top=20e3, decay=2),
        )  # fmt: skip
        return _over_a_hill(grid, "initial", tmp_path / folder)

    air = ["air_temperature", "eastward_wind", "northward_wind", "geopotential"]
    ground = ["surface_air_pressure", "surface_geopotential"]
    levels = [1000, 925, 850, 700, 500, 400, 300, 200, 150, 100, 70, 50]
    kinds = {
        "own": {"variables": [*air, *ground, "air_pressure"]},
        "pressure": {"variables": [*air, *ground], "levels": levels},
        "regular": {"variables": [*air, *ground], "levels": levels, "latlon_resolution": 1},
        "heights": {"variables": [*air, *ground, "air_pressure"], "latlon_resolution": 1},
    }
    # m s-1, K: levels of pressure are few, and bilinear latitudes and longitudes coarse
    limits = {"own": (2e-3, 0.2), "pressure": (0.1, 4), "regular": (0.3, 4), "heights": (0.3, 1)}
    alone = outside("alone")
    for kind, how in kinds.items():
        alone.output(f"{kind}.nc", every="10min", dtype="float64", **how)
    alone.run("20min", progress=False, report=False)
    names = ("x_wind", "y_wind", "air_potential_temperature")
    beside = inner(outside("beside"), tmp_path / "inner").prepare()
    first = {name: beside.gather(name) for name in names}
    beside.advance(2)
    wanted = {name: beside.gather(name) for name in names}
    moved = {name: np.abs(wanted[name] - first[name]).max() for name in names}
    assert min(moved.values()) > 0.5
    for kind in kinds:
        area = inner(str(tmp_path / "alone" / f"{kind}.nc"), tmp_path / kind).prepare()
        area.advance(2)
        for name in names:
            error = np.sqrt(((area.gather(name) - wanted[name]) ** 2).mean())
            assert error < limits[kind][name.endswith("temperature")], (kind, name)


def test_errors():
    grid = fm.RotatedGrid(centre=(0, 50), resolution=1e5, points=(24, 24))
    with pytest.raises(fm.InputError, match="needs an area, or centre"):
        fm.RotatedGrid(resolution=1e5)
    with pytest.raises(fm.InputError, match="europe"):
        fm.RotatedGrid("europa")
    with pytest.raises(fm.InputError, match="wider than 120"):
        fm.RotatedGrid(centre=(0, 50), resolution=1e6, points=(24, 24))
    with pytest.raises(fm.InputError, match="rim = 8 must be less"):
        fm.RotatedGrid("uk", rim=8)
    with pytest.raises(fm.InputError, match="air passes through"):
        fm.GridPointAtmosphere(grid, fix_mass=True)
    with pytest.raises(fm.InputError, match="needs a RotatedGrid"):
        fm.GridPointAtmosphere(fm.LatitudeLongitudeGrid(16, staggering="C"), outer_model="initial")
    with pytest.raises(fm.InputError, match="own top"):
        fm.HeightLevels(nz="L38", top=4e4)


def test_sizes_of_the_unified_model():
    assert fm.LatitudeLongitudeGrid("N216", staggering="C").shape[1:] == (324, 432)
    globe = fm.LatitudeLongitudeGrid("N320", staggering="C")
    assert globe.shape[1:] == (480, 640)
    assert globe.radius * np.pi / 480 == pytest.approx(40e3, rel=0.05)
    levels = fm.HeightLevels(nz="L38")
    assert levels.nz == 38 and abs(levels.top - 39254.8) < 0.1
    for name, spacing in (
        ("europe", 20e3),
        ("uk", 12e3),
        ("north-atlantic", 12e3),
        ("uk-4km", 4e3),
    ):
        grid = fm.RotatedGrid(name, levels=levels)
        assert grid.spacing == spacing and f"{spacing / 1e3:g} km" in str(grid)
