"""Overflow: dense water leaves a shelf and runs down a slope into the deep.

On z levels the slope is a stair. At each step dense water moves above light water, convection mixes
the column, and the plume becomes warmer. The cold anomaly that remains shows how well a model keeps
its deep water (Winton et al. 1998; Ilicak et al. 2012, section 4).

    python examples/overflow.py [levels] [picture.png]
"""

import sys

import numpy as np

import fathom as fm

levels = int(sys.argv[1]) if len(sys.argv) > 1 else 25

L, shelf, deep, g, alpha, cold, warm = 200e3, 500.0, 2000.0, 9.80616, 2e-4, 10.0, 20.0


def bottom(x, y):
    return shelf + (deep - shelf) * (1 + np.tanh((y - 40e3) / 7e3)) / 2


grid = fm.CartesianGrid(
    nx=4,
    ny=100,
    extent=(8e3, L),
    periodic=True,
    bathymetry=bottom,
    levels=fm.ZLevels(nz=levels, depth=deep, spacing="uniform"),
)
ocean = fm.Ocean(
    grid,
    coriolis=(0, 0),
    equation_of_state=fm.LinearEquationOfState(thermal_expansion=alpha),
    tracer_advection=fm.UpwindAdvection(),
    vertical_mixing=fm.ConstantMixing(viscosity=1e-4, diffusivity=0),
    friction=fm.LaplacianFriction(viscosity=1000),
    diffusion=None,
    bottom_drag=0.01,
)
ocean.set(temperature=lambda x, y, depth: np.where(y < 20e3, cold, warm))
sim = fm.Simulation(ocean, time_step="15s").prepare()
y, wet = grid.horizontal.center_latitude[:, 0], grid.wet_levels[:, 0]
content = sim.fields.content("temperature")


def section():
    T = sim.gather("temperature")[:, :, 0]
    return np.where(np.arange(levels)[:, None] < wet, T, np.nan)


hours, nose = np.arange(1, 19), []
for _ in hours:
    sim.advance(240)
    at_the_bottom = section()[wet - 1, np.arange(len(y))]
    nose.append(y[at_the_bottom < warm - 1].max())
nose = np.array(nose)

on_the_plain = nose > 65e3
speed = np.polyfit(hours[on_the_plain] * 3600, nose[on_the_plain], 1)[0]
plume = (y > 65e3) & (y < nose[-1])
cold_left = warm - section()[:, plume]
remaining = np.nanmax(cold_left) / (warm - cold)
thickness = (
    np.nansum(cold_left, axis=0).mean() / np.nanmax(cold_left, axis=0).mean() * deep / levels
)
froude = speed / np.sqrt(g * alpha * np.nanmax(cold_left, axis=0).mean() * thickness)
heat = sim.fields.content("temperature") / content - 1

print(f"reaches the plain after {hours[on_the_plain][0]} hours with {remaining:.0%} of its cold")
print(
    f"there it is {thickness:.0f} m thick and runs at {speed:.2f} m/s: Froude number {froude:.2f}"
    " (gravity currents: about 1)"
)
print(f"heat content changed by {heat:.0e} of itself")

if len(sys.argv) > 2:
    from fathom.plots.style import new_panels, styled

    @styled
    def picture():
        figure, axes = new_panels(1, 1, 7.4, 2.6)
        axes.set_facecolor("0.7")
        shades = axes.pcolormesh(
            y / 1e3,
            -(np.arange(levels) + 0.5) * deep / levels,
            section(),
            cmap="RdYlBu_r",
            vmin=cold,
            vmax=warm,
        )
        axes.set(
            title=f"Temperature after {hours[-1]} hours",
            xlabel="y [km]",
            ylabel="height [m]",
            xlim=(0, 120),
        )
        figure.colorbar(shades, ax=axes, label="°C")
        return figure

    picture(path=sys.argv[2])
