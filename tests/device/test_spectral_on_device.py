"""A spectral atmosphere on a device: transport along trajectories, transforms and the sums that
conserve mass and energy have the bits of the processor.
"""

from pathlib import Path

import pytest

import computers
import fathom as fm
import small_atmospheres

cases_of = {  # and what stays on the processor
    "full": ({"precision": "fp64"}, ""),
    "full, fp32": ({"precision": "fp32"}, ""),
    "reduced": ({"precision": "fp64", "reduced": "classical"}, ""),
    "octahedral": ({"truncation": 15, "rows": "cubic", "reduced": "octahedral"}, ""),
    "octahedral, fp32": (
        {"precision": "fp32", "truncation": 15, "rows": "cubic", "reduced": "octahedral"},
        "",
    ),
    "shared rows": ({"blocks": [10, 5]}, "SpectralStep"),
    "stretched": ({"stretching": 1.5, "tracers": ("smoke",)}, "SpectralStep"),
}


@pytest.mark.parametrize("name", cases_of)
def test_same_bits(name):
    options, left = cases_of[name]
    options = {"truncation": 10, "physics": fm.FirstPhysics(ozone=None)} | options
    found = []
    for device in (None, computers.name):
        s = small_atmospheres.held_suarez(**options)
        s.parallel["device"] = device
        s.advance(3)
        found.append({field: s.fields.checksum([field]) for field in s.fields.state})
    assert found[0] == found[1]
    shown = dict(s.describe()[1])["device"]
    assert ", ".join(shown[1:]).rpartition(": ")[2] == left


def test_several_ranks(on_ranks):
    found = on_ranks(3, Path(__file__).with_name("spectral_on_ranks.py"))
    for name, (here, there, left) in found.items():
        assert here == there, name
        assert left == ("SpectralStep" if name == "stretched" else "")


def test_coefficients_stay():
    levels, device = 8, fm.device.open(computers.name)
    s = small_atmospheres.held_suarez(truncation=10, levels=levels)
    s.parallel["device"] = computers.name
    s.advance(2)
    before = device.travelled
    s.advance(1)
    coefficients = 11 * 12 * (3 * levels + 1) * 8  # bytes
    assert device.travelled - before < coefficients
