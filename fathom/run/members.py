"""The programs that run under one clock, and who gives its state to whom: names, starts, ranks.

The outer model of an area is a program as the area is. Where an area names a simulation that has no
name of its own, it gets one:

    {"area": area}  ->  {"area": area, "outer": its outer model, "outer_outer": that of this one}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fathom.base import mpi, ranks
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.run.boundaries import Boundaries, Feedback

nest = "area"  # the name of an area that runs with its outer model


class Member(NamedTuple):
    """A program, and the ranks of all programs on which it steps."""

    name: str
    program: Any
    ranks: list[int]
    late: float = 0.0  # its start after that of the first one [s]
    folder: Path = Path()  # in the directory of the run

    @property
    def here(self) -> bool:
        """Returns whether it steps on this rank."""
        return self.program.comm is not None and not self.program.serves

    @property
    def seconds(self) -> float:
        """Returns its time since the start of the first one [s]."""
        return float(self.program.seconds) + self.late


def with_outer(programs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Path]]:
    """Returns all programs by name, with outer models that have none yet, and the folder of each.
    InputError: names that are no names of folders; one program under two names.
    """
    found = dict(programs)
    folders = {name: Path() if programs.keys() == {nest} else Path(name) for name in programs}
    for name, program in programs.items():
        _check_name(name, program, found)
        for one in outer_of(program):
            while one.simulation is not None and named(found, one.simulation) is None:
                outer = "outer" if folders[name] == Path() else f"{name}_outer"
                found[outer], folders[outer] = one.simulation, folders[name] / "outer"
                inner = outer_of(one.simulation)
                name, one = outer, inner[0] if inner else one
    return found, folders


def _check_name(name: str, program: Any, found: Mapping[str, Any]) -> None:
    """Checks a name. InputError: it is none; the program has another one too."""
    if not str(name).isidentifier():
        raise InputError(f"programs: the name {name!r} must be letters, digits and _")
    if (other := named(found, program)) != name:
        raise InputError(f"programs: {other} and {name} are the same simulation")


def named(programs: Mapping[str, Any], program: Any) -> str | None:
    """Returns the name of a program; None: it is none of these."""
    return next((name for name, one in programs.items() if one is program), None)


def outer_of(program: Any) -> list[Any]:
    """Returns the states of outer models that run at the same time as a program."""
    model = getattr(program, "model", None)  # a program of the user's own has none
    return [] if model is None else list(model.companions)


def boundaries(programs: Mapping[str, Any]) -> list[Boundaries]:
    """Returns who gives its state to whom. InputError: an outer model that is no program here."""
    found = []
    for name, program in programs.items():
        for one in outer_of(program):
            if one.simulation is None:
                others = [other for other in programs if other != name]
                if one.name not in others:
                    raise InputError(f"{name}: {unknown('outer model', one.name, others)}")
                one.simulation = programs[one.name]
            giver = named(programs, one.simulation)
            if giver is not None:
                found.append(Boundaries(giver, name, one))
    return found


def feedbacks(links: Iterable[Boundaries]) -> list[Feedback]:
    """Returns which areas give their state back; their outer models get to know them. InputError:
    they do not fit.
    """
    both = [link for link in links if link.states.two_way]
    for link in both:
        link.states.join()
    return [Feedback(link) for link in both]


def in_order(names: Iterable[str], links: Iterable[Boundaries]) -> list[str]:
    """Returns the names of programs, each after its outer model."""
    outer, found = {link.taker: link.giver for link in links}, list[str]()
    left = list(names)
    while left:
        free = [name for name in left if outer.get(name) not in left]
        if not free:
            told = ", ".join(f"{outer[name]} of {name}" for name in left)
            raise InputError(f"programs are outer models of each other: {told}")
        found += free
        left = [name for name in left if name not in free]
    return found


# ---- dates ---------------------------------------------------------------------------------------


def starts(programs: Mapping[str, Any], links: list[Boundaries]) -> dict[str, float]:
    """Returns how much later than the first one each program starts [s]. InputError, with both
    values: other calendars; a start that is neither that of the others nor that of an area in them.
    """
    (first, one), *others = programs.items()
    for name, other in others:
        here, there = one.clock, other.clock
        if here.calendar != there.calendar or (here.start != there.start and not links):
            raise InputError(
                f"programs: {first} starts at {here.start} in the calendar {here.calendar!r},"
                f" {name} at {there.start} in {there.calendar!r}"
            )
    begin = min(programs.values(), key=lambda p: float(one.clock.seconds(p.clock.start))).clock
    late = {name: float(begin.seconds(p.clock.start)) for name, p in programs.items()}
    for link in links:
        if late[link.giver] > late[link.taker]:
            raise InputError(
                f"start = {programs[link.taker].clock.start} of {link.taker}; its outer model"
                f" {link.giver} starts later, at {programs[link.giver].clock.start}"
            )
    areas = {link.taker for link in links}
    for name, p in programs.items():
        if late[name] and name not in areas:
            raise InputError(
                f"programs: {name} starts at {p.clock.start}, others at {begin.start}; allowed of"
                " areas in their outer models"
            )
    return late


# ---- ranks ---------------------------------------------------------------------------------------


def divided(programs: Mapping[str, Any], given: Any, comm: Any) -> dict[str, ranks.Division]:
    """Returns the division of the ranks for programs side by side, which are `given`, or in turn;
    comm: of all of them, without helpers; None: all ranks that there are.
    """
    if given is not None:
        return _side_by_side(programs, given)
    asked: dict[str, tuple[int, int]] = {}
    for name, program in programs.items() if comm is None else ():
        asked |= ranks.named(program.asks_for(mpi.world), name)
    whole = ranks.divide(comm or mpi.world, asked)
    return {name: whole.of(name) for name in programs}


def _side_by_side(programs: Mapping[str, Any], given: Any) -> dict[str, ranks.Division]:
    """Returns the division of the ranks of each program, which are named or numbered, or those of
    another program by its name, with which it runs in turn; its helpers are among them. InputError
    on all ranks: ranks given twice; too few for the helpers of one.
    """
    if set(given) != set(programs):
        raise InputError(
            f"ranks are given to {', '.join(map(str, given))}; the programs are"
            f" {', '.join(programs)}"
        )
    found, fault = dict[str, ranks.Division](), ""
    asked, beside = _with_own(given)
    for name, own in ranks.shared_out(asked, mpi.world.size).items():
        comm = ranks.group(mpi.world, own)
        if comm is None:
            continue
        try:
            found[name] = ranks.divide(comm, programs[name].asks_for(comm))
        except InputError as error:
            fault = f"{name}: {error}"
    told = mpi.world.allgather((fault, {name: one.steps for name, one in found.items()}))
    if first := next((text for text, _ in told if text), ""):
        raise InputError(first)
    steps = {name: own for _, part in told for name, own in part.items()}
    _join(beside, found, steps)
    return {n: found.get(n, ranks.no_part._replace(steps=steps[n])) for n in programs}


def _with_own(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the ranks of programs that have their own, and of the others on whose ranks they run.
    InputError: those of a program that has none.
    """
    beside = {name: of for name, of in given.items() if isinstance(of, str)}
    asked = {name: one for name, one in given.items() if name not in beside}
    for name, of in beside.items():
        if of not in asked:
            raise InputError(unknown(f"program on whose ranks {name} runs", of, [*asked]))
    return asked, beside


