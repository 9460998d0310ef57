"""A file copied between disks of nodes, each rank a node with its own folder; arguments: a file, a
folder, the event.
"""

import json
import os
import resource
import signal
import sys
from pathlib import Path

from fathom.base import mpi
from fathom.data.input import copies

path, folder, what = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
comm = mpi.world
own = folder / f"node{comm.rank}"
copies._piece = 1 << 16
received, pieces = copies.zlib.crc32, []


def counted(data, *total):
    """Sums, of which the third that is not of a copy's name ends a rank or its disk."""
    pieces.append(len(data))
    if what == "kill" and comm.rank == 1 and len(pieces) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "cut" and comm.rank == 0 and len(pieces) == 4:
        os.truncate(path, 100_000)
    return received(data, *total)


copies.zlib.crc32 = counted
if what == "full" and comm.rank == 1:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
node = comm.Split(comm.rank, 0)
try:
    with copies.of(path, comm, own, node=node, keep=what != "once") as copy:
        told = [copy.parent.name, copy.read_bytes() == path.read_bytes(), copy.stat().st_ino]
except OSError as error:
    told = [type(error).__name__, str(error)]
told = comm.gather([told, sum(pieces), sorted(file.name for file in own.iterdir())])
if comm.rank == 0:
    print(json.dumps(told))
