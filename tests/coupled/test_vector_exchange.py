"""Vectors between grids: against a flow that is known in space, on a grid whose pole is displaced;
fields with levels.
"""

import numpy as np
import pytest

import air_over_sea
import fathom as fm
from fathom.base.mpi import world
from fathom.coupled.program import OwnFields
from fathom.coupled.remap import Remap
from fathom.coupled.vectors import axes

script = air_over_sea.__file__
spin = np.array([0.5, -0.3, 0.8])  # around an axis that is no pole of any grid
globe = fm.LatitudeLongitudeGrid(nx=120, ny=60, levels=fm.ZLevels(nz=2, depth=100))
dipole = fm.DipoleGrid("3deg", levels=fm.ZLevels(nz=2, depth=100), bathymetry="flat")


def in_space(longitude, latitude):
    lon, lat = np.deg2rad(longitude), np.deg2rad(latitude)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], -1)


def flow(longitude, latitude):
    """Eastward and northward parts of a turning around `spin`."""
    lon, lat = np.deg2rad(longitude), np.deg2rad(latitude)
    x, y, z = spin
    east = z * np.cos(lat) - np.sin(lat) * (x * np.cos(lon) + y * np.sin(lon))
    return east, x * np.sin(lon) - y * np.cos(lon)


def along_lines(longitude, latitude):
    """The flow along lines of growing i and j of points (rows + 2, points + 2), by differences of
    the places in space: without any angle.
    """
    place = in_space(longitude, latitude)
    whole = np.cross(spin, place)[1:-1, 1:-1]
    found = []
    for step in (place[1:-1, 2:] - place[1:-1, :-2], place[2:, 1:-1] - place[:-2, 1:-1]):
        unit = step / np.linalg.norm(step, axis=-1, keepdims=True)
        found.append((whole * unit).sum(-1))
    return found


def remapped(giver, taker, given, places):
    """A vector (2, points) through the map, as an exchange hands it over: (2, ny, nx)."""
    cells = np.arange(giver.wet_levels.size)
    remap = Remap((giver, taker), world, world, cells, "conservative", places)
    values = np.einsum("ap,pax->px", given, axes(giver, places[0]))[:, None]
    found = remap(values)[0]
    return np.einsum("xji,jiax->aji", found, axes(taker, places[1]).reshape(*found.shape[1:], 2, 3))


def error(found, expected):
    known = np.isfinite(found[0]) & np.isfinite(found[1])
    assert known.mean() > 0.9
    apart = np.hypot(*(f - e for f, e in zip(found, expected)))[known]
    return np.sqrt((apart**2).mean()) / np.linalg.norm(spin), apart.max() / np.linalg.norm(spin)


def test_stress_at_corners_of_a_displaced_pole():
    """From east and north at centres to the grid's axes at corners."""
    given = np.stack([part.ravel() for part in flow(*globe.coordinates())])
    found = remapped(globe, dipole, given, ("center", "corner"))
    h = dipole.horizontal
    corners = [np.asarray(c)[1:-1, 1:-1] for c in (h.corner_longitude, h.corner_latitude)]
    whole = [np.asarray(c) for c in (h.corner_longitude, h.corner_latitude)]
    assert corners[0].shape == (dipole.wet_levels.shape[0] - 1, dipole.wet_levels.shape[1] - 1)
    expected = along_lines(*whole)
    rms, most = error(found[:, :-1, :-1], expected)
    assert rms < 0.01 and most < 0.05
    east, north = flow(whole[0][1:-1, 1:-1], whole[1][1:-1, 1:-1])
    unturned = np.hypot(east - expected[0], north - expected[1]) / np.linalg.norm(spin)
    assert unturned.max() > 1  # the axes are far from east and north there


def test_current_of_a_displaced_pole_as_east_and_north():
    """From the grid's axes at corners to east and north at centres."""
    h = dipole.horizontal
    whole = [np.asarray(c) for c in (h.corner_longitude, h.corner_latitude)]
    given = np.zeros((2, *dipole.wet_levels.shape))
    given[:, :-1, :-1] = along_lines(*whole)
    given[:, :-1, -1] = along_last(whole)
    found = remapped(dipole, globe, given.reshape(2, -1), ("corner", "center"))
    expected = flow(*globe.coordinates())
    latitude = globe.coordinates()[1]
    inside = (latitude > -70) & (latitude < 65)  # away from the edges of the dipole grid
    apart = np.hypot(*(f - e for f, e in zip(found, expected)))[inside]
    assert np.nanmax(apart) < 0.05 * np.linalg.norm(spin)


