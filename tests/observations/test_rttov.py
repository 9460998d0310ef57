"""RTTOV's coefficients as text, and its operator by the door, with a small stand-in for pyrttov: no
package index has the real one.
"""

import os
import sys
import types

import numpy as np
import pytest

from fathom.assimilation.observations import plugged, rttov, rttov_coefficients
from fathom.base.failure import FileError, InputError

channels, levels = 15, 4


def coefficient(gas, predictor, layer, channel):
    return 100 * gas + 10 * predictor + layer + 0.001 * channel


def text(version):
    """A file of two gases; predictors of the fast model of that version."""
    split = version > 9
    counts = ["2  2  1" if split else f"2  2  {levels}", "3  3  0" if split else f"3  3  {levels}"]
    lines = [
        " ! RTTOV coefficient file", "IDENTIFICATION", " !",
        "   1 15  3         ! platform sat_id instrument", " noaa-15", " mw", " 13  ! version",
        " made by a test", " 2018 03 07",
        " ! ---------", "LINE-BY-LINE", " !", " of nothing 1.0", " ! ---------",
        "FAST_MODEL_VARIABLES", " !", " RTTOV7   ! fast model name", f" {version}",
        f" {channels}  ! channels", *([f" {levels}"] if split else []), " 2 ! gases", " 0", " 0",
        " Mixed_gases  ! gas", counts[0], " Water_vapour", counts[1],
        "FILTER_FUNCTIONS", " !",
        *(f" {c} 1 {c + 0.5} 0.1 1.0 0.0" for c in range(1, channels + 1)),
        "FUNDAMENTAL_CONSTANTS", " 1.19104D-05 1.438777", " 833.0",
        "FASTEM", " !", " ".join("1" for _ in range(channels)),
        "REFERENCE_PROFILE", " !",
    ]  # fmt: skip
    for gas in range(2):
        lines += [f" ! {gas}"]
        lines += [f" {10.0**k} {200.0 + 10 * k} {gas + 0.5} 0.0" for k in range(levels)]
    lines += ["FAST_COEFFICIENTS", " !"]
    for gas, (name, n) in enumerate((("Mixed_gases", 2), ("Water_vapour", 3))):
        order = [(p, k, c) for c in range(channels) for k in range(levels - 1) for p in range(n)]
        if not split:
            order = [
                (p, k, c) for p in range(n) for c in range(channels) for k in range(levels - 1)
            ]
        lines += [name, *(f" {coefficient(gas, *at):.6E}" for at in order)]
        if split and not gas:
            lines += [" 7.0" for _ in range(channels * (levels - 1))]
    return "\n".join([*lines, "END", ""])


@pytest.mark.parametrize("version", [7, 13])
def test_a_file(version, tmp_path):
    """Both orders of the numbers, and the binary copy, which goes with the text."""
    path = tmp_path / "rtcoef.dat"
    path.write_text(text(version))
    first = rttov_coefficients.read(path)
    assert (tmp_path / "rtcoef.dat.npz").is_file()
    for found in (first, rttov_coefficients.read(path), rttov_coefficients.read(path, cache=False)):
        assert found.identity == (1, 15, 3) and found.name == "noaa-15" and found.sensor == "mw"
        assert found.model == version and list(found.gases) == ["Mixed_gases", "Water_vapour"]
        np.testing.assert_array_equal(found.channels, np.arange(1, channels + 1))
        np.testing.assert_allclose(found.wavenumber, found.channels + 0.5)
        np.testing.assert_allclose(found.pressure, [1, 10, 100, 1000])
        np.testing.assert_allclose(found.temperature, [200, 210, 220, 230])
        for gas, held in enumerate(found.gases.values()):
            c, k, p = np.indices(held.fast.shape)
            np.testing.assert_allclose(held.fast, coefficient(gas, p, k, c), rtol=1e-6)
            np.testing.assert_allclose(held.reference, gas + 0.5)
        assert found.gases["Mixed_gases"].correction.size == channels * 3 * (version > 9)
    path.write_text(text(version).replace("noaa-15", "noaa-16"))
    os.utime(path, ns=(1, 1))
    assert rttov_coefficients.read(path).name == "noaa-16"


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda t: t[:-400], "FAST_COEFFICIENTS has 1.* numbers, .* belong there"),
        (lambda t: t.replace("FILTER_FUNCTIONS", "FILTERS"), "no section FILTER_FUNCTIONS"),
        (lambda t: t.replace(" 15  ! channels", " many"), "'many' where a whole number belongs"),
        (lambda t: "GRIB", "no section IDENTIFICATION"),
    ],
)
def test_a_file_that_is_none(change, message, tmp_path):
    path = tmp_path / "rtcoef.dat"
    path.write_text(change(text(7)))
    with pytest.raises(FileError, match=message):
        rttov_coefficients.read(path)


