"""Lock exchange: a gate between cold and warm water opens.

Two fronts move apart, the cold one below, each at half of sqrt(g' H), since half of the released
energy goes into the current (Benjamin 1968). The equations have no mixing; all mixing is numerical.
The reference potential energy measures it: that of the same water sorted by density, the densest
lowest (Winters et al. 1995, Ilicak et al. 2012).

    python examples/lock_exchange.py [cells] [picture.png]
"""

import sys

import numpy as np

import fathom as fm

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 128

L, H, g, alpha, rho0, cold, warm = 64e3, 20.0, 9.80616, 2e-4, 1026.0, 5.0, 30.0
viscosity = 100  # m2/s: with lower values fronts are steeper and mix more

# The channel lies along y; nothing varies along x, which is periodic.
grid = fm.CartesianGrid(
    nx=4,
    ny=cells,
    extent=(4 * L / cells, L),
    periodic=True,
    levels=fm.ZLevels(nz=20, depth=H, spacing="uniform"),
)
ocean = fm.Ocean(
    grid,
    coriolis=(0, 0),
    equation_of_state=fm.LinearEquationOfState(thermal_expansion=alpha),
    tracer_advection=fm.UpwindAdvection(),
    vertical_mixing=fm.ConstantMixing(
        viscosity=1e-4, diffusivity=0, convective_viscosity=0, convective_diffusivity=0
    ),
    friction=fm.LaplacianFriction(viscosity=viscosity),
    diffusion=None,
    bottom_drag=0,
)
ocean.set(temperature=lambda x, y, depth: np.where(y < L / 2, cold, warm))
sim = fm.Simulation(ocean, time_step="60s").prepare()
y = grid.horizontal.center_latitude[:, 0]


def section():
    return sim.gather("temperature")[:, :, 0]


def front(temperature):
    """Where a layer passes from cold to warm [m]."""
    i = np.flatnonzero(temperature < (cold + warm) / 2)[-1]
    return np.interp((cold + warm) / 2, temperature[i : i + 2], y[i : i + 2])


def reference_potential_energy(T):
    """Of the water sorted by density [J m-2]."""
    warmest_first = np.sort(T.ravel())[::-1]
    depth = (np.arange(T.size) + 0.5) / T.size * H
    return g * rho0 * alpha * H * np.mean(warmest_first * depth)


before, hours, way = reference_potential_energy(section()), np.arange(1, 16), []
for _ in hours:
    sim.advance(60)
    way.append(front(section()[-1]) - L / 2)
speed = np.polyfit(hours[3:] * 3600, way[3:], 1)[0]
theory = 0.5 * np.sqrt(g * alpha * (warm - cold) * H)
mixing = (reference_potential_energy(section()) - before) / (hours[-1] * 3600)

print(f"front              {speed:.3f} m/s    half of sqrt(g' H) = {theory:.3f} m/s")
print(f"growth of the RPE  {mixing:.2e} W/m2")
print(
    f"temperature        {section().min():.1f} to {section().max():.1f} degC, from {cold} to {warm}"
)

if len(sys.argv) > 2:
    from fathom.plots.style import new_panels, styled

    @styled
    def picture():
        figure, axes = new_panels(1, 1, 7.4, 2.3)
        shades = axes.pcolormesh(
            y / 1e3,
            -(np.arange(20) + 0.5) * H / 20,
            section(),
            cmap="RdYlBu_r",
            vmin=cold,
            vmax=warm,
        )
        for side in (-1, 1):
            axes.axvline(
                (L / 2 + side * theory * hours[-1] * 3600) / 1e3, color="black", linestyle=":"
            )
        axes.set(
            title=f"Temperature after {hours[-1]} hours; dotted: half of √(g′ H)",
            xlabel="y [km]",
            ylabel="height [m]",
        )
        figure.colorbar(shades, ax=axes, label="°C")
        return figure

    picture(path=sys.argv[2])
