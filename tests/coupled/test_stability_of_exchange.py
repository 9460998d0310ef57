"""How disturbances grow from exchange to exchange between air and a surface of a heat capacity, as
the order of their steps has it; and that the coupled system is of the kind that never grows.

A column of air of ten layers, the lowest 20 m, each 1.3 times as thick as the one below, with a
diffusivity of 5 m2 s-1, in steps of 30 min, over a surface with 40 W m-2 K-1 between both:

    old states   the flux of the temperatures before an exchange goes into both
    held         the air steps implicitly over a held temperature, the surface takes the mean
    slope, back  so, but the surface adds the slope of the flux, and what it thereby does not take
                 goes back into the lowest layer: fathom/coupled/between.py
    one solve    air and surface in one implicit step
"""

import numpy as np
import pytest

import fathom as fm

slope, step, layers = 40.0, 1800.0, 10
exchanges = (1800.0, 3600.0, 10800.0, 86400.0)
growing = {  # [J m-2 K-1], way -> growth for each of the exchanges
    (2e4, "old states"): (3.2, 7.2, 22, 177),
    (2e4, "held"): (1.5, 3.4, 9, 35),
    (2e5, "old states"): (1, 1, 3.1, 22),
    (2e5, "held"): (1, 1, 1, 3.2),
    (6e5, "old states"): (1, 1, 1.8, 10),
    (4e7, "old states"): (1, 1, 1.3, 4.7),
}


class Column:
    """Air over a surface of a capacity [J m-2 K-1]."""

    def __init__(self):
        thickness = 20.0 * 1.3 ** np.arange(layers)
        capacity = 1.2 * 1004.0 * thickness
        middle = np.cumsum(thickness) - thickness / 2
        through = 1.2 * 1004.0 * 5.0 / np.diff(middle)
        diffusion = np.zeros((layers, layers))
        for i, k in enumerate(through):
            diffusion[i : i + 2, i : i + 2] += k * np.array([[-1, 1], [1, -1]])
        self.free = np.eye(layers) - step * diffusion / capacity[:, None]
        self.lowest = np.eye(layers)[0] / capacity[0]
        implicit = self.free + step * slope * np.outer(self.lowest, np.eye(layers)[0])
        self.coupled = np.block([[implicit, -step * slope * self.lowest[:, None]]])
        self.over_held, self.over_flux = np.linalg.inv(implicit), np.linalg.inv(self.free)

    def over(self, way, capacity, seconds, state):
        """Returns the state (air, surface) after an exchange of so many seconds."""
        air, surface, number = state[:-1].copy(), state[-1], round(seconds / step)
        if way == "one solve":
            row = np.append(
                -step * slope / capacity * np.eye(layers)[0], 1 + step * slope / capacity
            )
            return (
                np.linalg.matrix_power(np.linalg.inv(np.vstack([self.coupled, row])), number)
                @ state
            )
        if way == "old states":
            flux = slope * (air[0] - surface)
            for _ in range(number):
                air = self.over_flux @ (air - step * flux * self.lowest)
            return np.append(air, surface + flux * seconds / capacity)
        got = 0.0
        for _ in range(number):
            air = self.over_held @ (air + step * slope * surface * self.lowest)
            got += step * slope * (air[0] - surface)
        if way == "held":
            return np.append(air, surface + got / capacity)
        rise = got / (capacity + slope * seconds)
        return np.append(air + slope * rise * seconds * self.lowest, surface + rise)

    def growth(self, way, capacity, seconds):
        """Returns the largest growth of a disturbance in an exchange."""
        ends = [self.over(way, capacity, seconds, one) for one in np.eye(layers + 1)]
        return abs(np.linalg.eigvals(np.array(ends).T)).max()


def test_the_table_of_growth():
    column = Column()
    for way in ("old states", "held", "slope, back", "one solve"):
        for capacity in (2e4, 2e5, 6e5, 4e7):
            found = [column.growth(way, capacity, seconds) for seconds in exchanges]
            expected = growing.get((capacity, way), (1, 1, 1, 1))
            assert found == pytest.approx(expected, rel=0.04), (way, capacity)


def test_thin_ice_stays_calm_however_seldom_it_exchanges(tmp_path):
    """10 cm of ice, an exchange each 6 hours: with held temperatures disturbances would grow."""
    levels = fm.HybridLevels(5)
    above = fm.CartesianGrid(4, 4, extent=2e5, staggering="A", latitude=80.0, levels=levels)
    below = fm.CartesianGrid(
        4, 4, extent=(2e5, 2e5), periodic=True, levels=fm.ZLevels(nz=3, depth=30)
    )
    physics = fm.BasicPhysics(land="TiledLand", drag=None)
    air = fm.LimitedAreaAtmosphere(above, physics=physics).set(
        air_temperature=255.0, specific_humidity=5e-4, eastward_wind=8.0
    )
    ice = fm.SeaIce(limits=[0.64], area=1.0, thickness=0.1, subcycles=4)
    sea = fm.Ocean(below, sea_ice=ice, coriolis=(1.4e-4, 0))
    sea.set(temperature=-1.7, salinity=33.0)
    steps = {"atmosphere": "30min", "ocean": "6h"}
    both = fm.Coupled(
        air, sea, steps, rivers=False, start="2000-12-21", budget="6h", directory=tmp_path
    )
    seen = []
    name = "ice_surface_temperature"
    both.members["ocean"].program.call(lambda s: seen.append(s.gather(name)[0, 1, 1]), "6h")
    both.run("2d", progress=False, report=False)
    swings = np.abs(np.diff(seen, 2))
    assert min(seen) > -40 and swings[-3:].max() < max(swings[:2].max(), 1.0)
    assert all(abs(one["heat"]["share"]) < 1e-11 for one in both.budget.closed)
