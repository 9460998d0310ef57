"""The cost of observations, part by part, in seconds of a processor: index, decode, rows, sort,
write, read, a question, screening, the analysis of a surface, operators; the same decoding by
eccodes from Python; and an estimate of an import on more ranks.

The messages are those of a file, or surface reports that eccodes encodes here. An import on N
ranks is priced as

    index  +  (decode + rows + 2 sorts + writing) / N  +  rows that travel twice / rate of memory

and a screening, with departures drawn at random, as

    U  +  (read + screening - U + writing) / N  +  rows that travel twice / rate of memory

U: departures of the surface, which all ranks have, and the trees that find neighbours in them.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations import (
    base,
    bufr,
    ingest,
    operators,
    parquet,
    reports,
    screening,
    spread,
    surface,
)
from fathom.assimilation.observations.base import Observations
from fathom.base import machine, mpi
from fathom.base.failure import InputError
from fathom.performance import load

ranks = (2, 4, 16)
rate_of_travel = 1e9  # bytes/s through shared memory between ranks, with packing: an estimate


def made(count: int = 20000) -> bytes:
    """Returns surface reports, template 307080: fifty that differ, with other times of section
    1."""
    import eccodes

    rng = np.random.default_rng(0)
    different = []
    for n in range(min(50, count)):
        handle = eccodes.codes_bufr_new_from_samples("BUFR4")
        eccodes.codes_set(handle, "masterTablesVersionNumber", 30)
        eccodes.codes_set(handle, "dataCategory", 0)
        eccodes.codes_set_array(handle, "inputDelayedDescriptorReplicationFactor", [0, 0])
        eccodes.codes_set_array(handle, "unexpandedDescriptors", [307080])
        for key, value in {
            "blockNumber": 10, "stationNumber": 100 + n, "year": 2018, "month": 11, "day": 20,
            "hour": 12, "minute": 0, "latitude": rng.uniform(40, 60),
            "longitude": rng.uniform(0, 20), "heightOfStationGroundAboveMeanSeaLevel": 100,
            "airTemperature": rng.uniform(260, 290), "dewpointTemperature": 255,
            "nonCoordinatePressure": 99000, "windDirection": 10 * n % 360, "windSpeed": 5,
        }.items():  # fmt: skip
            eccodes.codes_set(handle, key, float(value))
        eccodes.codes_set(handle, "pack", 1)
        different.append(bytearray(eccodes.codes_get_message(handle)))
        eccodes.codes_release(handle)
    second_of_section_1 = 8 + 21
    messages = []
    for n in range(count):
        message = different[n % len(different)]
        message[second_of_section_1] = n // len(different) % 60
        message[second_of_section_1 - 1] = n // len(different) // 60 % 60
        messages.append(bytes(message))
    return b"".join(messages)


class Spent:
    """Seconds of the processor, part by part; the least of some repetitions."""

    def __init__(self, repetitions: int) -> None:
        self.repetitions, self.seconds = repetitions, {}  # type: ignore[var-annotated]

    def __call__(self, name: str, do: Callable[[], Any]) -> Any:
        result, least = None, np.inf
        for _ in range(self.repetitions):
            start = time.process_time()
            result = do()
            least = min(least, time.process_time() - start)
        self.seconds[name] = least
        return result


def measure(
    file: Path | None = None, messages: int = 20000, repetitions: int = 3
) -> dict[str, Any]:
    """Returns all figures. FileNotFoundError; ValueError: a file without messages."""
    data = file.read_bytes() if file else made(messages)
    spent = Spent(repetitions)
    index = spent("index", lambda: mpi.core.bufr_index(data))
    if not index:
        raise InputError(f"{file} has no message of BUFR")
    roles = reports.roles(mpi.core)
    bufr.read(data, roles, index[:10])  # tables are read once
    rows, problems = spent("decode", lambda: bufr.read(data, roles, index))
    unsorted = spent("rows", lambda: reports.observations(rows, data, index))
    whole = spent("sort", lambda: base.together([unsorted]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.parquet"
        spent("write", lambda: base.write(whole, path))
        size = path.stat().st_size
        spent("read", lambda: base.read(path))
        sql = "SELECT kind, variable, count(*), avg(value) FROM observations GROUP BY ALL"
        spent("question", lambda: base.query(sql, path))

    def fresh() -> Any:
        return Observations(**whole.column)

    spent("screen", lambda: screening.screen(fresh()))

    def with_departures() -> Any:
        return _departed(fresh())

    spent("draw departures", with_departures)
    spent("screen departures", lambda: screening.screen(with_departures()))
    used = with_departures()
    screening.screen(used)
    spent("of that on each rank", lambda: screening.on_each_rank(used))
    _surface(spent)
    _operators(spent)
    theirs = _eccodes(data, index)
    s = spent.seconds
    return {
        "case": {"file": file.name if file else "", "messages": len(index)},
        "machine": machine.name(),
        "messages": len(index),
        "damaged": sum(map(bool, problems)),
        "data": len(whole),
        "bytes": len(data),
        "bytes_of_base": size,
        "processor_seconds": s,
        "messages_per_second": len(index) / (s["index"] + s["decode"] + s["rows"]),
        "messages_per_second_decoded": len(index) / s["decode"],
        "messages_per_second_of_eccodes": theirs,
        "import_and_screen_seconds": sum(
            s[n] for n in ("index", "decode", "rows", "sort", "write", "screen")
        ),
        "priced_speedup": {str(n): _speedup(s, len(whole), n) for n in ranks},
        "priced_speedup_of_screening": {str(n): _of_screening(s, len(whole), n) for n in ranks},
    }


def on_ranks(comm: Any, file: Path | None, messages: int, repetitions: int) -> dict[str, Any]:
    """Returns import, and screening of departures drawn at random, on one of these ranks and on
    all: the processor time of the slowest rank [s], its least of some repetitions, and the
    speed-up.
    """
    import scipy.spatial  # noqa: F401  start-up time is not measured

    folder = Path(comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None))
    bufr_file, made_base, out = (folder / n for n in ("made.bufr", "made.parquet", "out.parquet"))
    try:
        if comm.rank == 0 and file is None:
            bufr_file.write_bytes(made(messages))
        comm.barrier()
        file = file or bufr_file
        told = {"import": _by_ranks(comm, repetitions, lambda some: _imported(file, out, some))}
        if comm.rank == 0:
            base.write(_departed(base.read(out)), made_base)
        comm.barrier()

        def screened(some: Any) -> Any:
            return screening.screen_file(made_base, out, screening.Settings(), some)

        return told | {"screening": _by_ranks(comm, repetitions, screened)}
    finally:
        comm.barrier()
        if comm.rank == 0:
            shutil.rmtree(folder)


def _imported(file: Path, out: Path, comm: Any) -> None:
    own, _ = ingest.collect([file], 1, comm)
    spread.write(own, out, comm)


def _by_ranks(comm: Any, repetitions: int, do: Callable[[Any], Any]) -> dict[str, float]:
    alone = np.inf
    if comm.rank == 0:
        do(parquet.alone)  # tables are read once
        alone = min(_spent(parquet.alone, do) for _ in range(repetitions))
    comm.barrier()
    do(comm)
    all_ = min(_spent(comm, do) for _ in range(repetitions))
    return {"ranks": comm.size, "seconds_on_one": alone, "seconds": all_, "speedup": alone / all_}


def _spent(comm: Any, do: Callable[[Any], Any]) -> float:
    comm.barrier()
    start = time.process_time()
    do(comm)
    result: float = max(comm.allgather(time.process_time() - start))
    return result


def _departed(data: Observations) -> Observations:
    """Returns the data with departures that agree with the usual errors."""
    usual = np.array(list(screening.background_errors.values()))[data["variable"]]
    spread = np.hypot(usual, data["error"])
    data["background_departure"] = spread * np.random.default_rng(0).standard_normal(len(data))
    return data


def _of_screening(s: dict[str, float], data: int, count: int) -> float:
    """Returns seconds of a screening, as of an import; `count` ranks."""
    alone = s["of that on each rank"]
    shared = s["screen departures"] - s["draw departures"] - alone + s["read"]
    one = alone + shared + s["write"]
    return one / (alone + shared / count + _writing(s, data, count) + _travel(data, count))


def _writing(s: dict[str, float], data: int, count: int) -> float:
    """Returns most groups of rows on one rank."""
    groups = len(parquet.group_bounds(data)) - 1
    return s["write"] * -(-groups // count) / max(groups, 1)


def _travel(data: int, count: int) -> float:
    row = sum(np.dtype(kind).itemsize for kind, _, _ in base.columns.values())
    return 2 * data * row * (count - 1) / count**2 / rate_of_travel


def _speedup(s: dict[str, float], data: int, count: int) -> float:
    """Returns the speed-up of an import on `count` ranks, by the formula above."""
    shared = s["decode"] + s["rows"] + 2 * s["sort"]
    one = s["index"] + s["decode"] + s["rows"] + s["sort"] + s["write"]
    return one / (s["index"] + shared / count + _writing(s, data, count) + _travel(data, count))


def _surface(spent: Spent) -> None:
    """Analyses 1500 stations from 50 neighbours each."""
    rng = np.random.default_rng(1)
    n = 1500
    data = surface.Data(
        rng.uniform(0, 30, n), rng.uniform(35, 65, n), rng.gamma(1, 300, n), rng.normal(0, 2, n)
    )
    of = surface.structure_of("air_temperature")
    spent(
        "surface analysis of 1500 places",
        lambda: surface.analyse(of, data.longitude, data.latitude, data.height, data),
    )


def _operators(spent: Spent) -> None:
    """Applies operators to 10 000 columns of 60 layers: temperature at a pressure and refractivity,
    both ways.
    """
    n, layers = 10000, 60
    sigma = np.linspace(0, 1, layers + 1)
    a, b = 1e5 * (sigma - sigma**2), sigma**2
    T = np.broadcast_to(np.linspace(220, 288, layers), (n, layers))
    q = np.full((n, layers), 1e-3)
    ps = np.full(n, 1e5)
    seen = operators.Columns(a, b, T, q, T, T, ps, ps * 0 + 288, ps * 0)
    value = np.ones(n)
    for name, level in (("temperature", 5e4), ("refractivity", 8e3)):
        spent(f"{name} of 10000", partial(seen.apply, name, level))
        spent(f"{name} of 10000, adjoint", partial(seen.adjoint, name, value, level))


def _eccodes(data: bytes, index: list[Any], most: int = 1000) -> float:
    """Returns messages per second that eccodes unpacks from Python, with eight of their keys."""
    import eccodes

    keys = ("latitude", "longitude", "airTemperature", "dewpointTemperature", "windDirection",
            "windSpeed", "nonCoordinatePressure", "stationNumber")  # fmt: skip
    some = index[:most]
    start = time.process_time()
    for m in some:
        handle = eccodes.codes_new_from_message(data[m.offset : m.offset + m.length])
        try:
            eccodes.codes_set(handle, "unpack", 1)
            for key in keys:
                try:
                    eccodes.codes_get_array(handle, key)
                except eccodes.KeyValueNotFoundError:
                    continue
        except eccodes.CodesInternalError:
            continue
        finally:
            eccodes.codes_release(handle)
    return len(some) / max(time.process_time() - start, 1e-9)


def present(figures: dict[str, Any], file: Path | None = None) -> list[str]:
    """Returns lines for people; the figures into a file."""
    load.leave(figures, file)
    f = figures
    lines = [f"{f['messages']} messages, {f['damaged']} damaged, {f['data']} data"]
    lines += [f"{name:34} {1e3 * s:9.1f} ms" for name, s in f["processor_seconds"].items()]
    lines += [
        f"messages a second: {f['messages_per_second']:.0f} with rows,"
        f" {f['messages_per_second_decoded']:.0f} decoded, eccodes"
        f" {f['messages_per_second_of_eccodes']:.0f}",
        f"import and screening: {f['import_and_screen_seconds']:.2f} s",
        "priced speed-up of an import: "
        + ", ".join(f"{x:.1f} on {n} ranks" for n, x in f["priced_speedup"].items()),
        "and of a screening: "
        + ", ".join(f"{x:.1f} on {n} ranks" for n, x in f["priced_speedup_of_screening"].items()),
    ]
    for name, on in f.get("measured", {}).items():
        lines.append(
            f"{name} on {on['ranks']} ranks: {1e3 * on['seconds']:.0f} ms, on one"
            f" {1e3 * on['seconds_on_one']:.0f} ms: {on['speedup']:.2f} times as fast"
        )
    return lines
