"""The double gyre: the currents under a wind with two signs of curl.

In the interior the curl of the wind moves water north or south, beta V = curl(tau) / rho0 (Sverdrup
1947). The water returns in a layer at the western wall, (A / beta)^(1/3) = delta wide, as v
~ exp(-x / 2 delta) sin(sqrt(3) x / 2 delta) (Munk 1950).

    python examples/double_gyre.py [cells] [picture.png]
"""

import sys

import numpy as np

import fathom as fm

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 60

L, H, wind, rho0, beta, A = 2000e3, 4000.0, 0.1, 1026.0, 2e-11, 1e4
delta = (A / beta) ** (1 / 3)

# One layer of water is enough: over a flat bottom the transport does not depend on the layers.
grid = fm.CartesianGrid(nx=cells, ny=cells, extent=(L, L), levels=fm.ZLevels(nz=1, depth=H))
ocean = fm.Ocean(
    grid,
    coriolis=(0.7e-4, beta),
    momentum_advection=None,
    friction=fm.LaplacianFriction(viscosity=A),
    bottom_drag=0,
)
trades_and_westerlies = fm.SurfaceForcing(stress_x=lambda x, y: -wind * np.cos(2 * np.pi * y / L))
sim = fm.Simulation(ocean, time_step="3h", surface=trades_and_westerlies)
sim.advance(150 * 8)  # 150 days: planetary waves cross the basin many times

# Northward transport per metre of width [m2 s-1] through the middle of the southern gyre, and its
# sum from the west [m3 s-1].
h = grid.horizontal
x, y = h.corner_longitude[0, 1:], h.corner_latitude[1:, 0]
V = sim.gather("velocity_y")[0] * H
row = np.abs(y - L / 4).argmin()
psi = np.cumsum(V[row]) * L / cells
interior = (x > 0.6 * L) & (x < 0.8 * L)
sverdrup = -2 * np.pi * wind / L / rho0 / beta * np.sin(2 * np.pi * y[row] / L)


def munk(x):
    """Sverdrup's interior, less the eastern layer, with Munk's boundary layer at the western wall:
    transport [m2 s-1].
    """
    xi = x / delta
    layer = np.exp(-xi / 2) * (np.cos(3**0.5 / 2 * xi) + np.sin(3**0.5 / 2 * xi) / 3**0.5)
    swirl = np.exp(-xi / 2) * np.sin(3**0.5 / 2 * xi) * 2 / 3**0.5 / delta
    return sverdrup * (1 - layer) - sverdrup * (L - delta - x) * swirl


def fastest_and_back(x, V):
    """Where the boundary current is fastest, and where it turns back, in widths delta."""
    V = -V * np.sign(sverdrup)
    top = V.argmax()
    i = top + np.argmax(V[top:] < 0)
    return x[top] / delta, np.interp(0, V[[i, i - 1]], x[[i, i - 1]]) / delta


fine = np.linspace(0, L / 2, 10001)
fastest, back = fastest_and_back(x, V[row])
fastest_munk, back_munk = fastest_and_back(fine, munk(fine))
transport = V[row, interior].mean()
gyre = np.abs(psi).max()

print(f"interior transport {transport:6.2f} m2/s    Sverdrup {sverdrup:.2f} m2/s")
print(
    f"fastest at         {fastest:6.2f} delta   Munk     {fastest_munk:.2f} delta    (delta ="
    f" {delta / 1e3:.0f} km, cells of {L / cells / 1e3:.0f} km)"
)
print(f"turns back at      {back:6.2f} delta   Munk     {back_munk:.2f} delta")
print(
    f"gyre               {gyre / 1e6:6.2f} Sv      Munk    "
    f" {np.abs(np.cumsum(munk(fine)) * fine[1]).max() / 1e6:.2f} Sv"
)

if len(sys.argv) > 2:
    from fathom.plots.style import new_panels, styled

    @styled
    def picture():
        figure, (left, right) = new_panels(1, 2, 7.4, 3.2)
        stream = np.cumsum(V, axis=1) * L / cells / 1e6
        shades = left.contourf(x / 1e3, y / 1e3, stream, np.arange(-28, 29, 4), cmap="RdBu_r")
        left.set(title="Stream function", xlabel="x [km]", ylabel="y [km]", aspect="equal")
        figure.colorbar(shades, ax=left, label="Sv")
        right.plot(x[x < L / 2] / delta, V[row, x < L / 2], "o", label="model")
        right.plot(fine / delta, munk(fine), label="Munk")
        right.axhline(sverdrup, color="grey", linestyle=":", label="Sverdrup")
        right.set(title="Transport at y = 500 km", xlabel="x / δ", ylabel="m² s⁻¹", xlim=(0, 12))
        right.legend()
        return figure

    picture(path=sys.argv[2])
