"""Times of records and units: months of any calendar, instants, repeated and calendar years, where
records end; what numbers in one unit are in another.
"""

import math
import pickle

import pytest

from fathom.base.clock import Clock
from fathom.base.instants import TimeAxis, always, months
from fathom.base.units import conversion

day = 86400.0


@pytest.mark.parametrize("calendar, february", [("standard", 29), ("noleap", 28), ("360_day", 30)])
def test_months_are_as_long_as_the_calendar_has_them(calendar, february):
    clock, january = Clock("2000-02-01", calendar), 30 if calendar == "360_day" else 31
    assert months.bracket(clock, 0.0) == (0, 1, -january * day / 2, february * day / 2)
    assert months.bracket(clock, february * day / 2) == (
        1,
        2,
        february * day / 2,
        (february + january / 2) * day,
    )
    before, after, t0, t1 = months.bracket(clock, -40 * day)  # in December of the year before
    assert (before, after) == (11, 0) and t1 == -january * day / 2 and t1 - t0 == january * day
    assert (
        months.coverage(clock) == (-math.inf, math.inf)
        and pickle.loads(pickle.dumps(months)) == months
    )


def days_of(year, leap=False):
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return [(year, m + 1, d + 1, 0.0) for m, length in enumerate(lengths) for d in range(length)]


def test_days_of_a_repeated_year():
    daily, clock = TimeAxis(days_of(1999), repeated=True), Clock("2000-02-28")
    assert daily.bracket(clock, 0.0) == (
        58,
        59,
        0.0,
        2 * day,
    )  # over the day that the records do not have
    assert daily.bracket(Clock("2001-12-31 12:00"), 0.0) == (364, 0, -day / 2, day / 2)
    leap = TimeAxis(days_of(2000, leap=True), repeated=True)
    assert leap.bracket(Clock("2001-02-28"), 3600.0) == (
        58,
        60,
        0.0,
        day,
    )  # 29 February falls on 1 March, whose record is taken
    assert leap.bracket(Clock("2001-03-01"), day) == (61, 62, day, 2 * day)


def test_the_first_year():
    """Of a calendar without a year 0."""
    assert months.bracket(Clock("0001-01-01"), 0.0) == (11, 0, -15.5 * day, 15.5 * day)


def test_hours_of_a_leap_day():
    """Left out where the calendar lacks it: 1 March is its own."""
    hours = [
        (*moment[:3], h * 3600.0) for moment in days_of(2000, leap=True) for h in (0, 6, 12, 18)
    ]
    assert TimeAxis(hours, repeated=True).bracket(Clock("2001-02-28 20:00", "noleap"), 0.0) == (
        4 * 59 - 1,
        4 * 60,
        -2 * 3600.0,
        4 * 3600.0,
    )


def test_records_that_lack():
    """A file of a year that is missing, in means and instants."""
    for year, ends in ((2003, days_of(2003)), (2003, None)):
        begin = days_of(2001) + days_of(year)
        axis = TimeAxis(
            begin, ends and [*begin[1:365], (2002, 1, 1, 0.0), *begin[366:], (2004, 1, 1, 0.0)]
        )
        with pytest.raises(
            ValueError,
            match=(
                "there are no records between 200[12].* and 2003-01-01 00:00:00: is a file missing"
            ),
        ):
            axis.coverage(Clock("2001-01-01"))


def test_records_of_calendar_years_end():
    instants = TimeAxis([(2001, 1, 1, 0.0), (2001, 1, 1, 21600.0), (2001, 1, 1, 43200.0)])
    clock = Clock("2001-01-01")
    assert instants.bracket(clock, 7 * 3600) == (1, 2, 21600.0, 43200.0)
    assert instants.bracket(clock, 43200.0) == (2, 2, 43200.0, math.inf) and instants.coverage(
        clock
    ) == (
        -21600.0,
        64800.0,
    )  # the last holds for an interval more
    with pytest.raises(
        ValueError,
        match=(
            r"the records are of 2000-12-31 18:00:00 to 2001-01-01 18:00:00, not of 2001-01-02"
            r" 00:00:00; repeated_year = true"
        ),
    ):
        instants.bracket(clock, day)
    means = TimeAxis([(2001, 1, 1, 0.0), (2001, 1, 2, 0.0)], [(2001, 1, 2, 0.0), (2001, 1, 3, 0.0)])
    assert means.coverage(clock) == (0.0, 2 * day)
    assert [means.bracket(clock, t * day) for t in (0.25, 0.5, 1.75)] == [
        (0, 0, 0.0, day / 2),
        (0, 1, day / 2, 1.5 * day),
        (1, 1, 1.5 * day, math.inf),
    ]
    assert always.bracket(clock, 1e9) == (0, 0, 0.0, math.inf)


