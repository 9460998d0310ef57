"""GRIB files as centres write them, made by ecCodes: a state of the air on levels of pressure or
hybrid ones, on the grids of IFS, GFS, ICON, ARPEGE, AROME and HRRR.
"""

import eccodes
import numpy as np

R, WARM = 287.0597, 270.0  # of dry air [J kg-1 K-1]; of all air, virtual [K]
pressures = (1000, 925, 850, 700, 500, 300, 200, 100, 50, 10)
a = np.array([0, 2000.0, 6000, 12000, 16000, 15000, 9000, 3000, 0])
b = np.array([0, 0.0, 0, 0.01, 0.1, 0.3, 0.6, 0.9, 1.0])
short = ("t", "u", "v", "q")


def surface_pressure(x, y):
    return 1e5 * (1 + 0.01 * np.sin(np.deg2rad(x)) * np.cos(np.deg2rad(y)))


def air(name, x, y, p, hours):
    """A field of the state [SI]; winds as on earth."""
    cosine, sine = np.cos(np.deg2rad(y)), np.sin(np.deg2rad(x))
    if name in ("z", "gh"):
        phi = R * WARM * np.log(surface_pressure(x, y) / p)
        return phi / 9.80665 if name == "gh" else phi
    fields = {
        "pres": p,
        "t": WARM / (1 + 0.608 * 0.008 * cosine * (p / 1e5) ** 3),  # so that T_v is the same
        "u": (10 + hours) * cosine * (1.2 - p / 1e5),
        "v": 3 * sine * cosine,
        "q": 0.008 * cosine * (p / 1e5) ** 3,
        "r": 60.0,
        "sp": surface_pressure(x, y),
        "lnsp": np.log(surface_pressure(x, y)),
        "orog": 0.0,
    }
    return fields[name] + 0 * p * cosine


regular = {"Ni": 144, "Nj": 73, "iDirectionIncrementInDegrees": 2.5,
           "jDirectionIncrementInDegrees": 2.5, "latitudeOfFirstGridPointInDegrees": 90,
           "latitudeOfLastGridPointInDegrees": -90, "longitudeOfFirstGridPointInDegrees": 0,
           "longitudeOfLastGridPointInDegrees": 357.5}  # fmt: skip
grids = {  # sample of ecCodes, keys
    "gfs": ("regular_ll_pl_grib2", regular),
    "ifs": ("reduced_gg_pl_48_grib2", {}),
    "icon": (
        "regular_ll_pl_grib2",
        regular | {"Ni": 120, "Nj": 90, "iDirectionIncrementInDegrees": 0.5,
                   "jDirectionIncrementInDegrees": 0.25,
                   "latitudeOfFirstGridPointInDegrees": 35.125,
                   "latitudeOfLastGridPointInDegrees": 57.375,
                   "longitudeOfFirstGridPointInDegrees": 338.25,
                   "longitudeOfLastGridPointInDegrees": 37.75, "jScansPositively": 1},
    ),
    "arpege": ("regular_gg_pl_grib2", {}),
    "hrrr": (
        "regular_ll_pl_grib2",
        {"gridType": "lambert", "Nx": 60, "Ny": 50, "DxInMetres": 60e3, "DyInMetres": 60e3,
         "latitudeOfFirstGridPointInDegrees": 33, "longitudeOfFirstGridPointInDegrees": 350,
         "LaDInDegrees": 46, "LoVInDegrees": 8, "Latin1InDegrees": 46, "Latin2InDegrees": 46,
         "jScansPositively": 1, "resolutionAndComponentFlags": 0},
    ),
}  # fmt: skip


def message(grid, name, level, hours=0, hybrid=False, more=()):
    """A message, of a level [hPa or number], 0: of the surface. hybrid: "native": levels without
    coefficients, from the ground up in HRRR, from the top down in ICON.
    """
    sample, keys = grids[grid]
    handle = eccodes.codes_grib_new_from_samples(sample)
    kind = "hybrid" if hybrid and level else "isobaricInhPa" if level else "surface"
    if hybrid == "native":
        kind = "generalVerticalLayer" if grid == "icon" else kind
    elif hybrid:
        eccodes.codes_set(handle, "typeOfLevel", "hybrid")
        eccodes.codes_set(handle, "PVPresent", 1)
        eccodes.codes_set_array(handle, "pv", [*a, *b])
    when = {"dataDate": 20240603, "dataTime": 0, "stepUnits": "h", "stepRange": str(hours)}
    level_keys = {"typeOfLevel": kind, "level": level} if level else {"typeOfLevel": "surface"}
    for key, value in (keys | when | {"shortName": name} | level_keys | dict(more)).items():
        eccodes.codes_set(handle, key, value)
    size = keys.get("Ni", keys.get("Nx", 0)) * keys.get("Nj", keys.get("Ny", 0))
    if size:
        eccodes.codes_set_values(handle, np.zeros(size))
    x, y = (eccodes.codes_get_array(handle, n) for n in ("longitudes", "latitudes"))
    p = np.full(x.shape, 100.0 * level)
    if hybrid and level:
        upwards = hybrid == "native" and grid != "icon"
        k = len(a) - level if upwards else level
        low, high = (a[n] + b[n] * surface_pressure(x, y) for n in (k - 1, k))
        p = (low + high) / 2
    eccodes.codes_set(handle, "bitsPerValue", 24)
    eccodes.codes_set_values(handle, air(name, x, y, p, hours))
    found = eccodes.codes_get_message(handle)
    eccodes.codes_release(handle)
    return found


def of_time(grid, hours, hybrid=False, humidity="q", height="z", more=()):
    """All messages of a time."""
    names = (*short[:3], humidity, *([] if hybrid else [height]))
    names += ("pres", *(["gh"] if grid == "hrrr" else [])) if hybrid == "native" else ()
    levels = range(1, len(a)) if hybrid else pressures
    found = [message(grid, n, k, hours, hybrid, more) for k in levels for n in names]
    ground = ("sp", "orog")
    return b"".join([*found, *(message(grid, n, 0, hours, False, more) for n in ground)])


def together(*messages, shared_bitmap=False):
    """Messages of edition 2 as one, whose section 3 is that of the first."""
    sections = []
    for number, message in enumerate(messages):
        at = 16
        while message[at : at + 4] != b"7777":
            length = int.from_bytes(message[at : at + 4], "big")
            part = message[at : at + length]
            if part[4] >= (4 if number else 1):
                reused = part[4] == 6 and number and shared_bitmap
                sections.append(b"\0\0\0\6\6\xfe" if reused else part)
            at += length
    body = b"".join(sections) + b"7777"
    return messages[0][:8] + (16 + len(body)).to_bytes(8, "big") + body
