"""Figures of the studies from the simulator's clocks and files: POP's Gantt on 128 processors of
the X1, NSTRIN against nodes, ping-pong on K. Drawn by study_figures.py.
"""

import numpy as np

import scaling_studies
from fathom.performance.scaling import load, starting
from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.studies import arome, pop_x1
from fathom.plots.colours import faint, ink, phases
from fathom.plots.gantt import side_by_side
from fathom.plots.style import new_figure, styled

panel, ticks = scaling_studies.panel, scaling_studies.ticks


def before_and_after(path):
    """A part of a step of POP on 128 processors of the X1, by messages and by co-arrays."""
    machine, values = load("cray-x1"), pop_x1.fitted(False).values
    names = {"messages": "mpi", "co-arrays": "co-arrays"}
    side_by_side(
        {name: pop_x1.part_of_step(machine, values, 128, v).kept() for name, v in names.items()},
        title="POP on 128 processors of the Cray X1: a 3-D halo, 12 iterations; simulated",
        path=path,
    )


@styled
def readers_by_nodes():
    """Seconds until all tasks have SURFEX's file, by readers (NSTRIN) and nodes of the SX-8R."""
    machine = load("nec-sx8r")
    # a reader alone on its node has the rate of one task
    alone = machine.but({"files.client": machine["files.read"]})
    read = starting.Reading(0.0, 0.0, arome.surfex)
    cores = int(machine["node.cores"])
    figure = new_figure(6.4, 4.2)
    axes = panel(
        figure,
        (0.11, 0.14, 0.85, 0.68),
        "Readers (NSTRIN) of a file of 320 MB, by nodes of the SX-8R",
        "s until all tasks have it; lines simulated, with the study's 40 s to hand on;"
        " other points: study",
        xlabel="tasks that read (NSTRIN), spread over the nodes",
        ylabel="s",
        yscale="log",
    )
    for n, (tasks, studied) in enumerate(arome.surfex_figures.items()):
        nodes = tasks // cores
        readers = [m for m in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48) if m < tasks]
        seconds = [
            starting.seconds(read, m, tasks, alone if m <= nodes else machine, 1.0)
            + arome.distribution
            for m in readers
        ]
        label = f"{nodes} nodes, {tasks} tasks"
        axes.plot(readers, seconds, "o-", ms=3, color=phases[n], label=label)
        by_all = arome.read_by_all(machine, tasks)
        axes.plot([tasks], [by_all], "D", ms=6, mfc="white", color=phases[n])
        axes.plot([tasks], [studied], "x", ms=7, color=ink)
    axes.plot([1], [60], "x", ms=7, color=ink, label="study: by one, by all")
    axes.plot([], [], "D", ms=6, mfc="white", color=faint, label="each reads all of it, fitted")
    ticks(axes, [1, 2, 4, 8, 16, 32, 64])
    axes.set_yticks([40, 60, 100, 200, 400, 800], ["40", "60", "100", "200", "400", "800"])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=7.5, loc="upper left")
    return figure


@styled
def ping_pong():
    """Half a round trip between two neighbouring nodes of K, by messages and by RDMA."""
    machine = load("k-computer")
    sizes = 8 * 2 ** np.arange(18)
    figure = new_figure(9.6, 3.9)
    micro = {}
    for text, way in (("messages", "packed"), ("RDMA", "put-flags")):
        micro[text] = []
        for size in sizes:
            t = Clocks(machine, 2)
            t.exchange(t.messages([0], [1], [size], way))
            micro[text].append(1e6 * t.elapsed)
    left = panel(
        figure,
        (0.07, 0.14, 0.4, 0.68),
        "Ping-pong on K",
        "µs of a half round trip; simulated, overheads fitted to the study's solver",
        xlabel="bytes",
        ylabel="µs",
        yscale="log",
    )
    for n, (text, values) in enumerate(micro.items()):
        left.plot(sizes, values, "o-", ms=3, color=phases[n], label=text)
    left.set_yticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
    right = panel(
        figure,
        (0.57, 0.14, 0.4, 0.68),
        "RDMA against messages",
        "part of a message's time; simulated; grey: halos, estimated from the study",
        xlabel="bytes",
        ylabel="of a message",
    )
    right.plot(sizes, np.divide(*list(micro.values())[::-1]), "o-", ms=3, color=phases[0])
    low, high = 0.55, 0.67
    right.plot([300, 300], [low, high], color=faint, lw=5, solid_capstyle="butt")
    right.axhline(1.0, color=faint, lw=1)
    right.set_ylim(0, 1.1)
    for axes in (left, right):
        ticks(axes, [8, 128, 1024, 16384, 262144])
        axes.set_xticklabels(["8", "128", "1 k", "16 k", "256 k"])
    left.legend(frameon=False, fontsize=7.5)
    return figure


drawn = {
    "study-gantt": before_and_after,
    "study-readers": readers_by_nodes,
    "study-ping-pong": ping_pong,
}
