"""Screening: artificial errors are found, good data are kept, and the order of data does not
matter."""

import numpy as np
import pytest

from fathom.assimilation.observations import quality, screening
from fathom.assimilation.observations.base import Observations, by_kind_and_reason
from fathom.assimilation.observations.blacklist import Rule
from fathom.assimilation.observations.reasons import code
from fathom.assimilation.observations.reports import with_errors
from networks import network

noon = 1542715200


def sounding(report=1, levels=20, **changed):
    """A hydrostatic sounding of a straight profile in ln p: temperatures and heights."""
    p = np.geomspace(1e5, 2e4, levels)
    T = 288 + 60 * np.log(p / 1e5) / np.log(5)
    z = np.append(0, np.cumsum(287.0597 / 9.80665 * 0.5 * (T[1:] + T[:-1]) * -np.diff(np.log(p))))
    made = Observations(
        report=np.full(2 * levels, report), datum=np.arange(2 * levels),
        kind=np.full(2 * levels, "temp"), station=np.full(2 * levels, f"{report:05d}"),
        time=np.full(2 * levels, noon), longitude=np.full(2 * levels, 10.0 + report),
        latitude=np.full(2 * levels, 50.0), pressure=np.tile(p, 2),
        variable=np.repeat(["air_temperature", "geopotential_height"], levels),
        value=np.concatenate([T, z]),
    )  # fmt: skip
    for name, values in changed.items():
        made[name] = values
    return with_errors(made)


def why(data):
    return [int(r) for r in data["reason"]]


def test_limits_of_place_time_and_value():
    """A time at the end of a window belongs to the next."""
    n = 6
    data = with_errors(
        Observations(
            report=np.arange(n), kind=np.full(n, "synop"), station=[str(k) for k in range(n)],
            time=noon + np.array([0, -1, 3600, 0, 0, 0]),
            longitude=[10, 11, 12, 200 - 360, 14, 15.0], latitude=[50, 50, 50, 50, 91, 50],
            variable=np.full(n, "air_temperature"), value=[280, 280, 280, 280, 280, 372.2],
        )
    )  # fmt: skip
    removed = screening.screen(
        data, screening.Settings(window=(noon, noon + 3600), region=(0, 40, 30, 70))
    )
    domain, window, gross = (
        code[n] for n in ("outside the domain", "outside the window", "gross limits")
    )
    assert why(data) == [0, window, window, domain, domain, gross]
    assert removed["outside the window"] == 2


@pytest.mark.parametrize(
    "region, inside",
    [((170, -170, -10, 10), 2), ((170, 190, -10, 10), 2), ((-170, 170, -10, 10), 3),
     ((-180, 180, -10, 10), 5), ((0, 360, -10, 10), 5), ((-10, 20, -10, 10), 3)],
)  # fmt: skip
def test_a_region_across_the_date_line(region, inside):
    n = 5
    data = with_errors(
        Observations(
            report=np.arange(n), kind=np.full(n, "synop"), station=[str(k) for k in range(n)],
            time=np.full(n, noon), longitude=[-175, 178, -5, 0, 15.0], latitude=np.zeros(n),
            variable=np.full(n, "air_temperature"), value=np.full(n, 280.0),
        )
    )  # fmt: skip
    screening.screen(data, screening.Settings(region=region))
    assert (data["reason"] != code["outside the domain"]).sum() == inside


def test_good_soundings_stay_whole():
    data = sounding()
    screening.screen(data)
    assert data.used.all()


def test_height_that_is_wrong():
    """500 m at one level: that level goes, its neighbours stay."""
    data = sounding()
    data["value"][20 + 8] += 500
    screening.screen(data)
    bad = np.flatnonzero(data["reason"] == code["hydrostatic"])
    assert list(bad) == [8, 28]


def test_steep_level():
    """A temperature 12 K too cold is hotter below than air can be."""
    data = sounding(levels=40).taken(np.arange(40))  # only temperatures
    data["value"][15] -= 12
    screening.screen(data)
    assert list(np.flatnonzero(data["reason"] == code["lapse rate"])) == [15]


def test_sounding_that_fails_at_many_levels():
    data = sounding()
    data["background_departure"] = 0.1
    data["background_departure"][4:8] = 40
    other = sounding(2)
    other["background_departure"] = 0.1
    other["background_departure"][[4, 6, 8, 10]] = 40  # not neighbours
    for made, gone in ((data, 16), (other, 0)):
        removed = screening.screen(made)
        assert removed["first guess"] == 4 and removed["multi-level"] == gone


def test_winds_go_together():
    data = sounding().taken(np.arange(2))
    data["variable"] = [4, 5]
    data["pressure"] = 5e4
    data["value"] = [10, 5]
    data["background_departure"] = [40, 0]
    screening.screen(data)
    assert why(data) == [code["first guess"]] * 2


def test_duplicates_keep_the_complete_report():
    a = sounding(levels=1).taken(np.array([0]))
    a["kind"], a["pressure"] = 0, np.nan
    full = Observations(**{n: np.repeat(v, 2) for n, v in a.column.items()})
    full["report"], full["datum"] = 9, [0, 1]
    full["variable"], full["value"] = [0, 6], [281, 1e5]
    data = Observations(**{n: np.append(a[n], full[n]) for n in a.column})
    screening.screen(data)
    assert why(data) == [code["duplicate"], 0, 0]
    turned = data.taken(np.array([2, 1, 0]))
    turned["reason"] = 0
    screening.screen(turned)
    assert why(turned) == [0, 0, code["duplicate"]]


