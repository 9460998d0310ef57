"""A limited area starts from files of limited areas: what Fathom wrote of it (Zarr, NetCDF, GRIB2,
FA), onto the same points and onto others; GRIB2 of another centre on its map, wind along its axes;
boxes of latitudes and longitudes; levels of pressure.
"""

import numpy as np
import pytest

import fathom as fm
import small_areas
from fathom.data import atmosphere

eccodes = pytest.importorskip("eccodes")
pytestmark = pytest.mark.filterwarnings("ignore:the state given is of")
L19 = fm.HybridLevels("L19")
PRESSURES = [20, 50, 100, 200, 300, 400, 500, 600, 700, 850, 925, 1000]
air = ["air_temperature", "eastward_wind", "northward_wind", "specific_humidity"]
layers = [*air, "surface_air_pressure", "surface_geopotential"]
most = {"virtual_temperature": 0.005, "eastward_wind": 0.02, "northward_wind": 0.02}
most |= {"log_pressure_ratio": 1e-5, "surface_geopotential": 1.0, "specific_humidity": 1e-7}


def hill(x, y):
    return 5000 * np.exp(-(((x - 9) / 5) ** 2 + ((y - 46) / 4) ** 2))


def area(projection="auto", points=(40, 32), **more):
    return small_areas.area(levels=L19, points=points, projection=projection, **more)


def prepared(analysis, folder, grid=None, start="2011-10-11 00:10:00", **model):
    model = {"tracers": ["specific_humidity"]} | model
    made = fm.LimitedAreaAtmosphere(grid or area(), **model).set(analysis=analysis)
    return fm.Simulation(made, time_step="300s", start=start, directory=folder).prepare()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Map -> its last state, and the folder with its files."""
    globe, found = small_areas.globe(tmp_path_factory.mktemp("globe")).prepare(), {}
    for kind in ("lambert", "polar stereographic", "mercator"):
        folder = tmp_path_factory.mktemp("area")
        model = fm.LimitedAreaAtmosphere(
            area(kind), tracers=["specific_humidity"], orography=hill
        ).set(analysis=globe)
        one = fm.Simulation(model, time_step="300s", start="2011-10-11", directory=folder)
        for ending in ("zarr", "nc", "grib2", *(["fa"] if kind == "lambert" else [])):
            one.output(f"a.{ending}", layers, "10m")
        if kind == "lambert":
            for ending in ("zarr", "grib2", "fa"):
                fields = [*air, "geopotential_height"]
                one.output(f"p.{ending}", fields, "10m", levels=PRESSURES)
            one.output("box.zarr", layers, "10m", latlon_resolution=0.5, area=[0, 16, 42, 50])
            one.output("box.grib2", layers, "10m", latlon_resolution=0.5, area=[0, 16, 42, 50])
        one.run("10m", report=False)
        found[kind] = one, folder
    return found


def inside(simulation, name):
    nx, ny = simulation.model.grid.points
    return simulation.gather(name)[..., :ny, :nx]


@pytest.mark.parametrize(
    "kind, file",
    [
        ("lambert", "a.nc"),
        pytest.param("lambert", "a.fa/+0000-10.fa", marks=pytest.mark.long),
        ("polar stereographic", "a.grib2"),
        pytest.param("mercator", "a.zarr", marks=pytest.mark.long),
        *(
            pytest.param(*pair, marks=pytest.mark.long)
            for pair in (
                *(("lambert", f"a.{ending}") for ending in ("zarr", "grib2", "fa")),
                ("polar stereographic", "a.zarr"),
                ("mercator", "a.grib2"),
            )
        ),
    ],
)
def test_onto_the_same_points(written, kind, file, tmp_path):
    first, folder = written[kind]
    again = prepared(str(folder / file), tmp_path, area(kind))
    for name, allowed in most.items():
        off = np.abs(inside(first, name) - inside(again, name))
        assert off.max() < allowed, name


@pytest.mark.parametrize(
    "file",
    [
        *("a.zarr", "a.fa", "p.grib2", "box.grib2"),
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("a.grib2", "p.zarr", "p.fa", "box.zarr")
        ),
    ],
)
def test_onto_another_area(written, file, tmp_path):
    """Smaller, on another map, over other ground and levels; as from the restart of the area."""
    first, folder = written["lambert"]
    model = {"orography": lambda x, y: 0.8 * hill(x, y)}
    grid = small_areas.area(
        levels=fm.HybridLevels("L24"),
        points=(20, 16),
        resolution=40e3,
        coupling=4,
        projection="mercator",
    )
    restart = first.write_restart("a.fathom")
    wanted = prepared(restart, tmp_path, grid, **model)
    found = prepared(str(folder / file), tmp_path, grid, **model)
    few = {"eastward_wind": 0.02, "northward_wind": 0.02, "virtual_temperature": 0.02}
    by_pressure = {"eastward_wind": 1.0, "northward_wind": 1.0, "virtual_temperature": 1.5}
    for name, allowed in (by_pressure if file[0] in "p" else few).items():
        off = inside(found, name) - inside(wanted, name)
        assert np.sqrt((off**2).mean()) < allowed * (5 if file[0] == "b" else 1), name
    found.advance(2)
    assert found.fields.extremes("eastward_wind")["finite"]


def test_a_grid_point_area_and_no_globe(written, tmp_path):
    """Columns of an area's file on the heights of a RotatedGrid; it does not cover the globe."""
    first, folder = written["lambert"]
    grid = fm.RotatedGrid(
        centre=(8.0, 46.5),
        resolution=60e3,
        points=(20, 16),
        coupling=4,
        levels=fm.HeightLevels(nz=20, top=24e3),
    )

    def start(file, minutes=10):
        model = fm.GridPointAtmosphere(grid, tracers=["specific_humidity"]).set(analysis=str(file))
        when = f"2011-10-11 00:{minutes}:00"
        return fm.Simulation(model, time_step="120s", start=when, directory=tmp_path / file.stem)

    one = start(folder / "a.grib2")
    one.output("p.zarr", [*air, "geopotential_height"], "4m", levels=PRESSURES)
    one.run("4m", report=False)
    again = start(tmp_path / "a" / "p.zarr", 14).prepare()  # its own points, over the earth
    fast = [s.model.watch(s)[0]["maximum_wind"][0] for s in (first, one, again)]
    assert 0.7 * fast[0] < fast[1] < 1.1 * fast[0]
    assert fast[2] == pytest.approx(fast[1], abs=1.0)
    globe = fm.SpectralAtmosphere(fm.GaussianGrid(21, levels=L19))
    globe.set(analysis=str(folder / "a.zarr"))
    with pytest.raises(ValueError, match="does not cover the globe"):
        fm.Simulation(globe, time_step="20m", start="2011-10-11", directory=tmp_path).prepare()


