"""The commands of `fathom bench`: one for each part of the model, against the limits of the
machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.performance.bench import recorded
from fathom.run import launch


@click.group(short_help="Measure the model against the limits of the machine.")
def bench() -> None:
    """Measure the model against the limits of the machine."""


@bench.command("ocean")
@click.option("--grid", default="x1", show_default=True, help="x1 (320×384×40), 1deg, 3deg.")
@click.option("--physics", default="lean", show_default=True)
@click.option("--ranks", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--precision", default="fp64", show_default=True, help="fp64 or fp32.")
@click.option(
    "--steps",
    type=click.IntRange(1),
    default=48,
    show_default=True,
    help="Steps that are measured.",
)
@click.option(
    "--spin-up", type=click.IntRange(0), default=48, show_default=True, help="Steps before them."
)
@click.option(
    "--step", help="Time step; by default one that stays stable for 30 days on that grid."
)
@click.option("--solver", help="Of the free surface; by default that of the model.")
@click.option("--preconditioner", help="Of the free surface; by default that of the model.")
@click.option("--peers/--no-peers", default=True, help="Veros beside it, where it is installed.")
@recorded.option
@click.option(
    "--json",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures, one object.",
)
def bench_ocean(
    ranks: int, threads: int, file: Path | None, record: Path | None, **case: Any
) -> int:
    """Seconds per step of the ocean: per million wet cells, per process and phase, and as a
    fraction of the machine's bandwidth.
    """
    from fathom.performance.bench.ocean import Case, measure, present

    case_ = Case(ranks=ranks, threads=threads, **case)
    return launch.distribute(
        ranks,
        threads,
        Path("."),
        lambda: recorded.told("ocean", present, measure(case_), file, record),
    )


@bench.command("barotropic")
@click.option(
    "--grid",
    default="x1",
    show_default=True,
    help="x1, 1deg, 3deg, 0.1deg (3600×2400), or WIDTHxHEIGHT.",
)
@click.option(
    "--solver",
    default="chrongear",
    show_default=True,
    help="pcg, chrongear, pipelined, s-step, pcsi.",
)
@click.option(
    "--preconditioner",
    default="diagonal",
    show_default=True,
    help="none, diagonal, evp, polynomial, factorisation.",
)
@click.option("--exchange", default="packed", show_default=True, help="How halos travel.")
@click.option("--sum", default="allreduce", show_default=True, help="How sums are made.")
@click.option(
    "--reproducible/--plain",
    default=True,
    help="Sums with the same bits on any ranks, or of plain numbers.",
)
@click.option(
    "--precision",
    default="fp64",
    show_default=True,
    help="fp64, or mixed: fp32 inside fp64 refinement.",
)
@click.option("--ranks", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--tolerance", type=float, default=1e-10, show_default=True)
@click.option(
    "--iterations", type=click.IntRange(1), default=5000, show_default=True, help="At most."
)
@click.option(
    "--repetitions",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Solves, of which the least counts; unless 1, as many more as take two seconds together.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Each solver with each preconditioner; on several ranks each exchange with each sum.",
)
@click.option("--peers/--no-peers", default=True, help="SciPy's cg on the same matrix.")
@recorded.option
@click.option(
    "--json",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures, one object.",
)
def bench_barotropic(
    ranks: int, threads: int, everything: bool, file: Path | None, record: Path | None, **case: Any
) -> int:
    """Nanoseconds per wet point and iteration of the barotropic solver, and where they go."""
    from fathom.performance.bench.barotropic import Case, measure, present

    case_ = Case(ranks=ranks, threads=threads, **case)
    return launch.distribute(
        ranks,
        threads,
        Path("."),
        lambda: recorded.told("barotropic", present, measure(case_, everything), file, record),
    )


@bench.command("transform")
@click.option("--truncation", type=click.IntRange(1), default=159, show_default=True)
@click.option(
    "--fields",
    type=click.IntRange(1),
    default=180,
    show_default=True,
    help="Field-levels in one call.",
)
@click.option("--precision", default="fp64", show_default=True, help="fp64 or fp32.")
@click.option("--ranks", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--synchronise", is_flag=True, help="All ranks wait for each other before each transposition."
)
@click.option("--grid", default="linear", show_default=True, help="linear, quadratic, cubic.")
@click.option("--reduced", default="", help="classical or octahedral rows.")
@click.option("--repetitions", type=click.IntRange(1), default=10, show_default=True)
@click.option(
    "--peers/--no-peers",
    default=True,
    help="ducc0 and SHTns in the same run, where they are installed.",
)
@recorded.option
@click.option(
    "--json",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures, one object.",
)
def bench_transform(
    ranks: int, threads: int, file: Path | None, record: Path | None, **case: Any
) -> int:
    """Milliseconds per field-level and pair of spectral transforms, and as a fraction of the
    machine's multiply-adds; on several ranks without peers.
    """
    from fathom.performance.bench import transforms

    case_ = transforms.Case(ranks=ranks, threads=threads, **case)
    if ranks == 1:
        return recorded.told(
            "transform", transforms.present, transforms.measure(case_), file, record
        )
    return launch.distribute(
        ranks,
        threads,
        Path("."),
        lambda: recorded.told(
            "transform",
            transforms.present_on_ranks,
            transforms.measure_on_ranks(case_),
            file,
            record,
        ),
    )


@bench.command("messages")
@click.option("--ranks", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--repetitions",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Of the smallest message, in each of five batches.",
)
@recorded.option
@click.option(
    "--json",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures, one object.",
)
def bench_messages(ranks: int, repetitions: int, file: Path | None, record: Path | None) -> int:
    """Latency and bandwidth of every exchange and every sum by size, and what packing is worth."""
    from fathom.performance.bench.messages import Case, measure, present

    case = Case(ranks, repetitions)
    return launch.distribute(
        ranks, 1, Path("."), lambda: recorded.told("messages", present, measure(case), file, record)
    )


@bench.command("output")
@click.option(
    "--case", default="ocean-1deg", show_default=True, help="ocean-1deg, ocean-x1, ocean-3deg."
)
@click.option(
    "--every", default="3h", show_default=True, help="How often five variables are written."
)
@click.option("--for", "length", default="1d", show_default=True, help="How long the model runs.")
@click.option(
    "--ranks", type=click.IntRange(1), default=2, show_default=True, help="Ranks that compute."
)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--precision", default="fp64", show_default=True, help="fp64 or fp32.")
@click.option(
    "--disk",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="MB/s that all writers share; 0: as fast as it is.",
)
@click.option(
    "--paced",
    is_flag=True,
    help=(
        "Ranks that compute sleep for the time of a step, as if servers had processors of their"
        " own."
    ),
)
@click.option(
    "--replay",
    is_flag=True,
    help=(
        "Nothing of these: many small headers with their fields, written in four ways on a slow"
        " file system."
    ),
)
@recorded.option
@click.option(
    "--json",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures, one object.",
)
@click.option(
    "--out",
    "picture",
    type=click.Path(path_type=Path),
    metavar="PNG",
    help="Draw the time of each step.",
)
def bench_output(
    replay: bool, file: Path | None, record: Path | None, picture: Path | None, **case: Any
) -> int:
    """The same run without output, with synchronous output, and with one and two I/O servers."""
    from fathom.performance.bench.offload import Case, measure, present

    if replay:
        from fathom.performance.bench import replay as trace

        return trace.present(trace.measure(), file)
    return recorded.told("output", present, measure(Case(**case)), file, record, picture)


@bench.command("atmosphere")
@click.option(
    "--case",
    "name",
    default="held-suarez-t42l24",
    show_default=True,
    help="held-suarez-t42l24, -t85l24, -t159l60, physics-t31l8, physics-t42l24.",
)
@click.option("--ranks", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--precision", default="fp32", show_default=True, help="fp64 or fp32.")
@click.option("--grid", help="linear, quadratic, cubic; by default that of the case.")
@click.option(
    "--steps",
    type=click.IntRange(1),
    default=36,
    show_default=True,
    help="Steps that are measured.",
)
@click.option(
    "--spin-up", type=click.IntRange(0), default=36, show_default=True, help="Steps before them."
)
@click.option("--step", help="Time step; by default that of the case.")
@click.option(
    "--tile",
    "tiles",
    default="measured",
    show_default=True,
    help="Columns at once: a number, measured, cache; several, as 16,64,2046, are compared.",
)
@recorded.option
@click.option(
    "--json",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures, one object.",
)
@click.option(
    "--out",
    "picture",
    type=click.Path(path_type=Path),
    metavar="PNG",
    help="The curve of several tiles.",
)
def bench_atmosphere(
    name: str,
    ranks: int,
    threads: int,
    tiles: str,
    file: Path | None,
    record: Path | None,
    picture: Path | None,
    **case: Any,
) -> int:
    """Simulated days a day of the spectral atmosphere, and the time of a step by phase against the
    machine's limits.
    """
    from fathom.performance.bench import tiles as lengths
    from fathom.performance.bench.atmosphere import Case, measure, present

    tile = lengths.given(tiles)
    case_ = Case(case=name, ranks=ranks, threads=threads, tile=tile[0], **case)
    if len(tile) > 1:
        return launch.distribute(
            ranks,
            threads,
            Path("."),
            lambda: lengths.present(lengths.sweep(case_, tile), file, picture),
        )
    return launch.distribute(
        ranks,
        threads,
        Path("."),
        lambda: recorded.told("atmosphere", present, measure(case_), file, record),
    )


@bench.command("blocking")
@click.argument("case", type=click.Path(path_type=Path))
@click.option(
    "--tile",
    "tiles",
    help="Columns at once (NPROMA), as 16,64,256; by default powers of two up to a row.",
)
@click.option(
    "--block",
    "blocks",
    help="Sizes of blocks, as 36x24,18x12; by default the grid cut in halves again and again.",
)
@click.option("--ranks", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=30.0,
    show_default=True,
    help="How long to repeat; each is measured thrice at least.",
)
@click.option(
    "--set", "settings", multiple=True, metavar="A.B.C=VALUE", help="Change a key of the file."
)
@click.option(
    "--json",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures, one object.",
)
@click.option("--picture", type=click.Path(path_type=Path), metavar="PNG", help="Draw both curves.")
def bench_blocking(
    case: Path,
    tiles: str | None,
    blocks: str | None,
    ranks: int,
    threads: int,
    seconds: float,
    settings: tuple[str, ...],
    file: Path | None,
    picture: Path | None,
) -> int:
    """Time of a step of the experiment CASE against the length of tiles and the size of blocks,
    each in turns with the usual.
    """
    from fathom import mpi
    from fathom.describe.toml import Document
    from fathom.performance.bench import blocking
    from fathom.run.progress import Line

    def read(more: list[str]) -> Document:
        document = Document.read(case, (*settings, *more))
        document.tables.pop("output", None)
        kept = {
            k: v
            for k, v in document.tables.get("parallel", {}).items()
            if k not in ("tile", "blocks", "distribution", "io_servers", "per_node")
        }
        document.tables["parallel"] = kept | {"ranks": ranks, "threads": threads}
        return document

    def act() -> int:
        line = Line() if mpi.is_root else None
        figures = blocking.measure(read, seconds, tiles, blocks, line)
        if line is None:
            return 0
        line.redraw("")
        line.redraw("\r")
        return blocking.present(figures, case.stem, file, picture)

    return launch.distribute(ranks, threads, Path("."), act)


@bench.command("kernels")
@click.option("--kernel", help="Only this one.")
@click.option("--truncation", type=click.IntRange(21), default=85, show_default=True)
@click.option("--levels", type=click.IntRange(3), default=24, show_default=True)
@click.option("--precision", default="fp32", show_default=True, help="fp64 or fp32.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--repetitions", type=click.IntRange(1), default=10, show_default=True)
@recorded.option
@click.option(
    "--json",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures, one object.",
)
def bench_kernels(threads: int, file: Path | None, record: Path | None, **case: Any) -> int:
    """Milliseconds, GF/s and GB/s of each kernel of the spectral atmosphere, and the fraction of
    the machine's limit.
    """
    from fathom.performance.bench.kernels import Case, measure, present

    case_ = Case(threads=threads, **case)
    return launch.distribute(
        1,
        threads,
        Path("."),
        lambda: recorded.told("kernels", present, measure(case_), file, record),
    )