def test_times_that_cannot_be():
    with pytest.raises(
        ValueError, match="its times do not increase: 2001-01-01 00:00 comes after 2001-01-02 06:00"
    ):
        TimeAxis([(2001, 1, 2, 21600.0), (2001, 1, 1, 0.0)])
    two = TimeAxis(days_of(2001) + days_of(2002))
    with pytest.raises(ValueError, match="more than a year: which year is repeated"):
        TimeAxis(two.begin, repeated=True)
    chosen, first = two.year(2002)
    assert chosen.repeated and len(chosen) == 365 == first
    with pytest.raises(ValueError, match="repeated_year = 2003: the records are of 2001 to 2002"):
        two.year(2003)


@pytest.mark.parametrize(
    "given, wanted, number, becomes",
    [
        ("K", "degC", 300.0, 26.85),
        ("degrees_C", "degC", 5.0, 5.0),
        ("celsius", "K", 0.0, 273.15),
        ("hPa", "Pa", 1013.0, 101300.0),
        ("mm/day", "kg m-2 s-1", 86400.0, 1.0),
        ("m s**-1", "kg m-2 s-1", 1e-6, 1e-3),
        ("kg m**-2 s**-1", "kg m-2 s-1", 3.0, 3.0),
        ("W/m2", "W m-2", 2.0, 2.0),
        ("g kg-1", "kg kg-1", 5.0, 0.005),
        ("%", "1", 50.0, 0.5),
        ("psu", "1e-3", 35.0, 35.0),
        ("1", "1e-3", 35.0, 35.0),
        ("dyn cm-2", "N m-2", 1.0, 0.1),
        ("kg m-3", "mg m-3", 1e-6, 1.0),
        ("W m^-2 K^-1", "W m-2 K-1", -40.0, -40.0),
        ("degrees_celsius", "degC", 5.0, 5.0),
        ("C", "K", 0.0, 273.15),
        ("degK", "degC", 300.0, 26.85),
        ("Pascals", "Pa", 7.0, 7.0),
        ("millibars", "Pa", 1.0, 100.0),
        ("Watts/m^{2}", "W m-2", 2.0, 2.0),
        ("(0 - 1)", "1", 0.5, 0.5),
        ("percent", "1", 50.0, 0.5),
        ("meter/sec", "m s-1", 2.0, 2.0),
        ("kg kg-1", "1e-3", 0.035, 35.0),
        ("cal cm-2 day-1", "W m-2", 1.0, 41868 / 86400),
        ("m of water equivalent", "m", 2.0, 2.0),
        ("kts", "m s-1", 36.0, 18.52),
    ],
)
def test_units(given, wanted, number, becomes):
    factor, offset = conversion(given, wanted)
    assert number * factor + offset == pytest.approx(becomes, rel=1e-12)


@pytest.mark.parametrize(
    "given, wanted, message",
    [
        ("J m-2", "W m-2", "'J m-2' has not the dimension of 'W m-2'"),
        ("hPas", "Pa", "'hPas' is not a unit that is known here; did you mean 'hPa'"),
        ("0", "1", "not a unit"),
        ("10^999", "1", "not a unit"),
        ("m", "degC", "has not the dimension"),
        ("days since 2000-01-01", "s", "has not the dimension"),
        ("W ?", "W m-2", "is not a unit"),
    ],
)
def test_units_that_do_not_fit(given, wanted, message):
    with pytest.raises(ValueError, match=message):
        conversion(given, wanted)
