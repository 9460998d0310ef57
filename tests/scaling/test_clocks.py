"""The engine: hops and shapes, sums, noise against a drawing of lots, clocks in maximum and plus,
servers as queues.
"""

import itertools

import numpy as np
import pytest

from fathom.performance.scaling import Clocks, load, noise, sums
from fathom.performance.scaling.clocks import How, exchanges
from fathom.performance.scaling.machine import Machine
from fathom.performance.scaling.network import Network, entering, neighbours_away, shape_of
from fathom.performance.scaling.servers import Output, play

plain = Machine(
    "plain",
    {
        "node.cores": 1,
        "network.topology": "crossbar",
        "network.latency": 3e-6,
        "network.overhead": 1e-6,
        "network.gap": 0.0,
        "network.bandwidth": 1e9,
        "network.put_overhead": 5e-7,
        "network.put_latency": 2e-6,
    },
)


def test_shapes_and_hops():
    assert shape_of(7600, 3) == shape_of(7545, 3) == (19, 20, 20)
    assert (
        shape_of(64, 2) == (8, 8) and shape_of(4096, 3) == (16, 16, 16) and shape_of(5, 1) == (5,)
    )
    for nodes in (64, 4096):
        mean = [Network("torus", nodes, shape_of(nodes, n)).mean_hops for n in (1, 2, 3)]
        assert mean[0] > mean[1] > mean[2]
    ring = Network("torus", 6, (6,))
    assert ring.hops(np.arange(6), 0).tolist() == [0, 1, 2, 3, 2, 1]
    tree = Network("fat-tree", 16, (4,))
    assert tree.hops(np.array([0, 1, 3, 4, 15]), 0).tolist() == [0, 2, 2, 4, 4]
    fly = Network("dragonfly", 64, (4, 4))
    assert fly.hops(np.array([0, 3, 4, 15, 16, 63]), 0).tolist() == [0, 2, 3, 3, 5, 5]
    for network in (ring, tree, fly, Network("torus", 60, (3, 4, 5))):
        a, b = np.random.default_rng(0).integers(network.nodes, size=(2, 50))
        assert (network.hops(a, b) == network.hops(b, a)).all() and (
            (network.hops(a, b) == 0) == (a == b)
        ).all()
    with pytest.raises(ValueError, match="no place for 64"):
        Network.of(load("k-computer"), 64, (3, 3, 3))


def test_sums_grow_as_their_algorithms():
    stage = 2 * 1e-6 + 3e-6
    for ranks in (2, 5, 64, 1000):
        depth = int(np.ceil(np.log2(ranks)))
        assert sums.seconds(plain, ranks) == pytest.approx(depth * stage)
        assert sums.seconds(plain, ranks, way="tree") == pytest.approx(2 * depth * stage)
        assert sums.seconds(plain, ranks, way="one-sided-flags") == pytest.approx(
            2 * (5e-7 + 2e-6 + (ranks - 1) * 5e-7) + (ranks - 1) * sums.line
        )
    for ranks, rounds in ((2, 1), (5, 3), (64, 6), (1000, 14)):  # 1000 is 1111101000
        assert sums.seconds(plain, ranks, way="dissemination") == pytest.approx(rounds * stage)
    one = 2 * 5e-7 + 2e-6  # a put with its flag, and its journey
    assert sums.seconds(plain, 21, way="one-sided-tree-of-4") == pytest.approx(
        2 * (one + 4 * sums.line + 4 * 1e-6 + 2e-6)
    )
    assert sums.seconds(
        plain.but({"sum.hardware": 4e-6, "sum.elements": 2}), 999, 3, "hardware"
    ) == pytest.approx(8e-6)
    assert sums.seconds(plain, 1) == 0
    with pytest.raises(ValueError, match="no way to sum 'allreduc'; did you mean 'allreduce'"):
        sums.seconds(plain, 4, way="allreduc")
    many = load("cray-ex")
    assert sums.seconds(many, 4096, way="node-shared") < sums.seconds(many, 4096)


def test_every_way_of_the_model_has_a_price():
    from fathom.base.mpi import core

    assert {name for name, _ in core.global_sums()} <= set(sums.ways) and {
        name for name, _ in core.transports()
    } <= set(exchanges)


