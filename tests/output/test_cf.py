"""What CF asks of files that its checker found missing: axes without fill values, flags of the type
of their variable, coordinates of areas, names of what has been added up.
"""

import netCDF4
import numpy as np
import pytest

import fathom as fm
from fathom.output import specification
from fathom.output.formats.netcdf import NetcdfWriter


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Stores of a small ocean on curved rows, and of a small atmosphere."""
    folder = tmp_path_factory.mktemp("cf")
    x, y = np.meshgrid(np.linspace(-40, 0, 13), np.linspace(20, 50, 11))
    grid = fm.CurvilinearGrid(
        corner_longitude=x + 0.1 * y,
        corner_latitude=y + 0.05 * x,
        periodic=False,
        levels=fm.ZLevels(nz=3, depth=3000),
        bathymetry="flat",
    )
    ocean = fm.Ocean(grid).set(temperature=10.0, salinity=35.0)
    simulation = fm.Simulation(ocean, time_step="1h", directory=folder)
    simulation.output("mean.nc", ["temperature"], every="2h", statistic="mean")
    simulation.output("velocity.nc", ["temperature", "velocity_x"], every="2h")
    simulation.output("moorings.nc", ["temperature"], every="1h", moorings={"K1": [-20, 35]})
    simulation.output("integrals.nc", ["section_transport"], every="2h", statistic="mean")
    simulation.run("4h", report=False)
    air = fm.SpectralAtmosphere(
        fm.GaussianGrid(10, levels=fm.HybridLevels(8)), physics=fm.BasicPhysics(ozone=None)
    )
    air.set(air_temperature=280.0, sea_surface_temperature=280.0)
    simulation = fm.Simulation(air, time_step="30min", directory=folder, overwrite=True)
    simulation.output("rain.nc", ["precipitation_flux"], every="1h", statistic="accumulation")
    simulation.output("layers.nc", ["air_temperature"], every="1h")
    simulation.output("levels.nc", ["air_temperature", "surface_air_pressure"], every="1h")
    simulation.run("1h", report=False)
    return folder


@pytest.mark.parametrize("name", ["mean", "moorings", "integrals", "rain"])
def test_axes_have_no_fill_value(folder, name):
    with netCDF4.Dataset(folder / f"{name}.nc") as file:
        for axis in {"time", "time_bounds"} & set(file.variables):
            assert "_FillValue" not in file[axis].ncattrs()
        assert np.isfinite(file["time"][:]).all()


def test_nor_has_a_copy_that_xarray_writes(folder, tmp_path):
    for name in ("mean", "layers"):
        fm.open(folder / f"{name}.nc").to_netcdf(tmp_path / f"{name}.nc")
        with netCDF4.Dataset(tmp_path / f"{name}.nc") as file:
            bounds = [held.bounds for held in file.variables.values() if "bounds" in held.ncattrs()]
            for axis in {*file.dimensions, *bounds} & set(file.variables):
                assert "_FillValue" not in file[axis].ncattrs()


def test_flags_have_the_type_of_their_variable(folder):
    for name, variable in (("moorings", "station"), ("integrals", "section")):
        with netCDF4.Dataset(folder / f"{name}.nc") as file:
            assert np.asarray(file[variable].flag_values).dtype == file[variable].dtype


def test_what_lies_at_centres_says_its_coordinates(folder):
    with netCDF4.Dataset(folder / "mean.nc") as file:
        for name in ("thetao", "areacello", "wet_levels"):
            assert file[name].coordinates == "longitude latitude"


def test_amounts_have_names_of_amounts(folder):
    with netCDF4.Dataset(folder / "rain.nc") as file:
        rain = file["pr"]
        assert (rain.standard_name, rain.units) == ("precipitation_amount", "kg m-2")


def test_axes_are_those_of_a_staggered_grid(folder):
    """As xgcm reads them: centres without a shift, corners half a cell to the north-east."""
    with netCDF4.Dataset(folder / "velocity.nc") as file:
        for name, axis in (("x", "X"), ("y", "Y")):
            centre, corner = file[name], file[f"{name}_corner"]
            assert centre.axis == corner.axis == axis
            assert "c_grid_axis_shift" not in centre.ncattrs()
            assert corner.c_grid_axis_shift == 0.5
            np.testing.assert_array_equal(corner[:], centre[:] + 0.5)


def test_a_formula_needs_its_terms(folder):
    with netCDF4.Dataset(folder / "layers.nc") as file:
        assert "formula_terms" not in file["level"].ncattrs()
    with netCDF4.Dataset(folder / "levels.nc") as file:
        assert file["level"].formula_terms == "ap: ap b: b ps: ps"
        assert file["level"].computed_standard_name == "air_pressure"


def test_units_say_what_they_are_of(folder):
    with netCDF4.Dataset(folder / "mean.nc") as file:
        assert file["thetao"].units_metadata == "temperature: on_scale"
        assert file["time"].units_metadata == "leap_seconds: none"


def test_missing_numbers_of_netcdf_are_numbers(tmp_path):
    """NCO compares with _FillValue, and nothing equals NaN."""
    places = {
        "latitude": (("latitude",), np.arange(2.0)),
        "longitude": (("longitude",), np.arange(3.0)),
    }
    spec = specification.VariableSpec("tos", ("time", "latitude", "longitude"))
    writer = NetcdfWriter.create(
        tmp_path / "a.nc", places, [spec], time=specification.TimeAxis("2001-01-01")
    )
    given = np.array([[np.nan, 1, 2], [3, np.nan, 5]], spec.dtype)
    writer.write("tos", 0, (0, 2, 0, 3), given)
    writer.extend(0, 0.0)
    writer.close()
    with netCDF4.Dataset(tmp_path / "a.nc") as file:
        file.set_auto_mask(False)
        held, fill = file["tos"][0], file["tos"]._FillValue
        assert np.isfinite(fill) and (held == fill).sum() == 2
    with fm.open(tmp_path / "a.nc") as data:
        np.testing.assert_array_equal(data["tos"].values[0], given)
