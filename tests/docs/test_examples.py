"""Every block of Python on a page runs, in the order of the page, with the objects that the page
assumes: the user's data, a grid, a model. Runs are made small by the words in `smaller`.
"""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from test_pages import blocks, pages, root

shallow = lambda: fm.LatitudeLongitudeGrid(
    nx=40, ny=20, bathymetry="etopo5", levels=fm.ZLevels(nz=3, depth=3000)
)
months = np.array([f"1990-{month:02d}-16" for month in range(1, 13)], "datetime64[ns]")


def on_the_globe(file, **variables):
    """A file of monthly fields, the same number everywhere: standard name -> (number, unit)."""
    axes = {
        "time": months,
        "latitude": np.arange(-85.0, 90, 10),
        "longitude": np.arange(5.0, 360, 10),
    }
    data = xr.Dataset(coords=axes)
    data["latitude"].attrs["units"], data["longitude"].attrs["units"] = (
        "degrees_north",
        "degrees_east",
    )
    for name, (value, units) in variables.items():
        attributes = {"units": units, "standard_name": name}
        data[name] = (tuple(axes), np.full((12, 18, 36), value), attributes)
    Path(file).parent.mkdir(exist_ok=True)
    data.to_netcdf(file)
    return data


def ocean(directory="."):
    water = fm.Ocean(shallow()).set(temperature="levitus", salinity="levitus")
    return fm.Simulation(water, time_step="1h", directory=directory)


def air(truncation=10):
    grid = fm.GaussianGrid(truncation, levels=fm.SigmaLevels(6))
    still = lambda longitude, latitude, pressure: 0 * longitude
    warm = lambda longitude, latitude, pressure: 285 + 20 * np.log(pressure / 1e5)
    model = fm.SpectralAtmosphere(grid, physics=[fm.HeldSuarez()])
    model.set(air_temperature=warm, eastward_wind=still, northward_wind=still)
    return fm.Simulation(model, time_step="30min", start="2018-11-20", directory="runs/coarse")


def assimilation():
    random = np.random.default_rng(1)
    from fathom.assimilation import Identity

    return {
        "L": np.eye(4),
        "H": random.normal(size=(3, 4)),
        "departures": random.normal(size=3),
        "variances": np.ones(3),
        "tangent": Identity(),
        "background": np.zeros(4),
        "simulation": air(5),
        "ocean": ocean(),
        "longitude": np.array([10.0, 200.0]),
        "latitude": np.array([40.0, -30.0]),
        "seen": np.ones(38),
    }


def forcing():
    air_of_the_sea = {
        "eastward_wind": (5.0, "m s-1"),
        "northward_wind": (0.0, "m s-1"),
        "air_temperature": (283.0, "K"),
        "specific_humidity": (0.006, "1"),
        "air_pressure": (101000.0, "Pa"),
        "downward_shortwave_flux": (150.0, "W m-2"),
        "downward_longwave_flux": (300.0, "W m-2"),
        "precipitation_flux": (1e-5, "kg m-2 s-1"),
        "sea_ice_fraction": (0.0, "1"),
        "sea_surface_temperature": (10.0, "degC"),
        "sea_surface_salinity": (35.0, "1"),
    }
    for folder in ("era5", "ryf"):
        on_the_globe(f"{folder}/all.nc", **air_of_the_sea)
    for file, name in {"u.nc": "eastward_wind", "v.nc": "northward_wind"}.items():
        on_the_globe(file, **{name: (5.0, "m s-1")})
    on_the_globe(
        "tau.nc",
        surface_downward_eastward_stress=(0.1, "N m-2"),
        surface_downward_northward_stress=(0.0, "N m-2"),
    )
    on_the_globe("flux.nc", surface_downward_heat_flux_in_sea_water=(10.0, "W m-2"))
    on_the_globe("chl.nc", mass_concentration_of_chlorophyll_in_sea_water=(1e-7, "kg m-3"))
    on_the_globe("tides.nc", tidal_energy=(1e-3, "W m-2"))
    sea = {"sea_surface_temperature": (283.0, "K"), "sea_ice_area_fraction": (0.0, "1")}
    on_the_globe("amip/all.nc", **sea)
    for file, (name, value) in zip(("sst.nc", "ice.nc"), sea.items(), strict=True):
        on_the_globe(file, **{name: value})
    on_the_globe("qflux.nc", q_flux=(10.0, "W m-2"))
    water = on_the_globe("water.nc", water_flux_into_sea_water=(1e-5, "kg m-2 s-1"))
    return {"grid": shallow(), "data_array": water.water_flux_into_sea_water}


def first_hour():
    sim = ocean("runs/gyres")
    sim.output("gyre.zarr", ["sea_surface_height"], every="1h").run("1h", report=False)


def model():
    sim = ocean()
    return {"sim": sim, "grid": sim.model.grid}


def observations():
    from fathom.assimilation.observations import base

    made = base.Observations(
        report=[0], datum=[0], kind=["synop"], station=["06610"], time=[1542672000],
        longitude=[7.0], latitude=[47.0], height=[0.0], pressure=[np.nan],
        variable=["surface_air_pressure"], value=[1e5],
    )  # fmt: skip
    return {"simulation": air(), "observations": made, "base": base}


