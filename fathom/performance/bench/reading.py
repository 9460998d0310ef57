"""Benchmark of input and output by few ranks or all: fields of a store read and decoded, and
encoded and written, on the real disk and on one with a rate that all ranks share.

Each field is one message of GRIB2 in an article of FA. With n readers each decodes every n-th
field, and the others receive it (fathom/base/reading.py); "all": each rank reads everything.
With n writers each collects every n-th field from the rows of all ranks, encodes it and writes its
own file. Best of both: `rule`.

A file of the surface, as that of SURFEX, has plain numbers, which all ranks need: read by one rank,
by few, and by every rank, from the shared disk alone.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom import output
from fathom.base import machine, mpi, reading
from fathom.base.failure import InputError
from fathom.grids import GaussianGrid, HybridLevels
from fathom.output.formats import lfi
from fathom.output.formats.fa_dataset import values
from fathom.performance import load
from fathom.performance.bench.shared_disk import SharedDisk

surface_field = 256, 300  # rows and points of one of its fields, of 8 bytes each


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. disk: MB/s that all ranks share; surface: MB of a file of the
    surface, 0: none. ValueError: a disk without a rate.
    """

    ranks: int = 2
    truncation: int = 106
    fields: int = 60
    disk: float = 17.0
    surface: float = 0.0

    def __post_init__(self) -> None:
        if self.disk <= 0:
            raise InputError(f"bench input: disk = {self.disk} MB/s; allowed: above 0")

    @property
    def readers(self) -> list[int | str]:
        """Returns 1, 2, 4, ... all ranks in turn, and each for itself."""
        powers = [2**n for n in range(self.ranks.bit_length()) if 2**n < self.ranks]
        return [*powers, self.ranks, reading.every_rank]


def measure(case: Case) -> dict[str, Any] | None:
    """Returns seconds until all ranks have all fields, by readers, on rank 0; None elsewhere."""
    comm = mpi.world
    with _written(case) as (file, articles):
        size = file.stat().st_size
        shared = SharedDisk(file.with_name("disk"), case.disk * 1e6)
        disks = {"local": None, "shared": shared}
        found = {
            store: {str(n): _seconds(comm, n, file, articles, disk) for n in case.readers}
            for store, disk in disks.items()
        }
        written = {
            store: {
                str(n): _encoding(comm, int(n), case, file.parent, disk) for n in case.readers[:-1]
            }
            for store, disk in disks.items()
        }
    surface = _surface(comm, case) if case.surface else {}
    nodes = len(reading.placed(comm))
    if comm.rank:
        return None
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": f"T{case.truncation}",
        "megabytes": size / 1e6,
        "seconds": found,
        "written": written,
        "surface": surface,
        "nodes": nodes,
        "rule": {
            what: {store: rule(held, nodes, most) for store, held in table.items()}
            for what, table, most in (("readers", found, None), ("writers", written, nodes))
        },
    }


def rule(
    seconds: dict[str, float], nodes: int, most: int | None = None, worth: float = 0.05
) -> str:
    """Returns how many should read or write: one a node, unless more are faster by more than
    `worth`; then the fewest that are within that of the best. most: of those that encode, one a
    node: more take memory and cores from the model for little.
    """
    counts = {int(n): held for n, held in seconds.items() if n != reading.every_rank}
    counts = {n: held for n, held in counts.items() if most is None or n <= most} or counts
    usual = counts[min(counts, key=lambda n: abs(n - nodes))]
    best = min(counts.values())
    if best > (1 - worth) * usual:
        return str(nodes)
    return str(min(n for n, held in counts.items() if held <= (1 + worth) * best))


@contextmanager
def _written(case: Case) -> Iterator[tuple[Path, list[str]]]:
    """Writes a file of random fields and the names of their articles, on all ranks."""
    comm = mpi.world
    with tempfile.TemporaryDirectory(prefix="fathom-input-") as folder:
        place = Path(comm.bcast(folder))
        if comm.rank == 0:
            _write(case, place / "fields.fa")
        comm.barrier()
        file = place / "fields.fa" / "+0000.fa"
        yield file, [name for name in lfi.Articles(file) if name.startswith("S")]
        comm.barrier()


