"""`fathom verify`: scores of a forecast against analyses, radiosondes, stations."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from fathom.base.failure import InputError
from fathom.commands.options import StoreOf, file_option, json_option
from fathom.commands.plot import numbers


@click.command(short_help="Scores of a forecast against analyses or observations.")
@click.argument("forecast", type=StoreOf())
@click.argument("truth", type=StoreOf())
@click.argument("names", nargs=-1)
@click.option("--region", metavar="W,E,S,N", help="Only this region, in degrees.")
@file_option("--picture", metavar="PNG", help="Draw rms against time, with persistence.")
@json_option(help="Write the scores.")
def verify(
    forecast: Path | str,
    truth: Path | str,
    names: tuple[str, ...],
    region: str | None,
    picture: Path | None,
    file: Path | None,
) -> int:
    """Print bias, rms, persistence and anomaly correlation of FORECAST, a store of a run, against
    TRUTH, for each time that both have.

    TRUTH: analyses (GRIB, NetCDF or a store), on whose points the forecast is taken; or a base of
    observations (.parquet, of `fathom observations import`): bias and rms of each kind, at their
    places and times. NAMES: only these variables.
    """
    if str(truth).endswith(".parquet"):
        if names or region or picture:
            raise InputError(
                f"{truth} is a base of observations: choose from it with `fathom observations"
                " query`; names, --region and --picture are for analyses"
            )
        return _against_observations(Path(forecast), Path(truth), file)
    from fathom import output  # start-up time: loads NumPy
    from fathom.output.post import verified
    from fathom.plots.report.tables import lines

    within: Any = numbers("--region", region, 4)
    with output.open(forecast) as one, output.open(truth) as other:
        found = list(verified.rows(one, other, names, within))
    head = ["variable", "level", "time", "bias", "rms", "persistence", "correlation", "units"]
    table = [
        [r.name, "" if r.level is None else f"{r.level:g}", r.time, f"{r.bias:+.4g}",
         f"{r.rms:.4g}", f"{r.persistence:.4g}", f"{r.correlation:.4f}", r.units]
        for r in found
    ]  # fmt: skip
    click.echo("\n".join(lines(head, table, left=(0, 2, 7))))
    if picture:
        _draw(found, picture)
        click.echo(picture)
    _write(file, [asdict(row) for row in found])
    return 0


def _against_observations(forecast: Path, base: Path, file: Path | None) -> int:
    """Prints mean and rms of observations less forecast, of each kind and variable."""
    from fathom.assimilation.observations import base as bases  # start-up time
    from fathom.assimilation.observations import stores

    data = bases.read(base)
    said = stores.compare(data, forecast)
    if not any("rms" in line for line in said):
        raise InputError(f"{base} and {forecast}: no datum lies within the times of the forecast")
    click.echo("observations less forecast:")
    click.echo("\n".join(said))
    _write(file, said)
    return 0


def _draw(rows: list[Any], path: Path) -> None:
    """Draws rms in time, a panel for each variable and level."""
    import numpy as np

    from fathom import plots
    from fathom.names import describe
    from fathom.plots.style import unit_text

    panels: dict[str, Any] = {}
    for key in dict.fromkeys((row.name, row.level) for row in rows):
        own = [row for row in rows if (row.name, row.level) == key]
        times = np.array([row.time for row in own], "datetime64[m]")
        hours = (times - times[0]) / np.timedelta64(1, "h")
        title = describe(key[0]).long_name + ("" if key[1] is None else f", {key[1]:g}")
        panels[title] = (hours * 3600, {
            "forecast": np.array([row.rms for row in own]),
            "persistence": np.array([row.persistence for row in own]),
        }, unit_text(own[0].units))  # fmt: skip
    plots.curves_in_time(panels, title="rms against analyses", path=path)


def _write(file: Path | None, found: Any) -> None:
    if file:
        file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
