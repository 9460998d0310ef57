"""Turns: one thread of a process computes at a time, others wait for it. The core, its OpenMP
threads and MPI belong to one thread.

A process that is forked (multiprocessing on Linux) goes on alone: OpenMP's threads are not copied
into it, so those that wait in the parent are let go before.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from fathom.base.failure import InputError

Function = TypeVar("Function", bound=Callable[..., Any])

_lock = threading.RLock()
_forked = False  # whether this process is a copy of one of several ranks


@contextmanager
def turn() -> Iterator[None]:
    """Holds the turn. InputError: another thread has it, on one of several ranks, which would wait
    for each other; or this process was forked from such a rank.
    """
    if _forked:
        raise InputError(
            "this process is a copy (fork) of one of several ranks, without MPI; start it with"
            " multiprocessing.get_context('spawn'), or before the ranks"
        )
    if not _lock.acquire(blocking=False):
        if _ranks() > 1:
            raise InputError(
                f"another thread computes, on {_ranks()} ranks, which would wait for each other;"
                " on several ranks all simulations run in one thread"
            )
        _lock.acquire()
    try:
        yield
    finally:
        _lock.release()


def in_turn(function: Function) -> Function:
    """Decorates a function that takes a turn."""

    @functools.wraps(function)
    def taken(*given: Any, **named: Any) -> Any:
        with turn():
            return function(*given, **named)

    return taken  # type: ignore[return-value]  # it has the signature of the function


def _loaded(name: str) -> Any:
    """Returns `core` or `world` of fathom.base.mpi, None where MPI is not loaded."""
    return vars(sys.modules.get("fathom.base.mpi", sys)).get(name)


def _ranks() -> int:
    world = _loaded("world")
    return 1 if world is None else int(world.size)


def _before_fork() -> None:
    """Lets OpenMP's waiting threads go; the next loop makes new ones."""
    core = _loaded("core")
    pause = getattr(ctypes.CDLL(core.__file__), "omp_pause_resource_all", None) if core else None
    if pause is not None:
        of_all_kinds = 2
        pause(of_all_kinds)


def _after_fork() -> None:
    """Frees the turn in the copy: the thread that had the turn may not exist here."""
    global _lock, _forked
    _lock, _forked = threading.RLock(), _ranks() > 1


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
