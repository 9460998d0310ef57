"""Grids as the user makes them: named resolutions on the real Earth, levels, bathymetry, files,
errors.
"""

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fathom as fm
from fathom.base.mpi import core


def small(**more):
    return fm.CartesianGrid(
        8, 6, extent=(8e5, 6e5), levels=fm.ZLevels(5, 1000, spacing="uniform"), **more
    )


# ---- levels --------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(number=st.integers(1, 200), depth=st.floats(10, 11000), fraction=st.floats(0.01, 1))
@example(number=2, depth=6554.348539176593, fraction=0.75)  # the sum is one bit too small
def test_stretched_levels(number, depth, fraction):
    v = fm.ZLevels(number, depth, surface=fraction * depth / number).vertical
    assert v.levels == number and v.interface_depth[-1] == depth == v.depth
    assert (np.diff(v.thickness) > -1e-9 * depth).all() and (v.thickness > 0).all()
    np.testing.assert_allclose(
        v.layer_depth, 0.5 * (v.interface_depth[1:] + v.interface_depth[:-1]), rtol=1e-14
    )


def test_default_levels():
    v = fm.ZLevels().vertical
    assert (
        v.levels == 40 and v.depth == 5500 and v.thickness[0] == 10 and 240 < v.thickness[-1] < 270
    )
    assert (
        np.count_nonzero(v.interface_depth <= 100) >= 8
        and (np.abs(np.diff(v.thickness)) < 13).all()
    )


def test_given_and_uniform_levels():
    assert fm.ZLevels(thickness=[10, 20, 30]).vertical.layer_depth.tolist() == [5, 20, 45]
    assert fm.ZLevels(4, 200, spacing="uniform").vertical.thickness.tolist() == [50] * 4


# ---- the real Earth ------------------------------------------------------------------------------

NAMED = {
    "x1": lambda **k: fm.DipoleGrid("x1", **k),
    "dipole 3deg": lambda **k: fm.DipoleGrid("3deg", **k),
    "1deg": lambda **k: fm.TripolarGrid("1deg", **k),
    "tripolar 3deg": lambda **k: fm.TripolarGrid("3deg", **k),
}


