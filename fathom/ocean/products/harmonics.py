"""Harmonic analysis as output: amplitude and phase of the waves of the tide in fields of columns.

Over an interval of N steps the sums of x, x cos(omega_i t + V_i) and x sin(omega_i t + V_i) are
kept as running statistics, which restarts have. At its end least squares give the coefficients:

    G c = b,   b = 1/N sum of x w,   G = 1/N sum of w w',   w = (1, cos, sin, cos, sin, ...)

and each wave is x = f A cos(omega t + V + u - g), f and u those of the middle of the interval.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output
from fathom.base.clock import Duration, Period
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.arguments import yes_or_no
from fathom.model.component import Array
from fathom.ocean.constituents import CONSTITUENTS, argument, known, nodal, start_of
from fathom.output import diagnostics
from fathom.output.diagnostics import Diagnostic
from fathom.output.specification import VariableSpec
from fathom.output.statistics import running
from fathom.output.stores import Store
from fathom.output.streams import Product

_keys = ("constituents", "nodal")
_parts = ("cosine", "sine")
_month = 30 * 86400.0


class Harmonics(Store):
    """A store of amplitude and phase of constituents, over each interval `every`.

    harmonics : constituents, as ["M2", "S2"], or {"constituents": [...], "nodal": False}: nodal
        corrections are in the numbers.
    """

    def __init__(
        self,
        simulation: Any,
        path: str | Path,
        variables: str | Sequence[str],
        every: Duration,
        statistic: str | None,
        dtype: str,
        harmonics: Any,
        **chosen: Any,
    ) -> None:
        own = {name: value for name, value in chosen.items() if name != "area"}
        for name, value in (own | ({} if statistic is None else {"statistic": statistic})).items():
            raise InputError(
                f"output {path}: harmonics are of the points of the grid, without {name} = {value}"
            )
        told = harmonics if isinstance(harmonics, Mapping) else {"constituents": harmonics}
        if strange := [key for key in told if key not in _keys]:
            raise InputError(
                f"output {path}: unknown key of harmonics '{strange[0]}'"
                f"{near(strange[0], _keys) or '; allowed: ' + ', '.join(_keys)}"
            )
        super().__init__(simulation, path, variables, every, "mean", dtype, **chosen)
        self.constituents = known(told.get("constituents", ()), f"output {path}: harmonics")
        self.nodal = yes_or_no(f"output {path}: nodal", told.get("nodal", True))
        self.begins = start_of(simulation.clock)
        self._check_length(Period(every))
        self.interval = (0, 1)  # steps before it, and in it, of the event that is written
        self._solved: tuple[tuple[int, int], Array] | None = None  # of an interval, the inverse

    def _check_length(self, every: Period) -> None:
        """Raises InputError: an interval is shorter than half the time in which two waves, or one
        and the mean, get out of step.
        """
        seconds = every.seconds or every.months * _month
        waves = {"the mean": 0.0} | {c: CONSTITUENTS[c].frequency for c in self.constituents}
        ordered = sorted(waves, key=lambda name: waves[name])
        for one, other in pairwise(ordered):
            needed = 2 * math.pi / (waves[other] - waves[one])
            if seconds < needed / 2:
                raise InputError(
                    f"output {self.path}: every = '{every}' is too short for harmonics of {one} and"
                    f" {other}, which need {needed / 86400:.3g} days to get out of step: give half"
                    " of that or more, or leave one out"
                )

    # ---- sums in the sequence --------------------------------------------------------------------

    def processes(self, known: dict[str, Any], precision: int) -> list[Any]:
        """Returns the processes that add up. InputError: a variable is of layers, or not linear."""
        self.keep, self.sums, self.beside, self.made, self.stepped = [], [], {}, {}, {}
        self.variables = {}
        self.of: dict[str, str] = {}  # the field of each variable
        added = []
        for asked in self.requested:
            name, d = diagnostics.find(asked, self.simulation.model, known)
            flat = d.surface or (d.vertical or known[d.own_needs[0]]["vertical"]) == "column"
            if not (flat and d.linear and not d.before):
                raise InputError(
                    f"output {self.path}: harmonics are of fields of columns, as"
                    f" sea_surface_height, surface_eastward_velocity, not of '{name}'"
                )
            for need in d.needs:
                added += self._add_up(need, d.surface, known, precision)
            self._analysed(name, d)
        self.sums = list(self.stepped)
        return added

    def _waves(self) -> list[tuple[str, str]]:
        """Returns (constituent, "cosine" or "sine") of the sums after that of the field alone."""
        return [(name, part) for name in self.constituents for part in _parts]

    def _profile(self, name: str, part: str) -> str:
        return f"{part} of {name} for {self.path.as_posix()}"

    def _sums_of(self, need: str) -> list[str]:
        label = self.path.as_posix()
        waves = [f"{part} of {name} times " for name, part in self._waves()]
        return [f"sum of {wave}{need} for {label}" for wave in ("", *waves)]

    def _add_up(
        self, need: str, surface: bool, known: Mapping[str, Any], precision: int
    ) -> list[Any]:
        """Returns the processes that add up a field, alone and times each wave."""
        fields = self._sums_of(need)
        if fields[0] in self.stepped:
            return []
        now = f"{need}_after" if f"{need}_after" in known else need
        place = known[need]
        found = [running("TimeSum", now, place, fields[0], surface, precision)]
        for (name, part), into in zip(self._waves(), fields[1:]):
            process = running("WeightedTimeSum", now, place, into, surface, precision)
            found.append(process.on({"weight_in_time": self._profile(name, part)}))
        self.stepped |= dict.fromkeys(fields, 1)
        return found

    def _analysed(self, name: str, d: Diagnostic) -> None:
        """Adds amplitude and phase of a variable."""
        needs = tuple(field for need in d.needs for field in self._sums_of(need))

        def waves(model: Any, window: Any, parts: Mapping[str, Array]) -> Array:
            columns = [[parts[f] for f in self._sums_of(need)] for need in d.needs]
            means = [d.of(model, window, *own)[0] for own in zip(*columns)]
            return self._coefficients(means)

        results: dict[str, Callable[[Array], Array]] = {
            "amplitude": np.abs,
            "phase": lambda z: np.degrees(np.angle(z)) % 360,
        }
        for what, of in results.items():
            self.variables[f"{name}_{what}"] = Diagnostic(
                needs, of, vertical="column", shared=waves
            )
            self.of[f"{name}_{what}"] = name

    def open(self) -> None:
        """Opens the store; the waves follow the time of the run."""
        for name, part in self._waves():
            back = 0.0 if part == "cosine" else math.pi / 2
            phase = argument(name, self.begins) - back
            self.simulation.sequence.follow_wave(
                self._profile(name, part),
                self.simulation.time_step,
                CONSTITUENTS[name].frequency,
                phase,
            )
        super().open()

    # ---- at the end of an interval ---------------------------------------------------------------

    def write_region(self, event: Any, product: Product, n: int, arrays: Sequence[Array]) -> None:
        """Writes a region, of the interval of an event."""
        self.interval = round(event.begin / self.simulation.time_step), event.steps
        super().write_region(event, product, n, arrays)

    def _inverse(self) -> Array:
        """Returns the inverse of G for the present interval."""
        if self._solved is None or self._solved[0] != self.interval:
            before, steps = self.interval
            waves, total = self._waves(), np.zeros((1 + 2 * len(self.constituents),) * 2)
            for first in range(0, steps, 1 << 16):
                number = np.arange(first, min(first + (1 << 16), steps)) + before + 1
                t = number * self.simulation.time_step
                w = [np.ones_like(t)]
                for name, part in waves:
                    angle = CONSTITUENTS[name].frequency * t + argument(name, self.begins)
                    w.append(np.cos(angle) if part == "cosine" else np.sin(angle))
                total += np.array(w) @ np.array(w).T
            self._solved = self.interval, np.linalg.inv(total / steps)
        return self._solved[1]

    def _coefficients(self, means: Sequence[Array]) -> Array:
        """Returns A exp(i g) of each constituent, (constituents, ny, nx)."""
        inverse = self._inverse()

        def solved(row: int) -> Array:
            total = inverse[row, 0] * means[0]
            for weight, mean in zip(inverse[row, 1:], means[1:]):
                total = total + weight * mean
            return np.asarray(total)

        before, steps = self.interval
        middle = (before + steps / 2) * self.simulation.time_step
        date = self.begins + datetime.timedelta(seconds=middle)
        found = []
        for n, name in enumerate(self.constituents):
            f, u = nodal(name, date) if self.nodal else (1.0, 0.0)
            z = solved(1 + 2 * n) + 1j * solved(2 + 2 * n)
            found.append(z * (complex(math.cos(u), math.sin(u)) / f))
        return np.array(found)

    # ---- the file --------------------------------------------------------------------------------

    def _vertical(self, name: str) -> str:
        return "constituent"

    def _levels_stored(self, name: str) -> int:
        return len(self.constituents)

    def _specification(self, name: str, mapping: Mapping[str, Any]) -> VariableSpec:
        """Returns a variable in the store, on (time, constituent, rows, columns)."""
        field, what = self.of[name], name.rpartition("_")[2]
        horizontal = self.places[name]["horizontal"]
        made = output.variable(field, mapping, dtype=self.dtype, place=(horizontal, "column"))
        kept = ("coordinates", "cell_measures", "grid_mapping")
        attributes = {key: made.attributes[key] for key in kept if key in made.attributes}
        title = field.replace("_", " ")
        attributes["long_name"] = (
            f"amplitude of {title} of tidal constituents"
            if what == "amplitude"
            else f"phase lag in Greenwich of {title} of tidal constituents"
        )
        attributes["units"] = made.attributes["units"] if what == "amplitude" else "degree"
        dims = ("time", "constituent", *made.dims[1:])
        return VariableSpec(self._alias(name), dims, self.dtype, attributes)

    def _contents(self) -> tuple[dict[str, Any], list[VariableSpec], Mapping[str, int] | None]:
        """Returns coordinates, variables and chunks; the constituents are a coordinate."""
        mapping = self._mapping()
        specs = [self._specification(name, mapping) for name in self.variables]
        flat = [
            VariableSpec(s.name, (s.dims[0], *s.dims[2:]), s.dtype, s.attributes) for s in specs
        ]
        names = {
            "long_name": "tidal constituent",
            "flag_values": list(range(len(self.constituents))),
            "flag_meanings": " ".join(self.constituents),
        }
        coordinates = dict(output.coordinates(mapping, flat))
        coordinates["constituent"] = (("constituent",), np.arange(len(self.constituents)), names)
        chunks = self.simulation.model.grid.chunks if self.target is None else None
        return coordinates, specs, chunks

    def _alias(self, name: str) -> str:
        return f"{super()._alias(self.of[name])}_{name.rpartition('_')[2]}"
