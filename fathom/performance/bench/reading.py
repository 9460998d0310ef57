"""Benchmark of input: fields of a store read and decoded by one rank, by few and by all, from a
disk as fast as it is and from one whose rate all ranks share.

Each field is one message of GRIB2 in an article of FA. With n readers each decodes every n-th
field, and the others receive it (fathom/reading.py); "all": each rank reads everything for itself.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom import machine, mpi, names, output, reading
from fathom.failure import InputError
from fathom.grids import GaussianGrid, HybridLevels
from fathom.output.formats import lfi
from fathom.output.formats.fa_dataset import values
from fathom.performance.bench.shared_disk import SharedDisk


@dataclass(frozen=True)
class Case:
    """What is read. disk: MB/s that all ranks share. ValueError: a disk without a rate."""

    ranks: int = 2
    truncation: int = 106
    fields: int = 60
    disk: float = 17.0

    def __post_init__(self):
        if self.disk <= 0:
            raise InputError(f"bench input: disk = {self.disk} MB/s; allowed: above 0")

    @property
    def readers(self) -> list[int | str]:
        """1, 2, 4, ... all ranks in turn, and each for itself."""
        powers = [2**n for n in range(self.ranks.bit_length()) if 2**n < self.ranks]
        return [*powers, self.ranks, reading.every_rank]


def measure(case: Case) -> dict[str, Any] | None:
    """Seconds until all ranks have all fields, by readers, on rank 0; None elsewhere."""
    comm = mpi.world
    with _written(case) as (file, articles):
        size = file.stat().st_size
        shared = SharedDisk(file.with_name("disk"), case.disk * 1e6)
        found = {
            store: {str(n): _seconds(comm, n, file, articles, disk) for n in case.readers}
            for store, disk in (("local", None), ("shared", shared))
        }
    if comm.rank:
        return None
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": f"T{case.truncation}",
        "megabytes": size / 1e6,
        "seconds": found,
    }


@contextmanager
def _written(case: Case) -> Iterator[tuple[Path, list[str]]]:
    """A file of random fields and the names of their articles, on all ranks."""
    comm = mpi.world
    with tempfile.TemporaryDirectory(prefix="fathom-input-") as folder:
        place = Path(comm.bcast(folder))
        if comm.rank == 0:
            _write(case, place / "fields.fa")
        comm.barrier()
        file = place / "fields.fa" / "+0000.fa"
        yield file, [name for name in lfi.Articles(file) if name.startswith("S")]
        comm.barrier()


def _write(case: Case, path: Path) -> None:
    grid = GaussianGrid(case.truncation, levels=HybridLevels(case.fields))
    mapping = grid.mapping()
    variables = [output.variable("air_temperature", mapping)]
    writer = output.create(
        path, output.coordinates(mapping, variables), variables, compression="ccsds"
    )
    name = names.get("air_temperature").alias
    (region,) = writer.regions(name)
    random = np.random.default_rng(0)
    writer.write(name, 0, region, random.normal(280, 10, (case.fields, *grid.shape[1:])))
    writer.extend(0, 0.0)
    writer.close()


def _seconds(
    comm: Any, readers: int | str, file: Path, articles: list[str], disk: SharedDisk | None
) -> float:
    """Of the slowest rank; from the local disk the least of three turns."""
    size = file.stat().st_size // len(articles)

    def load(name: str) -> np.ndarray:
        if disk is not None:
            disk.wait(disk.taken(size))
        return values(lfi.Articles(file), name)

    least = np.inf
    for _ in range(3 if disk is None else 1):
        comm.barrier()
        began = time.perf_counter()
        with reading.Readers(comm, readers) as group:
            for _, field in group.each(articles, load):
                assert field.size
        least = min(least, comm.allreduce(time.perf_counter() - began, mpi.MPI.MAX))
    return float(least)


def present(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures and write them as JSON. Returns the exit status 0."""
    if figures is None:
        return 0
    if file is not None:
        file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    case = figures["case"]
    click.echo(
        f"{case['fields']} fields of {figures['grid']}, {figures['megabytes']:.1f} MB, on"
        f" {case['ranks']} rank{'s' * (case['ranks'] > 1)}; {figures['machine']}"
    )
    local, shared = (figures["seconds"][store] for store in ("local", "shared"))
    slow = f"{case['disk']:g} MB/s shared s"
    click.echo(f"{'readers':<10}{'local disk s':>14}{slow:>22}")
    for readers in local:
        click.echo(f"{readers:<10}{local[readers]:>14.3f}{shared[readers]:>22.3f}")
    best = {store: min(held, key=held.get) for store, held in figures["seconds"].items()}
    click.echo(
        f"quickest: {best['local']} local, {best['shared']} shared; a run takes one reader a node"
        " where readers is not given"
    )
    return 0