def test_each_way_has_its_own_price():
    """Exchanges and sums that work otherwise cost otherwise, on one node and on many."""
    machine = load("cray-xe6").but({"node.copy": 2e9})
    by_hardware = machine.but({"sum.hardware": 5e-6, "sum.elements": 4})
    own = {w: sums.seconds(by_hardware, 400, 3, w) for w in sums.ways}
    del own["recursive-doubling"]  # what this machine's library does
    assert len({f"{seconds:.4g}" for seconds in own.values()}) == len(own)
    found = {}
    for way in exchanges:
        found[way] = []
        for number in (16, 96):  # on one node, on three
            ranks = np.arange(number)
            t, on = Clocks(machine, number), lambda far, r=ranks: (r + far) % r.size
            pairs = np.concatenate([ranks, ranks]), np.concatenate([on(1), on(5)])
            inside = (2e-5 * exchanges[way].overlaps, "inner")
            t.compute(1e-4 * (ranks % 3) + 2e-5 - inside[0])
            t.exchange(t.messages(*pairs, np.full(2 * number, 3e3), way), meanwhile=inside)
            found[way].append(f"{t.clock.mean():.6g}")
    assert len(set(map(tuple, found.values()))) == len(found), found


def test_memory_that_a_node_maps_costs_less_than_what_mpi_shares():
    """Within a node: no copy, a line instead of a message; between nodes messages as usual."""
    machine = load("cray-xe6")
    for ranks in (16, 96):  # on one node, on four
        mapped, shared = (
            sums.seconds(machine, ranks, 3, f"node-{w}") for w in ("mapped", "shared")
        )
        assert mapped < shared
    pair = np.array([0, 1]), np.array([1, 0])

    def seconds(way, size, cores=24):
        t = Clocks(machine.but({"node.cores": cores}), 2)
        t.exchange(t.messages(*pair, np.full(2, size), way))
        return t.elapsed

    assert seconds("mapped", 1e6) == seconds("mapped", 8) < 1e-3 * seconds("shared", 1e6)
    assert seconds("mapped", 1e6, 1) == seconds("packed", 1e6, 1)


def test_sums_of_the_x1_in_the_order_of_the_study():
    """Tree, words in the data, flags and barriers, from 96 processors on; few need no tree."""
    machine = load("cray-x1")
    for ranks in (96, 128, 256):
        tree, sentinel, flags, barrier = (
            sums.seconds(machine, ranks, 1, f"one-sided-{name}")
            for name in ("tree", "sentinel", "flags", "barrier")
        )
        assert tree < sentinel < min(flags, barrier)
        assert tree < sums.seconds(machine, ranks, 1, "allreduce")
    few = [sums.seconds(machine, 8, 1, f"one-sided-{n}") for n in ("sentinel", "tree")]
    assert few[0] < few[1]


def test_habits_of_messages_cost():
    """Meetings before and after, messages that wait for those before, ranks dealt out to nodes."""
    machine, ranks = load("cray-xe6"), np.arange(64)
    source, target = np.repeat(ranks, 2), np.stack([(ranks + 1) % 64, (ranks + 2) % 64], 1).ravel()

    def seconds(**how):
        t = Clocks(machine, 64, how=How(**how))
        t.compute(1e-5 * (1 + ranks % 3))
        t.exchange(t.messages(source, target, np.full(128, 1e4)), kind="halos")
        return t.elapsed

    free = seconds()
    before, after = (seconds(synchronise={"halos": level}) for level in (1, 2))
    assert free < before < after
    assert seconds(synchronise={"transpositions": 2}) == free
    assert free == seconds(in_flight=2e4) < seconds(in_flight=1e4)
    assert free < seconds(mapping="cyclic")


def test_a_sum_of_few_words_at_once_costs_several_sums():
    def seconds(words, **how):
        t = Clocks(plain.but({"sum.hardware": 4e-6}), 64, how=How(**how))
        t.sum(words, way="hardware")
        return t.elapsed

    assert seconds(3) == seconds(3, sum_words=2) == seconds(3, sum_words=1) == 3 * seconds(1)
    t = Clocks(plain, 64, how=How(sum_words=4))
    t.sum(12)
    assert t.elapsed == pytest.approx(3 * sums.seconds(plain, 64))


def test_expected_most_is_the_mean_of_lots():
    rng = np.random.default_rng(1)
    for mean, ranks in ((0.01, 50), (0.7, 128), (30.0, 1000)):
        lots = rng.poisson(mean, (1000, ranks)).max(axis=1)
        assert noise.expected_most(mean, ranks) == pytest.approx(
            lots.mean(), abs=4 * lots.std() / 1000**0.5 + 1e-12
        )
    assert (
        noise.expected_most(2e5, 1) == 2e5
        and noise.expected_most(0.0, 9) == 0
        and noise.expected_most(0.3, 1) == pytest.approx(0.3)
    )


def test_synchronised_noise_costs_only_itself():
    noisy = plain.but({"noise.frequency": 100.0, "noise.duration": 1e-4})
    quiet, loose, tight = (
        Clocks(m, 512) for m in (plain, noisy, noisy.but({"noise.synchronised": True}))
    )
    for t in (quiet, loose, tight):
        for _ in range(10):
            t.compute(1e-3)
            t.sum()
    assert tight.elapsed - quiet.elapsed == pytest.approx(0.01 * 10e-3)
    assert loose.elapsed - tight.elapsed > 10 * 1e-4 and loose.mean(
        "sum", "waiting"
    ) > 1e-3 > tight.mean("sum", "waiting")


