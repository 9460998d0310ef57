"""Tracers that react: one scheme changes several at once, in Python and in C++; wherever else it is
placed it is right, or refused.
"""

import numpy as np
import pytest

import fathom as fm
from fathom.base.failure import InputError

day, names = 86400.0, ("nutrient", "phytoplankton", "zooplankton")


def flows(N, P, Z, light):
    """Uptake, grazing, loss, death [mmol m-3 s-1]."""
    uptake, grazing = 1.0 / day * light * N / (0.5 + N) * P, 0.6 / day * P**2 / (0.3 + P**2) * Z
    return uptake, grazing, 0.05 / day * P, 0.1 / day * Z


def react(
    nutrient,
    phytoplankton,
    zooplankton,
    area_center,
    thickness,
    nutrient_tendency,
    phytoplankton_tendency,
    zooplankton_tendency,
):
    volume = area_center * thickness[:, None, None]
    light = np.exp(-(np.cumsum(thickness) - thickness / 2) / 25.0)[:, None, None]
    uptake, grazing, loss, death = flows(nutrient, phytoplankton, zooplankton, light)
    nutrient_tendency += volume * (-uptake + 0.3 * grazing + loss + death)
    phytoplankton_tendency += volume * (uptake - grazing - loss)
    zooplankton_tendency += volume * (0.7 * grazing - death)


in_python = fm.PythonScheme(
    react,
    [
        *(fm.reads(name, "center layer", "mmol m-3") for name in names),
        fm.reads("area_center", "center column", "m2"),
        fm.reads("thickness", "layer profile", "m"),
        *(fm.updates(f"{name}_tendency", "center layer", "mmol s-1") for name in names),
    ],
)


def sea(**more):
    levels = fm.ZLevels(nz=10, depth=200, spacing="uniform")
    grid = fm.CartesianGrid(nx=6, ny=5, extent=(6e4, 5e4), periodic=True, levels=levels)
    tracers = [fm.PassiveTracer(name, units="mmol m-3") for name in names]
    model = fm.Ocean(grid, coriolis=(1e-4, 0), tracers=tracers, **more)
    return model.set(
        temperature=lambda x, y, z: 15 - z / 50,
        salinity=35.0,
        nutrient=lambda x, y, z: 0.5 + z / 20,
        phytoplankton=0.1,
        zooplankton=0.05,
    )


def run(model, tmp_path, steps=480):
    sim = fm.Simulation(model, "30min", directory=tmp_path, overwrite=True)
    sim.advance(steps)
    return sim


def columns(steps=480):
    """The same equations column by column, without flow or mixing: means over the column."""
    z = np.arange(10) * 20 + 10.0
    N, P, Z, light = 0.5 + z / 20, np.full(10, 0.1), np.full(10, 0.05), np.exp(-z / 25)
    for _ in range(steps):
        uptake, grazing, loss, death = (1800 * flow for flow in flows(N, P, Z, light))
        N, P, Z = (
            N - uptake + 0.3 * grazing + loss + death,
            P + uptake - grazing - loss,
            Z + 0.7 * grazing - death,
        )
    return N.mean(), P.mean(), Z.mean()


def test_a_scheme_of_several_tracers_is_right(tmp_path):
    sim = run(sea(reactions=in_python), tmp_path)
    found = [sim.gather(name)[:, 2, 2].mean() for name in names]
    np.testing.assert_allclose(found, columns(), rtol=0.02)
    total = sum(sim.fields.content(name) for name in names)
    first = (5.5 + 0.1 + 0.05) * 200 * 30e8
    assert total == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize(
    "place",
    [
        {"before": "TracerUpdate of nutrient"},
        {"before": "TracerUpdate of phytoplankton"},
        {"before": "CentredAdvection of nutrient"},
        {"before": "TracerUpdate of temperature"},
        {"before": "SurfaceFluxes"},
        {"after": "TracerUpdate of zooplankton"},
    ],
)
def test_elsewhere_it_is_refused(place, tmp_path):
    model = sea()
    model.insert(in_python, **place)
    with pytest.raises(InputError, match=r"is lost: no process reads it.*Ocean\(reactions="):
        fm.Simulation(model, "30min", directory=tmp_path).prepare()


