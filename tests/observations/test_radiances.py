"""Radiances: line by line against pyrtlib, the regression against line by line, tangent, adjoint,
and files of coefficients.
"""

import numpy as np
import pytest

from fathom.assimilation.observations import absorption, microwave, radiances
from fathom.assimilation.observations.operators import Columns


@pytest.fixture(scope="module")
def amsu():
    return radiances.open("microwave")


def scenes(count, seed):
    T, q = radiances.profiles(count, seed)
    rng = np.random.default_rng(seed)
    ps, skin = rng.uniform(6e4, 1.03e5, count), T[-4] + rng.normal(0, 3, count)
    return np.concatenate([T, q, ps[None], skin[None]]).T


def lines_by_line(n, columns, emissivity, secant):
    """The channel's brightness temperature, with the depths of its mean transmittance."""
    L = len(radiances.levels)
    T, q, ps, skin = columns[:, :L].T, columns[:, L : 2 * L].T, columns[:, -2], columns[:, -1]
    depth = radiances.depths(n, T, q, secant)
    p = radiances.levels[:, None]
    part = np.clip((ps - p[:-1]) / (p[1:] - p[:-1]), 0, 1)
    f = np.array([radiances.channels[n][0]])
    return absorption.brightness(f, (depth * part)[None], T, skin, emissivity)[0]


def test_regression(amsu):
    """On profiles that it has not seen, at an angle that it has not seen: 0.02 K for channels of
    temperature, 0.1 K for those of vapour and of the ground.
    """
    columns = scenes(30, 99)
    error = []
    for n in range(len(radiances.channels)):
        exact = lines_by_line(n, columns, 0.9, 1.35)
        assert 130 < exact.min() and exact.max() < 330
        error.append(np.sqrt(np.mean((amsu.apply(columns, n, 0.9, 1.35) - exact) ** 2)))
    assert max(error[radiances.of_temperature]) < 0.02 and max(error) < 0.1


def test_adjoint_and_tangent(amsu):
    rng = np.random.default_rng(4)
    columns = np.repeat(scenes(10, 5), 20, axis=0)
    channel = np.tile(np.arange(8, 28), 10)
    emissivity, secant = rng.uniform(0.5, 1, 200), rng.uniform(1, 1.8, 200)
    L = len(radiances.levels)
    size = np.concatenate([np.full(L, 1.0), 0.1 * columns[0, L : 2 * L], [100, 1]])
    dx, y = rng.normal(size=columns.shape) * size, rng.normal(size=200)
    forward = amsu.tangent(columns, channel, dx, emissivity, secant)
    back = amsu.adjoint(columns, channel, y, emissivity, secant) * dx
    scale = np.abs(forward * y).sum() + np.abs(back).sum()
    assert abs((forward * y).sum() - back.sum()) <= 1e-13 * scale
    left = []
    for e in (1e-2, 1e-3):
        moved = amsu.apply(columns + e * dx, channel, emissivity, secant)
        here = amsu.apply(columns, channel, emissivity, secant)
        left.append(np.abs(moved - here - e * forward).max())
    assert left[1] < 0.02 * left[0] + 1e-10


def test_files(amsu, tmp_path):
    """Text and numbers give the same radiances; the second has less than half of the size."""
    for name in ("a.txt", "a.bin"):
        radiances.write(amsu, tmp_path / name)
    text, binary = (radiances.read(tmp_path / n) for n in ("a.txt", "a.bin"))
    columns = scenes(5, 3)
    np.testing.assert_array_equal(text.apply(columns, 7), binary.apply(columns, 7))
    np.testing.assert_array_equal(amsu.apply(columns, 7), binary.apply(columns, 7))
    assert (tmp_path / "a.bin").stat().st_size < 0.5 * (tmp_path / "a.txt").stat().st_size
    for damaged in (b"", b"values 3\n1\n", (tmp_path / "a.bin").read_bytes()[:-5]):
        (tmp_path / "b.bin").write_bytes(damaged)
        with pytest.raises(ValueError, match="no file of coefficients"):
            radiances.read(tmp_path / "b.bin")
    with pytest.raises(ValueError, match="did you mean 'microwave'"):
        radiances.open("microwabe")


