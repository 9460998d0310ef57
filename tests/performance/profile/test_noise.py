"""Interruptions that are put into a process: as many as asked for, as long, and their words."""

import time
from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from fathom.base import mpi
from fathom.performance.profile import noise
from fathom.performance.scaling import here


def lost(seconds):
    """The pauses between two looks at the clock of a busy loop of so many seconds."""
    ends = time.perf_counter() + seconds
    last, pauses = time.perf_counter(), []
    while last < ends:
        now = time.perf_counter()
        pauses.append(now - last)
        last = now
    return pauses


def test_as_many_and_as_long_as_asked_for():
    """100 a second of 2 ms in half a second: fifty pauses of at least 2 ms, a fifth of the time."""
    source = mpi.core.Interruptions(100.0, 2e-3, True)
    before = source.count
    pauses = lost(0.5)
    count = source.count - before
    del source
    long = [pause for pause in pauses if pause > 1.9e-3]
    assert 35 <= count <= 51 and len(long) >= 0.8 * count
    assert sum(long) >= 0.07


def test_it_ends_with_its_object():
    source = mpi.core.Interruptions(1000.0, 1e-4, False)
    lost(0.02)
    ended = source.count
    del source
    again = mpi.core.Interruptions(1.0, 1e-6, True)
    lost(0.05)
    assert again.count - ended <= 2


@pytest.mark.parametrize("text", ["", "1000", "1000,25", "x,25us", "1000,-25us", "1e6,25us"])
def test_words_that_are_none(text):
    with pytest.raises(fm.InputError, match="noise"):
        noise.Noise.read(text)


def test_words():
    found = noise.Noise.read("1000, 25us")
    assert found.frequency == 1000 and found.duration == pytest.approx(25e-6)
    assert found.share == pytest.approx(0.025)


class Two:
    """Ranks as the first of two sees them; the other one's moments are given."""

    def __init__(self, other):
        self.other = other

    def gather(self, moments):
        return [moments, self.other]

    def bcast(self, answer):
        return answer


def found_of(first, second):
    return here.at_once(Two(second), [here.Interrupted(100.0, 1e-4, first)])


def test_both_kinds_are_told_apart():
    """100 a second on each: at the same moments give or take 20 µs, or anywhere; and too few."""
    random = np.random.default_rng(1)
    first = np.sort(random.uniform(0, 1, 100))
    same = np.sort(first + random.uniform(-2e-5, 2e-5, 100))
    elsewhere = np.sort(random.uniform(0, 1, 100))
    assert found_of(first, same) is True
    assert found_of(first, elsewhere) is False
    assert found_of(first[:5], same) is None


@pytest.mark.long  # on a busy machine other interruptions are longer
@pytest.mark.parametrize("kind", ["together", "loose"])
def test_what_is_put_in_is_found(on_ranks, kind):
    script = Path(__file__).with_name("interrupted_on_ranks.py")
    found = [on_ranks(2, script, kind) for _ in range(3)]
    assert found.count(True) >= 2 if kind == "together" else found.count(False) >= 2
