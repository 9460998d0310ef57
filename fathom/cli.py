"""The command `fathom`: one verb, one file. `fathom --help` loads nothing but this page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from fathom import launch

settings = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group(context_settings=settings)
@click.version_option(package_name="fathom-models", prog_name="fathom")
def cli() -> None:
    """Fathom: ocean and weather models that run fast on any machine and tell where the time goes."""


def experiment_options(command: Any) -> Any:
    """What `show` and `run` have in common."""
    for option in (
        click.option("--set", "settings", multiple=True, metavar="A.B.C=VALUE", help="Change a key of the file, as in --set model.eddies.diffusivity=800."),
        click.option("--threads", type=click.IntRange(1), help="OpenMP threads of each rank."),
        click.option("--io-servers", "servers", type=click.IntRange(0), help="MPI ranks beside those, which write output while the others compute."),
        click.option("--ranks", type=click.IntRange(1), help="MPI ranks that compute, started here; not needed under mpiexec or srun."),
        click.argument("file", type=click.Path(path_type=Path)),
    ):
        command = option(command)
    return command


@cli.command(short_help="The tree of an experiment: grid, memory, sequence, state, events.")
@experiment_options
def show(file: Path, ranks: int | None, servers: int | None, threads: int | None, settings: tuple[str, ...]) -> int:
    """Show what FILE describes, as a tree: grid, memory, ranks, sequence with its exchanges, state, events. Runs nothing."""
    settings += _parallel(ranks, servers, threads)
    return _on_ranks(file, settings, Path("."), lambda experiment: _show(experiment))


@cli.command(short_help="Run an experiment.")
@experiment_options
@click.option("--for", "period", metavar="PERIOD", help="How long: 30d, 6h, 2y. Instead of [simulation] run.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Run directory; runs/<name of FILE> by default.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier run in that directory.")
@click.option("--report/--no-report", default=True, help="Draw report.html.")
@click.option("--restart", type=click.Path(path_type=Path), metavar="FILE", help="Start from this restart, written on any ranks.")
@click.option("--continue", "further", is_flag=True, help="Go on from the last restart in the run directory, to the end of the period that the file names; from the beginning if there is none.")
def run(file: Path, ranks: int | None, servers: int | None, threads: int | None, settings: tuple[str, ...], period: str | None, out: Path | None, **how: Any) -> int:
    """Run FILE: output, restart, summary.json, report.html and the resolved TOML go to the run directory.

    Ctrl-C writes a restart and ends cleanly; go on from it with --continue, or from any other with --restart.
    """
    settings += _parallel(ranks, servers, threads) + ((f'simulation.run="{period}"',) if period else ())
    directory = out or Path("runs") / file.stem
    return _on_ranks(file, settings, directory, lambda experiment: _run(experiment, directory, **how))


@cli.command(short_help="Find the fastest way to run an experiment on this machine.")
@experiment_options
@click.option("--seconds", type=click.FloatRange(1), default=60.0, show_default=True, help="How long it may take, about.")
@click.option("--proposals/--no-proposals", default=True, help="Try also what changes bits: solver, preconditioner, sums.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", default="tuned.toml", show_default=True, help="The experiment with [parallel] filled.")
@click.option("--json", "evidence", type=click.Path(path_type=Path), metavar="FILE", help="Write everything that was measured.")
@click.option("--probe", type=click.Path(path_type=Path), hidden=True)
@click.option("--price", type=click.Path(path_type=Path), hidden=True)
@click.option("--shapes", type=click.Path(path_type=Path), hidden=True)
def tune(file: Path, ranks: int | None, servers: int | None, threads: int | None, settings: tuple[str, ...], **how: Any) -> int:
    """Measure in short runs of FILE what leaves every bit unchanged: tiles, blocks, exchange, sum; ranks, threads and I/O servers if they are not given.

    Leaves tuned.toml, and keeps what it found for all runs of this case on this machine. What changes bits is proposed, never chosen.
    """
    from fathom.performance.tune_command import Request, run

    return run(Request(file, ranks, threads, settings + _parallel(None, servers, None), **how), _distribute)


@cli.command(short_help="Where the time of an experiment goes.")
@experiment_options
@click.option("--steps", type=click.IntRange(2), default=48, show_default=True, help="Steps that are measured.")
@click.option("--spin-up", type=click.IntRange(1), default=8, show_default=True, help="Steps before them.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), metavar="FILE", help="Write all figures, for `fathom compare`.")
@click.option("--trace", type=click.Path(path_type=Path), metavar="FILE", help="Write all events, for ui.perfetto.dev (.json or .json.gz).")
@click.option("--pictures", type=click.Path(path_type=Path), metavar="DIR", help="Draw Gantt charts, utilisation and the time of each step.")
@click.option("--record", type=click.Path(path_type=Path), metavar="DIR", help="Append to the history of this machine there, and say what became slower.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Keep what the run leaves, with report.html.")
def profile(file: Path, ranks: int | None, servers: int | None, threads: int | None, settings: tuple[str, ...], json_file: Path | None, **how: Any) -> int:
    """Run some steps of FILE and tell where the time goes: regions with rates and limits, communication and waiting, files, imbalance, efficiencies."""
    from fathom.performance.profile import Request, run

    request = Request(file=json_file, **how)
    return _on_ranks(file, settings + _parallel(ranks, servers, threads), Path("."), lambda experiment: run(experiment, request, file.stem))


@cli.command(short_help="Two profiles side by side.")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("now", type=click.Path(path_type=Path))
@click.option("--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the records of all regions.")
def compare(before: Path, now: Path, file: Path | None) -> int:
    """Compare two profiles, region by region: what `fathom profile --json` wrote, which knows its noise; or summary.json or directories of runs."""
    from fathom.performance.history import present

    return present(before, now, file)

@cli.command(short_help="What an experiment would cost on ranks and machines that are not here.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--ranks", default="1,2", show_default=True, help="Ranks here on which it is measured.")
@click.option("--simulate", default="16,64,256,1024,4096", show_default=True, help="Ranks that are simulated.")
@click.option("--machine", default="here", show_default=True, help="here, a name (`fathom machine --list`), or a file.")
@click.option("--what-if", "what_if", multiple=True, metavar="A=B,C=D", help="solver, preconditioner, exchange, sum, block, noise; or a quantity of the machine: network.latency=1e-6.")
@click.option("--measure", type=click.Path(path_type=Path), metavar="FILE", help="Run this case in place of FILE: the same processes on a grid that fits into this machine.")
@click.option("--set", "settings", multiple=True, metavar="A.B.C=VALUE", help="Change a key of the file.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--json", "json", type=click.Path(path_type=Path), metavar="FILE", help="Write the figures, one object.")
@click.option("--picture", type=click.Path(path_type=Path), metavar="PNG", help="Draw speed against ranks.")
@click.option("--probe", type=click.Path(path_type=Path), hidden=True)
def scale(file: Path, ranks: str, simulate: str, what_if: tuple[str, ...], **how: Any) -> int:
    """Measure FILE on few ranks here, then price a step on many ranks of any machine: blocks and messages of the real grid, sums, noise, waiting."""
    from fathom.scaling.command import Request, counts, run, suppositions

    return run(Request(file, counts(ranks, "--ranks"), counts(simulate, "--simulate"), what_if=suppositions(what_if), **how), _distribute)


@cli.command(short_help="Measure this machine, or show one of the catalogue.")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="The machines of the catalogue.")
@click.option("--ranks", type=click.IntRange(1), default=2, show_default=True, help="Ranks on which it is measured.")
@click.option("--write", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write what was measured, for `fathom scale --machine FILE`.")
def machine(name: str | None, listed: bool, ranks: int, file: Path | None) -> int:
    """Rates of cores, memory, messages and sums of this machine, and how often it is interrupted; or those of NAME, with the source of each."""
    from fathom.scaling.here import show

    if listed or name:
        return show(name)
    return _distribute(ranks, 1, Path("."), lambda: show(None, file, True))


@cli.command(short_help="Draw a field of an output file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("variable")
@click.option("--time", default="last", show_default=True, help="last, first, an index, or a date (the nearest).")
@click.option("--level", "--depth", help="Metres of depth, hPa of pressure or number of the level (the nearest); surface or bottom.")
@click.option("--kind", help="map, section (zonal mean) or series.")
@click.option("--out", type=click.Path(path_type=Path), metavar="PNG", help="The picture; <VARIABLE>.png by default.")
def plot(file: Path, variable: str, time: str, level: str | None, kind: str | None, out: Path | None) -> int:
    """Draw VARIABLE of FILE (.zarr, .nc, .grib2 or .fa) as a picture."""
    from fathom import output, plots

    out = out or Path(f"{variable}.png")
    plots.picture(output.open(file), variable, time=int(time) if time.lstrip("-").isdigit() else time, level=_number(level), kind=kind, path=out)
    click.echo(out)
    return 0


@cli.command(short_help="Embedded data sets and where they come from.")
def data() -> int:
    """List the embedded data sets: what they hold, their sources, licences and sizes."""
    from fathom.show import data_sets, tree

    for title, entries in data_sets():
        click.echo(tree(title, entries))
    return 0


@cli.command(short_help="How a grid falls into blocks, and onto ranks.")
@click.option("--grid", "name", default="x1", show_default=True, help="x1, 1deg, 3deg, 0.1deg (3600×2400).")
@click.option("--block", "sizes", multiple=True, default=("36x24",), show_default=True, help="Points of a block, WIDTHxHEIGHT; may be repeated.")
@click.option("--ranks", type=click.IntRange(1), help="Deal them out, in each way.")
@click.option("--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the figures, one object.")
@click.option("--out", "picture", type=click.Path(path_type=Path), metavar="PNG", help="A map of the blocks of each rank.")
def blocks(name: str, sizes: tuple[str, ...], ranks: int | None, file: Path | None, picture: Path | None) -> int:
    """How many blocks of a grid hold water, how full they are, and how evenly Cartesian, rake and space-filling distribution deal them out."""
    from fathom.performance.blocks import present, size_of, study

    return present(study(name, [size_of(text) for text in sizes], ranks), file, picture)


@cli.group(short_help="Measure the model against the limits of the machine.")
def bench() -> None:
    """Measure the model against the limits of the machine."""


@bench.command("ocean")
@click.option("--grid", default="x1", show_default=True, help="x1 (320×384×40), 1deg, 3deg.")
@click.option("--physics", default="lean", show_default=True)
@click.option("--ranks", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--precision", default="fp64", show_default=True, help="fp64 or fp32.")
@click.option("--steps", type=click.IntRange(1), default=48, show_default=True, help="Steps that are measured.")
@click.option("--spin-up", type=click.IntRange(0), default=48, show_default=True, help="Steps before them.")
@click.option("--step", help="Time step; by default one that stays stable for 30 days on that grid.")
@click.option("--solver", help="Of the free surface; by default that of the model.")
@click.option("--preconditioner", help="Of the free surface; by default that of the model.")
@click.option("--peers/--no-peers", default=True, help="Veros beside it, where it is installed.")
@click.option("--record", type=click.Path(path_type=Path), metavar="DIR", help="Append to the history of this machine there.")
@click.option("--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the figures, one object.")
def bench_ocean(ranks: int, threads: int, file: Path | None, record: Path | None, **case: Any) -> int:
    """Seconds per step of the ocean: per million wet cells, per process and phase, and as a fraction of the machine's bandwidth."""
    from fathom.performance.bench import Case, measure, present

    case_ = Case(ranks=ranks, threads=threads, **case)
    return _distribute(ranks, threads, Path("."), lambda: present(measure(case_), file, record))


