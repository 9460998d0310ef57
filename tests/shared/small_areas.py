"""Small limited areas for the tests, each in one process of an MPI run: python small_areas.py NAME
[key=value ...] prints one JSON object on rank 0.
"""

import json
import sys
import tempfile

import numpy as np

R = 287.0597  # of dry air [J kg-1 K-1]
gravity = 9.80616
europe = {"centre": (8.0, 46.5), "points": (60, 50), "resolution": 50e3}


def area(levels=6, **changes):
    import fathom as fm

    return fm.LimitedAreaGrid(
        **(
            europe
            | {"levels": fm.SigmaLevels(levels) if isinstance(levels, int) else levels}
            | changes
        )
    )


def plane(points=(40, 30), resolution=25e3, levels=6, latitude=45.0, coupling=0):
    import fathom as fm

    return fm.CartesianGrid(
        *points,
        extent=points[0] * resolution,
        latitude=latitude,
        coupling=coupling,
        levels=fm.SigmaLevels(levels),
    )


def simulation(model, step="600s", directory=None, **parallel):
    import fathom as fm

    return fm.Simulation(
        model, time_step=step, directory=directory or tempfile.gettempdir(), parallel=parallel
    )


def disturbed(physics=(), tracers=("dye",), periodic=False, precision="fp64", grid=None, **model):
    """A jet over a hill, with waves in it from the start."""
    import fathom as fm

    if periodic:
        grid = grid or plane()
        far = lambda x, y: ((x - 5e5) / 2e5) ** 2 + ((y - 4e5) / 2e5) ** 2
        wave = lambda x, y: np.sin(2 * np.pi * x / 1e6) * np.cos(2 * np.pi * y / 750e3)
        height = lambda x, y: 0.5 + 0.5 * np.cos(2 * np.pi * y / 750e3)
    else:
        grid = grid or area()
        far = lambda x, y: ((x - 12) / 4) ** 2 + ((y - 47) / 3) ** 2
        wave = lambda x, y: np.sin(np.deg2rad(12 * x)) * np.cos(np.deg2rad(9 * y))
        height = lambda x, y: 0.5 + 0.5 * np.cos(np.deg2rad(4 * (y - 46)))
    made = fm.LimitedAreaAtmosphere(
        grid,
        physics=list(physics),
        tracers=list(tracers),
        orography=lambda x, y: gravity * 800 * np.exp(-far(x, y)),
        precision=precision,
        **model,
    )
    return made.set(
        air_temperature=lambda x, y, p: 270 + 20 * (p / 1e5 - 0.5) + 2 * wave(x, y),
        eastward_wind=lambda x, y, p: 25 * height(x, y) * (1.1 - p / 1e5),
        northward_wind=lambda x, y, p: 3 * wave(x, y),
        **{name: lambda x, y, p: np.exp(-far(x, y)) for name in tracers},
    )


def nested(step="300s", every=None, globe_step="900s", parallel=None, points=(30, 24), **model):
    """An area and the globe from which it starts."""
    import fathom as fm

    parallel = parallel or {}
    globe = fm.SpectralAtmosphere(fm.GaussianGrid(21, levels=fm.SigmaLevels(6)))
    cosine = lambda y: np.cos(np.deg2rad(y))
    globe.set(
        air_temperature=lambda x, y, p: 250 + 40 * cosine(y) ** 2 * p / 1e5 + 0 * x,
        eastward_wind=lambda x, y, p: 30 * cosine(y) * (1.1 - p / 1e5) + 0 * x,
        northward_wind=lambda x, y, p: 2 * np.sin(np.deg2rad(5 * x)) * cosine(y),
    )
    outer = fm.Simulation(globe, time_step=globe_step, parallel=parallel)
    grid = area(points=points, resolution=100e3)
    made = fm.LimitedAreaAtmosphere(grid, outer=outer, outer_every=every, **model)
    return simulation(made.set(analysis="outer"), step, **parallel), outer


