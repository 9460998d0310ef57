"""Named sets of parts of an ocean: what a user names stays, the rest is that of the set."""

import pytest

import fathom as fm

ground = fm.LatitudeLongitudeGrid(
    20,
    12,
    latitude=(-60, 60),
    bathymetry=lambda x, y: 4000 + 0 * x,
    levels=fm.ZLevels(nz=4, depth=4000),
)
box = fm.CartesianGrid(8, 8, extent=(4e5, 4e5), levels=fm.ZLevels(nz=4, depth=4000))


def test_parts_of_the_sets():
    simple, standard = (fm.Ocean(ground, physics=name) for name in ("simple", "standard"))
    assert fm.Ocean(ground).physics == "standard" and fm.Ocean(ground).eddies is not None
    assert fm.Ocean(box, coriolis=(1e-4, 0)).physics == "simple"
    assert (simple.vertical_mixing.name, simple.eddies, simple.geothermal_heat) == (
        "RichardsonMixing",
        None,
        0.0,
    )
    assert standard.vertical_mixing.name == "KPP"
    assert standard.tracer_advection.name == "UpwindAdvection"
    assert standard.eddies.structure.name == "StratificationStructure"
    assert standard.tidal_mixing.name == "TidalMixing" and standard.geothermal_heat == 0.1
    assert standard.free_surface.freshwater == "volume" and standard.diffusion is None
    assert "physics='standard'" in repr(standard)


def test_what_is_named_stays():
    model = fm.Ocean(
        ground,
        physics="standard",
        eddies=None,
        vertical_mixing=fm.ConstantMixing(),
        geothermal_heat=0.05,
    )
    assert model.eddies is None and model.diffusion.name == "LaplacianDiffusion"
    assert model.vertical_mixing.name == "ConstantMixing" and model.geothermal_heat == 0.05


def test_a_plane_has_no_tides_of_the_earth():
    model = fm.Ocean(box, physics="standard", coriolis=(1e-4, 0))
    assert model.tidal_mixing is None and model.geothermal_heat == 0.0


def test_unknown_set():
    with pytest.raises(fm.InputError, match="did you mean 'standard'.*allowed: simple, standard"):
        fm.Ocean(ground, physics="standart")
