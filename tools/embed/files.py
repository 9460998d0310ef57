"""Writing an embedded NetCDF file: packed, compressed, with units, provenance, licence and
checksums.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np

from fathom.data.embedded import FOLDER

from .sources import SOURCES, sha256

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Variable:
    """An array on its way to a file: packed as integers in steps of `resolution`, or as float32 if
    that is 0.
    """

    dimensions: str
    values: np.ndarray
    units: str
    long_name: str
    standard_name: str = ""
    resolution: float = 0.0
    cell_methods: str = ""


def write(name: str, title: str, sources: list[str], files, coordinates, variables, **notes):
    """Write `fathom/data/<name>.nc`; dimensions are the coordinates, in their order."""
    target = FOLDER / f"{name}.nc"
    with netCDF4.Dataset(target, "w") as out:
        out.setncatts(
            {
                "Conventions": "CF-1.11",
                "title": title,
                "institution": "derived for Fathom from public data",
                "source": "; ".join(SOURCES[s].content for s in sources),
                "licence": "; ".join(f"{s}: {SOURCES[s].licence}" for s in sources),
                "sha256": "; ".join(f"{files[s].name} {sha256(files[s])}" for s in sources),
                "references": "docs/data.md",
                **notes,
            }
        )
        for key, coordinate in coordinates.items():
            out.createDimension(key, coordinate.values.size)
            _write(out, key, coordinate)
        for key, variable in variables.items():
            _write(out, key, variable)
    print(f"{target.relative_to(ROOT)}  {target.stat().st_size / 1e6:.2f} MB")


def _write(out, name, variable):
    values = np.asarray(variable.values)
    attributes = {"units": variable.units, "long_name": variable.long_name}
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: {np.count_nonzero(~np.isfinite(values))} values are missing")
    if variable.standard_name:
        attributes["standard_name"] = variable.standard_name
    if variable.cell_methods:
        attributes["cell_methods"] = variable.cell_methods
    if variable.dimensions == name:
        item = out.createVariable(name, "f8" if values.dtype.kind == "f" else "i4", (name,))
    elif variable.resolution:
        values, kind, packing = _packed(name, values, variable.resolution)
        attributes |= packing
        item = _compressed(out, name, kind, variable, values.shape)
    else:
        item = _compressed(out, name, "f4", variable, values.shape)
    item.set_auto_maskandscale(False)
    item.setncatts(attributes)
    item[...] = values


def _packed(name, values, resolution):
    """Whole multiples of the resolution in the smallest type that holds them; its name; the
    attributes that undo this.
    """
    whole = np.rint(values / resolution).astype(int)
    low, high = whole.min(), whole.max()
    kind = "u1" if low >= 0 and high <= 255 else "i2" if high - low <= 65535 else "i4"
    middle = (low + high) // 2 if kind == "i2" and max(-low, high) > 32767 else 0
    whole -= middle
    kept = np.iinfo(kind)
    if whole.min() < kept.min or whole.max() > kept.max:
        raise ValueError(f"{name}: resolution {resolution} is too fine for {kind}")
    packing = {
        "scale_factor": np.float32(resolution),
        "add_offset": np.float32(middle * resolution),
    }
    return whole, kind, packing


def _compressed(out, name, kind, variable, shape):
    chunks = (1,) * (len(shape) - 2) + shape[-2:]
    return out.createVariable(
        name,
        kind,
        variable.dimensions.split(),
        zlib=True,
        complevel=9,
        shuffle=True,
        chunksizes=chunks,
        fill_value=False,
    )


def latitudes(values, name="latitude"):
    return Variable(name, values, "degrees_north", "latitude", "latitude")


def longitudes(values, name="longitude"):
    return Variable(name, values, "degrees_east", "longitude", "longitude")
