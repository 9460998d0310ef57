"""The interface of a format of output.

A store is a file or a folder of variables on a grid, with complete times one after another. Rank 0
makes it with `create`; ranks that write open it with the class itself, also when a run is
continued. Then, for each time, each region of each variable is given to `write` once, and `extend`
makes the time visible. A reader sees complete times only, whenever a run ends.

Two ways to write:

    collective = False
        One rank writes; each variable has one region, the whole grid. The rank may be rank 0 or an
        I/O server, without a difference to the writer. `whole_times.WholeTimes` does all that such
        formats have in common.
    collective = True
        Each region is written by the rank that owns it, computing or I/O server, in any order and
        at once; so a region must have separate files, or bytes. Rank 0 alone calls `extend`, when
        all have written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fathom.output import files
from fathom.output.specification import Region, TimeAxis, VariableSpec


class Writer(Protocol):
    """A store that is open for writing.

    Attributes
    ----------
    collective : whether several ranks write at once.
    compressions : allowed values of `compression` in `create`; a format may have none.
    variables : by name, as given to `create`.
    sizes : of the dimensions except time.
    times : (n) seconds since the start, of the times that are complete.
    attributes : of the whole store, as given to `create`: by `run` and `contents` a run that
        continues knows it; a format may have none.
    writes : counts what is written (`files.Writes`).
    """

    collective: bool
    variables: dict[str, VariableSpec]
    sizes: dict[str, int]
    writes: files.Writes

    def __init__(self, path: str | Path, writes: files.Writes | None = None) -> None:
        """Opens a store made by `create`, to append: on any rank that writes, and when a run is
        continued. Times that are not complete are dropped.
        """

    @classmethod
    def create(
        cls,
        path: str | Path,
        coordinates: Any,
        variables: list[VariableSpec],
        chunks: Mapping[str, int] | None = None,
        *,
        time: TimeAxis | None = None,
        attributes: Mapping[str, Any] | None = None,
        overwrite: bool = False,
    ) -> Writer:
        """Makes a new store with its coordinates and no times, on rank 0.

        coordinates: {name: (dims, array, attributes)}, with cell bounds, or an xarray.Dataset.
        chunks: {dimension: size}, a wish. attributes: of the whole store. A format may also have
        `compression` and further options; an unknown option is an error.
        ValueError: what the format cannot hold; FileExistsError, other OSError.
        """

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Returns the attributes of the store."""

    @property
    def times(self) -> np.ndarray:
        """Returns its times, seconds after the start."""

    def regions(self, variable: str) -> Iterator[Region]:
        """Yields half-open rectangles (j0, j1, i0, i1) that make up a variable, in fixed order."""

    def write(
        self, variable: str, time_index: int | None, region: Region, array: np.ndarray
    ) -> None:
        """Writes array ([levels,] rows, points) in one of the `regions`; NaN where there is
        nothing. time_index: None for a variable that does not vary.
        """

    def extend(
        self, time_index: int, seconds: float, bounds: tuple[float, float] | None = None
    ) -> None:
        """Completes time `time_index`, which has been written. seconds since the start: its
        instant, or the middle of its interval, then with `bounds`.
        """

    def truncate(self, count: int) -> None:
        """Keeps the first `count` times: a run continues from an earlier restart, and writes the
        others again.
        """

    def close(self) -> None:
        """Closes what is open. It may be called twice."""


class CollectiveWriter(Writer, Protocol):
    """The writer of a format with `collective = True`.

    stage: a `fathom.output.staging.Stage` that takes bytes now and delivers them later, or None.
    """

    stage: Any

    def encode_with(self, threads: int) -> None:
        """Lets so many threads encode from now on."""
