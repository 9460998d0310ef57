"""The ocean's sequence: the same bits with and without groups and computation in the halo; its
exchanges; memory once warm.
"""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cases import box, globe, simulate, stirred, wind
from fathom.base import mpi

here = Path(__file__).parent


def ocean(case):
    import fathom as fm

    if case == "globe":  # folded; land blocks dropped; real forcing
        return simulate(globe(), step="3600s", surface=fm.BulkForcing(), blocks=(34, 29))
    schemes = {
        "tracer_advection": fm.UpwindAdvection(),
        "friction": fm.BiharmonicFriction(viscosity=1e11),
        "diffusion": fm.LaplacianDiffusion(),
    }
    return simulate(stirred(box(tracers=["ideal_age"], **schemes)), surface=wind(), blocks=(13, 9))


def scheduled(monkeypatch, case, steps, **options):
    original = mpi.core.StepProgram
    with monkeypatch.context() as m:
        m.setattr(
            mpi.core,
            "StepProgram",
            lambda *arguments, **given: original(*arguments, **(given | options)),
        )
        sim = ocean(case).prepare()
    sim.advance(steps)
    return sim


@pytest.mark.parametrize(
    "case, steps", [("box", 6), pytest.param("globe", 2, marks=pytest.mark.long)]
)
def test_same_bits_however_it_is_scheduled(monkeypatch, case, steps):
    usual = scheduled(monkeypatch, case, steps)
    others = [
        {"compute_in_halo": False},
        {"group": False},
        {"compute_in_halo": False, "group": False, "tile": 16},
    ]
    for options in others:
        sim = scheduled(monkeypatch, case, steps, **options)
        assert sim.checksum() == usual.checksum(), options
        assert len(sim.sequence.groups) >= len(usual.sequence.groups)
    assert usual.fields.motion(usual.time_step)["speed"] > 1e-3


def test_exchanges_of_the_ocean():
    """Four messages a step besides those of the solver: what the pressure gradient needs, the
    predicted depth mean with the flow of the compact slope, the height's increment, and new
    velocities together with the tracers.
    Transports and tendencies are never sent: they live in cache."""
    sim = simulate(stirred(box()), surface=wind()).prepare()
    sent = [
        {name.split("(")[0] for name in g["exchange"]} for g in sim.sequence.groups if g["exchange"]
    ]
    assert sent == [
        {"pressure", "sea_surface_height", "viscosity_at_center"},
        {"depth_mean_x_predicted", "depth_mean_y_predicted", "alternating_flow"},
        {"sea_surface_height_increment"},
        {"velocity_x_after", "velocity_y_after", "temperature", "salinity"},
    ]
    scratch = {f["name"] for f in sim.fields.fields if f["scratch"]}
    assert {
        "transport_east",
        "transport_up",
        "velocity_tendency_x",
        "temperature_tendency",
        "mixing_pivot",
    } <= scratch


@pytest.mark.skipif("FATHOM_SANITIZED" in os.environ, reason="a sanitizer keeps its own pages")
def test_warm_steps_touch_no_new_page():
    """Twenty warm steps, solver and exchanges included: no minor page fault. A few are allowed for
    the interpreter around the call.
    """
    sim = ocean("box")
    sim.advance(5)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    sim.sequence.advance(sim.fields, 20)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before <= 2


@pytest.mark.skipif(
    not sys.platform.startswith("linux")
    or not shutil.which("cc")
    or "FATHOM_SANITIZED" in os.environ,
    reason="counts by a preloaded library, on glibc",
)
def test_warm_steps_allocate_nothing(tmp_path):
    """Every malloc of the process is counted but those of the OpenMP library: 21 warm steps, solver
    and exchanges included, make as many calls as 1."""
    library = tmp_path / "allocations.so"
    subprocess.run(
        ["cc", "-O1", "-shared", "-fPIC", here / "allocations.c", "-o", library, "-ldl"], check=True
    )
    environment = {**os.environ, "LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(here / "allocations.py")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    few, many, _ = map(int, done.stdout.split())
    assert many == few


def test_solvers_are_prepared_after_the_fields_are_set():
    """There is no other order: what fills the set is an argument."""
    sim = simulate(stirred(box()), surface=wind()).prepare()
    processes = sim.model.processes(sim.time_step, sim.surface)
    other = mpi.core.StepProgram(sim.domain, processes, rotate=sim.model.rotations)
    fields = mpi.core.FieldSet(other)
    with pytest.raises(TypeError, match="fill"):
        other.prepare(fields)
    other.prepare(fields, lambda given: given.copy(sim.fields))
    other.advance(fields, 3)
    sim.sequence.advance(sim.fields, 3)
    names = sim.model.prognostic
    assert fields.checksum(names) == sim.fields.checksum(names)
    with pytest.raises(ZeroDivisionError):
        other.prepare(fields, lambda given: 1 / 0)
