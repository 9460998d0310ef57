"""A spectral atmosphere on a device, on a sphere or on the plane of an area, and shallow water:
transport along trajectories, coupling, transforms, the solve and the sums that conserve mass and
energy have the bits of the processor.
"""

from pathlib import Path

import pytest

import computers
import fathom as fm
import small_areas
import small_atmospheres
import small_trajectories

spheres = {
    "full": {},
    "full, fp32": {"precision": "fp32"},
    "reduced": {"reduced": "classical"},
    "octahedral": {"truncation": 15, "rows": "cubic", "reduced": "octahedral"},
    "octahedral, fp32": {
        "precision": "fp32",
        "truncation": 15,
        "rows": "cubic",
        "reduced": "octahedral",
    },
    "shared rows": {"blocks": [10, 5]},
    "stretched, shared rows": {"stretching": 1.5, "tracers": ("smoke",), "blocks": [10, 5]},
    "eulerian": {"scheme": "eulerian", "step": "1200s", "tracers": ("smoke",), "physics": None},
}
waters = {
    "one block": {"parallel": {"distribution": "square"}},
    "fp32": {"precision": "fp32", "off_centring": 0.1, "viscosity": 1e5},
    "octahedral": {"truncation": 15, "rows": "cubic", "reduced": "octahedral"},
    "stretched, shared rows": {"stretching": 1.5, "parallel": {"blocks": [10, 5]}},
    "eulerian": {
        "scheme": "eulerian",
        "step": "900s",
        "robert_asselin": 0.05,
        "reduced": "classical",
    },
    "eulerian, fp32": {"scheme": "eulerian", "step": "900s", "precision": "fp32"},
}
areas = {
    "periodic": {"periodic": True, "grid": small_areas.plane(points=(20, 18))},
    "periodic, fp32": {"periodic": True, "precision": "fp32"},
    "odd rows": {"periodic": True, "grid": small_areas.plane(points=(21, 17))},
    "area": {"physics": [fm.BasicPhysics(ozone=None)]},
    "area, fp32": {"precision": "fp32", "tracers": ()},
    "non-hydrostatic": {"dynamics": "non-hydrostatic"},
    "non-hydrostatic, fp32": {"dynamics": "non-hydrostatic", "precision": "fp32"},
}


def checked(make, steps):
    """What the processor computes of a simulation on a device."""
    found = []
    for device in (None, computers.name):
        s = make()
        s.parallel["device"] = device
        s.advance(steps)
        found.append({field: s.fields.checksum([field]) for field in s.fields.state})
    assert found[0] == found[1]
    shown = dict(s.describe()[1])["device"]
    return ", ".join(shown[1:]).rpartition(": ")[2]


@pytest.mark.parametrize("name", spheres)
def test_same_bits(name):
    options = {"truncation": 10, "physics": fm.BasicPhysics(ozone=None)} | spheres[name]
    assert checked(lambda: small_atmospheres.held_suarez(**options), 3) == ""


@pytest.mark.parametrize("name", waters)
def test_same_bits_of_shallow_water(name):
    assert checked(lambda: small_trajectories.shallow_water(**waters[name]), 4) == ""


@pytest.mark.parametrize("scheme, step", [("semi-lagrangian", "1800s"), ("eulerian", "900s")])
def test_shallow_water_there_and_back(tmp_path, scheme, step):
    make = lambda directory, parallel: small_trajectories.shallow_water(
        scheme=scheme, step=step, directory=directory, parallel=parallel
    )
    computers.there_and_back(tmp_path, make, ["vorticity", "geopotential_height"], half=120)


@pytest.mark.parametrize("name", areas)
def test_same_bits_of_an_area(name):
    options = {"grid": small_areas.area(points=(22, 18))} | areas[name]
    make = lambda: small_areas.simulation(small_areas.disturbed(**options), "300s")
    assert checked(make, 2) == ""


@pytest.mark.parametrize(
    "some",
    [["full", "stretched", "area"], pytest.param([], marks=pytest.mark.long, id="all")],
)
def test_several_ranks(on_ranks, some):
    found = on_ranks(3, Path(__file__).with_name("spectral_on_ranks.py"), *some)
    assert len(found) == (len(some) or 11)
    for name, (here, there, left) in found.items():
        assert here == there, name
        assert left == ""


def test_coefficients_stay():
    levels, device = 8, fm.model.device.open(computers.name)
    s = small_atmospheres.held_suarez(truncation=10, levels=levels)
    s.parallel["device"] = computers.name
    s.advance(2)
    before = device.travelled
    s.advance(1)
    coefficients = 11 * 12 * (3 * levels + 1) * 8  # bytes
    assert device.travelled - before < coefficients
