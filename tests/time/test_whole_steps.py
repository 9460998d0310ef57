"""Times that are whole numbers of steps although binary numbers hold them only nearly, and months
that begin on a day which some months lack.
"""

import pytest

from fathom.base.clock import Clock, Event, Period
from fathom.base.failure import InputError


@pytest.mark.parametrize(
    "step, every",
    [(0.1, "0.3s"), (0.1, "0.7s"), (0.7, "2.1s"), (1.1, "3.3s"), (0.01, "0.07s"), (0.1, "30s")],
)
def test_a_multiple_of_the_step_is_one(step, every):
    event = Event(every, lambda _: None, step, "output")
    event.schedule(Clock(), 100 * Period(every).seconds)
    assert event.due == pytest.approx(101 * Period(every).seconds)


@pytest.mark.parametrize("step, every", [(6.4, "1h"), (0.1, "0.35s"), (0.3, "1s"), (7.0, "1min")])
def test_another_length_is_refused(step, every):
    with pytest.raises(InputError, match=f"every = {every} is not a whole number of steps"):
        Event(every, lambda _: None, step, "output")


@pytest.mark.parametrize(
    "start, calendar, days",
    [
        ("2003-01-31", "standard", ["02-28", "03-31", "04-30", "05-31"]),
        ("2003-01-30", "standard", ["02-28", "03-30", "04-30", "05-30"]),
        ("2004-01-31", "noleap", ["02-28", "03-31", "04-30", "05-31"]),
        ("2004-01-31", "standard", ["02-29", "03-31", "04-30", "05-31"]),
        ("2003-01-15", "standard", ["02-15", "03-15", "04-15", "05-15"]),
        ("2003-01-30", "360_day", ["02-30", "03-30", "04-30", "05-30"]),
    ],
)
def test_months_from_a_late_day(start, calendar, days):
    clock, seconds, found = Clock(start, calendar), 0.0, []
    for _ in days:
        seconds = clock.after(seconds, Period("1month"))
        found.append(str(clock.date(seconds))[5:10])
    assert found == days
