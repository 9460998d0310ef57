"""Made-up states for tests of pictures: a tripolar globe, a latitude-longitude channel, a box."""

from __future__ import annotations

import numpy as np


def tripolar_corners(
    ny: int, nx: int, south: float = -78.0, join: float = 65.0, pole: float = 80.0
):
    """Corner longitude and latitude (ny+1, nx+1): regular up to `join`, then a cap whose two poles
    lie on it at the longitudes `pole` and `pole` + 180 (Murray 1996)."""
    rows = int(ny * 0.84)
    phi = np.linspace(0, 2 * np.pi, nx + 1)
    longitude = np.broadcast_to(pole + np.degrees(phi), (rows + 1, nx + 1))
    latitude = np.broadcast_to(np.linspace(south, join, rows + 1)[:, None], longitude.shape)
    t = np.linspace(0, 1, ny - rows + 1)[1:, None]
    p = np.log(np.abs(1 / np.tan(np.clip(phi, 1e-9, 2 * np.pi - 1e-9) / 2)) + 1e-300).clip(-25, 25)
    q = np.where(phi <= np.pi, 1, -1) * np.pi / 2 * (1 - t)
    zeta = np.exp(p + 1j * q)
    z = (zeta - 1) / (zeta + 1) * np.tan(np.radians(90 - join) / 2)
    cap_latitude = 90 - 2 * np.degrees(np.arctan(np.abs(z)))
    cap_longitude = pole + np.degrees(np.angle(z))
    return np.concatenate([longitude, cap_longitude]), np.concatenate([latitude, cap_latitude])


def centres(longitude: np.ndarray, latitude: np.ndarray):
    """Centres (ny, nx) of the cells between corners."""
    a, b = np.radians(longitude), np.radians(latitude)
    x, y, z = (
        sum(v[j : v.shape[0] - 1 + j, i : v.shape[1] - 1 + i] for j in (0, 1) for i in (0, 1))
        for v in (np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b))
    )
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))


