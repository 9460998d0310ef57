"""`fathom plot`: a picture of a field of an output file, or all its times in motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.base.failure import InputError
from fathom.commands.completion import of_variables
from fathom.commands.options import Number, StoreOf, file_option, positive, usual_option


@click.command(short_help="Draw a field of an output file.")
@click.argument("file", type=StoreOf())
@click.argument("variable", required=False, shell_complete=of_variables)
@usual_option("--time", default="last", help="last, first, an index, or a date (the nearest).")
@click.option(
    "--level",
    "--depth",
    help=(
        "Metres of depth, hPa of pressure or number of the level (the nearest); surface or bottom."
    ),
)
@click.option("--at", metavar="NAME=VALUE", help="basin=atlantic, station=a mooring.")
@click.option(
    "--kind",
    help=(
        "map, section (zonal mean) or series; of an ensemble plume, spaghetti, probability or"
        " ranks."
    ),
)
@click.option("--member", type=click.IntRange(0), help="The member of an ensemble that is drawn.")
@click.option(
    "--value", type=Number(), help="Of spaghetti and probability, in the unit of the file."
)
@click.option("--below", is_flag=True, help="The probability of less than --value.")
@file_option("--truth", metavar="FILE", help="What really was: for ranks, and in a plume.")
@click.option("--limits", metavar="LOW,HIGH", help="Limits of the colours, in the displayed unit.")
@click.option("--colours", help="thermal, haline, speed, balance, ..., or a map of matplotlib.")
@click.option("--title", help="Instead of the name of the variable.")
@click.option("--region", metavar="W,E,S,N", help="Only this region, in degrees (or x and y).")
@click.option("--projection", help="globe, north, south, plain or around:LON,LAT[,REACH].")
@click.option("--contours", type=Number(0), metavar="STEP", help="Lines over a map; 0: chosen.")
@click.option("--animate", is_flag=True, help="All times, as a .gif or .html (--out).")
@click.option(
    "--rate",
    type=positive,
    default=5.0,
    show_default=True,
    help="Pictures a second of --animate.",
)
@file_option("--out", metavar="FILE", help="The picture; <VARIABLE>.png, or .gif, by default.")
def plot(
    file: Path | str,
    variable: str | None,
    time: str,
    level: str | None,
    at: str | None,
    kind: str | None,
    member: int | None,
    value: float | None,
    below: bool,
    truth: Path | None,
    limits: str | None,
    colours: str | None,
    title: str | None,
    region: str | None,
    projection: str | None,
    contours: float | None,
    animate: bool,
    rate: float,
    out: Path | None,
) -> int:
    """Draw VARIABLE of FILE (.zarr, .nc, .grib2, .fa, or a restart) as a picture. Without VARIABLE
    the only one of the file, or its drifters.

    Overturning, transports, moorings and drifters have their own kinds of picture. Write a negative
    number of an option with =, as --region=-30,40,30,72.
    """
    from fathom import output, plots  # start-up time: loads NumPy
    from fathom.plots import ensembles

    data = output.open(file)
    variable = variable or _only(data, file)
    look: dict[str, Any] = {
        "level": _number(level),
        "kind": kind,
        "limits": numbers("--limits", limits, 2),
        "colours": colours,
        "title": title,
        "region": numbers("--region", region, 4),
        "projection": projection,
    }
    if (drawn := ensembles.wanted(data, variable, kind, member)) is None:
        of_all: dict[str, Any] = {
            "value": value,
            "below": below,
            "truth": truth and output.open(truth),
        }
        shown = {n: look[n] for n in ("level", "kind", "title", "region", "projection")}
        out = out or Path(f"{variable}-{kind}.png")
        plots.ensemble(data, variable, time=time, at=_place(at), path=out, **of_all, **shown)
        click.echo(out)
        return 0
    data = drawn
    if animate:
        out = out or Path(f"{variable}.gif")
        plots.animation(data, variable, out, rate=rate, **look)
        click.echo(out)
        return 0
    out = out or Path(f"{variable}.png")
    plots.picture(
        data,
        variable,
        time=time,
        at=_place(at),
        contours=contours,
        sea=_sea,
        path=out,
        **look,
    )
    click.echo(out)
    return 0


def _only(data: Any, file: Path | str) -> str:
    """Returns the only variable in time of a file, or of drifters the first. InputError:
    several.
    """
    held = [name for name in map(str, data.data_vars) if not name.endswith("_bounds")]
    found = [name for name in held if "time" in data[name].dims]
    if "trajectory" in data.dims:  # by their age
        return next((name for name in ("longitude", "x") if name in data.variables), found[0])
    if len(found) == 1:
        return found[0]
    if not held:
        raise InputError(f"{file} has no variable")
    several = found or held
    raise InputError(
        f"{file} has {', '.join(several)}; say which one: fathom plot {file} {several[0]}"
    )


def _place(text: str | None) -> dict[str, str] | None:
    """Returns the place of --at."""
    if text is None:
        return None
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--at {text!r} must be NAME=VALUE, as basin=atlantic")
    return {name: value}


def _sea(region: Any) -> tuple[dict[str, Any], Any]:
    """Returns the embedded topography of a region, in cells of half a degree where it is large, and
    where they have water.
    """
    import numpy as np

    from fathom.data import topography

    water = topography.open("ocean_fraction").ocean_fraction
    if region is None or max(region[1] - region[0], region[3] - region[2]) > 60:
        water = water[1::3, 1::3]
    if region is not None:
        west, east, south, north = region
        middle = 0.5 * (west + east)
        longitude = middle + (water.longitude.values - middle + 180) % 360 - 180
        order = np.argsort(longitude)
        inside = order[(longitude[order] > west - 1) & (longitude[order] < east + 1)]
        rows = (water.latitude.values > south - 1) & (water.latitude.values < north + 1)
        water = water[rows, inside].assign_coords(longitude=longitude[inside])
    grid = {name: water[name].values for name in ("longitude", "latitude")}
    return grid, water.values > 0.5


def numbers(option: str, text: str | None, count: int) -> tuple[float, ...] | None:
    """Returns the numbers of an option, apart by commas. InputError: others than `count` of
    them.
    """
    if text is None:
        return None
    try:
        found = tuple(float(word) for word in text.split(","))
    except ValueError:
        found = ()
    if len(found) != count:
        raise InputError(f"{option} {text!r} must be {count} numbers with commas between them")
    return found


def _number(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
