"""The command `fathom`: one verb, one file. `fathom --help` loads nothing but this page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from fathom.commands.bench import bench
from fathom.run import launch

settings = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group(context_settings=settings)
@click.version_option(package_name="fathom-models", prog_name="fathom")
def cli() -> None:
    """Fathom: ocean and weather models that run fast on any machine and tell where the time goes."""


def experiment_options(command: Any) -> Any:
    """What `show` and `run` have in common."""
    for option in (
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="A.B.C=VALUE",
            help="Change a key of the file, as in --set model.eddies.diffusivity=800.",
        ),
        click.option("--threads", type=click.IntRange(1), help="OpenMP threads of each rank."),
        click.option(
            "--io-servers",
            "servers",
            type=click.IntRange(0),
            help="MPI ranks beside those, which write output while the others compute.",
        ),
        click.option(
            "--ranks",
            type=click.IntRange(1),
            help="MPI ranks that compute, started here; not needed under mpiexec or srun.",
        ),
        click.argument("file", type=click.Path(path_type=Path)),
    ):
        command = option(command)
    return command


@cli.command(short_help="The tree of an experiment: grid, memory, sequence, state, events.")
@experiment_options
def show(
    file: Path,
    ranks: int | None,
    servers: int | None,
    threads: int | None,
    settings: tuple[str, ...],
) -> int:
    """Show what FILE describes, as a tree: grid, memory, ranks, sequence with its exchanges, state,
    events. Runs nothing.
    """
    settings += _parallel(ranks, servers, threads)
    return _on_ranks(file, settings, Path("."), lambda experiment: _show(experiment))


@cli.command(short_help="Run an experiment.")
@experiment_options
@click.option(
    "--for", "period", metavar="PERIOD", help="How long: 30d, 6h, 2y. Instead of [simulation] run."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Run directory; runs/<name of FILE> by default.",
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier run in that directory.")
@click.option("--report/--no-report", default=True, help="Draw report.html.")
@click.option(
    "--restart",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Start from this restart, written on any ranks.",
)
@click.option(
    "--continue",
    "further",
    is_flag=True,
    help=(
        "Go on from the last restart in the run directory, to the end of the period that the file"
        " names; from the beginning if there is none."
    ),
)
def run(
    file: Path,
    ranks: int | None,
    servers: int | None,
    threads: int | None,
    settings: tuple[str, ...],
    period: str | None,
    out: Path | None,
    **how: Any,
) -> int:
    """Run FILE: output, restart, summary.json, report.html and the resolved TOML go to the run
    directory.

    Ctrl-C writes a restart and ends cleanly; go on from it with --continue, or from any other with
    --restart.
    """
    settings += _parallel(ranks, servers, threads) + (
        (f'simulation.run="{period}"',) if period else ()
    )
    directory = out or Path("runs") / file.stem
    return _on_ranks(
        file, settings, directory, lambda experiment: _run(experiment, directory, **how)
    )


@cli.command(short_help="Find the fastest way to run an experiment on this machine.")
@experiment_options
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=60.0,
    show_default=True,
    help="How long it may take, about.",
)
@click.option(
    "--proposals/--no-proposals",
    default=True,
    help="Try also what changes bits: solver, preconditioner, sums.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    default="tuned.toml",
    show_default=True,
    help="The experiment with [parallel] filled.",
)
@click.option(
    "--json",
    "evidence",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write everything that was measured.",
)
@click.option("--probe", type=click.Path(path_type=Path), hidden=True)
@click.option("--price", type=click.Path(path_type=Path), hidden=True)
@click.option("--shapes", type=click.Path(path_type=Path), hidden=True)
def tune(
    file: Path,
    ranks: int | None,
    servers: int | None,
    threads: int | None,
    settings: tuple[str, ...],
    **how: Any,
) -> int:
    """Measure in short runs of FILE what leaves every bit unchanged: tiles, blocks, exchange, sum;
    ranks, threads and I/O servers if they are not given.

    Leaves tuned.toml, and keeps what it found for all runs of this case on this machine. What
    changes bits is proposed, never chosen.
    """
    from fathom.commands.tune import Request, run

    return run(
        Request(file, ranks, threads, settings + _parallel(None, servers, None), **how),
        launch.distribute,
    )


@cli.command(short_help="Where the time of an experiment goes.")
@experiment_options
@click.option(
    "--steps",
    type=click.IntRange(2),
    default=48,
    show_default=True,
    help="Steps that are measured.",
)
@click.option(
    "--spin-up", type=click.IntRange(1), default=8, show_default=True, help="Steps before them."
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write all figures, for `fathom compare`.",
)
@click.option(
    "--trace",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=(
        "Write all events, for ui.perfetto.dev (.json or .json.gz), or as an archive of Score-P"
        " (.otf2)."
    ),
)
@click.option(
    "--pictures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Draw Gantt charts, utilisation and the time of each step.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Append to the history of this machine there, and say what became slower.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep what the run leaves, with report.html.",
)
def profile(
    file: Path,
    ranks: int | None,
    servers: int | None,
    threads: int | None,
    settings: tuple[str, ...],
    json_file: Path | None,
    **how: Any,
) -> int:
    """Run some steps of FILE and tell where the time goes: regions with rates and limits,
    communication and waiting, files, imbalance, efficiencies.
    """
    from fathom.performance.profile.run import Request, run

    request = Request(file=json_file, **how)
    return _on_ranks(
        file,
        settings + _parallel(ranks, servers, threads),
        Path("."),
        lambda experiment: run(experiment, request, file.stem),
    )


@cli.command(short_help="Two profiles side by side.")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("now", type=click.Path(path_type=Path))
@click.option(
    "--json",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the records of all regions.",
)
def compare(before: Path, now: Path, file: Path | None) -> int:
    """Compare two profiles, region by region: what `fathom profile --json` wrote, which knows its
    noise; or summary.json or directories of runs.
    """
    from fathom.performance.profile.history import present

    return present(before, now, file)


@cli.command(short_help="What an experiment would cost on ranks and machines that are not here.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--ranks", default="1,2", show_default=True, help="Ranks here on which it is measured."
)
@click.option(
    "--simulate", default="16,64,256,1024,4096", show_default=True, help="Ranks that are simulated."
)
@click.option(
    "--machine",
    default="here",
    show_default=True,
    help="here, a name (`fathom machine --list`), or a file.",
)
@click.option(
    "--what-if",
    "what_if",
    multiple=True,
    metavar="A=B,C=D",
    help=(
        "solver, preconditioner, exchange, sum, block, noise, threads, io_servers, io_sets; or a"
        " quantity of the machine: network.latency=1e-6."
    ),
)
@click.option(
    "--measure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=(
        "Run this case in place of FILE: the same processes on a grid that fits into this machine."
    ),
)
@click.option(
    "--set", "settings", multiple=True, metavar="A.B.C=VALUE", help="Change a key of the file."
)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--json",
    "json",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures, one object.",
)
@click.option(
    "--picture", type=click.Path(path_type=Path), metavar="PNG", help="Draw speed against ranks."
)
@click.option("--probe", type=click.Path(path_type=Path), hidden=True)
def scale(file: Path, ranks: str, simulate: str, what_if: tuple[str, ...], **how: Any) -> int:
    """Measure FILE on few ranks here, then price a step on many ranks of any machine: blocks and
    messages of the real grid, sums, noise, waiting.
    """
    from fathom.scaling.run import Request, counts, run, suppositions

    return run(
        Request(
            file,
            counts(ranks, "--ranks"),
            counts(simulate, "--simulate"),
            what_if=suppositions(what_if),
            **how,
        ),
        launch.distribute,
    )


@cli.command(short_help="Measure this machine, or show one of the catalogue.")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="The machines of the catalogue.")
@click.option(
    "--ranks",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Ranks on which it is measured.",
)
@click.option(
    "--write",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what was measured, for `fathom scale --machine FILE`.",
)
@click.option(
    "--case",
    type=click.Path(path_type=Path),
    metavar="TOML",
    help="Measure with this experiment what threads are worth, and add it to FILE.",
)
def machine(
    name: str | None, listed: bool, ranks: int, file: Path | None, case: Path | None
) -> int:
    """Rates of cores, memory, messages and sums of this machine, and how often it is interrupted;
    or those of NAME, with the source of each.
    """
    from fathom.scaling.here import show

    if listed or name:
        return show(name)
    if case is not None and file is None:
        raise ValueError(
            f"machine --case {case}: what threads are worth is added to a file; give --write"
            " FILE too"
        )
    status = launch.distribute(ranks, 1, Path("."), lambda: show(None, file, True))
    if case is not None and file is not None and status == 0 and launch.launched() is None:
        from fathom.scaling.threads import add_to

        add_to(file, case)
    return status


@cli.command(short_help="Draw a field of an output file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("variable")
@click.option(
    "--time",
    default="last",
    show_default=True,
    help="last, first, an index, or a date (the nearest).",
)
@click.option(
    "--level",
    "--depth",
    help=(
        "Metres of depth, hPa of pressure or number of the level (the nearest); surface or bottom."
    ),
)
@click.option("--kind", help="map, section (zonal mean) or series.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="PNG",
    help="The picture; <VARIABLE>.png by default.",
)
def plot(
    file: Path, variable: str, time: str, level: str | None, kind: str | None, out: Path | None
) -> int:
    """Draw VARIABLE of FILE (.zarr, .nc, .grib2 or .fa) as a picture."""
    from fathom import output, plots

    out = out or Path(f"{variable}.png")
    plots.picture(
        output.open(file),
        variable,
        time=int(time) if time.lstrip("-").isdigit() else time,
        level=_number(level),
        kind=kind,
        path=out,
    )
    click.echo(out)
    return 0


@cli.command(short_help="Embedded data sets and where they come from.")
def data() -> int:
    """List the embedded data sets: what they hold, their sources, licences and sizes."""
    from fathom.run.show import data_sets, tree

    for title, entries in data_sets():
        click.echo(tree(title, entries))
    return 0


@cli.command(short_help="How a grid falls into blocks, and onto ranks.")
@click.option(
    "--grid", "name", default="x1", show_default=True, help="x1, 1deg, 3deg, 0.1deg (3600×2400)."
)
@click.option(
    "--block",
    "sizes",
    multiple=True,
    default=("36x24",),
    show_default=True,
    help="Points of a block, WIDTHxHEIGHT; may be repeated.",
)
@click.option("--ranks", type=click.IntRange(1), help="Deal them out, in each way.")
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
    help="A map of the blocks of each rank.",
)
def blocks(
    name: str, sizes: tuple[str, ...], ranks: int | None, file: Path | None, picture: Path | None
) -> int:
    """How many blocks of a grid hold water, how full they are, and how evenly Cartesian, rake and
    space-filling distribution deal them out.
    """
    from fathom.performance.bench.blocks import present, size_of, study

    return present(study(name, [size_of(text) for text in sizes], ranks), file, picture)


cli.add_command(bench)


def main(arguments: list[str] | None = None) -> None:
    """Run the command; exit status 0, 1 for a failure, 2 for a mistake of the user's, 130 where it
    was interrupted.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    speaks = (launch.launched() or (0, 1))[0] == 0
    try:
        status = cli.main(args=arguments, prog_name="fathom", standalone_mode=False)
    except click.ClickException as error:
        if speaks:
            error.show()
        status = error.exit_code
    except click.Abort:
        status = 130
    except Exception as error:
        if speaks:
            launch.report(error)
        status = launch.status_of(error)
    except KeyboardInterrupt:
        status = 130
    sys.exit(status if isinstance(status, int) else 0)


