"""The embedded climatology of fluxes by its name: fluxes are those of the file, with rivers, and
balanced fluxes sum to 0.
"""

import numpy as np
import pytest

import fathom as fm
from cases import earth, simulate
from fathom.data import fluxes
from fathom.ocean.surface.implied import SeaAtRest


def forced(**keywords):
    sim = simulate(
        earth(), surface=fm.SurfaceForcing(**keywords), step="3h", start="2001-01-16T12:00"
    )
    sim.advance(1)
    return sim


def places(sim):
    grid = sim.model.grid
    x, y = map(np.asarray, grid.coordinates("center"))
    wet = np.asarray(grid.wet_levels) > 0
    return y, x, wet, np.where(wet, np.asarray(grid.horizontal.area_center), 0.0)


def of_january(sim, name):
    y, x, *_ = places(sim)
    return fluxes.on_points(y, x, name, month=0)[name]


def test_what_enters_is_the_climatology():
    """In the middle of January, and a run has all of it by one word."""
    sim = forced(data="ncep")
    wet = places(sim)[2]
    there, here = of_january(sim, "surface_heat_flux"), sim.gather("surface_heat_flux")[0]
    np.testing.assert_allclose(here[wet], there[wet], rtol=1e-3, atol=0.05)
    rivers = sim.gather("runoff_flux")[0]
    np.testing.assert_allclose(
        (sim.gather("surface_freshwater_flux")[0] - rivers)[wet],
        of_january(sim, "surface_freshwater_flux")[wet],
        atol=2e-8,
    )
    assert "data='ncep'" in repr(sim.surface) and rivers.max() > 1e-5


def test_what_is_given_replaces_it():
    sim = forced(data="ncep", heat_flux=50.0, runoff=1e-5, restoring_temperature=10.0)
    wet = places(sim)[2]
    assert (sim.gather("surface_heat_flux")[0][wet] == 50).all()
    there = of_january(sim, "surface_freshwater_flux")
    np.testing.assert_allclose(
        sim.gather("surface_freshwater_flux")[0][wet], there[wet] + 1e-5, atol=2e-8
    )
    assert sim.surface.shortwave_flux == 0.0  # it is part of another heat flux
    with pytest.raises(ValueError, match="did you mean 'ncep'"):
        fm.SurfaceForcing(data="ncepp")


@pytest.mark.parametrize(
    "surface",
    [
        lambda: fm.SurfaceForcing(data="ncep", balanced=True),
        lambda: fm.BulkForcing(runoff="core2", balanced=True),
    ],
)
def test_balanced(surface):
    """Fresh water, and the salt of restoring, sum to nothing; rivers count."""
    sim = simulate(earth(), surface=surface(), step="3h")
    sim.advance(3)
    area = places(sim)[3]
    for name in ("surface_freshwater_flux", "salinity_surface_flux"):
        flux = sim.gather(name)[0] * area
        assert abs(flux.sum()) < 1e-12 * np.abs(flux).sum()


def test_heat_of_the_year_is_balanced():
    """On the sea of the grid: its own mean is taken away in every month alike."""
    plain, balanced = forced(data="ncep"), forced(data="ncep", balanced=True)
    y, x, wet, area = places(plain)
    months = [
        fluxes.on_points(y, x, "surface_heat_flux", month=m)["surface_heat_flux"] for m in range(12)
    ]
    days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    mean = (np.average(months, axis=0, weights=days) * area).sum() / area.sum()
    taken = plain.gather("surface_heat_flux")[0] - balanced.gather("surface_heat_flux")[0]
    np.testing.assert_allclose(taken[wet], mean, atol=1e-4)


def test_winters_are_salt():
    """Restored to the month: late winter in the Labrador Sea is saltier than the year, whose mean
    is that of the 1 degree data.
    """
    from fathom.data import embedded, surface

    y, x = np.array([58.0]), np.array([308.0])
    name = "sea_surface_salinity"
    months = np.array([fluxes.on_points(y, x, name, month=m)[name] for m in range(12)])
    (annual,) = embedded.on_points(surface.FILE, y, x, name).values()
    np.testing.assert_array_equal(months, surface.on_points(y, x, name)[name])
    np.testing.assert_allclose(months.mean(0), annual, atol=1e-4)
    assert 0.2 < months[1:4].mean() - annual[0] < 0.4


def test_the_sea_stays_above_freezing():
    sim = forced(data="ncep", heat_flux=-5000.0, restoring_temperature=-2.0)
    sim.advance(40)
    T, S = sim.gather("temperature")[0], sim.gather("salinity")[0]
    assert (T - -0.0544 * S)[places(sim)[2]].min() > -1e-9


interface = {
    "surface_stress_x",
    "surface_stress_y",
    "surface_heat_flux",
    "surface_shortwave_flux",
    "surface_freshwater_flux",
    "temperature_surface_flux",
    "salinity_surface_flux",
}


@pytest.mark.parametrize(
    "surface", [fm.BulkForcing(runoff="core2"), fm.SurfaceForcing(data="ncep", balanced=True)]
)
def test_the_ocean_sees_the_declared_fields_alone(surface):
    """Of what a surface writes, no process of the ocean reads anything else (docs/forcing.md)."""
    ocean = fm.Ocean(earth().grid, vertical_mixing=fm.KPP())
    alone = SeaAtRest(ocean.grid).processes(3600.0, surface)
    named = lambda processes, access: {
        f["name"] for p in processes for f in p.fields if f["access"] in access
    }
    of_surface = {p.name for p in alone}
    written = named(alone, ("writes", "updates"))
    rest = [p for p in ocean.processes(3600.0, surface) if p.name not in of_surface]
    seen = written & named(rest, ("reads", "updates")) - {"sea_ice_fraction", "wind_speed"}
    assert {"surface_stress_x", "temperature_surface_flux"} <= seen <= interface, seen
