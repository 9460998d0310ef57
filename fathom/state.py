"""From what a user gives – a number, an array, a function, a data set's name – to arrays on the grid, with errors that say where."""

import numpy as np


def coordinates(ocean, where="center"):
    """(longitude, latitude) [degrees], or (x, y) [m] on a plane, at centres or corners; (ny, nx)."""
    h = ocean.grid.horizontal
    x, y = (np.asarray(getattr(h, f"{where}_{name}")) for name in ("longitude", "latitude"))
    return (x[1:, 1:], y[1:, 1:]) if where == "corner" else (x, y)


def grid_mapping(ocean):
    """The grid as output, plots and the report take it: coordinates of centres and corners, thickness, depth, area, wet levels."""
    h, thickness = ocean.grid.horizontal, np.asarray(ocean.grid.vertical.thickness)
    x, y = ("longitude", "latitude") if h.spherical else ("x", "y")
    centers = coordinates(ocean)
    return {f"corner_{x}": np.asarray(h.corner_longitude), f"corner_{y}": np.asarray(h.corner_latitude), x: centers[0], y: centers[1],
            "depth": np.cumsum(thickness) - thickness / 2, "thickness": thickness, "wet_levels": np.asarray(ocean.grid.wet_levels), "area": np.asarray(h.area_center)}  # fmt: skip


def on_columns(ocean, value, where="center", name="value"):
    """An array (ny, nx), float64, of what was given."""
    shape = np.shape(ocean.grid.wet_levels)
    if callable(value):
        value = value(*coordinates(ocean, where))
    return _checked(np.array(np.broadcast_to(_plain(value), shape) if np.ndim(_plain(value)) == 0 else _plain(value), float), shape, name, ocean)


def on_layers(ocean, value, name, where="center"):
    """Levels of what was given, one at a time: yields (k, array (ny, nx)). ValueError: shape, or NaN in the water, with its place."""
    shape = np.shape(ocean.grid.wet_levels)
    thickness = np.asarray(ocean.grid.vertical.thickness)
    depth = np.cumsum(thickness) - thickness / 2
    if isinstance(value, str):
        value = _data_set(ocean, value, name, depth)
    if callable(value):
        x, y = coordinates(ocean, where)
        function = value
        level = lambda k: np.broadcast_to(function(x, y, depth[k]), shape)  # noqa: E731
    else:
        array = _plain(value)
        if array.ndim == 3 and array.shape != (len(depth), *shape) or array.ndim == 2 and array.shape != shape or array.ndim not in (0, 2, 3):
            raise ValueError(f"{name} has shape {array.shape}; the grid takes {(len(depth), *shape)}, {shape} or a number")
        level = lambda k: np.broadcast_to(array[k] if array.ndim == 3 else array, shape)  # noqa: E731
    wet = np.asarray(ocean.grid.wet_levels) if where == "center" else ocean.corner_levels()
    for k in range(len(depth)):
        values = np.array(level(k), float)
        bad = ~np.isfinite(values) & (k < wet)
        if bad.any():
            j, i = np.argwhere(bad)[0]
            raise ValueError(f"{name} is {values[j, i]} at {place(ocean, j, i, k)}, and at {bad.sum() - 1} more points of water in that layer")
        yield k, np.where(k < wet, values, 0.0)


def place(ocean, j, i, k=None):
    """"30.5 W, 42.1 N, 105 m" of a cell; indices too."""
    x, y = coordinates(ocean)
    thickness = np.asarray(ocean.grid.vertical.thickness)
    level = "" if k is None or k < 0 else f", {np.cumsum(thickness)[k] - thickness[k] / 2:.0f} m"
    if ocean.grid.horizontal.spherical:
        lon = (x[j, i] + 180) % 360 - 180
        where = f"{abs(lon):.1f} {'W' if lon < 0 else 'E'}, {abs(y[j, i]):.1f} {'S' if y[j, i] < 0 else 'N'}{level}"
    else:
        where = f"x {x[j, i] / 1e3:.1f} km, y {y[j, i] / 1e3:.1f} km{level}"
    return f"{where} (j={j}, i={i}" + (f", k={k})" if k is not None and k >= 0 else ")")


def _plain(value):
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} is neither a number, an array, a function nor the name of a data set") from None


def _checked(array, shape, name, ocean):
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; the grid takes {shape} or a number")
    bad = ~np.isfinite(array) & (np.asarray(ocean.grid.wet_levels) > 0)
    if bad.any():
        j, i = np.argwhere(bad)[0]
        raise ValueError(f"{name} is {array[j, i]} at {place(ocean, j, i)}, and at {bad.sum() - 1} more points of water")
    return np.where(np.isfinite(array), array, 0.0)


def _data_set(ocean, source, name, depth):
    if source != "levitus" or name not in ("temperature", "salinity"):
        raise ValueError(f"no data set '{source}' for {name}; allowed: 'levitus' for temperature and salinity")
    from fathom.data import levitus

    h = ocean.grid.horizontal
    return levitus.on_points(np.asarray(h.center_latitude), np.asarray(h.center_longitude), depth, name)