def test_clocks_by_hand():
    t = Clocks(plain, 3)
    t.compute(np.array([0.0, 10e-6, 0.0]))
    t.exchange(t.messages([0, 1, 1], [1, 0, 2], [1000, 1000, 0]), "halo")
    # 0 sends at 1, arrives at 1 + 3 + 1; 1 sends at 11 and, after a microsecond of bytes, at 13;
    # each takes 1 to receive
    assert t.clock == pytest.approx(np.array([16e-6, 13e-6, 17e-6]), rel=1e-12)
    assert t.spent["halo", "waiting"] == pytest.approx(np.array([10e-6, 0, 10e-6]), abs=1e-12)
    before = t.clock.copy()
    t.sum()
    assert t.clock == pytest.approx(np.full(3, 17e-6 + 2 * 5e-6)) and t.spent[
        "sum", "waiting"
    ] == pytest.approx(17e-6 - before, abs=1e-15)
    total = sum(t.spent.values())
    assert total == pytest.approx(t.clock)  # nothing is lost
    e = t.efficiency()
    assert e["parallel_efficiency"] == pytest.approx(
        e["load_balance"] * e["serialisation"] * e["transfer"]
    )


def test_what_is_computed_meanwhile_hides_messages():
    t = Clocks(plain, 2)
    t.exchange(
        t.messages([0, 1], [1, 0], [1000, 1000], "overlapped"),
        "halo",
        meanwhile=(np.array([3e-6, 9e-6]), "columns"),
    )
    # both send at 1, messages are there at 5, when 0 has computed until 4 and 1 until 10
    assert t.clock == pytest.approx(np.array([6e-6, 11e-6]), rel=1e-12) and t.mean(
        "columns", "computing"
    ) == pytest.approx(6e-6)
    assert t.spent["halo", "moving"] == pytest.approx(np.array([3e-6, 2e-6]), rel=1e-12)


def test_a_planted_imbalance_is_waiting():
    t = Clocks(plain, 64)
    seconds = np.full(64, 1e-3)
    seconds[5] *= 1.2
    with t.repeated(100):
        t.compute(seconds)
        t.sum()
    assert t.mean("sum", "waiting") == pytest.approx(
        100 * 0.2e-3 * 63 / 64, rel=0.05
    ) and t.efficiency()["load_balance"] == pytest.approx(1 / 1.2, rel=0.01)


def test_ranks_that_share_cores_take_turns():
    t = Clocks(plain.but({"node.slice": 3e-3}), 4, turns=2.0)
    for _ in range(10):
        t.compute(1e-3)
        t.sum()
        t.sum()  # nobody computed in between
    alone = Clocks(plain, 4)
    alone.times(20, alone.sum)
    assert t.elapsed == pytest.approx(10 * (2e-3 + 3e-3) + alone.elapsed) and t.mean(
        kind="computing"
    ) == pytest.approx(20e-3)
    with pytest.raises(ValueError, match="does not say node.slice"):
        Clocks(plain, 4, turns=2.0)


def test_early_messages_are_copied_unless_all_meet_before():
    m = plain.but({"node.copy": 2e8})  # five times slower than the network
    late = np.zeros(8)
    late[3] = 1e-2

    def step(meet):
        t = Clocks(m, 8)
        t.compute(late)
        if meet:
            t.sum(0)
        pairs = [(a, b) for a in range(8) for b in range(8) if a != b]
        t.exchange(t.messages(*zip(*pairs), np.full(56, 1e5)), blocking=True)
        return t.clock[3]

    assert step(False) == pytest.approx(1e-2 + 7 * 1e5 / 2e8, rel=0.01) and step(
        True
    ) == pytest.approx(1e-2 + 7 * 1e5 / 1e9, rel=0.05)


def test_no_link_carries_more_than_it_can():
    m = plain.but({"network.topology": "torus", "network.dimensions": 1, "network.link": 1e9})
    pairs = np.arange(32), (np.arange(32) + 16) % 32
    near, far = Clocks(m, 32), Clocks(m, 32)
    near.exchange(near.messages(np.arange(32), (np.arange(32) + 1) % 32, np.full(32, 1e6)))
    far.exchange(far.messages(*pairs, np.full(32, 1e6)))
    assert far.elapsed > 7 * near.elapsed  # sixteen links for each message, in both directions


