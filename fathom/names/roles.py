"""What a coordinate of a file is: by its standard name, else by its name or unit."""

from __future__ import annotations

from typing import Any

_places = {  # what a coordinate is: by names and units of others
    "longitude": ("lon", "nav_lon", "degrees_east", "degree_east", "degrees_E"),
    "latitude": ("lat", "nav_lat", "degrees_north", "degree_north", "degrees_N"),
}


def role_of(coordinate: Any, name: str) -> str:
    """Returns the standard name of a coordinate; without one that which its name or unit tells."""
    said = {name.lower(), str(coordinate.attrs.get("units", ""))}
    told = (role for role, words in _places.items() if said & set(words))
    return str(coordinate.attrs.get("standard_name") or next(told, ""))


_levels = ("depth", "height", "pressure", "level", "interface", "altitude", "layer")


def role_of_level(data: Any, dim: str) -> str:
    """Returns what a vertical dimension of a field is, by its name or standard name; "": none."""
    said = str(data[dim].attrs.get("standard_name", "")) if dim in data.coords else ""
    return next((word for word in _levels if word in dim.lower() or word in said), "")
