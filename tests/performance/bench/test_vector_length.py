"""Strips of vector registers and banks of memory: the numbers of the model."""

import numpy as np
import pytest

from fathom.performance.bench.vector_length import VectorMachine, strip_length


def test_strips():
    assert (
        strip_length(2048) == 256
        and strip_length(2049) == pytest.approx(227.7, abs=0.05)
        and strip_length(2046) == 255.75
    )
    lengths = np.arange(1, 4097)
    kings = lengths[strip_length(lengths) == 256]
    assert (kings % 256 == 0).all() and len(kings) == 16 and strip_length(lengths).max() == 256


@pytest.mark.parametrize("banks", [256, 512, 1024])
def test_two_less_than_a_power_of_two_is_best(banks):
    machine = VectorMachine(banks=banks)
    none, one, two = (machine.cycles(2048 - less) for less in (0, 1, 2))
    assert two <= one < 0.3 * none and two == 1.0  # banks busy for two cycles: no loss
    assert none == pytest.approx(
        machine.streams * machine.busy, rel=0.1
    )  # all words of a step wait for one bank


def test_the_blocks_that_forecasters_found():
    machine, candidates = VectorMachine(), np.arange(2000, 3001)
    best = machine.best([int(n) for n in candidates if n % 256 > 250 or n % 97 == 0])
    fastest = machine.time(best[0])
    assert all(machine.time(n) < 1.01 * fastest for n in (2046, 2814))
    prime = [n for n in best[:6] if all(n % d for d in range(2, int(n**0.5) + 1))]
    assert not prime and machine.time(2048) > 5 * fastest
    assert machine.time(1105, dimension=2046) <= machine.time(
        1105
    )  # fewer columns than the arrays are long: no slower
