"""Ice sheets of land over an ocean: their own albedos, by the share of the land that they cover."""

import numpy as np
import pytest

import fathom as fm


def test_an_ice_sheet_has_its_own_albedo():
    """Snow that has aged to 0.5 stays at 0.77 on a sheet; where none lies, ice reflects 0.6."""
    sheet, snow = np.array([0.0, 1.0, 0.0, 1.0, 0.25]), np.array([0.0, 0.0, 1e6, 1e6, 0.0])
    column = fm.SingleColumn(
        fm.SigmaLevels(3),
        [fm.schemes.TileStateOverOcean()],
        latitude=np.full(5, 70.0),
        keep=["albedo", "snow_absorption", "land_absorption"],
    )
    column.set(
        land_fraction=1.0, land_ice_fraction=sheet, snow_amount=snow, snow_albedo=0.5,
        snow_free_albedo=0.2, vegetation_fraction=0.0, ground_temperature=260.0,
        sea_surface_albedo=0.06, sea_surface_emission=300.0,
    )  # fmt: skip
    column.advance(1)
    assert column["albedo"] == pytest.approx([0.2, 0.6, 0.5, 0.77, 0.3], abs=1e-5)
    taken = 1 - column["albedo"]
    of_tiles = np.where(snow > 0, column["snow_absorption"], column["land_absorption"])
    assert of_tiles * taken == pytest.approx(taken, rel=1e-4)
