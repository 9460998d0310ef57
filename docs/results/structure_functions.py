"""Structure functions of background errors: the results of `fathom background` and `fathom cycle`,
as a figure.

    python docs/results/structure_functions.py runs/osse/background-learned.nc \\
        --first runs/osse/background.nc --path structure.png

Correlation with distance and variance by degree of the wind, before (--first, broken lines) and
after the estimate from departures; correlation between levels; and the response to one datum of
surface pressure at 45 N, whose error is as large as that of the background, with its wind. Prints
the length of each part, (-2 C / laplace C)^1/2 at distance 0, and the wind next to the datum over
the geostrophic one.
"""

import argparse

import numpy as np

from fathom.assimilation import Cost, Slot, lanczos, observed
from fathom.assimilation.balance import AirBackground, Errors
from fathom.base import earth, mpi
from fathom.grids.levels import SigmaLevels
from fathom.grids.transform import SphericalHarmonics
from fathom.plots.colours import colour_map
from fathom.plots.style import new_panels, styled

names = {
    "stream_function": "stream function",
    "velocity_potential": "velocity potential",
    "mass": "unbalanced temperature",
}
colours = {"stream_function": "#1b6ca8", "velocity_potential": "#2a7f3f", "mass": "#c1440e"}


def correlation(covariance, angle):
    """Of C_n at distances [rad]: sum (2 n + 1) C_n P_n(cos) over that at 0."""
    n = np.arange(len(covariance))
    series = (2 * n + 1) * covariance
    return np.polynomial.legendre.legval(np.cos(angle), series) / series.sum()


def length(covariance):
    """(-2 C / laplace C)^1/2 at distance 0 [m] (Daley 1991)."""
    n = np.arange(len(covariance))
    series = (2 * n + 1) * covariance
    return np.sqrt(2 * series.sum() / (series * n * (n + 1)).sum()) * earth.RADIUS


def wind_by_degree(errors, level):
    """Variance of a component of the wind by degree [m2 s-2]."""
    both = errors.stream_function[:, level, level] + errors.velocity_potential[:, level, level]
    n = np.arange(len(both))
    return (2 * n + 1) * n * (n + 1) / (2 * earth.RADIUS**2) * both


def response(errors, transform, levels):
    """Increment of one datum of surface pressure at 45 N, 180 E, of twice its error: ln p_s, wind
    of the lowest level (rows, points), and the geostrophic northward wind there."""
    L = AirBackground(transform, errors)
    number = errors.balance.shape[1]
    H = observed.columns(transform, number, np.array([180.0]), np.array([45.0]), ("pressure",))
    variance = H.apply(L.apply(L.adjoint(H.adjoint(np.ones(1)))))
    cost = Cost(L, [Slot(2 * np.sqrt(variance), variance, H)])
    fields = L.waves.fields(lanczos(cost, iterations=5, tolerance=1e-12).increment)
    u, v, T, pi = np.split(fields, [number, 2 * number, 3 * number])
    reference = mpi.core.hybrid_reference(list(map(float, levels.a)), list(map(float, levels.b)))
    gamma = np.reshape(reference["gamma"], (number, number))
    phi = np.tensordot(gamma, T, 1) + 287.0 * 280.0 * pi
    slope, _ = transform.gradient(transform.direct(phi))
    f = 2 * earth.ROTATION * np.sin(np.radians(transform.latitude))
    with np.errstate(divide="ignore"):
        geostrophic = slope[-1] / f[:, None]
    return pi[0], u[-1], v[-1], geostrophic


@styled
def picture(errors, first, level, transform, levels, told):
    figure, axes = new_panels(2, 2, 9.5, 7)
    pressure = 500 * (np.asarray(levels.b)[1:] + np.asarray(levels.b)[:-1])
    km = np.linspace(0, 5000, 200)
    for given, style in ((first, "--"), (errors, "-")):
        if given is None:
            continue
        for name, label in names.items():
            C = getattr(given, name)[:, level, level]
            axes[0, 0].plot(km, correlation(C, 1e3 * km / earth.RADIUS), style,
                            color=colours[name], label=label if style == "-" else None)  # fmt: skip
        wind = wind_by_degree(given, level)
        axes[0, 1].semilogy(np.arange(1, len(wind)), wind[1:], style, color="#1b6ca8")
    axes[0, 0].axhline(0, color="0.7", linewidth=0.7)
    axes[0, 0].legend(frameon=False)
    axes[0, 0].set(title=f"correlation, {pressure[level]:.0f} hPa", xlabel="distance [km]")
    axes[0, 1].set(title="variance of the wind [m²/s²]", xlabel="degree", ylim=(1e-4, None))
    between = np.einsum("n,nkl->kl", 2 * np.arange(len(errors.mass)) + 1.0, errors.stream_function)
    size = np.sqrt(np.diagonal(between))
    shown = axes[1, 0].pcolormesh(pressure, pressure, between / np.outer(size, size),
                                  cmap=colour_map("balance"), vmin=-1, vmax=1)  # fmt: skip
    axes[1, 0].invert_xaxis()
    axes[1, 0].invert_yaxis()
    axes[1, 0].set(title="stream function between levels", xlabel="hPa", ylabel="hPa")
    figure.colorbar(shown, ax=axes[1, 0])
    pi, u, v, _ = told
    longitude, most = np.arange(transform.shape[1]) * 360 / transform.shape[1], 1e3 * abs(pi).max()
    shown = axes[1, 1].pcolormesh(longitude, transform.latitude, 1e3 * pi, shading="gouraud",
                                  cmap=colour_map("balance"), vmin=-most, vmax=most)  # fmt: skip
    axes[1, 1].quiver(
        longitude,
        transform.latitude,
        u,
        v,
        pivot="mid",
        scale=18 * np.hypot(u, v).max(),
        width=0.004,
    )
    axes[1, 1].set(xlim=(140, 220), ylim=(15, 75), xlabel="longitude", ylabel="latitude",
                   title="one datum of pressure: pressure [hPa], wind")  # fmt: skip
    figure.colorbar(shown, ax=axes[1, 1])
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--first", help="covariances before departures, for comparison")
    parser.add_argument("--level", type=int, default=4)
    parser.add_argument("--path", default="structure.png")
    options = parser.parse_args()
    errors = Errors.read(options.file)
    first = Errors.read(options.first) if options.first else None
    transform = SphericalHarmonics(len(errors.mass) - 1)
    levels = SigmaLevels(errors.balance.shape[1])
    told = response(errors, transform, levels)
    for name, label in names.items():
        of = [getattr(e, name)[:, options.level, options.level] for e in (first, errors) if e]
        print(f"{label:24}" + "".join(f"{length(C) / 1e3:8.0f} km" for C in of))
    _, _, v, geostrophic = told
    row = int(np.argmin(np.abs(transform.latitude - 45)))
    at = int(np.argmax(np.abs(geostrophic[row])))
    print(
        f"wind next to the datum over the geostrophic one: {v[row, at] / geostrophic[row, at]:.2f}"
    )
    picture(errors, first, options.level, transform, levels, told, path=options.path)


if __name__ == "__main__":
    main()
