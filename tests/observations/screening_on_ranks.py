"""A base with planted errors screened on these ranks: the digest of the file, from rank 0."""

import hashlib
import json
import sys
from pathlib import Path

from fathom.assimilation.observations import screening
from fathom.base import mpi

folder = Path(sys.argv[1])
out = folder / f"{mpi.world.size}.parquet"
settings = screening.Settings(boxes={"radiance": (500, 1e9, 180)})
figures = screening.screen_file(folder / "given.parquet", out, settings, mpi.world)
if mpi.is_root:
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    print(json.dumps({"digest": digest, "used": figures["used"], **figures["removed"]}))
