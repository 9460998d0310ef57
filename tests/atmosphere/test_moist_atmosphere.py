"""The spectral atmosphere with the first physics, an aquaplanet: order, TOML, restart between two
radiations, a day that is weather.
"""

import numpy as np
import pytest

import fathom as fm
from fathom.describe.experiment import Experiment
from fathom.describe.toml import Document

text = """
[grid]
is = "GaussianGrid"
truncation = 10
levels = { is = "HybridLevels", number = 9 }
[model]
is = "SpectralAtmosphere"
[model.physics]
is = "FirstPhysics"
radiation_every = "2h"
sunlight = { is = "Sunlight", fixed_season = 1 }
convection = { is = "BettsMiller", relaxation = 5400 }
drag = "none"
[state]
sea_surface_temperature = "273.15 + 27 * maximum(0, \
1 - sin(1.5 * radians(clip(latitude, -60, 60)))**2)"
air_temperature = "maximum(205, (250 + 47 * cos(radians(latitude))**2 \
+ 3 * sin(radians(3 * longitude)) * cos(radians(latitude))) * (pressure / 1e5)**0.19)"
specific_humidity = "0.014 * cos(radians(latitude))**4 * (pressure / 1e5)**3"
[simulation]
start = "2000-03-20"
step = "40min"
"""


def aquaplanet():
    return Experiment(Document(text, "aquaplanet.toml"))


def test_from_toml_and_back():
    e = aquaplanet()
    names = [p.name for p in e.model.physics]
    assert (
        names[:6]
        == [
            "SurfaceState",
            "Sunlight",
            "StandardOzone",
            "DiagnosticCloud",
            "Radiation",
            "RadiativeHeating",
        ]
        and names[-1] == "LandSurface"
    )
    assert e.model.fixed_season and next(
        p for p in e.model.physics if p.name == "BettsMiller"
    ).parameters == {"relaxation": 5400}
    resolved = e.resolved()
    again = Experiment(Document(resolved, "resolved.toml"))
    assert again.resolved() == resolved and [p.name for p in again.model.physics] == names
    radiation = {p.name: p.every for p in e.model.processes(2400.0)}
    assert (
        radiation["Radiation"] == 3
        and radiation["DiagnosticCloud"] == 3
        and radiation["BettsMiller"] == 1
    )
    with pytest.raises(
        ValueError,
        match="no field 'sea_temperature' to set; did you mean .*'sea_surface_temperature'",
    ):
        e.model.set(sea_temperature=300)
    with pytest.raises(ValueError, match="Radiation every = '1month'"):
        fm.Radiation(every="1month")


def test_restart_between_two_radiations(tmp_path):
    whole, part = (aquaplanet().simulation(directory=tmp_path).prepare() for _ in range(2))
    whole.advance(7)
    part.advance(4)
    path = part.write_restart("restart.fathom")
    again = aquaplanet().simulation(directory=tmp_path, restart=path).prepare()
    again.advance(3)
    assert again.checksum() == whole.checksum()
    other = aquaplanet().simulation(directory=tmp_path)
    other.parallel |= {"threads": 2, "blocks": (16, 5), "tile": 16}
    other.prepare().advance(7)
    assert other.checksum() == whole.checksum()


def test_a_day_is_weather(tmp_path):
    sim = aquaplanet().simulation(directory=tmp_path)
    sim.output(
        "day.nc",
        [
            "convective_precipitation",
            "stratiform_precipitation",
            "evaporation_flux",
            "outgoing_longwave",
            "toa_net_shortwave",
        ],
        every="1d",
        statistic="mean",
    )
    sim.run("3d", report=False)
    day = fm.open(tmp_path / "day.nc").isel(time=-1)
    weight = np.cos(np.deg2rad(day.latitude))
    mean = {
        name: float(day[name].weighted(weight).mean())
        for name in day.data_vars
        if day[name].dims == ("latitude", "longitude")
    }
    rain = (mean["prc"] + mean["prl"]) * 86400
    assert (
        1 < rain < 6
        and 1 < mean["evaporation_flux"] * 86400 < 6
        and 200 < mean["outgoing_longwave"] < 280
        and 220 < mean["toa_net_shortwave"] < 320
    )
    T, q = sim.gather("virtual_temperature"), sim.gather("specific_humidity")
    assert 170 < T.min() and T.max() < 320 and q.min() > -1e-4 and 5e-3 < q.max() < 0.03
