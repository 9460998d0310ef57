"""What CF asks of files that its checker found missing: axes without fill values, flags of the type
of their variable, coordinates of areas, names of what has been added up.
"""

import netCDF4
import numpy as np
import pytest

import fathom as fm


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Stores of a small ocean on curved rows, and of a small atmosphere."""
    folder = tmp_path_factory.mktemp("cf")
    x, y = np.meshgrid(np.linspace(-40, 0, 13), np.linspace(20, 50, 11))
    grid = fm.CurvilinearGrid(
        corner_longitude=x + 0.1 * y,
        corner_latitude=y + 0.05 * x,
        periodic=False,
        levels=fm.ZLevels(number=3, depth=3000),
        bathymetry="flat",
    )
    ocean = fm.Ocean(grid).set(temperature=10.0, salinity=35.0)
    simulation = fm.Simulation(ocean, step="1h", directory=folder)
    simulation.output("mean.nc", ["temperature"], every="2h", statistic="mean")
    simulation.output("moorings.nc", ["temperature"], every="1h", moorings={"K1": [-20, 35]})
    simulation.output("integrals.nc", ["section_transport"], every="2h", statistic="mean")
    simulation.run("4h", report=False)
    air = fm.SpectralAtmosphere(
        fm.GaussianGrid(10, levels=fm.HybridLevels(8)), physics=fm.FirstPhysics(ozone=None)
    )
    air.set(air_temperature=280.0, sea_surface_temperature=280.0)
    simulation = fm.Simulation(air, step="30min", directory=folder, overwrite=True)
    simulation.output("rain.nc", ["precipitation_flux"], every="1h", statistic="accumulation")
    simulation.run("1h", report=False)
    return folder


@pytest.mark.parametrize("name", ["mean", "moorings", "integrals", "rain"])
def test_axes_have_no_fill_value(folder, name):
    with netCDF4.Dataset(folder / f"{name}.nc") as file:
        for axis in {"time", "time_bounds"} & set(file.variables):
            assert "_FillValue" not in file[axis].ncattrs()
        assert np.isfinite(file["time"][:]).all()


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
