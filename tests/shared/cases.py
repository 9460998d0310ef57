"""Small oceans for the tests, each in one process of an MPI run: python cases.py NAME [key=value
...] prints one JSON object on rank 0.
"""

import json
import sys
import tempfile

import numpy as np


def named(name):
    """The class of Fathom with that name: at the top, or among the schemes."""
    import fathom as fm

    return getattr(fm, name, None) or getattr(fm.schemes, name)


def box(nx=40, ny=32, nz=8, size=1000e3, depth=2000.0, slope=True, partial_cells=None, **ocean):
    """A closed beta-plane basin with a sloping bottom and an island."""
    import fathom as fm

    def bottom(x, y):
        r = np.hypot((x - 0.6 * size) / size, (y - 0.4 * size) / size)
        return np.where(
            r < 0.08, 0.0, depth * (np.clip(0.35 + 1.2 * x / size, 0, 1) if slope else 1)
        )

    grid = fm.CartesianGrid(
        nx=nx,
        ny=ny,
        extent=(size, size),
        levels=fm.ZLevels(nz=nz, depth=depth, surface=50, partial_cells=partial_cells),
        bathymetry=bottom,
    )
    return fm.Ocean(grid, coriolis=(1e-4, 2e-11), **ocean)


def globe(precision="fp64", **ocean):
    """The 3-degree tripolar ocean from real data."""
    import fathom as fm

    model = fm.Ocean(
        fm.TripolarGrid(resolution="3deg", levels=fm.ZLevels(nz=25, depth=5500)),
        precision=precision,
        **{"physics": "simple"} | ocean,
    )
    return model.set(temperature="levitus", salinity="levitus")


def ridge(behind=0.0, overflows=None, **ocean):
    """Two basins on an f plane, joined above a sill of 500 m; the water of the western one below it
    is cold and dyed.
    """
    import fathom as fm

    size, x = (1600e3, 800e3), lambda i: (i + 0.5) * 50e3
    grid = fm.CartesianGrid(
        nx=32,
        ny=16,
        extent=size,
        levels=fm.ZLevels(thickness=[100, 150, 250, 400, 500, 600, 500]),
        bathymetry=lambda x, y: np.where(np.abs(x - 600e3) < 100e3, 500.0, 2500.0) + 0 * y,
    )
    west, east, rows = (100e3, 500e3), (700e3, 1100e3), (200e3, 600e3)
    strait = fm.Overflow(
        "strait",
        inflow=(east, rows, (300, 500)),
        source=(west, rows, (500, 900)),
        entrainment=(east, rows, (500, 900)),
        from_source=[(x(8), x(j), 600) for j in (6, 7, 8, 9)],
        from_entrainment=[(x(15), x(j), 700) for j in (6, 7, 8, 9)],
        products=[
            [(x(17), x(j), 1200) for j in (6, 7, 8, 9)],
            [(x(19), x(j), 1900) for j in (6, 7, 8, 9)],
            [(x(21), x(j), 2300) for j in (6, 7, 8, 9)],
        ],
        coriolis=1.33e-4,
        width=60e3,
        thickness=410,
        distance=120e3,
        slope=0.04,
    )
    model = fm.Ocean(
        grid,
        coriolis=(1.33e-4, 0),
        tracers=["dye", "one"],
        vertical_mixing=fm.ConstantMixing(),
        overflows=[strait] if overflows is None else overflows,
        **ocean,
    )
    cold = lambda x, z: (x < 600e3) & (z > 500)
    return model.set(
        temperature=lambda x, y, z: np.where(cold(x, z), behind, 6 - z / 600) + 0 * y,
        salinity=35.0,
        dye=lambda x, y, z: 1.0 * cold(x, z) + 0 * y,
        one=1.0,
    )


def overflowing(blocks=None):
    sim = simulate(ridge(), step="3600s", blocks=blocks)
    sim.advance(4)
    return {"checksum": sim.checksum()}


def stirred(model):
    """Warm and salty eddies to be stirred: every term of the equations is alive."""
    size = 1000e3
    return model.set(
        temperature=lambda x, y, z: (
            20 * np.exp(-z / 700)
            + 2 * np.sin(6 * x / size) * np.cos(9 * y / size) * np.exp(-z / 300)
        ),
        salinity=lambda x, y, z: 35 + 0.5 * np.cos(7 * x / size) * np.exp(-z / 500),
        sea_surface_height=lambda x, y: 0.05 * np.cos(np.pi * x / size) * np.cos(np.pi * y / size),
    )


def simulate(
    model,
    step="1800s",
    surface=None,
    blocks=None,
    distribution="auto",
    threads=1,
    start="2000-01-01",
):
    import fathom as fm

    parallel = {"blocks": blocks, "distribution": distribution, "threads": threads}
    return fm.Simulation(
        model,
        time_step=step,
        surface=surface,
        start=start,
        parallel=parallel,
        directory=tempfile.gettempdir(),
    )


