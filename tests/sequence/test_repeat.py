"""Repeat: processes that run several times in each step, with exchanges between the repetitions."""

import numpy as np
import pytest

from fathom.base.mpi import core
from small import add, domain, gather, laplacian, laplacian_of, nz, sequence, start, wet

water = np.arange(nz)[:, None, None] < wet
small_steps = 5


def chain():
    """c = L L a, then a += c."""
    return [laplacian("a", "b"), laplacian("b", "c"), add("c", "a")]


def repeated(times=small_steps, processes=None):
    return core.Repeat("small steps", times, processes or chain())


def run(processes, blocks=(0, 0), steps=1, keep=()):
    where = domain(blocks)
    s = sequence(processes, where, keep=list(keep))
    s.set("a", start)
    s.prepare()
    s.advance(steps)
    return gather(s, where, "a"), s


@pytest.mark.parametrize("blocks", [(0, 0), (7, 5), (24, 3)])
def test_small_steps_have_the_bits_of_steps(blocks):
    """Five repetitions in a step are five steps; whole-array arithmetic gives the same to rounding
    of numbers that grow by < 3 a step.
    """
    inner, _ = run([repeated().process()], blocks)
    outer, _ = run(chain(), steps=small_steps)
    assert np.array_equal(inner[water], outer[water])
    expected = start
    for _ in range(small_steps):
        expected = expected + laplacian_of(laplacian_of(expected))
    assert np.abs(inner - expected)[water].max() < 1e-12


def test_halos_are_exchanged_between_repetitions():
    """Each process that looks at neighbours has its exchange within; the outer step sends the
    halo of the first one.
    """
    small = repeated()
    _, s = run([small.process()], (7, 5))
    assert small.groups == [
        (["a(1)"], ["TracerLaplacian"]),
        (["b(1)"], ["TracerLaplacian", "TimeSum"]),
    ]
    calls = {name: calls for name, _, calls in small.timings}
    assert calls["exchange of b"] == small_steps
    assert [g["exchange"] for g in s.groups] == [["a(1)"]]


def test_a_program_in_a_program_in_a_program():
    twice = core.Repeat("twice", 2, [repeated(3).process()])
    inner, _ = run([twice.process()], (7, 5))
    outer, _ = run(chain(), steps=6)
    assert np.array_equal(inner[water], outer[water])


def test_among_other_processes():
    """What is written before and after it travels as it must: d = L a of the repeated a."""
    processes = [laplacian("a", "d"), add("d", "a"), repeated(2).process(), laplacian("a", "d")]
    once = [laplacian("a", "d"), add("d", "a"), *chain(), *chain(), laplacian("a", "d")]
    for blocks in ((0, 0), (7, 5)):
        where = domain(blocks)
        found = []
        for these in (processes, once):
            s = sequence(these, where, keep=["d"])
            s.set("a", start)
            s.prepare()
            s.advance(3)
            found.append([gather(s, where, name)[water] for name in ("a", "d")])
        assert np.array_equal(found[0], found[1])


def test_state_is_that_of_the_processes_within():
    _, s = run([repeated().process()])
    assert s.state == ["a"]


def test_no_memory_of_its_own():
    """All fields are those of the outer program; the set within has none."""
    kept = sequence(chain(), keep=["a", "b", "c"])
    inner = sequence([repeated().process()], keep=["a", "b", "c"])
    assert inner.fields_.bytes == kept.fields_.bytes if hasattr(kept.fields_, "bytes") else True
    assert {f["name"] for f in inner.fields} == {f["name"] for f in kept.fields}


def test_a_process_that_rests_counts_repetitions():
    """Every second of four repetitions: two additions of a constant."""
    rests = add("c", "a")
    rests.every = 2
    where = domain()
    s = sequence([core.Repeat("four", 4, [rests]).process()], where)
    s.set("a", start)
    s.set("c", np.ones_like(start))
    s.prepare()
    s.advance(1)
    assert np.array_equal(gather(s, where, "a")[water], (start + 1 + 1)[water])


@pytest.mark.parametrize("times, processes", [(0, None), (2, [])])
def test_nothing_to_repeat_is_refused(times, processes):
    with pytest.raises(Exception, match="times = 0 must be|repeats no process"):
        core.Repeat("small steps", times, chain() if processes is None else processes)
