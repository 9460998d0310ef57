"""Your own output format: CSV, a line for each time and point, in one class.

A format defines the ending of its files, its writer and its reader. `WholeTimes` does the common
work of most writers: one rank writes a whole time at once; regions, checks and errors. The class
adds the beginning of a file, the writing of a time, and the removal of times, for a run that
continues from an earlier restart. Then ".csv" is an ending like any other: in `output`, in TOML
files, in `fm.open` and plots. A package provides a format as an entry point of the group
"fathom.formats".

    python examples/own_format.py [days]
"""

import csv
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

import fathom as fm
from fathom.output import files, formats
from fathom.output.formats.whole_times import WholeTimes, check_place
from fathom.output.specification import TimeAxis, VariableSpec, coordinate_arrays, sizes_of

days = int(sys.argv[1]) if len(sys.argv) > 1 else 5


class CsvWriter(WholeTimes):
    """The first line is a comment: variables, sizes and time in JSON. Then a table."""

    def __init__(self, path, writes=None):
        """Open a file made by `create`, to append."""
        self.path, self.writes, self._encoded = Path(path), writes or files.Writes(), {}
        with open(self.path) as file:
            header = json.loads(file.readline().removeprefix("# "))
        self.variables = {one[0]: VariableSpec(*one) for one in header["variables"]}
        self.sizes, self._bounds = header["sizes"], False

    @classmethod
    def create(cls, path, coordinates, variables, chunks=None, *, time=None, attributes=None,
               overwrite=False):  # fmt: skip
        """A new file without times."""
        path, time = Path(path), time or TimeAxis()
        check_place(path, overwrite)
        sizes = sizes_of(coordinate_arrays(coordinates), variables)
        described = [one.described for one in variables]
        header = {"variables": described, "sizes": sizes, "time": time.attributes["units"]}
        path.write_text(
            f"# {json.dumps(header)}\nseconds,point,{','.join(v[0] for v in described)}\n"
        )
        return cls(path)

    @property
    def times(self):
        """Seconds since the start of the times that are there."""
        return pd.unique(pd.read_csv(self.path, comment="#")["seconds"])

    def _encode(self, variable, array):
        return np.ravel(array)

    def _put(self, seconds, bounds):
        with open(self.path, "a", newline="") as file:
            rows = zip(*self._encoded.values(), strict=True)
            csv.writer(file).writerows((seconds, n, *row) for n, row in enumerate(rows))

    def _cut(self, count):
        table = pd.read_csv(self.path, comment="#")
        keep = table[table["seconds"].isin(self.times[:count])]
        header = self.path.read_text().split("\n", 1)[0]
        self.path.write_text(header + "\n" + keep.to_csv(index=False))

    def close(self):
        pass


def read(path):
    """Variables on (time, point)."""
    table = pd.read_csv(path, comment="#").set_index(["seconds", "point"])
    return xr.Dataset.from_dataframe(table)


formats.register(formats.Format(".csv", "CSV", CsvWriter, read))

grid = fm.CartesianGrid(
    nx=8, ny=6, extent=(8e5, 6e5), levels=fm.ZLevels(nz=3, depth=300, spacing="uniform")
)
ocean = fm.Ocean(grid, coriolis=(1e-4, 0)).set(
    temperature=lambda x, y, z: 10 + 2 * x / 8e5 - z / 100, salinity=35.0
)
directory = Path(tempfile.mkdtemp())
sim = fm.Simulation(ocean, time_step="1h", directory=directory)
sim.output("surface.csv", variables=["sea_surface_temperature"], every="1d")
sim.run(f"{days}d", report=False)

if sim.is_root:
    print(*(directory / "surface.csv").read_text().split("\n")[1:5], sep="\n")
    found = fm.open(directory / "surface.csv")
    print(found)
