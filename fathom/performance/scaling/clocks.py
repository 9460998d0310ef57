"""Clocks of all ranks: computing moves the clock of a rank, an exchange waits for neighbours, a sum
waits for all.

    compute    t_r += s_r (1 + f d)
        f d: what interruptions take (noise.py)
    exchange   t_r = max(t_r' + meanwhile,
        max over neighbours n of t_n' + wire + bytes G) + receiving,      t' = t + sending
    sum        t_r = max over all of t + excess of the noise since the last sum + the sum itself
    time slices
        where `turns` ranks share a core, computing takes turns times as long,
        and a meeting after it (turns - 1) slices more: who waits gives
               its core to another rank, and gets it back when that one has used its slice up

in the algebra of maximum and plus, all ranks in one vector. So time that is lost waiting moves:
where a halo becomes faster, ranks come to the sum less scattered, and the sum becomes faster too.
Time is told apart as computing, waiting (for ranks that come late) and moving (messages, sums).

A message library that counts idle time counts otherwise: `idle` is the time within an exchange in
which the processor of a rank neither handles nor copies a message, whether the message comes late
or is under way; within a sum or a barrier of nodes whose ranks meet in memory it is that of the one
rank of a node that waits for messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from fathom.base import regions
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.performance.scaling import noise, sums
from fathom.performance.scaling.machine import Machine
from fathom.performance.scaling.network import Network, entering, overhead, wire

kinds = ("computing", "waiting", "moving")


class Way(NamedTuple):
    """Method of the halo exchange.

    put       one-sided: the receiver has no part in it
    part      of the overhead of a message
    once      overheads of an exchange, for any number of messages
    words     one-sided messages for each message: the second is a flag
    trips     journeys of a message: a get asks first
    meet      all meet before
    overlaps  ranks compute meanwhile
    blocking  receives one after another, once all is sent
    copies    of each message by the library
    near      seconds of a message within a node, and of each processor for it, by loads and stores;
              None: as the machine says
    in_place  what is near is read where it was packed, without a copy
    """

    put: bool = False
    part: float = 1.0
    once: float = 0.0
    words: int = 1
    trips: int = 1
    meet: bool = False
    overlaps: bool = False
    blocking: bool = False
    copies: int = 0
    near: float | None = None
    in_place: bool = False


exchanges = {  # core/parallel/halo/messages.hpp; parts are estimates
    "packed": Way(),
    "datatypes": Way(part=1.3),
    "persistent": Way(part=0.8),
    "partitioned": Way(part=1.1),
    "blocking": Way(blocking=True),
    "buffered": Way(blocking=True, copies=1),
    "neighbourhood": Way(part=0.9, once=1.0),
    "put-flags": Way(put=True, words=2),
    "put-flags-unpadded": Way(put=True, words=2, part=1.1),
    "put-sentinel": Way(put=True),
    "put-fence": Way(put=True, meet=True),
    "get-barrier": Way(put=True, meet=True, trips=2),
    "shared": Way(near=sums.line),
    "mapped": Way(near=sums.line, in_place=True),
    "overlapped": Way(overlaps=True),
}
mappings = ("block", "cyclic")  # of ranks to nodes: fill one after another, or deal out in turns


class How(NamedTuple):
    """What else is supposed of messages: whether ranks meet before (1) and after (2) exchanges of a
    kind; bytes of a rank that are under way at most, 0: all; how ranks lie on nodes; words of a sum
    at most, 0: all.
    """

    synchronise: Mapping[str, int] = MappingProxyType({})
    in_flight: float = 0.0
    mapping: str = "block"
    sum_words: int = 0

    def node(self, machine: Machine, rank: np.ndarray, ranks: int) -> np.ndarray:
        """Returns the node of each rank."""
        if self.mapping == "cyclic":
            return rank % machine.nodes(ranks)
        return rank // int(machine["node.cores"])


usual = How()


def _before(values: np.ndarray, source: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Returns for each message, in the order of sources, the sum of those that its rank has sent
    before.
    """
    if not len(source):
        return values
    running = np.cumsum(values) - values
    result: np.ndarray = running - running[np.minimum(first, len(source) - 1)][source]
    return result


