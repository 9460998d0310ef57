"""Stochastic physics: what a model does not know, as random patterns (docs/ensembles.md).

    PerturbedTendencies   dX/dt <- (1 + mu r) dX/dt of the physics    (SPPT: Buizza et al. 1999;
                          Palmer et al. 2009, ECMWF Technical Memorandum 598)
    Backscatter           the wind of a random streamfunction         (SKEB: Shutts 2005; Berner et
                          al. 2009, J. Atmos. Sci. 66)

The patterns are sums of spherical harmonics, each an AR(1) process
(core/physics/stochastic/pattern.hpp). Their random numbers depend on the seed, the member of an
ensemble, the step and the wave alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fathom.atmosphere.physics.fields import AirFields
from fathom.base import mpi
from fathom.base.clock import seconds_of
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.model.component import Component
from fathom.model.order import Order

largest = 159  # waves of a pattern
# Palmer et al. 2009, table of section 3: the scales of ECMWF
scales = (
    {"length": 5e5, "time": "6h", "deviation": 0.52},
    {"length": 1e6, "time": "3d", "deviation": 0.18},
    {"length": 2e6, "time": "30d", "deviation": 0.06},
)


class Stochastic(Component):
    """Errors of a model as a random pattern; a member of an ensemble has its own."""

    label = ""
    fields: Sequence[str] = ()
    units = "1"

    def __init__(self, seed: int) -> None:
        if not 0 <= seed < 1 << 63:
            raise InputError(f"seed = {seed!r} must be a whole number from 0 on")
        self.seed = seed
        self._held: dict[tuple[float, float], Any] = {}
        self._member = 0
        self._place: tuple[int, float, AirFields] | None = None

    def on(self, truncation: int, radius: float, air: AirFields) -> None:
        """Tells it the waves and the radius [m] of a model, and the air that it changes."""
        self._place = min(truncation, largest), radius, air

    @property
    def place(self) -> tuple[int, float, AirFields]:
        """Returns the waves, the radius [m] and the air of its model. InputError: it has none."""
        if self._place is None:
            raise InputError(f"{type(self).__name__} belongs into stochastic of a model")
        return self._place

    def spectra(self) -> list[tuple[float, list[float]]]:
        """Returns of each scale its time [s] and the standard deviations of waves n."""
        raise NotImplementedError(type(self).__name__)

    def pattern(self, step: float) -> Any:
        """Returns the process that makes the pattern, for a step [s]."""
        radius = self.place[1]
        key = step, radius
        if key not in self._held:
            names, spectra = list(self.fields), self.spectra()
            made = mpi.core.RandomPattern(
                self.label, names, self.units, spectra, self.seed, radius, abs(step)
            )
            made.member = self._member
            self._held[key] = made
        return self._held[key]

    def take(self, member: int) -> None:
        """Makes the pattern that of a member from now on."""
        self._member = member
        for made in self._held.values():
            made.member = member

    def complete(self, do: Order) -> None:
        """Adds its processes after the physics of a step, before what follows from them."""
        names, phases = [one.name for one in do.processes], [one.phase for one in do.processes]
        if (follows := "VirtualTemperatureTendency") in names:
            n = names.index(follows)
        else:
            first = phases.index("physics")
            n = next(n for n in range(first, len(phases)) if phases[n] != "physics")
        for what, how in reversed(self.added(do.step)):
            do.insert(n, what, **how)

    def added(self, step: float) -> list[tuple[Any, dict[str, Any]]]:
        """Returns its processes, in order, each with the keywords with which it is added."""
        raise NotImplementedError(type(self).__name__)


class PerturbedTendencies(Stochastic):
    """Tendencies of the physics times 1 + mu r.

    Parameters
    ----------
    scales : list of patterns, each [length of its correlation [m], its time, its standard
        deviation], or a dict of `length`, `time`, `deviation`; by default those of ECMWF: 500 km,
        6 h, 0.52; 1000 km, 3 d, 0.18; 2000 km, 30 d, 0.06. r, their sum, is cut at -1 and 1.
    ground : [sigma where errors begin, sigma from which on upwards they are whole].
    stratosphere : [pressure where errors end, pressure below which they are whole] [Pa].
    seed : of the random numbers.
    """

    label, fields = "TendencyPattern", ("tendency_pattern",)

    def __init__(
        self,
        *,
        scales: Sequence[Mapping[str, Any]] = scales,
        ground: Sequence[float] = (0.96, 0.86),
        stratosphere: Sequence[float] = (5000.0, 10000.0),
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        self.scales = [_scale(one) for one in scales]
        (near, far), (above, below) = _pair("ground", ground), _pair("stratosphere", stratosphere)
        if not (near > far and above < below):
            raise InputError(
                f"ground = {list(ground)!r} must fall, stratosphere = {list(stratosphere)!r} rise"
            )
        self.ground, self.stratosphere = (near, far), (above, below)
        self.ramps = {"near": near, "far": far, "above": above, "below": below}

    def spectra(self) -> list[tuple[float, list[float]]]:
        """Returns spectra whose correlation is a Gaussian of the length on the sphere."""
        truncation, radius, _ = self.place
        n = np.arange(truncation + 1.0)
        found = []
        for length, time, deviation in self.scales:
            power = np.where(n > 0, np.exp(-0.5 * (length / radius) ** 2 * n * (n + 1)), 0.0)
            size = deviation * np.sqrt(power / max((power * (2 * n + 1)).sum(), 1e-300))
            found.append((time, _whole(size)))
        return found

    def added(self, step: float) -> list[tuple[Any, dict[str, Any]]]:
        """Returns the pattern, and what it does to wind, temperature and vapour."""
        vapour = [t for t in self.place[2].tracers if t.name == "specific_humidity"]
        return [
            (self.pattern(step), {}),
            ("TendencyFactor", self.ramps),
            *(("TracerFactor", {"roles": {"tracer": one}}) for one in vapour),
        ]


class Backscatter(Stochastic):
    """Motion that is not resolved gives energy back to the wind: a random streamfunction.

    The rate is the same everywhere, as in a model whose dissipation is not known.

    Parameters
    ----------
    rate : energy that the wind of the pattern gives to air at rest [m2 s-3].
    time : of its correlation.
    slope : of the power of the streamfunction with the wave n, n^slope: -2.54 (Berner et al. 2009).
    first : the smallest n.
    seed : of the random numbers.
    """

    label, units = "BackscatterPattern", "m s-2"
    fields = ("eastward_backscatter", "northward_backscatter")

    def __init__(
        self,
        *,
        rate: float = 1e-5,
        time: float | str = "6h",
        slope: float = -2.54,
        first: int = 5,
        seed: int = 1,
    ) -> None:
        super().__init__(seed)
        self.rate, self.time = rate, seconds_of(time, "time")
        self.slope, self.first = slope, first
        if not (rate >= 0 and self.time > 0 and first >= 1):
            raise InputError(
                f"Backscatter: rate = {rate!r}, time = {time!r}, first = {first!r}; rate must not"
                " be negative, time positive, first 1 or more"
            )

    def spectra(self) -> list[tuple[float, list[float]]]:
        """Returns the spectrum of a streamfunction [m2 s-2] whose wind gives energy at the rate:
        its variance times its time.
        """
        truncation, radius, _ = self.place
        n = np.arange(truncation + 1.0)
        power = np.where(n >= self.first, np.maximum(n, 1.0) ** self.slope, 0.0)
        power = power / np.maximum(2 * n + 1, 1)  # of all waves n together, to each
        wind = (power * (2 * n + 1) * n * (n + 1)).sum() / radius**2
        size = np.sqrt(self.rate / self.time * power / max(wind, 1e-300))
        return [(self.time, _whole(size))]

    def added(self, step: float) -> list[tuple[Any, dict[str, Any]]]:
        """Returns the pattern, and its wind."""
        return [(self.pattern(step), {}), ("BackscatterWind", {})]


def checked_parts(given: Any) -> list[Stochastic]:
    """Returns the parts of the stochastic physics of a model. InputError: one is none."""
    parts = [given] if isinstance(given, Stochastic) else list(given)
    for one in parts:
        if not isinstance(one, Stochastic):
            raise InputError(f"stochastic: {one!r}; allowed: PerturbedTendencies(), Backscatter()")
    return parts


def _scale(given: Any) -> tuple[float, float, float]:
    """Returns length [m], time [s] and deviation. InputError: they are none."""
    names = ("length", "time", "deviation")
    if isinstance(given, Mapping) and (wrong := [key for key in given if key not in names]):
        raise InputError(f"scales: {given!r}: " + unknown("key of a scale", wrong[0], names))
    values = list(given.values() if isinstance(given, Mapping) else given)
    if len(values) != len(names):
        raise InputError(f"scales: {given!r}: it needs {', '.join(names)}")
    told = dict(zip(given if isinstance(given, Mapping) else names, values))
    length, time = float(told["length"]), seconds_of(told["time"], "time")
    deviation = float(told["deviation"])
    if not (length > 0 and time > 0 and 0 <= deviation <= 1):
        raise InputError(
            f"scales: {given!r}: length and time must be positive, deviation from 0 to 1"
        )
    return length, time, deviation


def _pair(name: str, given: Any) -> tuple[float, float]:
    try:
        one, other = map(float, given)
    except (TypeError, ValueError):
        raise InputError(f"{name} = {given!r} must be two numbers") from None
    return one, other


def _whole(size: np.ndarray) -> list[float]:
    """Returns standard deviations up to the last wave that counts."""
    last = int(np.flatnonzero(size > 1e-4 * size.max(initial=0.0)).max(initial=0))
    kept: list[float] = size[: last + 1].tolist()
    return kept
