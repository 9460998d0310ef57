"""A grid-point atmosphere on a device: departure points, transported fields and tracers have the
bits of the processor.
"""

import numpy as np
import pytest

import computers
import small_planes
import small_spheres

spots = {
    "degrees": lambda x, y, z: np.exp(-(((x - 90) / 40) ** 2) - ((y - 60) / 25) ** 2) + 0 * z,
    "metres": lambda x, y, z: np.exp(-(((x - 9e3) / 3e3) ** 2) - ((z - 2e3) / 1e3) ** 2) + 0 * y,
}


def dyed(make, units="degrees", tracers=("dye",), **options):
    sim = make(tracers=list(tracers), **options)
    sim.model.set(**{name: spots[units] for name in tracers})
    return sim


turning, axis, bubble = small_spheres.turning, small_spheres.around_the_axis, small_planes.bubble
cases_of = {
    "sphere": lambda **p: dyed(turning, wind=60.0, **p),
    "many tracers": lambda **p: dyed(turning, tracers="abcdef", fix_mass=False, **p),
    "deep": lambda **p: small_spheres.deep_rotation(**p)[0],
    "area": lambda **p: dyed(axis, **p),
    "deep area": lambda **p: axis(deep=True, **p),
    "slice": lambda **p: bubble(ny=1, **p),
    "channel": lambda **p: dyed(bubble, "metres", **p),
    "plane without walls": lambda **p: bubble(walls=False, **p),
    "moist": small_spheres.aquaplanet,
}


@pytest.mark.parametrize("precision", ["fp64", "fp32"])
@pytest.mark.parametrize("name", cases_of)
def test_same_bits(name, precision):
    found = []
    for parallel in ({}, {"device": computers.name}, {"device": computers.name, "blocks": [10, 5]}):
        s = cases_of[name](precision=precision)
        s.parallel.update(parallel)
        s.advance(3)
        found.append({field: s.fields.checksum([field]) for field in s.fields.state})
        left = ", ".join(dict(s.describe()[1]).get("device", []))
        assert not any(f"GridPoint{what}" in left for what in ("Departure", "Transport", "Tracers"))
    assert found[0] == found[1] == found[2]
