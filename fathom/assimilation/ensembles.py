"""Background errors of the day from an ensemble of analyses, and its next window.

    x'_i = x_i - mean,    L = [(1 - w)^1/2 L_s, w^1/2 Ensemble(x', C^1/2)]     (Hybrid, maps.py)

Each member of the ensemble of data assimilations has a separate background, and the data with new
random errors; the spread of the members is that of the errors (Isaksen et al. 2010). At large
distances covariances of the members are sampling noise. The localisation C is the correlation of
Gaspari and Cohn along the sphere and in ln p, one for wind, temperature and ln p_s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fathom.assimilation.maps import Ensemble, LinearMap, Vector
from fathom.assimilation.spectral import Fields, SpectralRoot, correlation_spectrum, root_of
from fathom.assimilation.variational import Analysis, Seen, Window
from fathom.base.failure import InputError
from fathom.grids.transform import SphericalHarmonics


def gaspari_cohn(ratio: np.ndarray) -> np.ndarray:
    """Returns a correlation that is 0 from ratio = 2 on (Gaspari & Cohn 1999, eq. 4.10)."""
    r = np.abs(np.asarray(ratio, float))
    near = 1 + r**2 * (-5 / 3 + r * (5 / 8 + r * (0.5 - 0.25 * r)))
    far = 4 - 5 * r + r**2 * (5 / 3 + r * (5 / 8 + r * (-0.5 + r / 12)))
    far = far - 2 / (3 * np.maximum(r, 1))
    return np.where(r <= 1, near, np.where(r < 2, far, 0.0))


class AirLocalisation(LinearMap):
    """C^1/2: from its control to a state (wind, temperature, ln p_s and, if moist, humidity) of a
    Gaussian grid.

    length [m]: half the distance at which it becomes 0; depth: the same in ln p; pressure [Pa] of
    the layers.
    """

    def __init__(
        self, transform: SphericalHarmonics, pressure: np.ndarray, length: float, depth: float,
        moist: bool = False,
    ) -> None:  # fmt: skip
        if not (length > 0 and depth > 0):
            raise InputError(f"a localisation of {length} m and {depth}: both must be positive")
        spectrum = correlation_spectrum(
            transform.truncation, lambda angle: gaspari_cohn(angle * transform.radius / length)
        )
        x = np.log(np.asarray(pressure, float))
        self.root = SpectralRoot(
            transform, spectrum, root_of(gaspari_cohn((x[:, None] - x) / depth))
        )
        self.fields, self.inside, self.moist = Fields(self.root), transform.inside, moist

    @property
    def controls(self) -> int:
        """Returns length of its control."""
        return self.root.controls

    def apply(self, x: Vector) -> Vector:
        weight = self.fields.apply(self.root.apply(x))
        weight = weight.reshape(-1, *self.inside.shape)[:, self.inside]
        moist = [weight] if self.moist else []
        return np.concatenate([weight, weight, weight, weight[-1:], *moist]).ravel()

    def adjoint(self, y: Vector) -> Vector:
        levels, given = self.root.levels, y.reshape(-1, int(self.inside.sum()))
        ends = [levels, 2 * levels, 3 * levels, 3 * levels + 1]
        u, v, T, pi, q = np.split(given, ends)
        weight = np.zeros((levels, *self.inside.shape))
        weight[:, self.inside] = u + v + T + (q if self.moist else 0)
        weight[-1][self.inside] += pi[0]
        return self.root.adjoint(self.fields.adjoint(weight.ravel()))


def background_of(members: np.ndarray, localisation: AirLocalisation | None = None) -> Ensemble:
    """Returns L of states (N, n) of one time."""
    perturbations = members - members.mean(axis=0)
    return Ensemble(perturbations, localisation, localisation.controls if localisation else 1)


def inflated(members: np.ndarray, factor: float) -> np.ndarray:
    """Returns states (N, n) with their spread times a factor about their mean."""
    mean = members.mean(axis=0)
    result: np.ndarray = mean + factor * (members - mean)
    return result


def perturbed(seen: Mapping[int, Seen], random: np.random.Generator) -> dict[int, Seen]:
    """Returns the data with errors drawn again."""
    return {n: s.drawn(random) for n, s in sorted(seen.items())}


def analysed(
    window: Window,
    members: np.ndarray,
    seen: Mapping[int, Seen],
    random: Callable[[int], np.random.Generator],
) -> list[Analysis]:
    """Returns the window analysed by each of the members (N, n) with its own data; random(i): of
    member i, so that none depends on the others."""
    return [window.analyse(x, perturbed(seen, random(i))) for i, x in enumerate(members)]
