"""The surface below the atmosphere, on the rows of a model, named as the physics reads it; and the
ozone in it. All from embedded sets.

Interpolation never mixes land and sea: the field of each is filled where it has no values,
interpolated bilinearly, and a point gets both in the proportion of its `land_fraction`. Land
temperatures follow the model's ground with the standard lapse rate.

    ground       land and sea ice in the proportion of their areas: the temperature of the surface;
        deep: the mean of the upper 2 m of soil
    soil water   W = 150 kg m-2 (v r + (1 - v) t^2): r and t the wetness (theta - theta_wilt) /
        (theta_field - theta_wilt), within [0, 1], of the upper
                 metre, where roots are, and of the upper 0.1 m, which dries first and gives its
                 water as t^2 (Chen & Dudhia 2001); all of GFS
    soil         of four layers: temperature of GFS at the depth of their middles; water from the
        wilting point (0) to field capacity (1) by the same wetness, layer by layer; the
        lowest as wet as the one above
    vegetation   v = (0.35 - a) / (0.35 - 0.12), within [0, 1],
        a the albedo without snow: vegetation is darker than bare ground
    snow         of GFS; on ice sheets at least 1000 kg m-2, so that they stay white
    roughness    of land: ln z_0 = v ln 1 m + (1 - v) ln 0.01 m; ice sheets 1 mm
    ozone        the zonal mean of GFS between 10 and 100 hPa; above ~ p,
        below a power of p to 5e-8 at 1000 hPa; times a factor for each latitude with
                 which the column is that of GFS
v and the roughness are assumptions with textbook values at their ends, not data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import instants as times
from fathom.base import mpi
from fathom.base.clock import Clock
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.moist_air import CELSIUS, LAPSE_RATE
from fathom.base.reading import once
from fathom.data import embedded, surface
from fathom.data.atmosphere import gfs
from fathom.grids.regrid import fill, sphere
from fathom.grids.regrid.rows import points_of

if TYPE_CHECKING:
    import xarray as xr

ICE_SHEET = 0.9  # soil moisture from which on GFS means ice
SOIL_LAYERS = 0.1, 0.3, 0.6, 1.0  # of GFS, thickness [m]


# long: a field after the other, each in the line that says where it comes from
@once
def boundary_fields(
    grid: Any,
    date: Any,
    land_fraction: Any,
    surface_geopotential: Any,
    dataset: xr.Dataset | None = None,
) -> dict[str, np.ndarray]:
    """Returns fields (rows, longest row): sea_surface_temperature, ground_temperature,
    deep_ground_temperature [K], sea_ice_fraction [1], soil_moisture and snow_amount [kg m-2],
    snow_free_albedo, vegetation_fraction [1], roughness_length [m]; soil_temperature_1 ... _4 [K],
    soil_water_1 ... _4 [kg m-2].

    date                  anything numpy.datetime64 takes: of sea surface and sea ice,
        between the months of the climatology
    land_fraction, surface_geopotential   as `orography` gives them
    dataset               a state with surface_temperature, snow_amount,
        soil_temperature ... (GFS): then sea, ice and ground are those of its day.
                          Without, land is that of the embedded GFS state, in October.
    """
    rows, freezing_sea = points_of(grid), mpi.core.ground["freezing_sea"]
    land, height = (
        rows.pack(np.asarray(land_fraction, float)),
        rows.pack(np.asarray(surface_geopotential, float)) / STANDARD_GRAVITY,
    )
    ground = {"surface_temperature", "sea_ice_fraction", "soil_temperature", "land_fraction"}
    of_day = dataset is not None and ground <= set(dataset.data_vars)
    source = dataset if dataset is not None and of_day else gfs()
    is_land, latitude, longitude = (
        source.land_fraction.values > 0.5,
        source.latitude.values,
        source.longitude.values,
    )
    given = {
        name: source[name].values
        for name in (
            "surface_temperature",
            "sea_ice_fraction",
            "snow_amount",
            "soil_temperature",
            "soil_moisture",
            "soil_wilting_point",
            "soil_field_capacity",
        )
    }

    def only(values: Any, where: Any) -> Any:
        """Returns values at the points of the model, from the points where `where` holds alone."""
        return sphere.to_rows(
            fill.harmonic(np.where(where, values, np.nan), latitude),
            latitude,
            longitude,
            rows,
            order=1,
        )

    if of_day:
        frozen = given["sea_ice_fraction"] >= 0.5
        ice = np.clip(only(given["sea_ice_fraction"], ~is_land), 0, 1)
        sea = np.maximum(only(given["surface_temperature"], ~is_land & ~frozen), freezing_sea)
        on_ice = only(given["surface_temperature"], ~is_land & frozen)
    else:
        ice = np.clip(_of_month("sea_ice_fraction", rows, date), 0, 1)
        sea = np.maximum(_of_month("sea_surface_temperature", rows, date) + CELSIUS, freezing_sea)
        on_ice = _of_month("air_temperature", rows, date) + CELSIUS
    lift = LAPSE_RATE * (
        only(source.surface_geopotential.values / STANDARD_GRAVITY, is_land) - height
    )
    on_land = only(given["surface_temperature"], is_land) + lift
    thickness = np.array(SOIL_LAYERS)
    deep = (
        only(np.tensordot(thickness / thickness.sum(), given["soil_temperature"], 1), is_land)
        + lift
    )
    sheet = np.clip(only((given["soil_moisture"][0] > ICE_SHEET).astype(float), is_land), 0, 1)
    snow = np.maximum(only(given["snow_amount"], is_land), 0)
    kept = embedded.read("land", "snow_free_albedo", "albedo_latitude", "albedo_longitude")
    bare = sphere.to_rows(
        kept["snow_free_albedo"].astype(float),
        kept["albedo_latitude"],
        kept["albedo_longitude"],
        rows,
        order=1,
    )
    v = vegetation(bare)
    wilting, room = (
        given["soil_wilting_point"],
        given["soil_field_capacity"] - given["soil_wilting_point"],
    )
    wetness = np.clip((given["soil_moisture"][:3] - wilting) / room, 0, 1)
    water = v * only(np.tensordot(thickness[:3] / thickness[:3].sum(), wetness, 1), is_land) + (
        1 - v
    ) * only(wetness[0] ** 2, is_land)
    soil = _soil(
        np.stack([only(layer, is_land) + lift for layer in given["soil_temperature"]]),
        np.stack([only(w, is_land) for w in (*wetness, wetness[-1])]),
    )
    frozen_sea = (1 - land) * ice
    share = frozen_sea / np.maximum(land + frozen_sea, 1e-6)
    fields = {
        "sea_surface_temperature": sea,
        "sea_ice_fraction": ice,
        "ground_temperature": (1 - share) * on_land + share * np.minimum(on_ice, freezing_sea),
        "deep_ground_temperature": deep,
        "soil_moisture": mpi.core.ground["bucket"] * np.clip(water, 0, 1),
        "snow_amount": np.where(land > 0, np.maximum(snow, 1000 * sheet), 0.0),
        "snow_free_albedo": (1 - sheet) * bare + 0.75 * sheet,
        "roughness_length": roughness(v, sheet),
        "vegetation_fraction": (1 - sheet) * v,
    }
    return {name: rows.unpack(values) for name, values in (fields | soil).items()}


def _soil(temperature: Any, wetness: Any) -> Any:
    """Returns fields of the model's layers of soil from those of the source, (layers, points)."""
    own = mpi.core.ground
    wilting, capacity = own["wilting_point"], own["field_capacity"]
    fields = {}
    source, depths = (np.cumsum(d) - np.divide(d, 2) for d in (SOIL_LAYERS, own["thickness"]))
    for number, (depth, thickness) in enumerate(zip(depths, own["thickness"], strict=True), 1):
        weights = np.array([np.interp(depth, source, unit) for unit in np.eye(len(source))])
        wet = np.clip(weights @ wetness, 0, 1)
        theta = wilting + wet * (capacity - wilting)
        fields[f"soil_temperature_{number}"] = weights @ temperature
        fields[f"soil_water_{number}"] = 1000 * thickness * theta
    return fields