def output():
    sim = ocean()
    np.savetxt("depths.txt", np.ones((3, 3)))
    longitude, latitude = np.meshgrid(np.arange(0.0, 361, 10), np.arange(-90.0, 91, 10))
    middle = lambda corners: (corners[1:, 1:] + corners[:-1, :-1]) / 2
    curved = {
        "corner_longitude": longitude,
        "corner_latitude": latitude,
        "longitude": middle(longitude),
        "latitude": middle(latitude),
        "thickness": np.full(3, 100.0),
    }
    return {
        "sim": sim,
        "grid": curved,
        "rank": 0,
        "owner": lambda region: 0,
        "array": np.zeros((3, 18, 36), np.float32),
        "fields": {name: np.zeros((3, 18, 36)) for name in ("temperature", "salinity")},
        "seconds": 0.0,
        "start": "2000-01-01",
        "calendar": "standard",
        "steps": 0,
    }


def post():
    coarse = air().prepare()
    fields = {name: coarse.gather(name) for name in ("air_temperature", "eastward_wind")}
    fields["surface_geopotential"] = 0 * fields["air_temperature"][0]
    fields["log_surface_pressure"] = fields["surface_geopotential"] + np.log(1e5)
    coarse.run("1h", report=False)
    grid = coarse.model.grid
    return {"fields": fields, "grid": grid, "levels": grid.levels, "coarse_simulation": coarse}


def radiation():
    pressure, edges = np.linspace(2e3, 9.9e4, 20)[None], np.linspace(1e3, 1e5, 21)[None]
    warm = lambda p: 220 + 70 * p / 1e5
    gases = {"h2o": 1e-3, "o3": 1e-7, "co2": 4e-4, "o2": 0.209, "n2": 0.78}
    one = lambda value: np.array([value])
    columns = {
        "pressure": pressure,
        "temperature": warm(pressure),
        "interface_pressure": edges,
        "interface_temperature": warm(edges),
        "gases": gases,
        "surface_temperature": one(290.0),
        "cosine_zenith": one(0.5),
        "albedo_direct": one(0.1),
        "albedo_diffuse": one(0.1),
    }
    return {"columns": columns}


given = {
    "assimilation": assimilation,
    "first-hour": first_hour,
    "forcing": forcing,
    "model": model,
    "observations": observations,
    "output": output,
    "physics-atmosphere": lambda: {"grid": fm.GaussianGrid(10, levels=fm.HybridLevels(8))},
    "post": post,
    "radiation": radiation,
    "tuning": lambda: {"simulation": air()},
}
smaller = {
    "assimilation": [
        ("follow(12)", "follow(8)"),
        ("steps=12", "steps=2"),
        ("outer=2", "outer=1"),
        ("analyse(background", "analyse(trajectory.vector(trajectory.first)"),
        ("0: Seen(y0, variances", "0: Seen(seen, seen"),
        ("6: Seen(y6, variances", "2: Seen(seen, seen"),
    ],
    "coupled": [("Grid(21,", "Grid(10,"), ('both.run("6h")', 'both.run("6h", report=False)')],
    "coupled-system": [('both.run("2h")', 'both.run("2h", report=False)')],
    "README": [
        ('"1deg"', '"3deg"'),
        ("nz=40", "nz=4"),
        ('"5d"', '"2h"'),
        ('"30d"', '"2h", report=False'),
    ],
    "gridpoint": [
        ("200, extent", "40, extent"),
        ("nz=100", "nz=20"),
        ('"1000s"', '"100s", report=False'),
        ("(96, 72,", "(16, 12,"),
        ("(96)", "(16, levels=fm.HeightLevels(8))"),
        ('"9d"', '"1h", report=False'),
    ],
    "model": [('"1mo"', '"1h"'), ("fm.open", "sim.run('2h', report=False); fm.open")],
    "observations": [('"6h"', '"1h", report=False')],
    "output": [
        ("625000", "6"),
        (
            'state = fm.open("',
            'sim.run("2h", report=False); sim.write_restart("restart.fathom"); state = fm.open("',
        ),
    ],
    "post": [("106", "15"), ('"L40"', "8")],
    "tuning": [('run("2h")', 'run("2h", report=False)')],
}
shown = [page for page in pages if blocks(page, "python")]


slow = {"gridpoint", "coupled", "post", "limited-area", "assimilation"}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=str(page.relative_to(root)),
            marks=pytest.mark.long if page.stem in slow else (),
        )
        for page in shown
    ],
)
def test_python_on_pages_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    name = page.stem
    names = {"fm": fm} | (given.get(name, dict)() or {})
    for number, block in enumerate(blocks(page, "python")):
        for word, short in smaller.get(name, ()):
            block = block.replace(word, short)
        try:
            exec(compile(block, f"{name}.md, block {number}", "exec"), names)
        except NameError as error:
            pytest.skip(f"block {number} is a fragment, `given` lacks what it begins with: {error}")
