"""Tables of RRTMGP's gas optics with 128 + 112 g points, and of its clouds and aerosols.

Coefficients are kept as whole steps of their logarithm, 160 to a factor of 2 (an error of 0.22 per
cent at most), as differences along temperature and pressure, g first: neighbours differ little, so
that deflation leaves a tenth. Planck fractions have 96 steps: their sum of 1 is restored.
"""

from __future__ import annotations

import netCDF4
import numpy as np

from fathom.atmosphere.radiation.packed import folded
from fathom.data.embedded import FOLDER

from .sources import SOURCES, sha256

# name -> (axes of differences after g went first, least value that is kept, steps to a factor of 2)
COEFFICIENTS = {
    "kmajor": ((1, 2), 1e-32, 160),
    "plank_fraction": ((2,), 1e-7, 96),
    "kminor_lower": ((1, 2), 1e-32, 160),
    "kminor_upper": ((1, 2), 1e-32, 160),
    "rayl_lower": ((1, 2), 1e-31, 512),
    "rayl_upper": ((1, 2), 1e-31, 512),
}


def build_radiation(files):
    """rrtmgp-lw-g128.nc, rrtmgp-sw-g112.nc and rrtmgp-particles.nc."""
    for kind in ("lw-g128", "sw-g112"):
        source = f"rrtmgp_{kind[:2]}"
        title = f"Gas optics of RRTMGP, {kind}"
        with (
            _created(f"rrtmgp-{kind}", title, [source], files) as out,
            netCDF4.Dataset(files[source]) as given,
        ):
            for name, variable in given.variables.items():
                if variable.dimensions != (name,):
                    _copy(out, name, variable)
    parts = [f"rrtmgp_{what}_{kind}" for what in ("clouds", "aerosols") for kind in ("lw", "sw")]
    with _created("rrtmgp-particles", "Cloud and aerosol optics of RRTMGP", parts, files) as out:
        for part in parts:
            with netCDF4.Dataset(files[part]) as given:
                for name, variable in given.variables.items():
                    _copy(out, f"{part.removeprefix('rrtmgp_')}_{name}", variable)


def _created(name, title, sources, files):
    out = netCDF4.Dataset(FOLDER / f"{name}.nc", "w")
    out.setncatts(
        {
            "Conventions": "CF-1.11",
            "title": title,
            "institution": "derived for Fathom from public data",
            "source": "; ".join(SOURCES[s].content for s in sources),
            "licence": "; ".join(f"{s}: {SOURCES[s].licence}" for s in sources),
            "sha256": "; ".join(f"{files[s].name} {sha256(files[s])}" for s in sources),
            "references": "docs/data.md",
        }
    )
    return out


def _copy(out, name, variable):
    variable.set_auto_maskandscale(False)
    values = np.asarray(variable[...])
    notes = {"long_name": name.replace("_", " "), "units": getattr(variable, "units", "1")}
    if values.dtype.kind == "S":
        values = np.array([b"".join(row).decode().strip() for row in values], object)
        item = out.createVariable(name, str, _dimensions(out, values.shape))
    elif name in COEFFICIENTS:
        axes, least, steps = COEFFICIENTS[name]
        notes |= {"steps": np.int32(steps), "least": least, "axes": np.array(axes, np.int32)}
        values = folded(values, axes, least, steps)
        item = _compressed(out, name, "i2", values.shape)
    elif values.dtype == np.float32 and values.size > 100:
        values = _rounded(values)
        item = _compressed(out, name, "f4", values.shape)
    else:
        item = out.createVariable(name, values.dtype, _dimensions(out, values.shape))
    item.setncatts(notes)
    item[...] = values


def _rounded(values):
    """float32 with 8 bits of fraction: 2e-3."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x4000) & np.uint32(0xFFFF8000)).view(np.float32)


def _compressed(out, name, kind, shape):
    options = {"zlib": True, "complevel": 9, "shuffle": True, "fill_value": False}
    return out.createVariable(name, kind, _dimensions(out, shape), chunksizes=shape, **options)


def _dimensions(out, shape):
    """Named by their length: tables of one file share them."""
    for length in shape:
        if f"n{length}" not in out.dimensions:
            out.createDimension(f"n{length}", length)
    return tuple(f"n{length}" for length in shape)
