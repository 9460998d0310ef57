"""The cost of a model on simulated ranks: machines, networks, sums, noise, servers as queues, and
the plans of virtual ranks.

load("cray-xe6")                        a machine of the catalogue (machine.py)
Clocks(machine, ranks)
    clocks of all ranks, moved on by computing, exchanging and summing (clocks.py)
"""

from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.machine import Machine, load

__all__ = ["Clocks", "Machine", "load"]
