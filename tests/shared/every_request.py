"""Small models of each kind, and what an output may be asked for of each: statistics, places,
formats. All combinations, for tests/output/test_every_request.py.
"""

import numpy as np

import fathom as fm
import small_areas

kinds = (None, "mean", "minimum", "maximum")
formats = (".nc", ".zarr", ".grib2", ".fa")
air = ("air_temperature", "surface_air_pressure", "air_pressure_at_mean_sea_level")
air += ("geopotential_height", "eastward_wind", "wind_speed")
moist = (*air, "specific_humidity", "relative_humidity", "air_temperature_2m")
sea = ("temperature", "sea_surface_height", "sea_surface_temperature")
steps = 4  # of a run, two of an interval


def cosine(latitude):
    return np.cos(np.deg2rad(latitude))


def warm(x, y, p):
    return 250 + 40 * cosine(y) ** 2 * p / 1e5 + np.sin(np.deg2rad(3 * x))


def blown(model):
    """A model with air that changes in time."""
    return model.set(
        air_temperature=warm,
        eastward_wind=lambda x, y, p: 10 * cosine(y) + 0 * p + 0 * x,
        specific_humidity=lambda x, y, p: 0.01 * cosine(y) * (p / 1e5) ** 3 + 0 * x,
    )


def spectral():
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels("L8"))
    return blown(fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics()))


def gridpoint(physics=True):
    levels = fm.HeightLevels(nz=6, top=25e3)
    grid = fm.LatitudeLongitudeGrid(24, staggering="C", levels=levels)
    schemes = {"physics": fm.BasicPhysics()} if physics else {"tracers": ["specific_humidity"]}
    return blown(fm.GridPointAtmosphere(grid, **schemes))


def rotated():
    levels = fm.HeightLevels(nz=6, top=25e3)
    grid = fm.RotatedGrid(centre=(8, 46), points=(20, 18), resolution=100e3, levels=levels)
    return blown(fm.GridPointAtmosphere(grid, physics=fm.BasicPhysics()))


def area():
    grid = small_areas.area(points=(24, 20), resolution=100e3)
    return blown(fm.LimitedAreaAtmosphere(grid, physics=fm.BasicPhysics()))


def plane():
    model = fm.LimitedAreaAtmosphere(small_areas.plane(points=(20, 16)))
    return model.set(air_temperature=280.0, eastward_wind=5.0)


def heights():
    levels = fm.HeightLevels(nz=6, top=25e3)
    grid = fm.CartesianGrid(12, 10, extent=1e5, staggering="C", levels=levels)
    return fm.GridPointAtmosphere(grid).set(
        potential_temperature_deviation=lambda x, y, z: np.exp(-(((x - 5e4) / 2e4) ** 2))
    )


def ocean():
    levels = fm.ZLevels(nz=4, depth=4000)
    grid = fm.LatitudeLongitudeGrid(24, 12, levels=levels, latitude=(-70, 70))
    return fm.Ocean(grid, physics="simple").set(
        temperature=lambda x, y, z: 20 * cosine(y) - z / 500 + np.sin(np.deg2rad(2 * x)),
        salinity=35.0,
    )


of_earth = {  # variables, time step, a box
    spectral: (moist, "10min", [-40, 40, -20, 60]),
    gridpoint: ((*moist, "upward_air_velocity"), "10min", [-40, 40, -20, 60]),
    rotated: ((*moist, "upward_air_velocity"), "5min", [2, 14, 42, 50]),
    area: (moist, "5min", [2, 14, 42, 50]),
    ocean: (sea, "30min", [-40, 40, -20, 60]),
}
of_planes = {
    plane: (air, "60s", [1e5, 3e5, 1e5, 3e5]),
    heights: (air[:4], "10s", [2e4, 6e4, 2e4, 6e4]),
}
models = {make.__name__: (make, *told) for make, told in (of_earth | of_planes).items()}


def places(name):
    """All places of an output of a model, by name."""
    make, _, _, box = models[name]
    levels = {"levels": [100, 1000] if make is ocean else [850, 500]}
    found = {"own": {}, "area": {"area": box}}
    if make in of_earth:
        west, east, south, north = box
        regular = {"latlon_resolution": 1 if make in (rotated, area) else 10}
        found |= {
            "regular": regular,
            "regular area": regular | found["area"],
            "regular zonal": regular | {"zonal": True},
            "cells": regular | {"regrid": "conservative"},
            "section": {"section": [[west, south], [east, north]]},
            "moorings": {"moorings": {"a": [west + 3, south + 2], "b": [west + 5, north - 2]}},
        }
    if make in (spectral, gridpoint, ocean):
        found["zonal"] = {"zonal": True}
    return found | {f"levels {name}": levels | one for name, one in found.items()}


def can_hold(ending, name, place):
    """Whether a format can hold what lies there, as docs/output.md says."""
    make = models[name][0]
    if ending in (".nc", ".zarr"):
        return True
    if make is ocean or make in of_planes or any(w in place for w in ("section", "moorings")):
        return False
    return ending == ".grib2" or not (
        "zonal" in place or make in (gridpoint, rotated) or place in ("area", "levels area")
    )


def requests(name, endings=formats, wanted=kinds, chosen=None, few=None):
    """(file, variables, arguments) of each combination that can be; chosen: names of places; few:
    variables in place of all.
    """
    variables = few or models[name][1]
    for ending in endings:
        for place, where in places(name).items():
            if chosen is not None and place not in chosen:
                continue
            # of an interface only on levels, where a file has one kind of them
            any_kind = "levels" in place or ending in (".nc", ".zarr")
            there = [v for v in variables if any_kind or v != "upward_air_velocity"]
            for kind in wanted if can_hold(ending, name, place) else ():
                file = f"{place} {kind}{ending}".replace(" ", "-")
                yield file, there, {"statistic": kind} | where


def run(name, folder, endings=formats, wanted=kinds, chosen=None, few=None, **options):
    """Runs a model with all of them, and with its own fields in each step; options: of it."""
    make, variables, step, _ = models[name]
    variables = few or variables
    simulation = fm.Simulation(make(**options), step, directory=folder)
    every = 2 * simulation.time_step
    simulation.output("steps.nc", list(variables), every=step, dtype="float64")
    for file, there, arguments in requests(name, endings, wanted, chosen, few):
        simulation.output(file, list(there), every=f"{every:g}s", **arguments)
    simulation.run(f"{steps * simulation.time_step:g}s", progress=False, report=False)
    return simulation