def _surface(comm: Any, case: Case) -> dict[str, dict[str, float]]:
    """Returns, of a file of the surface, seconds until all ranks have had all of it, and MB that
    the disk has given, by readers.
    """
    one = 8 * int(np.prod(surface_field))
    count = max(1, round(1e6 * case.surface / one))
    with tempfile.TemporaryDirectory(prefix="fathom-input-") as folder:
        place = Path(comm.bcast(folder))
        file, disk = place / "surface", SharedDisk(place / "disk", case.disk * 1e6)
        if comm.rank == 0:
            numbers = _random(*surface_field)
            with file.open("wb") as written:
                for _ in range(count):
                    numbers.tofile(written)
        comm.barrier()
        read = 0

        def load(k: int) -> np.ndarray:
            nonlocal read
            read += one
            disk.wait(disk.taken(one))
            return np.fromfile(file, count=one // 8, offset=k * one).reshape(surface_field)

        found = {}
        for readers in case.readers:
            read = 0
            comm.barrier()
            began = time.perf_counter()
            with reading.Readers(comm, readers) as group:
                for _, field in group.each(range(count), load):
                    assert field.shape == surface_field
            seconds = comm.allreduce(time.perf_counter() - began, mpi.MPI.MAX)
            found[str(readers)] = {"seconds": seconds, "megabytes": comm.allreduce(read) / 1e6}
        comm.barrier()
    return found


def _write(case: Case, path: Path) -> None:
    shape = GaussianGrid(case.truncation).shape[1:]
    _write_fields(path, case.truncation, _random(case.fields, *shape))


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(280, 10, shape)


def _write_fields(path: Path, truncation: int, fields: np.ndarray) -> None:
    """Writes the fields as layers of a temperature, packed."""
    layers = max(6, len(fields))  # hybrid levels have some
    grid = GaussianGrid(truncation, levels=HybridLevels(layers))
    fields = np.resize(fields, (layers, *fields.shape[1:]))
    mapping = grid.mapping()
    variables = [output.variable("air_temperature", mapping)]
    writer = output.create(
        path, output.coordinates(mapping, variables), variables, compression="ccsds"
    )
    (region,) = writer.regions(variables[0].name)
    writer.write(variables[0].name, 0, region, fields)
    writer.extend(0, 0.0)
    writer.close()


def _seconds(
    comm: Any, readers: int | str, file: Path, articles: list[str], disk: SharedDisk | None
) -> float:
    """Returns seconds of the slowest rank; from the local disk the least of three turns."""
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


def _encoding(comm: Any, n: int, case: Case, folder: Path, disk: SharedDisk | None) -> float:
    """Returns seconds of the slowest rank until n writers have encoded and written all fields; from
    the local disk the least of three turns.
    """
    grid, writers = GaussianGrid(case.truncation), reading.placed(comm, n)
    ny, nx = grid.shape[1:]
    place = comm.bcast(tempfile.mkdtemp(dir=folder) if comm.rank == 0 else None)
    least = np.inf
    for turn in range(3 if disk is None else 1):
        comm.barrier()
        began = time.perf_counter()
        held = _collected(comm, writers, case.fields, (ny, nx))
        if held:
            path = Path(place) / f"{turn}-{comm.rank}.fa"
            _write_fields(path, case.truncation, np.stack(held))
            if disk is not None:
                disk.wait(disk.taken(sum(f.stat().st_size for f in path.glob("+*.fa"))))
        least = min(least, comm.allreduce(time.perf_counter() - began, mpi.MPI.MAX))
    return float(least)


def _collected(
    comm: Any, writers: list[int], fields: int, shape: tuple[int, int]
) -> list[np.ndarray]:
    """Returns the fields of this writer, whole, from rows that lie on all ranks."""
    ny, nx = shape
    cuts = [ny * k // comm.size for k in range(comm.size + 1)]
    counts = [nx * (end - begin) for begin, end in itertools.pairwise(cuts)]
    own, held = np.random.default_rng(comm.rank).normal(280, 10, counts[comm.rank]), []
    for k in range(fields):
        to = writers[k % len(writers)]
        if comm.rank == to:
            held.append(np.empty(shape))
        comm.Gatherv(own, (held[-1], counts) if comm.rank == to else None, to)
    return held


def present(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures and write them as JSON. Returns the exit status 0."""
    if figures is None:
        return 0
    load.leave(figures, file)
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
    if figures["surface"]:
        click.echo(f"{'a file of ' + format(case['surface'], 'g') + ' MB, read by':<28}{slow:>22}")
        for readers, held in figures["surface"].items():
            click.echo(f"{readers:<28}{held['seconds']:>22.3f}  {held['megabytes']:.0f} MB read")
    click.echo(f"{'writers':<10}{'local disk s':>14}{slow:>22}")
    local, shared = (figures["written"][store] for store in ("local", "shared"))
    for number in local:
        click.echo(f"{number:<10}{local[number]:>14.3f}{shared[number]:>22.3f}")
    for what, held in figures["rule"].items():
        click.echo(
            f"{what}: {held['local']} for the local disk, {held['shared']} for the shared one, by"
            f" the rule: {'at most ' if what == 'writers' else ''}one a node"
            f"{', unless more are faster by 5 %' if what == 'readers' else ''}"
        )
    return 0
