"""The division of ranks: which of them step a program, and which help it with a task, as radiation
or output. Each rank does one thing.

    divide(mpi.world, {"radiation_ranks": (2, 1), "io_servers": (4, 2)})

Helpers are taken from the ends of the nodes, one by one (core/output/roles.hpp). Programs that run
in turn step on the same ranks, and each has helpers of its own; those that run side by side have
ranks that are named, or numbers of them (`shared_out`), and each takes its helpers from its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from fathom.base import mpi
from fathom.base.failure import InputError


def listed(ranks: Iterable[int]) -> str:
    """Returns ranks in words: "0 to 3", "1, 5"."""
    numbers = sorted(ranks)
    if len(numbers) > 2 and all(b == a + 1 for a, b in pairwise(numbers)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def check_once(given: Mapping[str, Iterable[int]], size: int) -> None:
    """Checks that no rank is given twice. InputError, with both; or a rank that does not exist.

    given: what ranks are for -> their numbers; size: how many ranks there are.
    """
    seen: dict[int, str] = {}
    for what, ranks in given.items():
        for rank in ranks:
            if not (isinstance(rank, int) and 0 <= rank < size):
                raise InputError(f"ranks of {what}: {rank!r} is none of 0 to {size - 1}")
            if rank in seen:
                raise InputError(
                    f"rank {rank} is given twice: to {seen[rank]} ({listed(given[seen[rank]])}) and"
                    f" to {what} ({listed(ranks)})"
                )
            seen[rank] = what


def shared_out(asked: Mapping[str, Any], size: int) -> dict[str, list[int]]:
    """Returns the ranks of each program: those that are named, or the next ones of a number.

    asked: program -> ranks, or how many. InputError: `check_once`, or more than there are.
    """
    found, free = dict[str, list[int]](), 0
    for name, ranks in asked.items():
        if isinstance(ranks, int) and not isinstance(ranks, bool):
            found[name] = list(range(free, free + ranks))
        else:
            found[name] = list(ranks)
        free = max([free, *(rank + 1 for rank in found[name])])
        if not found[name]:
            raise InputError(f"ranks = {dict(asked)!r}: {name} has none")
    if free > size:
        raise InputError(f"ranks = {dict(asked)!r} are {free}; this run has {size}")
    check_once(found, size)
    return found


def group(comm: Any, ranks: Iterable[int]) -> Any:
    """Returns the communicator of these ranks of another one; None on others. All of them call it,
    no other needs to.
    """
    numbers = sorted(set(ranks))
    if comm.rank not in numbers:
        return None
    if len(numbers) == comm.size:
        return comm
    return comm.Create_group(comm.Get_group().Incl(numbers))


def parted(comm: Any, number: int) -> Any:
    """Returns the communicator of the own one of so many groups of ranks of another one, each of
    the same size and of ranks one after another. All of them call it.
    """
    return comm if number == 1 else comm.Split(comm.rank // (comm.size // number), comm.rank)


def numbers(comm: Any) -> list[int]:
    """Returns the ranks of a communicator by their number among all."""
    return [int(n) for n in comm.Get_group().Translate_ranks(None, mpi.world.Get_group())]


class Help(NamedTuple):
    """The ranks of a task, and those that they help."""

    comm: Any  # of those that step and those that help; None on others
    roles: Any  # of the ranks of `comm` (core/output/roles.hpp); None on others
    ranks: list[int]  # that help, by their number among all


class Division(NamedTuple):
    """What this rank does, and what the others do."""

    comm: Any  # of the ranks that do the same; None where this rank has no part
    task: str  # with which this rank helps; "": it steps, or has no part
    steps: list[int]  # ranks that step, by their number among all
    helps: Mapping[str, Help]  # by task

    @property
    def serves(self) -> bool:
        """Returns whether this rank helps with a task of this program itself, none of a program
        that runs with it.
        """
        return self.comm is not None and self.task in self.helps and " of " not in self.task

    def of(self, name: str) -> Division:
        """Returns the part of one of several programs, whose tasks are called "TASK of NAME"."""
        end = f" of {name}"
        helps = {t.removesuffix(end): one for t, one in self.helps.items() if t.endswith(end)}
        here = not self.task or self.task.endswith(end)
        return Division(self.comm if here else None, self.task.removesuffix(end), self.steps, helps)

    @property
    def helpers(self) -> dict[str, list[int]]:
        """Returns the ranks that help, by their task."""
        return {task: one.ranks for task, one in self.helps.items()}


no_part = Division(None, "", [], {})


def named(asked: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Returns what one of several programs asks for, as `Division.of` finds it again."""
    return {f"{task} of {name}": how for task, how in asked.items()}


def divide(comm: Any, asked: Mapping[str, tuple[int, int]]) -> Division:
    """Returns the division of a communicator; all of its ranks call it.

    asked: task -> (how many ranks, how many of them work together). InputError: they leave none to
    step.
    """
    _check_left(asked, comm.size)
    everyone, steps, left = numbers(comm), list(range(comm.size)), comm
    found, chosen, task = dict[str, Any](), dict[str, list[int]](), ""
    for name, (count, together) in asked.items():
        if task:  # this rank helps, and is not asked again
            break
        roles = found[name] = mpi.core.roles(left.py2f(), count, together)
        chosen[name] = [steps[n] for n in roles.servers]
        steps = [n for n in steps if n not in chosen[name]]
        left, task = mpi.MPI.Comm.f2py(roles.own), name if roles.server >= 0 else ""
    steps, chosen = comm.bcast((steps, chosen))  # rank 0 always steps
    helps = {}
    for name, ranks in chosen.items():
        sub, own = group(comm, [*steps, *ranks]), None
        if sub is not None:  # roles of the last task are among the ranks of `sub` already
            last = name == [*chosen][-1]
            own = found[name] if last else _again(sub, name, *asked[name], [*steps, *ranks])
        helps[name] = Help(sub, own, [everyone[n] for n in ranks])
    return Division(left, task, [everyone[n] for n in steps], helps)


def _again(sub: Any, task: str, count: int, together: int, ranks: list[int]) -> Any:
    """Returns the roles of a task among those that step and its helpers, the last `count` of
    `ranks`. InputError: others would help, where all ranks of a node help and the nodes' ranks are
    not numbered one node after another.
    """
    roles, order = mpi.core.roles(sub.py2f(), count, together), sorted(ranks)
    if {order[n] for n in roles.servers} != set(ranks[-count:]):
        raise InputError(f"{task} = {count}: number the ranks of a node one after another")
    return roles


def _check_left(asked: Mapping[str, tuple[int, int]], size: int) -> None:
    """Checks that ranks are left to step. InputError, with both values."""
    total = sum(count for count, _ in asked.values())
    if total >= size and total:
        told = " and ".join(f"{task} = {count}" for task, (count, _) in asked.items())
        raise InputError(
            f"{told} of {size} ranks leave none to step; allowed: at most {size - 1}"
            + " together" * (len(asked) > 1)
        )