def globe(folder=None, levels="L19"):
    """Moist air over all of the earth."""
    import fathom as fm

    model = fm.SpectralAtmosphere(
        fm.GaussianGrid(21, levels=fm.HybridLevels(levels)), tracers=["specific_humidity"]
    )
    cosine = lambda y: np.cos(np.deg2rad(y))
    model.set(
        air_temperature=lambda x, y, p: 250 + 40 * cosine(y) ** 2 * p / 1e5 + 0 * x,
        eastward_wind=lambda x, y, p: 30 * cosine(y) * (1.1 - p / 1e5) + 0 * x,
        northward_wind=lambda x, y, p: 2 * np.sin(np.deg2rad(5 * x)) * cosine(y),
        specific_humidity=lambda x, y, p: 0.01 * cosine(y) * (p / 1e5) ** 3 + 0 * x,
    )
    return simulation(model, "900s", folder)


def changed_areas():
    """Checksums of an area out of the globe, and of one within that."""
    import fathom as fm

    given, found = globe(), []
    for grid in (
        area(points=(30, 24), resolution=100e3, levels=fm.HybridLevels("L24")),
        area(points=(24, 20), levels=fm.HybridLevels("L19")),
    ):
        model = fm.LimitedAreaAtmosphere(grid, tracers=["specific_humidity"])
        given = simulation(model.set(analysis=given), "300s").prepare()
        found.append(given.checksum())
    return found


def area_of_file(file, threads=1):
    """Checksum of an area with physics that starts from the state of another one in a file."""
    import fathom as fm

    grid = area(points=(22, 18), resolution=40e3, levels=fm.HybridLevels("L19"), coupling=4)
    model = fm.LimitedAreaAtmosphere(grid, physics=fm.BasicPhysics(), orography="earth")
    one = fm.Simulation(
        model.set(analysis=file),
        time_step="300s",
        start="2011-10-11 00:10:00",
        directory=tempfile.gettempdir(),
        parallel={"threads": threads},
    ).prepare()
    one.advance(1)
    sea = one.gather("sea_surface_temperature")
    return {"checksum": one.checksum(), "sea": None if sea is None else float(sea.max())}


def with_arome_physics(directory=None, threads=1):
    """Moist air over a sea and an island of 10 km points, 60 s."""
    import fathom as fm

    model = disturbed(
        fm.AromePhysics(radiation_every="2min"),
        tracers=(),
        grid=area(levels=12, resolution=10e3, points=(24, 20)),
        dynamics="non-hydrostatic",
        precision="fp32",
    )
    model.set(
        specific_humidity=lambda x, y, p: 0.012 * (p / 1e5) ** 3 + 0 * x,
        land_fraction=lambda x, y: 1.0 * (np.hypot(x - 8, y - 46.5) < 0.4),
        ground_temperature=285.0,
    )
    return simulation(model, "60s", directory=directory, threads=threads)


def arome_bits(steps=4, threads=1):
    one = with_arome_physics(threads=threads).prepare()
    one.advance(steps)
    return {"checksum": one.checksum()}


def nested_twice(threads=1):
    """An area in an area in the globe: compressible air in hydrostatic one."""
    import fathom as fm

    parallel = {"threads": threads}
    middle, _ = nested(parallel=parallel)
    grid = area(points=(24, 20), resolution=50e3)
    model = fm.LimitedAreaAtmosphere(grid, outer=middle, dynamics="non-hydrostatic")
    return simulation(model.set(analysis="outer"), "150s", **parallel), middle


def nested_twice_bits(threads=1, steps=3):
    one, middle = nested_twice(threads)
    one.prepare().advance(steps)
    return {"checksum": one.checksum(), "around": middle.checksum()}


def nested_bits(steps=4, threads=1, **model):
    one, _ = nested(parallel={"threads": threads}, **model)
    one.prepare().advance(steps)
    return {"checksum": one.checksum(), "speed": one.model.watch(one)[0]["maximum_wind"][0]}


def bits(steps=4, threads=1, distribution="auto", blocks=None, **model):
    """Checksum after some steps."""
    one = simulation(
        disturbed(**model), threads=threads, distribution=distribution, blocks=blocks
    ).prepare()
    one.advance(steps)
    return {"checksum": one.checksum(), "speed": one.model.watch(one)[0]["maximum_wind"][0]}


def main():
    name, *arguments = sys.argv[1:]
    options = {k: json.loads(v) for k, v in (a.split("=", 1) for a in arguments)}
    result = globals()[name](**options)
    from fathom.base import mpi

    if mpi.is_root:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