class Model:
    """A stand-in: Bt of channel c is a weighted mean of T, less humidity, the surface, and a term
    of the pressure of the levels."""

    def __init__(self):
        self.Options, self.Profiles = types.SimpleNamespace(), None

    def loadInst(self):
        assert self.FileCoef.endswith(".dat") and self.Options.LgradP

    def parts(self):
        p = self.Profiles
        weight = np.exp(-((np.log(p.P) - 5) ** 2))[:, None] * (1 + np.arange(channels))[:, None]
        return p, weight

    def runDirect(self):
        p, weight = self.parts()
        self.Bt = np.sum(weight * p.T[:, None], 2) - 1e3 * np.sum(p.Q, 1)[:, None]
        self.Bt = self.Bt + (0.3 * p.Skin[:, 0] + 0.2 * p.S2m[:, 1] + 0.01 * p.S2m[:, 0])[:, None]

    def runK(self):
        p, weight = self.parts()
        shape = weight.shape
        self.TK, self.QK = weight, np.full(shape, -1e3)
        self.PK = weight * p.T[:, None] * (-2 * (np.log(p.P) - 5) / p.P)[:, None]
        self.S2mK, self.SkinK = np.zeros((*shape[:2], 6)), np.zeros((*shape[:2], 9))
        self.S2mK[..., 0], self.S2mK[..., 1], self.SkinK[..., 0] = 0.01, 0.2, 0.3


class Empty:
    def __init__(self, profiles, levels):
        self.size = profiles, levels


@pytest.fixture
def pyrttov(monkeypatch):
    made = types.SimpleNamespace(Rttov=Model, Profiles=Empty)
    monkeypatch.setitem(sys.modules, "pyrttov", made)
    monkeypatch.setattr(plugged, "_own", {})


def test_by_the_door(pyrttov, tmp_path):
    """The dot test of `register` holds; other instruments and channels are not seen."""
    path = tmp_path / "amsua.dat"
    path.write_text(text(13))
    own = rttov.Rttov({"AMSU-A": path})
    plugged.register("rttov", own)
    profiles = plugged.standard_profiles(own)
    seen = own.equivalents(profiles)
    made = own._model(570)[0].Profiles
    assert np.isfinite(seen).all() and made.GasUnits == 1 and made.SurfType[0].tolist() == [1, 1]
    np.testing.assert_allclose(made.S2m[:, 0], 1000.0)  # hPa
    profiles.datum["instrument"][0], profiles.datum["channel"][1] = 203, 16
    seen = own.equivalents(profiles)
    assert np.isnan(seen[:2]).all() and np.isfinite(seen[2:]).all()
    slopes = plugged.slopes(own, profiles)
    assert not slopes[:2].any() and slopes[2:].any(axis=1).all()


def test_refused(pyrttov, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="unknown instrument 'AMSUA'; did you mean 'AMSU-A'"):
        rttov.Rttov({"AMSUA": "a.dat"})
    with pytest.raises(InputError, match="needs its coefficients .*none.dat: no such file"):
        plugged.register("rttov", rttov.Rttov({"AMSU-A": "none.dat"}))
    path = tmp_path / "amsua.dat"
    path.write_text(text(7))
    monkeypatch.setitem(sys.modules, "pyrttov", None)
    with pytest.raises(InputError, match="needs pyrttov, which is built with RTTOV"):
        plugged.register("rttov", rttov.Rttov({"AMSU-A": path}))
