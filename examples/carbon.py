"""Carbon, oxygen and a spring bloom.

A column of the sea in spring: wind above it, light from the sun, an ecosystem of four pools (NPZD).
Plants take up nitrate and, in Redfield's ratio, carbon; they give oxygen. Less carbon in the water
means less carbon dioxide: its pressure falls below that of the air, and the sea takes it up. What
dies sinks and becomes nitrate and carbon again in the dark, out of reach of the air.

    python examples/carbon.py [days] [picture]
"""

import sys
import tempfile

import numpy as np

import fathom as fm

days = int(sys.argv[1]) if len(sys.argv) > 1 else 60
folder = tempfile.mkdtemp()

# Five by four equal columns, 20 layers of 10 m.
levels = fm.ZLevels(nz=20, depth=200, spacing="uniform")
grid = fm.CartesianGrid(nx=5, ny=4, extent=(50e3, 40e3), periodic=True, levels=levels)
pools = ["nutrient", "phytoplankton", "zooplankton", "detritus"]

sea = fm.Ocean(
    grid,
    coriolis=(1e-4, 0),
    vertical_mixing="KPP",
    friction=fm.LaplacianFriction(viscosity=100.0),
    tracers=[
        *(fm.PassiveTracer(name, units="mmol m-3") for name in pools),
        fm.Carbon(carbon_dioxide=420.0),  # of the air [1e-6]
        fm.Alkalinity(),
        fm.Oxygen(),
    ],
    reactions=["NPZD", "RedfieldCarbon", "RedfieldOxygen"],
)
sea.set(
    temperature=lambda x, y, depth: 10 - depth / 50 + 0 * x,
    salinity=35.0,
    nutrient=8.0,
    phytoplankton=0.1,
    zooplankton=0.05,
    dissolved_inorganic_carbon=2120.0,
    alkalinity=2310.0,
    oxygen=280.0,
)
spring = fm.SurfaceForcing(wind_speed=7.0, stress_x=0.08, shortwave_flux=180.0, heat_flux=60.0)
simulation = fm.Simulation(sea, "30min", surface=spring, directory=folder, overwrite=True)
surface = ["spco2", "phos", "fgco2"]
simulation.output("surface.nc", surface, every="1d", dtype="float64")
simulation.output("flux.nc", ["fgco2"], every="1d", statistic="mean", dtype="float64")
simulation.output("pools.nc", ["phytoplankton", "oxygen"], every="1d")
simulation.prepare()


def carbon():
    """All carbon of a square metre [mol]: dissolved, and in the pools."""
    content = simulation.fields.content
    organic = sum(content(name) for name in pools[1:])
    return (content("dissolved_inorganic_carbon") + 6.625 * organic) * 1e-3 / (50e3 * 40e3)


before = carbon()
simulation.run(f"{days}d", report=False)

with fm.open(simulation.directory / "surface.nc") as data:
    pressure = data.spco2.mean(["y", "x"]).values[1:]  # the first record is before the first step
    acidity = data.phos.mean(["y", "x"]).values[1:]
with fm.open(simulation.directory / "flux.nc") as data:
    uptake = float(data.fgco2.mean()) * days * 86400 * 1e-3  # mol m-2
with fm.open(simulation.directory / "pools.nc") as data:
    bloom = data.phytoplankton.isel(depth=0).mean(["y", "x"]).values

gained = carbon() - before
carbon_left_over = (gained - uptake) / before
print(
    f"phytoplankton up to {bloom.max():.1f} mmol m-3; pressure of carbon dioxide from"
    f" {pressure[0]:.0f} to {pressure[-1]:.0f} uatm, pH from {acidity[0]:.2f} to {acidity[-1]:.2f};"
    f" {uptake:.2f} mol m-2 came from the air, {gained:.2f} are in the sea"
)

if len(sys.argv) > 2:
    from fathom.plots.colours import colour_map
    from fathom.plots.style import new_figure, styled

    @styled
    def picture():
        figure = new_figure(9, 5)
        axes = figure.subplots(2, 1, sharex=True)
        time = np.arange(1, days + 1)
        axes[0].plot(time, pressure, color=colour_map("deep")(0.7))
        axes[0].axhline(420 * 0.988, color="grey", lw=0.8)
        axes[0].set_ylabel("µatm")
        axes[0].set_title("carbon dioxide in the surface; grey: in the air", loc="left")
        axes[1].plot(np.arange(len(bloom)), bloom, color="green")
        axes[1].set_ylabel("mmol m$^{-3}$")
        axes[1].set_title("phytoplankton at the surface", loc="left")
        axes[1].set_xlabel("days")
        figure.savefig(sys.argv[2])

    picture()
