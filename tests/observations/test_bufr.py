"""The decoder of BUFR against what eccodes has encoded, and against damage."""

import numpy as np
import pytest

import bufr_messages
from fathom.assimilation.observations import bufr, ingest, reports
from fathom.assimilation.observations.reasons import code
from fathom.assimilation.observations.variables import kinds
from fathom.base import mpi


def decoded(data, threads=1):
    messages = mpi.core.bufr_index(data)
    rows, problems = bufr.read(data, reports.roles(mpi.core), messages, threads)
    assert not any(problems), problems
    return reports.observations(rows, data, messages)


def values(made, variable):
    return made["value"][made.variable_is(variable)]


def test_station_on_land():
    """Values to the last digit of their scale; wind to its components; the place and the time."""
    made = decoded(bufr_messages.synop(direction=90, speed=4.0))
    assert set(made["kind"]) == {0} and set(made["station"]) == {"11518"}
    assert values(made, "air_temperature") == pytest.approx(275.0, abs=1e-12)
    assert values(made, "surface_air_pressure") == pytest.approx(97340, abs=1e-9)
    assert values(made, "eastward_wind") == pytest.approx(-4.0)
    assert values(made, "northward_wind") == pytest.approx(0, abs=1e-12)
    assert set(made["time"]) == {1542715200} and set(made["height"]) == {365.0}
    assert made["longitude"] == pytest.approx(14.26, abs=1e-9)
    assert (made["error"] > 0).all() and (made["reason"] == 0).all()


@pytest.mark.parametrize("kind", bufr_messages.of_each_kind())
def test_each_kind(kind):
    """Its kind, its place and time, its data in SI units; of radiances instrument and channel."""
    descriptors, given, category, factors, expected = bufr_messages.of_each_kind()[kind]
    given = {"latitude": 40, "longitude": -20, **given}
    time = bufr_messages.noon
    made = decoded(
        bufr_messages.encoded(descriptors, given, category=category, time=time, **factors)
    )
    for name, value in expected.items():
        some = made.taken(made.variable_is(name))
        assert some["value"][0] == pytest.approx(value, abs=1e-9)
        assert {kinds[k] for k in some["kind"]} == {kind} and set(some["time"]) == {1542715200}
        assert (some["latitude"][0], some["longitude"][0]) == (40, -20) and some["station"][0]
    if kind == "amv":
        assert len(made) == 2  # no winds between two images, no first guesses of the height
    if kind == "aircraft":
        assert made["pressure"] == pytest.approx(3e4, rel=1e-3)
    if kind == "radiance":
        assert (made["instrument"][0], made["channel"][0], made["zenith"][0]) == (570, 6, 30)


def test_sounding_drifts():
    """Levels have their own pressures, places and times."""
    message, pressure, temperature = bufr_messages.sounding()
    made = decoded(message)
    t = made.taken(made.variable_is("air_temperature"))
    t = t.taken(np.argsort(t["datum"]))
    assert t["pressure"] == pytest.approx(pressure) and t["value"] == pytest.approx(temperature)
    assert t["longitude"] == pytest.approx(14.45 + 0.02 * np.arange(12))
    assert list(np.diff(t["time"])) == [60] * 11
    assert len(values(made, "eastward_wind")) == 12
    assert values(made, "eastward_wind") == pytest.approx(10 + np.arange(12))


def test_compressed_radiances():
    message, value, given = bufr_messages.radiances()
    made = decoded(message)
    assert len(made) == value.size
    for channel in (1, 7, 15):
        own = made.taken(made["channel"] == channel)
        own = own.taken(np.argsort(own["latitude"]))
        assert own["value"] == pytest.approx(value[channel - 1])
        assert own["latitude"] == pytest.approx(given["latitude"])


def test_quality_information_is_no_data():
    made = decoded(bufr_messages.with_quality())
    assert values(made, "eastward_wind") == pytest.approx(-20)
    assert values(made, "air_temperature") == pytest.approx(230.5)
    assert set(made["pressure"]) == {25000.0} and len(made) == 2


def test_threads_change_nothing():
    data = b"".join(bufr_messages.synop(11500 + n, temperature=270 + 0.1 * n) for n in range(40))
    one, many = decoded(data), decoded(data, threads=3)
    for name in one.column:
        np.testing.assert_array_equal(one[name], many[name])


def test_a_number_of_a_report_is_that_of_its_bytes(tmp_path):
    """Names and order of files, and copies, change nothing."""
    messages = [bufr_messages.synop(11500 + n, temperature=270 + n) for n in range(6)]
    (tmp_path / "a.bufr").write_bytes(b"".join(messages[:4]))
    (tmp_path / "b.bufr").write_bytes(b"xyz".join(messages[::-1]))
    (tmp_path / "z.bufr").write_bytes(b"".join(messages))
    both, _ = ingest.collect([tmp_path / "a.bufr", tmp_path / "b.bufr"])
    once, _ = ingest.collect([tmp_path / "z.bufr"])
    assert len(both) == len(once) == 6 * 5
    for name in once.column:
        np.testing.assert_array_equal(both[name], once[name])


