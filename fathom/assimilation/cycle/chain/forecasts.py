"""The forecasts of a chain: with all physics, compared with observations while they run, and
restarts where the next stages need them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.cycle.chain import models, network
from fathom.assimilation.cycle.chain.settings import Suite
from fathom.assimilation.observations import base
from fathom.atmosphere.remap.given_state import grid_of
from fathom.base import mpi
from fathom.base.clock import seconds_if_any
from fathom.base.failure import InputError
from fathom.output.formats import restart

air = ("air_temperature", "specific_humidity", "eastward_wind", "northward_wind",
       "surface_air_pressure", "surface_geopotential")  # fmt: skip  # from which any model starts
on_pressures = ("geopotential_height", "air_temperature", "eastward_wind", "northward_wind",
                "relative_humidity")  # fmt: skip
pressures = (1000, 925, 850, 700, 500, 400, 300, 250, 200, 100, 50)
at_ground = ("air_pressure_at_mean_sea_level", "surface_air_pressure")
around = (*air, "geopotential")
of_outer = (1000, 950, 900, 850, 800, 700, 600, 500, 400, 300, 250, 200, 150, 100, 70, 50, 30, 20,
            10)  # fmt: skip  # hPa
Legs = Sequence[tuple[float, Path | None]]  # seconds, and the restart at their end


def run(
    suite: Suite, folder: Path, begin: Path | None, legs: Legs,
    observed: Mapping[str, Path] | None = None, settings: Sequence[str] = (), store: str = "",
) -> Any:  # fmt: skip
    """Runs a forecast from a restart, or from [state], over legs of time with a restart after each.
    observed: name in the folder -> base that it is compared with; store: how often outer.zarr has
    the air for areas inside. Returns the simulation.
    """
    start = began(suite, begin)
    s = models.simulation(suite, folder, start, begin, settings)
    for name, path in (observed or {}).items():
        s.observe(path, every=suite.observations.slot, path=name)
    if store:
        s.output(
            "outer.zarr", variables=list(around), levels=list(of_outer), every=store,
            latlon_resolution=half_of(180 / s.model.grid.horizontal.ny),
        )  # fmt: skip
    _legs(models.prepared(s), legs)
    return s


def half_of(spacing: float) -> float:
    """Returns the coarsest regular grid [degrees] of at most half the spacing of a model's rows, so
    that splines through it have four points for the shortest wave and more."""
    return next((r for r in (5.0, 3.0, 2.0, 1.0, 0.5) if r <= 0.5 * spacing), 0.25)


def _legs(simulation: Any, legs: Legs) -> None:
    """Runs legs of time, with a restart after each that has a path."""
    for seconds, end in legs:
        if seconds:
            simulation.run(f"{seconds:.0f}s", progress=None, report=False)
        if end is not None:
            simulation.write_restart(end)


def began(suite: Suite, begin: Path | None) -> np.datetime64:
    """Returns the start date of the run that a restart is of; of [simulation] without one."""
    if begin is None:
        text = str(suite.run.get("start", "2000-01-01"))
    else:
        with restart.read(begin) as file:
            text = file.header.start
    return np.datetime64(text.replace(" ", "T"), "s")


def background(suite: Suite, number: int, before: Path | None, folder: Path) -> None:
    """Makes the background of a window, background.fathom at the date of the analysis, and
    departures.parquet of its observations; before: the restart that it goes on from.
    """
    first = 0.0 if suite.along else suite.window / 2
    legs: list[tuple[float, Path | None]] = []
    if before is None:
        legs = [(seconds_if_any(suite.chain.spin_up, "spin_up"), folder / "begin.fathom")]
    elif not suite.along:
        first += suite.window / 2
    legs += [(first, folder / "background.fathom"),
            (suite.window if suite.along else suite.window / 2, None)]  # fmt: skip
    given = {"departures.parquet": folder / "observed.parquet"}
    s = run(suite, folder / "background", before, legs, given, store=suite.chain.store)
    _bring(s, folder / "background" / "departures.parquet", folder / "departures.parquet")


def first_of_area(suite: Suite, begin: Path, folder: Path) -> None:
    """Makes the first background of an area from a restart of the globe of the begin of the first
    window.
    """
    where, first = [f'state={{analysis="{begin}"}}'], 0.0 if suite.along else suite.window / 2
    s = models.simulation(suite, folder / "background", suite.start, None, where)
    s.observe(folder / "observed.parquet", every=suite.observations.slot)
    models.prepared(s)
    _legs(s, [(first, folder / "background.fathom"), (suite.window - first, None)])
    _bring(s, folder / "background" / "departures.parquet", folder / "departures.parquet")


def analysed(suite: Suite, begin: Path, folder: Path, end: Path | None) -> None:
    """Makes the trajectory of an analysis at the start of a window: analysed.parquet has its
    departures, `end` its restart there.
    """
    given = {"departures.parquet": folder / "screened.parquet"}
    s = run(suite, folder / "analysed", begin, [(suite.window, end)], given)
    _bring(s, folder / "analysed" / "departures.parquet", folder / "analysed.parquet")


def _bring(simulation: Any, there: Path, here: Path) -> None:
    simulation.on_root(lambda: there.replace(here))
    mpi.world.barrier()  # the files are there for all


def products(suite: Suite, begin: Path, folder: Path, long: bool) -> dict[str, Any]:
    """Makes analysis.grib2, the air on the model's levels, and, if `long`, the forecast from it
    with pressure.grib2 and a restart at its end, forecast-end.fathom.
    """
    s = models.simulation(suite, folder / "forecast", began(suite, begin), begin)
    length = seconds_if_any(suite.chain.forecast, "forecast") if long else suite.step
    span = f"{length:.0f}s"
    s.output("analysis.grib2", variables=list(air), every=span)
    if long:
        s.output("pressure.grib2", variables=list(on_pressures), levels=list(pressures), every="6h")
        s.output("surface.grib2", variables=list(at_ground), every="6h")
    models.prepared(s).run(span, progress=None, report=False)
    names = ["analysis.grib2", *(["pressure.grib2", "surface.grib2"] if long else [])]
    for name in names:
        _bring(s, folder / "forecast" / name, folder / name)
    if long:
        s.write_restart(folder / "forecast-end.fathom")
    return {"products": names, "hours": length / 3600}


# ---- nature ------------------------------------------------------------------------------------


def nature_begins(suite: Suite, out: Path) -> None:
    """Runs nature from [state] over the spin-up: start.fathom."""
    legs = [(seconds_if_any(suite.chain.spin_up, "spin_up"), out / "start.fathom")]
    run(suite, out / "spin-up", None, legs, settings=suite.nature.set)


def nature(suite: Suite, number: int, before: Path, folder: Path, first: Path) -> dict[str, Any]:
    """Runs nature through a window: middle.fathom and end.fathom, and its observations with errors
    as observed.parquet; first: a restart whose ground the stations stand on.
    """
    o, seed = suite.observations, suite.chain.seed
    begin = int(suite.begin(number).astype("i8"))
    counts = {k: o.amount * n for k, n in network.usual.items()} | dict(o.kinds)
    end = begin + round(suite.window)
    blank = network.drawn(counts, begin, end, seed, ground_of(first))
    if mpi.is_root:
        base.write(blank, folder / "blank.parquet")
    mpi.world.barrier()  # the files are there for all
    half = suite.window / 2
    legs = [(half, folder / "middle.fathom"), (half, folder / "end.fathom")]
    given = {"departures.parquet": folder / "blank.parquet"}
    run(suite, folder / "run", before, legs, given, suite.nature.set)
    data = base.read(folder / "run" / "departures.parquet")
    data = data.taken(np.isfinite(data["background_departure"]))
    network.with_errors(data, -data["background_departure"], seed, number, o.bias)
    return {"data": write_fresh(data, folder / "observed.parquet")}


def check_base(suite: Suite) -> None:
    """Checks the base that is given before the first window. InputError: it is of other dates, or
    its data have no errors.
    """
    place = suite.document.place("observations", "base")
    path, last = suite.observations.base, suite.begin(suite.chain.windows)
    first, end = (int(t.astype("i8")) for t in (suite.start, last))
    where = f"time >= {first} AND time < {end} AND reason = 0"
    counts = base.query(
        "SELECT min(time) AS first, max(time) AS last,"
        f" count(*) FILTER ({where}) AS within,"
        f" count(*) FILTER ({where} AND NOT coalesce(error_final, 0) > 0) AS without"
        " FROM observations",
        path,
    ).to_pylist()[0]
    if not counts["within"]:
        dates = [np.datetime64(int(counts[n] or 0), "s") for n in ("first", "last")]
        raise InputError(
            f"{place}: {path} is of {dates[0]} to {dates[1]}; the windows are of {suite.start} to"
            f" {last}"
        )
    if 2 * counts["without"] > counts["within"]:
        raise InputError(
            f"{place}: {path}: {counts['without']} of {counts['within']} data of the windows have"
            " no error; allowed are bases of fathom observations import, which gives each its error"
        )


def cut(suite: Suite, number: int, folder: Path) -> dict[str, Any]:
    """Takes the data of a window from the base that is given."""
    first = int(suite.begin(number).astype("i8"))
    data = base.read(
        suite.observations.base, f"time >= {first} AND time < {first + round(suite.window)}"
    )
    return {"data": write_fresh(data.sorted(), folder / "observed.parquet")}


def write_fresh(data: base.Observations, path: Path) -> int:
    """Writes data as they were before any comparison; returns how many."""
    for name in ("background_departure", "analysis_departure", "background_error", "bias"):
        data[name] = np.nan
    data["weight"], data["slot"] = 1.0, -1
    if mpi.is_root:
        base.write(data, path)
    mpi.world.barrier()  # the files are there for all
    return len(data)


def ground_of(path: Path) -> network.Ground:
    """Returns a function of places: altitude [m] and share of land of the ground of a restart."""
    header, fields = models.read(path)
    grid = grid_of(header, path)
    land = fields.get("land_fraction", np.zeros_like(fields["surface_geopotential"]))[0]
    height = models.altitude(fields)

    def at(longitude: np.ndarray, latitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        around = grid.interpolation(longitude, latitude)
        found = (np.sum(f.ravel()[around.index] * around.weight, 1) for f in (height, land))
        return next(found), next(found)

    return at
