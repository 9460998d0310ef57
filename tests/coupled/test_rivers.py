"""Rivers and icebergs: each kilogram that runs off is on its way or in the sea; where it comes to;
refusals; the same bits on any ranks, and continued.
"""

import numpy as np
import pytest

import fathom as fm
import river_run
from fathom.coupled.rivers import ICE, ICE_HEAT, STORE, WATER

air = fm.GaussianGrid(10, levels=fm.SigmaLevels(2))
sea = fm.LatitudeLongitudeGrid(
    nx=36, ny=17, latitude=(-85, 85), bathymetry="etopo5", levels=fm.ZLevels(nz=3, depth=4000)
)
area = {"air": np.asarray(air.areas[0]), "sea": np.asarray(sea.areas[0])}


@pytest.fixture(scope="module")
def rivers():
    return fm.Rivers(air, sea, "1d")


def into_sea(rivers, name):
    return float((rivers[name] * area["sea"]).sum())


def test_every_kilogram_is_stored_or_in_the_sea(rivers):
    """Also negative ones: of a runoff with both signs that changes each step."""
    rng = np.random.default_rng(2)
    came = gone = size = 0.0
    begin = rivers.stored
    land = rivers.land_area.reshape(area["air"].shape)
    for _ in range(40):
        rivers["runoff_flux"] = rng.standard_normal(land.shape) * 1e-5
        runs_off = rivers["runoff_flux"] * land * rivers.time_step
        rivers.advance()
        came += runs_off.sum()
        size += np.abs(runs_off).sum()
        gone += into_sea(rivers, WATER) * rivers.time_step
    assert abs(rivers.stored - begin - came + gone) < 1e-13 * size
    assert not rivers[WATER][np.asarray(sea.wet_levels) == 0].any()
    assert 1.4e14 < land.sum() < 1.9e14  # the earth's: 1.49e14, and narrow seas


def test_one_cell_drains_as_a_chain_of_stores(rivers):
    """Water in the cell at a mouth leaves it as exp(-t / tau), that of the cell above into it."""
    ways = rivers.ways
    mouth = int(rivers.mouths[0])
    above = np.flatnonzero(np.isin(ways.next, rivers.mouths))[0]
    rivers["runoff_flux"] = 0.0
    rivers[STORE] = 0.0
    rivers[STORE][mouth] = 1e9
    rivers.advance()
    stays = np.exp(-86400 * 0.35 / ways.length[mouth])
    assert rivers[STORE][mouth] == pytest.approx(1e9 * stays, rel=1e-12)
    assert into_sea(rivers, WATER) * 86400 == pytest.approx(1e9 * (1 - stays), rel=1e-12)
    rivers[STORE] = 0.0
    rivers[STORE][above] = 1e9
    rivers.advance()
    stays = np.exp(-86400 * 0.35 / ways.length[above])
    assert rivers[STORE][ways.next[above]] == pytest.approx(1e9 * (1 - stays), rel=1e-12)
    assert into_sea(rivers, WATER) == 0


def test_the_amazon_ends_in_the_atlantic(rivers):
    """Rain on Manaus reaches the sea within 600 km of the mouth, on cells of 10 degrees."""
    rivers["runoff_flux"] = 0.0
    rivers[STORE] = 0.0
    y, x = rivers.ways.places(rivers.ways.cells)
    rivers[STORE][np.argmin(np.hypot(y + 3.1, x - 300.0))] = 1e9
    total = np.zeros(area["sea"].shape)
    for _ in range(100):
        rivers.advance()
        total += rivers[WATER] * area["sea"] * rivers.time_step
    assert total.sum() + rivers.stored == pytest.approx(1e9, rel=1e-12)
    longitude, latitude = sea.coordinates()
    j, i = np.unravel_index(total.argmax(), total.shape)
    assert abs(latitude[j, i]) < 10 and 300 < longitude[j, i] % 360 < 325


