"""What follows from the fields of the ocean: output variables by name, stream function, transport through Drake Passage."""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from fathom.data.regrid import vertical
from fathom.diagnostics import Diagnostic, same, weighted


def _east(ocean, window):
    cosine, sine = _turn(ocean, window)
    return cosine, -sine


def _north(ocean, window):
    cosine, sine = _turn(ocean, window)
    return sine, cosine


def _turn(ocean, window):
    j0, i0, ny, nx = window
    return (np.ascontiguousarray(part[j0 : j0 + ny, i0 : i0 + nx]) for part in ocean.grid.turn)


def _speed(ocean, window, u, v):
    return np.hypot(u, v)


def _through(length):
    """A velocity from the transport through faces of that length."""

    def of(ocean, window, transport):
        j0, i0, ny, nx = window
        faces = np.asarray(getattr(ocean.grid.horizontal, length))[j0 : j0 + ny, i0 : i0 + nx]
        return transport / (faces * np.asarray(ocean.grid.vertical.thickness)[:, None, None])

    return of


def potential_density(ocean, temperature, salinity, pressure=0.0):
    """[kg m-3] at a pressure [dbar], by the ocean's equation of state; arrays (levels, ny, nx)."""
    from fathom.mpi import core

    levels = len(temperature)
    given = {"temperature": temperature, "salinity": salinity, "pressure_reference": np.full(levels, pressure), "thickness": np.ones(levels)}
    process = ocean.equation_of_state.process(8)
    found = core.run_column(process, {f["name"]: np.ascontiguousarray(given[f["name"]], float) for f in process.fields if f["access"] == "reads"}, levels=levels)
    return found["density_anomaly"] + ocean.equation_of_state.all_parameters.get("reference_density", core.reference_density(pressure))


def _mixed_layer_depth(ocean, window, temperature, salinity):
    """Where potential density exceeds that at 10 m by 0.03 kg m-3 (de Boyer Montegut et al. 2004), linear between the middles of layers; else the bottom [m]."""
    j0, i0, ny, nx = window
    middles, bottoms = np.asarray(ocean.grid.levels.middles), np.concatenate([[0.0], np.cumsum(ocean.grid.levels.weights)])
    water = np.asarray(ocean.grid.wet_levels)[j0 : j0 + ny, i0 : i0 + nx]
    rho = potential_density(ocean, temperature, salinity)
    k = min(int(np.searchsorted(middles, 10.0)), len(middles) - 1)
    weight = np.clip((10.0 - middles[k - 1]) / (middles[k] - middles[k - 1]), 0, 1) if k else 0.0
    at_10 = rho[k] * weight + rho[k - 1] * (1 - weight) if k else rho[0]
    excess = rho - at_10 - 0.03
    depth = bottoms[water]
    for n in range(len(middles) - 1, max(k, 1) - 1, -1):
        with np.errstate(invalid="ignore", divide="ignore"):
            within = np.clip(-excess[n - 1] / (excess[n] - excess[n - 1]), 0, 1)
            found = (n < water) & (excess[n] > 0)
        depth = np.where(found, middles[n - 1] + within * (middles[n] - middles[n - 1]), depth)
    return depth[None]


_velocity = ("velocity_x", "velocity_y")
derived = {
    "sea_surface_temperature": Diagnostic(("temperature",), same, surface=True),
    "sea_surface_salinity": Diagnostic(("salinity",), same, surface=True),
    "eastward_velocity": Diagnostic(_velocity, weighted(_east)),
    "northward_velocity": Diagnostic(_velocity, weighted(_north)),
    "speed": Diagnostic(_velocity, _speed, linear=False),
    "surface_eastward_velocity": Diagnostic(_velocity, weighted(_east), surface=True),
    "surface_northward_velocity": Diagnostic(_velocity, weighted(_north), surface=True),
    "bolus_velocity_x": Diagnostic(("bolus_transport_east",), _through("length_east_face")),
    "bolus_velocity_y": Diagnostic(("bolus_transport_north",), _through("length_north_face")),
    "mixed_layer_depth": Diagnostic(("temperature", "salinity"), _mixed_layer_depth, linear=False, vertical="column"),
    "surface_speed": Diagnostic(_velocity, _speed, surface=True, linear=False),
}


def at_depth(diagnostic, depths, horizontal):
    """The Diagnostic of a variable of layers at depths [m], linear between the middles of layers; constant from the first up to the surface; nothing below
    the middle of the last layer that has water."""

    def of(model, window, *arrays):
        j0, i0, ny, nx = window
        values = np.array(diagnostic.of(model, window, *arrays), float)
        water, middles = model.grid.levels_at(horizontal)[j0 : j0 + ny, i0 : i0 + nx], np.asarray(model.grid.levels.middles)
        for k in range(1, len(values)):  # the last value of the water goes on into the ground, for the interpolation
            np.copyto(values[k], values[k - 1], where=water <= k)
        return np.where(depths[:, None, None] <= middles[water - 1], vertical(values, middles, depths), np.nan)

    return replace(diagnostic, of=of, vertical="layer")


_sections = WeakKeyDictionary()  # of grids: `horizontal` is made anew each time that it is asked for


def drake_section(grid):
    """(i, j0, widths [m] of the faces from j0 on): the corners of Drake Passage, the column nearest 68 W between 72 S and 53 S; None where the grid has none."""
    if grid not in _sections:
        _sections[grid] = _drake_section(grid.horizontal)
    return _sections[grid]


def _drake_section(h):
    if not h.spherical:
        return None
    lon, lat = np.asarray(h.corner_longitude)[1:, 1:], np.asarray(h.corner_latitude)[1:, 1:]
    passage = (lat < -53) & (lat > -72)
    distance = np.where(passage, np.abs((lon - 292 + 180) % 360 - 180), np.inf).min(axis=0)
    if not np.isfinite(distance).any() or distance.min() > 5:
        return None
    i = int(distance.argmin())
    rows = np.flatnonzero(passage[:, i])
    return i, int(rows[0]), np.array(h.dy_corner)[rows[0] : rows[-1] + 1, i]


def drake_transport(simulation):
    """The series of the volume transport through Drake Passage [m3 s-1]; none where the grid has no such passage."""
    section = drake_section(simulation.model.grid)
    if section is None:
        return {}
    i, first, width = section
    total, grid = 0.0, simulation.model.grid
    for n, (b0, a0, ny, nx) in enumerate(simulation.domain.blocks):
        south, north = max(first, b0), min(first + len(width), b0 + ny)
        if a0 <= i < a0 + nx and south < north:
            u = simulation.sequence.part("velocity_x", n, south - b0, i - a0, north - south, 1)[:, :, 0]
            for j in range(south, north):
                total += float(np.dot(u[:, j - south], grid.column(j, i, "corner"))) * width[j - first]
    return {"drake_transport": (simulation.comm.allreduce(total), "m3 s-1")}