def wind():
    import fathom as fm

    return fm.SurfaceForcing(
        stress_x=lambda x, y: -0.1 * np.cos(np.pi * y / 1000e3),
        heat_flux=lambda x, y: 50 * np.sin(2 * np.pi * x / 1000e3),
        wind_speed=8.0,
    )


def continued(fresh):
    """Of a simulation that fresh() makes: the path of a restart after three steps; another
    continues from there with the bits of one that ran through.
    """
    whole, half = fresh(), fresh()
    whole.advance(6)
    half.advance(3)
    path = half.write_restart("half.fathom")
    rest = fresh().restore(path)
    rest.advance(3)
    assert rest.checksum() == whole.checksum()
    return path


def bits(
    steps=5,
    case="box",
    blocks=None,
    distribution="auto",
    threads=1,
    advection="CentredAdvection",
    friction="LaplacianFriction",
    precision="fp64",
    preconditioner="automatic",
    eddies=None,
    mixing="RichardsonMixing",
    freshwater="salt",
    partial_cells=None,
):
    """Checksum after some steps."""
    import fathom as fm

    viscosity = (
        {"viscosity": 1e11}
        if friction == "BiharmonicFriction"
        else (
            {"biharmonic": True}
            if friction == "SmagorinskyFriction"
            else {"direction": "flow"}
            if friction == "AnisotropicFriction"
            else {}
        )
    )
    free_surface = fm.FreeSurface(
        tolerance=1e-6, preconditioner=preconditioner, freshwater=freshwater
    )  # few iterations: ranks wait for each other on few cores
    schemes = {
        "tracer_advection": named(advection)(),
        "friction": named(friction)(**viscosity),
        "precision": precision,
        "vertical_mixing": named(mixing)(),
        "free_surface": free_surface,
    }
    if mixing == "KPP":  # and all that can be added to it
        schemes |= {
            "background_mixing": fm.BryanLewisMixing(),
            "tidal_mixing": fm.TidalMixing(),
            "tidal_energy": 1.0,
            "double_diffusion": fm.DoubleDiffusion(),
        }
    if eddies:  # its keywords; `structure` by name
        structure = eddies.pop("structure", None)
        schemes |= {
            "eddies": fm.GentMcWilliams(**eddies, structure=structure and named(structure)()),
            "submesoscale": fm.MixedLayerEddies(),
        }
    if case == "globe":
        sim = simulate(
            globe(**schemes),
            step="3600s",
            surface=fm.BulkForcing(),
            blocks=blocks,
            distribution=distribution,
            threads=threads,
        )
    else:
        tracers = [
            "ideal_age",
            "dye",
            fm.Dye("held", ((200e3, 500e3), (200e3, 500e3)), depth=(0, 500)),
            fm.Dye("plume", depth=(100, 900), released=1e-5),
            fm.CFC11(),
        ]
        sim = simulate(
            stirred(box(tracers=tracers, partial_cells=partial_cells, **schemes)).set(
                dye=lambda x, y, z: 1.0 * (x < 400e3)
            ),
            surface=wind(),
            blocks=blocks,
            distribution=distribution,
            threads=threads,
        )
    sim.advance(steps)
    return {
        "checksum": sim.checksum(),
        "blocks": len(sim.domain.decomposition.blocks),
        "speed": sim.fields.motion(sim.time_step)["speed"],
    }


def earth():
    """A small ocean on the sphere, with one continent."""
    import fathom as fm

    grid = fm.LatitudeLongitudeGrid(
        nx=24,
        ny=16,
        latitude=[-70, 60],
        levels=fm.ZLevels(nz=4, depth=4000),
        bathymetry=lambda x, y: 4000.0 * (np.abs(x - 100) > 20) + 0 * y,
    )
    return fm.Ocean(grid, physics="simple", free_surface=fm.FreeSurface(tolerance=1e-6)).set(
        temperature=lambda x, y, z: 20 * np.cos(np.deg2rad(y)) * np.exp(-z / 1000), salinity=35.0
    )


def under_winds_of(folder):
    """It under 6-hourly winds of a folder and the climatology, whose speed there leaves room for
    storms; started in the middle of an interval.
    """
    import fathom as fm

    winds = {f"{to}ward_wind": f"{folder}/{to}ward_wind.nc" for to in ("east", "north")}
    surface = fm.BulkForcing(
        winds | {"wind_speed": "coads"}, missing="coads", temperature_restoring=1e-5, storms=True
    )
    return fm.Simulation(
        earth(), "1h", start="2000-01-15 21:00", surface=surface, directory=folder, overwrite=True
    )


def winds(folder):
    """Checksum of that."""
    sim = under_winds_of(folder)
    sim.advance(6)
    return {"checksum": sim.checksum()}


def main():
    name, *arguments = sys.argv[1:]
    options = {k: json.loads(v) for k, v in (a.split("=", 1) for a in arguments)}
    result = globals()[name](**options)
    from fathom.base import mpi

    if mpi.is_root:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
