"""Small grid-point atmospheres on the sphere for the tests, each in one process of an MPI run:
python small_spheres.py NAME [key=value ...] prints one JSON object on rank 0.
"""

import json
import sys
import tempfile

import numpy as np

rotation, warmth = 7.292e-5, 300.0


def hills(x, y):
    """One far from the poles, and one on the south pole, higher on one side."""
    far = 1500 * np.exp(-(((x - 90) / 20) ** 2) - ((y - 50) / 15) ** 2)
    on_pole = 1500 * np.exp(-(((90 + y) / 12) ** 2)) * (1 + 0.3 * np.cos(np.deg2rad(x)))
    return far + on_pole


def sphere(
    nx=24,
    ny=16,
    number=8,
    top=20e3,
    step="20min",
    radius=6.371e6,
    directory=None,
    blocks=None,
    distribution="auto",
    threads=1,
    tile=64,
    balance=(),
    ground=True,
    device=None,
    **model,
):
    """Air at rest over hills."""
    import fathom as fm

    levels = fm.HeightLevels(nz=number, top=top, decay=2)
    grid = fm.LatitudeLongitudeGrid(nx, ny, levels=levels, radius=radius)
    air = fm.GridPointAtmosphere(grid, orography=hills if ground else 0.0, **model)
    parallel = {
        "blocks": blocks,
        "distribution": distribution,
        "threads": threads,
        "tile": tile,
        "balance": list(balance),
        "device": device,
    }
    return fm.Simulation(
        air, time_step=step, parallel=parallel, directory=directory or tempfile.mkdtemp()
    )


def turning(angle=np.pi / 2, wind=40.0, **options):
    """Isothermal shallow air in solid rotation about an axis at `angle` to that of the earth, which
    stands still: it blows over the poles, and stays as it is.
    """
    sim = sphere(deep=False, rotation=0.0, **options)
    R = sim.model.parameters["gas_constant"]
    x = lambda x, y: (np.deg2rad(x), np.deg2rad(y))

    def east(longitude, latitude, pressure):
        a, b = x(longitude, latitude)
        return wind * (np.cos(b) * np.cos(angle) + np.cos(a) * np.sin(b) * np.sin(angle))

    def north(longitude, latitude, pressure):
        return -wind * np.sin(np.deg2rad(longitude)) * np.sin(angle) + 0 * latitude

    def surface(longitude, latitude):
        a, b = x(longitude, latitude)
        along = -np.cos(a) * np.cos(b) * np.sin(angle) + np.sin(b) * np.cos(angle)
        return 1e5 * np.exp(-0.5 * wind**2 / (R * warmth) * along**2)

    sim.model.set(
        eastward_wind=east,
        northward_wind=north,
        air_temperature=warmth,
        surface_air_pressure=surface,
    )
    return sim


def balanced_rotation(deep, wind=40.0, **options):
    """Air in solid rotation about the axis of the earth, in the balance of the discrete equations
    of second order.
    """
    sim = sphere(deep=deep, ground=False, reference_temperature=warmth, implicitness=0.5, **options)
    outward = sim.model.curvature
    sim.model.set(
        x_wind=lambda x, y, z: wind * np.cos(np.deg2rad(y)) * (1 + outward * z), balanced=True
    )
    return sim


def deep_rotation(rate=2e-5, **options):
    """Isothermal deep air that turns `rate` faster than its small planet: prepared, steady by
    R T ln p = (rate^2 + 2 Omega rate) r^2 cos^2 / 2 + g a^2 / r
    """
    radius, Omega = 3e5, 2e-4
    sim = sphere(radius=radius, rotation=Omega, ground=False, **options).prepare()
    model, c = sim.model, sim.model.constants
    z, latitude = model.heights, np.deg2rad(model.grid.coordinates()[1])
    middle = (z[1:] + z[:-1]) / 2

    def exner(height):
        r = radius + height
        turning = 0.5 * (rate**2 + 2 * Omega * rate) * ((r * np.cos(latitude)) ** 2 - radius**2)
        return np.exp(
            (turning + c.gravity * radius * (radius / r - 1)) / (c.heat_capacity * warmth)
        )

    theta = warmth / exner(z)
    fields = {
        "air_potential_temperature": theta,
        "air_density": c.density(exner(middle), (theta[1:] + theta[:-1]) / 2),
        "x_wind": rate * (radius + middle) * np.cos(latitude),
    }
    for name, values in fields.items():
        for k, level in enumerate(values):
            sim.fields.set(name, np.ascontiguousarray(level), k)
    sim.changed = True
    return sim, fields["x_wind"]


def aquaplanet(**options):
    """Warm and moist air over a sea, with all of the first physics."""
    import fathom as fm

    sim = sphere(
        ground=False, number=10, top=25e3, physics=fm.BasicPhysics(radiation_every="1h"), **options
    )
    across = lambda y: np.cos(np.deg2rad(y)) ** 2
    sim.model.set(
        air_temperature=lambda x, y, p: np.maximum(
            205, (270 + 30 * across(y) + np.sin(np.deg2rad(3 * x))) * (p / 1e5) ** 0.19
        ),
        specific_humidity=lambda x, y, p: 0.018 * (p / 1e5) ** 3 * across(y) ** 2 + 1e-6 + 0 * x,
        eastward_wind=lambda x, y, p: 10 * across(y) + 0 * x,
        sea_surface_temperature=lambda x, y: 273 + 28 * across(y),
    )
    return sim