def _join(
    beside: Mapping[str, str], found: dict[str, ranks.Division], steps: dict[str, list[int]]
) -> None:
    """Gives programs the ranks of others, beside whose names they stand."""
    for name, of in beside.items():
        steps[name] = steps[of]
        if steps_here(found.get(of)):
            found[name] = found[of]._replace(helps={})


def steps_here(division: ranks.Division | None) -> bool:
    """Returns whether this rank steps a program of that division, and does not help it."""
    return division is not None and not division.task


def placed(
    programs: Mapping[str, Any],
    division: Mapping[str, ranks.Division],
    late: Mapping[str, float],
    folders: Mapping[str, Path],
) -> tuple[Any, dict[str, Member]]:
    """Returns the communicator of all ranks that step, and each program with its ranks in it.
    InputError: one is prepared on other ranks.
    """
    steps = {rank for one in division.values() for rank in one.steps}
    comm = ranks.group(mpi.world, steps)
    everyone = ranks.numbers(comm) if comm is not None else []
    members = {}
    for name, program in programs.items():
        if program.sequence is None:
            program.take_ranks(division[name])
        elif not alike(program.comm, division[name].comm):
            raise InputError(f"programs: {name} is prepared already; give it before that")
        own = [everyone.index(rank) for rank in division[name].steps] if everyone else []
        members[name] = Member(name, program, own, late[name], folders[name])
    return comm, members


def alike(one: Any, other: Any) -> bool:
    """Returns whether two communicators have the same ranks in the same order."""
    if one is None or other is None:
        return one is other
    return mpi.MPI.Comm.Compare(one, other) in (mpi.MPI.IDENT, mpi.MPI.CONGRUENT)


def started(members: Iterable[Member], seconds: float) -> Iterator[Member]:
    """Yields the programs whose start has come at that time [s]."""
    return (member for member in members if member.late <= seconds + 1e-6)
