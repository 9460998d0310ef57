"""A small box of ocean driven by wind, as a file, and the command run on it."""

import json
import os
import subprocess
import sys

import verb
import verb_on_ranks
from standing_ranks import standing

text = """\
[constants]
L = 1e6
tau = 0.1

[grid]
type = "CartesianGrid"
nx = 24
ny = 20
extent = ["L", "L"]
levels = { type = "ZLevels", nz = 4, depth = 1000 }

[model]
type = "Ocean"
coriolis = [1e-4, 2e-11]
equation_of_state = { type = "LinearEquationOfState" }
friction = { type = "LaplacianFriction", viscosity = 1e4 }

[state]
temperature = "20 * exp(depth / -1000)"
salinity = 35

[simulation]
time_step = "1h"
run = "2d"
surface = { type = "SurfaceForcing", stress_x = "-tau * cos(2 * pi * y / L)" }

[output."surface.zarr"]
variables = ["sea_surface_temperature", "sea_surface_height"]
every = "1d"
"""


def write(folder, **replaced):
    """box.toml in a folder; replaced: old text -> new, by what stands before the first blank."""
    content = text
    for old, new in replaced.items():
        assert old in content
        content = content.replace(old, new)
    path = folder / "box.toml"
    path.write_text(content)
    return path


def command(*arguments):
    return [sys.executable, "-P", "-m", "fathom", *map(str, arguments)]


def environment():
    """This one, without a launcher around the tests."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PMI", "OMPI", "SLURM", "FATHOM_T"))
    }


def fathom(*arguments, folder, **more):
    """Run the command in a folder: (exit status, output, errors). In this process, but where
    variables of the environment, code of the user or threads would stay in it.
    """
    if not more and not any(_stays(word) for word in arguments):
        return verb.fathom(*arguments, folder=folder, environment=environment())
    done = subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment() | more,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def done(*arguments, folder, ranks=1, servers=0):
    """Output and errors of a command that does well, on ranks that stand ready."""
    words = (folder, *arguments, "--ranks", ranks, "--io-servers", servers)
    program = verb_on_ranks.__file__
    good, out, err = standing.run(ranks + servers, program, [str(word) for word in words])
    assert good, err
    return out + err


def _stays(word):
    """Whether a word of a command brings code of the user's own, or more threads."""
    apart = ("--trust", "--scheme", "--threads")
    return str(word) in apart or any(n in str(word) for n in ("extensions", "parallel.threads"))


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def children(pid):
    """The ranks below a process: those of its descendants that run the command."""
    found = []
    for task in subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True
    ).stdout.splitlines()[1:]:
        child, parent, *arguments = task.split(maxsplit=2)
        if int(parent) == pid:
            found += [int(child)] * (
                " -m fathom " in arguments[0]
                and "mpiexec" not in arguments[0]
                and "hydra" not in arguments[0]
            ) + children(int(child))
    return found