def made_up_land(longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    """Two continents, Antarctica and an island: enough to see whether a map is right."""
    lon = (longitude + 180) % 360 - 180
    america = (
        np.abs(lon + 90 - 0.4 * (20 - latitude)) < 14 + 10 * np.cos(np.radians(3 * latitude))
    ) & (latitude > -54)
    africa = (
        (np.abs(lon - 25) < 22 - 0.25 * np.abs(latitude - 10)) & (latitude > -34) & (latitude < 72)
    )
    asia = (lon > 30) & (lon < 140) & (latitude > 25 + 0.1 * np.abs(lon - 90)) & (latitude < 74)
    australia = ((lon - 134) / 19) ** 2 + ((latitude + 25) / 12) ** 2 < 1
    return america | africa | asia | australia | (latitude < -70)


def state_on(grid: dict, land: np.ndarray, spherical: bool = True, seed: int = 0) -> dict:
    """Temperature, salinity, velocity, surface height and stream function on a grid with centres
    and depth.
    """
    random = np.random.default_rng(seed)
    if spherical:
        longitude, latitude = grid["longitude"], grid["latitude"]
    else:
        longitude = 60 * grid["x"] / np.max(grid["x"])
        latitude = 40 * grid["y"] / np.max(grid["y"])
    depth = np.asarray(grid["depth"])[:, None, None]
    wave = 1.5 * np.sin(np.radians(6 * longitude)) * np.cos(np.radians(4 * latitude))
    surface = (
        29 * np.cos(np.radians(latitude)) ** 2.2
        - 1.8
        + wave
        + 0.3 * random.standard_normal(latitude.shape)
    )
    temperature = 1 + (surface - 1) * np.exp(
        -depth / (300 + 400 * np.cos(np.radians(3 * latitude)) ** 2)
    )
    salinity = 34.7 + (
        0.9 * np.cos(np.radians(5 * latitude)) + 0.4 * np.sin(np.radians(longitude))
    ) * np.exp(-depth / 500)
    height = 0.8 * np.cos(np.radians(2.4 * latitude)) + 0.2 * wave
    gyre = -40e6 * np.sin(np.radians(4.5 * latitude)) * np.cos(np.radians(longitude / 2)) ** 2
    current = 130e6 * (1 / (1 + np.exp((latitude + 55) / 3)) - 1)
    east = (
        0.35 * np.exp(-((latitude / 4) ** 2))
        + 0.25 * np.exp(-(((latitude + 52) / 6) ** 2))
        + 0.05 * random.standard_normal(latitude.shape)
    )
    north = 0.1 * np.sin(np.radians(8 * longitude))
    wet = np.arange(len(depth))[:, None, None] < np.asarray(grid["wet_levels"])
    flow = {"eastward_velocity": east, "northward_velocity": north + 0 * latitude}
    blank = {
        name: np.where(wet, value, np.nan)
        for name, value in (("temperature", np.maximum(temperature, -1.9)), ("salinity", salinity))
    }
    blank |= {
        name: np.where(wet, value * np.exp(-depth / 800), np.nan) for name, value in flow.items()
    }
    return blank | {
        "sea_surface_height": np.where(land, np.nan, height),
        "barotropic_stream_function": np.where(land, np.nan, gyre + current),
    }


def levels(nz: int, bottom: float = 5500.0):
    """Interfaces, centres and thickness of levels that grow downward."""
    interfaces = bottom * np.linspace(0, 1, nz + 1) ** 2.2
    interfaces += np.linspace(0, 10 * nz, nz + 1)
    interfaces *= bottom / interfaces[-1]
    return interfaces, 0.5 * (interfaces[1:] + interfaces[:-1]), np.diff(interfaces)


def globe(ny: int = 60, nx: int = 72, nz: int = 12):
    """Grid and state of a tripolar globe with made-up land."""
    corner_longitude, corner_latitude = tripolar_corners(ny, nx)
    longitude, latitude = centres(corner_longitude, corner_latitude)
    _, depth, thickness = levels(nz)
    land = made_up_land(longitude, latitude)
    wet = np.where(
        land,
        0,
        np.clip((nz * (0.75 + 0.25 * np.sin(np.radians(3 * longitude)))).astype(int), 1, nz),
    )
    grid = {
        "corner_longitude": corner_longitude,
        "corner_latitude": corner_latitude,
        "longitude": longitude,
        "latitude": latitude,
        "depth": depth,
        "thickness": thickness,
        "wet_levels": wet,
        "area": 1e10 * np.cos(np.radians(latitude)).clip(0.01),
    }
    return grid, state_on(grid, land)


def box(ny: int = 40, nx: int = 60, nz: int = 8, cell: float = 20e3):
    """Grid and state of a closed basin on a plane, in metres."""
    corner_x, corner_y = np.meshgrid(np.arange(nx + 1) * cell, np.arange(ny + 1) * cell)
    x, y = (
        0.25 * (v[1:, 1:] + v[:-1, 1:] + v[1:, :-1] + v[:-1, :-1]) for v in (corner_x, corner_y)
    )
    _, depth, thickness = levels(nz, 1500.0)
    wet = np.full((ny, nx), nz)
    wet[0] = wet[-1] = wet[:, 0] = wet[:, -1] = 0
    grid = {
        "corner_x": corner_x,
        "corner_y": corner_y,
        "x": x,
        "y": y,
        "depth": depth,
        "thickness": thickness,
        "wet_levels": wet,
        "area": np.full((ny, nx), cell * cell),
    }
    return grid, state_on(grid, wet == 0, spherical=False)


def series(days: int = 30):
    """Four series of `days` days."""
    time = np.arange(0, days + 1) * 86400.0
    return {
        "mean temperature": (time, 3.6 + 1e-3 * np.sin(time / 4e5), "degC"),
        "kinetic energy": (time, 4e-3 * (1 - np.exp(-time / 5e5)), "m2 s-2"),
        "maximum speed": (time, 1.3 + 0.2 * np.sin(time / 2e5), "m s-1"),
        "Drake transport": (time, 130 * (1 - np.exp(-time / 8e5)), "Sv"),
    }


def profile():
    """Twenty processes in four phases."""
    names = [
        "tracer advection",
        "momentum advection",
        "equation of state",
        "pressure gradient",
        "Richardson mixing",
        "implicit vertical diffusion",
        "horizontal friction",
        "horizontal diffusion",
        "solver iteration",
        "preconditioner",
        "global sums",
        "halo exchange",
        "bulk forcing",
        "output",
        "restart",
    ]
    phases = ["baroclinic"] * 8 + ["barotropic"] * 3 + ["exchange", "surface", "output", "output"]
    return [
        {
            "region": name,
            "path": ["run", name],
            "phase": phase,
            "kind": "process",
            "seconds": 20.0 / (n + 1.5),
            "minimum": 19.0 / (n + 1.5),
            "maximum": 21.0 / (n + 1.5),
            "calls": 720,
            "elapsed": 20.0 / (n + 1.5),
            "communication": 0.1,
            "waiting": 0.05,
            "messages": 720,
            "bytes": 7.2e6,
        }
        for n, (name, phase) in enumerate(zip(names, phases))
    ]
