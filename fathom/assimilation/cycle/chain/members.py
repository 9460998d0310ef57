"""Members of a chain: an ensemble of forecasts whose spread is the error of the background."""

from __future__ import annotations

from typing import Any

from fathom.assimilation.maps import Vector


def background(cycles: Any, number: int, x: Vector) -> Any:
    """Returns L of the members and of the statistics."""
    raise NotImplementedError
