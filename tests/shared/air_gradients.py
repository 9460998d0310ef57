"""The gradient of a number of a small atmosphere, for test_air_gradient.py."""

import hashlib

import numpy as np

import fathom as fm

box = {"longitude": (-20.0, 10.0), "latitude": (45.0, 60.0)}


def air(**more):
    """Dry air of the test of Held and Suarez with a jet, T15 on six levels."""
    model = fm.SpectralAtmosphere(
        fm.GaussianGrid(15, levels=fm.HybridLevels(6)),
        scheme="semi-lagrangian",
        physics="HeldSuarez",
        fix_mass=False,  # has no tangent
        **more,
    )
    return model.set(
        air_temperature=lambda x, y, p: 250 + 30 * np.cos(np.deg2rad(y)) ** 2 + 0 * p,
        eastward_wind=lambda x, y, p: 25 * np.sin(np.deg2rad(2 * y)) ** 2 + 0 * p,
        northward_wind=lambda x, y, p: (
            2 * np.cos(np.deg2rad(3 * x)) * np.cos(np.deg2rad(y)) + 0 * p
        ),
    )


def simulation(**more):
    return fm.Simulation(air(**more), "30min", directory="air", overwrite=True)


def gradient(field="surface_air_pressure", run="6h", **more):
    return fm.adjoint(simulation(), fm.Average(field, **box), run, **more)


def bits_of_gradient(stored=3):
    found = gradient(stored=stored).dataset
    whole = b"".join(np.ascontiguousarray(found[name]).tobytes() for name in sorted(found))
    return hashlib.sha256(whole).hexdigest()


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
