"""I/O servers: ranks that encode and write what the others have computed, while those compute on.
docs/output.md, core/output/client.hpp.

Every rank builds the same simulation; in `run` the servers take another way: they hear from the
first computing rank which stores there are, and serve until the run ends. What a server makes of
fields is what a computing rank would make of them: the same bytes in the store."""

from __future__ import annotations

import atexit
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError, RunError, stopped_status
from fathom.output import files

if TYPE_CHECKING:
    from concurrent.futures import Future

    from fathom.output.host import Host
    from fathom.output.staging import Stage
    from fathom.output.streams import Stream

Task = tuple[Any, "list[Future[float]]"]  # a job, and what its threads do


opened = 71  # tag of messages: a server has opened its files
task = "io_servers"  # of ranks, as they are divided (fathom/base/ranks.py)


def asked(how: Mapping[str, Any], comm: Any) -> tuple[int, int]:
    """Returns how many ranks of `comm` [parallel] wants to serve output, and how many of them make
    a set.
    """
    servers: int = how["io_servers"]
    if how["per_node"]:
        servers = how["per_node"] * _nodes(comm)
    sets = how["io_sets"] or servers
    if servers and servers % sets:
        raise InputError(f"io_servers = {servers} cannot be distributed evenly to io_sets = {sets}")
    return servers, servers // sets if servers else 1


def _nodes(comm: Any) -> int:
    """Returns the number of nodes of these ranks, which all call it."""
    node = comm.Split_type(mpi.MPI.COMM_TYPE_SHARED)
    nodes: int = comm.allreduce(int(node.rank == 0))
    node.Free()
    return nodes


def slots(simulation: Host) -> int:
    """Returns events that may be under way at a time: by default one more than there are sets, and
    one for each store, of which several are due together; 2 to 8.
    """
    stores = sum(store.travels for store in simulation.outputs)
    usual = max(2, simulation.roles.sets + 1, min(stores, 8))
    result: int = simulation.parallel["io_slots"] or usual
    return result


