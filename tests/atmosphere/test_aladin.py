"""The limited-area atmosphere: exact states that stay, waves with their frequency, the part that
trajectories never reach, mass, bits, restart, errors.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
import small_areas
from fathom.base import earth
from fathom.base.mpi import core
from small_areas import R, area, disturbed, gravity, plane, simulation

coriolis = 2 * earth.ROTATION * np.sin(np.pi / 4)


def fastest(one):
    return one.model.watch(one)[0]["maximum_wind"][0]


@pytest.mark.parametrize("periodic", [True, False])
def test_isothermal_air_rests_over_a_hill(periodic):
    grid = plane() if periodic else area(points=(40, 30))
    middle, wide = ((5e5, 3.75e5), 1e5) if periodic else ((8.0, 46.5), 3.0)
    hill = lambda x, y: (
        gravity * 1500 * np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / wide**2)
    )
    model = fm.LimitedAreaAtmosphere(grid, orography=hill, diffusion_time=0)
    model.set(
        air_temperature=280.0,
        log_surface_pressure=np.log(1e5) - model.surface_geopotential / (R * 280),
    )
    one = simulation(model).prepare()
    one.advance(12)
    assert fastest(one) < 2e-10


def test_a_jet_in_balance_stays():
    """Steady exactly: it varies along y alone."""
    grid = plane()
    length, speed = 2 * np.pi / 750e3, 20.0
    model = fm.LimitedAreaAtmosphere(grid, diffusion_time=0)
    model.set(
        air_temperature=280.0,
        eastward_wind=lambda x, y, p: speed * np.sin(length * y) + 0 * x,
        log_surface_pressure=lambda x, y: (
            np.log(1e5) + coriolis * speed * np.cos(length * y) / (length * R * 280) + 0 * x
        ),
    )
    one = simulation(model).prepare()
    before = one.gather("eastward_wind").copy()
    one.advance(24)
    assert abs(one.gather("eastward_wind") - before).max() < 1e-10


def test_waves_leave_the_mean_of_the_second_level():
    """Air that rises and air that sinks find the same slope there. Were the first interval linear,
    it would lose 1.2 % in 12 hours.
    """
    grid = fm.CartesianGrid(24, 6, extent=24e5, levels=fm.HybridLevels(31))
    model = fm.LimitedAreaAtmosphere(grid, tracers=("dust",), diffusion_time=0)
    along = lambda x: np.sin(2 * np.pi * x / 2.4e6)
    model.set(
        air_temperature=lambda x, y, p: np.maximum(220 + 60 * (p / 1e5), 232),
        eastward_wind=lambda x, y, p: 10 * along(x) * np.sin(np.pi * np.log(1e5 / p) / 2),
        dust=lambda x, y, p: np.sqrt(p / 1e5),
    )
    one = simulation(model, step="10min").prepare()
    mean = lambda: np.asarray(one.gather("dust"), float)[1].mean()
    before = mean()
    one.advance(72)
    assert abs(mean() / before - 1) < 2e-3


@pytest.mark.parametrize(
    "projection, periodic_by, within",
    [
        ("lambert", "splines", 1e-2),
        ("mercator", "splines", 1e-2),
        ("polar stereographic", "splines", 1e-2),
        ("lambert", "windows", 2e-3),
    ],
)
def test_rotation_as_of_a_solid_body_stays_on_every_map(projection, periodic_by, within):
    """Isothermal air that turns with the earth, faster by 30 m/s at the equator, is an exact steady
    state: map factor, curvature of the map, Coriolis force and coupling all take part.
    """
    speed, grid = 30.0, area(projection=projection)
    bulge = (earth.RADIUS * earth.ROTATION * speed + 0.5 * speed**2) / (R * 280)
    model = fm.LimitedAreaAtmosphere(grid, diffusion_time=0, periodic_by=periodic_by)
    exact = lambda x, y: speed * np.cos(np.deg2rad(y)) + 0 * x
    model.set(
        air_temperature=280.0,
        eastward_wind=lambda x, y, p: exact(x, y),
        log_surface_pressure=lambda x, y: np.log(1e5) - bulge * np.sin(np.deg2rad(y)) ** 2 + 0 * x,
    )
    one = simulation(model).prepare()
    one.advance(36)
    nx, ny = grid.points
    u, v = (one.gather(f"{name}ward_wind")[:, :ny, :nx] for name in ("east", "north"))
    east, north = grid.on_earth(u, v)
    inner = grid.zone == 0
    assert abs(east - exact(*grid.coordinates()))[:, inner].max() < within
    assert abs(north)[:, inner].max() < within


@pytest.mark.parametrize("mode", [0, 2])
def test_inertia_gravity_waves_have_their_frequency(mode):
    """omega^2 = f^2 + c^2 k^2 of a vertical mode; the step alone takes (omega dt)^2 / 12 of it."""
    levels, T, step, amplitude = 8, 280.0, 120.0, 1e-3
    grid = plane(points=(32, 6), levels=levels)
    of = core.hybrid_reference(
        list(map(float, grid.levels.a)),
        list(map(float, grid.levels.b)),
        temperature=T,
        gas_constant=R,
        heat_capacity=1004.70895,
    )
    k = 2 * np.pi / (32 * 25e3)
    shape = np.reshape(of["from_modes"], (levels, levels))[:, mode]
    omega = np.sqrt(coriolis**2 + of["speed_squared"][mode] * k**2)
    tau, nu = np.reshape(of["tau"], (levels, levels)) @ shape, np.array(of["thickness"]) / 1e5
    steps = int(2 * np.pi / omega / step)

    def wave(profile, function, time=0.0):
        x = grid.coordinates()[0]
        return amplitude * np.multiply.outer(profile, function(k * x - omega * time))

    model = fm.LimitedAreaAtmosphere(
        grid, diffusion_time=0, reference_temperature=T, fix_mass=False
    )
    model.set(
        eastward_wind=wave(shape, np.cos),
        northward_wind=wave(shape * coriolis / omega, np.sin),
        air_temperature=T + wave(tau * k / omega, np.cos),
        log_surface_pressure=np.log(1e5) + wave(nu @ shape * k / omega, np.cos),
    )
    one = simulation(model, step).prepare()
    one.advance(steps)
    found = np.fft.rfft(one.gather("eastward_wind")[:, 0], axis=1)[:, 1] @ shape
    exact = np.fft.rfft(wave(shape, np.cos, steps * step)[:, 0], axis=1)[:, 1] @ shape
    late = np.angle(found / exact) / (omega * steps * step)  # -i omega t: behind is more
    assert late == pytest.approx((omega * step) ** 2 / 12, rel=0.1)
    assert abs(found / exact) == pytest.approx(1, abs=1e-4)


def test_mass_of_a_periodic_plane_stays():
    one = simulation(disturbed(periodic=True)).prepare()
    mean = lambda: one.model.watch(one)[0]["mean_surface_pressure"][0]
    before = mean()
    one.advance(6)
    assert mean() == pytest.approx(before, rel=1e-13)


def test_what_leaves_does_not_come_back():
    """Wind that blows out of the area in the east brings the dye of the edge there into the west
    only if it is carried round through the extension.
    """
    grid = area(points=(40, 30), coupling=2)
    model = fm.LimitedAreaAtmosphere(grid, tracers=["dye"], rotation=0.0)
    inside = np.arange(40) > 30
    dye = np.broadcast_to(inside.astype(float), (6, 30, 40))
    model.set(air_temperature=280.0, eastward_wind=60.0, dye=dye)
    one = simulation(model, step="1800s").prepare()
    one.advance(3)
    assert one.gather("dye")[:, :30, :20].max() == 0
    assert one.gather("dye")[:, :30, 36:40].max() > 0.9


@pytest.mark.parametrize(
    "options, on",
    [
        ((), [(3, 2)]),
        (("periodic=true", 'precision="fp32"'), [(2, 1)]),
    ],
)
def test_same_bits_on_ranks(on_ranks, options, on):
    alone = on_ranks(1, small_areas, "bits", *options)
    for ranks, threads in on:
        found = on_ranks(
            ranks, small_areas, "bits", *options, f"threads={threads}", threads=threads
        )
        assert found == alone


@pytest.mark.parametrize(
    "how",
    [
        'distribution="cartesian"',
        pytest.param('distribution="space-filling"', marks=pytest.mark.long),
        pytest.param("blocks=[15,13]", marks=pytest.mark.long),
    ],
)
def test_same_bits_with_several_blocks_on_a_rank(on_ranks, how):
    """Those of the extension alone too."""
    alone = on_ranks(1, small_areas, "bits", 'dynamics="non-hydrostatic"')
    assert on_ranks(3, small_areas, "bits", 'dynamics="non-hydrostatic"', how) == alone


@pytest.mark.parametrize("distribution", ["north-south", "square", "space-filling"])
def test_rows_are_split_by_what_both_zones_take(distribution):
    """Points of E count by their share: no rank takes much more than the mean, as it does where
    they count for nothing, or as much as others.
    """
    grid = disturbed(grid=area(points=(160, 140), levels=60)).grid
    longest = {}
    for split in (0.0, grid.share_of_extension, 1.0):
        share, vars(grid)["share_of_extension"] = grid.share_of_extension, split
        levels = np.ascontiguousarray(grid.work_levels, np.int32).ravel().tolist()
        vars(grid)["share_of_extension"] = share
        topology = core.Topology(*grid.size, False, False)
        found = core.decompose(topology, levels, 8, distribution=distribution, halo=0)
        work, times = abs(grid.work_levels), np.zeros(8)
        for _, i, j, nx, ny, owner in found.blocks:
            times[owner] += work[j : j + ny, i : i + nx].sum() if owner >= 0 else 0
        longest[split] = times.max() / times.mean()
    both, least = longest[grid.share_of_extension], min(longest.values())
    assert both < least + 0.02 and both < 1.12


def test_finer_heights_from_a_file(tmp_path):
    """Of latitudes from north to south and depths at sea; places outside it are an error."""
    x, y = np.arange(0, 16, 0.1), np.arange(52, 41, -0.1)
    height = 1e3 + 500 * np.sin(np.deg2rad(60 * x)) * np.cos(np.deg2rad(60 * y))[:, None]
    attributes = {"units": "m", "standard_name": "surface_altitude"}
    places = {
        "latitude": ("latitude", y, {"units": "degrees_north"}),
        "longitude": ("longitude", x, {"units": "degrees_east"}),
    }
    data = xr.Dataset({"h": (("latitude", "longitude"), height, attributes)}, places)
    data.to_netcdf(tmp_path / "heights.nc")
    grid = area(points=(40, 30), resolution=10e3)
    model = fm.LimitedAreaAtmosphere(grid, orography=tmp_path / "heights.nc")
    longitude, latitude = grid.coordinates()
    expected = 1e3 + 500 * np.sin(np.deg2rad(60 * longitude)) * np.cos(np.deg2rad(60 * latitude))
    found = model.surface_geopotential[:30, :40] / 9.80665
    assert abs(found - expected)[4:-4, 4:-4].max() < 25  # of 1000
    with pytest.raises(ValueError, match="ends within the area"):
        fm.LimitedAreaAtmosphere(area(), orography=tmp_path / "heights.nc")
    data.rename(h="depth").drop_attrs().to_netcdf(tmp_path / "nothing.nc")
    with pytest.raises(ValueError, match="wanted is one of heights"):
        fm.LimitedAreaAtmosphere(grid, orography=tmp_path / "nothing.nc")


@pytest.mark.parametrize("periodic", [True, False])
def test_restart_changes_nothing(tmp_path, periodic):
    make = lambda: simulation(disturbed(periodic=periodic), directory=tmp_path)
    whole = make().prepare()
    whole.advance(6)
    part = make().prepare()
    part.advance(3)
    again = make().restore(part.write_restart(tmp_path / "restart.fathom")).prepare()
    again.advance(3)
    assert again.checksum() == whole.checksum()


def test_precisions_agree():
    speeds = [small_areas.bits(precision=p)["speed"] for p in ("fp64", "fp32")]
    assert speeds[1] == pytest.approx(speeds[0], rel=1e-3)


def test_errors():
    with pytest.raises(ValueError, match="needs a LimitedAreaGrid"):
        fm.LimitedAreaAtmosphere(fm.GaussianGrid(21, levels=fm.SigmaLevels(6)))
    with pytest.raises(ValueError, match="rotation = -1e.300 must lie between -1 and 1 s-1"):
        fm.LimitedAreaAtmosphere(area(), rotation=-1e300)
    with pytest.raises(ValueError, match="four layers"):
        fm.LimitedAreaAtmosphere(area(levels=3))
    with pytest.raises(ValueError, match="not conformal"):
        fm.LimitedAreaAtmosphere(area(projection="rotated"))
    with pytest.raises(ValueError, match="edges of an area"):
        fm.LimitedAreaAtmosphere(area(), fix_mass=True)
    with pytest.raises(ValueError, match="quadratic"):
        fm.LimitedAreaAtmosphere(area(), waves="quadratc")
