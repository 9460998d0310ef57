"""Which ranks open which files of an ocean and of a forecast, and the bits of what they computed;
argument: a folder, and settings.

Counted are files that Python opens, and those that NetCDF opens behind its back."""

import functools
import gc
import json
import shutil
import sys
from collections import defaultdict
from pathlib import Path

folder, settings = Path(sys.argv[1]), sys.argv[2:]
opened = []
sys.addaudithook(
    lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None
)

import netCDF4  # noqa: E402


class Counted(netCDF4.Dataset):
    def __init__(self, file, *arguments, **keywords):
        opened.append(str(file))
        super().__init__(file, *arguments, **keywords)


netCDF4.Dataset = Counted

import fathom  # noqa: E402
from fathom.base import mpi  # noqa: E402
from fathom.base.failure import RunError  # noqa: E402
from fathom.data import surface  # noqa: E402
from fathom.run.experiment.experiment import Experiment  # noqa: E402
from fathom.run.experiment.toml import Document  # noqa: E402

for kept in gc.get_objects():  # this process may have read files for another test
    if isinstance(kept, functools._lru_cache_wrapper):
        kept.cache_clear()

data = Path(fathom.__file__).parent / "data"
ocean = f"""
[grid]
type = "CurvilinearGrid"
file = "{folder}/grid.nc"
levels = {{ type = "ZLevels", thickness = "{folder}/levels.txt" }}
[model]
type = "Ocean"
[state]
temperature = "levitus"
salinity = "levitus"
[simulation]
start = "2000-01-16 10:00"
time_step = "1h"
surface = {{ type = "BulkForcing" }}
[output."surface.nc"]
variables = ["sea_surface_temperature"]
every = "1h"
"""
air = """
[grid]
type = "GaussianGrid"
truncation = 10
levels = { type = "HybridLevels", nz = 8 }
[model]
type = "SpectralAtmosphere"
[state]
analysis = "gfs"
[simulation]
start = "2011-10-11"
time_step = "15min"
"""
bits = {}
for name, text, period, restart in (
    ("ocean", ocean, "4h", None),
    ("again", ocean, "1h", folder / "restart.fathom"),
    ("air", air, "30min", None),
):
    simulation = Experiment(Document(text, f"{name}.toml", settings)).simulation(
        folder / f"{name}-{mpi.world.size}", True, restart
    )
    summary = simulation.run(period, report=False)
    if mpi.is_root and name == "ocean":
        shutil.copy(simulation.directory / "restart.fathom", folder)
    bits[name] = mpi.world.bcast(
        summary
        and {
            "checksum": summary["checksum"],
            "input": summary["input"],
            "regions": [r["region"] for r in summary["profile"]],
        }
    )
whole = surface.on_points


def without_february(*arguments, month):
    if month == 1:
        raise FileNotFoundError(2, "no such file", str(folder / "february.nc"))
    return whole(*arguments, month=month)


surface.on_points = without_february
try:
    simulation = Experiment(Document(ocean, "ocean.toml", settings)).simulation(
        folder / f"broken-{mpi.world.size}", True
    )
    simulation.run("4h", report=False)
except RunError as error:
    bits["failure"] = mpi.world.gather((simulation.count, str(error)))
files = {
    path
    for path in opened
    if Path(path).parent in (data, folder)
    and not path.endswith((".py", ".pyc"))
    and Path(path).is_file()
}
everyone = mpi.world.gather(files)
if mpi.is_root:
    by_file = defaultdict(list)
    for rank, names in enumerate(everyone):
        for name in names:
            by_file[Path(name).name].append(rank)
    print(json.dumps({"files": by_file, "bits": bits}))
