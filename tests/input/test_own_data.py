"""An ocean from files of a user's own, by their names, units and Records."""

import numpy as np
import pytest
import xarray

import fathom as fm

places = {
    "depth": ("depth", [25.0, 75.0], {"units": "m", "positive": "down"}),
    "latitude": ("latitude", np.arange(-85.0, 90, 10), {"units": "degrees_north"}),
    "longitude": ("longitude", np.arange(5.0, 360, 10), {"units": "degrees_east"}),
}
below = np.array([1.0, 2.0])[:, None, None]


def of_layers(at, profile, **said):
    return tuple(at), np.broadcast_to(np.reshape(profile, (2, 1, 1)), (2, 18, 36)), said


def started(folder, **given):
    grid = fm.LatitudeLongitudeGrid(
        nx=20, ny=10, latitude=(-60, 60), levels=fm.ZLevels(nz=2, depth=100)
    )
    return fm.Simulation(fm.Ocean(grid).set(**given), "1h", directory=folder).prepare()


def test_records_say_variable_and_units(tmp_path):
    """Also of a file whose depths are in cm."""
    at = places | {"depth": ("depth", [2500.0, 7500.0], {"units": "cm", "positive": "down"})}
    data = xarray.Dataset({"a": of_layers(at, [290.0, 280.0]), "b": of_layers(at, [0, 0])}, at)
    data.to_netcdf(tmp_path / "a.nc")
    for given in (tmp_path / "a.nc", data):
        simulation = started(tmp_path, temperature=fm.Records(given, "a", units="K"))
        at_5_and_55_m = simulation.gather("temperature")[:, 5, 5]
        assert at_5_and_55_m == pytest.approx([16.85, 10.85])
    for wrong, said in (
        (fm.Records(data, "c"), r"temperature of Records.*unknown variable of .* 'c'"),
        (data.a.assign_attrs(units="m"), "temperature of the data: 'm' has not the dimension of"),
        (data.a * np.inf, "is infinite in places"),
        (data.a.isel(depth=0), r"has dimensions \(latitude, longitude\); wanted: depth, "),
    ):
        with pytest.raises(fm.InputError, match=said):
            started(tmp_path, temperature=wrong)


@pytest.mark.parametrize("version", [2, 3])
def test_names_of_copernicus_marine(tmp_path, version):
    """Eastward and northward velocities are turned to the axes of the grid; land is filled."""
    height = np.full((18, 36), 30.0)
    height[8:12, 10:14] = np.nan
    data = xarray.Dataset(
        {
            "thetao": of_layers(places, [10, 8], units="degrees_C"),
            "so": of_layers(places, [35, 34], units="1e-3", standard_name="sea_water_salinity"),
            "uo": of_layers(places, [3, 3], units="cm s-1"),
            "vo": of_layers(places, [4, 4], units="cm s-1"),
            "zos": (
                ("latitude", "longitude"),
                height,
                {"units": "cm", "standard_name": "sea_surface_height_above_geoid"},
            ),
        },
        places,
    )
    data.to_zarr(tmp_path / "a.zarr", consolidated=False, zarr_format=version)
    file = str(tmp_path / "a.zarr")
    names = ("temperature", "salinity", "eastward_velocity", "northward_velocity")
    simulation = started(tmp_path, sea_surface_height=file, **dict.fromkeys(names, file))
    of = lambda name: simulation.gather(name)[0]
    assert of("salinity") == pytest.approx(35)
    assert of("sea_surface_height") == pytest.approx(0.3)
    angle = np.asarray(simulation.model.grid.horizontal.angle_corner)
    x, y = of("velocity_x"), of("velocity_y")
    inside = np.asarray(simulation.model.grid.corner_levels) > 0
    assert inside.any()
    assert (x * np.cos(angle) - y * np.sin(angle))[inside] == pytest.approx(0.03)
    assert (x * np.sin(angle) + y * np.cos(angle))[inside] == pytest.approx(0.04)
    with pytest.raises(fm.InputError, match="northward_velocity are set instead of velocity_x"):
        simulation.model.set(velocity_x=0)
    with pytest.raises(fm.InputError, match="eastward_velocity is not set: .* go together"):
        started(tmp_path, northward_velocity=0)


def test_bathymetry_of_records_and_memory(tmp_path):
    """GEBCO's heights; a variable of another name, in km; both also from memory."""
    at = {name: places[name] for name in ("latitude", "longitude")}
    at = {"lat": ("lat", at["latitude"][1]), "lon": ("lon", at["longitude"][1])}
    heights = np.where(np.arange(36) < 6, 200.0, -80.0) * np.ones((18, 1))
    data = xarray.Dataset(
        {
            "elevation": (("lat", "lon"), heights, {"units": "m"}),
            "deep": (("lat", "lon"), heights / 1000, {"units": "km"}),
        },
        at,
    )
    data.to_netcdf(tmp_path / "a.nc")
    made = lambda what: fm.LatitudeLongitudeGrid(
        nx=36, ny=12, latitude=(-60, 60), levels=fm.ZLevels(nz=5, depth=100), bathymetry=what
    )
    expected = np.asarray(made(tmp_path / "a.nc").wet_levels)
    assert expected.min() == 0 and expected.max() > 0
    for what in (
        fm.Records(tmp_path / "a.nc", "deep"),
        fm.Records(data, "deep"),
        data.elevation,
    ):
        assert (np.asarray(made(what).wet_levels) == expected).all()
    with pytest.raises(fm.InputError, match="unknown variable of .*'dep'.*did you mean 'deep'"):
        made(fm.Records(data, "dep"))