def around_the_axis(rate=4e-6, Omega=7.292e-5, warm=280.0, deep=False, outer=None, **options):
    """Isothermal air that turns about the axis of the earth, faster than it, over an area about
    another pole: steady, R T ln p_s = -(rate^2 + 2 Omega rate) a^2 sin^2(latitude) / 2.
    """
    import fathom as fm

    make = {"time_step": options.pop("step", "5min"), "directory": None, "parallel": None} | {
        k: options.pop(k) for k in ("directory", "parallel") if k in options
    }
    number = options.pop("number", 8)
    given = {"centre": (20, 50), "resolution": 150e3, "points": (30, 24), "coupling": 6} | {
        k: options.pop(k) for k in ("centre", "resolution", "points", "coupling") if k in options
    }
    grid = fm.RotatedGrid(levels=fm.HeightLevels(nz=number, top=20e3), **given)
    air = fm.GridPointAtmosphere(grid, deep=deep, rotation=Omega, outer_model=outer, **options)
    a, R = grid.radius, air.parameters["gas_constant"]
    sine, cosine = (lambda y, f=f: f(np.deg2rad(y)) for f in (np.sin, np.cos))
    air.set(
        eastward_wind=lambda x, y, p: rate * a * cosine(y) + 0 * p,
        air_temperature=warm,
        surface_air_pressure=lambda x, y: (
            1e5 * np.exp(-0.5 * (rate**2 + 2 * Omega * rate) * a**2 * sine(y) ** 2 / (R * warm))
        ),
    )
    make["directory"] = make["directory"] or tempfile.mkdtemp()
    return fm.Simulation(air, start="2000-01-01", **make)


def bits_of_area(steps=2, ranks=None, **options):
    """Checksum of an area after some steps, and what came for its departures."""
    from fathom.base.mpi import core

    sim = around_the_axis(**options).prepare()
    sim.advance(steps)
    halos = [p.halo for p in sim.sequence.globals if isinstance(p, core.GridPointCarrier)]
    return {"checksum": sim.checksum(), "received": sum(points for points, _ in halos)}


def geometries():
    """Checksums of states in other geometries: of waves on heights, that in waves, of an area."""
    import fathom as fm
    import small_atmospheres

    given = small_atmospheres.held_suarez(
        levels=6, physics=[], mountain=900, tracers=["specific_humidity"]
    )
    there = sphere(nx=32, ground=False, number=10, tracers=["specific_humidity"])
    back = small_atmospheres.held_suarez(levels=8, physics=[], tracers=["specific_humidity"])
    grid = fm.RotatedGrid(
        centre=(90, 40), resolution=200e3, points=(20, 18), coupling=4,
        levels=fm.HeightLevels(nz=8, top=20e3),
    )  # fmt: skip
    area = fm.Simulation(
        fm.GridPointAtmosphere(grid, tracers=["specific_humidity"]),
        time_step="5min",
        directory=tempfile.mkdtemp(),
    )
    found = []
    for one, source in ((there, given), (back, there), (area, there)):
        vars(one.model).update(initial={}, orography=0.0)
        one.model.set(analysis=source)
        found.append(one.prepare().checksum())
    return found


def weather(steps=4, **options):
    """Checksum after some steps with physics; humidity and rain."""
    sim = aquaplanet(**options).prepare()
    sim.advance(steps)
    q = sim.fields.extremes("specific_humidity")
    rain = [sim.fields.extremes(f"{kind}_precipitation") for kind in ("convective", "stratiform")]
    return {
        "checksum": sim.checksum(),
        "humidity": [q["minimum"], q["maximum"]],
        "rain": max(e["maximum"] for e in rain),
        "balanced": sorted(sim.balanced),
    }


def bits(steps=3, still=False, **options):
    """Checksum after some steps, and how much air there is."""
    from fathom.base.mpi import core

    sim = (sphere if still else turning)(**options).prepare()
    before = mass(sim)
    sim.advance(steps)
    solve = sim.find(core.HelmholtzSolve)
    halos = [p.halo for p in sim.sequence.globals if isinstance(p, core.GridPointCarrier)]
    return {
        "checksum": sim.checksum(),
        "change_of_mass": mass(sim) / before - 1,
        "iterations": solve.iterations / solve.solves,
        "received": sum(points for points, _ in halos),
    }


def mass(sim):
    """Of all air, on all ranks [kg]."""
    density = sim.gather("air_density")
    total = 0.0
    if sim.is_root:
        h = sim.model.heights
        s = 1 + sim.model.curvature * (h[1:] + h[:-1]) / 2
        columns = np.sum(density.astype(float) * (h[:-1] - h[1:]) * s**2, axis=0)
        total = float(np.sum(columns * np.asarray(sim.model.grid.horizontal.area_center)))
    return sim.comm.bcast(total)


if __name__ == "__main__":
    from fathom.base import mpi

    arguments = dict(item.split("=", 1) for item in sys.argv[2:])
    found = globals()[sys.argv[1]](**{k: json.loads(v) for k, v in arguments.items()})
    if mpi.world.rank == 0:
        print(json.dumps(found))
