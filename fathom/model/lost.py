"""Changes of fields by a user's process that nothing reads: it stands too late or too early in the
step, or the name of the field is another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fathom.base.failure import InputError
from fathom.base.near import near

Rotations = Sequence[Sequence[str]]


def check_used(processes: Sequence[Any], own: Sequence[int], rotations: Rotations) -> None:
    """Raises InputError: a process changes a field that others make or read, and none reads it
    afterwards, in this step or the next.

    own : the numbers of the user's processes.  rotations : as of a model.
    """
    accesses = [{f["name"]: f["access"] for f in process.fields} for process in processes]
    later = _names_later(rotations)
    for number in own:
        for name, access in accesses[number].items():
            if access != "reads" and (why := _why_lost(accesses, number, name, later)) is not None:
                written = why if isinstance(why, str) else _again(processes[why].name)
                raise InputError(
                    f"{processes[number].name}: its change of {name} is lost: no process reads it"
                    f" afterwards{written}{_advice(processes, accesses, number, name)}"
                    + _of_several(processes[number].name, accesses[number])
                )


def _of_several(name: str, accesses: Mapping[str, str]) -> str:
    """Returns where a process that changes several tendencies belongs: no one place is after the
    start of all of them and before the use of the first.
    """
    changed = [one for one in accesses if one.endswith("_tendency") and accesses[one] != "reads"]
    if len(changed) < 2:
        return ""
    return (
        "; a scheme that changes several tracers is one of the reactions of an ocean:"
        f" Ocean(reactions=[{name}])"
    )


def _names_later(rotations: Rotations) -> dict[str, str]:
    """Returns what a field is called in the next step."""
    return {
        name: fields[n - 1] for fields in rotations for n, name in enumerate(fields)
    }  # each gets the memory of the next one


def _why_lost(
    accesses: Sequence[Mapping[str, str]], number: int, name: str, later: Mapping[str, str]
) -> int | str | None:
    """Returns the number of the process that writes a field anew before any reads it, or the reason
    in words; None: it is read, or it is the process's own field.
    """
    others = [n for n in range(len(accesses)) if n != number]
    if _next(accesses, others, name) is None:
        return _why_strange(accesses, name)
    found = _next(accesses, others[number:], name)  # those after it
    if found is None:
        name = later.get(name, name)
        found = _next(accesses, others[:number], name)
    lost = found is not None and accesses[found][name] == "writes"
    return found if lost else None


def _why_strange(accesses: Sequence[Mapping[str, str]], name: str) -> str | None:
    """Returns what is near the name of a tendency that no other process has; None: it is no
    tendency, but a field of the process's own.
    """
    if "_tendency" not in name:
        return None
    return near(name, {field for access in accesses for field in access} - {name})


def _next(accesses: Sequence[Mapping[str, str]], numbers: list[int], name: str) -> int | None:
    """Returns the first of these processes that uses a field; None: none does."""
    return next((n for n in numbers if name in accesses[n]), None)


def _again(process: str) -> str:
    return f" ({process!r} writes it anew)"


def _advice(
    processes: Sequence[Any], accesses: Sequence[Mapping[str, str]], number: int, name: str
) -> str:
    """Returns between which processes it must stand; "" where no process reads the field."""
    readers = [n for n, one in enumerate(accesses) if n != number and one.get(name, "") == "reads"]
    writers = [n for n, one in enumerate(accesses) if one.get(name, "") == "writes" and n != number]
    before = [n for n in writers if readers and n < readers[-1]]
    if not readers or not before:
        return ""
    return (
        f"; it must stand after {processes[before[-1]].name!r} and before"
        f" {processes[readers[-1]].name!r}"
    )