class Servers:
    """The servers for the computing ranks, from the moment when all stores are open."""

    def __init__(self, simulation: Host) -> None:
        self.simulation, self.roles = simulation, simulation.roles
        self.everyone = simulation.division.helps[task].comm  # those that compute, and servers
        self.on_busy, self.patience = (
            simulation.parallel["on_busy"],
            simulation.parallel["io_silence"],
        )
        self.slots = slots(simulation)
        self.due: tuple[float, int] = -1.0, 0  # a time of output [s], and stores so far due then
        self.lost: list[int] = []  # sets
        self.broken = False  # whether output was lost with one
        d = simulation.domain.decomposition
        self.streams = simulation.streams
        for number, stream in enumerate(self.streams):
            stream.number = number
            if not stream.shared:
                stream.set = number % self.roles.sets
                stream.leave()  # its server opens it
        self.everyone.bcast(
            {
                "cuts": (d.i_cuts, d.j_cuts),
                "owners": d.blocks[:, 5].tolist(),
                "state": simulation.in_restarts,
                "model": simulation.model.received,
                "streams": [stream.announcement() for stream in self.streams],
            }
        )
        self._await_opening()
        self.client = mpi.core.OutputClient(
            self.roles,
            simulation.domain,
            [
                stream.parcel(simulation.bytes_of_number, self.roles.per_set)
                for stream in self.streams
            ],
            self.slots,
        )

    def _await_opening(self) -> None:
        """Waits until all servers have opened their files. RunError: one has not in `io_silence`;
        nothing is computed yet.
        """
        comm = self.simulation.comm
        silent = comm.bcast(self._not_open() if self.simulation.is_root else None)
        if self.simulation.is_root:
            for rank in self.roles.servers:
                if rank not in silent:
                    self.everyone.send(silent, rank, opened)
        if silent:
            atexit.register(_end_without, comm, 1)
            ranks = [self.simulation.helpers[task][self.roles.servers.index(n)] for n in silent]
            raise RunError(
                f"I/O servers (rank{'s' * (len(silent) > 1)} {', '.join(map(str, ranks))}) have not"
                f" opened their files in {self.patience:g} s (io_silence); no step is taken yet:"
                " start again, or without I/O servers"
            )

    def _not_open(self) -> list[int]:
        """Returns the ranks of servers that have not opened their files in time."""
        left, began = set(self.roles.servers), time.monotonic()
        status = mpi.MPI.Status()
        while left and time.monotonic() - began < self.patience:
            if self.everyone.iprobe(mpi.MPI.ANY_SOURCE, opened, status):
                self.everyone.recv(source=status.Get_source(), tag=opened)
                left.discard(status.Get_source())
            else:
                time.sleep(0.001)
        return sorted(left)

    @staticmethod
    def refuse(simulation: Host, error: BaseException) -> None:
        """Tells servers that the run failed on all computing ranks before it began, so that they
        end too.
        """
        simulation.division.helps[task].comm.bcast(error)

    def take(self, stream: Stream, event: mpi.core.OutputEvent) -> bool:
        """Hands an event over; False where the computing ranks are to write it themselves, and then
        tell with `wrote`.
        """
        waits = self.on_busy == "wait" or not stream.shared or self._in_turn(stream, event)
        while True:
            alone = stream.set in self.lost or len(self.lost) == self.roles.sets
            self.client.grant(event, 1.0 if waits and not alone else 0.0)
            if event.slot >= 0:
                self.client.post(
                    event, self.simulation.fields, [item.field for item in stream.items]
                )
                return True
            if alone or not waits:
                return False
            self.watch()

    def _in_turn(self, stream: Stream, event: mpi.core.OutputEvent) -> bool:
        """Returns whether the stores due at one time alone fill all slots: the next one waits for
        the first to be written.
        """
        if not stream.takes_turns:
            return False
        at, number = self.due
        self.due = event.seconds, number + 1 if at == event.seconds else 1
        return self.due[1] > self.slots

    def wrote(self, event: mpi.core.OutputEvent) -> None:
        """Tells that the computing ranks have written the data that servers did not take."""
        if self.simulation.is_root:
            self.client.wrote(event)

    def watch(self) -> None:
        """Gives up silent sets: the computing ranks write their unwritten data, which are still in
        the slots.
        """
        s = self.simulation
        silent = s.comm.bcast(self.client.silent(self.patience) if s.is_root else None)
        for number in silent:
            self._give_up(number)
        self._make_visible()

    def _give_up(self, number: int) -> None:
        """Has the computing ranks write what a set of servers has not written."""
        s = self.simulation
        self.lost.append(number)
        if number == 0:
            self._keep_ledger()
        left = self.client.give_up(number)
        if s.is_root:
            self._tell_of(number, len(left))
        for stream in self.streams:
            if stream.set == number and s.is_root:
                stream.reopen()
        if any(event.slot < 0 for event in left):
            self.broken = True
            raise RunError(
                f"I/O servers of set {number} fell silent with output on their staging disks;"
                " every complete time is kept; resume with --continue"
            )
        for event in sorted(left, key=lambda event: event.number):
            if not self._is_written(event, number):
                stream, fields = self.streams[event.stream], self.client.restored(event)
                stream.write_here(event, partial(_blocks_of, stream, fields))
            self.wrote(event)

    def _is_written(self, event: mpi.core.OutputEvent, number: int) -> bool:
        """Returns whether a file that one server of this set wrote holds the event already."""
        s, stream = self.simulation, self.streams[event.stream]
        if stream.set != number:
            return False
        result: bool = s.comm.bcast(stream.visible_times() if s.is_root else None) > event.time
        return result

    def _tell_of(self, number: int, left: int) -> None:
        """Warns: a set was given up with so many times in memory."""
        first = number * self.roles.per_set
        ranks = self.simulation.helpers[task][first : first + self.roles.per_set]
        warnings.warn(
            f"I/O servers of set {number} (rank{'s' * (len(ranks) > 1)}"
            f" {', '.join(map(str, ranks))}) have been silent for {self.patience:g} s; the"
            f" computing ranks write in their place, {left} times from memory",
            stacklevel=4,
        )

    def _keep_ledger(self) -> None:
        if self.simulation.is_root:
            for stream in self.streams:
                if stream.in_order:
                    stream.reopen()
            self.client.keep_ledger(
                [stream.visible_times() if stream.in_order else -1 for stream in self.streams]
            )

    def _make_visible(self) -> None:
        while self.simulation.is_root and 0 in self.lost and (event := self.client.due()):
            if self.streams[event.stream].shared:
                self.streams[event.stream].extend(event)
            self.client.visible(event)

    def drain(self) -> None:
        """Waits until everything that was handed over is written and visible: before a restart says
        that the run has got so far.
        """
        s = self.simulation
        while not self.broken and not s.comm.bcast(self.client.idle() if s.is_root else None):
            self.watch()
            time.sleep(0.001)

    def finish(self, failed: bool = False) -> None:
        """Waits until everything is written and visible; the servers' part of the run is over."""
        self.drain()
        self.client.finish(failed)
        self.simulation.comm.Barrier()  # none ends all before the first server has said goodbye
        if self.lost:
            status = 1 if failed else stopped_status if self.simulation.stopped else 0
            atexit.register(_end_without, self.simulation.comm, status)
        self.serving = [] if self.lost else list(filter(None, self.everyone.gather(None) or []))

    def summary(self) -> dict[str, Any]:
        """Returns figures of the protocol for the summary: its quantities
        (core/output/quantities.hpp) on the computing rank where each is largest, and on each
        server.
        """
        comm, ranks = self.simulation.comm, self.simulation.comm.allgather(self.client.quantities)
        protocol = {
            name: {of: max(rank[name][of] for rank in ranks) for of in ("count", "mean", "most")}
            for name in ranks[0]
        }
        return {
            "servers": len(self.roles.servers),
            "sets": self.roles.sets,
            "slots": self.slots,
            "slot_bytes": max(comm.allgather(self.client.slot_bytes)),
            "lost_sets": self.lost,
            "events": protocol["copy"]["count"],
            "busy": protocol["waiting"]["count"],
            "fallen_back": protocol["fallback"]["count"],
            "deepest": int(protocol["depth"]["most"]),
            "protocol": protocol,
            "serving": comm.bcast(self.serving),
        }