def test_ice_goes_to_the_sea_with_its_heat(rivers):
    """Antarctica's evenly between 50 and 70 S, Greenland's around it; the heat by the same map."""
    rivers["calving_flux"] = 1e-6
    rivers["calving_heat_flux"] = -0.334
    rivers.advance()
    calved = 1e-6 * rivers.land_area.sum()
    assert into_sea(rivers, ICE) == pytest.approx(calved, rel=1e-13)
    np.testing.assert_allclose(rivers[ICE_HEAT], rivers[ICE] * -3.34e5, rtol=1e-12)
    latitude = sea.coordinates()[1]
    wet = np.asarray(sea.wet_levels) > 0
    band = wet & (latitude >= -70) & (latitude <= -50)
    southern = air.coordinates()[1] < -50
    own = (1e-6 * rivers.land_area.reshape(southern.shape))[southern].sum()
    # what other land gives, as the tip of America, is more than the even part
    assert rivers[ICE][band].min() == pytest.approx(own / area["sea"][band].sum(), rel=1e-12)


def test_cells_that_the_rivers_call_sea():
    """Land of the air in the open Pacific drains to the nearest mouth, and is not lost."""
    land = np.zeros(area["air"].shape)
    longitude, latitude = air.coordinates()
    land[np.unravel_index(np.hypot(latitude, longitude - 235).argmin(), land.shape)] = 1.0
    rivers = fm.Rivers(air, sea, "1d", land=land)
    rivers["runoff_flux"] = 1e-5
    for _ in range(60):
        rivers.advance()
    assert into_sea(rivers, WATER) == pytest.approx(1e-5 * (land * area["air"]).sum(), rel=1e-6)


@pytest.mark.parametrize(
    "more, message",
    [
        ({"speed": 0}, "speed = 0 m s-1"),
        ({"speed": 1e9}, "allowed: above 0, up to 100"),
        ({"air": "globe"}, "air = 'globe' is no grid"),
        ({"land": "x"}, "no numbers"),
        ({"land": np.zeros((3, 4))}, r"land has \(3, 4\) points, the air's grid"),
        ({"land": np.full(area["air"].shape, 1.5)}, r"land lies in \[1.5, 1.5\]; a share"),
        ({"sea": fm.LatitudeLongitudeGrid(nx=8, ny=8, longitude=(0, 8), latitude=(0, 8),
          levels=fm.ZLevels(nz=2, depth=50), bathymetry=np.zeros((8, 8)))}, "rivers need a sea"),
    ],
)  # fmt: skip
def test_refusals(more, message):
    given = {"air": air, "sea": sea} | more
    with pytest.raises(ValueError, match=message):
        fm.Rivers(**given)


def test_continued_from_its_state(rivers, tmp_path):
    """Four steps are two, written, and two more; the state of other rivers is refused."""
    rng = np.random.default_rng(3)

    def step():
        rivers["runoff_flux"] = rng.random(area["air"].shape) * 1e-5
        rivers.advance()

    step()
    rivers.write_state(tmp_path / "rivers.npz")
    for _ in range(2):
        rivers.advance()
    expected = rivers[STORE].copy()
    rivers[STORE] = 0.0
    rivers.start_from(tmp_path / "rivers.npz")
    for _ in range(2):
        rivers.advance()
    assert np.array_equal(rivers[STORE], expected)
    slab = fm.Program(sea, "1h", {"runoff_flux": "kg m-2 s-1"})
    with pytest.raises(ValueError, match=r"runoff_flux has \(16, 32\) points, this program's has"):
        slab.start_from(tmp_path / "rivers.npz")


@pytest.mark.long
def test_the_same_bits_on_any_ranks_and_continued(on_ranks):
    script, aside = river_run.__file__, 'ranks={"air": 1, "rivers": 1, "sea": 1}'
    whole = on_ranks(1, script, "bits")
    assert whole["water"] > 0
    assert on_ranks(3, script, "bits", aside) == whole
    assert on_ranks(2, script, "continued") == whole
