"""The order of several programs: against the graph of what must come before what, and refusals."""

import itertools
from graphlib import CycleError, TopologicalSorter

import numpy as np
import pytest

from fathom.base.timetable import Advance, Link, Timetable, second

hour = 3600 * second


def link(giver, taker, every, lagged=False):
    return Link(giver, taker, every * hour, lagged, f"{giver} to {taker} every {every} h")


def can_be_ordered(steps, links, interval):
    """Whether the steps of one hour and the hand-overs of two intervals can follow each other: by a
    graph that knows nothing of the planner.
    """
    graph = TopologicalSorter()
    hours = 2 * interval // hour
    for name in steps:
        for n in range(1, hours):
            graph.add((name, n), (name, n - 1))
    for number, one in enumerate(links):
        every = one.every // hour
        for at in range(0, hours - every + 1, every):
            given, hand = at if one.lagged else at + every, (number, at)
            if given > 0:
                graph.add(hand, (one.giver, given - 1))  # after the step that ends there
            if at > 0:
                graph.add(hand, (one.taker, at - 1))
            graph.add((one.taker, at), hand)
            if given < hours:
                graph.add((one.giver, given), hand)  # before it changes
    try:
        tuple(graph.static_order())
    except CycleError:
        return False
    return True


def random_links(random):
    names = ["a", "b", "c"]
    for _ in range(random.integers(1, 5)):
        giver, taker = random.permutation(names)[:2]
        yield link(str(giver), str(taker), int(random.choice([1, 2, 3, 6])), random.random() < 0.5)


@pytest.mark.parametrize("seed", range(60))
def test_an_order_is_found_where_there_is_one(seed):
    random = np.random.default_rng(seed)
    links, steps = [*random_links(random)], dict.fromkeys("abc", hour)
    interval = int(np.lcm.reduce([one.every for one in links]))
    if not can_be_ordered(steps, links, interval):
        with pytest.raises(ValueError, match=r"wait for each other: . to . every"):
            Timetable.of(steps, links)
        return
    check(Timetable.of(steps, links), steps, links)


def check(table, steps, links):
    """Carries the order out: each hand-over at its time, each exactly once, all at the end."""
    times, used = dict.fromkeys(steps, 0), [0] * len(links)
    for action in table.actions:
        if isinstance(action, Advance):
            assert action.until > times[action.program]
            times[action.program] = action.until
            continue
        one = links[action.link]
        assert action.at == used[action.link] * one.every == times[one.taker]
        assert times[one.giver] == action.at + (0 if one.lagged else one.every)
        used[action.link] += 1
    assert set(times.values()) == {table.interval}
    assert [n * one.every for n, one in zip(used, links)] == [table.interval] * len(links)


def test_the_giver_goes_ahead():
    table = Timetable.of({"air": hour // 2, "sea": hour}, [link("air", "sea", 3)])
    first = [one.program for one in table.actions if isinstance(one, Advance)]
    assert first == ["air", "sea"] and table.interval == 3 * hour


def test_both_at_once_where_the_value_is_of_the_interval_before():
    links = [link("air", "sea", 3, True), link("sea", "air", 3, True)]
    table = Timetable.of({"air": hour, "sea": hour}, links)
    kinds = [type(one).__name__ for one in table.actions]
    assert kinds == ["Hand", "Hand", "Advance", "Advance"]


def test_an_exchange_that_does_not_fit_a_step():
    with pytest.raises(ValueError, match="every = 3 h is no whole number of steps of sea, 2 h"):
        Timetable.of({"air": hour, "sea": 2 * hour}, [link("air", "sea", 3)])


def test_two_that_wait_for_each_other():
    links = [link("air", "sea", 3), link("sea", "air", 6)]
    with pytest.raises(ValueError, match="air to sea every 3 h; sea to air every 6 h. lagged=True"):
        Timetable.of({"air": hour, "sea": hour}, links)


def test_a_lag_that_is_too_short():
    """Air would have to be at 3 h to let the sea begin, and waits for the sea at 1 h."""
    links = [link("air", "sea", 3), link("sea", "air", 1, lagged=True)]
    with pytest.raises(ValueError, match="wait for each other"):
        Timetable.of({"air": hour, "sea": hour}, links)


def test_steps_that_meet_late():
    table = Timetable.of({"air": 20 * 60 * second, "sea": 45 * 60 * second}, [])
    assert table.interval == 3 * hour
    assert all(isinstance(one, Advance) for one in table.actions)


def test_a_chain_of_three():
    for order in itertools.permutations("abc"):
        steps = dict.fromkeys(order, hour)
        check(
            *(lambda links: (Timetable.of(steps, links), steps, links))(
                [link("a", "b", 2), link("b", "c", 6), link("c", "a", 6, lagged=True)]
            )
        )