def along_last(whole):
    """The flow along the last corners of rows, where the grid meets itself."""
    wide = [np.concatenate([c[:, -2:], c[:, 1:2]], 1) for c in whole]
    return np.stack(along_lines(*wide))[:, :, 0]


@pytest.mark.parametrize("place", ["center", "corner"])
def test_levels_count_where_the_giver_has_them(place):
    """A constant of each level stays, from water of that depth alone: on land below there is
    nothing, with values that would be seen.
    """
    levels = fm.ZLevels(nz=4, depth=5000)
    giver = fm.LatitudeLongitudeGrid(nx=36, ny=18, bathymetry="etopo5", levels=levels)
    cells = np.arange(giver.wet_levels.size)
    remap = Remap((giver, dipole), world, world, cells, "conservative", ("center", place), range(4))
    wet = giver.wet_levels.ravel()[:, None] > np.arange(4)
    found = remap(np.where(wet, 1.0 + np.arange(4), 1e30)[:, :, None])[:, 0]
    for level, values in enumerate(found):
        assert abs(values[np.isfinite(values)] - 1 - level).max() < 1e-13
    known = np.isfinite(found).mean((1, 2))
    assert known[0] == known[2] > 0.5 > known[3] > 0.2  # no column has less than 3 levels


class Stack(fm.Program):
    """Fields of some layers."""

    class Fields(OwnFields):
        def known(self):
            return {n: held | {"vertical": "layer"} for n, held in super().known().items()}

        def values(self, name, levels):
            return self.program.stacks[name].reshape(len(levels), -1)[list(levels)].T.copy()

        def whole(self, name):
            return self.program.stacks[name].copy()

        def put(self, name, values):
            self.program.stacks[name][...] = values

    def __init__(self, grid, **more):
        super().__init__(grid, "1h", {"given": "K", "taken": "K"})
        shape = grid.levels.nz, *grid.wet_levels.shape
        self.stacks = {name: np.full(shape, -1.0) for name in ("given", "taken")}
        units = dict.fromkeys(self.stacks, "K")
        self.handed = self.Fields(self, grid, units, dict.fromkeys(units, grid))


def stacks(nz, folder="."):
    """A program with 2 layers on the globe, and one with nz on the displaced pole."""
    other = fm.DipoleGrid("3deg", levels=fm.ZLevels(nz=nz, depth=100), bathymetry="flat")
    return fm.Programs({"a": Stack(globe), "b": Stack(other)}, folder)


def test_all_levels_of_a_field(tmp_path):
    programs = stacks(2, tmp_path).exchange("a.given", "b.taken", "1h", change=lambda x: 2 * x)
    a, b = (programs.members[name].program for name in "ab")
    a.stacks["given"][...] = np.array([3.0, 5.0])[:, None, None]
    programs.run("1h", progress=False, report=False)
    top, low = b.stacks["taken"]
    assert {*np.unique(top.round(12))} == {-1.0, 6.0} and {*np.unique(low.round(12))} == {
        -1.0,
        10.0,
    }
    with pytest.raises(ValueError, match=r"a.given has 2 levels \(layer\), b.taken 3 levels"):
        stacks(3).exchange("a.given", "b.taken", "1h")


# ---- between programs ----------------------------------------------------------------------------


def test_parts_that_do_not_fit():
    both = air_over_sea.both(".", exchanges=False)
    stress = "air.surface_stress_eastward", "air.surface_stress_northward"
    with pytest.raises(ValueError, match="one field for one, or both parts"):
        both.exchange(stress, "sea.surface_stress_x", "3h")
    with pytest.raises(ValueError, match="lies at the center, sea.surface_stress_x at the corner"):
        both.exchange(stress[0], "sea.surface_stress_x", "3h")
    with pytest.raises(ValueError, match="must be a field, or both parts of a vector"):
        both.exchange((*stress, "air.a"), "sea.surface_stress_x", "3h")
    both.exchange(stress, ("sea.surface_stress_x", "sea.surface_stress_y"), "3h")
    with pytest.raises(ValueError, match="sea.surface_stress_y comes from air.surface_stress_east"):
        both.exchange(stress, ("sea.surface_heat_flux", "sea.surface_stress_y"), "3h")
