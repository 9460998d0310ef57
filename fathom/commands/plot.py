"""`fathom plot`: a picture of a field of an output file, or all its times in motion."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.commands.options import file_option, usual_option


@click.command(short_help="Draw a field of an output file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("variable")
@usual_option("--time", default="last", help="last, first, an index, or a date (the nearest).")
@click.option(
    "--level",
    "--depth",
    help=(
        "Metres of depth, hPa of pressure or number of the level (the nearest); surface or bottom."
    ),
)
@click.option("--kind", help="map, section (zonal mean) or series.")
@click.option("--animate", is_flag=True, help="All times, as a .gif or .html (--out).")
@click.option(
    "--rate", type=float, default=5.0, show_default=True, help="Pictures a second of --animate."
)
@file_option("--out", metavar="FILE", help="The picture; <VARIABLE>.png, or .gif, by default.")
def plot(
    file: Path,
    variable: str,
    time: str,
    level: str | None,
    kind: str | None,
    animate: bool,
    rate: float,
    out: Path | None,
) -> int:
    """Draw VARIABLE of FILE (.zarr, .nc, .grib2 or .fa) as a picture."""
    from fathom import output, plots  # start-up time: loads NumPy

    if animate:
        out = out or Path(f"{variable}.gif")
        data = output.open(file)
        plots.animation(data, variable, out, level=_number(level), kind=kind, rate=rate)
        click.echo(out)
        return 0
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


def _number(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