def test_it_is_a_term_of_budgets(tmp_path):
    model = sea(reactions=in_python, budgets="phytoplankton")
    sim = fm.Simulation(model, "30min", directory=tmp_path)
    sim.output("b.zarr", ["phytoplankton_budget_react"], every="30min")
    sim.prepare()
    N, P, Z = (sim.gather(name) for name in names)
    light = np.exp(-(np.arange(10) * 20 + 10.0) / 25)[:, None, None]
    sim.advance(1)
    uptake, grazing, loss, _ = flows(N, P, Z, light)
    term = sim.gather("phytoplankton_budget_react")
    np.testing.assert_allclose(term, 20 * (uptake - grazing - loss), rtol=1e-12)


def test_what_is_no_reaction_is_refused():
    grid = fm.CartesianGrid(nx=4, ny=4, levels=fm.ZLevels(nz=2, depth=100))
    with pytest.raises(InputError, match="changes zooplankton, and the ocean has no such tracer"):
        fm.Ocean(grid, coriolis=(0, 0), tracers=list(names[:2]), reactions=in_python)
    with pytest.raises(InputError, match="changes no tracer"):
        sea(reactions=fm.PythonScheme(print, []))
    with pytest.raises(InputError, match="is no scheme"):
        sea(reactions=3)


pools = ("nutrient", "phytoplankton", "zooplankton", "detritus")


def test_npzd_moves_nitrogen_and_sinks(tmp_path):
    """Four pools in one column: a bloom in the light, nothing below it; detritus falls by its
    speed and stays above the sea floor; the sum stays.
    """
    levels = fm.ZLevels(nz=8, depth=160, spacing="uniform")
    grid = fm.CartesianGrid(nx=5, ny=4, extent=(5e4, 4e4), periodic=True, levels=levels)
    model = fm.Ocean(
        grid,
        coriolis=(1e-4, 0),
        tracers=[fm.PassiveTracer(name, units="mmol m-3") for name in pools],
        vertical_mixing=fm.ConstantMixing(diffusivity=0.0),
        reactions="NPZD",
    )
    model.set(nutrient=5.0, phytoplankton=0.1, zooplankton=0.05)
    surface = fm.SurfaceForcing(shortwave_flux=200.0)
    sim = fm.Simulation(model, "1h", surface=surface, directory=tmp_path, overwrite=True)
    sim.prepare()
    total = sum(sim.fields.content(name) for name in pools)
    sim.advance(24 * 20)
    assert sum(sim.fields.content(name) for name in pools) == pytest.approx(total, rel=1e-12)
    found = {name: sim.gather(name)[:, 2, 2] for name in pools}
    assert found["phytoplankton"][0] > 0.3 and found["phytoplankton"][-1] < 0.1
    assert found["nutrient"][0] < 4 and all((one >= 0).all() for one in found.values())
    assert found["detritus"][-1] > found["detritus"][-2]


def test_detritus_sinks_with_its_speed(tmp_path):
    levels = fm.ZLevels(nz=40, depth=400, spacing="uniform")
    grid = fm.CartesianGrid(nx=4, ny=4, extent=(4e4, 4e4), periodic=True, levels=levels)
    model = fm.Ocean(
        grid,
        coriolis=(1e-4, 0),
        tracers=[fm.PassiveTracer(name, units="mmol m-3") for name in pools],
        vertical_mixing=fm.ConstantMixing(diffusivity=0.0),
        reactions=fm.schemes.NPZD(sinking=10.0, remineralisation=0.0),
    )
    z = np.array(levels.middles)
    model.set(detritus=lambda x, y, z: np.exp(-(((z - 100) / 30) ** 2)) + 0 * x)
    sim = fm.Simulation(model, "1h", directory=tmp_path, overwrite=True)
    sim.advance(24 * 10)
    detritus = sim.gather("detritus")[:, 1, 1]
    assert (detritus * z).sum() / detritus.sum() == pytest.approx(200, abs=1)
