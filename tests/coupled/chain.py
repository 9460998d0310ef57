"""A globe, an area and one within it, as three programs of a TOML file, on the ranks of an MPI run:
python chain.py FUNCTION [key=value ...] prints one JSON object on rank 0.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from fathom.base import mpi
from fathom.coupled.file import ProgramsFile
from fathom.run.experiment.experiment import Experiment
from fathom.run.one_restart import complete

area = """
[grid]
type = "LimitedAreaGrid"
centre = [8.0, 46.5]
resolution = {resolution}
points = {points}
coupling = 4
levels = {{ type = "SigmaLevels", nz = 4 }}

[model]
type = "LimitedAreaAtmosphere"
{model}

[state]
analysis = "outer"

[simulation]
time_step = "{step}"
start = "{start}"

[output."store.nc"]
variables = ["air_temperature"]
every = "15min"
"""

globe = """
[grid]
type = "GaussianGrid"
truncation = 15
levels = { type = "SigmaLevels", nz = 4 }

[model]
type = "SpectralAtmosphere"

[state]
eastward_wind = "20 * cos(radians(latitude))"
air_temperature = "250 + 30 * cos(radians(latitude))**2"

[simulation]
time_step = "15min"
"""


def files(folder, named=True, start="2000-01-01", more="", inner="5min"):
    """Writes the three files and that of all; named: the areas name programs, else files. Returns
    the file of all.
    """
    outer = lambda name: f'outer = "{name if named else name + ".toml"}"'
    texts = {
        "globe.toml": globe,
        "aladin.toml": area.format(
            resolution=120e3, points=[20, 16], model=outer("globe"), step="5min", start="2000-01-01"
        ),
        "arome.toml": area.format(
            resolution=60e3,
            points=[20, 16],
            model=f'dynamics = "non-hydrostatic"\nouter_every = "{inner}"\n' + outer("aladin"),
            step="150s",
            start=start,
        ),
        "all.toml": f"""
[programs]
globe = "globe.toml"
aladin = "aladin.toml"
arome = "arome.toml"
{more}
[simulation]
run = "30min"
""",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder / "all.toml"


def made(folder, ranks=None, named=True, **more):
    """Returns the programs of the file of all."""
    folder = Path(folder or mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None))
    if mpi.is_root:
        files(folder, named, **more)
    mpi.world.barrier()
    settings = [f"programs.{name}.ranks={one}" for name, one in (ranks or {}).items()]
    return ProgramsFile.read(folder / "all.toml", settings).programs(folder / "run")


def told(programs):
    """Checksums of all programs, and what their stores hold, on all ranks."""
    found = {}
    for part in mpi.world.allgather({m.name: m.program.checksum() for m in programs.here}):
        found |= part
    return found | {"date": str(programs.date)}


def run(programs, length, **more):
    programs.run(length, progress=False, report=False, **more)
    return told(programs)


def bits(folder=None, lengths=("30min",), **more):
    """In pieces of these lengths."""
    programs = made(folder, **more)
    return [run(programs, length) for length in lengths][-1]


def one_inside_the_other(length="30min"):
    """The same experiments, each of which names the file of the next one."""
    folder = Path(tempfile.mkdtemp())
    files(folder, named=False)
    arome = Experiment.read(folder / "arome.toml").simulation(folder / "run")
    arome.run(length, progress=False, report=False)
    aladin = arome.model.outer.simulation
    found = {"arome": arome, "aladin": aladin, "globe": aladin.model.outer.simulation}
    return {name: one.checksum() for name, one in found.items()} | {"date": str(arome.date)}


def killed(folder, ranks=None):
    """A run with a restart each quarter of an hour, which ends in the second one."""
    programs = made(folder, ranks).checkpoint("15min", keep=2)
    arome = programs.members["arome"].program
    arome.call(lambda s: os._exit(9) if s.seconds > 1000 else None, "150s")
    programs.run("30min", progress=False, report=False)


def resumed(folder, ranks=None):
    programs = made(folder, ranks).restore()
    found = complete(programs.directory)
    return run(programs, "30min", from_start=True) | {"began": found[-1][0]}


def main():
    name, *arguments = sys.argv[1:]
    options = {k: json.loads(v) for k, v in (a.split("=", 1) for a in arguments)}
    result = globals()[name](**options)
    if mpi.is_root:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
