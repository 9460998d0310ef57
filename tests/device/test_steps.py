"""Models on a device have the bits that they have without. The processor takes the part of the
device: the same kernels in the same launches, and memory that is apart.
"""

import numpy as np
import pytest

import cases
import computers
import fathom as fm
import small_areas
import small_atmospheres
import small_spheres

there = {"solver": "pcsi", "preconditioner": "diagonal", "rotation": False}  # of the surface
forced = {"surface": fm.BulkForcing("coads")}

oceans = {
    "box": lambda **p: (
        cases.stirred(
            cases.box(
                precision=p.pop("precision", "fp64"),
                free_surface=computers.surface(),
            )
        ),
        {},
    ),
    "globe": lambda **p: (cases.globe(free_surface=fm.FreeSurface(**there), **p), forced),
    "full": lambda **p: (
        cases.globe(
            vertical_mixing=fm.KPP(),
            eddies=fm.GentMcWilliams(),
            tracer_advection=fm.UpwindAdvection(),
            free_surface=fm.FreeSurface(freshwater="volume", **there),
            friction=fm.AnisotropicFriction(),
            submesoscale=fm.MixedLayerEddies(),
            **p,
        ),
        forced,
    ),
}


def simulation(name, directory=".", parallel=None, **physics):
    model, driven = oceans[name](**physics)
    return fm.Simulation(model, "1h", directory=directory, parallel=parallel or {}, **driven)


@pytest.mark.parametrize(
    "name, precision",
    [
        *(("box", "fp64"), ("box", "fp32")),
        *(
            pytest.param(name, precision, marks=pytest.mark.long)
            for name in ("globe", "full")
            for precision in ("fp64", "fp32")
        ),
    ],
)
def test_same_bits_on_a_device(name, precision):
    found = []
    for parallel in ({}, {"device": computers.name, "blocks": [25, 29]}):
        s = simulation(name, parallel=parallel, precision=precision)
        s.advance(3)
        found.append({field: s.fields.checksum([field]) for field in s.model.prognostic})
    assert found[0] == found[1]


def test_there_and_back(tmp_path):
    make = lambda directory, parallel: simulation("box", directory, parallel)
    computers.there_and_back(tmp_path, make, ["temperature", "velocity_x"], half=240)


def test_fields_are_read_and_set_between_steps():
    found = []
    for parallel in ({}, {"device": computers.name}):
        s = simulation("box", parallel=parallel)
        s.advance(2)
        state = s.state
        state["temperature"] = state["temperature"] + 0.5
        s.advance(2)
        found.append((float(s.state["temperature"].mean()), s.checksum()))
    assert found[0] == found[1]


def test_a_device_that_is_not_there():
    with pytest.raises(ValueError, match=r"no device 'gpu'; allowed: cuda, processor"):
        fm.Simulation(cases.box(), "1h", parallel={"device": "gpu"})
    with pytest.raises(ValueError, match="did you mean 'cuda'"):
        fm.Simulation(cases.box(), "1h", parallel={"device": "cdua"})


def test_numbers_of_a_state_come_from_the_device():
    numbers = []
    for parallel in ({}, {"device": computers.name}):
        s = simulation("box", parallel=parallel)
        s.advance(3)
        motion = s.fields.motion(s.time_step)
        numbers.append((motion["speed"], s.fields.extremes("temperature")["maximum"]))
    assert numbers[0] == numbers[1]
    assert np.isfinite(numbers[0]).all()


@pytest.mark.parametrize(
    "surface, left, chosen",
    [
        ({"preconditioner": "factorisation"}, "BarotropicSolve", "pcg"),
        (there, "", "pcsi"),
        ({}, "free surface by pcsi and diagonal", "pcsi"),
    ],
)
def test_what_a_device_leaves_is_shown(surface, left, chosen):
    ocean = cases.box(free_surface=fm.FreeSurface(**surface))
    usual = ocean.free_surface.solver
    for parallel, solver in (({"device": computers.name}, chosen), ({}, usual)):
        sim = fm.Simulation(ocean, "1h", parallel=parallel).prepare()
        assert ocean.free_surface.solver == solver
        shown = ", ".join(dict(sim.describe()[1]).get("device", [])[1:])
        assert left in shown if parallel and left else not shown


atmospheres = {
    "spectral": lambda: small_atmospheres.held_suarez(physics=fm.BasicPhysics(ozone=None)),
    "limited area": lambda: small_areas.simulation(small_areas.disturbed()),
    "grid points": lambda: small_spheres.turning(),
}


@pytest.mark.parametrize("name", atmospheres)
def test_atmospheres(name):
    """Columns are computed on the device; what has no part there travels."""
    found = []
    for device in (None, computers.name):
        s = atmospheres[name]()
        s.parallel["device"] = device
        s.advance(4)
        found.append(s.checksum())
    assert found[0] == found[1]
