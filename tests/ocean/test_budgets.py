"""Closed budgets over all combinations of advection, mixing, bottom and surface: volume, heat, salt
and a dye, with rain, heat from above and below.
"""

import numpy as np
import pytest

from cases import box, simulate, stirred


@pytest.mark.parametrize("freshwater", ["salt", "volume"])
@pytest.mark.parametrize("share", [None, 0.2])
@pytest.mark.parametrize("mixing", ["RichardsonMixing", "KPP"])
@pytest.mark.parametrize("eddies", [False, True])
@pytest.mark.parametrize("advection", ["CentredAdvection", "UpwindAdvection", "QuickestAdvection"])
def test_budgets_close(advection, eddies, mixing, share, freshwater):
    """The content after ten steps is that before plus the input, to 1e-13 of the content."""
    import fathom as fm

    lateral = (
        {"eddies": fm.GentMcWilliams(), "submesoscale": fm.MixedLayerEddies()} if eddies else {}
    )
    ocean = box(
        nx=20,
        ny=16,
        partial_cells=share,
        tracers=["dye"],
        geothermal_heat=0.1,
        vertical_mixing=getattr(fm, mixing)(),
        tracer_advection=getattr(fm, advection)(),
        free_surface=fm.FreeSurface(freshwater=freshwater, tolerance=1e-6),
        shortwave_penetration=None,
        **lateral,
    )
    rain, heat = (
        lambda x, y: 1e-4 * np.cos(np.pi * y / 1e6) + 3e-5,
        lambda x, y: 80 * np.sin(2 * np.pi * x / 1e6) - 20,
    )
    sim = simulate(
        stirred(ocean).set(dye=lambda x, y, z: 1.0 * (x > 5e5)),
        surface=fm.SurfaceForcing(freshwater_flux=rain, heat_flux=heat, stress_x=0.1),
    ).prepare()
    h = ocean.grid.horizontal
    area = np.where(ocean.grid.wet_levels > 0, np.asarray(h.area_center), 0)
    x, y = np.asarray(h.center_longitude), np.asarray(h.center_latitude)
    fallen, warmth = (
        (rain(x, y) * area).sum() / 1000,
        ((heat(x, y) + 0.1) * area).sum() / (1026 * 3996),
    )
    content = lambda: np.array(
        [sim.fields.volume(), *(sim.fields.content(n) for n in ("temperature", "salinity", "dye"))]
    )
    before, came = content(), np.zeros(4)
    for _ in range(10):
        warm_rain = (
            (rain(x, y) * area * sim.gather("temperature")[0]).sum() / 1000
            if freshwater == "volume"
            else 0
        )
        came += 1800 * np.array(
            [
                fallen if freshwater == "volume" else 0,
                warmth + warm_rain,
                0 if freshwater == "volume" else -34.7 * fallen,
                0,
            ]
        )
        sim.advance(1)
    assert np.all(np.abs(content() - before - came) <= 1e-13 * np.abs(before))