def test_thinning_keeps_the_datum_next_to_the_centre():
    rng = np.random.default_rng(1)
    n = 2000
    data = with_errors(
        Observations(
            report=rng.permutation(n), kind=np.full(n, "radiance"), station=np.full(n, "4"),
            time=np.full(n, noon + 60), longitude=rng.uniform(-20, 20, n),
            latitude=rng.uniform(-20, 20, n), channel=np.full(n, 5),
            variable=np.full(n, "toa_brightness_temperature"), value=np.full(n, 250.0),
        )
    )  # fmt: skip
    data["longitude"] += np.arange(n) * 1e-9
    settings = screening.Settings(boxes={"radiance": (500, 1e9, 180)})
    screening.screen(data, settings)
    kept = data.used.sum()
    assert 64 <= kept <= 110  # 40 by 40 degrees in boxes of 4.5
    other = data.taken(rng.permutation(n))
    other["reason"] = 0
    screening.screen(other, settings)
    assert set(other["report"][other.used]) == set(data["report"][data.used])


def test_planted_errors():
    """Of gross errors of eight deviations at least 95 % are caught by all checks together, of good
    data at most 1 % is lost; each datum has one reason.
    """
    net = network(600, gross=30)
    data = net.observations()
    removed = screening.screen(data)
    caught, lost = ~data.used[net.wrong], ~data.used[~net.wrong]
    assert caught.mean() >= 0.95 and lost.mean() <= 0.01
    assert sum(removed.values()) == (~data.used).sum()
    assert sum(by_kind_and_reason(data).values()) == 600


def test_order_of_data_is_nothing():
    net = network(400, gross=20)
    data = net.observations()
    turned = data.taken(np.random.default_rng(4).permutation(400))
    for some in (data, turned):
        screening.screen(some, screening.Settings(threads=2))
    a, b = data.sorted(), turned.sorted()
    np.testing.assert_array_equal(a["report"], b["report"])
    np.testing.assert_array_equal(a["reason"], b["reason"])


def test_blacklist_is_a_step():
    data = network(30).observations()
    rule = Rule("north", "latitude > 50", -np.inf, np.inf)
    removed = screening.screen(data, screening.Settings(rules=[rule]))
    assert removed["blacklist"] == (data["latitude"] > 50).sum() > 0


def test_what_was_not_compared_is_not_used():
    """Data of other times than the model's: only where others have departures."""
    data = network(30).observations()
    data["background_departure"][:4] = np.nan
    assert screening.screen(data)["no equivalent"] == 4 == (data["reason"] == 8).sum()
    data = network(30).observations()
    data["background_departure"] = np.nan
    assert screening.screen(data)["no equivalent"] == 0


def test_costs_of_quality_control():
    """J' = W z; Huber's is convex; the flat one ends flat; both quadratic for small z."""
    z = np.linspace(-8, 8, 1601)
    for of in (quality.huber, quality.flat):
        cost, weight = of(z)
        assert np.gradient(cost, z)[2:-2] == pytest.approx((weight * z)[2:-2], abs=3e-3)
        assert cost[800] == pytest.approx(0, abs=1e-12)
    assert (np.diff(quality.huber(z)[0], 2) > -1e-12).all()
    assert quality.flat(8.0)[1] < 1e-8 < quality.huber(8.0)[1] == 1.5 / 8


def test_bad_settings():
    for given, said in (
        ({"window": (5, 5)}, "holds no time"),
        ({"region": (0, 10, 50, 40)}, "holds no place"),
        ({"limit": -1}, "limit = -1"),
        ({"boxes": {"planes": (1, 1, 1)}}, "a box of thinning for 'planes'"),
    ):
        with pytest.raises(ValueError, match=said):
            screening.Settings(**given)


def test_nothing_to_screen():
    assert sum(screening.screen(Observations(value=[])).values()) == 0


def test_tracks_of_an_altimeter_lose_their_mean():
    """Two tracks of one satellite and one of another, each with its own bias; an extreme datum
    has no weight; a second time changes nothing.
    """
    random, n = np.random.default_rng(5), 90
    track = np.arange(n) // 30
    departure = np.array([0.5, -0.3, 0.2])[track] + 0.03 * random.standard_normal(n)
    departure[7] = 30.0
    made = Observations(
        report=np.arange(n), kind=np.full(n, "altimeter"), station=np.where(track < 2, "a", "b"),
        time=1542672000 + 2 * np.arange(n) + 6000 * track, longitude=0.3 * np.arange(n),
        latitude=0.5 * (np.arange(n) % 30), value=np.zeros(n), background_departure=departure,
        variable=np.full(n, "sea_surface_height_above_geoid"), error=np.full(n, 0.05),
        error_final=np.full(n, 0.05),
    )  # fmt: skip
    settings = screening.Settings(boxes={})
    removed = screening.screen(made, settings)
    d = made["background_departure"].copy()
    assert removed["first guess"] == 1 and made["reason"][7] == code["first guess"]
    assert all(abs(d[(track == t) & made.used].mean()) < 1e-12 for t in range(3))
    screening.screen(made, settings)
    np.testing.assert_allclose(made["background_departure"], d, atol=1e-12)
