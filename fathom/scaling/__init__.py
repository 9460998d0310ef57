"""What a model would cost on ranks that are not there: machines, networks, sums, noise, servers as queues, and the plans of virtual ranks.

    load("cray-xe6")                        a machine of the catalogue (machine.py)
    Timeline(machine, ranks)                clocks of all ranks, moved on by computing, exchanging and summing (timeline.py)
"""

from .machine import Machine, load
from .timeline import Timeline

__all__ = ["Machine", "Timeline", "load"]
