"""Section 3 of GRIB2 for a map of a part of the earth, templates 3.1, 3.10, 3.20 and 3.30, and for
Gaussian rows that are rotated (3.41), stretched (3.42) or both (3.43).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.grids.regrid.projections import (
    LambertConformal,
    Mercator,
    PolarStereographic,
    Projection,
    RotatedLatitudeLongitude,
)
from fathom.grids.regrid.schmidt import Schmidt
from fathom.output.formats.whole_times import gaussian


def keys(projection: Projection, x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Returns keys of eccodes; x, y [m]: of columns and rows, equidistant, rows from the first, as
    eccodes counts those of maps.
    """
    found: dict[str, Any] = {
        "shapeOfTheEarth": 1,
        "scaleFactorOfRadiusOfSphericalEarth": 0,
        "scaledValueOfRadiusOfSphericalEarth": round(projection.radius),
    }
    scanning = {"iScansNegatively": 0, "jScansPositively": 1, "jPointsAreConsecutive": 0}
    if isinstance(projection, RotatedLatitudeLongitude):
        return _rotated(projection, x, y) | found | scanning
    ends = [projection.to_earth(x[n], y[n]) for n in (0, -1)]
    first, last = ((float(longitude) % 360, float(latitude)) for longitude, latitude in ends)
    dx, dy = (float(np.diff(values).mean()) for values in (x, y))
    found |= {
        "longitudeOfFirstGridPointInDegrees": first[0],
        "latitudeOfFirstGridPointInDegrees": first[1],
    }
    if isinstance(projection, Mercator):
        return (
            {"gridType": "mercator", "Ni": len(x), "Nj": len(y)}
            | found
            | scanning
            | {
                "LaDInDegrees": projection.latitude,
                "longitudeOfLastGridPointInDegrees": last[0],
                "latitudeOfLastGridPointInDegrees": last[1],
                "orientationOfTheGridInDegrees": 0,
                "DiInMetres": dx,
                "DjInMetres": dy,
            }
        )
    steps = {"Nx": len(x), "Ny": len(y)} | found | scanning | {"DxInMetres": dx, "DyInMetres": dy}
    middle = projection.longitude % 360
    if isinstance(projection, PolarStereographic):
        return (
            {"gridType": "polar_stereographic"}
            | steps
            | {
                "LaDInDegrees": projection.latitude,
                "orientationOfTheGridInDegrees": middle,
                "projectionCentreFlag": _side(projection.latitude),
            }
        )
    assert isinstance(projection, LambertConformal)
    parallels = projection.latitude
    return (
        {"gridType": "lambert"}
        | steps
        | {
            "LaDInDegrees": parallels[0],
            "LoVInDegrees": middle,
            "Latin1InDegrees": parallels[0],
            "Latin2InDegrees": parallels[-1],
            "latitudeOfSouthernPoleInDegrees": -90,
            "longitudeOfSouthernPoleInDegrees": 0,
            "projectionCentreFlag": _side(parallels[0]),
        }
    )


def _side(latitude: float) -> int:
    """Returns flag table 3.5: the south pole is on the map."""
    return 0 if latitude > 0 else 128


def _rotated(projection: RotatedLatitudeLongitude, x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Returns longitude and latitude about the pole of the map, which GRIB counts from its south
    pole.
    """
    longitude, latitude = (np.rad2deg(values / projection.radius) for values in (x, y))
    longitude = longitude - projection.middle
    pole = projection.sphere.pole
    return {
        "gridType": "rotated_ll",
        "Ni": len(x),
        "Nj": len(y),
        "longitudeOfFirstGridPointInDegrees": float(longitude[0]) % 360,
        "longitudeOfLastGridPointInDegrees": float(longitude[-1]) % 360,
        "latitudeOfFirstGridPointInDegrees": float(latitude[0]),
        "latitudeOfLastGridPointInDegrees": float(latitude[-1]),
        "iDirectionIncrementInDegrees": float(np.diff(longitude).mean()),
        "jDirectionIncrementInDegrees": float(np.diff(latitude).mean()),
        "latitudeOfSouthernPoleInDegrees": -pole[1],
        "longitudeOfSouthernPoleInDegrees": (pole[0] + 180) % 360,
        "angleOfRotationInDegrees": 0,
    }


def of_sphere(sphere: Schmidt, ny: int, nx: int) -> dict[str, Any]:
    """Returns keys of eccodes for Gaussian rows from the north; latitudes are those before the
    sphere is stretched.
    """
    kinds = {(True, False): "rotated_gg", (False, True): "stretched_gg"}
    stretched = sphere.stretching > 1
    end = float(gaussian(ny)[-1])
    found: dict[str, Any] = {
        "gridType": kinds.get((sphere.rotated, stretched), "stretched_rotated_gg"),
        "N": ny // 2,
        "Ni": nx,
        "Nj": ny,
        "iScansNegatively": 0,
        "jScansPositively": 0,
        "jPointsAreConsecutive": 0,
        "longitudeOfFirstGridPointInDegrees": 0.0,
        "longitudeOfLastGridPointInDegrees": 360.0 - 360.0 / nx,
        "latitudeOfFirstGridPointInDegrees": end,
        "latitudeOfLastGridPointInDegrees": -end,
        "iDirectionIncrementInDegrees": 360.0 / nx,
    }
    return found | poles(sphere)


def poles(sphere: Schmidt) -> dict[str, float]:
    """Returns the pole of rotation, which GRIB counts from the south, and that of stretching, on
    earth.
    """
    found: dict[str, float] = {}
    x, y = sphere.pole if sphere.rotated else (0.0, 90.0)
    if sphere.rotated:
        found |= {
            "latitudeOfSouthernPoleInDegrees": -y,
            "longitudeOfSouthernPoleInDegrees": (x + 180) % 360,
            "angleOfRotationInDegrees": 0.0,
        }
    if sphere.stretching > 1:
        found |= {
            "latitudeOfStretchingPoleInDegrees": y,
            "longitudeOfStretchingPoleInDegrees": x % 360,
            "stretchingFactor": sphere.stretching,
        }
    return found
