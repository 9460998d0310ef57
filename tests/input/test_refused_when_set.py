"""What is no data, no file or no scheme of the model is refused when it is given, not at the start
of the run.
"""

from pathlib import Path

import numpy as np
import pytest

import fathom as fm

levels = fm.ZLevels(nz=2, depth=100)


def ocean(**parts):
    grid = fm.CartesianGrid(6, 6, extent=(1e5, 1e5), levels=levels)
    return fm.Ocean(grid, coriolis=(1e-4, 0), **parts)


def air():
    grid = fm.GaussianGrid(5, levels=fm.SigmaLevels(3))
    return fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics())


models = {"ocean": (ocean, "temperature"), "air": (air, "sea_surface_temperature")}


@pytest.mark.parametrize("model", models)
@pytest.mark.parametrize(
    "given, said",
    [
        ("nofile.nc", "nofile.nc does not exist"),
        (Path("no/file.zarr"), "no/file.zarr does not exist"),
        (fm.Records("no/*.nc"), "no/.*: there is no file that ends in"),
        ("levitu", "no data set"),
        (object(), "neither a number"),
        (None, "= None must be a finite number"),
        (np.nan, "= nan must be a finite number"),
        (np.zeros((3, 3)), "has shape"),
    ],
)
def test_initial_state(model, given, said):
    make, name = models[model]
    with pytest.raises(fm.Error, match=said):
        make().set(**{name: given})


def test_layers_of_air_come_from_no_file():
    with pytest.raises(fm.Error, match=r"air_temperature = 'a.nc' must be a number, an array"):
        air().set(air_temperature="a.nc")


def test_parts_of_the_ocean():
    for name in ("tidal_energy", "geothermal_heat"):
        with pytest.raises(fm.Error, match="nofile.nc does not exist"):
            ocean(**{name: "nofile.nc"})
    for what in (fm.KProfileDiffusion(), "KProfileDiffusion", fm.BasicPhysics()):
        with pytest.raises(fm.InputError, match="vertical_mixing = .* must be RichardsonMixing, "):
            ocean(vertical_mixing=what)
    with pytest.raises(fm.InputError, match=r"sea_ice = FreeSurface\(...\) must be SeaIce"):
        ocean(sea_ice=fm.FreeSurface())


def atmospheres():
    """Makers of models with a physics."""
    heights = fm.HeightLevels(heights=[0, 1000, 2000, 3000, 5000, 8000])
    area = fm.LimitedAreaGrid(
        centre=(5, 45), resolution=2e4, points=(24, 24), extension=8, levels=fm.SigmaLevels(4)
    )
    yield lambda physics: fm.SpectralAtmosphere(air().grid, physics=physics)
    yield lambda physics: fm.GridPointAtmosphere(
        fm.LatitudeLongitudeGrid(16, levels=heights), physics=physics
    )
    yield lambda physics: fm.LimitedAreaAtmosphere(area, physics=physics)
    yield lambda physics: fm.SingleColumn(fm.SigmaLevels(3), physics=physics)


@pytest.mark.parametrize("make", list(atmospheres()))
def test_physics_of_the_air(make):
    for what in (fm.KPP(), "KPP", fm.KPP, [fm.HeldSuarez(), fm.MWJF()]):
        with pytest.raises(fm.InputError, match="does not act on columns of air.*allowed: Basic"):
            make(what)


def test_a_forcing_where_there_is_none():
    with pytest.raises(fm.InputError, match="must be GivenSea or SlabOcean"):
        fm.Simulation(air(), "20min", surface=fm.BulkForcing("coads"))
