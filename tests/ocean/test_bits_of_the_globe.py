"""The real global ocean, driven by real air, has the same bits however it is cut: nothing reads
what only some blocks compute, as on land.
"""

import pytest

import fathom as fm

cases = {
    "climate": {
        "vertical_mixing": fm.KPP(),
        "eddies": fm.GentMcWilliams(),
        "tracer_advection": fm.UpwindAdvection(),
    },
    "cells": {
        "vertical_mixing": fm.KPP(langmuir=1),
        "eddies": fm.GentMcWilliams(structure=fm.schemes.EadyStructure()),
        "submesoscale": fm.MixedLayerEddies(),
        "tracer_advection": fm.QuickestAdvection(),
        "friction": fm.AnisotropicFriction(),
        "free_surface": fm.FreeSurface(freshwater="volume"),
        "geothermal_heat": 0.1,
    },
    "tides": {
        "vertical_mixing": fm.RichardsonMixing(),
        "tidal_mixing": fm.TidalMixing(),
        "background_mixing": fm.BryanLewisMixing(),
        "double_diffusion": fm.DoubleDiffusion(),
        "friction": fm.SmagorinskyFriction(),
        "diffusion": fm.BiharmonicDiffusion(diffusivity=1e13),
        "shortwave_penetration": fm.ChlorophyllWater(),
    },
}


@pytest.mark.parametrize(
    "name", ["climate", "cells", pytest.param("tides", marks=pytest.mark.long)]
)
def test_same_bits_in_other_blocks(name):
    grid = fm.TripolarGrid(
        resolution="3deg",
        levels=fm.ZLevels(nz=12, depth=5500, partial_cells=name == "cells"),
        bathymetry="etopo5",
    )
    ocean = fm.Ocean(grid, **cases[name]).set(temperature="levitus", salinity="levitus")
    found = []
    for blocks in (None, (17, 40)):
        simulation = fm.Simulation(
            ocean, "1h", surface=fm.BulkForcing("coads"), parallel={"blocks": blocks}
        )
        simulation.advance(4)
        found.append({field: simulation.fields.checksum([field]) for field in ocean.prognostic})
    assert found[0] == found[1]
