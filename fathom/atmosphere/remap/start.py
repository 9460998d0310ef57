"""How an atmosphere starts: from an analysis, and without a burst of gravity waves.

    x(0) = sum_{n=-N}^{N} h_n x(n dt)

the states before from an adiabatic run backward, those after from the model itself (Lynch & Huang
1992); `fathom.atmosphere.spectral.digital_filter` has the weights. Ground and sea, which have no
gravity waves, start unchanged. During the filter a limited area is relaxed to its initial state,
and from the start on to its outer model.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from fathom.atmosphere.remap import forecast
from fathom.atmosphere.spectral.digital_filter import weights
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.base.moist_air import virtual_temperature
from fathom.grids.arguments import room_for_start


def analysis(model: Any, state: Any, time: int = 0) -> dict[str, Any]:
    """Returns the values to set of everything a forecast starts from: air, ground and sea; the
    model gets the orography of `fathom.data`. Dry air gets the temperature that gives it the
    density of the moist air.

    state : "gfs", "era5", "ecmwf", the path of a file, or a data set, as `fathom.data.atmosphere`
        has them.
    time : number of its record.
    """
    room_for_start(model.grid)
    model.check_ground(state if isinstance(state, (str, Path)) else "a data set")
    fields = model.forecast_start(state, time)
    model.orography, model.ground_of_earth = fields.pop("surface_geopotential"), True
    if not model.moist:
        fields["air_temperature"] = virtual_temperature(
            fields["air_temperature"], fields["specific_humidity"]
        )
    return {name: values for name, values in fields.items() if name in model.settable}


class Analysed(NamedTuple):
    """What a model starts from: a state, the number of its record, what it has set."""

    state: Any
    time: int
    found: dict[str, Any]


def take_date(model: Any, simulation: Any) -> None:
    """Takes the record of the state that is of the date at which a simulation starts, where there
    is one, else the first; warns of a state that is more than a year away. All ranks call it.
    """
    if model.analysed is None:
        return
    state, taken, before = model.analysed
    known, date = forecast.dates(state), str(simulation.clock.start)
    number = known.index(date) if date in known else 0
    if number != taken:
        found = model.read_analysis(state, number)
        kept = {name for name in found if model.initial.get(name) is not before.get(name)}
        model.initial |= {name: values for name, values in found.items() if name not in kept}
        model.analysed = Analysed(state, number, found)
    if known and simulation.is_root and abs(_year(known[number]) - _year(date)) > 1:
        warnings.warn(
            f"the state given is of {known[number]}, this run starts at {date}", stacklevel=2
        )


def _year(date: str) -> float:
    """Returns a date in years, to a month."""
    year, month, _ = date.split("-", 2)
    return int(year) + (int(month) - 1) / 12


def digital_filter(simulation: Any, span: Any) -> None:
    """Filters the state of a simulation at its start over `span` [s] around it. All ranks call
    it.
    """
    model, fields = simulation.model, simulation.fields
    if simulation.apart.on:  # helpers begin with the first step
        raise InputError(
            "radiation_ranks: the filter of the start needs radiation on the ranks that step; give"
            " the state digital_filter = 0, or leave out radiation_ranks"
        )
    h = weights(simulation.time_step, span)
    middle = len(h) // 2
    start, total = mpi.core.FieldSet(fields), mpi.core.FieldSet(fields, precision=8)
    total.scale(h[middle], model.prognostic)
    before = simulation.other(model.adiabatic(), -simulation.time_step)
    _draw_to_start(before.model, before.sequence, before.fields, -simulation.time_step)
    later = h[middle + 1 :]
    with _without_records(simulation):
        _draw_to_start(model, simulation.sequence, fields, simulation.time_step)
        with before.going_back(simulation, span):
            for weight in later:
                before.advance(1)
                total.axpy(weight, before.fields, model.prognostic)
        for weight in later:
            simulation.advance(1)
            total.axpy(weight, fields, model.prognostic)
    fields.copy(start)
    fields.copy(total, model.prognostic)
    simulation.count = 0
    simulation.sequence.start(fields)


@contextmanager
def _without_records(simulation: Any) -> Iterator[Any]:
    """Keeps records in time from being read here: they are read when the run begins."""
    forcing, simulation.forcing = simulation.forcing, None
    try:
        yield
    finally:
        simulation.forcing = forcing


def _draw_to_start(model: Any, sequence: Any, fields: Any, step: float) -> None:
    """Relaxes a model to its initial state, constant in time, in place of an outer one."""
    if not any(fields.has(f"{name}_outer_next") for name in model.prognostic):
        return
    for name, values in model.relaxed_to_start(step).items():
        for suffix in ("_previous", "_next"):
            fields.set(f"{name}_outer{suffix}", values, nearest_outside=True)
        sequence.ramp(f"{name}_outer_weight", step, 0.0, float("inf"))
