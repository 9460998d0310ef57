"""Solid rotation: the numerical errors of advection for a dye that should only move.

A current rotates like a solid body out to radius R and vanishes at R2. Linear dynamics without
friction keep it, since the slope of the surface balances it: f v = g deta/dr. After one turn the
dye should be back where it was; every difference is numerical. There are three dyes: a smooth one,
a cone, and a cylinder, whose edge shows new extremes.

    python examples/solid_rotation.py [cells] [picture]
"""

import sys

import numpy as np

import fathom as fm

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 50

L, R, R2, f, g = 1000e3, 380e3, 490e3, 1e-5, 9.80616
days = 10
turn = 2 * np.pi / (days * 86400)  # [s-1]


def rotation(x, y):
    """Angular velocity [s-1]."""
    r = np.maximum(np.hypot(x, y), 1.0)
    return turn * np.clip(R / r * (R2 - r) / (R2 - R), 0, 1)


def height(x, y):
    """The integral of f v / g over r."""
    r = np.hypot(x, y)
    return (
        f
        * turn
        / g
        * (
            np.minimum(r, R) ** 2 / 2
            + R / 2 * ((R2 - R) - (R2 - np.clip(r, R, R2)) ** 2 / (R2 - R))
        )
    )


def distance(x, y):
    """From the middle of the dye, in units of its radius."""
    return np.hypot(x, y + 0.18 * L) / (0.12 * L)


shapes = {
    "smooth": lambda x, y, z: np.exp(-2 * distance(x, y) ** 2),
    "cone": lambda x, y, z: np.maximum(1 - distance(x, y), 0),
    "cylinder": lambda x, y, z: 1.0 * (distance(x, y) < 1),
}


def after_one_turn(advection):
    """The dyes before and after, each (cells, cells), by name of the shape."""
    axis = np.linspace(-L / 2, L / 2, cells + 1)
    grid = fm.CartesianGrid(
        x=axis, y=axis, levels=fm.ZLevels(nz=1, depth=4000)
    )  # deep compared with the height of the surface
    ocean = fm.Ocean(
        grid,
        coriolis=(f, 0),
        momentum_advection=None,
        friction=None,
        diffusion=None,
        bottom_drag=0,
        vertical_mixing=fm.ConstantMixing(),
        tracer_advection=advection,
        tracers=list(shapes),
        free_surface=fm.FreeSurface(tolerance=1e-6),
    )
    ocean.set(
        velocity_x=lambda x, y, depth: -rotation(x, y) * y,
        velocity_y=lambda x, y, depth: rotation(x, y) * x,
        sea_surface_height=height,
        **shapes,
    )
    step = days * 86400 / (12 * cells)  # the current moves less than half a cell in a step
    sim = fm.Simulation(ocean, time_step=step).prepare()
    before = {name: sim.gather(name)[0] for name in shapes}
    sim.advance(12 * cells)
    return {name: (before[name], sim.gather(name)[0]) for name in shapes}


def quality(before, after):
    """(error, peak, least value): l2 norm of the change over that of the dye, its maximum over that
    of the start, its minimum.
    """
    return (
        np.linalg.norm(after - before) / np.linalg.norm(before),
        after.max() / before.max(),
        after.min(),
    )


schemes = (
    fm.CentredAdvection(),
    fm.UpwindAdvection(),
    fm.LaxWendroffAdvection(),
    fm.QuickestAdvection(),
)
dyes = {scheme.name: after_one_turn(scheme) for scheme in schemes}
results = {
    name: {shape: quality(*pair) for shape, pair in turned.items()} for name, turned in dyes.items()
}
for name, of in results.items():
    for shape, (error, peak, least) in of.items():
        print(f"{name:<21} {shape:<9} error {error:.3f}   peak {peak:.3f}   least {least:+.3f}")

if len(sys.argv) > 2:
    from fathom.plots.colours import colour_map, ink
    from fathom.plots.style import new_figure, styled

    @styled
    def picture():
        """The cylinder after one turn: from above, and cut along the middle."""
        figure = new_figure(9.6, 4.4)
        axes = figure.subplots(
            2,
            len(dyes),
            sharex=True,
            gridspec_kw={
                "height_ratios": [1.55, 1],
                "hspace": 0.08,
                "wspace": 0.12,
                "left": 0.078,
                "right": 0.93,
                "top": 0.94,
                "bottom": 0.11,
            },
        )
        km = (np.arange(cells) + 0.5) / cells * L / 1e3 - L / 2e3
        row = int(np.argmin(np.abs(km + 180)))
        for (above, cut), (name, turned) in zip(axes.T, dyes.items()):
            before, after = turned["cylinder"]
            shades = above.pcolormesh(
                km, km, after, cmap=colour_map("balance"), vmin=-1.4, vmax=1.4, rasterized=True
            )
            above.contour(km, km, before, [0.5], colors=ink, linewidths=0.7)
            above.set(
                title=name.removesuffix("Advection"),
                aspect="equal",
                xlim=(-250, 250),
                ylim=(-400, 40),
                yticks=[-400, -200, 0],
            )
            cut.plot(km, before[row], color=ink, linewidth=0.7, drawstyle="steps-mid")
            cut.plot(km, after[row], color="#c8553d", linewidth=1.4)
            cut.set(ylim=(-0.45, 1.5), xlabel="x [km]", yticks=[0, 0.5, 1])
            cut.grid(axis="y")
            if above is not axes[0, 0]:
                above.set_yticklabels([]), cut.set_yticklabels([])
        axes[0, 0].set_ylabel("y [km]")
        axes[1, 0].set_ylabel("dye at y = -180 km")
        figure.colorbar(shades, cax=figure.add_axes((0.945, 0.51, 0.012, 0.36)))
        return figure

    picture(path=sys.argv[2])
