"""Column schemes that are learned: a net, or any function of columns, in the step of a model.

    inputs = {"x": [fm.reads("air_temperature", "center layer", "K"), ...]}
    outputs = {"y": [fm.writes("cloud_fraction", "center layer", "1"), ...]}
    net = fm.load_scheme("cloud.onnx", inputs, outputs)
    air.insert(net, instead_of="DiagnosticCloud")

Every column is computed by itself, in 32-bit numbers, so that its bits do not depend on ranks,
blocks, threads or the columns beside it (fathom/model/nets.py). What a column may be is said by
ranges of inputs and of outputs; a column beyond them is a failure, or work for the fall-back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fathom import names
from fathom.base import earth, moist_air, mpi
from fathom.base.failure import InputError, RunError
from fathom.base.near import unknown
from fathom.model import schemes
from fathom.model.declared import Columns, cut, fields_of, ranges_of
from fathom.model.nets import Batches, Function, Net, function_of
from fathom.model.schemes import PythonScheme, Scheme, Use

Fields = Mapping[str, Any] | Sequence[Any] | None
Ranges = Mapping[str, Sequence[float]] | None

fallbacks = ("stop", "clip", "nothing")
fixers = ("energy",)  # what `conserve` may name besides outputs


class LearnedScheme(PythonScheme):
    """A column scheme whose work is a net in a file of ONNX, or a function of columns.

    Parameters
    ----------
    what : a file of ONNX, or a callable: arrays (columns, features) by the names of the inputs ->
        the arrays of the outputs, by name or in order; also a module of PyTorch or a function of
        JAX.
    inputs, outputs : the fields of each input and output, in order: {"x": [reads(...), ...]}; a
        list: each field is an input of its own name. All fields lie in the centre of columns:
        layers, interfaces, one value a column, profiles. A file may declare them itself
        (docs/learned.md).
        writes(...) sets a field, updates(...) adds the output to it.
    within : {field of an input: (least, most)} of columns that it knows, as of its training.
    bounds : {field of an output: (least, most)}.
    fallback : what becomes of a column beyond `within` or `bounds`, or with numbers that are not
        finite: "stop", the run ends; "clip", both are cut to their ranges; "nothing", outputs that
        are added are 0 there; or a scheme of Fathom, which computes these columns.
    conserve : outputs of tendencies in layers whose sum over a column is made 0; "energy": of
        c_p dT/dt + L dq/dt, by dT/dt.
    thickness : in an ocean, the field of the thickness of its cells, "thickness" or
        "cell_thickness": layers below the sea floor are 0 for the net, and outputs that are added
        are multiplied by the volume of the cell, as the tendencies of an ocean are (degC m3 s-1).
    every : a length of time, if it does not run in every step.
    batch : columns in one call; changes no bits.

    It writes the field NAME_fallback, 1 in columns of the fall-back, and what `conserve` has added
    to each sum, NAME_temperature_fix of temperature_tendency.

    Errors: InputError: inputs, units or shapes do not match; RunError: a column that "stop" ends.
    """

    mappings = ("inputs", "outputs", "within", "bounds")  # of a file's table

    def __init__(
        self,
        what: str | Path | Callable[..., Any],
        inputs: Fields = None,
        outputs: Fields = None,
        *,
        name: str | None = None,
        every: str | None = None,
        within: Ranges = None,
        bounds: Ranges = None,
        fallback: str | Scheme = "stop",
        conserve: Sequence[str] = (),
        thickness: str | None = None,
        batch: int = 256,
    ) -> None:
        if not isinstance(batch, int) or not 0 < batch <= 1 << 20:
            raise InputError(f"batch = {batch!r} must be a whole number from 1 to {1 << 20}")
        made = fields_of("outputs", outputs, None)
        net: Function = function_of(what, [*made])
        said = net.declared
        self.inputs = fields_of("inputs", inputs, said.get("inputs"), net.name, net.inputs)
        self.outputs = fields_of("outputs", outputs, said.get("outputs"), net.name, net.outputs)
        self.within = ranges_of("within", within, said.get("within"), self._named("inputs"))
        self.bounds = ranges_of("bounds", bounds, said.get("bounds"), self._named("outputs"))
        if isinstance(net, Net):  # as records of runs have it
            self.what, self.digest = str(net.file), net.digest
        self.name: str = name or net.name
        self.batches, self.thickness, self.batch = Batches(net, batch), thickness, batch
        self.fallback, self.helper = fallback, self._helper(fallback)
        self.conserve = self._conserved(conserve)
        self.settled: int | None = None  # levels for which its shapes were looked at
        self._core: Any = None  # process of the fall-back
        super().__init__(self._not_called, self._all(), name=self.name, every=every)

    @staticmethod
    def _not_called(**fields: Any) -> None:
        """Stands for the function: all blocks of a rank are computed together (`_work`)."""

    def __repr__(self) -> str:
        return f"LearnedScheme({self.name})"

    def _named(self, side: str) -> dict[str, Use]:
        return {use.name: use for uses in getattr(self, side).values() for use in uses}

    # ---- what it declares ------------------------------------------------------------------------

    def _helper(self, fallback: Any) -> Scheme | None:
        """Returns the scheme of the fall-back, or None. InputError: it makes other fields."""
        if isinstance(fallback, str) and fallback in schemes.schemes():
            fallback = schemes.scheme(fallback)
        if isinstance(fallback, Scheme):
            self._check_helper(fallback)
            return fallback
        if fallback not in fallbacks:
            raise InputError(unknown("fallback", str(fallback), fallbacks) + ", or a scheme")
        written = [n for n, use in self._named("outputs").items() if use.access == "writes"]
        if fallback == "nothing" and written:
            raise InputError(
                f'{self.name}: fallback = "nothing" leaves {written[0]} without values; give a'
                " scheme that writes it"
            )
        return None

    def _check_helper(self, helper: Scheme) -> None:
        """Raises InputError: a scheme makes other fields, or is none of single columns."""
        declared = {f["name"]: f for f in helper.entry["fields"]}
        for name in self._named("outputs"):
            if name not in declared or declared[name]["access"] == "reads":
                raise InputError(f"{self.name}: fallback = {helper!r} makes no {name}")
        if far := [n for n, f in declared.items() if f["reach"]]:
            raise InputError(f"{self.name}: fallback = {helper!r} reads neighbours of {far[0]}")

    def _conserved(self, given: Sequence[str]) -> list[str]:
        """Returns the sums that are kept, those of outputs before that of energy."""
        given, made = [given] if isinstance(given, str) else list(given), self._named("outputs")
        for name in given:
            if name not in made and name not in fixers:
                raise InputError(unknown(f"{self.name}: conserve", name, (*made, *fixers)))
            heat = "air_temperature_tendency"
            use = made.get(heat if name == "energy" else name)
            if use is None or use.access != "updates" or use.place != "center layer":
                raise InputError(
                    f"{self.name}: conserve = {name!r} needs an output in the layers that is added"
                    f" to {heat if name == 'energy' else name}"
                )
        return sorted(given, key=lambda name: name in fixers)

    def _all(self) -> list[Use]:
        """Returns all fields that it uses, each once."""
        found = {**self._named("inputs"), **self._named("outputs")}
        if self.thickness:
            place = "layer profile" if self.thickness == "thickness" else "center layer"
            more = [
                schemes.reads("wet_levels", "center column", "1"),
                schemes.reads("area_center", "center column", "m2"),
                schemes.reads(self.thickness, place, "m"),
            ]
        else:
            pressure = schemes.reads("pressure_interface", "center interface", "Pa")
            more = [pressure] if self.conserve else []
        if self.helper is not None:
            more += [
                _of_core(field)
                for field in self.helper.entry["fields"]
                if field["access"] != "writes" and field["name"] not in found
            ]
        more += [self._diagnostic("fallback", "1")]
        more += [self._diagnostic(_fix_of(n), self._unit_of_sum(n)) for n in self.conserve]
        for use in more:
            found.setdefault(use.name, use)
        return list(found.values())

    def _diagnostic(self, what: str, units: str) -> Use:
        """Returns a field of columns of its own, which output knows from now on."""
        name, title = f"{self.name}_{what}", f"{what.replace('_', ' ')} of {self.name}"
        names.add(names.Name(name, name, "", title, units, "center", "column", "viridis"))
        return schemes.writes(name, "center column", units)

    def _unit_of_sum(self, name: str) -> str:
        if name == "energy":
            return "W m-2"
        units = self._named("outputs")[name].units
        return units if self.thickness else f"kg m-2 {units}"

    # ---- before the first step -------------------------------------------------------------------

    def process(self, precision: int = 8, *, step: float = 1.0) -> Any:
        """Returns the core's process; step [s]."""
        if self.helper is not None:
            self._core = self.helper.process(precision, offered={"step": step})
        return super().process(precision, step=step)

    def check(self, levels: int) -> None:
        """Raises InputError: the function does not take or give columns of so many layers."""
        if self.settled == levels:
            return
        columns = Columns(levels)
        wanted = self.batches.function.inputs or {}
        trial, random = {}, np.random.default_rng(1)
        for name, uses in self.inputs.items():
            parts = [
                random.uniform(*self.within.get(use.name, (0.0, 1.0)),
                               (self.batches.size, columns.size_of(use)))
                for use in uses
            ]  # fmt: skip
            trial[name] = columns.together(self.name, name, uses, parts, wanted.get(name))
        with np.errstate(all="ignore"):
            made = self.batches.settle(trial)
        for name, uses in self.outputs.items():
            columns.check_output(self.name, name, uses, made[name])
        self.settled = levels

    # ---- a step ----------------------------------------------------------------------------------

    @property
    def runtime_seconds(self) -> float:
        """Returns seconds in the net itself so far, on this rank, summed over threads."""
        return self.batches.seconds

    def _work(self, blocks: list[dict[str, Any]]) -> None:
        """Takes one step on the blocks of this rank."""
        at = Columns.of_blocks(blocks, self.fields, "wet_levels" if self.thickness else None)
        for use in self.fields:
            if use.access == "writes":
                at.fill(use.name, 0.0)
        if not at.count:
            return
        self.check(at.levels)
        bad = np.zeros(at.count, bool)
        found = self._apart(self.batches(self._together(at, bad)), at)
        self._clip_outputs(found, bad, at)
        for name, x in found.items():
            if self.thickness and self._added(name) and self._use(name).place == "center layer":
                x *= at.volume(self.thickness)
        if bad.any():
            self._fall_back(found, bad, at)
        for name in self.conserve:
            self._fix(name, found, bad, at)
        for name, x in found.items():
            at.put(name, x, add=self._added(name))
        at.put(f"{self.name}_fallback", bad[:, None].astype(float), add=False)

    def _together(self, at: Columns, bad: np.ndarray) -> dict[str, np.ndarray]:
        """Returns the inputs of all columns, and notes those that are beyond the ranges."""
        wanted, made = self.batches.function.inputs or {}, {}
        for name, uses in self.inputs.items():
            parts = [at.values(use) for use in uses]
            self._clip_inputs(uses, parts, bad, at)
            made[name] = at.together(self.name, name, uses, parts, wanted.get(name))
        return made

    def _apart(self, made: dict[str, np.ndarray], at: Columns) -> dict[str, np.ndarray]:
        """Returns the fields of the outputs; in 64 bits where sums or volumes are made of them."""
        kind = np.float64 if self.thickness or self.conserve or self.helper else np.float32
        found: dict[str, np.ndarray] = {}
        for name, uses in self.outputs.items():
            found |= dict(at.apart(uses, made[name], kind))
        return found

    def _use(self, name: str) -> Use:
        return self._named("outputs")[name]

    def _added(self, name: str) -> bool:
        return self._use(name).access == "updates"

    def _clip_inputs(
        self, uses: Sequence[Use], parts: Sequence[np.ndarray], bad: np.ndarray, at: Columns
    ) -> None:
        """Cuts numbers to their ranges, and notes columns beyond them."""
        for use, x in zip(uses, parts):
            within = self.within.get(use.name, (-np.inf, np.inf))
            if (beyond := cut(self, use, x, within, at.there(use))) is not None:
                bad |= beyond
                np.copyto(x, 0.0, where=~np.isfinite(x))

    def _clip_outputs(self, found: dict[str, np.ndarray], bad: np.ndarray, at: Columns) -> None:
        for name, x in found.items():
            use, bounds = self._use(name), self.bounds.get(name, (-np.inf, np.inf))
            if (beyond := cut(self, use, x, bounds, at.there(use))) is not None:
                bad |= beyond
                if self.fallback == "clip" and not np.isfinite(x).all():
                    raise RunError(f"{self.name}: {name} is not a number; no clipping helps")

    def _fall_back(self, found: dict[str, np.ndarray], bad: np.ndarray, at: Columns) -> None:
        """Puts into the columns that are beyond the ranges what the fall-back makes of them."""
        if self.fallback == "nothing":
            for x in found.values():
                x[bad] = 0.0
        elif self.helper is not None:
            arrays = {}
            for field in self.helper.entry["fields"]:
                if field["access"] == "writes":
                    continue
                use = _of_core(field)
                if field["name"] in found:  # what it adds
                    arrays[use.name] = at.zeros(use, int(bad.sum()))
                else:
                    arrays[use.name] = at.as_core_has(use, bad)
            made = mpi.core.run_column(self._core, arrays, at.levels)
            for name, x in found.items():
                rows, there = made[name].reshape(x.shape[1], -1).T, at.there(self._use(name))
                x[bad] = rows if there is None else np.where(there[bad], rows, 0.0)

    def _fix(self, name: str, found: dict[str, np.ndarray], bad: np.ndarray, at: Columns) -> None:
        """Makes a sum over the column 0, but in columns of the fall-back."""
        field = "air_temperature_tendency" if name == "energy" else name
        there = at.there(self._use(field))
        if self.thickness:
            weight = at.volume(self.thickness)
            total, share = found[field], weight / weight.sum(1, keepdims=True)
        else:
            weight = np.diff(at.values_of("pressure_interface"), axis=1) / earth.GRAVITY
            total, share = weight * found[field], 1.0 / weight.sum(1, keepdims=True)
        if name == "energy":
            total = moist_air.HEAT_CAPACITY * total
            share = share / moist_air.HEAT_CAPACITY
            if (vapour := found.get("specific_humidity_tendency")) is not None:
                total = total + moist_air.EVAPORATION_HEAT * weight * vapour
        added = np.where(bad, 0.0, -total.sum(1))[:, None]
        found[field] += added * share if there is None else np.where(there, added * share, 0.0)
        at.put(f"{self.name}_{_fix_of(name)}", added, add=False)


def _fix_of(name: str) -> str:
    """Returns "temperature_fix" of "temperature_tendency"."""
    return f"{name.removesuffix('_tendency')}_fix"


def _of_core(field: Mapping[str, Any]) -> Use:
    """Returns a field of a scheme of the core, as a process in Python reads it."""
    profile = field["horizontal"] == "profile"
    place = "interface profile" if profile else f"{field['horizontal']} {field['vertical']}"
    return schemes.reads(field["name"], place, field["units"])