def test_cores_of_a_node_share_its_adapter():
    """A gap of 3 µs and four cores: 12 µs for each message that leaves the node, in halos and in
    the stages of a sum; nothing within it.
    """
    free = load("cray-xt5").but({"node.cores": 4, "network.gap": 0.0})
    shared = free.but({"network.gap": 3e-6})
    for hops, more in ((0, 0.0), (1, 12e-6), (5, 12e-6)):
        there = [float(entering(each, hops, 800.0, 4)) for each in (free, shared)]
        assert there[1] - there[0] == pytest.approx(more, abs=1e-12)
    ranks = np.arange(16)
    halo = [
        Clocks(each, 16).messages(ranks, (ranks + 4) % 16, np.full(16, 800.0)).travel
        for each in (free, shared)
    ]
    assert halo[1] - halo[0] == pytest.approx(np.full(16, 12e-6), abs=1e-12)
    sum_of = lambda way: sums.seconds(shared, 16, 1, way) - sums.seconds(free, 16, 1, way)
    assert sum_of("recursive-doubling") == pytest.approx((1 / 4 + 1 / 2 + 1 + 1) * 12e-6)  # stages
    assert sum_of("node-shared") == pytest.approx(2 * 3e-6)  # one core of each node
    assert neighbours_away(1) == 8 and neighbours_away(4) == 5  # of a rank in a box of 2 x 2


def test_servers_as_queues():
    steps = [10.0] * 20
    free = play(Output(stall=1, service=8, synchronous=9), steps)
    assert free["fallback"] == 0 and free["elapsed"] == 20 * 11 and free["drained"] == 228
    busy = play(Output(stall=1, service=15, synchronous=9), steps)
    assert busy["fallback"] == 10 and busy["elapsed"] == 10 * 11 + 10 * 19
    assert play(Output(1, 15, 9, sets=2), steps)["fallback"] == 0
    assert (
        play(Output(1, 15, 9, sets=1, slots=2), steps)["fallback"] < 10
    )  # a slot more lets it wait in the queue
    waits = play(Output(1, 15, 9, on_busy="wait"), steps)
    assert waits["fallback"] == 0 and waits["elapsed"] == 11 + 19 * (15 + 1)
    assert play(Output(1, 5, 9, sets=0), steps)["fallback"] == 20
    for sets in (1, 2, 3):
        assert (
            play(Output(1, 38, 9, sets, pick="next"), steps)["elapsed"]
            >= play(Output(1, 38, 9, sets), steps)["elapsed"]
        )


def test_recorded_clocks_keep_every_second():
    from fathom.performance.scaling.recorded import Recorded

    t = Recorded(load("cray-x1"), 4)
    t.compute(np.array([1e-5, 2e-5, 3e-5, 4e-5]), "baroclinic")
    t.exchange(t.messages([0, 1, 2], [1, 2, 3], [8, 8, 8]), "baroclinic")
    t.sum(1, "barotropic")
    kept = t.kept(samples=7)
    for rank, bars in enumerate(kept["states"]):
        assert sum(end - begin for begin, end, _ in bars) == pytest.approx(t.clock[rank])
        assert all(a[1] == b[0] for a, b in itertools.pairwise(bars))
    assert np.all(sum(kept["counts"].values())[:-1] == 4)


def test_idle_time_as_a_library_counts_it():
    """A rank that waits for a message on the wires is idle; one that copies within its node is not.
    Of a barrier of two nodes of four ranks one rank of each waits for messages.
    """
    machine = plain.but({"node.cores": 4, "node.bandwidth": 1e9, "node.latency": 0.0})
    near, far = Clocks(machine, 2), Clocks(machine, 8)
    near.exchange(near.messages([0, 1], [1, 0], [1e6, 1e6]), "near")
    assert near.idle_share("near") == pytest.approx(0, abs=0.01)
    far.exchange(far.messages([0, 4], [4, 0], [1e6, 1e6]), "far")
    on_wires = 4 * 1e6 / 1e9 + 3e-6  # four cores share the adapter
    assert far.idle["far"][0] == pytest.approx(on_wires) and far.idle["far"][1] == 0
    with far.repeated(10):
        far.compute(np.arange(8.0))
        far.sum(0, "barrier")
    assert far.idle_share("barrier") == pytest.approx(2 / 8)


def test_a_band_encloses_all_machines_of_the_ranges():
    """A step on machines drawn from the ranges of a file, against the corners."""
    machine, random = load("cray-ex"), np.random.default_rng(1)

    def step(at):
        t = Clocks(at, 256)
        rank = np.arange(256)
        t.compute(1e-3 * (1 + rank % 3) * 1e10 / at["node.multiply_add"])
        t.exchange(t.messages(rank, (rank + 100) % 256, np.full(256, 1e4)))
        t.sum(3)
        return t.elapsed

    corners = [step(machine.at(c, m)) for c in (-1, 1) for m in (-1, 1)]
    assert min(corners) < step(machine) < max(corners)
    for _ in range(40):
        drawn = {key: random.uniform(low, high) for key, (low, _, high) in machine.unsure.items()}
        assert min(corners) <= step(machine.but(drawn)) <= max(corners)