def vegetation(bare: Any) -> np.ndarray:
    """Returns v [1] from the albedo without snow."""
    result: np.ndarray = np.clip((0.35 - bare) / (0.35 - 0.12), 0, 1)
    return result


def roughness(v: Any, sheet: Any) -> np.ndarray:
    """Returns z_0 of land [m] from vegetation and the fraction of ice sheet."""
    result: np.ndarray = np.exp(
        (1 - sheet) * (1 - v) * np.log(0.01) + sheet * np.log(1e-3)
    )  # ln 1 m is 0
    return result


@once
def ozone(latitude: Any, pressure: Any) -> np.ndarray:
    """Returns mass mixing ratio of ozone [kg kg-1] at latitudes (*points) [degrees] and pressures
    (levels, *points) [Pa].
    """
    data = embedded.read(
        "gfs-2011-10-11", "ozone_mixing_ratio", "ozone_pressure", "latitude", "total_ozone"
    )
    levels = np.concatenate([[1.0], data["ozone_pressure"], [1e5]])
    values = data["ozone_mixing_ratio"].astype(float)
    x, values = (
        np.log(levels),
        np.log(
            np.concatenate(
                [values[:1] * levels[0] / levels[1], values, np.full_like(values[:1], 5e-8)]
            )
        ),
    )
    fine = np.exp(np.linspace(x[0], x[-1], 2000))
    column = (
        np.stack(
            [
                np.trapezoid(np.exp(np.interp(np.log(fine), x, profile)), fine)
                for profile in values.T
            ]
        )
        / STANDARD_GRAVITY
    )
    values = values + np.log(data["total_ozone"] / column)
    latitude, pressure = np.broadcast_arrays(
        np.asarray(latitude, float), np.asarray(pressure, float)
    )
    south, next_row = data["latitude"][:2]
    result = np.empty(pressure.shape)
    for n in np.ndindex(pressure.shape[:-1]):  # one level after another: it stays in cache
        row = np.clip((latitude[n] - south) / (next_row - south), 0, values.shape[1] - 1.000001)
        result[n] = _between(x, values, row, pressure[n], levels[0])
    return result


def _between(x: Any, values: Any, row: Any, pressure: Any, top: Any) -> Any:
    """Returns exp of values (levels, rows), linear in x = ln p and along rows, at places `row` and
    pressures (points) [Pa]; above `top` ~ p.
    """
    level = np.interp(np.log(np.maximum(pressure, top)), x, np.arange(x.size))
    k, j = np.minimum(level.astype(int), x.size - 2), row.astype(int)
    s, t = level - k, row - j
    inside = (1 - s) * ((1 - t) * values[k, j] + t * values[k, j + 1]) + s * (
        (1 - t) * values[k + 1, j] + t * values[k + 1, j + 1]
    )
    return np.exp(inside) * np.minimum(pressure / top, 1)


def _of_month(name: str, rows: Any, date: Any) -> Any:
    """Returns a variable of the surface climatology at a date, packed."""
    before, after, t0, t1 = times.months.bracket(
        Clock(np.datetime_as_string(np.datetime64(date, "D")).replace("T", " ")), 0.0
    )
    weight = -t0 / (t1 - t0)
    months = [
        surface.on_points(rows.point_latitude, rows.point_longitude, name, month=month)[
            name
        ].astype(float)
        for month in (before, after)
    ]
    return (1 - weight) * months[0] + weight * months[1]
