"""The budget of the atmosphere: terms against fluxes, what the dynamics leaves, where it stands."""

import json

import numpy as np
import pytest

import fathom as fm
from fathom.plots.report import page

L, FUSION = 2.5008e6, 3.337e5


def simulation(directory, precision="fp64", budget=True, **model):
    """A moist world with waves and all kinds of water."""
    physics = fm.BasicPhysics(
        radiation_every="2h",
        drag=None,
        condensation="GraupelMicrophysics",
        clouds="PrognosticCloud",
    )
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels(8))
    model = fm.SpectralAtmosphere(
        grid, physics=physics, precision=precision, budget=budget, **model
    )
    warmth = lambda lon, lat: 250 + 47 * np.cos(np.deg2rad(lat)) ** 2
    wave = lambda lon, lat: 3 * np.sin(np.deg2rad(3 * lon)) * np.cos(np.deg2rad(lat))
    model.set(
        sea_surface_temperature=lambda lon, lat: warmth(lon, lat) + 3,
        eastward_wind=lambda lon, lat, p: 25 * np.sin(2 * np.deg2rad(lat)) ** 2 * (1 - p / 1e5),
        air_temperature=lambda lon, lat, p: np.maximum(
            (warmth(lon, lat) + wave(lon, lat)) * (p / 1e5) ** 0.19, 205
        ),
        specific_humidity=lambda lon, lat, p: 0.014 * np.cos(np.deg2rad(lat)) ** 4 * (p / 1e5) ** 3,
    )
    return fm.Simulation(model, time_step="40min", start="2000-06-21", directory=directory)


@pytest.mark.parametrize("precision, left", [("fp64", 1e-9), ("fp32", 0.03)])
def test_terms_add_up_and_are_the_fluxes(tmp_path, precision, left):
    """Water and energy: what is stored is what the schemes gave; a scheme gives what its fluxes
    say.
    """
    summary = simulation(tmp_path, precision).run("12h", progress=None, report=False)
    found = json.loads((tmp_path / "summary.json").read_text())["budget"]
    assert found == summary["budget"] and found["days"] == 0.5
    for name in ("water", "energy"):
        terms = found[name]["terms"]
        assert sum(terms.values()) == pytest.approx(found[name]["storage"], abs=1e-9)
        assert abs(terms["dynamics"]) < left, (name, terms)
    f, water, energy = found["fluxes"], found["water"]["terms"], found["energy"]["terms"]
    exact = {"abs": left, "rel": 1e-9 if precision == "fp64" else 1e-4}
    rain = 86400 * f["convective_precipitation"], 86400 * f["stratiform_precipitation"]
    assert water["VerticalDiffusion"] == pytest.approx(86400 * f["evaporation_flux"], **exact)
    assert water["BettsMiller"] == pytest.approx(-rain[0], **exact)
    assert water["GraupelMicrophysics"] == pytest.approx(-rain[1], **exact)
    assert rain[0] > 1 and rain[1] > 0.005
    top = f["toa_net_shortwave"] - f["outgoing_longwave"]
    ground = f["surface_net_shortwave"] + f["surface_downward_longwave"] - f["surface_emission"]
    assert energy["RadiativeHeating"] == pytest.approx(top - ground, **exact)
    turbulent = f["sensible_heat_flux"] + L * f["evaporation_flux"]
    assert energy["VerticalDiffusion"] == pytest.approx(turbulent, **exact)
    assert energy["BettsMiller"] == pytest.approx(0, abs=left)
    frozen = energy["GraupelMicrophysics"] + energy["SnowfallOfConvection"]
    assert frozen == pytest.approx(FUSION * f["snowfall"], **exact)
    momentum = found["momentum"]["terms"]
    assert momentum["VerticalDiffusion"] > 0 and momentum["RadiativeHeating"] == 0
    assert found["energy"]["fixer"] == pytest.approx(summary["energy_fixer"])
    table = page._budget(found)
    assert "the energy fixer" in table and "VerticalDiffusion" in table
    assert page._budget({}) == ""


def test_a_budget_changes_nothing(tmp_path):
    with_, without = (
        simulation(tmp_path / str(budget), "fp32", budget).prepare() for budget in (True, False)
    )
    for sim in (with_, without):
        sim.advance(6)
    for name in ("air_temperature", "specific_humidity", "eastward_wind"):
        name = "virtual_temperature" if name == "air_temperature" else name
        assert (with_.gather(name) == without.gather(name)).all()


def test_what_has_no_budget():
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(4))
    with pytest.raises(ValueError, match="budget = True needs moist air .* and dry air"):
        fm.SpectralAtmosphere(grid, physics=[fm.HeldSuarez()], budget=True)
    with pytest.raises(ValueError, match="given scheme = 'eulerian'"):
        fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics(), scheme="eulerian", budget=True)


def test_dynamics_leave_little_to_the_fixer(tmp_path):
    """Energy that interpolation loses: in twelve hours of weather at T21 below 1.2 W m-2, where
    temperature carried as it is, from between the outer levels alone, loses 5.6; diffusion has
    turned its part into heat.
    """
    grid = fm.GaussianGrid(21, levels=fm.HybridLevels(26))
    model = fm.SpectralAtmosphere(grid, fix_energy=True, sponge=3).set(
        analysis="gfs", digital_filter="6h"
    )
    sim = fm.Simulation(model, time_step="40min", start="2011-10-11", directory=tmp_path).prepare()
    sim.advance(18)
    found = model.account(sim)
    assert 0 < found["energy_fixer"] < 1.2 and 0.5 < found["diffusion_heating"] < 4
