"""`fathom data`: the embedded data sets."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.run.tree import Entry, bytes_text, tree


@click.command(short_help="Embedded data sets and their sources.")
def data() -> int:
    """List the embedded data sets: their contents, sources, licences and sizes."""
    from fathom.data import sets
    from fathom.data.embedded import FOLDER

    for path in sorted(FOLDER.glob("*.nc")):
        click.echo(tree(*_data_set(path)))
    for name in sets.known():  # of other packages
        if (held := sets.find(name)) is not None:
            click.echo(f"{name}: {held.title}")
    return 0


def _data_set(path: Path) -> tuple[str, list[Entry]]:
    """Returns the contents and the source of a file."""
    import netCDF4  # start-up time

    with netCDF4.Dataset(path) as file:
        texts = {
            name: getattr(file, name, "").split("; ") for name in ("source", "licence", "sha256")
        }
        variables = [
            f"{v.name} [{getattr(v, 'units', '1')}]: {getattr(v, 'long_name', v.name)}"
            for v in file.variables.values()
            if v.name not in file.dimensions
        ]
        title = f"{path.stem}: {getattr(file, 'title', path.name)}"
    return f"{title}, {bytes_text(path.stat().st_size)}", [
        ("variables", variables),
        ("sources", texts["source"]),
        ("licence", texts["licence"]),
        ("sha256", texts["sha256"]),
    ]