@bench.command("barotropic")
@click.option("--grid", default="x1", show_default=True, help="x1, 1deg, 3deg, 0.1deg (3600×2400), or WIDTHxHEIGHT.")
@click.option("--solver", default="chrongear", show_default=True, help="pcg, chrongear, pipelined, s-step, pcsi.")
@click.option("--preconditioner", default="diagonal", show_default=True, help="none, diagonal, evp, polynomial, factorisation.")
@click.option("--exchange", default="packed", show_default=True, help="How halos travel.")
@click.option("--sum", default="allreduce", show_default=True, help="How sums are made.")
@click.option("--reproducible/--plain", default=True, help="Sums with the same bits on any ranks, or of plain numbers.")
@click.option("--precision", default="fp64", show_default=True, help="fp64, or mixed: fp32 inside fp64 refinement.")
@click.option("--ranks", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--tolerance", type=float, default=1e-10, show_default=True)
@click.option("--iterations", type=click.IntRange(1), default=5000, show_default=True, help="At most.")
@click.option("--repetitions", type=click.IntRange(1), default=3, show_default=True)
@click.option("--all", "everything", is_flag=True, help="Each solver with each preconditioner; on several ranks each exchange with each sum.")
@click.option("--peers/--no-peers", default=True, help="SciPy's cg on the same matrix.")
@click.option("--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the figures, one object.")
def bench_barotropic(ranks: int, threads: int, everything: bool, file: Path | None, **case: Any) -> int:
    """Nanoseconds per wet point and iteration of the barotropic solver, and where they go."""
    from fathom.performance.barotropic import Case, measure, present

    case_ = Case(ranks=ranks, threads=threads, **case)
    return _distribute(ranks, threads, Path("."), lambda: present(measure(case_, everything), file))


@bench.command("transform")
@click.option("--truncation", type=click.IntRange(1), default=159, show_default=True)
@click.option("--fields", type=click.IntRange(1), default=180, show_default=True, help="Field-levels in one call.")
@click.option("--precision", default="fp64", show_default=True, help="fp64 or fp32.")
@click.option("--ranks", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--synchronise", is_flag=True, help="All ranks wait for each other before each transposition.")
@click.option("--grid", default="linear", show_default=True, help="linear, quadratic, cubic.")
@click.option("--reduced", default="", help="classical or octahedral rows.")
@click.option("--repetitions", type=click.IntRange(1), default=10, show_default=True)
@click.option("--peers/--no-peers", default=True, help="ducc0 and SHTns in the same run, where they are installed.")
@click.option("--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the figures, one object.")
def bench_transform(ranks: int, threads: int, file: Path | None, **case: Any) -> int:
    """Milliseconds per field-level and pair of spectral transforms, and as a fraction of the machine's multiply-adds; on several ranks without peers."""
    from fathom.performance import transforms

    case_ = transforms.Case(ranks=ranks, threads=threads, **case)
    if ranks == 1:
        return transforms.present(transforms.measure(case_), file)
    return _distribute(ranks, threads, Path("."), lambda: transforms.present_on_ranks(transforms.measure_on_ranks(case_), file))


@bench.command("messages")
@click.option("--ranks", type=click.IntRange(1), default=2, show_default=True)
@click.option("--repetitions", type=click.IntRange(1), default=1000, show_default=True, help="Of the smallest message, in each of five batches.")
@click.option("--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the figures, one object.")
def bench_messages(ranks: int, repetitions: int, file: Path | None) -> int:
    """Latency and bandwidth of every exchange and every sum by size, and what packing is worth."""
    from fathom.performance.messages import Case, measure, present

    case = Case(ranks, repetitions)
    return _distribute(ranks, 1, Path("."), lambda: present(measure(case), file))


@bench.command("output")
@click.option("--case", default="ocean-1deg", show_default=True, help="ocean-1deg, ocean-x1, ocean-3deg.")
@click.option("--every", default="3h", show_default=True, help="How often five variables are written.")
@click.option("--for", "length", default="1d", show_default=True, help="How long the model runs.")
@click.option("--ranks", type=click.IntRange(1), default=2, show_default=True, help="Ranks that compute.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--precision", default="fp64", show_default=True, help="fp64 or fp32.")
@click.option("--disk", type=click.FloatRange(0), default=0.0, show_default=True, help="MB/s that all writers share; 0: as fast as it is.")
@click.option("--paced", is_flag=True, help="Ranks that compute sleep for the time of a step, as if servers had processors of their own.")
@click.option("--replay", is_flag=True, help="Nothing of these: many small headers with their fields, written in four ways on a slow file system.")
@click.option("--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the figures, one object.")
@click.option("--out", "picture", type=click.Path(path_type=Path), metavar="PNG", help="Draw the time of each step.")
def bench_output(replay: bool, file: Path | None, picture: Path | None, **case: Any) -> int:
    """The same run without output, with synchronous output, and with one and two I/O servers."""
    from fathom.performance.offload import Case, measure, present

    if replay:
        from fathom.performance import replay as trace

        return trace.present(trace.measure(), file)
    return present(measure(Case(**case)), file, picture)


@bench.command("atmosphere")
@click.option("--case", "name", default="held-suarez-t42l24", show_default=True, help="held-suarez-t42l24, -t85l24, -t159l60, physics-t31l8, physics-t42l24.")
@click.option("--ranks", type=click.IntRange(1), default=1, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--precision", default="fp32", show_default=True, help="fp64 or fp32.")
@click.option("--grid", help="linear, quadratic, cubic; by default that of the case.")
@click.option("--steps", type=click.IntRange(1), default=36, show_default=True, help="Steps that are measured.")
@click.option("--spin-up", type=click.IntRange(0), default=36, show_default=True, help="Steps before them.")
@click.option("--step", help="Time step; by default that of the case.")
@click.option("--tile", "tiles", default="measured", show_default=True, help="Columns at once: a number, measured, cache; several, as 16,64,2046, are compared.")
@click.option("--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the figures, one object.")
@click.option("--out", "picture", type=click.Path(path_type=Path), metavar="PNG", help="The curve of several tiles.")
def bench_atmosphere(name: str, ranks: int, threads: int, tiles: str, file: Path | None, picture: Path | None, **case: Any) -> int:
    """Simulated days a day of the spectral atmosphere, and the time of a step by phase against the machine's limits."""
    from fathom.performance import tiles as lengths
    from fathom.performance.atmosphere import Case, measure, present

    tile = lengths.given(tiles)
    case_ = Case(case=name, ranks=ranks, threads=threads, tile=tile[0], **case)
    if len(tile) > 1:
        return _distribute(ranks, threads, Path("."), lambda: lengths.present(lengths.sweep(case_, tile), file, picture))
    return _distribute(ranks, threads, Path("."), lambda: present(measure(case_), file))


@bench.command("kernels")
@click.option("--kernel", help="Only this one.")
@click.option("--truncation", type=click.IntRange(21), default=85, show_default=True)
@click.option("--levels", type=click.IntRange(3), default=24, show_default=True)
@click.option("--precision", default="fp32", show_default=True, help="fp64 or fp32.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--repetitions", type=click.IntRange(1), default=10, show_default=True)
@click.option("--json", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the figures, one object.")
def bench_kernels(threads: int, file: Path | None, **case: Any) -> int:
    """Milliseconds, GF/s and GB/s of each kernel of the spectral atmosphere, and the fraction of the machine's limit."""
    from fathom.performance.kernels import Case, measure, present

    case_ = Case(threads=threads, **case)
    return _distribute(1, threads, Path("."), lambda: present(measure(case_), file))


def main(arguments: list[str] | None = None) -> None:
    """Run the command; exit status 0, 1 for a failure, 2 for a mistake of the user's, 130 where it was interrupted."""
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
    return tuple(f"parallel.{name}={value}" for name, value in (("ranks", ranks), ("io_servers", servers), ("threads", threads)) if value is not None)


def _number(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _on_ranks(file: Path, settings: tuple[str, ...], directory: Path, act: Any) -> int:
    """Do it with the experiment of a file, on the ranks and threads that file, settings and launcher ask for."""
    import os

    from fathom.toml import Document

    document = Document.read(file, settings)
    given = document.tables.setdefault("parallel", {})
    servers = given.get("io_servers", 0) or given.get("per_node", 0)  # started here, all are on one node
    if not isinstance(servers, int) or servers < 0:
        raise ValueError(f"{document.place('parallel', 'io_servers')}: {servers!r} I/O servers; must be a whole number, at least 0")
    here = launch.launched()
    if here and 0 < here[1] <= servers:
        raise ValueError(f"{servers} I/O servers of {here[1]} ranks leave none to compute; allowed: at most {here[1] - 1}")
    ranks, threads = _count(document, "ranks", here[1] - servers if here else 1), _count(document, "threads", int(os.environ.get("OMP_NUM_THREADS", 1)))

    def with_experiment() -> int:
        from fathom.experiment import Experiment

        return act(Experiment(document))

    if here and given.get("per_node"):
        servers = here[1] - ranks  # as many as there are nodes; checked where they are counted
    return _distribute(ranks + servers, threads, directory, with_experiment)


def _count(document: Any, name: str, usual: int) -> int:
    from fathom.expression import interpret  # noqa: F401  (numpy is needed by every rank; errors of an empty environment come here)

    given = document.tables.setdefault("parallel", {})
    number = given.setdefault(name, usual)
    if not isinstance(number, int) or number < 1:
        raise ValueError(f"{document.place('parallel', name)}: {name} = {number!r} must be a whole number, at least 1")
    return number


def _distribute(ranks: int, threads: int, directory: Path, act: Any) -> int:
    """Do it here where the ranks are here, else start them with this very command."""
    import os

    here = launch.launched()
    if here is None and ranks > 1:
        return launch.start(ranks, threads, sys.argv[1:], directory)
    if here and here[1] != ranks:
        raise ValueError(f"{ranks} ranks are asked for, but the launcher started {here[1]}")
    os.environ |= launch.threads_environment(ranks, threads)
    with launch.Ranks():
        return act()


def _show(experiment: Any) -> int:
    from fathom.show import describe, tree

    simulation = experiment.simulation().prepare()
    if simulation.serves:
        return 0
    text = tree(*describe(simulation))
    if simulation.is_root:
        click.echo(text)
    return 0


def _run(experiment: Any, directory: Path, overwrite: bool, restart: Path | None, further: bool, report: bool) -> int:
    import signal

    from fathom import checkpoint
    from fathom.progress import Progress
    from fathom.show import headline

    period = experiment.period
    if further:
        if restart:
            raise ValueError(f"--continue goes on from the last restart in {directory}; --restart names another one")
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


if __name__ == "__main__":
    main()