def _blocks_of(stream: Stream, fields: Sequence[Any], item: Any) -> Any:
    """Returns the blocks of an item of a stream, of those of all its items."""
    return fields[stream.items.index(item)]


class _Server:
    """This rank as a server."""

    def __init__(self, simulation: Host, told: Mapping[str, Any]) -> None:
        self.simulation = simulation
        vars(simulation.model).update(told["model"])
        grid, h = simulation.model.grid, simulation.model.grid.horizontal
        wet = np.ascontiguousarray(grid.wet_levels, np.int32).ravel().tolist()
        topology = mpi.core.Topology(h.nx, h.ny, h.periodic, h.fold)
        columns, rows = told["cuts"]
        decomposition = mpi.core.arrange(
            topology,
            wet,
            len(simulation.roles.compute),
            columns,
            rows,
            told["owners"],
            simulation.model.halo,
        )
        precision, per_set = simulation.bytes_of_number, simulation.roles.per_set
        processes = simulation.model.processes(simulation.time_step, simulation.surface)
        known = {f["name"]: f for p in processes for f in p.fields}
        for store in simulation.outputs:
            store.processes(known, precision)
        for checkpoint in simulation.checkpoints:
            checkpoint.prepare(told["state"])
        simulation.delivery.open()
        self.streams = simulation.streams
        for stream, announcement in zip(self.streams, told["streams"], strict=True):
            stream.hear(announcement)
        everyone = simulation.division.helps[task].comm
        everyone.send(None, 0, opened)
        if everyone.recv(source=0, tag=opened):
            raise RunError("another I/O server has not opened its files")
        self.core = mpi.core.OutputServer(
            simulation.roles,
            decomposition,
            simulation.model.halo,
            [stream.parcel(precision, per_set) for stream in self.streams],
        )
        self.position, self.per_set = simulation.roles.server % per_set, per_set
        self.events, self.bytes, self.seconds_working = 0, 0, 0.0
        self.left = (0, 0), time.monotonic()  # pieces of work and events, and since when
        self.staged: deque[tuple[Any, int]] = deque()  # (event, ticket of the stage)

    def serve(self) -> None:
        threads = int(self.simulation.parallel["threads"])
        under_way: list[Task] = []  # (job, what its threads do)
        stage = self.simulation.delivery.stage
        with (
            ThreadPoolExecutor(threads + 1) as pool,  # one may wait for the disk
            ThreadPoolExecutor(1) as in_turn,
        ):
            while not self.core.done():
                if self._is_stuck(under_way):  # it gives no sign of life then
                    time.sleep(0.002)
                else:
                    self.core.poll(0.002)
                while (job := self.core.next()) is not None:
                    under_way.append((job, self._begin(job, pool, in_turn)))
                under_way = self._finish(under_way, stage)
                while stage is not None and self.staged and stage.is_delivered(self.staged[0][1]):
                    self.core.written(self.staged.popleft()[0])
                while event := self.core.due():
                    if self.streams[event.stream].shared:  # else its writer has done so
                        self.streams[event.stream].extend(event)
                    self.core.visible(event)
        for stream in self.streams:
            stream.leave()
        if stage is not None:
            stage.close()

    def _is_stuck(self, under_way: list[Task]) -> bool:
        """Returns whether there is work of which nothing has ended for `io_silence`: files that
        are opened or written do not answer.
        """
        left = sum(not one.done() for _, tasks in under_way for one in tasks)
        now, (number, since) = time.monotonic(), self.left
        if not left or (left, self.events) != number:
            self.left = (left, self.events), now
            return False
        return now - since > float(self.simulation.parallel["io_silence"])

    def _finish(self, under_way: list[Task], stage: Stage | None) -> list[Task]:
        """Marks jobs whose threads are done as written, or hands them to the staging disk. Returns
        the others.
        """
        left = []
        for job, tasks in under_way:
            if not all(task.done() for task in tasks):
                left.append((job, tasks))
                continue
            self.seconds_working += sum(task.result() for task in tasks)
            if stage is None:
                self.core.written(job)
            else:
                self.staged.append((copy(job.event), stage.put_so_far))
                self.core.staged(job)
        return left

    def _begin(
        self, job: Any, pool: ThreadPoolExecutor, in_turn: ThreadPoolExecutor
    ) -> list[Future[float]]:
        stream, arrays = self.streams[job.event.stream], self.core.arrays(job)
        self.events += 1
        self.bytes += sum(array.nbytes for item in arrays for array in item)
        return [
            (pool if stream.shared else in_turn).submit(_timed, work)
            for work in stream.work(job.event, arrays, self.position, self.per_set)
        ]

    def statistics(self) -> dict[str, Any]:
        """Returns the figures of this server; seconds are processor time of all its threads."""
        return {
            "rank": self.simulation.helpers[task][self.simulation.roles.server],
            "events": self.events,
            "bytes": self.bytes,
            "protocol": self.core.quantities,
            "seconds_encoding_and_writing": self.seconds_working,
            "writes": files.merged(stream.writes for stream in self.streams),
            **(
                {}
                if (stage := self.simulation.delivery.stage) is None
                else {"staged": stage.figures}
            ),
        }


def _timed(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def _end_without(comm: mpi.MPI.Comm, status: int) -> None:
    """Ends the ranks of servers that do not answer, which would keep MPI from ending."""
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the launcher's signal to end
    comm.Barrier()  # all have said what they had to say
    if comm.rank == 0:
        time.sleep(0.3)  # the launcher forwards the message
        mpi.world.Abort(status)
    time.sleep(60)


def serve(simulation: Host) -> None:
    """Serves for a run; returns when it ends, with the same error where the computing
    ranks end with one.
    """
    everyone = simulation.division.helps[task].comm
    told = everyone.bcast(None)
    if isinstance(told, BaseException):
        raise told
    server = _Server(simulation, told)
    server.serve()
    if not server.core.abandoned:
        everyone.gather(server.statistics())
    if server.core.failed:
        raise RunError("the computing ranks ended with an error")