@pytest.mark.parametrize(
    "kind",
    [
        "lambert",
        pytest.param("polar_stereographic", marks=pytest.mark.long),
        pytest.param("mercator", marks=pytest.mark.long),
        "rotated_ll",
    ],
)
def test_a_map_of_another_centre(tmp_path, kind):
    """Rows from north to south, wind along the axes: solid rotation of the air about the axis."""
    nx, ny, U = 24, 20, 20.0
    keys = {
        "lambert": {"LoVInDegrees": 15, "Latin1InDegrees": 63, "Latin2InDegrees": 50},
        "polar_stereographic": {"orientationOfTheGridInDegrees": 15, "LaDInDegrees": 60},
        "mercator": {"LaDInDegrees": 45},
        "rotated_ll": {
            "latitudeOfSouthernPoleInDegrees": -40,
            "longitudeOfSouthernPoleInDegrees": 10,
            "iDirectionIncrementInDegrees": 0.5,
            "jDirectionIncrementInDegrees": 0.5,
        },
    }[kind]
    size = {"Nx": nx, "Ny": ny} if kind in ("lambert", "polar_stereographic") else {}
    size = size or {"Ni": nx, "Nj": ny}
    steps = {"x": "Di", "y": "Dj"} if kind == "mercator" else {"x": "Dx", "y": "Dy"}
    steps = {f"{name}InMetres": 50e3 for name in steps.values()} if kind != "rotated_ll" else {}
    corner = (5.0, 54.0) if kind != "rotated_ll" else (355.0, 5.0)
    if kind == "mercator":
        steps |= {"longitudeOfLastGridPointInDegrees": 25.0, "latitudeOfLastGridPointInDegrees": 44}
    if kind == "rotated_ll":
        ends = {"longitudeOfLastGridPointInDegrees": 6.5, "latitudeOfLastGridPointInDegrees": -4.5}
        steps |= ends
    both = {
        "gridType": kind,
        "shapeOfTheEarth": 6,
        "longitudeOfFirstGridPointInDegrees": corner[0],
        "latitudeOfFirstGridPointInDegrees": corner[1],
        "jScansPositively": 0,
        "resolutionAndComponentFlags": 8,
        "dataDate": 20240603,
        "dataTime": 600,
    }
    path = tmp_path / "centre.grib2"

    def put(file, short, values, level=0):
        message = eccodes.codes_grib_new_from_samples("GRIB2")
        kind_of_level = "isobaricInhPa" if level else "surface"
        more = {"shortName": short, "typeOfLevel": kind_of_level, "level": level}
        for key, held in (both | size | keys | steps | more).items():
            eccodes.codes_set(message, key, held)
        eccodes.codes_set_values(message, np.broadcast_to(values, nx * ny).copy())
        places = [eccodes.codes_get_array(message, n) for n in ("longitudes", "latitudes")]
        eccodes.codes_write(message, file)
        eccodes.codes_release(message)
        return places

    with path.open("wb") as file:
        x, y = put(file, "sp", 1e5)
        turn = angle_of(kind, keys, x, y)
        wind = U * np.cos(np.deg2rad(y))
        for level in PRESSURES:
            put(file, "t", 280.0, level)
            put(file, "u", wind * np.cos(turn), level)
            put(file, "v", -wind * np.sin(turn), level)
            put(file, "r", 40.0, level)
            put(file, "z", 287.0597 * 280 * np.log(1000 / level), level)
    data = atmosphere.open(str(path))
    assert (np.diff(data.latitude.values[:, 10]) > 0).all()
    np.testing.assert_allclose(
        data.eastward_wind[0, 5], U * np.cos(np.deg2rad(data.latitude)), atol=2e-3
    )
    np.testing.assert_allclose(data.northward_wind[0, 5], 0, atol=2e-3)
    middle = [float(data[n].values[10, 12]) for n in ("longitude", "latitude")]
    grid = small_areas.area(levels=L19, points=(10, 10), resolution=40e3, coupling=2, centre=middle)
    one = prepared(str(path), tmp_path, grid, start="2024-06-03 06:00:00", orography=0.0)
    warm = inside(one, "virtual_temperature")
    assert np.abs(warm[10:] - 280).max() < 5  # with vapour, over mountains
    assert one.fields.extremes("eastward_wind")["maximum"] == pytest.approx(
        U * np.cos(np.deg2rad(middle[1])), abs=2
    )


