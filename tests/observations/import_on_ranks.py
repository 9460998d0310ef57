"""The base of some messages on these ranks: its digest, from rank 0."""

import hashlib
import json
import sys
from pathlib import Path

from fathom import mpi
from fathom.observations import base, ingest

folder = Path(sys.argv[1])
made, accounts = ingest.collect(sorted(folder.glob("*.bufr")), threads=2)
base.write(made, folder / f"{mpi.world.size}.parquet", mpi.world)
data = mpi.world.allreduce(len(made))
if mpi.is_root:
    digest = hashlib.sha256((folder / f"{mpi.world.size}.parquet").read_bytes()).hexdigest()
    told = [[a.parts, a.damaged, a.data, a.named] for a in accounts]
    print(json.dumps({"digest": digest, "data": data, "told": told}))