def _parallel(ranks: int | None, servers: int | None, threads: int | None) -> tuple[str, ...]:
    return tuple(
        f"parallel.{name}={value}"
        for name, value in (("ranks", ranks), ("io_servers", servers), ("threads", threads))
        if value is not None
    )


def _number(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _on_ranks(file: Path, settings: tuple[str, ...], directory: Path, act: Any) -> int:
    """Do it with the experiment of a file, on the ranks and threads that file, settings and
    launcher ask for.
    """
    import os

    from fathom.describe.toml import Document

    document = Document.read(file, settings)
    given = document.tables.setdefault("parallel", {})
    servers = given.get("io_servers", 0) or given.get(
        "per_node", 0
    )  # started here, all are on one node
    if not isinstance(servers, int) or servers < 0:
        raise ValueError(
            f"{document.place('parallel', 'io_servers')}: {servers!r} I/O servers; must be a whole"
            " number, at least 0"
        )
    here = launch.launched()
    if here and 0 < here[1] <= servers:
        raise ValueError(
            f"{servers} I/O servers of {here[1]} ranks leave none to compute; allowed: at most"
            f" {here[1] - 1}"
        )
    ranks, threads = (
        _count(document, "ranks", here[1] - servers if here else 1),
        _count(document, "threads", int(os.environ.get("OMP_NUM_THREADS", 1))),
    )

    def with_experiment() -> int:
        from fathom.describe.experiment import Experiment

        return act(Experiment(document))

    if here and given.get("per_node"):
        servers = here[1] - ranks  # as many as there are nodes; checked where they are counted
    return launch.distribute(ranks + servers, threads, directory, with_experiment)


def _count(document: Any, name: str, usual: int) -> int:
    # numpy is needed by every rank: errors of an empty environment come here
    from fathom.describe.expression import interpret  # noqa: F401

    given = document.tables.setdefault("parallel", {})
    number = given.setdefault(name, usual)
    if not isinstance(number, int) or number < 1:
        raise ValueError(
            f"{document.place('parallel', name)}: {name} = {number!r} must be a whole number, at"
            " least 1"
        )
    return number


def _show(experiment: Any) -> int:
    from fathom.run.show import describe, tree

    simulation = experiment.simulation().prepare()
    if simulation.serves:
        return 0
    text = tree(*describe(simulation))
    if simulation.is_root:
        click.echo(text)
    return 0


def _run(
    experiment: Any,
    directory: Path,
    overwrite: bool,
    restart: Path | None,
    further: bool,
    report: bool,
) -> int:
    import signal

    from fathom.run import checkpoint
    from fathom.run.progress import Progress
    from fathom.run.show import headline

    period = experiment.period
    if further:
        if restart:
            raise ValueError(
                f"--continue goes on from the last restart in {directory}; --restart names"
                " another one"
            )
        with experiment.readers():
            restart = checkpoint.latest(directory)
    simulation = experiment.simulation(directory, overwrite or further, restart)
    signal.signal(signal.SIGTERM, simulation.request_stop)
    progress = Progress()
    try:
        summary = simulation.run(period, progress=progress, report=report, from_start=further)
    finally:
        progress.close()
    if simulation.is_root:
        click.echo(headline(simulation, summary))
    return 0
