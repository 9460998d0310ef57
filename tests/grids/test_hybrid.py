"""Vertical operators of hybrid levels: identities of Simmons & Burridge, vertical modes."""

import numpy as np
import pytest

from fathom.base.mpi import core


def levels(number, top=0.0):
    b = np.linspace(0, 1, number + 1) ** 1.3
    a = 1e5 * (np.linspace(top, 1, number + 1) - b) * np.linspace(1, 0, number + 1)
    return a, b


@pytest.mark.parametrize("number, top", [(8, 0), (30, 0), (30, 0.002), (60, 0.001)])
def test_modes(number, top):
    a, b = levels(number, top)
    r = core.hybrid_reference(a.tolist(), b.tolist())
    B, thickness = np.reshape(r["matrix"], (number, number)), np.asarray(r["thickness"])
    weighted = thickness[:, None] * B
    assert (
        abs(weighted - weighted.T).max() < 1e-12 * abs(weighted).max()
    )  # energy of linear motion is conserved
    speed = np.asarray(r["speed_squared"])
    assert (speed > 0).all() and (np.diff(speed) < 0).all()
    assert 340 < np.sqrt(speed[0]) < 380  # Lamb wave: sqrt(gamma R T_r) = 375 m/s
    E, inverse = (np.reshape(r[n], (number, number)) for n in ("from_modes", "to_modes"))
    assert abs(E @ inverse - np.eye(number)).max() < 1e-10
    assert abs(E @ np.diag(speed) @ inverse - B).max() < 1e-10 * abs(B).max()
    assert np.allclose(np.sort(np.linalg.eigvals(B).real)[::-1], speed, rtol=1e-9)


def test_pressure_must_grow():
    with pytest.raises(ValueError, match="grow downward"):
        core.hybrid_reference([0.0, 0.0, 0.0], [0.0, 0.6, 0.5])
