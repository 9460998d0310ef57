"""Limited areas made periodic: splines against SciPy's formula written out, Boyd windows against
waves and their slopes, streaks and smoothing; both against ecTrans.
"""

import ctypes
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fathom.grids.transform import BiFourier
from fathom.grids.transform.periodic import by_splines, by_windows, window


def weather(nx, ny, seed=3):
    """Something smooth that is not periodic, (2, ny, nx)."""
    random = np.random.default_rng(seed)
    x, y = np.meshgrid(np.linspace(0, 1, nx), np.linspace(0, 1, ny))
    return np.stack(
        [
            sum(
                np.cos(a * x + b * y + c)
                for a, b, c in random.uniform(-6, 6, (5, 3))
            )
            + 3 * x
            - y
            for _ in range(2)
        ]
    )  # fmt: skip


def row_of_notes(row, number):
    """The cubic of one row in the words of Haugen & Machenhauer: M1, M2 second derivatives."""
    n, K = row.size, number - row.size + 1
    slope = (row[0] - row[-1]) / K
    share = K / (K + 1)
    a = 6 * (slope - (row[-1] - row[-2])) / (K + 1)
    b = 6 * ((row[1] - row[0]) - slope) / (K + 1)
    M1 = (2 * a - share * b) / (4 - share**2)
    M2 = (2 * b - share * a) / (4 - share**2)
    j = np.arange(1, number - n + 1)
    first = slope - (2 * M1 + M2) * K / 6
    return np.append(row, row[-1] + j * first + M1 * j**2 / 2 + (M2 - M1) * j**3 / (6 * K))


def test_spline_of_a_row():
    field = weather(37, 30)
    made = by_splines(field, (48, 30), smooth=False)
    assert made.shape == (2, 30, 48) and (made[..., :37] == field).all()
    for row, ours in zip(field.reshape(-1, 37), made.reshape(-1, 48)):
        np.testing.assert_allclose(ours, row_of_notes(row, 48), rtol=0, atol=1e-12)


def test_the_area_itself_stays_and_a_constant_is_exact():
    field = weather(50, 41)
    whole = by_splines(field, (64, 54))
    assert (whole[..., :41, :50] == field).all()
    np.testing.assert_allclose(by_splines(np.full((20, 20), 7.5), (32, 30)), 7.5, rtol=1e-14)
    assert (by_splines(field, (50, 41)) == field).all()  # no extension: nothing to make
    assert by_splines(field.astype(np.float32), (64, 54)).dtype == np.float32


def test_columns_first_gives_the_same_splines():
    """The splines are linear, along x and along y: their order leaves no trace but round-off."""
    field = weather(50, 41)
    turned = by_splines(field.swapaxes(-1, -2), (54, 64), smooth=False).swapaxes(-1, -2)
    np.testing.assert_allclose(by_splines(field, (64, 54), smooth=False), turned, atol=1e-12)


def jumps(number, smooth):
    """Of value and slope at both ends of E, along x, relative to the change of the field."""
    nx = 7 * number
    whole = by_splines(weather(nx + 1, nx + 1), (8 * number, 8 * number), smooth)[0, : nx + 1]
    slope = np.diff(whole, axis=1, append=whole[:, :1]) * nx  # from point i to i + 1
    bend = np.diff(slope, axis=1)
    ends = [nx - 1, 8 * number - 2]
    return np.abs(slope).max() / nx, max(np.abs(bend[:, i]).max() for i in ends)


@pytest.mark.parametrize("smooth", [False, True])
def test_value_and_slope_go_on_at_the_seams(smooth):
    """Twice the points: half the step of the value from one point to the next, and of the slope."""
    coarse, fine, finest = (jumps(number, smooth) for number in (16, 32, 64))
    for before, after in ((coarse, fine), (fine, finest)):
        assert after[0] < 0.6 * before[0]
        assert after[1] < 0.62 * before[1]


