"""Stability of semi-implicit steps of compressible air: one isothermal atmosphere, other reference
temperatures.

    python docs/results/arome_stability.py [--json FILE] [--levels L31]

The largest growth in a step of 60 s of waves pi^(i nu - 1/2), nu from 0.05 to 300, from 2 to 2000
km long, by the equations of fathom/atmosphere/spectral/laprise.py; also on the levels of a model.
Schemes: NESC, SETTLS, NESC with one corrector. References: gravity waves / sound.

Prints the tables of docs/results/limited-area.md; the file has them, and
`largest_difference_of_growth` from known values for these waves.
"""

import argparse
import json

import numpy as np

from fathom.atmosphere.spectral import laprise
from fathom.grids import hybrid

STEP = 60.0  # s
air = (200, 250, 310)  # K
references = ((280, 280), (350, 350), (350, 100))  # K
schemes = ("nesc", "settls", "nesc + 1")
horizontal = 2 * np.pi / np.geomspace(2e3, 2e6, 40)  # m-1
vertical = np.geomspace(0.05, 300, 60)
known = (
    (1.80, 2.37, 1.091, 2.50, 3.47, 1.146, 1.0000, 1.0000, 1.0001),
    (1.24, 1.44, 1.028, 1.80, 2.37, 1.087, 1.0000, 1.0000, 1.0000),
    (1.19, 1.38, 1.027, 1.26, 1.47, 1.032, 1.0000, 1.0000, 1.0000),
)


def worst(operators, wavenumbers, temperature, reference, scheme):
    """The greatest growth over all waves."""
    found = 0.0
    for of in operators:
        for K in wavenumbers:
            truth, implicit = (laprise.linear(of, K, *t) for t in ((temperature,) * 2, reference))
            found = max(found, laprise.growth(laprise.step_of(scheme, truth, implicit, STEP)))
    return found


def table(operators, wavenumbers=horizontal):
    """Growth of each temperature of the air: references one after the other, schemes in each."""
    return [
        [worst(operators, wavenumbers, t, r, s) for r in references for s in schemes] for t in air
    ]


def shown(rows):
    heads = [f"{r} / {s}: {scheme}" for r, s in references for scheme in schemes]
    lines = ["| T | " + " | ".join(heads) + " |", "|" + "---|" * (len(heads) + 1)]
    for temperature, row in zip(air, rows):
        lines.append(f"| {temperature} | " + " | ".join(f"{x:.4f}" for x in row) + " |")
    return "\n".join(lines)


def difference(rows):
    """The largest difference from the known values, without differences below their rounding."""
    last = np.tile([0.005, 0.005, 0.0005, 0.005, 0.005, 0.0005, 0.00005, 0.00005, 0.00005], (3, 1))
    away = np.abs(np.array(rows) - known)
    return float(np.where(away <= last + 1e-9, 0, away).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--levels", default="L31", help="a named set, as L31 (default)")
    given = parser.parse_args()
    of_waves = table([laprise.of_wave(nu) for nu in vertical])
    print(f"Waves of air without bounds\n\n{shown(of_waves)}\n")
    a, b = hybrid.named(given.levels)
    operators = laprise.on_levels(a + b * 1e5)
    on_levels = table([operators], horizontal[::4])
    print(f"On the levels {given.levels}\n\n{shown(on_levels)}")
    result = {
        "largest_difference_of_growth": difference(of_waves),
        "largest_rounding": float(np.abs(np.array(of_waves) - known).max()),
        "waves": of_waves,
        "levels": on_levels,
    }
    if given.json:
        with open(given.json, "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
