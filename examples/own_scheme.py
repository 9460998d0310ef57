"""Your own scheme: first in Python, for a quick test, then in C++, as fast as Fathom's schemes.

A tank of cold water, without motion, is relaxed to 10 °C within ten days. A scheme declares the
fields that it reads and writes: name, place on the grid, units. From this Fathom knows when to
exchange halos, and refuses a field in other units. In Python the fields are NumPy arrays that share
the model's memory, block by block, on any number of ranks. The header own_scheme.hpp has the same
scheme in C++: it is compiled once, in some seconds, and kept; then it is a scheme like any other.

    python examples/own_scheme.py [days]
"""

import sys
from pathlib import Path

import numpy as np

import fathom as fm

days = int(sys.argv[1]) if len(sys.argv) > 1 else 20
value, time = 10.0, 10 * 86400.0


def relaxation(temperature, area_center, thickness, temperature_tendency):
    """dT/dt = (value - T) / time; a tendency is that of the content of a cell, °C m3 s-1."""
    volume = area_center * thickness[:, None, None]
    temperature_tendency += volume * (value - temperature) / time


in_python = fm.PythonScheme(
    relaxation,
    [
        fm.reads("temperature", "center layer", "degC"),
        fm.reads("area_center", "center column", "m2"),
        fm.reads("thickness", "layer profile", "m"),
        fm.updates("temperature_tendency", "center layer", "degC m3 s-1"),
    ],
)
Relaxation = fm.load_scheme(Path(__file__).with_name("own_scheme.hpp"))
in_cpp = Relaxation(value=value, time=time)


def tank(scheme):
    grid = fm.CartesianGrid(nx=12, ny=12, extent=(1.2e6, 1.2e6), levels=fm.ZLevels(nz=5, depth=500))
    ocean = fm.Ocean(grid, coriolis=(1e-4, 0)).set(temperature=4.0, salinity=35.0)
    # one line sets its place in the order of a step
    return ocean.insert(scheme, before="TracerUpdate of temperature")


found = {}
for name, scheme in {"Python": in_python, "C++": in_cpp}.items():
    sim = fm.Simulation(tank(scheme), time_step="1h").prepare()
    sim.advance(24 * days)
    found[name] = sim.state["temperature"].mean().item()

exact = value + (4.0 - value) * np.exp(-days * 86400.0 / time)
if sim.is_root:
    print(f"after {days} days: {found['Python']:.4f} °C in Python, {found['C++']:.4f} °C in C++")
    print(f"exactly: {exact:.4f} °C")
