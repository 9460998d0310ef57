"""The pictures of an atmosphere for the report: weather charts, zonal means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import fathom.plots as plots
from fathom import output
from fathom.base import constants
from fathom.output.diagnostics import whole

Pictures = Iterator[tuple[str, Callable[[], Any]]]
charts = (
    ("geopotential_height", 500),
    ("air_temperature", 850),
    ("eastward_wind", 250),
    ("northward_wind", 250),
)  # variable, hPa
fluxes = (
    "convective_precipitation",
    "stratiform_precipitation",
    "evaporation_flux",
    "sensible_heat_flux",
    "outgoing_longwave",
    "toa_net_shortwave",
    "surface_net_shortwave",
    "insolation",
)
ground = ("air_temperature_2m", "eastward_wind_10m", "northward_wind_10m")


def fields(simulation: Any) -> dict[str, np.ndarray] | None:
    """Returns the argument of `pictures`, from a simulation of a model on levels of pressure; on
    rank 0, all ranks call it.
    """
    model, state = simulation.model, {}
    for name, level in charts:
        state[f"{name}_{level}"] = whole(simulation, name, level)
    for name in ("air_pressure_at_mean_sea_level", "eastward_wind", "air_temperature"):
        state[name] = whole(simulation, name)
    for name in ("precipitation_flux", *ground, "insolation"):
        if name in model.derived or name in model.diagnostics:
            state[name] = whole(simulation, name)
    if not simulation.is_root:
        return None
    if model.land_fraction is not None:
        state["land_fraction"] = model.land_fraction
    state["reference_pressure"] = model.grid.levels.reference_pressure
    flat = {
        name: values[0] if values.ndim == 3 and values.shape[0] == 1 else values
        for name, values in state.items()
    }
    return flat | _stored(simulation)


def _stored(simulation: Any) -> dict[str, Any]:
    """Returns data from the outputs of the run: days, [(hours, 500 hPa height, sea level
    pressure)], and the rain of the last interval of a mean.
    """
    found: dict[str, Any] = {}
    heights: dict[float, Any] = {}
    pressures: dict[float, Any] = {}
    for stream in simulation.outputs:
        with output.open(simulation.directory / stream.path) as data:
            if not data.sizes.get("time"):
                continue
            if stream.statistic == "mean" and "pr" in data:
                rain = _on_all_points(simulation, data.pr[-1].values)
                found |= {"precipitation_flux": rain, "rain_over": str(stream.every)}
            elif "zg" in data and 500.0 in data.zg.coords.get("pressure", ()):
                heights = _by_day(data.zg.sel(pressure=500.0), simulation.clock.start) or heights
            if "psl" in data and not stream.statistic:
                pressures = _by_day(data.psl, simulation.clock.start) or pressures
    both = sorted({*heights} & {*pressures})
    if len(both) > 1:

        def whole(field: Any) -> Any:
            return _on_all_points(simulation, field)

        found["days"] = [(hour, whole(heights[hour]), whole(pressures[hour])) for hour in both]
    return found


def _on_all_points(simulation: Any, field: np.ndarray) -> np.ndarray:
    """Returns output of a limited area at all points of its grid; none in the extension."""
    shape = np.shape(simulation.model.grid.wet_levels)
    more = [(0, max(n - m, 0)) for n, m in zip(shape, field.shape[-2:])]
    return np.pad(field, [(0, 0)] * (field.ndim - 2) + more, constant_values=np.nan)


def _by_day(field: Any, start: Any) -> dict[float, np.ndarray]:
    """Returns the field after each whole day, by its hours since the start; none where times are no
    dates.
    """
    if field.time.dtype.kind != "M":
        return {}
    hours = (field.time.values - np.datetime64(str(start), "ns")) / np.timedelta64(1, "h")
    return {hour: field[n].values for n, hour in enumerate(hours) if hour % 24 == 0}


def pictures(grid: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Pictures]:
    """Returns sections of the report.

    grid: as `mapping` of a Gaussian grid, or any that `mesh_of` takes; `finest`: longitude and
    latitude around which charts are drawn larger. state, all (ny, nx), rows from south to north:
    geopotential_height_500 [m], air_pressure_at_mean_sea_level [Pa], air_temperature_850 [K],
      eastward_wind_250, northward_wind_250 [m s-1], precipitation_flux [kg m-2 s-1],
      air_temperature_2m [K], eastward_wind_10m, northward_wind_10m [m s-1], insolation [W m-2],
      land_fraction for the coast; and (nz, ny, nx) with reference_pressure (nz + 1) [Pa] of the
      interfaces: eastward_wind [m s-1], air_temperature [K]; days, [(hours, 500 hPa height, sea
      level pressure)]; rain_over, the time over which the precipitation is a mean. What is missing
      is left out.
    """
    near = {"Where the grid is finest": _near(grid, state)} if "finest" in grid else {}
    of_globe = plots.mesh_of(grid).is_global
    parts = (
        {"Weather": _charts(grid, state), "Near the ground": _ground(grid, state)}
        | near
        | {
            "Sunlight": _sunlight(grid, state),
            "Day by day": _days(grid, state),
            "Zonal means" if of_globe else "Means along parallels": _sections(grid, state),
        }
    )
    return parts if of_globe else {title: _own_limits(drawn) for title, drawn in parts.items()}


def _own_limits(drawn: Pictures) -> Pictures:
    """Yields pictures of an area with limits of its own values, not those of the globe."""
    for name, draw in drawn:
        if isinstance(draw, partial) and "limits" in draw.keywords:
            draw = partial(draw.func, *draw.args, **{**draw.keywords, "limits": None})
        yield name, draw


def _interval(field: np.ndarray, usual: float, fine: float) -> float:
    """Returns the interval of contours: the fine one where the usual one gives fewer than six."""
    return usual if np.nanmax(field) - np.nanmin(field) > 6 * usual else fine


def _lines(field: np.ndarray, step: float, **style: Any) -> Callable[[Any, Any], None]:
    """Returns contours every `step`, at most a hundred."""
    low, high = np.ceil(np.nanmin(field) / step), np.floor(np.nanmax(field) / step)
    levels = np.arange(low, min(high, low + 100) + 1) * step
    return lambda axes, raster: plots.contours(axes, raster, field, levels, **style)


def _over(land: np.ndarray | None) -> Callable[..., Callable[[Any, Any], None]]:
    """Draws over a map: the coast of the model, and more."""

    def over(*draw: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        def all_(axes: Any, raster: Any) -> None:
            if land is not None:
                plots.coast(axes, raster, land)
            for one in draw:
                one(axes, raster)

        return all_

    return over


def _isobars(pressure: np.ndarray, **style: Any) -> Callable[[Any, Any], None]:
    """Returns contours of pressure [hPa], every 5 hPa, or every hPa where it differs little."""
    return _lines(pressure, _interval(pressure, 5, 1), **style)


def _heights(height: np.ndarray, pressure: np.ndarray | None, over: Any) -> Callable[..., Any]:
    """Returns the chart of 500 hPa: height in colours and black lines every 8 dam, pressure at sea
    level in white.
    """
    isobars = (
        ()
        if pressure is None
        else (_isobars(np.asarray(pressure, float) / 100, colour="white", width=0.9),)
    )
    height = np.asarray(height, float)
    step = _interval(height / 10, 8, 2)  # dam
    return partial(
        plots.map,
        height,
        name="geopotential_height",
        limits=(480, 600),
        colours="weather",
        over=over(_lines(height / 10, step, width=0.45, label="%.0f"), *isobars),
    )


def _temperature(kelvin: np.ndarray, over: Any, every: float) -> Callable[..., Any]:
    """Returns degrees Celsius in colours and in black lines."""
    celsius = np.asarray(kelvin, float) - constants.celsius
    every = _interval(celsius, every, min(every, 2))
    return partial(
        plots.map,
        celsius,
        units="degC",
        limits=(-40, 40),
        colours="weather",
        over=over(_lines(celsius, every, width=0.45, bold=0.0, label="%.0f")),
    )


def _wind(state: Mapping[str, Any], at: str, over: Any) -> Callable[..., Any]:
    """Returns speed in colours, and arrows."""
    u, v = (np.asarray(state[f"{d}ward_wind_{at}"], float) for d in ("east", "north"))
    return partial(
        plots.map, np.hypot(u, v), over=over(lambda axes, raster: plots.vectors(axes, raster, u, v))
    )


def _days(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    mesh = plots.mesh_of(grid)
    if not mesh.is_global or not state.get("days"):
        return
    days, over = state["days"], _over(state.get("land_fraction"))
    chosen = [day for day in days if day[0] / 24 in (0, 1, 2, 3, 5, 7, 10) or day is days[-1]]
    north = plots.Raster(mesh, 1280, plots.Hemisphere(1))
    for hour, height, pressure in chosen:
        yield (
            f"after {hour:g} hours",
            partial(
                _heights(height, pressure, over),
                north,
                title=f"After {hour / 24:g} day{'' if hour == 24 else 's'}" if hour else "Start",
                note="500 hPa height, white: sea level pressure",
            ),
        )


def _near(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    raster, over = (
        plots.Raster(plots.mesh_of(grid), 1280, plots.Around(*grid["finest"])),
        _over(state.get("land_fraction")),
    )
    if "geopotential_height_500" in state:
        draw = _heights(
            state["geopotential_height_500"], state.get("air_pressure_at_mean_sea_level"), over
        )
        yield (
            "500 hPa height, near",
            partial(draw, raster, title="500 hPa height", note="white: sea level pressure"),
        )
    if "air_temperature_850" in state:
        yield (
            "850 hPa temperature, near",
            partial(
                _temperature(state["air_temperature_850"], over, 2),
                raster,
                name="air_temperature",
                title="850 hPa temperature",
            ),
        )
    if "precipitation_flux" in state:
        yield (
            "precipitation, near",
            partial(
                plots.map,
                state["precipitation_flux"],
                raster,
                name="precipitation_flux",
                limits=(0, 40),
                over=over(),
                note=f"mean of the last {state['rain_over']}" if "rain_over" in state else "",
            ),
        )


# long: one chart after the other, each with its own words
def _charts(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    mesh = plots.mesh_of(grid)
    globe = (
        plots.Raster(mesh, projection=plots.EqualEarth(10.0))
        if mesh.is_global
        else plots.Raster(mesh)
    )
    over = _over(state.get("land_fraction"))

    if "geopotential_height_500" in state:
        isobars = state.get("air_pressure_at_mean_sea_level")
        draw = _heights(state["geopotential_height_500"], isobars, over)
        title = "500 hPa height" + (
            f" and sea level pressure (white, every {_interval(isobars / 100, 5, 1):g} hPa)"
            if isobars is not None
            else ""
        )
        yield "500 hPa height", partial(draw, globe, title=title)
        for pole, name in ((1, "north"), (-1, "south")) if mesh.is_global else ():
            raster = plots.Raster(mesh, 1280, plots.Hemisphere(pole))
            yield (
                f"500 hPa height, {name}",
                partial(
                    draw,
                    raster,
                    title=f"{name.capitalize()}ern hemisphere",
                    note=(
                        "500 hPa height, white: sea level pressure"
                        if isobars is not None
                        else "500 hPa height"
                    ),
                ),
            )
    if "air_pressure_at_mean_sea_level" in state:
        pressure = np.asarray(state["air_pressure_at_mean_sea_level"], float) / 100

        def centres(axes: Any, raster: Any) -> Any:
            return plots.highs_and_lows(axes, raster, pressure, max(4, pressure.shape[0] // 16))

        yield (
            "sea level pressure",
            partial(
                plots.map,
                100 * pressure,
                globe,
                name="air_pressure_at_mean_sea_level",
                limits=(960, 1060),
                note=f"every {_interval(pressure, 5, 1):g} hPa",
                over=over(_isobars(pressure, width=0.6, bold=1015.0), centres),
            ),
        )
    if "air_temperature_850" in state:
        yield (
            "850 hPa temperature",
            partial(
                _temperature(state["air_temperature_850"], over, 5),
                globe,
                name="air_temperature",
                title="850 hPa temperature",
            ),
        )
    if {"eastward_wind_250", "northward_wind_250"} <= set(state):
        yield (
            "250 hPa wind",
            partial(
                _wind(state, "250", over),
                globe,
                name="wind_speed",
                title="250 hPa wind",
                limits=(0, 80),
            ),
        )
    if "precipitation_flux" in state:
        yield (
            "precipitation",
            partial(
                plots.map,
                state["precipitation_flux"],
                globe,
                name="precipitation_flux",
                limits=(0, 40),
                over=over(),
                note=f"mean of the last {state['rain_over']}" if "rain_over" in state else "",
            ),
        )


def _ground(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    mesh = plots.mesh_of(grid)
    globe, over = (
        (
            plots.Raster(mesh, projection=plots.EqualEarth(10.0))
            if mesh.is_global
            else plots.Raster(mesh)
        ),
        _over(state.get("land_fraction")),
    )
    if "air_temperature_2m" in state:
        yield (
            "2 m temperature",
            partial(
                _temperature(state["air_temperature_2m"], over, 10),
                globe,
                name="air_temperature_2m",
                title="Temperature at 2 m",
            ),
        )
    if {"eastward_wind_10m", "northward_wind_10m"} <= set(state):
        yield (
            "10 m wind",
            partial(
                _wind(state, "10m", over),
                globe,
                name="wind_speed_10m",
                title="Wind at 10 m",
                limits=(0, 20),
            ),
        )


def _sunlight(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    if "insolation" not in state:
        return
    mesh = plots.mesh_of(grid)
    globe, light = (
        (
            plots.Raster(mesh, projection=plots.EqualEarth(10.0))
            if mesh.is_global
            else plots.Raster(mesh)
        ),
        np.asarray(state["insolation"], float),
    )
    note = (
        f"{100 * lit_fraction(grid, light):.1f} % of the sphere is lit"
        if mesh.is_global and np.ndim(grid["latitude"]) == 1
        else ""
    )
    yield (
        "incoming sunlight",
        partial(
            plots.map,
            light,
            globe,
            name="insolation",
            limits=(0, 1400),
            over=_over(state.get("land_fraction"))(),
            note=note,
        ),
    )


def lit_fraction(grid: Mapping[str, Any], insolation: np.ndarray) -> float:
    """Returns the part of the sphere that the sun shines on, of rows of equally long cells."""
    rows = np.diff(np.sin(np.deg2rad(np.asarray(grid["corner_latitude"], float))))
    return float((rows * (insolation > 0).mean(axis=1)).sum() / rows.sum())


def shallow_water(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    """Returns maps of shallow water: geopotential_height [m], eastward_wind, northward_wind [m
    s-1], vorticity [s-1], all (ny, nx).
    """
    globe = plots.Raster(plots.mesh_of(grid))
    height, u, v = (
        np.asarray(state[name], float)
        for name in ("geopotential_height", "eastward_wind", "northward_wind")
    )
    span = np.ptp(height)
    step = max(
        (n * 10.0**e for e in range(-2, 5) for n in (1, 2, 5) if n * 10.0**e <= span / 12),
        default=1.0,
    )
    yield (
        "height",
        partial(
            plots.map,
            height,
            globe,
            name="geopotential_height",
            title="Height of the surface",
            over=_lines(height, step, width=0.6),
            note=f"every {step:g} m",
        ),
    )
    yield (
        "vorticity",
        partial(plots.map, np.asarray(state["vorticity"], float), globe, name="vorticity"),
    )
    yield (
        "wind",
        partial(
            plots.map,
            np.hypot(u, v),
            globe,
            name="wind_speed",
            over=lambda axes, raster: plots.vectors(axes, raster, u, v),
        ),
    )


def _sections(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    if "reference_pressure" not in state:
        return
    mean = "zonal mean" if plots.mesh_of(grid).is_global else "mean along parallels"
    latitude = np.asarray(grid["latitude"], float)
    interfaces = np.asarray(state["reference_pressure"], float) / 100
    for name, title in (
        ("eastward_wind", f"Eastward wind, {mean}"),
        ("air_temperature", f"Temperature, {mean}"),
    ):
        if name in state:
            if latitude.ndim == 1:
                values, edges = (
                    np.nanmean(state[name], axis=-1),
                    np.asarray(grid["corner_latitude"], float),
                )
            else:
                values, edges = plots.zonal_mean(state[name], latitude, grid["area"])
            yield (
                name,
                partial(
                    plots.section,
                    values,
                    edges,
                    interfaces,
                    name=name,
                    title=title,
                    vertical="pressure",
                ),
            )
