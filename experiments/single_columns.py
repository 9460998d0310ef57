#!/usr/bin/env python3
"""Columns from the driver files of a folder (`*_SCM_driver.nc`), beside published ranges: a table.

    python experiments/single_columns.py FOLDER [--wall-stability S]

GABLS1, BOMEX, RICO, ARMCU, AYOTTE, SANDU and MPACE run with layers and physics of
fathom/atmosphere/published_columns.py, other cases as BOMEX. A case that asks for something that a
column does not have is named with the reason. S: of TurbulentEnergy. `python
tests/shared/driver_files.py FOLDER` writes GABLS1 and BOMEX from their publications.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.atmosphere import published_columns
from fathom.atmosphere.driver_file import DriverFile


def run(path, wall_stability):
    """Profiles of a case."""
    case = published_columns.case(DriverFile(path).name)
    physics = [
        fm.TurbulentEnergy(wall_stability=wall_stability) if name == "TurbulentEnergy" else name
        for name in case.physics
    ]
    heights = np.linspace(0, case.top, case.layers + 1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        profiles = fm.ForcedColumn(path, heights, physics, step=case.step).run()
    for warning in said:
        print(f"<!-- {warning.message} -->")
    return profiles


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wall-stability", type=float, default=0.0)
    o = parser.parse_args()
    print("| case | quantity | found | large eddies |\n|---|---|---|---|")
    for path in sorted(o.folder.rglob("*_SCM_driver.nc")):
        name = path.name.removesuffix("_SCM_driver.nc")
        try:
            profiles = run(path, o.wall_stability)
        except ValueError as error:
            print(f"| {name} | not run: {error} | | |")
            continue
        for row in published_columns.compared(profiles):
            print("|", " | ".join((name, *row)), "|")


if __name__ == "__main__":
    main()
