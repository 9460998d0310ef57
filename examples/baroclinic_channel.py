"""Baroclinic instability of a sheared current in thermal wind balance.

Warm water is south of cold water, and the Coriolis force on the sheared current balances the slope.
A small wave gets energy from the current and grows as exp(sigma t). Eady (1949) finds sigma = 0.31
f/N dU/dz for the fastest wave, which is 3.9 N H / f long, between distant walls.

    python examples/baroclinic_channel.py [cells] [picture.png]
"""

import sys

import numpy as np

import fathom as fm

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 32

f, N, shear, H, g, alpha = 1e-4, 2e-3, 4e-4, 1000.0, 9.80616, 2e-4
k = 1.61 * f / (N * H)  # wave number of the fastest growing wave
L = 2 * np.pi / k  # one wave fits into the channel

grid = fm.CartesianGrid(
    nx=cells,
    ny=cells,
    extent=(L, L),
    periodic=True,
    levels=fm.ZLevels(nz=cells // 2, depth=H, spacing="uniform"),
)
ocean = fm.Ocean(
    grid,
    coriolis=(f, 0),
    equation_of_state=fm.LinearEquationOfState(thermal_expansion=alpha),
    tracer_advection=fm.UpwindAdvection(),
    vertical_mixing=fm.ConstantMixing(viscosity=1e-5, diffusivity=0),
    friction=None,
    diffusion=None,
    bottom_drag=0,
)
# Thermal wind: g alpha dT/dy = -f dU/dz; the surface balances the current at the top.
ocean.set(
    temperature=lambda x, y, depth: (
        10
        - (N**2 * depth + f * shear * (y - L / 2)) / (g * alpha)
        + 1e-3 * np.sin(k * x) * np.sin(np.pi * y / L)
    ),
    velocity_x=lambda x, y, depth: shear * (H / 2 - depth) + 0 * x,
    sea_surface_height=lambda x, y: -f * shear * H / 2 * (y - L / 2) / g + 0 * x,
)
sim = fm.Simulation(ocean, time_step=28800 / cells).prepare()

# Only the wave has flow across the channel: its amplitude is the root mean square of v.
days, amplitude = np.arange(0.5, 20.5, 0.5), []
for _ in days:
    sim.advance(3 * cells // 2)
    amplitude.append(np.sqrt((sim.gather("velocity_y") ** 2).mean()))
linear = (days >= 6) & (days <= 12)
growth = np.polyfit(days[linear], np.log(amplitude)[linear], 1)[0]

# Eady's growth rate between walls: the wave number across the channel is l = pi / L.
K = np.hypot(k, np.pi / L)
half = K * N * H / f / 2
eady = shear * f / N * k / K * np.sqrt((1 / np.tanh(half) - half) * (half - np.tanh(half))) * 86400
unbounded = 0.31 * f / N * shear * 86400
finite = eady / np.sqrt(1 + (shear / N) ** 2)  # correction for finite Ri = 25 (Stone 1966)

print(f"growth of the wave         {growth:.3f} a day")
print(
    f"Eady, between these walls  {eady:.3f} a day, with Ri = {(N / shear) ** 2:.0f}: {finite:.3f}"
)
print(f"Eady, 0.31 f/N dU/dz       {unbounded:.3f} a day")

if len(sys.argv) > 2:
    from fathom.plots.style import new_panels, styled

    @styled
    def picture():
        figure, (left, right) = new_panels(1, 2, 7.4, 3.2)
        h = grid.horizontal
        shades = left.contourf(
            h.center_longitude / 1e3,
            h.center_latitude / 1e3,
            sim.gather("temperature")[0],
            20,
            cmap="RdYlBu_r",
        )
        left.set(
            title=f"Surface, {days[-1]:.0f} days",
            xlabel="x [km]",
            ylabel="y [km]",
            aspect="equal",
        )
        figure.colorbar(shades, ax=left, label="°C")
        right.semilogy(days, amplitude, "o", label="model")
        right.semilogy(
            days,
            np.exp(finite * (days - 9)) * np.interp(9, days, amplitude),
            label="Eady, between walls",
        )
        right.set(title="rms of v", xlabel="days", ylabel="m s⁻¹", ylim=(1e-4, 1))
        right.legend()
        return figure

    picture(path=sys.argv[2])
