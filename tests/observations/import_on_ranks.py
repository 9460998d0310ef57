"""The base of some messages on these ranks: its digest, from rank 0."""

import hashlib
import json
import sys
from pathlib import Path

import pyarrow.parquet as pq

from fathom.assimilation.observations import base, ingest, spread
from fathom.base import mpi

folder = Path(sys.argv[1])
made, accounts = ingest.collect(sorted(folder.glob("*.bufr")), threads=2)
spread.write(made, folder / f"{mpi.world.size}.parquet", mpi.world)
data = mpi.world.allreduce(len(made))
if mpi.is_root:
    digest = hashlib.sha256((folder / f"{mpi.world.size}.parquet").read_bytes()).hexdigest()
    file = pq.ParquetFile(folder / f"{mpi.world.size}.parquet")
    read = base.read(folder / f"{mpi.world.size}.parquet")
    again = read.sorted()
    told = [[a.parts, a.damaged, a.data, a.named] for a in accounts]
    print(json.dumps({
        "digest": digest, "data": data, "told": told, "groups": file.num_row_groups,
        "rows_read": file.read().num_rows,
        "in_order": bool((again["report"] == read["report"]).all()),
    }))  # fmt: skip
