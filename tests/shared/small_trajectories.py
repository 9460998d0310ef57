"""Tangents and adjoints of small atmospheres, each in one process of an MPI run: python
small_trajectories.py NAME [key=value ...] prints one JSON object on rank 0.
"""

import hashlib
import tempfile

import numpy as np

import small_areas
from small_atmospheres import held_suarez


def primitive_equations(**options):
    return held_suarez(
        **({"truncation": 10, "levels": 4, "mountain": 800.0, "fix_mass": False} | options)
    )


def moist(**options):
    """With smooth physics; humid in the tropics, near the ground."""
    import fathom as fm

    simulation = primitive_equations(
        physics=[fm.HeldSuarez(), fm.schemes.SmoothMixing(), fm.schemes.SmoothCondensation()],
        tracers=["specific_humidity"],
        **options,
    )
    simulation.model.set(
        specific_humidity=lambda lon, lat, p: (
            0.012 * np.cos(np.deg2rad(lat)) ** 4 * (p / 1e5) ** 3 * (1 + 0.2 * np.sin(lon / 20))
        )
    )
    return simulation


def shallow_water(
    truncation=10,
    rows="quadratic",
    reduced=False,
    stretching=1.0,
    step="1800s",
    directory=None,
    parallel=None,
    **options,
):
    """Waves on a zonal jet over a mountain."""
    import fathom as fm

    hill = lambda lon, lat: 3e3 * np.exp(-(((lon - 90) / 20) ** 2 + ((lat - 40) / 15) ** 2))
    options = {"mean_geopotential": 6e4, "diffusion_time": "6h", "orography": hill} | options
    grid = fm.GaussianGrid(truncation, grid=rows, reduced=reduced, stretching=stretching)
    model = fm.ShallowWater(grid, **options)
    model.set(
        eastward_wind=lambda lon, lat: 20 * np.cos(np.deg2rad(lat)),
        northward_wind=lambda lon, lat: (
            3 * np.cos(np.deg2rad(lat)) ** 2 * np.sin(np.deg2rad(4 * lon))
        ),
        fluid_geopotential=lambda lon, lat: 5e4 - 4e3 * np.sin(np.deg2rad(lat)) ** 2,
    )
    directory = directory or tempfile.gettempdir()
    return fm.Simulation(model, time_step=step, directory=directory, parallel=parallel or {})


def limited_area(periodic=False, **options):
    """A jet over a hill, relaxed to its start along the edges; or on a periodic plane."""
    grid = None if periodic else small_areas.area(levels=4, points=(30, 26), resolution=100e3)
    options = {"tracers": (), "diffusion_time": "2h", "grid": grid} | options
    return small_areas.simulation(small_areas.disturbed(periodic=periodic, **options), "900s")


def compressible_area(**options):
    return limited_area(dynamics="non-hydrostatic", **options)


models = {
    "limited_area": limited_area,
    "compressible_area": compressible_area,
    "primitive_equations": primitive_equations,
    "moist": moist,
    "shallow_water": shallow_water,
}
sizes = {
    "eastward_wind": 1.0,
    "northward_wind": 1.0,
    "air_temperature": 1.0,
    "virtual_temperature": 1.0,
    "log_pressure_ratio": 1e-3,
    "log_pressure_departure": 1e-4,
    "vertical_divergence": 1e-5,
    "specific_humidity": 1e-4,
    "dye": 1.0,
    "fluid_geopotential": 100.0,
}


def followed(model, steps, **options):
    """Its trajectory, from a state without exact zeros of the wind, where derivatives have two
    sides; and a vector in which each field has its usual size.
    """
    from fathom.assimilation.trajectory import Trajectory

    simulation = models[model](**options).prepare()
    simulation.advance(7)
    trajectory = Trajectory(simulation)
    trajectory.follow(steps)
    size = np.zeros(trajectory.size)
    for name, values in trajectory.split(size).items():
        values[:] = sizes[name]
    return trajectory, size


def bits(steps=3):
    """Checksums of what M' and its transpose make of vectors drawn at random."""
    made = {}
    for model in models:
        trajectory, size = followed(model, steps)
        M, random = trajectory.propagation(), np.random.default_rng(1)
        x, y = (random.standard_normal(trajectory.size) for _ in range(2))
        hashed = lambda v: hashlib.sha256(np.ascontiguousarray(v).tobytes()).hexdigest()
        made[model] = hashed(M.apply(x * size)), hashed(M.adjoint(y / size))
    return made


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
