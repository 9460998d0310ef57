"""A weather service's chain in cycles, window after window:

    observations -> background -> screening -> minimisation -> surface -> products -> feedback

    observations   of nature, with errors, or a part of a base that is given: observed.parquet
    background     the forecast from the last analysis, with all physics, compared with the data at
                   their times: departures.parquet, background.fathom
    screening      less the bias of radiances; what is used, and why not: screened.parquet
    minimisation   increments of the air, added to the background: air.fathom
    surface        ground, snow and sea: analysis.fathom, which starts any model
    feedback       departures of the analysis, weights and reasons: feedback.parquet
    scores         distances of background and analysis from nature, where there is one

Each stage leaves its files and its record in the folder of its window; a chain that was stopped
goes on with the first stage that has none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.cycle import kept, surface_analysis
from fathom.assimilation.cycle.chain import (
    forecasts,
    influence,
    members,
    models,
    report,
    scores,
)
from fathom.assimilation.cycle.chain.biases import Bias
from fathom.assimilation.cycle.chain.minimisation import (
    Analyser,
    Increments,
    increment_on,
    vector_on,
)
from fathom.assimilation.cycle.chain.models import State
from fathom.assimilation.cycle.chain.settings import Suite
from fathom.assimilation.cycle.chain.stages import Stages
from fathom.assimilation.observations import base, blacklist, plugged, screening
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reasons import code
from fathom.base import mpi, writing
from fathom.base.clock import seconds_if_any
from fathom.run import launch

Say = Callable[[str], None]
no_weight = 0.02  # of quality control: a datum with less has no say


class Cycles:
    """A chain in its directory. InputError: the directory has another one."""

    def __init__(self, suite: Suite, out: Path, say: Say = lambda text: None) -> None:
        self.suite, self.out, self.say = suite, out.absolute(), say
        plugged.load()  # operators from elsewhere are tested now
        if not self.simulated:
            forecasts.check_base(suite)
        self.analysers: dict[int, Analyser] = {}  # by outer loop
        self.stages: list[Stages] = []
        given = suite.document.section("parallel").get("threads")
        self.threads = int(given or launch.threads_of_environment())
        if mpi.is_root:
            self.out.mkdir(parents=True, exist_ok=True)
        mpi.world.barrier()  # the folder is there
        kept.claim_text(
            self.out / "experiment.json", json.loads(json.dumps(suite.said, default=str))
        )

    @property
    def simulated(self) -> bool:
        """Returns whether nature is observed."""
        return not self.suite.observations.base

    def folder(self, number: int) -> Path:
        """Returns the folder of a window."""
        return self.out / f"window-{number:04d}"

    def run(self) -> list[dict[str, Any]]:
        """Returns the results of all windows, and writes the report after each."""
        results = []
        for number in range(self.suite.chain.windows):
            results.append(self.window(number))
            self.say(report.told(number, results[-1]))
            self.report(results)
        return results

    def report(self, results: list[dict[str, Any]]) -> list[str]:
        """Writes report.txt, report.json and report.html; returns the lines of the first."""
        if not mpi.is_root:
            return []
        document, deadline = (
            self.suite.document,
            seconds_if_any(self.suite.chain.deadline, "deadline"),
        )
        title = f"The chain {Path(document.name).stem}"
        return report.write(self.out, results, self.simulated, deadline, document.text, title)

    def window(self, number: int) -> dict[str, Any]:
        """Returns the records of all stages of a window."""
        folder = self.folder(number)
        stages = Stages(folder, self.threads)
        self.stages.append(stages)
        stages.run("observations", lambda: self.observations(number, folder))
        stages.run("background", lambda: self.background(number, folder))
        stages.run("screening", lambda: self.screening(number, folder))
        if self.suite.of_members:
            self.members(number, folder, stages)
        stages.run("minimisation", lambda: self.minimisation(number, folder))
        if self.suite.of_members:
            self.members_after(number, folder, stages)
        stages.run("surface", lambda: self.surface(number, folder))
        stages.run("products", lambda: self.products(number, folder))
        stages.run("feedback", lambda: self.feedback(number, folder))
        if number and self.suite.report.impact:
            before = self.stages[number - 1]
            before.run("impact", lambda: self.impact(number - 1, before.folder, folder))
        if self.simulated:
            stages.run("scores", lambda: self.scores(number, folder))
        return stages.records

    # ---- stages ----------------------------------------------------------------------------------

    def observations(self, number: int, folder: Path) -> dict[str, Any]:
        """Writes the data of a window into its folder: cut out of the base, or seen in a run of
        nature; returns what is told of them.
        """
        if not self.simulated:
            told = forecasts.cut(self.suite, number, folder)
        else:
            nature = Stages(self.out / "nature", self.threads)
            nature.run("start", lambda: forecasts.nature_begins(self.suite, nature.folder))
            first = nature.folder / "start.fathom"
            before = self.folder(number - 1) / "end.fathom" if number else first
            told = forecasts.nature(self.suite, number, before, folder, first)
        return told

    def background(self, number: int, folder: Path) -> None:
        """Writes background.fathom of a window: the forecast of the one before."""
        before = None
        if number:
            last = self.folder(number - 1)
            before = last / ("forecast.fathom" if self.suite.along else "analysis.fathom")
        forecasts.background(self.suite, number, before, folder)

    def screening(self, number: int, folder: Path) -> dict[str, Any]:
        """Subtracts biases and screens; all ranks share the data."""
        suite, began = self.suite, int(self.suite.begin(number).astype("i8"))
        given = suite.screening
        rules = blacklist.read(given.blacklist) if given.blacklist else ()
        settings = screening.Settings(
            window=(began, began + suite.window),
            limit=given.limit,
            boxes=screening.boxes if given.thinning else {},
            rules=rules,
            threads=self.threads,
        )
        state = State(folder / "background.fathom")
        bias = self.bias(number)

        def correct(data: Observations) -> None:
            _without(data, suite.observations.without)
            fields = state.space.columns(state.vector, state.fields)
            held, _ = state.space.held(fields, _placed(data))
            size = bias.of(data, state.space.air, held)[0]
            data["bias"] = np.where(bias.key(data) > 0, size, np.nan)
            data["background_departure"] = data["background_departure"] - size

        figures = screening.screen_file(
            folder / "departures.parquet", folder / "screened.parquet", settings, mpi.world, correct
        )
        return {k: figures[k] for k in ("data", "used", "removed")}

    def minimisation(self, number: int, folder: Path) -> dict[str, Any]:
        """Makes air.fathom, and departures and weights of the analysis in increments.npz."""
        state = State(folder / "background.fathom")
        data = self.used(folder / "screened.parquet")
        made: Increments | None = None
        for loop in range(self.suite.loops):
            made = self._loop(number, loop, state, data, made)
        assert made is not None
        kinds, freedom = influence.degrees_of_freedom(made, data, self.suite, number)
        if mpi.is_root:
            with writing.whole(folder / "increments.npz") as part:
                np.savez(
                    part, residuals=made.residuals, weights=made.weights, increment=made.increment
                )
            writing.replace(folder / "bias.json", json.dumps(made.bias.as_json()))
        mpi.world.barrier()  # the files are there for all
        told = {}
        if self.suite.of_members:
            analyser = self.analyser_for(state)
            told = {"spread": members.spread(self, analyser, folder, vector_on(analyser, state))}
        return {**made.numbers, **told, "kinds": kinds, "freedom": freedom}

    def members(self, number: int, folder: Path, stages: Stages) -> None:
        """Makes the backgrounds of all members, each a stage."""
        for n, place in members.folders(self.suite, folder):

            def make(n: int = n, place: Path = place) -> None:
                if number:
                    before = self.folder(number - 1) / place.name / "analysis.fathom"
                    members.run(self.suite, number, before, place)
                else:
                    members.first(self, n, State(folder / "background.fathom"), place)

            stages.run(place.name, make)

    def members_after(self, number: int, folder: Path, stages: Stages) -> None:
        """Makes the analyses of all members, with H' of the control; each a stage."""
        every = list(members.folders(self.suite, folder))
        known: list[tuple[Any, Increments]] = []  # made for the first that is not done

        def work(n: int, place: Path) -> None:
            if not known:
                known.append(self._linear(number, folder))
            members.analyse(self, number, n, *known[0], place)

        for n, place in every:
            stages.run(f"{place.name}-analysis", partial(work, n, place))

    def _linear(self, number: int, folder: Path) -> tuple[Any, Increments]:
        """Returns the background on the grid of the increments, and the control's analysis about it
        without a minimisation: its data, H' and increment."""
        state = State(folder / "background.fathom")
        x = vector_on(self.analyser_for(state), state)
        began = float(self.suite.begin(number).astype("i8"))
        data = self.used(folder / "screened.parquet")
        made = self.analyser_for(state).linearised(x, data, began, self.bias(number))
        with np.load(folder / "increments.npz") as known:
            made.increment = known["increment"]
        return x, made

    def _loop(
        self, number: int, loop: int, state: State, data: Observations, before: Increments | None
    ) -> Increments:
        """Returns the increments of an outer loop, and writes the background with them as
        air.fathom: about the background, or about what the loop before has made, from departures
        of the forecast from there.
        """
        folder, analyser = self.folder(number), self.analyser_for(state, loop)
        x = present = vector_on(analyser, state)
        start = weights = None
        if before is not None:
            data = self._compared_again(folder, loop)
            present = vector_on(analyser, State(folder / "air.fathom"))
            coarse = self.analyser_for(state, loop - 1)
            start = models.between(coarse.space, analyser.space, before.increment)
            weights = before.weights
            coarse.forget()
        of = self.suite.of_members
        root = members.background(self, analyser, folder, x) if of else None
        began = float(self.suite.begin(number).astype("i8"))
        made = analyser.analyse(present, data, began, self.bias(number), start, root, weights)
        whole, date = increment_on(analyser, state, made.increment), self.suite.analysed(number)
        models.set_out(
            self.suite, state.with_increment(whole), state.header, date, folder / "air.fathom"
        )
        return made

    def _compared_again(self, folder: Path, loop: int) -> Observations:
        """Returns the data with departures of a forecast from air.fathom."""
        place = folder / f"outer-{loop}"
        if mpi.is_root:
            place.mkdir(exist_ok=True)
            (place / "screened.parquet").write_bytes((folder / "screened.parquet").read_bytes())
        mpi.world.barrier()  # the files are there for all
        forecasts.analysed(self.suite, folder / "air.fathom", place, None)
        return self.used(place / "analysed.parquet", bias=folder / "screened.parquet")

    def surface(self, number: int, folder: Path) -> dict[str, Any]:
        """Makes analysis.fathom: air.fathom with the analysis of ground, snow and sea."""
        suite, told = self.suite, {}
        air, out = folder / "air.fathom", folder / "analysis.fathom"
        if suite.observations.surface:
            hours = suite.window / 3600
            told = surface_analysis.analyse(
                folder / "screened.parquet", air, out, mpi.world, hours, missing=True
            )
        elif mpi.is_root:
            writing.replace(out, air.read_bytes())
        mpi.world.barrier()  # the files are there for all
        return {"surface": told}

    def products(self, number: int, folder: Path) -> dict[str, Any]:
        """Makes analysis.grib2, and the products of a forecast from every so many analyses."""
        every = seconds_if_any(self.suite.chain.every, "every")
        long = bool(self.suite.chain.forecast) and (number * self.suite.window) % every == 0
        return forecasts.products(self.suite, folder / "analysis.fathom", folder, long)

    def feedback(self, number: int, folder: Path) -> dict[str, Any]:
        """Makes feedback.parquet: the screened base with what the analysis has made of it; for
        increments at the start also the forecast through the window, forecast.fathom.
        """
        data = base.read(folder / "screened.parquet")
        used = np.flatnonzero(_usable(data))
        with np.load(folder / "increments.npz") as made:
            data["analysis_departure"][used] = made["residuals"]
            data["weight"][used] = made["weights"]
        if self.suite.along:
            forecasts.analysed(
                self.suite, folder / "analysis.fathom", folder, folder / "forecast.fathom"
            )
            after = base.read(folder / "analysed.parquet")
            size = np.nan_to_num(data["bias"])
            data["analysis_departure"] = after["background_departure"] - size
        light = np.zeros(len(data), bool)
        light[used] = data["weight"][used] < no_weight
        removed = data.remove(light, code["no weight"])
        if mpi.is_root:
            base.write(data, folder / "feedback.parquet")
        mpi.world.barrier()  # the files are there for all
        return {"no_weight": removed, "departures": scores.by_kind(data)}

    def scores(self, number: int, folder: Path) -> dict[str, Any]:
        """Returns distances of background and analysis from nature."""
        truth = self.truth(number)
        return {
            name: scores.distances(folder / f"{file}.fathom", truth)
            for name, file in (("background", "background"), ("analysis", "analysis"))
        }

    def impact(self, number: int, folder: Path, after: Path) -> dict[str, Any]:
        """Returns the impact of data on the forecast to the next analysis, measured against nature,
        or that analysis; after: the folder of the next window.
        """
        suite, start = self.suite, State(folder / "background.fathom")
        there = folder / "unanalysed.fathom"
        legs = [(suite.window, there)]
        forecasts.run(suite, folder / "unanalysed", folder / "background.fathom", legs)
        analyser = self.analyser_for(start)
        truth = self.truth(number + 1) if self.simulated else after / "analysis.fathom"
        names = (after / "background.fathom", there, truth)
        ours, before, right = (vector_on(analyser, State(path)) for path in names)
        x, made = self._linear(number, folder)
        of = suite.of_members
        root = members.background(self, analyser, folder, x) if of else analyser.background(x)
        data = self.used(folder / "screened.parquet")
        errors = (ours - right, before - right)
        return influence.impact(analyser, x, made, root, errors, suite.window, data)

    def truth(self, number: int) -> Path:
        """Returns the restart of nature at the date of an analysis."""
        return self.nature_at(number, self.suite.along)

    def nature_at(self, number: int, start: bool) -> Path:
        """Returns the restart of nature at the start of a window, or in its middle."""
        if not start:
            return self.folder(number) / "middle.fathom"
        before = self.folder(number - 1) / "end.fathom"
        return before if number else self.out / "nature" / "start.fathom"

    # ---- what stages share -----------------------------------------------------------------------

    def analyser_for(self, state: State, loop: int = -1) -> Analyser:
        """Returns the analyser of an outer loop, of the last by default, with ground and sea of
        this state."""
        which = loop % self.suite.loops
        if which not in self.analysers:
            self.analysers[which] = self.new_analyser(state, which)
        self.analysers[which].renewed(state)
        return self.analysers[which]

    def new_analyser(self, state: State, loop: int) -> Analyser:
        """Returns the analyser of an outer loop about a state."""
        return Analyser(self.suite, state, self.out, loop)

    def bias(self, number: int) -> Bias:
        """Returns the coefficients of the bias before a window."""
        error = self.suite.bias.error
        path = self.folder(number - 1) / "bias.json"
        if not number:
            return Bias({}, error)
        return Bias.of_json(json.loads(path.read_text()), error)

    def used(self, path: Path, bias: Path | None = None) -> Observations:
        """Returns the data of a minimisation; bias: a base with the bias of each datum, where the
        departures of `path` are with it.
        """
        data = base.read(path)
        if bias is not None:
            before = base.read(bias)
            data["bias"], data["reason"] = before["bias"], before["reason"]
            departure = data["background_departure"] - np.nan_to_num(data["bias"])
            gone = np.isnan(departure)  # no equivalent any more: it keeps its place without a say
            data["background_departure"] = np.where(gone, 0.0, departure)
            data["error_final"] = np.where(gone, 1e9, data["error_final"])
            return data.taken(_usable(before))
        return data.taken(_usable(data))


def _usable(data: Observations) -> np.ndarray:
    """Returns which data a minimisation of the air takes: used, with a departure, not of the sea or
    of snow alone."""
    below = data.variable_is("sea_water_temperature") | data.variable_is("surface_snow_thickness")
    result: np.ndarray = data.used & np.isfinite(data["background_departure"]) & ~below
    return result


def _without(data: Observations, kinds: list[Any]) -> None:
    for kind in kinds:
        data.remove(data.kind_is(kind), code["blacklist"])


def _placed(data: Observations) -> Observations:
    """Returns the data with a place on Earth, any where there is none."""
    with np.errstate(invalid="ignore"):
        here = (np.abs(data["latitude"]) <= 90) & np.isfinite(data["longitude"])
    made = data.taken(np.arange(len(data)))
    for name in ("longitude", "latitude"):
        made[name] = np.where(here, data[name], 0.0)
    return made
