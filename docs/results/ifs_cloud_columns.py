"""Prognostic cloud and precipitation compared with the cloud scheme of the IFS, for the 100 columns
of 137 levels of its dwarf.

    python docs/results/ifs_cloud_columns.py FOLDER       # its folder `data`, files *.dat

The columns start from the input of the IFS scheme: the state with the tendencies of all earlier
processes, and water detrained by convection. After one step of an hour both have rain, snow, cloud
and heating. The files are those of github.com/ecmwf-ifs/dwarf-p-cloudsc, not part of Fathom; the
result is in docs/results/physics-atmosphere.md.
"""

import argparse
import itertools
from pathlib import Path

import numpy as np

from fathom.base.mpi import core

columns, levels, step = 100, 137, 3600.0  # of the files
gravity, air_heat = 9.80665, 1004.7088  # [m s-2], [J kg-1 K-1]
liquid, ice, rain, snow = range(4)
water = "cloud_liquid_water", "cloud_ice", "rain_water", "snow_water"
bands = (200, 400, 700, 850, 1100)  # hPa, cloud and heating are below 200


class Files:
    """Fields (levels, columns), kinds of water first."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, name, depth=levels):
        values = np.fromfile(self.folder / f"{name}.dat").reshape(-1, columns)
        return values if len(values) == depth else values.reshape(-1, depth, columns)


def first_state(files):
    """{field: (levels, columns)} with all tendencies before the cloud scheme."""
    T = files("input_PT") + step * files("input_TENDENCY_TMP_T")
    q = files("input_PQ") + step * files("input_TENDENCY_TMP_Q")
    contents = files("input_PCLV") + step * files("input_TENDENCY_TMP_CLD")
    edges = files("input_PAPH", levels + 1)
    detrained = step * gravity / np.diff(edges, axis=0) * files("input_PLUDE")
    warm = np.clip((T - 250.16) / 23.0, 0, 1) ** 2
    contents[liquid] += warm * detrained
    contents[ice] += (1 - warm) * detrained
    state = {"air_temperature": T, "specific_humidity": q}
    state |= {name: contents[kind] for kind, name in enumerate(water)}
    return state, files("input_PAP"), edges


def one_step(state, pressure, edges, scheme, **parameters):
    """Tendencies and precipitation of the scheme."""
    given = state | {"air_pressure": pressure, "pressure_interface": edges}
    given["graupel_water"] = np.zeros_like(pressure)
    process = core.process(scheme, {"step": step, **parameters}, 8, 0)
    rows = {name: np.ascontiguousarray(x[:, None, :]) for name, x in given.items()}
    zero = np.zeros((levels, 1, columns))
    rows |= {f"{name}_tendency": zero.copy() for name in (*state, "graupel_water")}
    return {name: x[..., 0, :] for name, x in core.run_column(process, rows, levels).items()}


def line(name, values):
    """Means, and the correlation of the last two."""
    same = np.corrcoef(*values[-2:])[0, 1]
    print(f"{name:20s} " + " ".join(f"{x.mean():8.4f}" for x in values) + f" {same:6.3f}")


def compare(files, **parameters):
    state, pressure, edges = first_state(files)
    found = one_step(state, pressure, edges, "GraupelMicrophysics", **parameters)
    mass = np.diff(edges, axis=0) / gravity
    falls = step * sum(files(f"reference_PFPLS{x}", levels + 1)[-1] for x in "LN")
    print("mean of the IFS, here; correlation of columns")
    line("precipitation [mm/h]", [falls, step * found["stratiform_precipitation"]])
    after = files("input_PCLV") + step * (
        files("input_TENDENCY_TMP_CLD") + files("reference_TENDENCY_LOC_CLD")
    )
    print("kg m-2: before, after with the IFS, here; correlation of the last two")
    for kind, name in enumerate(water):
        if name == "rain_water":  # none in these columns
            continue
        end = state[name] + step * found[f"{name}_tendency"]
        if name == "snow_water":
            end = end + step * found["graupel_water_tendency"]
        line(name, [(mass * x).sum(0) for x in (state[name], after[kind], end)])
    print("heating [W m-2] by hPa: the IFS, here; correlation of columns and levels")
    theirs = files("reference_TENDENCY_LOC_T")
    for low, high in itertools.pairwise(bands):
        where = (pressure >= 100 * low) & (pressure < 100 * high)
        both = [x[where] for x in (theirs, found["air_temperature_tendency"])]
        sums = [air_heat * float((mass[where] * x).sum()) / columns for x in both]
        print(
            f"{low:5d} to {high:4d} {sums[0]:8.2f} {sums[1]:8.2f} {np.corrcoef(*both)[0, 1]:6.3f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    for name in ("critical-humidity", "cloud-rate", "cloud-threshold", "freezing-time", "all-ice"):
        parser.add_argument(f"--{name}", type=float, help="of GraupelMicrophysics")
    given = vars(parser.parse_args())
    files = Files(given.pop("folder"))
    compare(files, **{name: value for name, value in given.items() if value is not None})


if __name__ == "__main__":
    main()