def angle_of(kind, keys, longitude, latitude):
    """From east to the axis of x, by formulas of the manuals, not by Fathom's."""
    if kind == "mercator":
        return np.zeros(longitude.size)
    if kind == "rotated_ll":  # the direction to the north pole of the grid
        pole = np.deg2rad([190.0, 40.0])
        x, y = np.deg2rad(longitude), np.deg2rad(latitude)
        east = np.cos(pole[1]) * np.sin(pole[0] - x)
        north = np.cos(y) * np.sin(pole[1]) - np.sin(y) * np.cos(pole[1]) * np.cos(pole[0] - x)
        return -np.arctan2(east, north)
    middle, cone = 15.0, 1.0
    if kind == "lambert":
        a, b = np.deg2rad([keys["Latin1InDegrees"], keys["Latin2InDegrees"]])
        cone = np.log(np.cos(a) / np.cos(b)) / np.log(
            np.tan(np.pi / 4 + b / 2) / np.tan(np.pi / 4 + a / 2)
        )
    return -cone * np.deg2rad((longitude - middle + 180) % 360 - 180)


def test_ground_of_the_earth_and_any_ranks(written, on_ranks):
    """Missing fields of the ground are the climatology of its day."""
    _, folder = written["lambert"]
    one, two = (
        on_ranks(n, small_areas, "area_of_file", f'file="{folder / "a.grib2"}"') for n in (1, 2)
    )
    assert one == two
    assert 285 < one["sea"] < 300


def test_what_does_not_fit_is_told(written, tmp_path):
    _, folder = written["lambert"]
    far = area(centre=(30.0, 46.5), points=(20, 20))
    with pytest.raises(ValueError, match="reaches beyond the outer one"):
        prepared(str(folder / "a.zarr"), tmp_path, far)
    data = atmosphere.open(str(folder / "a.zarr"))
    gap = data.assign(air_temperature=data.air_temperature.where(data.longitude > 3))
    with pytest.raises(ValueError, match="air_temperature has no number at"):
        prepared(gap, tmp_path)
    with pytest.raises(ValueError, match="are not those of"):
        atmosphere.complete(data).pipe(lambda d: prepared(d.isel(x=[0, 1, 2, 4, 7]), tmp_path))


def test_pictures_are_of_the_area_without_its_extension(monkeypatch):
    model = fm.LimitedAreaAtmosphere(area())
    monkeypatch.setattr(
        "fathom.atmosphere.products.report.pictures", lambda grid, state: (grid, state)
    )
    whole = np.zeros(model.grid.size[::-1])
    grid, state = model.pictures({"a": whole, "levels": [1, 2], "days": [(0.0, whole, whole)]})
    assert grid["longitude"].shape == state["a"].shape == state["days"][0][2].shape == (32, 40)
    assert state["levels"] == [1, 2]
