"""Weather charts: every picture is drawn, and lines, arrows, highs and lows are where the field
says.
"""

import io

import numpy as np
import pytest

import fathom as fm
import fathom.plots as plots
from fathom.atmosphere.products.report import pictures

ny, nx = 32, 64
latitude, longitude = np.linspace(-87.2, 87.2, ny), np.arange(nx) * 360 / nx
grid = {
    "longitude": longitude,
    "latitude": latitude,
    "corner_longitude": np.arange(nx + 1) * 360 / nx - 180 / nx,
    "corner_latitude": np.linspace(-90, 90, ny + 1),
}
x, y = np.deg2rad(np.meshgrid(longitude, latitude))
levels = np.linspace(0, 1e5, 6)
state = {
    "geopotential_height_500": 5200 + 600 * np.cos(y) ** 2 + 100 * np.cos(4 * x) * np.cos(y) ** 4,
    "air_pressure_at_mean_sea_level": 1e5 + 3000 * np.sin(3 * x) * np.sin(2 * y) * np.cos(y),
    "air_temperature_850": 250 + 40 * np.cos(y) ** 2,
    "eastward_wind_250": 40 * np.sin(2 * y) ** 2,
    "northward_wind_250": 10 * np.cos(4 * x) * np.cos(y),
    "precipitation_flux": 1e-4 * np.cos(y) ** 8,
    "air_temperature_2m": 260 + 40 * np.cos(y) ** 2,
    "eastward_wind_10m": 8 * np.sin(2 * y),
    "northward_wind_10m": 3 * np.cos(4 * x),
    "insolation": 1361 * np.maximum(np.cos(y) * np.cos(x - 1), 0),
    "land_fraction": 1.0 * (np.cos(2 * x) > 0.3),
    "reference_pressure": levels,
    "eastward_wind": np.broadcast_to(40 * np.sin(2 * y) ** 2, (5, ny, nx)),
    "air_temperature": np.broadcast_to(250 + 40 * np.cos(y) ** 2, (5, ny, nx)),
}

state["days"] = [
    (hours, state["geopotential_height_500"], state["air_pressure_at_mean_sea_level"])
    for hours in (24, 48)
]


def test_every_chart():
    sections = {title: list(drawn) for title, drawn in pictures(grid, state).items()}
    assert {title: len(drawn) for title, drawn in sections.items()} == {
        "Weather": 7,
        "Near the ground": 2,
        "Sunlight": 1,
        "Day by day": 2,
        "Zonal means": 2,
    }
    for drawn in sections.values():
        for name, draw in drawn:
            assert len(plots.encoded(draw())) > 10000, name


def test_charts_where_the_grid_is_finest():
    """On rows about a pole elsewhere; the middle of the picture is that pole, and north is up."""
    import fathom as fm

    mesh = fm.GaussianGrid(15, stretching=2.0, pole=(2.6, 46.5)).mapping()
    lat = np.deg2rad(mesh["latitude"])
    warmth = {
        "air_temperature_850": 250 + 40 * np.cos(lat) ** 2,
        "geopotential_height_500": 5200 + 600 * np.cos(lat) ** 2,
        "precipitation_flux": 1e-4 * np.cos(lat) ** 8,
    }
    drawn = dict(pictures(mesh, warmth)["Where the grid is finest"])
    assert len(drawn) == 3
    for draw in drawn.values():
        assert len(plots.encoded(draw())) > 10000
    raster = plots.Raster(plots.mesh_of(mesh), 400, plots.Around(2.6, 46.5, 30))
    column, row = raster.project(np.array([2.6, 2.6, 20.0]), np.array([46.5, 60.0, 46.5]))
    assert (
        np.allclose((column[0], row[0]), raster.width / 2)
        and row[1] < row[0]
        and column[2] > column[0]
    )
    image = raster.image(mesh["latitude"])
    assert abs(image[int(row[1]), int(column[1])] - 60) < 3 and np.isnan(image[2, 2])
    area = lambda lon, lat: (
        np.abs(
            np.linalg.det(
                [
                    np.subtract(raster.projection(lon + dx, lat + dy), raster.projection(lon, lat))
                    for dx, dy in ((1e-3, 0), (0, 1e-3))
                ]
            )
        )
        / np.cos(np.deg2rad(lat))
    )
    assert area(25.0, 60.0) == pytest.approx(area(2.6, 46.5), rel=1e-3)


