#!/usr/bin/env python3
"""Classical cases in a slice, drawn side by side: potential temperature of inertia-gravity waves,
of a density current, of a warm bubble at its start and end, and of a dry thermal, with w of that.

    for case in skamarock-klemp straka robert-bubble bryan-fritsch-dry
    do fathom run experiments/$case.toml --out runs/$case; done
    python docs/results/slices.py runs --picture FILE
"""

import argparse
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.plots.style import new_panels, styled

THETA, W = "dtheta", "wa"  # names in the store
# title, run, store, field, time, factor, levels, unit, range of x and z [km], colours
PANELS = (
    ("Skamarock & Klemp, 3000 s", "skamarock-klemp", "waves", THETA, -1, 1e3,
     np.arange(-3, 3.1, 0.5), "mK", (0, 300), (0, 10), "RdBu_r"),
    ("Straka, 900 s", "straka", "straka", THETA, -1, 1,
     np.arange(-10, 0, 1), "K", (25.6, 45), (0, 5), "Blues_r"),
    ("Robert, start", "robert-bubble", "bubble", THETA, 0, 1,
     np.arange(0.05, 0.56, 0.05), "K", (0, 1), (0, 1.5), "YlOrRd"),
    ("Robert, 18 min", "robert-bubble", "bubble", THETA, -1, 1,
     np.arange(0.05, 0.56, 0.05), "K", (0, 1), (0, 1.5), "YlOrRd"),
    ("Bryan & Fritsch, dry, 1000 s", "bryan-fritsch-dry", "thermal", THETA, -1, 1,
     np.arange(0.2, 2.3, 0.2), "K", (5, 15), (0, 10), "YlOrRd"),
    ("the same, w", "bryan-fritsch-dry", "thermal", W, -1, 1,
     np.arange(-14, 14.1, 2), "m/s", (5, 15), (0, 10), "RdBu_r"),
)  # fmt: skip


def field(folder, run, store, name, time):
    """(x [km], height [km], values) of a slice."""
    values = fm.open(folder / run / f"{store}.zarr")[name].isel(time=time).squeeze(drop=True)
    across, along = values.dims
    return values[along].values / 1e3, values[across].values / 1e3, values.values


@styled
def draw(folder):
    figure, panels = new_panels(3, 2, 9.2, 9.6)
    for panel, one in zip(panels.flat, PANELS):
        title, run, store, name, time, factor, levels, unit, xlim, zlim, colours = one
        x, z, values = field(folder, run, store, name, time)
        extend = {"Blues_r": "min", "YlOrRd": "max"}.get(colours, "both")
        filled = panel.contourf(x, z, factor * values, levels, cmap=colours, extend=extend)
        panel.contour(x, z, factor * values, levels, colors="0.25", linewidths=0.4)
        panel.set(title=title, xlabel="x [km]", ylabel="height [km]", xlim=xlim, ylim=zlim)
        figure.colorbar(filled, label=unit, ax=panel)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--picture", default="slices.png")
    given = parser.parse_args()
    draw(given.folder, path=given.picture)


if __name__ == "__main__":
    main()
