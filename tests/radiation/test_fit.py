"""The transfer of docs/results/radiation_fit.py is the model's, with the numbers of gases.hpp, and
these are near RRTMGP.
"""

from pathlib import Path

import numpy as np
import pytest

import radiation_fit as fit
from columns import run
from fathom.atmosphere.radiation import Tables

here = Path(__file__).parent


@pytest.fixture(scope="module")
def given():
    """Ten columns of RFMIP over black ground."""
    data = {k: v.astype(float) for k, v in np.load(here / "rfmip.npz").items()}
    gases = {k[4:]: v for k, v in data.items() if k.startswith("gas_")}
    keep = ("pressure", "temperature", "surface_temperature", "cosine_zenith")
    found = {k: v for k, v in data.items() if k.startswith(("interface_", "albedo_")) or k in keep}
    return found | {"gases": gases}


def test_transfer_is_that_of_the_model(given):
    a, c = fit.layers(given), fit.numbers()
    net, arriving = fit.net_longwave(c, a)
    share = fit.net_shortwave(c, a)
    alike = lambda x: np.ascontiguousarray(np.repeat(np.atleast_1d(x)[..., None, None], 8, axis=-1))
    for n in range(len(net)):
        emission = fit.SIGMA * a["ground"][n] ** 4
        of_column = {
            "air_temperature": alike(a["T"][n]),
            "specific_humidity": alike(a["q"][n]),
            "air_pressure": alike(given["pressure"][n]),
            "pressure_interface": alike(given["interface_pressure"][n]),
            "ozone": alike(a["ozone"][n] / a["mass"][n]),
            "surface_temperature": a["ground"][n],
            "surface_emission": emission,
            "albedo": a["albedo"][n],
            "cosine_zenith_ahead": a["mu"][n],
        }
        parameters = {"carbon_dioxide": 1e6 * a["co2"][n], "aerosol": 0.0}
        out = run("Radiation", of_column, a["T"].shape[1], parameters)
        first = lambda name: out[name][..., 0, 0]
        assert np.abs(first("longwave_flux") - net[n]).max() < 0.02
        assert abs(float(first("surface_downward_longwave")) - arriving[n]) < 0.02
        assert np.abs(first("shortwave_share") - share[n]).max() < 2e-5


def test_numbers_are_near_rrtmgp(given):
    a = fit.layers(given)
    tables = Tables("lw-g128", aerosols=None), Tables("sw-g112", aerosols=None)
    found = fit.errors(fit.numbers(), [("some", a, fit.wanted(given, *tables))])["some"]
    assert found["up, top"][1] < 1.5 and found["down, ground"][1] < 2.5
    assert found["to the ground"][1] < 0.015
