"""Records of one calendar in a run of another: each date has the record of the same date, and days
that one of both lacks lie between their neighbours.
"""

import datetime

import cftime
import netCDF4
import numpy as np
import pytest

import fathom as fm
from fathom.base.clock import Clock
from fathom.base.failure import InputError
from fathom.data.input.records import Input, Points, Records

units = "hours since 1900-01-01"
places = Points(
    fm.LatitudeLongitudeGrid(nx=6, ny=4, latitude=(-60, 60), levels=fm.ZLevels(nz=1, depth=50))
)


def written(file, calendar, every, said=None):
    """A series from 20 February 2004 for twenty days: 100 x month + day + hour / 100."""
    first = cftime.datetime(2004, 2, 20, calendar=calendar)
    dates = [first + datetime.timedelta(hours=h) for h in range(0, 20 * 24, every)]
    with netCDF4.Dataset(file, "w") as data:
        for name, values in (("lat", np.arange(-75.0, 76, 30)), ("lon", np.arange(0.0, 360, 60))):
            data.createDimension(name, len(values))
            data.createVariable(name, "f8", (name,))[:] = values
        data["lat"].units, data["lon"].units = "degrees_north", "degrees_east"
        data.createDimension("time", None)
        time = data.createVariable("time", "f8", ("time",))
        time.units, time.calendar = units, said or calendar
        time[:] = cftime.date2num(dates, units, calendar)
        flux = data.createVariable("hfds", "f8", ("time", "lat", "lon"))
        flux.units = "W m-2"
        flux[:] = np.array([number(d.month, d.day, d.hour) for d in dates])[:, None, None]
    return file


def number(month, day, hour=0):
    return 100 * month + day + hour / 100


def at(file, date, calendar):
    """The number of the records at the start of a run."""
    one = Input("hfds", Records(file), "W m-2")
    first, second, t0, t1 = one.axis.bracket(Clock(date, calendar), 0.0)
    a, b = (float(np.mean(one.read(n, places))) for n in (first, second))
    return a + (b - a) * (0.0 - t0) / (t1 - t0)


@pytest.mark.parametrize(
    "every", [24, pytest.param(6, marks=pytest.mark.long), pytest.param(1, marks=pytest.mark.long)]
)
@pytest.mark.parametrize(
    "calendar", ["noleap", "360_day", "julian", "proleptic_gregorian", "all_leap"]
)
def test_a_date_has_its_own_record(tmp_path, calendar, every):
    file = written(tmp_path / "a.nc", calendar, every)
    for of_run in ("standard", "noleap", "360_day"):
        for month, day in ((2, 25), (2, 28), (3, 1), (3, 2)):
            found = at(file, f"2004-{month:02d}-{day:02d}", of_run)
            assert found == pytest.approx(number(month, day), abs=1e-6)


def test_a_day_that_the_records_lack_is_between_its_neighbours(tmp_path):
    file = written(tmp_path / "a.nc", "noleap", 6)
    assert number(2, 28, 18) < at(file, "2004-02-29 06:00", "standard") < number(3, 1)


@pytest.mark.parametrize(
    "said, calendar",
    [("NOLEAP", "noleap"), ("365_day", "noleap"), ("Gregorian", "standard")],
)
def test_calendars_by_their_other_names(tmp_path, said, calendar):
    file = written(tmp_path / "a.nc", calendar, 24, said)
    assert at(file, "2004-02-25", "noleap") == pytest.approx(number(2, 25))


@pytest.mark.parametrize("said", ["365_DAYS", "THIRTY_DAY_MONTHS", "360", "none"])
def test_an_unknown_calendar_is_named(tmp_path, said):
    with pytest.raises(InputError, match=f"a.nc: hfds: its time has the calendar '{said}', which"):
        at(written(tmp_path / "a.nc", "noleap", 24, said), "2004-02-25", "noleap")
