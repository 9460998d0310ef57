"""Files of others with odd levels, longitudes, dates, fill values and names, on each way in: a
field in time, a start of the sea, a state of the air, depths, a table of observations. Each is
read as it is meant, or ends in an error of one message: never other values, never a traceback.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import xarray as xr

from fathom.assimilation.observations import ingest
from fathom.atmosphere.remap import initial
from fathom.base.failure import Error
from fathom.data import atmosphere
from fathom.data.input import layers, states
from fathom.data.input.records import Input, Records, sources
from fathom.grids import sea_floor

latitude, longitude = np.arange(-87.5, 90, 5), np.arange(0.0, 360, 5)
depths, pressures = np.array([0.0, 10, 50, 200, 1000, 4000]), np.array([10.0, 100, 300, 500, 1000])
east, north = np.meshgrid([3.0, 100.0, 178.0, 271.0, 356.0], [-61.0, 0.0, 44.0])
Fault = tuple[str, bool, Callable[[xr.Dataset], xr.Dataset]]  # its name, whether it must be refused


def wave(x: Any, y: Any) -> Any:
    """A number that tells its place."""
    return np.cos(np.radians(x)) + np.sin(np.radians(y))


def on_axes(name: str, values: Any, axes: dict[str, Any], **said: str) -> xr.Dataset:
    """A file with one field; the places have units, as CF wants."""
    units = {"lat": "degrees_north", "lon": "degrees_east", "depth": "m", "plev": "hPa"}
    places = {n: ((n,), at, {"units": units[n]} if n in units else {}) for n, at in axes.items()}
    return xr.Dataset({name: (tuple(axes), values, said)}, places)


# ------------------------------------------------------------------------------------ faults


def turned(dim: str, at: Callable[[Any], Any]) -> Callable[[xr.Dataset], xr.Dataset]:
    """Other numbers for the same places along a dimension."""
    return lambda d: d.assign_coords({dim: (dim, at(d[dim].values), d[dim].attrs)})


def chosen(dim: str, order: Callable[[int], Any]) -> Callable[[xr.Dataset], xr.Dataset]:
    """Places along a dimension in another order, or some of them only."""
    return lambda d: d.isel({dim: order(d.sizes[dim])})


def said(**attributes: str) -> Callable[[xr.Dataset], xr.Dataset]:
    """Other attributes of the first field."""

    def change(data: xr.Dataset) -> xr.Dataset:
        name = next(iter(data.data_vars))
        data[name].attrs.update(attributes)
        return data

    return change


def holds(number: float, declared: bool) -> Callable[[xr.Dataset], xr.Dataset]:
    """A number in place of a value at a third of all places; declared: the file says so."""

    def change(data: xr.Dataset) -> xr.Dataset:
        name = next(iter(data.data_vars))
        values = data[name].values.copy()
        values[..., 4:20, 10:60] = number
        data[name] = (data[name].dims, values, data[name].attrs)
        if declared:
            data[name].encoding["_FillValue"] = number
            data[name].values[data[name].values == number] = np.nan
        return data

    return change


def places(lon: str, lat: str) -> list[Fault]:
    """Longitudes and latitudes in other orders."""
    half = chosen(lon, lambda n: np.roll(np.arange(n), n // 2))
    signed = turned(lon, lambda x: (x + 180) % 360 - 180)
    return [
        ("westward", False, chosen(lon, lambda n: np.arange(n)[::-1])),
        ("from the date line", False, lambda d: half(signed(d))),
        ("a column twice", False, chosen(lon, lambda n: np.append(np.arange(n), 0))),
        ("two halves", False, chosen(lon, lambda n: np.roll(np.arange(n), n // 3))),
        ("another turn", False, turned(lon, lambda x: x + 360)),
        ("a third is missing", True, chosen(lon, lambda n: np.arange(n // 3, n))),
        ("from north", False, chosen(lat, lambda n: np.arange(n)[::-1])),
        ("tropics only", True, chosen(lat, lambda n: np.arange(n // 3, 2 * n // 3))),
        ("radians", True, turned(lon, np.radians)),
        ("no number as longitude", True, turned(lon, lambda x: np.where(x > 100, np.nan, x))),
    ]  # fmt: skip


numbers: list[Fault] = [
    (f"{number:g}{' declared' if declared else ''}", not declared, holds(number, declared))
    for number in (-9999.0, 99999.0, 1e20, 9.96921e36)
    for declared in (False, True)
]


undeclared = numbers[::2]  # a start is filled from the water around


def levels(dim: str) -> list[Fault]:
    """Levels in other orders."""
    shuffled = lambda n: np.random.default_rng(n).permutation(n)
    return [
        ("levels from the other end", False, chosen(dim, lambda n: np.arange(n)[::-1])),
        ("levels in any order", False, chosen(dim, shuffled)),
        ("a level twice", True, chosen(dim, lambda n: np.append(np.arange(n), 1))),
        ("no number as level", True, turned(dim, lambda z: np.where(z == z[1], np.nan, z))),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------ ways in


def forcing(file: Path) -> tuple[Any, Any]:
    """A heat flux as a run reads it, and the right one."""
    wet = np.ones(east.shape, int)
    grid = SimpleNamespace(
        wet_levels=wet,
        horizontal=SimpleNamespace(spherical=True),
        coordinates=lambda where: (east, north),
        levels_at=lambda where: wet,
        place=lambda j, i: f"(j={j}, i={i})",
    )
    called = ("heat_flux", "surface_downward_heat_flux_in_sea_water", "hfds")
    one = Input("heat_flux", Records(str(file)), "W m-2", called)
    if len(one.axis) != 2 or one.axis.begin[1][:3] != (2000, 2, 1):
        raise ValueError(f"other times: {one.axis}")
    return sources([one], grid)[0].read(1)["heat_flux"], 1000 * wave(east, north) + 1


def start(file: Path) -> tuple[Any, Any]:
    """Temperatures at two depths, and the right ones."""
    found = layers.on_points(str(file), "temperature", north, east, np.array([5.0, 600.0]))
    right = [10 + wave(east, north) - z / 1000 for z in (5.0, 600.0)]
    return found, np.stack(right)


def state(file: Path) -> tuple[Any, Any]:
    """A temperature of the air at 500 hPa, and the right one."""
    data = atmosphere.open(str(file)).isel(time=0)
    if not atmosphere.area_state.around(data.longitude.values) or data.sizes["latitude"] < 36:
        raise Error("a part of the earth, which no forecast on the globe starts from")
    states.check_numbers(file, data)
    initial._check_everywhere(data)
    level = data.air_temperature.sel(pressure=50000.0)
    return level.values, 250 + wave(*np.meshgrid(data.longitude, data.latitude))


def floor(file: Path) -> tuple[Any, Any]:
    """Depths of cells, and the right ones."""
    x, y = np.meshgrid(np.arange(-20.0, 341, 10), np.arange(-60.0, 61, 10))
    found = sea_floor.depth_on_cells(str(file), x, y)
    middle = 0.25 * (x[1:, 1:] + x[:-1, :-1] + x[1:, :-1] + x[:-1, 1:]), y[1:, :-1] - 5
    return found / 100, 20 + wave(*middle)


def flux() -> xr.Dataset:
    value = 1000 * wave(*np.meshgrid(longitude, latitude))
    times = np.array(["2000-01-01", "2000-02-01"], "M8[ns]")
    said = {"units": "W m-2", "standard_name": "surface_downward_heat_flux_in_sea_water"}
    axes = {"time": times, "lat": latitude, "lon": longitude}
    return on_axes("hfds", np.stack([value, value + 1]), axes, **said)


def sea() -> xr.Dataset:
    value = 10 + wave(*np.meshgrid(longitude, latitude)) - depths[:, None, None] / 1000
    said = {"units": "degC", "standard_name": "sea_water_potential_temperature"}
    axes = {"depth": depths, "lat": latitude, "lon": longitude}
    return on_axes("thetao", value, axes, **said)


def air() -> xr.Dataset:
    field = wave(*np.meshgrid(longitude, latitude)) + np.zeros((1, len(pressures), 1, 1))
    axes = {"time": np.array(["2000-01-01"], "M8[ns]"), "plev": pressures} | {
        "lat": latitude, "lon": longitude
    }  # fmt: skip
    others = {"ua": ("m s-1", 10.0), "va": ("m s-1", 5.0), "hus": ("1", 1e-3), "zg": ("m", 1e4)}
    whole = on_axes("ta", 250 + field, axes, units="K", standard_name="air_temperature")
    parts = [on_axes(n, value + 0 * field, axes, units=u) for n, (u, value) in others.items()]
    return xr.merge([whole, *parts])


def deep() -> xr.Dataset:
    value = -100 * (20 + wave(*np.meshgrid(longitude, latitude)))
    return on_axes("elevation", value, {"lat": latitude, "lon": longitude}, units="m")


another: dict[str, list[Fault]] = {
    "forcing": [
        ("upward", True, said(standard_name="surface_upward_heat_flux_in_air")),
        ("positive up", True, said(positive="up")),
        ("maximum", True, said(cell_methods="time: maximum")),
        ("kW", False, lambda d: said(units="kW m-2")(d / 1000)),
        ("kelvins", True, said(units="K")),
        ("times backwards", True, chosen("time", lambda n: np.arange(n)[::-1])),
        ("a time twice", True, chosen("time", lambda n: np.array([0, 0, 1]))),
        ("dates as digits", True, turned("time", lambda t: np.array([20000101.0, 20000201.0]))),
        ("days of a spreadsheet", True, turned("time", lambda t: np.array([36526.0, 36557.0]))),
    ],
    "start": [
        ("another quantity", True, said(standard_name="sea_water_practical_salinity")),
        ("kelvins", False, lambda d: said(units="K")(d + 273.15)),
        ("metres", True, said(units="m")),
        ("both signs", True, turned("depth", lambda z: z - 100)),
        ("upward", False, turned("depth", lambda z: -z)),
    ],
    "state": [
        ("another quantity", True, said(standard_name="air_potential_temperature")),
        ("minimum", True, said(cell_methods="time: minimum")),
        ("a field lacks", True, lambda d: d.drop_vars("ua")),
    ],
    "floor": [
        ("positive down", True, said(positive="down")),
        ("kilometres", False, lambda d: said(units="km")(d / 1000)),
        ("depths called heights", True, lambda d: -d),
    ],
}
ways: dict[str, tuple[Callable[[], xr.Dataset], Callable[[Path], tuple[Any, Any]], list[Fault]]] = {
    "forcing": (flux, forcing, [*places("lon", "lat"), *numbers, *another["forcing"]]),
    "start": (
        sea,
        start,
        [*places("lon", "lat"), *undeclared, *levels("depth"), *another["start"]],
    ),
    "state": (air, state, [*places("lon", "lat"), *numbers, *levels("plev"), *another["state"]]),
    "floor": (deep, floor, [*places("lon", "lat"), *another["floor"]]),
}
together_right = {"positive down", "depths called heights"}  # one makes up for the other
tolerance = 0.02  # of numbers between -2 and 2


def table(chance: random.Random) -> tuple[str, str, str, bool]:
    """A table of observations with an odd number: its fault, its text, the time that is right."""
    time, right = chance.choice(
        [
            ("2018-11-20T12:00", True),
            ("20181120", True),
            ("201811201200", True),
            ("1542715200", True),
            ("43424.5", False),
            ("2018112012", False),
            ("20.11.2018", False),
            ("99999999", False),
            ("Tuesday", False),
        ]
    )
    value = chance.choice(["288.5", "9999", "-999", "1e20", "15", "nan", "288,5"])
    text = f"time,longitude,latitude,air_temperature\n{time},7,47,{value}\n"
    return f"{time} {value}", text, value, right


def read_table(folder: Path, text: str, value: str, right: bool) -> str:
    """What became of it."""
    (folder / "a.csv").write_text(text)
    made, (account,) = ingest.collect([folder / "a.csv"])
    if not len(made):
        missing = value in ("nan", "1e20")  # so in other programs
        return "error" if account.damaged or missing else "silent nothing was said"
    day = np.unique(made["time"] // 86400)
    there = right and value == "288.5" and list(made["value"]) == [288.5] and day == [17855]
    return "same" if there else f"silent {made['time']} {made['value']}"


def outcome(way: str, faults: list[Fault], folder: Path) -> str:
    """What became of a file with these faults."""
    make, read, _ = ways[way]
    data = make()
    for _, _, change in faults:
        data = change(data)
    file = folder / "a.nc"
    file.unlink(missing_ok=True)
    data.to_netcdf(file)
    found, right = read(file)
    off = float(np.nanmax(np.abs(found - right))) / (1000 if way == "forcing" else 1)
    names = {name for name, _, _ in faults}
    right_after_all = together_right if together_right <= names else set()
    wrong = any(refused for name, refused, _ in faults if name not in right_after_all)
    if np.isnan(found).any() or off > tolerance or wrong:
        return f"silent off by {off:.3g}"
    return "same"


def made(number: int, seed: int) -> Iterator[tuple[str, list[Fault]]]:
    """So many ways in, with one fault or two."""
    chance = random.Random(seed)
    for _ in range(number):
        way = chance.choice(list(ways))
        yield way, chance.sample(ways[way][2], chance.choice((1, 1, 2)))


def tried(number: int, seed: int) -> list[dict[str, str]]:
    """What became of so many files, a fifth of them tables: {"case", "what", "said"}."""
    found = []
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for way, faults in made(number - number // 5, seed):
            case = f"{way}: {', '.join(name for name, _, _ in faults)}"
            found.append(_told(case, lambda w=way, f=faults: outcome(w, f, Path(folder))))
        for _ in range(number // 5):
            case, text, value, right = table(chance)
            act = lambda t=text, v=value, r=right: read_table(Path(folder), t, v, r)
            found.append(_told(f"table: {case}", act))
    return found


def _told(case: str, act: Callable[[], str]) -> dict[str, str]:
    try:
        what, _, said = act().partition(" ")
    except Error as error:
        what, said = ("error", str(error)) if "\n" not in str(error) else ("traceback", str(error))
    except Exception as error:
        what, said = "traceback", f"{type(error).__name__}: {error}"
    return {"case": case, "what": what, "said": said}
