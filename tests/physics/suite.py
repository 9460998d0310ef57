"""All physics in the order of docs/physics-atmosphere.md, as a sequence of single columns: shared
by tests and the micro-benchmark.
"""

import numpy as np

from fathom.base.mpi import core, world
from program import Program

periodic = ("StandardOzone", "DiagnosticCloud", "Radiation")  # every few hours
order = [
    "SurfaceState",
    "Sunlight",
    *periodic,
    "RadiativeHeating",
    "GroundResponse",
    "BulkExchange",
    "KProfileDiffusion",
    "VerticalDiffusion",
    "PositiveHumidity",
    "BettsMiller",
    "LargeScaleCondensation",
    "Snowfall",
    "LandSurface",
    "OrographicDrag",
]
steps = {e["name"]: any(p["name"] == "step" for p in e["parameters"]) for e in core.catalogue()}


def build(
    nx,
    ny,
    levels,
    step,
    every=9,
    precision=8,
    keep=(),
    names=("ColumnHydrostatics", *order, "ColumnStep"),
    threads_tile=64,
    **parameters,
):
    domain = core.Domain(world.py2f(), nx, ny, True, False, levels, [levels] * (nx * ny), 0)
    processes = []
    for name in names:
        process = core.process(
            name, ({"step": step} if steps[name] else {}) | parameters.get(name, {}), precision
        )
        process.every = every if name in periodic else 1
        processes.append(process)
    return Program(domain, processes, precision, keep=list(keep), tile=threads_tile)


def fill(program, nx, ny, levels, seed=0, **given):
    """Columns from pole to pole, some land, some ice; hydrostatic pressures over a surface of 1000
    hPa.
    """
    random = np.random.default_rng(seed)
    latitude = np.broadcast_to(np.linspace(-1.4, 1.4, ny)[:, None], (ny, nx))
    interface = 1e5 * np.linspace(0, 1, levels + 1) ** 1.2 + 50 * np.linspace(1, 0, levels + 1)
    p = 0.5 * (interface[1:] + interface[:-1])
    warm = 300 - 45 * np.sin(latitude) ** 2
    T = np.maximum(warm * (p[:, None, None] / 1e5) ** 0.19, 205)
    q = np.minimum(
        0.7 * 0.622 * 610.78 * np.exp(17.27 * (T - 273.16) / (T - 35.86)) / p[:, None, None], 0.02
    ) * (p[:, None, None] / 1e5)
    land = (random.random((ny, nx)) < 0.4) * 1.0
    values = {
        "pressure_interface": interface[:, None, None] * np.ones((ny, nx)),
        "air_pressure": p[:, None, None] * np.ones((ny, nx)),
        "air_temperature": T,
        "specific_humidity": q,
        "eastward_wind": (
            random.normal(0, 1, (levels, ny, nx)) + 8 + 15 * (1 - p / 1e5)[:, None, None]
        ),
        "northward_wind": random.normal(0, 3, (levels, ny, nx)),
        "latitude": latitude,
        "longitude": np.broadcast_to(np.linspace(0, 2 * np.pi, nx, endpoint=False), (ny, nx)),
        "land_fraction": land,
        "sea_ice_fraction": (np.abs(latitude) > 1.1) * 0.8,
        "sea_surface_temperature": np.maximum(warm + 1, 271.35),
        "ground_temperature": np.minimum(warm, 300 - 27 * (land == 0)),
        "deep_ground_temperature": warm,
        "soil_moisture": random.uniform(0, 150, (ny, nx)),
        "snow_amount": 20.0 * (np.abs(latitude) > 1),
        "snow_free_albedo": np.full((ny, nx), 0.2),
        "roughness_length": np.full((ny, nx), 0.1),
        "orography_deviation": 200 * land * random.random((ny, nx)),
        "surface_geopotential": np.zeros((ny, nx)),
    } | given
    for name, value in values.items():
        if program.has(name):
            program.set(name, np.ascontiguousarray(np.broadcast_to(value, np.shape(value)), float))
    return interface


def read(program, name):
    return program.windows(name)[0]
