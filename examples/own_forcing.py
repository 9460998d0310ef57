"""Your own forcing: an hourly wind in a NetCDF file sets the sea in motion.

A gust lasts some hours; then only the rotation of the earth acts on the surface current, and the
current turns once in 2 pi / f. The file is CF: a time with dates, units, and a standard name by
which the wind stress is found. Any interval is read in the same way, and interpolated to the steps
of the model.

    python examples/own_forcing.py [hours] [picture.png]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import xarray as xr

import fathom as fm

hours = int(sys.argv[1]) if len(sys.argv) > 1 else 96
f, n = 1e-4, 8

# The file: stress at the points of the model. For a globe it would have dimensions (time, latitude,
# longitude), on any grid.
path = Path(tempfile.mkdtemp()) / "gust.nc"
time = np.datetime64("2000-01-01", "ns") + np.arange(hours + 1) * np.timedelta64(1, "h")
gust = 0.5 * np.exp(-(((np.arange(hours + 1) - 6) / 2) ** 2))
stress = xr.DataArray(
    gust[:, None, None] * np.ones((n, n)),
    dims=("time", "y", "x"),
    coords={"time": time},
    attrs={"standard_name": "surface_downward_eastward_stress", "units": "N m-2"},
)
stress.to_dataset(name="tauuoe").to_netcdf(path)

# The sea: uniform, so that there is no pressure gradient; periodic along x.
grid = fm.CartesianGrid(
    nx=n,
    ny=n,
    extent=(800e3, 800e3),
    periodic=True,
    levels=fm.ZLevels(nz=5, depth=500, spacing="uniform"),
)
ocean = fm.Ocean(
    grid,
    coriolis=(f, 0),
    friction=None,
    bottom_drag=0,
    vertical_mixing=fm.ConstantMixing(viscosity=0, diffusivity=0),
)
sim = fm.Simulation(
    ocean, time_step="15min", surface=fm.SurfaceForcing(stress_eastward=str(path))
).prepare()

u, v = np.zeros((2, 4 * hours))
for step in range(4 * hours):
    sim.advance(1)
    u[step], v[step] = (
        sim.gather(name)[0, n // 2, n // 2] - sim.gather(name)[-1, n // 2, n // 2]
        for name in ("velocity_x", "velocity_y")
    )

calm = slice(4 * 14, None)
t = np.arange(1, 4 * hours + 1) * 900.0
turned = np.polyfit(t[calm], np.unwrap(np.arctan2(v[calm], u[calm])), 1)[0]
period, theory = -2 * np.pi / turned / 3600, 2 * np.pi / f / 3600
print(
    f"the current turns to the right once in {period:.2f} h; 2 pi / f = {theory:.2f} h; its speed"
    f" is {np.hypot(u, v)[calm].mean():.2f} m/s"
)

if len(sys.argv) > 2:
    from fathom.plots.style import new_panels, styled

    @styled
    def picture():
        figure, (above, below) = new_panels(2, 1, 7.4, 4.6, sharex=True, height_ratios=[1, 2])
        above.plot(np.arange(hours + 1), gust, "o-", markersize=3, color="0.4")
        above.set_ylabel("stress [N m⁻²]")
        for values, label in ((u, "eastward"), (v, "northward")):
            below.plot(t / 3600, values, label=label)
        below.set(xlabel="hours", ylabel="current, top against bottom [m s⁻¹]", xlim=(0, hours))
        below.legend(loc="upper right", frameon=False)
        return figure

    picture(path=sys.argv[2])
