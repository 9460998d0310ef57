"""What an ocean does with the whole sea at once: overflows, motion of ice, balanced fluxes. On a
device the bits are those of the processor.
"""

import numpy as np
import pytest

import cases
import computers
import fathom as fm
import icy


def overflowing(precision, parallel):
    model = cases.ridge(precision=precision, free_surface=computers.surface())
    return fm.Simulation(model, "1h", parallel=parallel)


def icy_sea(precision, parallel):
    return icy.uneven(precision=precision, parallel=parallel)


def balanced(precision, parallel):
    model = cases.stirred(cases.box(precision=precision, free_surface=computers.surface()))
    surface = fm.SurfaceForcing(
        freshwater_flux=lambda x, y: 1e-5 * np.sin(x / 2e5) + 2e-5, balanced=True
    )
    return fm.Simulation(model, "1h", surface=surface, parallel=parallel)


cases_of = {"overflow": overflowing, "ice": icy_sea, "balance": balanced}


@pytest.mark.parametrize("precision", ["fp64", "fp32"])
@pytest.mark.parametrize("name", cases_of)
def test_same_bits(name, precision):
    found = []
    for parallel in ({}, {"device": computers.name}, {"device": computers.name, "blocks": [5, 7]}):
        s = cases_of[name](precision, parallel)
        s.advance(6)
        found.append({field: s.fields.checksum([field]) for field in s.fields.state})
    assert found[0] == found[1] == found[2]
