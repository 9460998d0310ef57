"""Budgets of tracers: the terms of every cell add up to its gain, for any mixing, bottom and
surface; also for means.
"""

import numpy as np
import pytest

import fathom as fm
from fathom import output


def ocean(partial_cells=False, **physics):
    grid = fm.LatitudeLongitudeGrid(
        nx=24,
        ny=16,
        latitude=(-40, 40),
        levels=fm.ZLevels(nz=8, depth=2000, partial_cells=partial_cells),
        bathymetry=lambda x, y: np.where(
            (np.abs(x - 90) < 15) & (np.abs(y) < 30), 0.0, 1400 + 500 * np.cos(np.deg2rad(4 * x))
        ),
    )
    ocean = fm.Ocean(
        grid,
        physics="simple",
        budgets=["temperature", "salinity", "ideal_age"],
        tracers=["ideal_age"],
        **physics,
    )
    return ocean.set(
        temperature=lambda x, y, z: (
            5
            + 20 * np.cos(np.deg2rad(y)) ** 2 * np.exp(-z / 500)
            + np.sin(np.deg2rad(3 * x)) * np.exp(-z / 300)
        ),
        salinity=lambda x, y, z: 35 + 0.3 * np.sin(np.deg2rad(2 * y)),
    )


surface = {
    "stress_x": lambda x, y: 0.1 * np.cos(np.deg2rad(3 * y)),
    "heat_flux": lambda x, y: 80 * np.sin(np.deg2rad(y)),
    "salinity_flux": lambda x, y: 1e-6 * np.cos(np.deg2rad(y)),
}


def terms_of(simulation, tracer):
    found = {
        f["name"].split("_budget_")[1]: simulation.gather(f["name"])
        for f in simulation.fields.fields
        if f["name"].startswith(tracer + "_budget_")
    }
    return found.pop("storage"), found


cases = {
    "lean": {},
    "eddies": {"eddies": fm.GentMcWilliams(), "tracer_advection": fm.UpwindAdvection()},
    "biharmonic": {"diffusion": fm.BiharmonicDiffusion(diffusivity=1e12), "geothermal_heat": 0.1},
    "cells": {"partial_cells": True},
    "split": {"tracer_advection": fm.LaxWendroffAdvection()},
    "volume": {"free_surface": fm.FreeSurface(freshwater="volume")},
    "no diffusion": {"diffusion": None},
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=() if name in {"eddies", "biharmonic", "volume"} else pytest.mark.long
        )
        for name in cases
    ],
)
def test_terms_add_up_in_every_cell(name, tmp_path):
    model = ocean(**cases[name])
    sim = fm.Simulation(
        model, time_step="1h", surface=fm.SurfaceForcing(**surface), directory=tmp_path
    )
    names = [
        f"{tracer}_budget_{term}"
        for tracer in model.budgets
        for term in ("storage", "advection", "mixing", "surface")
    ]
    every = [p.name for p in model.processes(3600.0, sim.surface)]
    more = {
        term
        for term in ("diffusion", "eddies", "sea_floor", "ageing")
        if any(f": {term}" in p for p in every)
    }
    assert (
        ("eddies" in more) == (name == "eddies")
        and ("sea_floor" in more) == (name == "biharmonic")
        and "ageing" in more
    )
    names += [f"temperature_budget_{term}" for term in more - {"ageing"}] + [
        f"salinity_budget_{term}" for term in more & {"diffusion", "eddies"}
    ]
    names += [f"ideal_age_budget_{term}" for term in more & {"diffusion", "eddies", "ageing"}]
    sim.output("budget.zarr", names, every="10h", dtype="float64")
    sim.output("means.zarr", names, every="5h", statistic="mean", dtype="float64")
    sim.run("10h", report=False)
    for store in ("budget.zarr", "means.zarr"):
        data = output.open(tmp_path / store).isel(time=-1)
        for tracer in model.budgets:
            storage = data[f"{tracer}_budget_storage"].values
            terms = [
                data[n].values for n in names if n.startswith(tracer) and not n.endswith("storage")
            ]
            assert np.nanmax(np.abs(storage)) > 0 and len(terms) >= 3
            # the terms are of the size of content over time step: 2000 m times the tracer
            scale = 2e-16 * 300 * float(np.nanmax(np.abs(sim.gather(tracer)))) / 3600
            np.testing.assert_allclose(
                sum(terms), storage, atol=50 * scale, err_msg=f"{store} {tracer}"
            )


@pytest.mark.parametrize("name", ["lean", "cells", "volume"])
def test_ice_is_in_the_budget(name, tmp_path):
    """Frazil ice warms the top layer and leaves its salt there after all else: a term, so that
    storage is what the fields themselves say.
    """
    air = {
        "eastward_wind": 4.0,
        "northward_wind": 0.0,
        "wind_speed": 6.0,
        "air_temperature": -20.0,
        "specific_humidity": 0.0008,
        "air_pressure": 101000.0,
        "downward_shortwave_flux": 10.0,
        "downward_longwave_flux": 180.0,
        "precipitation_flux": 1e-5,
        "sea_ice_fraction": 0.0,
    }
    model = ocean(**cases[name]).set(
        temperature=lambda x, y, z: -1.9 + 0.05 * np.sin(np.deg2rad(x)) + z / 1e4
    )
    terms = [
        "advection",
        "diffusion",
        "mixing",
        "surface",
        "freezing",
        *(["fresh_water"] if name == "volume" else []),
    ]
    sim = fm.Simulation(
        model,
        time_step="1h",
        surface=fm.BulkForcing(air, salinity_restoring=0.0),
        directory=tmp_path,
    )
    sim.output(
        "ice.zarr",
        [
            "temperature",
            "salinity",
            "sea_surface_height",
            *(
                f"{t}_budget_{term}"
                for t in ("temperature", "salinity")
                for term in ["storage", *terms]
            ),
        ],
        every="1h",
        dtype="float64",
    )
    sim.run("4h", report=False)
    data, grid = output.open(tmp_path / "ice.zarr").isel(time=slice(-2, None)), model.grid
    rest, eta = np.array([grid.thickness(k) for k in range(8)]), data.zos.values[:, None]
    thickness = (
        rest * (1 + eta / np.maximum(grid.depth(), 1))
        if name == "volume"
        else rest + eta * (np.arange(8) == 0)[:, None, None]
    )
    for tracer, alias in (("temperature", "thetao"), ("salinity", "so")):
        storage, freezing = (
            data[f"{tracer}_budget_{term}"].values[1] for term in ("storage", "freezing")
        )
        atol = 1e-13 * 500 * 35 / 3600
        np.testing.assert_allclose(
            storage, np.diff(thickness * data[alias].values, axis=0)[0] / 3600, atol=atol
        )
        np.testing.assert_allclose(
            sum(data[f"{tracer}_budget_{term}"].values[1] for term in terms), storage, atol=atol
        )
        assert np.nanmax(freezing[0]) > 1e3 * atol and np.nanmax(np.abs(freezing[1:])) == 0


def test_a_budget_of_what_is_not_there():
    with pytest.raises(
        ValueError, match="unknown tracer of a budget 'temperatur'; did you mean 'temperature'"
    ):
        fm.Ocean(
            fm.LatitudeLongitudeGrid(nx=8, ny=8, latitude=(-20, 20), bathymetry="flat"),
            budgets=["temperatur"],
        )