class Messages:
    """The messages of one exchange, to be used again and again: from, to (ranks), bytes."""

    # long: one part of a message after the other
    def __init__(
        self,
        machine: Machine,
        ranks: int,
        source: np.ndarray,
        target: np.ndarray,
        size: np.ndarray,
        way: str = "packed",
        network: Network | None = None,
        how: How = usual,
    ) -> None:
        if way not in exchanges:
            raise InputError(
                f"no way to exchange '{way}'{near(way, exchanges) or ';'} known:"
                f" {', '.join(exchanges)}"
            )
        self.way = exchanges[way]
        put, part, cores = self.way.put, self.way.part, int(machine["node.cores"])
        network = network or Network.of(machine, ranks)
        source, target, size = (np.asarray(a) for a in (source, target, size))
        order = np.argsort(source, kind="stable")
        source, target, size = source[order], target[order], size[order].astype(float)
        first = np.searchsorted(source, np.arange(ranks))
        hops = network.hops(*(how.node(machine, end, ranks) for end in (source, target)))
        local = np.full(len(size), overhead(machine, put and not np.all(hops == 0)) * part)
        if self.way.near is not None:
            local = np.where(hops == 0, np.minimum(local, self.way.near), local)
        words = 1 if machine.get("network.put_notice", False) else self.way.words
        each = local * words  # of a message, for who sends it
        sharing = min(cores, ranks)
        crossing = float((size * hops).sum()) / (
            network.links * machine.get("network.link", machine["network.bandwidth"])
        )
        into = entering(machine, hops, size, sharing)  # one after another
        if self.way.in_place:
            into = np.where(hops == 0, 0.0, into)
        once = self.way.once * overhead(machine)
        copying = size * self.way.copies / machine.get("node.copy", 1e9)
        sending = _before(copying, source, first) + copying
        self.ranks = ranks
        self.sent = np.bincount(source, each, ranks) + once
        self.sent = self.sent + np.bincount(source, copying, ranks)
        travel = self.way.trips * wire(machine, hops, put)
        if self.way.near is not None:
            travel = np.where(hops == 0, np.minimum(travel, self.way.near), travel)
        offset = _before(each, source, first) + each
        self.offset = offset + once + sending + _before(into, source, first)
        if how.in_flight:  # each group waits until the one before has come
            group = np.floor((_before(size, source, first) + size - 1) / how.in_flight).clip(0)
            self.offset = self.offset + group * (travel + local)
        self.travel = travel + into
        if len(source):  # no link carries more than it can
            self.travel = np.maximum(self.travel, crossing)
        received = np.bincount(target, minlength=ranks)
        receiving = np.bincount(target, local, ranks)
        self.received = (0.0 if put else receiving) + once  # a put needs no receiver
        by = np.argsort(target, kind="stable")
        self.source, self.offset, self.travel, self.size = (
            source[by],
            self.offset[by],
            self.travel[by],
            size[by],
        )
        self.target = target[by]
        self.starts = np.searchsorted(self.target, np.arange(ranks))
        self.some = received > 0
        inside = np.where(hops == 0, into, 0.0)  # a core copies what stays on its node
        self.copied = np.bincount(source, inside, ranks)
        self.copy = machine.get("node.copy", 0.0)

    def latest(self, arrivals: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
        """Returns the latest of the messages to each rank."""
        if not len(arrivals):
            return otherwise
        most = np.maximum.reduceat(arrivals, np.minimum(self.starts, len(arrivals) - 1))
        return np.where(self.some, most, otherwise)


class Clocks:
    """Clocks [s] of `ranks` ranks of a machine, and by region and kind the seconds of each. turns:
    ranks that share a core.
    """

    def __init__(
        self,
        machine: Machine,
        ranks: int,
        network: Network | None = None,
        turns: float = 1.0,
        how: How = usual,
    ) -> None:
        self.machine, self.ranks, self.turns, self.how = machine, ranks, turns, how
        self.slice = machine["node.slice"] * (turns - 1) if turns > 1 else 0.0
        self.network = network or Network.of(machine, ranks)
        self.clock = np.zeros(ranks)
        self.spent: dict[tuple[str, str], np.ndarray] = {}
        self.idle: dict[str, np.ndarray] = {}  # as a message library counts it
        self.since = 0.0  # mean computing since all were in step
        self.computed = False  # since the last meeting

    def compute(self, seconds: np.ndarray | float, region: str = "computing") -> None:
        """Lets ranks compute for some seconds each."""
        taken = np.broadcast_to(
            np.asarray(seconds, float) * self.turns * (1 + noise.dilution(self.machine)), self.ranks
        )
        self.clock = self.clock + taken
        self._add(region, "computing", taken)
        self.computed = True

    def messages(
        self, source: np.ndarray, target: np.ndarray, size: np.ndarray, way: str = "packed"
    ) -> Messages:
        """Returns messages of `size` bytes from `source` to `target` ranks, priced once for many
        exchanges.
        """
        return Messages(self.machine, self.ranks, source, target, size, way, self.network, self.how)

    def exchange(
        self,
        m: Messages,
        region: str = "exchange",
        blocking: bool = False,
        meanwhile: tuple[np.ndarray | float, str] | None = None,
        kind: str = "halos",
    ) -> None:
        """Lets ranks exchange messages. blocking: receives are posted one after another when a rank
        comes to them; what came before was put aside and is copied once more. meanwhile: seconds
        that ranks compute, and of which region, while messages travel. kind: as `How` has them.
        """
        meeting = self.how.synchronise.get(kind, 0)
        if m.way.meet or meeting:
            self.sum(0, region)
        blocking = blocking or m.way.blocking
        began = self.clock
        self.clock = began + m.sent
        if meanwhile:
            self.compute(*meanwhile)
        ready, computed = self.clock, self.clock - began - m.sent
        arrivals = began[m.source] + m.offset + m.travel
        done = np.maximum(ready, m.latest(arrivals, ready)) + m.received
        if blocking and m.copy:
            aside = np.where(arrivals <= ready[m.target] + 1e-12, m.size / m.copy, 0.0)
            done = done + np.bincount(m.target, aside, self.ranks)
        alone = np.maximum(ready, m.latest(began[m.target] + m.offset + m.travel, ready)) + (
            done - np.maximum(ready, m.latest(arrivals, ready))
        )
        waiting = np.clip(done - alone, 0, None)
        at_work = m.copied + (done - np.maximum(ready, m.latest(arrivals, ready)))
        self._rest(region, np.clip(done - ready - at_work, 0, None))
        self.clock = done
        self._add(region, "waiting", waiting)
        self._add(region, "moving", done - began - waiting - computed)
        self._take_turns(region)
        if meeting > 1:
            self.sum(0, region)

    def sum(self, words: int = 1, region: str = "sum", way: str = "allreduce") -> None:
        """Lets all ranks take part in a sum of so many words; 0: a barrier."""
        began = self.clock
        late = float(began.max()) + noise.excess(
            self.machine, float(began.mean()) - self.since, self.ranks
        )
        words = max(words, 1)
        together = min(self.how.sum_words or words, words)
        parts = [together] * (words // together) + [words % together] * (words % together > 0)
        price = {n: sums.seconds(self.machine, self.ranks, n, way, self.network) for n in parts}
        cost = sum(price[n] for n in parts)
        self.clock = np.full(self.ranks, late + cost)
        self.since = late + cost
        self._add(region, "waiting", late - began)
        self._add(region, "moving", np.full(self.ranks, cost))
        in_messages = self.machine.nodes(self.ranks) / self.ranks
        self._rest(region, in_messages * (late - began + cost))
        self._take_turns(region)

    def _take_turns(self, region: str) -> None:
        if self.slice and self.computed:
            self.clock = self.clock + self.slice
            self._add(region, "waiting", np.full(self.ranks, self.slice))
        self.computed = False

    @contextmanager
    def repeated(self, times: float) -> Iterator[None]:
        """Counts what is done inside so many times. Once is enough where it ends as it began, all
        in step or all as scattered as before.
        """
        clock, since = self.clock, self.since
        kept: tuple[dict[Any, Any], ...] = (self.spent, self.idle)
        earlier = [dict(seconds) for seconds in kept]
        yield
        self.clock = clock + times * (self.clock - clock)
        self.since = since + times * (self.since - since)
        for seconds, before in zip(kept, earlier):
            for key, value in seconds.items():
                old = before.get(key, 0.0)
                seconds[key] = old + times * (value - old)

    def times(self, number: float, action: Callable[[], None]) -> None:
        """Does an action so many times: once for ranks at different times, then all others
        equally.
        """
        if number < 1:
            with self.repeated(number):
                action()
            return
        action()
        if number > 1:
            with self.repeated(number - 1):
                action()

    def _add(self, region: str, kind: str, seconds: np.ndarray) -> None:
        key = (region, kind)
        self.spent[key] = self.spent[key] + seconds if key in self.spent else np.array(seconds)

    def _rest(self, region: str, seconds: np.ndarray) -> None:
        self.idle[region] = self.idle.get(region, 0.0) + seconds

    # ---- what came out ---------------------------------------------------------------------------

    @property
    def elapsed(self) -> float:
        """Returns the clock of the last rank [s]."""
        return float(self.clock.max())

    def mean(self, region: str | None = None, kind: str | None = None) -> float:
        """Returns seconds of the mean rank, in a region (None: all), of a kind (None: all)."""
        return float(
            sum(
                v.mean()
                for (r, k), v in self.spent.items()
                if region in (None, r) and kind in (None, k)
            )
        )

    def idle_share(self, region: str) -> float:
        """Returns the part of a region's seconds that a message library counts as idle."""
        return float(self.idle[region].mean()) / self.mean(region)

    def regions(self) -> dict[str, dict[str, float]]:
        """Returns mean seconds of a rank by region and kind."""
        return {
            region: {kind: self.mean(region, kind) for kind in kinds}
            for region in dict.fromkeys(r for r, _ in self.spent)
        }

    def efficiency(self) -> dict[str, float]:
        """Returns the efficiency, as of a profile."""
        computing, moving = (
            sum((v for (_, k), v in self.spent.items() if k == kind), np.zeros(self.ranks))
            for kind in ("computing", "moving")
        )
        return regions.efficiency(computing.tolist(), moving.tolist(), self.elapsed)