def test_what_is_missing_is_left_out():
    assert [
        name
        for name, _ in pictures(grid, {"air_temperature_850": state["air_temperature_850"]})[
            "Weather"
        ]
    ] == ["850 hPa temperature"]


@pytest.fixture(scope="module")
def globe():
    return plots.Raster(plots.mesh_of(grid), 800)


def test_contours_follow_a_parallel_and_do_not_cross_the_rim(globe):
    def check(axes, raster):
        plots.contours(axes, raster, np.rad2deg(y), [30.0])
        pieces = [piece for collection in axes.collections for piece in collection.get_segments()]
        expected = raster.project(np.array([200.0]), np.array([30.0]))[1][0]
        assert pieces and all(np.abs(piece[:, 1] - expected).max() < 2 for piece in pieces)
        assert max(np.abs(np.diff(piece[:, 0])).max() for piece in pieces) < 0.25 * raster.width

    plots.map(state["air_temperature_850"], globe, name="air_temperature", over=check)


def test_arrows_of_a_westerly_point_east(globe):
    def check(axes, raster):
        plots.vectors(axes, raster, np.full((ny, nx), 10.0), np.zeros((ny, nx)))
        arrows = axes.collections[-1]
        assert (
            arrows.U.size > 50
            and (arrows.U > 0).all()
            and np.abs(arrows.V).max() < 0.05 * arrows.U.max()
        )

    plots.map(state["air_temperature_850"], globe, name="air_temperature", over=check)


def test_a_small_area_has_arrows_too():
    area = fm.LimitedAreaGrid((8, 60), resolution=2e3, points=(30, 24), levels=fm.HybridLevels(4))
    shape = area.points[::-1]

    def check(axes, raster):
        plots.vectors(axes, raster, np.full(shape, 10.0), np.zeros(shape))
        assert axes.collections[-1].U.size > 50

    raster = plots.Raster(plots.mesh_of(area.mapping()), 800)
    plots.map(np.zeros(shape), raster, name="air_temperature", over=check)


def test_highs_and_lows(globe):
    """One wave of three highs and three lows on each side of the equator."""

    def check(axes, raster):
        plots.highs_and_lows(axes, raster, state["air_pressure_at_mean_sea_level"] / 100, 4)
        letters = [text.get_text() for text in axes.texts]
        assert letters.count("H") == letters.count("L") == 6

    plots.map(state["air_temperature_850"], globe, name="air_temperature", over=check)


@pytest.mark.parametrize("pole", [1, -1])
def test_a_hemisphere_shows_its_pole_in_the_middle(pole):
    raster = plots.Raster(plots.mesh_of(grid), 400, plots.Hemisphere(pole))
    column, row = raster.project(np.array([0.0, 90.0]), np.array([pole * 89.999, pole * 50.0]))
    assert np.hypot(column[0] - 200, row[0] - 200) < 1 and raster.holds(column, row).all()
    j = raster.cell[200 - 1 : 200 + 1, 200 - 1 : 200 + 1] // nx
    assert set(j.ravel().tolist()) == {ny - 1 if pole > 0 else 0}
    assert (
        column[1] > 210 and abs(row[1] - 200) < 2
    )  # 90 E lies to the right, Greenwich down (north) or up (south)
    figure = plots.map(state["air_temperature_850"], raster, name="air_temperature")
    figure.savefig(io.BytesIO())
