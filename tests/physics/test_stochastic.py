"""Stochastic physics: random numbers by their definition, patterns as sums of spherical harmonics,
and what they do to a step.
"""

import numpy as np
import pytest
from scipy.special import gammaln, lpmv

import fathom as fm
from fathom.base import earth
from fathom.base.failure import InputError

radius = earth.RADIUS


def philox(counter, key):
    """Philox 4x32-10 as Salmon et al. (2011) write it."""
    c, k, word = list(counter), list(key), 0xFFFFFFFF
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & word, (a >> 32) ^ c[3] ^ k[1], a & word]
        k = [(k[0] + 0x9E3779B9) & word, (k[1] + 0xBB67AE85) & word]
    return c


def normals(counter, key):
    x = philox(counter, key)
    u, v = (((hi << 20 | lo >> 12) + 0.5) * 2.0**-52 for hi, lo in (x[:2], x[2:]))
    r = np.sqrt(-2 * np.log(u))
    return r * np.cos(2 * np.pi * v), r * np.sin(2 * np.pi * v)


def air(folder, stochastic=(), **more):
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(6))
    model = fm.SpectralAtmosphere(grid, physics=[fm.HeldSuarez()], stochastic=stochastic)
    model.set(air_temperature=lambda x, y, p: 290 - 40 * np.sin(np.radians(y)) ** 2 + 0 * x * p)
    model.set(eastward_wind=lambda x, y, p: 15 * np.cos(np.radians(y)) + 0 * x * p)
    return fm.Simulation(model, "30min", directory=folder, overwrite=True, **more)


def test_random_numbers_are_those_of_their_definition():
    """A known answer of Random123, and the waves of the first step."""
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    one = fm.Backscatter(seed=7, first=1)
    one.on(4, radius, None)
    pattern, (_, sizes) = one.pattern(1800.0), one.spectra()[0]
    for member in (0, 5):
        pattern.member = member
        waves = np.reshape(pattern.waves(0), (-1, 2))
        place = 3 * 4 // 2 + 2  # n = 3, m = 2
        found = np.array(normals([0, 0, 0, place], [7, member])) * sizes[3]
        assert np.allclose(waves[place], found, rtol=1e-12)


def test_a_pattern_is_stationary_and_counts_its_steps_again():
    """Variance and correlation in time, over many members; later steps do not depend on the way."""
    scales = [{"length": 2e6, "time": "6h", "deviation": 0.5}]
    one, other = (fm.PerturbedTendencies(scales=scales, seed=3) for _ in range(2))
    for each in (one, other):
        each.on(10, radius, None)
    pattern, series = one.pattern(3600.0), []
    for member in range(200):
        pattern.member = member
        series.append([pattern.waves(step) for step in (0, 6, 12)])
    x = np.array(series)
    n = np.repeat(np.arange(11), 2 * np.arange(1, 12))  # of each wave
    assert np.allclose((x**2).sum(axis=2).mean(axis=0), 0.25, rtol=0.1)
    assert x[..., n == 0].max() == 0
    apart = (x[:, 0] * x[:, 1]).sum() / (x[:, 0] ** 2).sum()
    assert abs(apart - np.exp(-1)) < 0.05
    again = other.pattern(3600.0)
    again.member = 199
    assert np.array_equal(again.waves(12), x[-1, -1])


def test_fields_are_the_sum_of_their_waves(tmp_path):
    """The pattern against Legendre functions of SciPy; the energy of the wind by Parseval."""
    scatter = fm.Backscatter(seed=2)
    s = air(tmp_path, [fm.PerturbedTendencies(seed=1), scatter])
    s.advance(1)
    field = s.gather("tendency_pattern")[0]
    waves = np.reshape(s.model.stochastic[0].pattern(1800.0).waves(0), (-1, 2))
    longitude, latitude = map(np.radians, s.model.grid.coordinates())
    total, place = np.zeros(field.shape), 0
    for n in range(11):
        for m in range(n + 1):
            size = (2 * n + 1) * (1 if m == 0 else 2)
            size *= np.exp(gammaln(n - m + 1) - gammaln(n + m + 1))
            P = np.sqrt(size) * (-1) ** m * lpmv(m, n, np.sin(latitude))
            if place < len(waves):
                c, d = waves[place]
                total += P * (c * np.cos(m * longitude) + d * np.sin(m * longitude))
            place += 1
    assert np.abs(total).max() > 0.1
    assert np.allclose(field, total, atol=1e-12)
    u, v = (s.gather(f"{way}_backscatter")[0] for way in ("eastward", "northward"))
    area = np.broadcast_to(np.asarray(s.model.grid.areas[0]), u.shape)
    energy = np.average(u**2 + v**2, weights=area)
    waves = np.reshape(scatter.pattern(1800.0).waves(0), (-1, 2))
    n = np.repeat(np.arange(11), np.arange(1, 12))[: len(waves)]
    assert np.isclose(energy, (n * (n + 1) * (waves**2).sum(axis=1)).sum() / radius**2, rtol=1e-9)


def test_no_deviation_changes_nothing_and_a_member_has_its_own(tmp_path):
    none = [{"length": 5e5, "time": "6h", "deviation": 0}]
    plain = air(tmp_path / "plain")
    still = air(tmp_path / "still", [fm.PerturbedTendencies(scales=none)])
    for one in (plain, still):
        one.advance(4)
    assert still.checksum() == plain.checksum()
    parts = [fm.PerturbedTendencies(), fm.Backscatter(rate=1e-4)]
    many = air(tmp_path / "many", parts, ensemble=fm.Ensemble(3))
    many.run("3h", report=False, progress=False)
    sums = many.members.checksums()
    assert len({*sums, plain.checksum()}) == 4
    begun = air(tmp_path / "again", parts, ensemble=fm.Ensemble(2))
    begun.run("2h", report=False, progress=False)
    begun.run("1h", report=False, progress=False)
    assert begun.members.checksums() == sums[:2]


def test_what_does_not_go_is_refused_in_one_line():
    with pytest.raises(InputError, match="unknown key of a scale 'size'"):
        fm.PerturbedTendencies(scales=[{"length": 1e6, "time": "6h", "size": 1}])
    with pytest.raises(InputError, match="must fall"):
        fm.PerturbedTendencies(ground=[0.8, 0.9])
    with pytest.raises(InputError, match="Backscatter: rate = -1"):
        fm.Backscatter(rate=-1)
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(6))
    with pytest.raises(InputError, match="stochastic: .*PerturbedTendencies"):
        fm.SpectralAtmosphere(grid, stochastic=[fm.HeldSuarez()])