def noise_across(whole, n):
    """Energy of a column within E at the shortest waves, as a share of all but its mean."""
    power = np.abs(np.fft.rfft(whole[..., :, n], axis=-1)) ** 2
    return power[..., power.shape[-1] * 2 // 3 :].sum() / power[..., 1:].sum()


def test_smoothing_leaves_no_streaks():
    """Noise of single points at the edge of the area runs through E as streaks without it."""
    random = np.random.default_rng(1)
    field = weather(61, 64)[0] + 0.1 * random.normal(size=(64, 61))
    streaks, smooth = (by_splines(field, (80, 72), s) for s in (False, True))
    middle = 70
    assert noise_across(smooth, middle) < 1e-3 * noise_across(streaks, middle)
    assert (smooth[:64, :61] == field).all()
    # what E adds along the shortest waves of the whole stays below what the area has
    transform = BiFourier((80, 72), 1e3, grid="linear")
    short = np.hypot(transform.m / 39, transform.n / 35) > 0.7
    energy = lambda whole: (np.abs(transform.direct(whole)[short]) ** 2).sum()
    assert energy(smooth) < energy(streaks)


# ---- windows -------------------------------------------------------------------------------------


def beside(function, inside, points, zone):
    """A function of point numbers along x and y, where windows want it."""
    x, y = (np.arange(n + 2 * (N - n + zone)) - (N - n + zone) for n, N in zip(inside, points))
    return function(x[None, :], y[:, None])


def test_a_window_is_a_blend():
    for number in (1, 11, 30):
        bell = window(number)
        assert ((bell > 0) & (bell < 1)).all() and (np.diff(bell) > 0).all()
        np.testing.assert_allclose(bell + bell[::-1], 1, rtol=1e-14)


@pytest.mark.parametrize("zone", [0, 5])
def test_windows_are_exact_for_what_is_periodic(zone):
    inside, points = (40, 33), (54, 45)
    wave = lambda x, y: (
        np.cos(2 * np.pi * (3 * x / 54 - 2 * y / 45)) + 0.3 * np.sin(2 * np.pi * 7 * x / 54)
    )
    made = by_windows(beside(wave, inside, points, zone), inside, points, zone)
    exact = wave(np.arange(54)[None, :], np.arange(45)[:, None])
    np.testing.assert_allclose(made, exact, atol=1e-13)


def test_windows_change_only_their_zone():
    inside, points, zone = (40, 33), (54, 45), 5
    tilted = lambda x, y: 0.1 * x + np.exp(0.05 * y)
    given = beside(tilted, inside, points, zone)
    made = by_windows(given, inside, points, zone)
    own = tilted(np.arange(40)[None, :], np.arange(33)[:, None])
    assert (made[5:28, 5:35] == own[5:28, 5:35]).all()
    assert not np.allclose(made[:33, :40], own)
    untouched = by_windows(beside(tilted, inside, points, 0), inside, points)
    assert (untouched[:33, :40] == own).all()


def slope_error(number, method):
    """Largest error of the slope along x in the middle of an area, of bi-Fourier transforms, where
    the field is a wave that does not fit and the area half of the whole.
    """
    points, inside = (number, 30), (number // 2, 20)
    k = 2 * np.pi * 2.37 / number
    wave = lambda x, y: np.sin(k * x + 0.4) + 0 * y
    if method == "windows":
        made = by_windows(beside(wave, inside, points, 0), inside, points)
    else:
        made = by_splines(wave(np.arange(inside[0])[None, :], np.zeros((20, 1))), points)
    transform = BiFourier(points, 1.0, grid="linear")
    slope = transform.gradient(transform.direct(made))[0]
    core = slice(number // 8, number * 3 // 8)
    exact = k * np.cos(k * np.arange(number) + 0.4)
    return np.abs(slope[10, core] - exact[core]).max() / k


def test_windows_are_spectrally_accurate():
    """Twice the points: an error that shrinks by more each time; splines gain a power."""
    windows = [slope_error(number, "windows") for number in (48, 96, 192)]
    splines = [slope_error(number, "splines") for number in (48, 96, 192)]
    gains = [before / after for before, after in pairwise(windows)]
    assert gains[1] > gains[0] > 20 and windows[-1] < 1e-8
    assert splines[-1] > 100 * windows[-1]


# ---- ecTrans -------------------------------------------------------------------------------------


def ectrans(name):
    """A routine of ecTrans in Fortran, called with whole numbers, arrays, None."""
    package = pytest.importorskip("ectrans4py")
    folder = Path(package.__file__).parent / "lib64"
    routine = getattr(ctypes.CDLL(str(folder / "libectrans_etrans_dp.so")), name)

    def call(*given):
        held = [
            None
            if one is None
            else np.atleast_1d(one).astype(np.int32)
            if np.ndim(one) == 0
            else one
            for one in given
        ]
        routine(*(None if one is None else one.ctypes.data_as(ctypes.c_void_p) for one in held))

    return call


def test_splines_are_those_of_ectrans(monkeypatch):
    """Where E is as wide along x and y: otherwise its columns take a weight of its rows."""
    monkeypatch.setenv("DR_HOOK_NOT_MPI", "1")
    field = np.random.default_rng(0).normal(size=(43, 49))
    theirs = np.zeros(54 * 60)
    theirs[: field.size] = field.ravel()
    none = (None,) * 4
    ectrans("fpbipere_dp_")(49, 43, 60, 54, 1, theirs.size, theirs, 0, *none)
    np.testing.assert_allclose(by_splines(field, (60, 54)), theirs.reshape(54, 60), atol=1e-13)


@pytest.mark.parametrize("inside, points", [((40, 33), (54, 45)), ((40, 33), (45, 48))])
def test_smoothing_is_that_of_ectrans(monkeypatch, inside, points):
    monkeypatch.setenv("DR_HOOK_NOT_MPI", "1")
    field = np.random.default_rng(0).normal(size=inside[::-1])
    theirs = by_splines(field, points, smooth=False)
    (nx, ny), (NX, NY) = inside, points
    ectrans("__esmoothe_mod_dp_MOD_esmoothe")(1, NX, 1, NY, nx, ny, 1, NX, 1, NY, 1, theirs, 1, 1)
    np.testing.assert_allclose(by_splines(field, points), theirs, atol=1e-13)


def test_windows_are_those_of_ectrans(monkeypatch):
    monkeypatch.setenv("DR_HOOK_NOT_MPI", "1")
    inside, points, zone, before = (40, 31), (54, 45), 5, 19
    field = np.random.default_rng(0).normal(size=(31 + 2 * before, 40 + 2 * before))
    theirs, widths = field.copy(), np.array([0, 0, zone, 0, 0, zone], np.int32)
    ectrans("fpbipere_dp_")(
        *inside, *points, 1, theirs.size, theirs, 0, None, 1, widths, np.array([2.0])
    )
    i, j = (np.arange(zone, N + zone) for N in points)
    ours = by_windows(field, inside, points, zone)[np.ix_(j % 45, i % 54)]
    np.testing.assert_allclose(ours, theirs[np.ix_(j + before, i + before)], atol=1e-14)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda: by_splines(np.zeros((20, 20)), (16, 30)), "20 points along x cannot be made 16"),
        (lambda: by_splines(np.zeros((1, 20)), (30, 30)), "at least 2"),
        (lambda: by_windows(np.zeros((20, 20)), (20, 20), (30, 30)), "40 rows of 40"),
        (lambda: by_windows(np.zeros((9, 9)), (9, 9), (9, 9), 5), "at least 11"),
        (lambda: by_windows(np.zeros((9, 9)), (9, 9), (9, 9), 0, -1.0), "more than 0"),
    ],
)
def test_what_cannot_be(wrong, said):
    with pytest.raises(ValueError, match=said):
        wrong()