@pytest.mark.parametrize(
    "name",
    [
        *("dipole 3deg", "tripolar 3deg"),
        *(pytest.param(name, marks=pytest.mark.long) for name in ("x1", "1deg")),
    ],
)
def test_named_grids(name):
    grid = NAMED[name]()
    h, wet, ny = grid.horizontal, grid.wet_levels, grid.horizontal.ny
    assert (
        wet.dtype == np.int32
        and wet.shape == (ny, h.nx)
        and wet.flags.c_contiguous
        and wet.max() <= grid.vertical.levels
    )
    assert -80 < h.corner_latitude[0, 0] < -78.5 and 0.6 < np.count_nonzero(wet) / wet.size < 0.75
    assert grid.vertical.levels == (25 if "3deg" in name else 40)
    ocean = h.area_center[wet > 0].sum()
    assert 3.4e14 < ocean < 3.7e14  # 3.6e14 m2 with the Mediterranean and all marginal seas
    volume = (h.area_center * grid.vertical.interface_depth[wet]).sum()
    assert 1.25e18 < volume < 1.38e18  # 1.34e18 m3
    equator = np.argmin(np.abs(h.corner_latitude[:, 0]))
    assert h.corner_latitude[equator, 0] == 0 or h.fold
    dx = h.dx_corner[grid.wet_corners].min() / h.dx_corner.max()
    assert dx > (0.07 if not h.fold else 0.19)
    if h.fold:
        assert not grid.wet_corners[-1, [h.nx // 2 - 1, h.nx - 1]].any()
        reach = np.flatnonzero(grid.wet_corners[h.regular_rows :].any(0))
        for pole in (
            h.nx // 2 - 1,
            h.nx - 1,
        ):  # water keeps 4 columns and 3 degrees away from a pole
            assert np.abs((reach - pole + h.nx // 2) % h.nx - h.nx // 2).min() >= 4
        assert h.dy_corner[grid.wet_corners].min() > 0.2 * h.dy_corner.max()
    else:
        assert not wet[-1].any()  # Greenland


def test_poles_are_land():
    """On the data themselves, not on cell averages: all of the innermost circle, and 3 degrees
    around the poles of the tripolar grid.
    """
    from fathom.data import topography
    from fathom.grids.regrid import points as regrid

    data = topography.open("ocean_fraction")
    fraction = data.ocean_fraction.values
    for edge in ("x1", "3deg"):
        h = fm.DipoleGrid(edge).horizontal
        assert (
            regrid.bilinear(
                fraction,
                data.latitude.values,
                data.longitude.values,
                h.corner_latitude[-1],
                h.corner_longitude[-1],
            ).max()
            < 0.01
        )
    a, r = np.meshgrid(np.linspace(0, 2 * np.pi, 60), np.linspace(0, 3, 12))
    for longitude in (59, 239):
        latitude = 64 + r * np.sin(a)
        around = longitude + r * np.cos(a) / np.cos(np.deg2rad(latitude))
        assert (
            regrid.bilinear(
                fraction, data.latitude.values, data.longitude.values, latitude, around
            ).max()
            < 0.3
        )


def test_rows_of_x1():
    h = fm.DipoleGrid("x1").horizontal
    rows = np.diff(h.corner_latitude[: h.regular_rows + 1, 0])
    assert (h.nx, h.ny) == (320, 384) and 0.24 < rows[-1] < 0.3 and 0.55 < rows.max() < 0.75


# ---- bathymetry ----------------------------------------------------------------------------------


def test_bathymetry_of_a_data_set():
    """Depths that a data set has on the cells of the grid; on other cells it is told of."""
    from fathom.data import embedded

    levels = fm.ZLevels(thickness=[100, 400, 4700], partial_cells=0.01)
    grid = fm.LatitudeLongitudeGrid(
        90, 40, levels=levels, bathymetry="levitus-4deg", minimum_levels=1
    )
    depth = embedded.read("levitus-4deg", "ocean_depth")["ocean_depth"]
    assert ((grid.wet_levels > 0) == (depth > 0)).all() and 2000 < np.count_nonzero(depth) < 2500
    # a last cell thinner than 0.005 of its layer is removed; one thinner than 0.01 is made as thick
    np.testing.assert_allclose(grid.depth(), depth, rtol=0, atol=24)
    with pytest.raises(ValueError, match="not on the 40 × 45 cells of this grid"):
        fm.LatitudeLongitudeGrid(45, 40, levels=levels, bathymetry="levitus-4deg")
    with pytest.raises(ValueError, match="'surface-fluxes' has no ocean_depth"):
        fm.LatitudeLongitudeGrid(90, 40, levels=levels, bathymetry="surface-fluxes")


def test_flat_depth_function_and_levels_agree():
    flat = small().wet_levels
    assert (flat == 5).all()
    depth = np.full((6, 8), 1000.0)
    assert (small(bathymetry=depth).wet_levels == flat).all() and (
        small(bathymetry=lambda x, y: 1000).wet_levels == flat
    ).all()
    assert (small(bathymetry=flat).wet_levels == flat).all()


def test_depth_is_rounded_to_the_nearest_interface():
    depth = np.zeros((6, 8))
    depth[0] = [0, 1, 290, 310, 999, 5000, 100, 499]
    assert small(bathymetry=depth).wet_levels[0].tolist() == [0, 1, 1, 2, 5, 5, 1, 2]
    assert small(bathymetry=depth, minimum_levels=2).wet_levels[0].tolist() == [
        0,
        2,
        2,
        2,
        5,
        5,
        2,
        2,
    ]


def test_function_of_the_place():
    ridge = small(bathymetry=lambda x, y: np.where(abs(x - 4e5) < 1e5, 400.0, 1000.0)).wet_levels
    assert ridge[0].tolist() == [5, 5, 5, 2, 2, 5, 5, 5]


def test_flat_tripolar_grid_has_dry_poles():
    grid = fm.TripolarGrid("3deg", bathymetry="flat")
    assert (
        not grid.wet_corners[-1, [49, 99]].any()
        and grid.wet_corners[-1, 24]
        and grid.wet_levels[:80].all()
    )


# ---- files and identity --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: fm.TripolarGrid("3deg", bathymetry="flat"),
        lambda: fm.DipoleGrid("3deg", bathymetry="flat"),
        lambda: fm.LatitudeLongitudeGrid(20, 10, longitude=(-60, 0), latitude=(10, 60)),
    ],
)
def test_file_round_trip(tmp_path, make):
    grid = make()
    grid.to_netcdf(tmp_path / "grid.nc")
    again = fm.CurvilinearGrid(tmp_path / "grid.nc", bathymetry=grid.wet_levels, levels=grid.levels)
    h, g = grid.horizontal, again.horizontal
    assert (g.periodic, g.fold) == (h.periodic, h.fold) and again.fingerprint == grid.fingerprint
    assert again.orthogonality[0] < 0.2
    for name in core.metrics:
        assert (getattr(g, name) == getattr(h, name)).all(), name


def test_supergrid_of_mom(tmp_path):
    import netCDF4

    h = fm.LatitudeLongitudeGrid(
        10, 6, longitude=(0, 30), latitude=(-20, 20), spacing="mercator"
    ).horizontal
    x, y = (
        np.repeat(np.repeat(a, 2, 0), 2, 1)[:-1, :-1]
        for a in (h.corner_longitude, h.corner_latitude)
    )
    with netCDF4.Dataset(tmp_path / "hgrid.nc", "w") as file:
        file.createDimension("nyp", x.shape[0]), file.createDimension("nxp", x.shape[1])
        for name, values in (("x", x), ("y", y)):
            file.createVariable(name, "f8", ("nyp", "nxp"))[...] = values
    assert (
        fm.CurvilinearGrid(tmp_path / "hgrid.nc", bathymetry="flat").horizontal.corner_latitude
        == h.corner_latitude
    ).all()


def test_fingerprint():
    assert small().fingerprint == small().fingerprint and len(small().fingerprint) == 64
    depth = np.full((6, 8), 1000.0)
    depth[2, 3] = 0
    assert (
        small().fingerprint
        != small(bathymetry=depth).fingerprint
        != small(periodic=True).fingerprint
    )


def test_tree():
    text = str(small())
    assert repr(small()) == "CartesianGrid 8×6×5" and text.startswith(
        "CartesianGrid 8×6×5\n├── extent"
    )
    assert "└── water     48 of 48 columns, 240 cells" in text


# ---- errors --------------------------------------------------------------------------------------

hole = np.full((6, 8), 100.0)
hole[2, 5] = np.nan
ERRORS = {
    "did you mean '1deg'": lambda: fm.TripolarGrid("1dg"),
    "or give nx and ny": lambda: fm.DipoleGrid("x2"),
    "needs a resolution": lambda: fm.DipoleGrid(nx=30),
    "did you mean 'pole_latitude'": lambda: fm.DipoleGrid("x1", pole_latitud=3),
    "did you mean 'etopo5'": lambda: fm.TripolarGrid("3deg", bathymetry="etop5"),
    "did you mean 'depth'": lambda: fm.ZLevels(dpth=3),
    "allowed: 'flat'": lambda: small(bathymetry="etopo5"),
    "nx must be even": lambda: fm.TripolarGrid(nx=101, ny=100),
    "must be a whole number": lambda: fm.TripolarGrid(nx=100.5, ny=100),
    "join = 95 degrees": lambda: fm.TripolarGrid("3deg", join=95),
    "must be a number": lambda: fm.TripolarGrid("3deg", join="north"),
    "circles around a pole further south cross": lambda: fm.DipoleGrid("3deg", pole_latitude=20),
    "must grow within": lambda: fm.LatitudeLongitudeGrid(10, 10, latitude=(50, 20)),
    "infinitely many rows": lambda: fm.LatitudeLongitudeGrid(
        10, 10, latitude=(-90, 90), spacing="mercator"
    ),
    "corner latitude 2 is 5": lambda: fm.LatitudeLongitudeGrid(10, spacing=[0, 10, 5]),
    "did you mean 'mercator'": lambda: fm.LatitudeLongitudeGrid(10, 10, spacing="mercater"),
    "east must lie up to 360": lambda: fm.LatitudeLongitudeGrid(10, 10, longitude=(10, 0)),
    "ny is missing": lambda: fm.CartesianGrid(10),
    "x has 3": lambda: fm.CartesianGrid(3, 2, x=[0, 1, 2]),
    "must grow": lambda: fm.CartesianGrid(ny=2, x=[0, 2, 1]),
    "bathymetry has shape (2, 2); the grid takes (6, 8)": lambda: small(bathymetry=np.ones((2, 2))),
    "bathymetry is nan at x 550.0 km, y 250.0 km (j=2, i=5)": lambda: small(bathymetry=hole),
    "in [0, 5], not [9, 9]": lambda: small(bathymetry=np.full((6, 8), 9)),
    "surface = 20 m": lambda: fm.ZLevels(40, 100, surface=20),
    "thickness[1] = -1": lambda: fm.ZLevels(thickness=[1, -1]),
    "either thickness, or nz": lambda: fm.ZLevels(3, thickness=[1]),
    "must be ZLevels": lambda: fm.CartesianGrid(3, 3, levels=40),
    "no grid file": lambda: fm.CurvilinearGrid("nowhere.nc"),
    "both must be (ny + 1, nx + 1)": lambda: fm.CurvilinearGrid(
        corner_longitude=[0, 1], corner_latitude=[0, 1]
    ),
    "i to the east of j": lambda: fm.CurvilinearGrid(
        corner_longitude=[[1, 0], [1, 0]], corner_latitude=[[0, 0], [1, 1]]
    ),
    "to coincide with its partner": lambda: fm.CurvilinearGrid(
        corner_longitude=[[0, 1], [0, 1]], corner_latitude=[[0, 0], [1, 1]], periodic=True
    ),
}


ERRORS |= {
    "allowed: 'B', 'C', 'A'": lambda: fm.CartesianGrid(8, 8, staggering="D"),
    "bathymetry is for staggering = 'B'": lambda: fm.CartesianGrid(
        8, extent=8e3, staggering="C", bathymetry=1e3
    ),
    "latitude is for staggering = 'A'; this CartesianGrid has 'B'": lambda: small(latitude=40),
    "spacing is for staggering = 'B'": lambda: fm.LatitudeLongitudeGrid(
        16, spacing="mercator", staggering="C"
    ),
    "go around the earth": lambda: fm.LatitudeLongitudeGrid(16, latitude=(0, 10), staggering="C"),
    "must be HeightLevels": lambda: fm.CartesianGrid(
        8, extent=8e3, staggering="C", levels=fm.ZLevels(4)
    ),
    "has walls in the south": lambda: small(periodic=(True, True)),
    "is periodic along x": lambda: fm.CartesianGrid(8, extent=8e3, staggering="C", periodic=False),
    "along x and y": lambda: fm.CartesianGrid(8, 8, extent=8e3, staggering="A", periodic=True),
    "they must be the same": lambda: fm.CartesianGrid(8, 8, extent=(8e3, 9e3), staggering="A"),
    "needs nx, ny and extent": lambda: fm.CartesianGrid(8, 8, levels=fm.SigmaLevels(4)),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ERRORS[message]()


KINDS = {"A": fm.SigmaLevels, "B": fm.ZLevels, "C": fm.HeightLevels}


@pytest.mark.parametrize("staggering", KINDS)
def test_levels_and_staggering_say_the_same(staggering):
    """A plane of the levels is that of the staggering, with cells of the same places and sizes."""
    levels = KINDS[staggering](5)
    by_levels = fm.CartesianGrid(8, 6, extent=8e3, levels=levels)
    by_name = fm.CartesianGrid(8, 6, extent=(8e3, 6e3), staggering=staggering)
    for grid in (by_levels, by_name):
        assert type(grid).__name__ == "CartesianGrid" and isinstance(grid, fm.CartesianGrid)
        assert grid.staggering == staggering and isinstance(grid.levels, KINDS[staggering])
        x, y = grid.coordinates()
        assert np.array_equal(x, np.tile(np.arange(500, 8e3, 1e3), (6, 1)))
        assert np.array_equal(y, np.tile(np.arange(500, 6e3, 1e3)[:, None], (1, 8)))
        assert np.array_equal(grid.areas[0], np.full((6, 8), 1e6))
    assert by_levels.shape == (5, 6, 8)


def test_each_model_takes_one_staggering():
    planes = {
        name: fm.CartesianGrid(8, 8, extent=8e3, levels=kind(6)) for name, kind in KINDS.items()
    }
    models = {"A": fm.LimitedAreaAtmosphere, "B": fm.Ocean, "C": fm.GridPointAtmosphere}
    for own, model in models.items():
        model(planes[own])
        for other in {*models} - {own}:
            with pytest.raises(fm.InputError, match=f"staggering = '{own}'.*'{other}'"):
                model(planes[other])


def test_the_whole_sphere_has_its_area_with_both_staggerings():
    radius = 1e6
    for how in ({"staggering": "C"}, {"latitude": (-90, 90), "staggering": "B"}):
        grid = fm.LatitudeLongitudeGrid(32, 16, radius=radius, **how)
        assert grid.areas[0].sum() == pytest.approx(4 * np.pi * radius**2, rel=1e-14)


def test_every_grid_rejects_unknown_words():
    for kind in (
        fm.LatitudeLongitudeGrid,
        fm.CartesianGrid,
        fm.DipoleGrid,
        fm.TripolarGrid,
        fm.CurvilinearGrid,
        fm.ZLevels,
    ):
        with pytest.raises(ValueError, match=f"{kind.__name__} has no 'bathimetry'"):
            kind(bathimetry="flat")