def test_damage_is_counted_and_named(tmp_path):
    """A message cut off, one of a wrong length, one with an unknown element: the rest is kept."""
    good = bufr_messages.synop()
    other = bufr_messages.synop(11520)
    wrong = bytearray(other)
    wrong[6] += 3
    unknown = bytearray(other)
    at = unknown.index(bytes([0xC7, 80]))  # 307080 in section 3
    unknown[at : at + 2] = bytes([0x00, 0xFF])  # 000255
    (tmp_path / "x.bufr").write_bytes(good + bytes(wrong) + bytes(unknown) + good[:-40])
    made, (account,) = ingest.collect([tmp_path / "x.bufr"])
    assert len(made) == 5 and account.parts == 4 and account.damaged == 3
    assert account.problems["cut off"] == 1
    assert account.problems["element 000255 is in no table"] == 1
    assert any("message at byte" in place for place in account.named)


@pytest.mark.parametrize("number", range(3))
def test_no_message_vanishes(tmp_path, number):
    """One whose first bytes are damaged, and one that another swallows by a wrong length."""
    messages = [bytearray(bufr_messages.synop(11500 + n)) for n in range(3)]
    length = len(messages[0])
    messages[number][1] ^= 4
    (tmp_path / "x.bufr").write_bytes(b"TTAA01 bulletin ".join(messages))
    made, (account,) = ingest.collect([tmp_path / "x.bufr"])
    assert (account.parts, account.damaged, len(made)) == (3, 1, 10)
    assert account.problems["its first bytes, BUFR, are damaged"] == 1
    messages[number][1] ^= 4
    if number < 2:
        messages[number][4:7] = (2 * length).to_bytes(3, "big")
        (tmp_path / "x.bufr").write_bytes(b"".join(messages))
        made, (account,) = ingest.collect([tmp_path / "x.bufr"])
        assert (account.parts, account.damaged, len(made)) == (3, 1, 10)
        assert account.problems["wrong length: another message lies in it"] == 1


def test_impossible_places_and_times(tmp_path):
    """What a message can say and no calendar or map has: kept with a reason, never moved."""
    changes = (
        {}, {"longitude": 350}, {"longitude": 450}, {"latitude": 120}, {"day": 0}, {"day": 31},
        {"month": 0}, {"month": 14}, {"hour": 30}, {"minute": 62},
    )  # fmt: skip
    place = {"latitude": 47, "longitude": 7, "airTemperature": 280}
    said = [bufr_messages.noon | place | change for change in changes]
    messages = [bufr_messages.encoded([307080], {k: float(v) for k, v in s.items()}) for s in said]
    (tmp_path / "x.bufr").write_bytes(b"".join(messages))
    made, (account,) = ingest.collect([tmp_path / "x.bufr"])
    assert len(made) == 10 and account.absurd == 8
    used = made.taken(made["reason"] == 0)
    assert sorted(used["longitude"]) == [-10, 7] and set(used["time"]) == {1542715200}


@pytest.mark.parametrize("number", [150, pytest.param(1000, marks=pytest.mark.long)])
def test_damaged_files(tmp_path, number):
    """Bits turned, pieces cut out and put twice: no error, and each message that is lost is
    counted.
    """
    rng = np.random.default_rng(11)
    whole = [
        bufr_messages.synop(), bufr_messages.sounding()[0], bufr_messages.radiances(5, 4)[0],
        bufr_messages.with_quality(),
    ]  # fmt: skip
    data = b"".join(whole)
    path = tmp_path / "damaged.bufr"
    lost = 0
    for n in range(number):
        bytes_ = bytearray(data)
        if n % 3 == 0:
            for at in rng.integers(0, len(bytes_), rng.integers(1, 30)):
                bytes_[at] = rng.integers(256)
        elif n % 3 == 1:
            at, length = rng.integers(0, len(bytes_)), rng.integers(1, 200)
            del bytes_[at : at + length]
        else:
            at, length = rng.integers(0, len(bytes_)), rng.integers(1, 60)
            bytes_[at:at] = bytes_[:length]
        path.write_bytes(bytes_)
        made, (account,) = ingest.collect([path])
        assert np.isfinite(made["value"]).all()
        removed = made["reason"] == code["damaged"]
        assert (np.abs(made["latitude"][~removed]) <= 90).all()
        assert account.absurd == removed.sum()
        lost += account.damaged
    assert lost > number / 2