def test_against_pyrtlib():
    """Six standard atmospheres on fine levels, black ground: rms below 0.1 K. Its widths of all
    oxygen lines go with theta, those of the source with theta^0.8: here they go as its do.
    """
    pytest.importorskip("pyrtlib")
    from pyrtlib.climatology import AtmosphericProfiles
    from pyrtlib.tb_spectrum import TbCloudRTE
    from pyrtlib.utils import mr2rh, ppmv2gkg

    f = np.array([50.3, 51.76, 52.8, 53.711, 54.4, 54.94, 55.5, 57.29, 88.2, 89.9, 149.1, 165.5,
                  176.31, 183.31, 190.31])  # fmt: skip
    error = []
    for which in range(6):
        z, p, _, T, gases = AtmosphericProfiles.gl_atm(which)
        x = np.log(p)
        fine = np.interp(np.arange(0, len(p) - 0.99, 1 / 6), np.arange(len(p)), x)
        at = lambda y: np.interp(-fine, -x, y)
        ratio = np.exp(at(np.log(ppmv2gkg(gases[:, 0], 0))))
        z, T, p = at(z), at(T), np.exp(fine)
        rte = TbCloudRTE(z, p, T, mr2rh(p, T, ratio)[0] / 100, f, np.array([90.0]))
        rte.init_absmdl("R98")
        rte.satellite, rte.emissivity = True, 1.0
        theirs = rte.execute().tbtotal.values.astype(float)
        q, T = (1e-3 * ratio / (1 + 1e-3 * ratio))[::-1, None], T[::-1, None]
        depth = absorption.layer_depths(f, 100 * p[::-1], T, q, exponent=1.0)
        error.append(absorption.brightness(f, depth, T, T[-1])[:, 0] - theirs)
    assert np.sqrt(np.mean(np.square(error), axis=0)).max() < 0.1


def columns_of_a_model(n=12, layers=15):
    """Columns of hybrid layers up to 30 hPa, over ground of different pressure."""
    rng = np.random.default_rng(3)
    eta = np.linspace(0, 1, layers + 1)
    a, b = 3e3 + 5e4 * (eta - eta**2), eta**2
    a[-1] = 0
    ps, surface = rng.uniform(7e4, 1.02e5, n), rng.uniform(270, 300, n)
    p = np.exp(microwave.layer_logs(a, b, ps)[0])
    T = np.maximum(surface[:, None] * (p / ps[:, None]) ** 0.19, 210) + rng.normal(0, 1, p.shape)
    q = 8e-3 * (p / 1e5) ** 3
    return Columns(a, b, T, q, T * 0, T * 0, ps, surface, ps * 0)


def scene(columns):
    n = len(columns.skin)
    channel, zenith = np.arange(n) * 3 % 28, np.linspace(0, 55, n)
    return channel, microwave.emissivity(channel, zenith, columns.skin, 0.3), zenith


def test_columns_of_a_model_on_the_levels():
    """Isothermal air stays so up to the highest layer, and is the standard atmosphere far above."""
    made = columns_of_a_model()
    T = np.full_like(made.temperature, 250.0)
    still = Columns(made.a, made.b, T, *(getattr(made, f) for f in (
        "humidity", "east", "north", "surface_pressure", "skin", "ground")))  # fmt: skip
    on_levels = microwave.Seen(still, *scene(still))._on_levels
    p = radiances.levels
    first = np.exp(microwave.layer_logs(made.a, made.b, made.surface_pressure)[0][:, :1])
    assert (np.abs(on_levels[:, : len(p)] - 250)[p > first] < 1e-9).all()
    assert np.abs(on_levels[:, 0] - 222).max() < 2


def test_a_model_is_seen_with_tangent_and_adjoint():
    """Identity of the whole chain, and what is left falls with the square of the change."""
    columns, rng = columns_of_a_model(), np.random.default_rng(5)
    channel, emissivity, zenith = scene(columns)
    seen = lambda state: microwave.Seen(of_state(columns, state), channel, emissivity, zenith)
    here = seen(columns.state)
    layers, alone = np.ones_like(columns.temperature), np.ones((len(channel), 1))
    size = [layers, 0.1 * columns.humidity, 0 * layers, 0 * layers, 200 * alone, alone]
    dx = rng.normal(size=columns.state.shape) * np.concatenate(size, axis=1)
    y = rng.normal(size=len(channel))
    forward, back = here.tangent(dx), here.adjoint(y) * dx
    assert abs(forward @ y - back.sum()) <= 1e-13 * (np.abs(forward * y).sum() + np.abs(back).sum())
    left = [
        np.abs(seen(columns.state + e * dx).apply() - here.apply() - e * forward).max()
        for e in (1e-2, 1e-3)
    ]
    assert left[1] < 0.02 * left[0] + 1e-9


def of_state(columns, state):
    layers = np.split(state[:, :-2], 4, axis=1)
    return Columns(columns.a, columns.b, *layers, *state[:, -2:].T, columns.ground)


def test_surfaces():
    """A calm sea of 290 K emits less than half of a black body at 23.8 GHz, more at 89 GHz."""
    sea = microwave.of_calm_sea(np.array([23.8e9, 89e9]), 290.0, 0.0)
    assert 0.4 < sea[0] < 0.45 and 0.55 < sea[1] < 0.65
    assert microwave.emissivity(np.array([3]), 0, 260.0, 0.0) == microwave.ice
    assert microwave.emissivity(np.array([3]), 40, 280.0, 1.0) == microwave.land
    seen = microwave.index_of([570, 203, 606, 570, 574, 621], np.array([15, 1, 3, 16, 5, 15]))
    assert seen[:4].tolist() == [14, 15, -1, -1]
    assert [radiances.channels[n] for n in seen[4:]] == [
        (183.311, (7.0,), 2000), (57.290344, (0.3222, 0.0045), 3),
    ]  # fmt: skip
