"""Ranks that are given to programs and their helpers: each does one thing at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

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


def of_programs(programs: Mapping[str, Any], ranks: Any, size: int) -> dict[str, list[int]]:
    """Returns the ranks on which each program steps: those that it is given, or in turn all that
    help none. InputError: ranks that are given twice, to steps or to helpers of programs.
    """
    busy = {
        f"{what} of {name}": numbers
        for name, program in programs.items()
        for what, numbers in program.helpers.items()
    }
    if ranks is None:
        check_once(busy, size)
        helping = {rank for numbers in busy.values() for rank in numbers}
        return {name: [r for r in range(size) if r not in helping] for name in programs}
    if set(ranks) != set(programs):
        raise InputError(
            f"ranks are given to {', '.join(map(str, ranks))}; the programs are"
            f" {', '.join(programs)}"
        )
    found = shared_out(ranks, size)
    check_once({f"the steps of {name}": own for name, own in found.items()} | busy, size)
    for what, numbers in busy.items():
        raise InputError(
            f"ranks = {dict(ranks)!r} with {what} ({listed(numbers)}): helping ranks serve programs"
            " that run in turn, without ranks"
        )
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


def numbers(comm: Any) -> list[int]:
    """Returns the ranks of a communicator by their number among all."""
    return [int(n) for n in comm.Get_group().Translate_ranks(None, mpi.world.Get_group())]
