#!/usr/bin/env python3
"""Columns from the driver files of a folder (`*_SCM_driver.nc`), compared with published ranges.

    python docs/results/single_columns.py FOLDER [--wall-stability S] [--mixing]
        [--changes] [--without-plumes] [--case NAME]
        [--all-ice T] [--freezing-time S] [--ice-threshold I]

GABLS1, BOMEX, RICO, ARMCU, AYOTTE, SANDU and MPACE run with layers and physics of
fathom/atmosphere/column/published_columns.py, other cases as BOMEX. A case that a column cannot run
is named with the reason. S: of TKE. `python tests/shared/driver_files.py FOLDER` writes
GABLS1 and BOMEX from their publications. --mixing: for GABLS1 also phi = k z u / K, where u^2 is
the local stress, compared with phi = 1 + 4.8 z / Lambda of its publication for the layer near the
ground (Lambda: the local length of Obukhov). --changes: the same means of the change of potential
temperature and humidity since the first state. --case: that one alone. The last three are
parameters of IceMicrophysics.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.atmosphere.column import published_columns
from fathom.atmosphere.column.driver_file import DriverFile
from fathom.base.earth import GRAVITY

of_ice = ("all-ice", "freezing-time", "ice-threshold")


def run(path, o):
    """Profiles of a case."""
    file = DriverFile(path)
    case = published_columns.case(file.name)
    own = {
        "TKE": {"wall_stability": o.wall_stability},
        "IceMicrophysics": {
            name: x
            for name in (option.replace("-", "_") for option in of_ice)
            if (x := getattr(o, name)) is not None
        },
    }
    physics = [
        getattr(fm, name)(**own[name]) if name in own else name
        for name in case.physics
        if not (o.without_plumes and name == "ShallowMassFlux")
    ]
    heights = np.linspace(0, case.top, case.layers + 1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        column = fm.ForcedColumn(
            file, heights, physics, time_step=case.step, roughness=case.roughness
        )
        profiles = column.run(f"{case.until}h" if case.until else None)
    for warning in said:
        print(f"<!-- {warning.message} -->")
    return profiles


def changes(profiles):
    """z, and the change of temperature and humidity in the mean of the last hours."""
    since = published_columns.late(profiles).mean("time")
    first = profiles.isel(time=0)
    warmer = since.air_potential_temperature - first.air_potential_temperature
    moister = 1e3 * (since.specific_humidity - first.specific_humidity)
    for k in range(0, profiles.height.size, 8):
        yield float(profiles.height[k]), float(warmer[k]), float(moister[k])


def mixing(profiles):
    """z, phi by K, phi by local similarity: the last hour."""
    late = profiles.isel(time=slice(-6, None)).mean("time")
    z, inner = late.height.values, late.interface.values[1:-1]
    K = late.air_diffusivity.values[1:-1]
    slopes = [
        np.diff(late[name]) / np.diff(z)
        for name in ("eastward_wind", "northward_wind", "air_potential_temperature")
    ]
    u = np.sqrt(K * np.hypot(*slopes[:2]))
    heat = np.maximum(K * slopes[2], 1e-9)
    per_length = 0.4 * GRAVITY / 264 * heat / np.maximum(u, 1e-3) ** 3
    for height in (10, 20, 50, 100):
        by_K = np.interp(height, inner, 0.4 * inner * u / K)
        yield height, by_K, np.interp(height, inner, 1 + 4.8 * inner * per_length)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wall-stability", type=float, default=0.0)
    parser.add_argument("--mixing", action="store_true")
    parser.add_argument("--changes", action="store_true")
    parser.add_argument("--without-plumes", action="store_true")
    parser.add_argument("--case", default="")
    for name in of_ice:
        parser.add_argument(f"--{name}", type=float)
    o = parser.parse_args()
    print("| case | quantity | found | large eddies |\n|---|---|---|---|")
    for path in sorted(o.folder.rglob("*_SCM_driver.nc")):
        name = path.name.removesuffix("_SCM_driver.nc")
        if not name.startswith(o.case):
            continue
        try:
            profiles = run(path, o)
        except ValueError as error:
            print(f"| {name} | not run: {error} | | |")
            continue
        for row in published_columns.compared(profiles):
            print("|", " | ".join((name, *row)), "|")
        if o.changes:
            for height, warmer, moister in changes(profiles):
                found = f"{warmer:+.2f} K, {moister:+.2f} g/kg"
                print(f"| {name} | change at {height:g} m | {found} | |")
        if o.mixing and name == "GABLS1":
            for height, by_K, similar in mixing(profiles):
                print(f"| {name} | phi at {height} m | {by_K:.2f} | {similar:.2f} (similarity) |")


if __name__ == "__main__":
    main()
