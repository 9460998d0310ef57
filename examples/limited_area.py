"""The ground of a limited area, made periodic.

A limited-area model computes with waves that fit its plane, but no field of the weather is
periodic. Outside the area is an extension, where splines connect one edge with the opposite one.
Each row has its own spline, independent of the next row, so mountains at the edge would cross the
extension as streaks. Smoothing removes the streaks and leaves the area unchanged.

    python examples/limited_area.py [columns] [picture]
"""

import sys

import numpy as np
from scipy.ndimage import map_coordinates

import fathom as fm
from fathom.data import embedded

columns = int(sys.argv[1]) if len(sys.argv) > 1 else 169

# Iberia, the Alps and the Atlas: a cone that touches the earth at 42 N.
grid = fm.LimitedAreaGrid(
    (5.0, 42.0), resolution=3.4e6 / columns, points=(columns, columns * 3 // 4), extension=20
)
print(grid)

# The embedded ground, means over cells of 1/4 degree from the south pole and from Greenwich on.
height = embedded.read("land", "surface_altitude")["surface_altitude"].astype(float)
longitude, latitude = grid.coordinates()
place = [(latitude + 90) * 4 - 0.5, longitude % 360 * 4 - 0.5]
ground = map_coordinates(height, place, order=1, mode="grid-wrap")

transform = grid.bi_fourier(grid="quadratic")
streaked, smooth = (grid.periodic(ground, smooth=smoothing) for smoothing in (False, True))


def across(whole):
    """Standard deviation from one row of the extension to the next [m]."""
    return float(np.diff(whole[: grid.points[1], grid.points[0] + 5 : -5], axis=0).std())


def truncated(whole):
    """The part that the truncation of the model keeps."""
    return transform.inverse(transform.direct(whole))


kept = truncated(smooth)
sea = (ground == 0) & (grid.zone == 0)
ripples = float(grid.inside(kept)[sea].std())
print(
    f"from row to row of the extension: {across(streaked):.1f} m with streaks,"
    f" {across(smooth):.1f} m smoothed; ripples over the sea {ripples:.0f} m"
)

if len(sys.argv) > 2:
    from fathom.plots.colours import colour_map, ink
    from fathom.plots.style import new_figure, styled

    @styled
    def picture():
        """The whole plane: splines, smoothed, and after truncation; with the frames of C + I and
        C."""
        figure = new_figure(12, 3.7)
        axes = figure.subplots(
            1,
            3,
            sharey=True,
            gridspec_kw={"left": 0.055, "right": 0.9, "bottom": 0.13, "top": 0.92, "wspace": 0.06},
        )
        step = grid.spacing / 1e3
        edges = [step * np.arange(n + 1) for n in grid.size]
        titles = "splines", "splines, smoothed", "what the waves of the model keep"
        for panel, field, title in zip(axes, (streaked, smooth, kept), titles):
            shades = panel.pcolormesh(
                *edges, field, cmap=colour_map("balance"), vmin=-2000, vmax=2000, rasterized=True
            )
            for inner in (0, grid.coupling):
                x, y = (step * (n - inner) for n in grid.points)
                a = step * inner
                panel.plot([a, x, x, a, a], [a, a, y, y, a], color=ink, linewidth=0.7)
            panel.set(title=title, xlabel="x [km]", aspect="equal")
        axes[0].set_ylabel("y [km]")
        figure.colorbar(shades, cax=figure.add_axes((0.915, 0.2, 0.01, 0.65)), label="height [m]")
        return figure

    picture(path=sys.argv[2])
