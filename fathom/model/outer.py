"""An outer model that runs at the same time as a model inside it: its states at times
T_k = k `outer_every`, and the times of these.

It runs ahead to the next time that is needed, under the clock of both (fathom/run/boundaries.py).
"""

from __future__ import annotations

import math
from typing import Any

from fathom.base.clock import seconds_of
from fathom.base.failure import InputError
from fathom.model.component import Array

State = dict[str, Array]


class Outer:
    """The states of `simulation` at its start and `every` so often, for a model inside it; a
    subclass says how it makes one (`_taken`). `simulation` may be the name of a program under the
    same clock.
    """

    collective = True  # all ranks make a record together, in the order of records
    keyword = "outer_every"  # that names its interval
    two_way = False  # whether the state of the model inside comes back
    ground: Array | None = None  # of the model inside, which its ranks alone may know

    def __init__(self, simulation: Any, every: float | str | None = None) -> None:
        self.name = simulation if isinstance(simulation, str) else ""
        self.simulation: Any = None if self.name else simulation
        self._every = seconds_of(every, self.keyword) if every else None
        self.held: dict[int, State] = {}

    def __str__(self) -> str:
        if self.simulation is None:
            return f"the program {self.name}"
        model = type(self.simulation.model).__name__
        return f"a {model} that runs together with it, every {self.every:g} s"

    def check(self) -> None:
        """Checks that the outer model is known. InputError: it is a name, and nothing runs with the
        model inside.
        """
        if self.simulation is None:
            raise InputError(
                f"outer = {self.name!r}: there is no such file, and no program of that name runs"
                f' with the area: fm.Programs({{"{self.name}": ..., "area": ...}}) has both'
            )

    @property
    def every(self) -> float:
        """Returns the time between two states [s]."""
        self.check()
        return self._every or float(self.simulation.time_step)

    @property
    def axis(self) -> Every:
        """Returns the times of the states."""
        self.check()
        return Every(self.simulation, self.every)

    # ---- what the clock asks for (fathom/run/boundaries.py) --------------------------------------

    def present(self) -> tuple[int, State]:
        """Returns the present state of the outer model and its number. All of its ranks call it."""
        number = self._number_now
        return number, self.held[number] if number in self.held else self._taken()

    def keep(self, number: int, state: State) -> None:
        """Keeps a state for the model inside, and the one before."""
        self.held = {n: one for n, one in self.held.items() if n >= number - 1}
        self.held[number] = state

    @property
    def latest(self) -> int:
        """Returns the number of the last state."""
        return max(self.held, default=0)

    @property
    def kept(self) -> dict[str, Any]:
        """Returns the state before that of the outer model's time, as a restart has it where the
        outer model is ahead; {}: it is not needed.
        """
        number = self.latest - 1
        if number not in self.held:
            return {}
        return {"number": number, **self.held[number]}

    def continue_from(self, kept: dict[str, Any]) -> None:
        """Forgets all states but one of `kept`."""
        state = {name: values for name, values in kept.items() if name != "number"}
        self.held = {int(kept["number"]): state} if state else {}

    @property
    def _number_now(self) -> int:
        """Returns the number of the present state. InputError: it is between two."""
        now = float(self.simulation.seconds) / self.every
        if abs(now - round(now)) > 1e-6:
            raise InputError(f"the outer model is at {self.simulation.date}, between two states")
        return round(now)

    # ---- what the model inside asks for ----------------------------------------------------------

    def number_at(self, clock: Any) -> int:
        """Returns the number of the state at the start of the clock of the model inside."""
        late = -float(clock.seconds(self.simulation.clock.start))
        return round(late / self.every)

    def state(self, number: int) -> State:
        """Returns the state of that number. Where no clock of both has handed it over, the outer
        model runs until then; all ranks call it.
        """
        self.check()
        if number not in self.held:
            self._check_helpers()
            self.simulation.prepare()
            now = round(self.simulation.seconds / self.every)
            if number < now or abs(now * self.every - self.simulation.seconds) > 1e-6:
                raise InputError(
                    f"the outer model is at {self.simulation.date}, and was asked for"
                    f" {self.axis.date(number)}: with a restart of the area give the outer one too"
                )
            if number > now:
                self.simulation.advance(round((number - now) * self.every / self._step))
            self.keep(number, self._taken())
        return self.held[number]

    @property
    def _step(self) -> float:
        """Returns the step of the outer model [s]."""
        return float(self.simulation.time_step)

    def _check_helpers(self) -> None:
        """Checks that its helping ranks are at work. InputError: they begin with the run."""
        helpers = ", ".join(self.simulation.helpers)
        if helpers and self.simulation.agenda is None:
            raise InputError(
                f"the outer model has {helpers}, which begin with a run: its state cannot be had"
                " before; give the area another start than analysis = 'outer'"
            )

    def _taken(self) -> State:
        """Returns what the model inside takes of the present state. All ranks of the outer model
        call it.
        """
        raise NotImplementedError


class Every:
    """Times that follow each other evenly from the start of a simulation, without end."""

    repeated = False

    def __init__(self, simulation: Any, every: float) -> None:
        self.clock, self.every = simulation.clock, every

    def bracket(self, clock: Any, seconds: float) -> tuple[int, int, float, float]:
        """Returns the numbers of the states around `seconds`, and their times by the clock of
        the model inside [s].
        """
        late = clock.seconds(self.clock.start)  # of the outer start, by that clock
        number = math.floor((seconds - late) / self.every + 1e-9)
        first = late + number * self.every
        return number, number + 1, first, first + self.every

    def coverage(self, clock: Any) -> tuple[float, float]:
        """Returns the times from the start of the simulation on, by the clock of the model inside
        [s].
        """
        return clock.seconds(self.clock.start), math.inf

    def date(self, number: int) -> str:
        """Returns the date of a state."""
        return str(self.clock.date(number * self.every))


class EndOfStep:
    """A time axis evaluated at the end of the step that begins at a time. A step that ends at a
    record needs that one alone: the next may not be there yet.
    """

    def __init__(self, axis: Any, step: float) -> None:
        self.axis, self.step = axis, step

    def bracket(self, clock: Any, seconds: float) -> tuple[int, int, float, float]:
        """Returns the numbers of the records around the end of a step that begins at `seconds`,
        and their times, a step earlier [s].
        """
        end = seconds + self.step
        before, after, t0, t1 = self.axis.bracket(clock, end)
        if isinstance(self.axis, Every) and abs(end - t0) < 1e-6:
            after, t1 = before, t0 + self.step
        return before, after, t0 - self.step, t1 - self.step

    def coverage(self, clock: Any) -> tuple[float, float]:
        """Returns the times from the first record to the last [s], and no further: nothing holds
        beyond. A run may end at the last one: its last step begins before.
        """
        result: tuple[float, float] = getattr(self.axis, "extent", self.axis.coverage)(clock)
        return result

    def date(self, number: int) -> str:
        """Returns the date of a record."""
        result: str = self.axis.date(number)
        return result
