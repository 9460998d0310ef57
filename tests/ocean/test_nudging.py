"""Nudging of tracers and flow in the sea, to numbers and to records in time."""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
import open_seas
from fathom.base.failure import InputError
from open_seas import plane, sea, start

still = {"coriolis": 0.0, "friction": None, "diffusion": None}
forward = {"tracer_advection": "QuickestAdvection"}  # without a step before


def test_a_tracer_is_drawn_where_it_is_said_with_a_closed_budget():
    """The distance falls by 1 - step / time a step in the box, nothing changes elsewhere."""
    west = fm.Nudging("dye", 3.0, "10h", region=((0, 5e4), (0, 4e4)), depth=(0, 50))
    parts = {
        "nudging": west,
        "tracers": ["dye"],
        "budgets": "dye",
        "vertical_mixing": still_water(),
    }
    model = sea(plane(10, 4), None, {}, **still, **forward, **parts).set(dye=1.0)
    sim = fm.Simulation(model, "1h", surface=fm.SurfaceForcing(), directory="nudged")
    sim.output("budget.zarr", ["dye_budget_nudging", "dye_budget_storage"], every="1h")
    sim.prepare().advance(6)
    dye = sim.gather("dye")
    assert np.allclose(dye[0, :, :5], 3 - 2 * 0.9**6, rtol=1e-12)
    assert (dye[0, :, 5:] == 1).all() and (dye[1] == 1).all()
    given, kept = (sim.gather(f"dye_budget_{term}") for term in ("nudging", "storage"))
    np.testing.assert_allclose(given, kept, rtol=0, atol=1e-15)


def still_water():
    return fm.ConstantMixing(diffusivity=0.0)


def test_the_flow_is_drawn_near_an_open_edge_alone():
    """All at the edge, nothing from so many cells on; the flow itself has no other force."""
    drawn = fm.Nudging("velocity", {"velocity_x": 0.1, "velocity_y": 0.0}, "5h", edges=4)
    model = sea(plane(12, 6), "west", {}, **still, nudging=drawn, momentum_advection=None)
    rate = sim_rate(start(model, "10min"))
    row = rate[0, 2, :-1]
    assert (np.diff(row[:4]) < 0).all() and (row[4:] == 0).all()
    assert row[0] == pytest.approx(1 / 18000, rel=0.2)


def sim_rate(sim):
    sim.advance(1)
    return sim.gather("nudging_rate_0")


def records(values):
    dates = xr.date_range("2000-01-01", periods=len(values), freq="1D")
    there = np.broadcast_to(np.reshape(values, (-1, 1, 1, 1)), (len(values), 2, 4, 10))
    return xr.DataArray(there, {"time": dates}, ("time", "depth", "y", "x"), "dye", {"units": "1"})


def test_records_in_time_are_followed():
    """A tracer that is drawn within a step is what the records say at its start."""
    drawn = fm.Nudging("dye", fm.Records(records([1.0, 2.0])), "1h")
    model = sea(plane(10, 4), None, {}, **still, **forward, nudging=drawn, tracers=["dye"])
    sim = start(model.set(dye=0.0), "1h", start="2000-01-01 06:00")
    sim.advance(3)
    assert np.allclose(sim.gather("dye"), 1 + 8 / 24, rtol=1e-12)


@pytest.mark.parametrize(
    "how, said",
    [
        ({"field": "die"}, "no field 'die' to nudge; did you mean 'dye'"),
        ({"edges": 3}, "the sea has no open edge"),
        ({"time": "0s"}, "must be longer than 0"),
        ({"field": "velocity", "to": {"velocity_x": 0.0}}, "wanted: eastward_velocity and north"),
        ({"region": ((5e6, 6e6), (0, 1))}, "no wet column of this grid lies in it"),
    ],
)
def test_what_cannot_be_is_refused(how, said):
    usual = {"field": "dye", "to": 1.0, "time": "1d"}
    with pytest.raises(InputError, match=said):
        sea(plane(10, 4), None, {}, nudging=fm.Nudging(**(usual | how)), tracers=["dye"])


def test_bits_of_ranks(on_ranks):
    assert on_ranks(1, open_seas, "drawn") == on_ranks(3, open_seas, "drawn", "blocks=[7,5]")
