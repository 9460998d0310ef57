"""Every picture is drawn, land and sea are where they belong, and a field that does not fit is
refused.
"""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import fathom as fm
import fathom.output as output
import fathom.plots as plots
from fathom.plots.bars import merged
from fathom.plots.mesh import EqualEarth
from synthetic import box, centres, globe, made_up_land, profile, series, tripolar_corners


@pytest.fixture(scope="module")
def world():
    return globe()


@pytest.fixture(scope="module")
def raster(world):
    return plots.Raster(plots.mesh_of(world[0]), 800)


def is_picture(figure, path):
    data = path.read_bytes()
    return data[:4] == b"\x89PNG" and len(data) > 5000 and figure.get_size_inches()[0] * 150 > 400


@pytest.mark.parametrize(
    "name", ["temperature", "salinity", "sea_surface_height", "eastward_velocity"]
)
def test_maps(world, raster, tmp_path, name):
    field = world[1][name]
    field = field[0] if field.ndim == 3 else field
    assert is_picture(
        plots.map(field, raster, name=name, path=tmp_path / "a.png"), tmp_path / "a.png"
    )


def test_stream_function(world, raster, tmp_path):
    figure = plots.stream_function(
        world[1]["barotropic_stream_function"], raster, path=tmp_path / "a.png"
    )
    assert is_picture(figure, tmp_path / "a.png")
    for collection in figure.axes[0].collections:  # no line runs across the map
        for line in collection.get_segments():
            assert np.abs(np.diff(line[:, 0])).max() < 0.25 * raster.width


def test_sections_series_bars(world, tmp_path):
    grid, state = world
    interfaces = np.concatenate([[0], np.cumsum(grid["thickness"])])
    values, edges = plots.zonal_mean(state["temperature"], grid["latitude"], grid["area"])
    assert is_picture(
        plots.section(values, edges, interfaces, name="temperature", path=tmp_path / "a.png"),
        tmp_path / "a.png",
    )
    assert is_picture(plots.time_series(series(), path=tmp_path / "b.png"), tmp_path / "b.png")
    assert is_picture(plots.bars(profile(), path=tmp_path / "c.png"), tmp_path / "c.png")
    assert plots.encoded(plots.bars(profile()), "svg").lstrip().startswith(b"<?xml")
    (_, others) = merged(profile(), 1)
    assert sum(others["parts"].values()) == pytest.approx(others["seconds"])


def test_steps_of_runs_on_one_scale(tmp_path):
    figure = plots.steps(
        {"quiet": [0.1] * 20, "with a spike": [0.1] * 19 + [0.7]}, path=tmp_path / "steps.png"
    )
    assert (tmp_path / "steps.png").stat().st_size > 5000 and all(
        0.7 < ax.get_ylim()[1] < 0.8 for ax in figure.axes
    )
    with pytest.raises(ValueError, match="no steps"):
        plots.steps({"nothing": []})


def test_the_raster_finds_the_cell_that_holds_a_place(world, raster):
    """The centre of each cell of moderate size is painted with that cell, on both sides of the rim
    and of the fold.
    """
    grid = world[0]
    column, row = raster.project(grid["longitude"], grid["latitude"])
    found = raster.cell[row.astype(int), column.astype(int)]
    expected = np.arange(found.size).reshape(found.shape)
    large = np.abs(grid["latitude"]) < 60
    assert (found[large] == expected[large]).mean() > 0.999
    assert (found == expected).mean() > 0.9


