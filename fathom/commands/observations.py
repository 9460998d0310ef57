"""`fathom observations`: import files, show their contents, ask questions, screen, draw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.commands.options import (
    Number,
    PathOf,
    file_option,
    json_option,
    positive,
    ranks_option,
    threads_option,
    usual_option,
)
from fathom.run import launch

base_argument = click.argument("base", type=PathOf())
where_option = usual_option(
    "--where", default="", help="Only data that match a where-clause of SQL."
)


@click.group(short_help="Observations: import, screen, query, draw.")
def observations() -> None:
    """Keep observations as a base: a row a datum in a Parquet file, and why each is used or not."""


@observations.command("import", short_help="Make a base from files of observations.")
@click.argument("files", nargs=-1, required=True, type=PathOf())
@file_option("--out", required=True, help="The base (.parquet).")
@click.option("--month", default="", help="For METAR, which contain only the day: 2018-11.")
@file_option(
    "--mean-topography", help="Mean dynamic topography (NetCDF) for anomalies of sea level."
)
@file_option("--stations", help="Stations of METAR: CSV with station, longitude, latitude, height.")
@ranks_option
@threads_option
@json_option()
def import_(
    files: tuple[Path, ...], out: Path, ranks: int, threads: int, file: Path | None, **options: Any
) -> int:
    """Decode FILES (BUFR, NetCDF, CSV, METAR) and write all their data. Damaged parts are counted
    and named, the rest is kept.
    """

    def act() -> int:
        from time import process_time

        from fathom.assimilation.observations import base, ingest, spread  # start-up time

        base.pyarrow()
        mpi.world.barrier()  # its time begins for all at once
        start = process_time()
        made, accounts = ingest.collect(files, threads, **options)
        by_kind = ingest.counts(made, mpi.world)
        spread.write(made, out, mpi.world)
        spent = max(mpi.world.allgather(process_time() - start))
        if mpi.is_root:
            click.echo("\n".join(ingest.summary(accounts, by_kind)))
            click.echo(f"{out}: {sum(by_kind.values())} data")
            spent_too = {"processor_seconds_of_the_slowest_rank": spent}
            _write(file, ingest.figures(accounts, by_kind) | spent_too)
        return 0

    return launch.distribute(ranks, threads, None, act)


@observations.command(short_help="Write a base as ODB-2.")
@base_argument
@where_option
@file_option("--out", required=True, help="The file (.odb).")
def export(base: Path, where: str, out: Path) -> int:
    """Write a base in ODB-2, in which weather services exchange observations; needs pyodc."""
    from fathom.assimilation.observations import base as bases  # start-up time
    from fathom.assimilation.observations import odb  # start-up time

    odb.write(bases.read(base, where), out)
    click.echo(out)
    return 0


@observations.command(short_help="Contents of a base.")
@base_argument
@where_option
def show(base: Path, where: str) -> int:
    """Counts, means and spans of the variables of each kind."""
    from fathom.assimilation.observations import answers  # start-up time

    click.echo("\n".join(answers.show(base, where)))
    return 0


@observations.command(short_help="Why data are used or not; all data of a station.")
@base_argument
@where_option
@click.option("--station", help="All data of this station, one line each.")
def why(base: Path, where: str, station: str | None) -> int:
    """Counts by kind, variable and reason."""
    from fathom.assimilation.observations import answers  # start-up time

    lines = answers.story(base, station, where) if station else answers.why(base, where)
    click.echo("\n".join(lines))
    return 0


@observations.command(short_help="A query in SQL.")
@base_argument
@click.argument("sql")
@file_option("--csv", "table", help="Write the result as a table.")
def query(base: Path, sql: str, table: Path | None) -> int:
    """Print the answer to SQL, a question to the table `observations`.

    fathom observations query base.parquet "SELECT kind, count(*) FROM observations GROUP BY kind"
    """
    from fathom.assimilation.observations import answers  # start-up time

    click.echo("\n".join(answers.query(base, sql, table)))
    return 0


@observations.command("map", short_help="Draw places of data, their departures, and reasons.")
@base_argument
@usual_option(
    "--kind",
    default="coverage",
    help="coverage, departures, histogram, reasons, series; of one station story, sounding.",
)
@where_option
@click.option("--station", help="Only data of this station.")
@file_option("--out", metavar="PNG", help="The picture; <KIND>.png by default.")
def map_(base: Path, kind: str, where: str, station: str | None, out: Path | None) -> int:
    """Draw the data of a base."""
    from fathom.assimilation.observations import answers, pictures  # start-up time
    from fathom.assimilation.observations import base as bases  # start-up time

    out = out or Path(f"{kind}.png")
    pictures.draw(kind, bases.read(base, answers.clause_of(station, where)), out)
    click.echo(out)
    return 0


@observations.command(short_help="Departures from a background.")
@base_argument
@click.argument("fields", nargs=-1, required=True, type=PathOf())
@file_option("--out", required=True, help="The base with departures (.parquet).")
@click.option("--climate", is_flag=True, help="For a store: the mean of its times, for any date.")
def compare(base: Path, fields: tuple[Path, ...], out: Path, climate: bool) -> int:
    """Print observations minus the background of FIELDS, at their places and times: files of GRIB,
    or one store of a run (.zarr, .nc). What has no equivalent there has its reason.
    """
    from fathom.assimilation.observations import background, compared, stores  # start-up time
    from fathom.assimilation.observations import base as bases  # start-up time

    data = bases.read(base)
    if len(fields) == 1 and fields[0].suffix in stores.endings:
        lines = (stores.climate if climate else stores.compare)(data, fields[0])
    elif climate:
        raise InputError("--climate is of one store of a run (.zarr, .nc)")
    else:
        lines = compared.compare(data, background.Background.open(*fields))
    bases.write(data, out)
    click.echo("\n".join([*lines, str(out)]))
    return 0


@observations.command(short_help="Select the data of an analysis; the others get a reason.")
@base_argument
@file_option("--out", required=True, help="The base with reasons (.parquet).")
@click.option("--window", nargs=2, metavar="START END", help="Times [START, END), ISO, UTC.")
@click.option("--region", nargs=4, type=Number(), metavar="W E S N", help="Degrees.")
@file_option("--blacklist", "rules", metavar="TOML", help="Rules of the blacklist.")
@click.option("--limit", type=Number(0), default=5.0, show_default=True,
              help="Limit of the first-guess check in standard deviations; 0: none.")  # fmt: skip
@click.option("--thinning/--no-thinning", default=True, show_default=True)
@ranks_option
@threads_option
@json_option()
def screen(
    base: Path, out: Path, rules: Path | None, thinning: bool, ranks: int, threads: int,
    file: Path | None, window: tuple[str, str] | None, region: Any, limit: float,
) -> int:  # fmt: skip
    """Apply gross limits, soundings, blacklist, first guess, duplicates, neighbours, thinning: in
    this order; each datum has the reason of the first step that removed it.
    """

    def act() -> int:
        from fathom.assimilation.observations import blacklist, screening, tables  # start-up time

        settings = screening.Settings(
            window=(tables.time_of(window[0]), tables.time_of(window[1])) if window else None,
            region=region,
            limit=limit,
            boxes=screening.boxes if thinning else {},
            rules=blacklist.read(rules) if rules else (),
            threads=threads,
        )
        figures = screening.screen_file(base, out, settings, mpi.world)
        if mpi.is_root:
            click.echo("\n".join(f"{step:20} {n:9}" for step, n in figures["removed"].items()))
            click.echo(f"{out}: {figures['used']} of {figures['data']} data are used")
            _write(file, figures)
        return 0

    return launch.distribute(ranks, threads, None, act)


@observations.command(short_help="Analyse the surface and add the increments to a restart.")
@base_argument
@click.argument("restart", type=PathOf())
@file_option("--out", required=True, help="The restart with the increments (.fathom).")
@click.option("--hours", type=positive, default=3.0, show_default=True,
              help="Only data within this time of its date.")  # fmt: skip
@click.option("--length", type=(str, float), multiple=True, metavar="VARIABLE KM",
              help="Length of the structure function.")  # fmt: skip
@ranks_option
@threads_option
@json_option()
def analyse(
    base: Path, restart: Path, out: Path, hours: float, length: tuple[tuple[str, float], ...],
    ranks: int, threads: int, file: Path | None,
) -> int:  # fmt: skip
    """Interpolate the departures of temperature at 2 m, snow and sea surface temperature in BASE to
    the points of RESTART, whose ground, snow and sea they change.
    """

    def act() -> int:
        from fathom.assimilation.cycle import surface_analysis  # start-up time
        from fathom.assimilation.observations import surface  # start-up time

        lengths = {name: 1e3 * km for name, km in length if surface.structure_of(name)}
        told = surface_analysis.analyse(base, restart, out, mpi.world, hours, lengths, threads)
        if mpi.is_root:
            click.echo("\n".join(surface_analysis.lines(told)))
            click.echo(out)
            _write(file, told)
        return 0

    return launch.distribute(ranks, threads, None, act)


def _write(file: Path | None, figures: dict[str, Any]) -> None:
    if file is not None:
        import json

        file.write_text(json.dumps(figures, indent=1) + "\n")
