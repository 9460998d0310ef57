"""Columns of air with clouds, as RRTMGP reads them."""

import numpy as np

sigma, levels = 5.670374419e-8, 20


def column(values):
    return np.ascontiguousarray(
        np.broadcast_to(np.asarray(values, float)[:, None, None], (len(values), 1, 8))
    )


def cloudy_column():
    """What RRTMGP reads, of eight columns alike; the last four in the dark."""
    interface = 1e5 * np.linspace(0, 1, levels + 1) ** 1.5 + 10
    p = 0.5 * (interface[1:] + interface[:-1])
    surface = np.full((1, 8), 290.0)
    return {
        "air_temperature": column(np.maximum(290 * (p / 1e5) ** 0.19, 210)),
        "specific_humidity": column(1e-2 * (p / 1e5) ** 3),
        "air_pressure": column(p),
        "pressure_interface": column(interface),
        "ozone": column(np.full(levels, 1e-6)),
        "cloud_fraction": column(np.where((p > 5e4) & (p < 7e4), 0.5, 0.0)),
        "cloud_water": column(np.full(levels, 1e-4)),
        "surface_temperature": surface,
        "surface_emission": sigma * surface**4,
        "albedo": np.full((1, 8), 0.1),
        "cosine_zenith": np.array([[0.5] * 4 + [0.0] * 4]),
        "cosine_zenith_ahead": np.array([[0.5] * 4 + [0.0] * 4]),
        "latitude": np.full((1, 8), 0.3),
        "longitude": np.linspace(0, 1, 8)[None],
        "sun": np.array([1.0, 0, 0, 1, 1, 0, 0]),
    }