def test_the_globe_is_covered_without_holes_or_streaks(world, raster):
    grid = world[0]
    left, right, bottom, top = raster.bounds
    x = left + (np.arange(raster.width) + 0.5) * (right - left) / raster.width
    _, height = EqualEarth()(np.array([0.0, 0.0]), np.array([-77.0, 88.0]))
    rows = [int((top - h) / (top - bottom) * raster.height) for h in height]
    inside = raster.inside[rows[1] : rows[0]]
    assert (raster.cell[rows[1] : rows[0]][inside] >= 0).mean() > 0.9999
    longitude = np.where(
        np.isfinite(x), raster.image(np.cos(np.radians(grid["longitude"])))[raster.height // 2], 0
    )
    expected = np.cos(x / right * np.pi + np.radians(205))
    assert np.nanmax(np.abs(longitude - expected)) < 0.1  # a cell is 5 degrees wide


@pytest.mark.parametrize("start", [-180.0, 0.0, 73.5])
def test_land_lies_where_it_does_whatever_the_first_longitude(start):
    longitude, latitude = np.meshgrid(start + np.arange(73) * 5.0, np.linspace(-80, 85, 56))
    middle_longitude, middle_latitude = centres(longitude, latitude)
    land = made_up_land(middle_longitude, middle_latitude)
    raster = plots.Raster(
        plots.mesh_of({"corner_longitude": longitude, "corner_latitude": latitude}), 400
    )
    column, row = raster.project(
        np.array([134.0, -150.0, 179.9, 25.2]), np.array([-25.0, 0.0, 10.0, -50.0])
    )
    assert raster.image(land)[row.astype(int), column.astype(int)].tolist() == [1, 0, 0, 0]


def test_centres_alone_give_nearly_the_same_picture(world):
    longitude, latitude = tripolar_corners(90, 120)
    middle_longitude, middle_latitude = centres(longitude, latitude)
    exact = plots.Raster(
        plots.mesh_of({"corner_longitude": longitude, "corner_latitude": latitude}), 400
    )
    near = plots.Raster(
        plots.mesh_of({"longitude": middle_longitude, "latitude": middle_latitude}), 400
    )
    both = (exact.cell >= 0) & (near.cell >= 0)
    assert both.sum() > 0.95 * (exact.cell >= 0).sum()
    assert (exact.cell[both] == near.cell[both]).mean() > 0.9


def test_a_grid_around_the_globe_is_closed_and_others_are_not(world):
    longitude, latitude = centres(world[0]["corner_longitude"], world[0]["corner_latitude"])
    whole, part = (
        plots.mesh_of({"longitude": longitude, "latitude": latitude}),
        plots.mesh_of({"longitude": longitude[:, :-2], "latitude": latitude[:, :-2]}),
    )
    assert whole.cyclic and not part.cyclic
    np.testing.assert_allclose(
        whole.vertices.reshape(*whole.shape, 4, 3)[:, -1, [1, 2]],
        whole.vertices.reshape(*whole.shape, 4, 3)[:, 0, [0, 3]],
        atol=1e-12,
    )


def test_a_region_and_a_box(tmp_path):
    longitude, latitude = np.meshgrid(
        np.linspace(165, 200, 36), np.linspace(-45, -20, 26)
    )  # over the date line
    regional = {"corner_longitude": (longitude + 180) % 360 - 180, "corner_latitude": latitude}
    field = np.hypot(*np.meshgrid(np.arange(35.0), np.arange(25.0)))
    assert is_picture(plots.map(field, regional, path=tmp_path / "a.png"), tmp_path / "a.png")
    assert (plots.Raster(plots.mesh_of(regional), 400).cell >= 0).all()
    grid, state = box()
    assert is_picture(
        plots.map(state["temperature"][0], grid, name="temperature", path=tmp_path / "b.png"),
        tmp_path / "b.png",
    )
    raster = plots.Raster(plots.mesh_of(grid), 400)
    assert (raster.cell >= 0).all() and raster.cell[0, 0] == 39 * 60 and raster.cell[-1, -1] == 59


def test_zonal_mean_of_a_known_field():
    longitude, latitude = np.meshgrid(np.arange(0.5, 360), np.arange(-79.5, 80))
    field = np.where(longitude[None] > 180, np.nan, np.stack([latitude, 2 * latitude]))
    values, edges = plots.zonal_mean(field, latitude, np.cos(np.radians(latitude)))
    middle = 0.5 * (edges[1:] + edges[:-1])
    assert np.abs(values[0] - middle).max() < 1.0  # a band is one degree
    np.testing.assert_allclose(values[1], 2 * values[0])


def test_constant_empty_and_tiny_fields_are_drawn(world, raster, tmp_path):
    shape = raster.mesh.shape
    for value in (0.0, 35.0, np.nan, 1e-12):
        plots.map(
            np.full(shape, value), raster, name="salinity" if value else "", path=tmp_path / "a.png"
        )
        plots.stream_function(np.full(shape, value), raster, path=tmp_path / "a.png")
    plots.time_series({"one": (np.array([0.0]), np.array([1.0]), "m")}, path=tmp_path / "b.png")


def test_errors_say_what_does_not_fit(world, raster):
    with pytest.raises(
        ValueError,
        match=r"a map needs a field of shape \(60, 72\), as its grid; it was given \(3, 4\)",
    ):
        plots.map(np.zeros((3, 4)), raster)
    with pytest.raises(ValueError, match="no horizontal coordinates: .* it has depth"):
        plots.map(np.zeros((3, 4)), {"depth": np.arange(3)})
    with pytest.raises(ValueError, match="unknown colour map 'thermall'; did you mean 'thermal'"):
        plots.map(world[1]["sea_surface_height"], raster, colours="thermall")
    with pytest.raises(
        ValueError, match="a section between 3 edges and 2 interfaces needs values of shape"
    ):
        plots.section(np.zeros((3, 3)), np.arange(3), np.arange(2))
    with pytest.raises(ValueError, match="the profile is empty"):
        plots.bars([])


@pytest.fixture(scope="module", params=[".zarr", pytest.param(".nc", marks=pytest.mark.long)])
def stored(request, world, tmp_path_factory):
    grid, state = world
    path = tmp_path_factory.mktemp("stored") / f"ocean{request.param}"
    bounds = {
        f"{name}_bounds": np.stack([c[:-1, :-1], c[:-1, 1:], c[1:, 1:], c[1:, :-1]], axis=2)
        for name, c in (
            ("longitude", grid["corner_longitude"]),
            ("latitude", grid["corner_latitude"]),
        )
    }
    coordinates = {
        "depth": (("depth",), grid["depth"], {"units": "m", "positive": "down"}),
        "areacello": (("y", "x"), grid["area"]),
    }
    for name, units in (("longitude", "degrees_east"), ("latitude", "degrees_north")):
        coordinates[name] = (
            ("y", "x"),
            grid[name],
            {"units": units, "standard_name": name, "bounds": f"{name}_bounds"},
        )
        coordinates[f"{name}_bounds"] = (("y", "x", "corner"), bounds[f"{name}_bounds"])
    attributes = {"coordinates": "longitude latitude"}
    variables = [
        output.VariableSpec(
            "thetao", ("time", "depth", "y", "x"), attributes={**attributes, "units": "degC"}
        ),
        output.VariableSpec(
            "psi", ("time", "y", "x"), attributes={**attributes, "units": "m3 s-1"}
        ),
    ]
    writer = output.create(path, coordinates, variables)
    whole = (0, *grid["longitude"].shape[:1], 0, *grid["longitude"].shape[1:])
    for n in range(3):
        writer.write("thetao", n, whole, state["temperature"] + n)
        writer.write("psi", n, whole, state["barotropic_stream_function"])
        writer.extend(n, n * 5 * 86400.0)
    writer.close()
    with output.open(path) as dataset:
        yield dataset


@pytest.mark.parametrize(
    "variable, options",
    [
        ("thetao", {}),
        ("temperature", {"time": "first", "level": 500.0}),
        ("thetao", {"time": "2000-01-06", "level": "bottom"}),
        ("thetao", {"time": -2, "kind": "section"}),
        ("thetao", {"kind": "series"}),
        ("barotropic_stream_function", {"time": "1"}),
    ],
)
def test_pictures_of_a_store(stored, variable, options, tmp_path):
    assert is_picture(
        plots.picture(stored, variable, path=tmp_path / "a.png", **options), tmp_path / "a.png"
    )


@pytest.mark.parametrize(
    "stored", [".zarr", pytest.param(".nc", marks=pytest.mark.long)], indirect=True
)
def test_the_right_time_and_depth_are_drawn(stored):
    def notes(**options):
        return plots.picture(stored, "thetao", **options).axes[0].get_title(loc="right")

    assert notes(time="2000-01-07", level=10.0).startswith("2000-01-06")
    assert notes(time="last").startswith("2000-01-11") and "m" in notes(level=500)


@pytest.mark.parametrize(
    "variable, options, message",
    [
        ("tetao", {}, "unknown variable 'tetao'; did you mean 'thetao'"),
        ("salinity", {}, "unknown variable 'salinity'.* known: .*thetao"),
        ("thetao", {"time": 7}, "it has times 0 to 2, 2000-01-01 to 2000-01-11"),
        ("thetao", {"region": (1e3, 2e3, 91, 92)}, "nothing lies there; the file has"),
        ("thetao", {"time": "yesterday"}, "none of: last, first, an index, a date"),
        ("thetao", {"level": "deep"}, "none of: surface, bottom, m from"),
        ("thetao", {"kind": "mapp"}, "did you mean 'map'"),
        ("psi", {"kind": "section"}, "one value a column"),
        ("thetao", {"limits": (3, 1)}, "limits = 3, 1: the lower one comes first"),
    ],
)
def test_pictures_refuse_what_is_not_there(stored, variable, options, message):
    with pytest.raises(ValueError, match=message):
        plots.picture(stored, variable, **options)


def test_a_section_of_a_plane_is_in_kilometres(tmp_path):
    ocean = fm.Ocean(fm.CartesianGrid(4, 6, levels=fm.ZLevels(nz=3, depth=900)), coriolis=(0, 0))
    simulation = fm.Simulation(ocean, time_step="10min", directory=tmp_path)
    simulation.output("a.zarr", "temperature", every="10min").run("10min", report=False)
    data = output.open(tmp_path / "a.zarr")
    axes = plots.picture(data, "temperature", kind="section").axes[0]
    assert axes.get_xlabel() == "y [km]" and axes.get_title(loc="left").endswith("mean along x")


def test_a_slice_of_air_has_heights_of_it():
    """A plane of one row: levels from the top down, values between them and on them."""
    rng = np.random.default_rng(0)
    centre = ("y", "x"), np.zeros((1, 8))
    at = {"y": [50.0], "x": np.arange(8) * 1e3 + 500, "area": centre}
    axis = {"standard_name": "height", "units": "m", "positive": "up"}
    data = xr.Dataset(
        {
            "dtheta": (("height_interface", "y", "x"), rng.normal(size=(5, 1, 8))),
            "ta": (("height", "y", "x"), 280 + rng.normal(size=(4, 1, 8))),
        },
        at
        | {
            "height_interface": ("height_interface", np.arange(4.0, -1, -1) * 1e3, axis),
            "height": ("height", np.arange(3.5, 0, -1) * 1e3, axis),
        },
    )
    for name in ("dtheta", "ta"):
        axes = plots.picture(data, name).axes[0]
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [km]", "height [km]")
        assert axes.get_ylim() == pytest.approx((0, 4), abs=0.6) and axes.get_xlim() == (0, 8)


def test_colours_of_values_far_from_0_follow_the_values():
    from fathom.plots.style import range_of

    assert range_of(np.linspace(-1, 2, 101), None, "balance")[0] == pytest.approx(-1.97)
    low, high = range_of(np.linspace(990, 1030, 101), None, "height")  # pressure
    assert 990 < low < 991 and 1029 < high < 1030


def test_a_mean_in_time_weighs_by_volume(tmp_path):
    levels = fm.ZLevels(thickness=[100.0, 900.0])
    ocean = fm.Ocean(fm.CartesianGrid(4, 6, levels=levels), coriolis=(0, 0))
    ocean.set(temperature=lambda x, y, depth: 20.0 * (depth < 100) + 0 * x)
    simulation = fm.Simulation(ocean, time_step="10min", directory=tmp_path)
    simulation.output("a.nc", "temperature", every="10min").run("10min", report=False)
    figure = plots.picture(output.open(tmp_path / "a.nc"), "temperature", kind="series")
    assert "temperature − 2 [" in figure.axes[0].get_title(loc="left")  # and what it grows by


def test_a_palette_makes_a_picture_small():
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3))
    figure.subplots().imshow(np.linspace(0, 1, 600).reshape(20, 30), cmap="viridis")
    whole, few = plots.encoded(figure), plots.encoded(figure, colours=256)
    assert few[:8] == whole[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(few) < 0.7 * len(whole)


# ---- pictures of what is no globe ----------------------------------------------------------------


def stored_area():
    """A limited area around 8° E, 47° N, as its store holds it."""
    x = xr.DataArray(np.arange(-5e5, 6e5, 1e5), dims="x")
    y = xr.DataArray(np.arange(-4e5, 5e5, 1e5), dims="y")
    for axis, name in ((x, "x"), (y, "y")):
        axis.attrs = {"standard_name": f"projection_{name}_coordinate", "units": "m"}
    east, north = np.meshgrid(x, y)
    places = {
        "longitude": 8 + east / 75e3 * (1 + north / 6e6),
        "latitude": 47 + north / 111e3 - (east / 2e6) ** 2,
    }
    coordinates = {name: (("y", "x"), a, {"standard_name": name}) for name, a in places.items()}
    attributes = {"units": "K", "coordinates": "longitude latitude"}
    data = xr.Dataset({"ta": (("y", "x"), 280 + north / 1e5, attributes)}, coords=coordinates)
    data["sftlf"] = (("y", "x"), (east > 0).astype(float))
    return data.assign_coords(x=x, y=y)


def test_a_limited_area_fills_its_picture_and_has_degrees_at_its_edges():
    figure = plots.picture(stored_area(), "ta")
    axes = figure.axes[0]
    labels = [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    assert "10°E" in labels and "46°N" in labels
    renderer = figure.canvas.get_renderer()
    for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        box = label.get_window_extent(renderer)
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.width


@pytest.mark.parametrize("stored", [".zarr"], indirect=True)
def test_regions_and_projections_draw_what_they_say(stored):
    region = plots.picture(
        stored, "thetao", region=(-80.0, 0.0, 20.0, 70.0), title="North Atlantic"
    )
    assert region.axes[0].get_title("left") == "North Atlantic"
    assert {"60°W", "40°N"} <= {
        label.get_text()
        for label in (*region.axes[0].get_xticklabels(), *region.axes[0].get_yticklabels())
    }
    plots.picture(stored, "thetao", projection="south", limits=(0.0, 30.0), colours="speed")
    for wrong, message in (
        ({"projection": "nort"}, "did you mean 'north'"),
        ({"projection": "around:8"}, "around:LON,LAT"),
        ({"region": (10.0, 0.0, 20.0, 70.0)}, "west < east"),
        ({"at": {"basin": "atlantic"}}, "unknown dimension of thetao 'basin'"),
    ):
        with pytest.raises(ValueError, match=message):
            plots.picture(stored, "thetao", **wrong)


times = {"time": ("time", np.array(["2000-01-01", "2000-01-02"], "datetime64[ns]"))}


def test_overturning_transports_moorings_and_drifters_have_pictures():
    random = np.random.default_rng(1)
    draw = lambda dims, shape, units: (dims, random.normal(size=shape), {"units": units})
    axes = {
        **times,
        "basin": ("basin", np.array(["global", "atlantic"])),
        "section": ("section", np.array(["drake_passage"])),
        "station": ("station", np.array(["A", "B"])),
        "latitude": ("latitude", np.linspace(-70, 70, 8)),
        "depth_interface": ("depth_interface", np.linspace(0, 4000, 5), {"units": "m"}),
        "depth": ("depth", np.array([5.0, 50.0, 500.0]), {"units": "m"}),
    }
    sea = xr.Dataset(
        {
            "meridional_overturning": draw(
                ("time", "basin", "depth_interface", "latitude"), (2, 2, 5, 8), "m3 s-1"
            ),
            "northward_heat_transport": draw(("time", "basin", "latitude"), (2, 2, 8), "W"),
            "section_transport": draw(("time", "section"), (2, 1), "m3 s-1"),
            "thetao": draw(("time", "depth", "station"), (2, 3, 2), "degC"),
            "zos": draw(("time", "station"), (2, 2), "m"),
        },
        coords=axes,
    )
    atlantic = plots.picture(sea, "meridional_overturning", at={"basin": "atlantic"})
    assert "atlantic" in atlantic.axes[0].get_title("right")
    assert atlantic.axes[1].get_title("left") == "10⁻⁶ Sv"
    assert len(plots.picture(sea, "northward_heat_transport").axes[0].get_lines()) == 3
    for name in ("section_transport", "thetao", "zos"):
        plots.picture(sea, name)
    plots.picture(sea, "thetao", at={"station": "B"})
    with pytest.raises(ValueError, match="did you mean 'atlantic'"):
        plots.picture(sea, "meridional_overturning", at={"basin": "atlantik"})
    tracks = {
        "longitude": draw(("time", "trajectory"), (2, 3), "degrees_east"),
        "latitude": draw(("time", "trajectory"), (2, 3), "degrees_north"),
    }
    drifting = xr.Dataset(
        {"thetao": draw(("time", "trajectory"), (2, 3), "degC")}, coords={**times, **tracks}
    )
    assert (
        plots.picture(drifting, "thetao").axes[0].get_title("left")
        == "Drifters: potential temperature"
    )
    mine = plots.picture(drifting, "thetao", title="Mine")
    assert mine.axes[0].get_title("left") == "Mine"


@pytest.mark.parametrize("units, at", [("hPa", 500), ("Pa", 50000)])
def test_levels_of_pressure_in_files_of_others(units, at):
    axes = {
        **times,
        "pressure_level": ("pressure_level", [10.0, at, 2 * at], {"units": units}),
        "latitude": ("latitude", np.linspace(-80, 80, 5), {"units": "degrees_north"}),
        "longitude": ("longitude", np.arange(0.0, 360, 60), {"units": "degrees_east"}),
    }
    warm = np.zeros((2, 3, 5, 6)), {"units": "degrees_C"}
    air = xr.Dataset({"t": (tuple(axes), *warm)}, coords=axes)
    for level in (None, 480):
        picture = plots.picture(air, "t", level=level)
        assert picture.axes[0].get_title("right").endswith("500 hPa")
    assert picture.axes[1].get_title("left") == "°C"


def test_transports_have_the_units_of_oceans():
    """PW and Sv; sections that are closed on a grid are left out."""
    heat = np.full((2, 2), 2e15)
    heat[:, 1] = np.nan
    sea = xr.Dataset(
        {"section_heat_transport": (("time", "section"), heat, {"units": "W"})},
        coords={**times, "section": ("section", np.array(["drake_passage", "fram_strait"]))},
    )
    passages = plots.picture(sea, "section_heat_transport")
    titles = [axes.get_title("left") for axes in passages.axes]
    assert [*filter(None, titles)] == ["drake passage [PW]"]
    (axes,) = plots.picture(sea, "section_heat_transport", at={"section": "drake_passage"}).axes
    assert axes.get_title("left").endswith("drake passage [PW]")
    assert axes.get_lines()[0].get_ydata() == pytest.approx(2)
    with pytest.raises(ValueError, match="none of its sections is open"):
        plots.picture(sea.isel(section=[1]), "section_heat_transport")
