"""Air over a sea that records give, and over a slab: values of the records, refusals, lakes,
restarts, ranks; and the heat of the slab.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
import sea_below_air
from fathom.atmosphere.ground.boundary import boundary_fields
from fathom.data import surface


def air(**physics):
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels(5))
    return fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics(**physics))


def simulation(surface, model=None, start="2000-01-16 12:00", **more):
    return fm.Simulation(model or air(), "1h", start=start, surface=surface, **more)


def months(values, units, name):
    """A year of monthly means of one value everywhere, as models of CMIP write them."""
    time = xr.date_range("1999-12-01", periods=len(values), freq="MS", use_cftime=True)
    end = xr.date_range("2000-01-01", periods=len(values), freq="MS", use_cftime=True)
    latitude, longitude = np.arange(-87.5, 90, 5), np.arange(2.5, 360, 5)
    whole = np.ones((1, latitude.size, longitude.size)) * np.reshape(values, (-1, 1, 1))
    return xr.Dataset(
        {
            name: (("time", "lat", "lon"), whole, {"units": units}),
            "time_bnds": (("time", "bnds"), np.stack([time.values, end.values], 1)),
        },
        {
            "time": ("time", time.values, {"bounds": "time_bnds"}),
            "lat": ("lat", latitude, {"units": "degrees_north"}),
            "lon": ("lon", longitude, {"units": "degrees_east"}),
        },
    )


def test_the_climatology_is_that_of_a_start():
    model = air().set(land_fraction=0.25)
    sim = simulation("GivenSea", model, start="2000-04-11")
    sim.advance(1)
    expected = boundary_fields(
        model.grid, "2000-04-11", np.full((16, 32), 0.25), np.zeros((16, 32))
    )
    for name in ("sea_surface_temperature", "sea_ice_fraction"):
        assert np.abs(sim.gather(name)[0] - expected[name]).max() < 1e-4
    assert sim.forcing.sources[0].describe()[0].endswith("every year")


def other_air(kind):
    warm = {"air_temperature": 280.0, "land_fraction": 0.25}
    if kind == "grid-point":
        grid = fm.LatitudeLongitudeGrid(16, levels=fm.HeightLevels(nz=6, top=20e3), staggering="C")
        return fm.GridPointAtmosphere(grid, physics=fm.BasicPhysics(drag=None)).set(**warm)
    grid = fm.LimitedAreaGrid(
        centre=(0.0, 46.5), resolution=50e3, points=(24, 20), coupling=4, extension=6,
        levels=fm.HybridLevels(6),
    )  # fmt: skip
    return fm.LimitedAreaAtmosphere(grid, physics=fm.BasicPhysics(drag=None)).set(**warm)


@pytest.mark.parametrize("kind", ["grid-point", "area"])
def test_the_same_sea_below_all_air(kind):
    model = other_air(kind)
    sim = fm.Simulation(model, "5min", start="2000-04-11", surface=fm.GivenSea())
    sim.advance(1)
    longitude, latitude = model.grid.coordinates()
    before, after = (
        surface.on_points(latitude, longitude, "sea_surface_temperature", month=m) for m in (2, 3)
    )
    warm = sim.gather("sea_surface_temperature")[0] - 273.15
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (warm - before["sea_surface_temperature"]) / (
            after["sea_surface_temperature"] - before["sea_surface_temperature"]
        )
    there = (warm > 1) & (abs(share - 0.5) < 1) & (model.grid.wet_levels > 0)
    assert there.any() and np.median(share[there]) == pytest.approx(26 / 30.5, abs=0.03)


def test_records_with_names_of_others_in_their_units():
    data = {
        "sea_surface_temperature": months([10.0, 20.0, 30.0], "degC", "tos"),
        "sea_ice_fraction": months([0.0, 50.0, 100.0], "%", "siconc"),
        "sea_ice_thickness": 0.5,
    }
    sim = simulation(fm.GivenSea(data))
    sim.advance(1)  # begins in the middle of January
    found = [sim.gather(name)[0] for name in data]
    assert [float(f.mean()) for f in found] == pytest.approx([293.15, 0.5, 0.5])
    assert all(np.ptp(f) < 1e-10 for f in found)


def test_thin_ice_conducts_more():
    cold = {"sea_surface_temperature": 271.35, "sea_ice_fraction": 1.0}
    warmth = []
    for thickness in (0.2, 2.0):
        model = air().set(land_fraction=0.0, ground_temperature=240.0, air_temperature=240.0)
        sim = simulation(fm.GivenSea(cold | {"sea_ice_thickness": thickness}), model)
        sim.advance(1)
        warmth.append(sim.gather("ground_temperature").mean())
    through = 1.4 * 1.5 * (271.35 - 240) * (1 / 0.2 - 1 / 2.0)  # W m-2 more
    assert warmth[0] - warmth[1] == pytest.approx(through * 3600 / 4e5, rel=0.2)


@pytest.mark.parametrize(
    "given, text",
    [
        ({"sea_surface_temperature": months([15.0, 15.0], "K", "sst")}, "sea_ice_fraction"),
        (months([15.0, 15.0], "K", "sst"), "missing = 'coads'"),
        (months([15.0, 15.0], "m", "depth"), "depth"),
        ({"salinity": 35.0}, "unknown variable of the forcing 'salinity'"),
    ],
)
def test_what_is_not_there(given, text):
    with pytest.raises(fm.InputError, match=text):
        fm.GivenSea(given)


@pytest.mark.parametrize(
    "given, text",
    [
        ({}, "has no sea_surface_temperature: all would come"),
        ("", "no source of records"),
        (months([280.0, 280.0], "K", "sst").expand_dims(member=2), "sst: .* member has 2 values"),
    ],
)
def test_the_climatology_stands_for_nothing_that_is_given(given, text):
    with pytest.raises(fm.InputError, match=text):
        fm.GivenSea(given, missing="coads")


@pytest.mark.parametrize(
    "sst, ice, text",
    [
        (months([15.0, 15.0], "K", "sst"), 0.0, "given_sea_surface_temperature.*15 K"),
        (280.0, months([1.5, 1.5], "1", "sic"), "given_sea_ice_fraction.*1.5"),
    ],
)
def test_numbers_that_cannot_be(sst, ice, text):
    sim = simulation(fm.GivenSea({"sea_surface_temperature": sst, "sea_ice_fraction": ice}))
    with pytest.raises(fm.InputError, match=text):
        sim.advance(1)


def test_records_that_end_early_are_refused_at_the_start(tmp_path):
    sst = months([15.0, 15.0], "degC", "sst")  # to 1 February
    surface = fm.GivenSea({"sea_surface_temperature": sst, "sea_ice_fraction": 0.0})
    sim = simulation(surface, directory=tmp_path)
    with pytest.raises(fm.InputError, match="records of given_sea_surface_temperature are of 1999"):
        sim.run("30d", report=False)


def test_a_plane_has_no_sea_of_the_earth():
    with pytest.raises(fm.InputError, match="no sea_surface_temperature"):
        simulation("GivenSea", fm.SpectralAtmosphere(air().grid, physics=fm.HeldSuarez())).advance(
            1
        )


def test_lakes_stay_lakes():
    lakes = np.zeros((16, 32))
    lakes[3:6] = 30.0
    model = air(land="SoilLayers", lake="MixedLake").set(
        lake_depth=lakes, sea_surface_temperature=300.0
    )
    sim = simulation(
        fm.GivenSea({"sea_surface_temperature": 290.0, "sea_ice_fraction": 0.0}), model
    )
    sim.advance(1)
    sea = sim.gather("sea_surface_temperature")[0]
    assert (sea[lakes == 0] == 290.0).all() and (np.abs(sea[lakes > 0] - 300.0) < 0.5).all()


def test_the_start_is_filtered_over_its_own_sea(tmp_path):
    model = air().set(sea_surface_temperature=300.0, digital_filter="4h")
    sim = simulation("GivenSea", model, directory=tmp_path)
    sim.output("start.nc", ["surface_emission"], every="1h")
    sim.run("1h", report=False)
    emitted = fm.open(tmp_path / "start.nc").surface_emission[0]
    assert float(emitted.min()) > 5.67e-8 * 299**4


def test_restarts_and_ranks(on_ranks, tmp_path):
    for kind in ("given", "slab"):
        whole = on_ranks(1, sea_below_air, kind, "whole", str(tmp_path))
        assert on_ranks(1, sea_below_air, kind, "restarted", str(tmp_path)) == whole
        assert on_ranks(3, sea_below_air, kind, "whole", str(tmp_path / "3")) == whole


def test_the_slab_keeps_all_heat():
    """rho c d dT/dt - L_f d(rho_i a z)/dt = N + Q, with ice that forms and melts."""
    model = air().set(land_fraction=0.0, ground_temperature=268.0, air_temperature=265.0)
    model.set(sea_surface_temperature=lambda x, y: 271.35 + np.maximum(0, 0.3 - abs(y) / 200))
    sim = simulation(fm.SlabOcean(2.0, q_flux=lambda x, y: 40 * np.sin(np.deg2rad(x))), model)
    rho_c, latent = 1026 * 3996, 917 * 3.337e5
    longitude, _ = model.grid.coordinates()
    brought = 40 * np.sin(np.deg2rad(longitude))

    def fields():
        names = "sea_surface_temperature", "sea_ice_fraction", "sea_ice_thickness"
        T, a, z = (sim.gather(name)[0] for name in names)
        return T, a, rho_c * 2.0 * (T - 271.35) - latent * a * z

    gained, of_tiles = 0.0, 0.0
    sim.advance(1)
    T, a, start = fields()
    for _ in range(30):
        sim.advance(1)
        tile = 4e5 * (sim.gather("ground_temperature")[0] - 271.35)
        tile -= 3.337e5 * sim.gather("snow_amount")[0]
        gained = gained + 3600 * (sim.gather("sea_heat_flux")[0] + brought)
        _, new, heat = fields()
        of_tiles, a = of_tiles + (new - a) * tile, new
    assert a.max() > 0.01 and (T > 271.4).any()
    assert np.abs(heat - start - gained + of_tiles).max() < 1e-9 * np.abs(gained).max()


def test_the_slab_refuses():
    with pytest.raises(fm.InputError, match="SlabOcean depth = 0 m"):
        fm.SlabOcean(0)
    with pytest.raises(fm.InputError, match="gives no .*; BasicPhysics does"):
        simulation(fm.SlabOcean(), air(land=None)).advance(1)
