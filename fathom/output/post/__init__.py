"""Forecast products from the fields of a model: pressure levels, mean-sea-level pressure, the air
near the ground, scores, regular grids.

from fathom.output.post import pressure_levels, near_surface, scores, regular
"""
