"""The grid-point atmosphere: non-hydrostatic, on a sphere or an area."""
