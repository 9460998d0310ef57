"""One field: its name, its place, the way it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Name:
    """One field: names, unit, place on the grid, and the way it is drawn."""

    name: str  # Fathom name
    alias: str  # variable name in output files
    standard_name: str  # CF standard name, "" where CF has none
    long_name: str  # for titles
    units: str  # of the stored numbers
    horizontal: str  # center, corner, east_face, north_face
    vertical: str  # layer, interface, column (one value a column)
    colours: str  # name in fathom.plots.colours, or of a matplotlib colour map
    limits: tuple[float, float] | None = None  # typical range in units, None: from the data
    display: tuple[str, float] | None = None  # unit for pictures and factor to it
    grib: tuple[Any, ...] | None = (
        # GRIB2: discipline, category, number (tables 0.0, 4.1, 4.2); of one value a column also
        # type and value of its surface
        None
    )
    # (table 4.5); factor to the unit of GRIB2
    fa: str = ""  # FA: the article, on levels what follows their number

    @property
    def _of_temperature(self) -> str:
        """Returns CF: whether a temperature is one, or a difference of two."""
        if self.units not in ("K", "degC"):
            return ""
        difference = "deviation" in self.name or "difference" in self.name
        return "temperature: difference" if difference else "temperature: on_scale"

    @property
    def attributes(self) -> dict[str, str]:
        """Returns CF attributes of the variable in a file."""
        given = {
            "standard_name": self.standard_name,
            "long_name": self.long_name,
            "units": self.units,
            "units_metadata": self._of_temperature,
        }
        return {key: value for key, value in given.items() if value}
