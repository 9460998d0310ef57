"""What 24 h cost, estimated by shorter runs: against the day of which they are the beginning."""

import numpy as np
import pytest

from fathom.plots.report import estimate


def day(seed=0, start=3.0, end=0.5):
    """A day of 1440 steps with noise that lasts some steps, an output every 15th, a dear first."""
    random = np.random.default_rng(seed)
    slow = np.convolve(random.standard_normal(1440 + 20), np.ones(20) / 20, "valid")[:1440]
    steps = 0.1 * (1 + 0.2 * slow + 0.05 * random.standard_normal(1440))
    steps[::15] += 0.3
    steps[0] += start
    return steps, end


def told(steps, end, number):
    """The summary of a run of so many steps."""
    own = steps[:number]
    return {
        "steps": number,
        "step": 60.0,
        "wall_seconds": float(own.sum() + end),
        "step_seconds": own[:-1].tolist(),
    }


def test_a_day_from_six_hours_is_within_its_error():
    within = 0
    for seed in range(20):
        steps, end = day(seed)
        found = estimate.of_a_day(told(steps, end, 360))
        whole = steps.sum() + end
        assert abs(found.seconds / whole - 1) < 0.05 and found.error < 0.05 * whole
        within += abs(found.seconds - whole) < found.error
    assert within >= 15  # two standard errors, of six hours instead of the whole day


def test_the_start_counts_once():
    """The day of a run that took long to start is not four times that start longer."""
    steps, end = day(start=100.0)
    found = estimate.of_a_day(told(steps, end, 360))
    assert found.seconds == pytest.approx(steps.sum() + end, rel=0.05)


def test_one_step_says_nothing():
    steps, end = day()
    assert estimate.of_a_day(told(steps, end, 1)) is None
    assert "too few steps" in estimate.text(told(steps, end, 2))
    assert estimate.text(told(steps, end, 360)).startswith("24 h take 2.")
