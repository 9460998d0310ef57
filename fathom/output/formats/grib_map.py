"""Section 3 of GRIB2 for a map of a part of the earth: templates 3.1, 3.10, 3.20 and 3.30."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.regrid.projections import (
    LambertConformal,
    Mercator,
    PolarStereographic,
    Projection,
    RotatedLatitudeLongitude,
)


def keys(projection: Projection, x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Keys of eccodes; x, y [m]: of columns and rows, equidistant, rows from the first, as eccodes
    counts those of maps."""
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
    """Flag table 3.5: the south pole is on the map."""
    return 0 if latitude > 0 else 128


def _rotated(projection: RotatedLatitudeLongitude, x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Longitude and latitude about the pole of the map, which GRIB counts from its south pole."""
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
