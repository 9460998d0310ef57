"""The stretched and rotated sphere: geometry, exact states that stay, waves with their frequency,
the same weather about another pole, same bits.
"""

import numpy as np
import pytest

import fathom as fm
from fathom.base.mpi import core
from fathom.grids.regrid.regular import regular
from fathom.grids.regrid.rows import Rows
from fathom.grids.regrid.schmidt import Schmidt, turned
from fathom.output.diagnostics import whole
from small_atmospheres import bits, held_suarez

spheres = [{"stretching": 2.4, "pole": (2.6, 46.5)}, {"stretching": 1.5}, {"pole": (-60.0, 30.0)}]


@pytest.mark.parametrize("sphere", [*spheres, {"stretching": 3.0, "pole": (170.0, -90.0)}])
def test_geometry(sphere):
    """There and back; lengths shrink by the map factor, the same in all directions; the angle is
    that of the image of a parallel; areas add up.
    """
    s = Schmidt(**sphere)
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0, 360, 200), rng.uniform(-89, 89, 200)
    place = lambda x, y: np.array([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)])
    there = lambda x, y: place(*np.deg2rad(s.to_earth(x, y)))
    assert (
        abs(place(*np.deg2rad(s.from_earth(*s.to_earth(x, y)))) - place(*np.deg2rad((x, y)))).max()
        < 1e-13
    )
    tiny = 1e-4
    east, north = (
        (there(x + tiny / np.cos(np.deg2rad(y)), y) - there(x, y)) / np.deg2rad(tiny),
        (there(x, y + tiny) - there(x, y)) / np.deg2rad(tiny),
    )
    for step in (east, north):
        assert abs(np.sqrt((step**2).sum(0)) * s.map_factor(y) - 1).max() < 1e-3
    assert abs((east * north).sum(0)).max() < 1e-3 / s.map_factor(y).min() ** 2
    longitude, latitude = np.deg2rad(s.to_earth(x, y))
    parallel, meridian = (
        np.array([-np.sin(longitude), np.cos(longitude), 0 * longitude]),
        np.cross(place(longitude, latitude).T, [0, 0, 1.0]),
    )
    meridian = np.cross(meridian, place(longitude, latitude).T).T
    angle = np.arctan2(
        (east * meridian / np.sqrt((meridian**2).sum(0))).sum(0), (east * parallel).sum(0)
    )
    assert abs((angle - s.angle(x, y) + np.pi) % (2 * np.pi) - np.pi).max() < 5e-2
    u, v = turned(*turned(x, y, angle), -angle)
    assert np.allclose(u, x) and np.allclose(v, y)
    for reduced in (False, "classical"):
        grid = fm.GaussianGrid(31, reduced=reduced, **sphere)
        assert abs(grid.horizontal.area_center.sum() / (4 * np.pi * grid.radius**2) - 1) < 1e-13


def test_a_grid_about_the_north_pole_is_what_it_was():
    assert bits(steps=2, stretching=1.0, pole=(33.0, 90.0))["checksum"] == bits(steps=2)["checksum"]
    plain, stretched = fm.GaussianGrid(21), fm.GaussianGrid(21, stretching=2.0)
    assert "sphere" not in plain.identity and np.ndim(stretched.mapping()["latitude"]) == 1
    assert stretched.mapping()["latitude"][-1] > plain.mapping()["latitude"][-1] + 1
    spacing = np.diff(stretched.mapping()["latitude"])
    assert spacing[-1] < spacing[0] / 3.8


@pytest.mark.parametrize("reduced", [False, "classical"])
@pytest.mark.parametrize("sphere", spheres)
def test_data_come_to_the_points_and_back(sphere, reduced):
    """Scalars and winds of a regular grid onto the rows, and from these back, as smooth as they
    are.
    """
    rows = Rows.of(fm.GaussianGrid(42, reduced=reduced, **sphere))
    from fathom.grids.regrid import sphere as interpolation

    latitude, longitude = np.linspace(-90, 90, 73), np.arange(144) * 2.5
    field = lambda lon, lat: (
        np.sin(np.deg2rad(lat)) + np.cos(np.deg2rad(lat)) ** 2 * np.sin(2 * np.deg2rad(lon))
    )
    there = interpolation.to_rows(field(longitude, latitude[:, None]), latitude, longitude, rows)
    assert abs(there - field(rows.point_longitude, rows.point_latitude)).max() < 3e-5
    wind = lambda lon, lat: (
        np.cos(np.deg2rad(lon)) * np.sin(np.deg2rad(lat)) + 0.3,
        -np.sin(np.deg2rad(lon)),
    )
    u, v = (rows.unpack(a) for a in wind(rows.point_longitude, rows.point_latitude))
    u = u - rows.unpack(0.3 * (1 - np.cos(np.deg2rad(rows.point_latitude))))
    data = regular(
        {"eastward_wind": u, "northward_wind": v, "height": rows.unpack(there)}, rows, 5.0
    )
    lon, lat = data.longitude.values, data.latitude.values[:, None]
    assert abs(data.height.values - field(lon, lat)).max() < 2e-3
    expected = wind(lon, lat)
    assert abs(data.northward_wind.values - expected[1]).max() < 2e-3
    assert (
        abs(data.eastward_wind.values - expected[0] + 0.3 * (1 - np.cos(np.deg2rad(lat)))).max()
        < 2e-3
    )
    if rows.sphere.rotated:
        with pytest.raises(
            ValueError, match="eastward_wind on a rotated grid needs northward_wind"
        ):
            regular({"eastward_wind": u}, rows, 5.0)


def steady(sphere, step, truncation=31, days=2, **model):
    """Williamson 2 after some days: the l2 error of its geopotential."""
    sim = fm.Simulation(
        fm.ShallowWater(fm.GaussianGrid(truncation, **sphere), **model).set(case="williamson-2"),
        time_step=step,
    ).prepare()
    first = sim.gather("fluid_geopotential")[0]
    sim.advance(round(days * 86400 / sim.time_step))
    weight, last = sim.model.grid.horizontal.area_center, sim.gather("fluid_geopotential")[0]
    return float(np.sqrt((weight * (last - first) ** 2).sum() / (weight * first**2).sum()))


@pytest.mark.parametrize("sphere", [spheres[0], spheres[2]])
def test_steady_flow_stays(sphere):
    """Across the rows it is interpolation that errs: third order in space."""
    errors = [steady(sphere, "1800s", truncation) for truncation in (31, 63)]
    assert errors[1] < 2.5e-5 and errors[0] > 3 * errors[1]


def test_rotation_by_itself_is_of_second_order():
    """Along the rows, where interpolation does not err."""
    errors = [steady({"stretching": 1.5}, step, 21) for step in ("7200s", "900s")]
    assert errors[1] < 4e-6 and errors[0] > 30 * errors[1]


def test_eulerian_flow_about_another_pole_is_exact():
    assert steady({"pole": (-60.0, 30.0)}, "1800s", truncation=21, scheme="eulerian") < 1e-12


@pytest.mark.parametrize("stretching", [1.0, 2.0])
def test_gravity_waves(stretching):
    """Without rotation P_n about the earth's axis stands still and swings with tan(w dt / 2) = c k
    dt / 2, whatever the grid is.
    """
    n, step, phi = 4, 3600.0, 5e4
    P = np.polynomial.legendre.Legendre.basis(n)
    water = fm.ShallowWater(
        fm.GaussianGrid(42, stretching=stretching, pole=(80.0, 20.0)),
        rotation=0.0,
        mean_geopotential=phi,
    )
    water.set(fluid_geopotential=lambda lon, lat: phi + P(np.sin(np.deg2rad(lat))) + 0 * lon)
    sim = fm.Simulation(water, time_step=f"{step:g}s").prepare()
    weight, shape = (
        water.grid.horizontal.area_center,
        P(np.sin(np.deg2rad(water.grid.coordinates()[1]))),
    )
    angle = 2 * np.arctan(0.5 * step * np.sqrt(phi * n * (n + 1)) / water.grid.radius)
    for count in range(1, 9):
        sim.advance(1)
        wave = (sim.gather("fluid_geopotential")[0] - phi) * shape * weight
        assert abs(wave.sum() / (shape**2 * weight).sum() - np.cos(angle * count)) < 5e-4


@pytest.mark.parametrize("sphere", spheres[:2])
def test_rest_over_a_mountain(sphere):
    grid = fm.GaussianGrid(21, levels=fm.HybridLevels(8), **sphere)
    hill = lambda lon, lat: (
        9.80616 * 2000 * np.exp(-(((lon % 360 - 90) / 20) ** 2 + ((lat - 40) / 15) ** 2))
    )
    atmosphere = fm.SpectralAtmosphere(grid, orography=hill, diffusion_time=0, gas_constant=287.0)
    sim = fm.Simulation(atmosphere, time_step="1800s").prepare()
    fitted = sim.gather("surface_geopotential")[0]
    atmosphere.set(air_temperature=300.0, log_surface_pressure=np.log(1e5) - fitted / (287 * 300))
    atmosphere.initialise(sim)
    sim.advance(24)
    assert max(abs(sim.gather(n)).max() for n in ("eastward_wind", "northward_wind")) < 1e-6


def test_balanced_jet_stays():
    """Jablonowski & Williamson (2006) without perturbation about a stretched pole: surface pressure
    stays, and so does the zonal wind, as output has it.
    """
    grid = fm.GaussianGrid(
        42, grid="linear", levels=fm.HybridLevels(10), stretching=1.4, pole=(30.0, 50.0)
    )
    sim = fm.Simulation(
        fm.SpectralAtmosphere(grid).set(case="jablonowski-williamson-balanced"), time_step="1800s"
    ).prepare()
    wind = lambda: np.stack([whole(sim, f"{d}_wind", 250)[0] for d in ("eastward", "northward")])
    first = wind()
    assert abs(first[1]).max() < 1e-1 < 20 < first[0].max()
    sim.advance(48)
    assert np.ptp(1e3 * np.exp(sim.gather("log_pressure_ratio"))) < 1.5
    assert abs(wind() - first).max() < 0.7


def test_the_same_weather_about_another_pole():
    """The Held-Suarez atmosphere with waves, on rows about the north pole and about another, both
    with rotation split off: alike after a day, and more alike on finer grids."""
    far = []
    for truncation in (21, 31):
        seen = []
        for pole in ((0.0, 90.0), (75.0, 35.0)):
            sim = held_suarez(truncation, step="1800s", pole=pole)
            sim.model.parameters["splitting"] = 1.0
            sim.prepare().advance(48)
            state = {
                name: whole(sim, name)[3]
                for name in ("eastward_wind", "northward_wind", "air_temperature")
            }
            seen.append(regular(state, sim.model.grid, 5.0))
        far.append(
            [
                float(
                    np.sqrt(
                        (
                            np.cos(np.deg2rad(seen[0].latitude))
                            * (seen[1][name] - seen[0][name]) ** 2
                        ).mean()
                        / seen[0][name].var()
                    )
                )
                for name in state
            ]
        )
    assert max(far[1]) < 2e-3 and all(b < 0.5 * a for a, b in zip(*far))


def test_mass_is_kept():
    sim = held_suarez(mountain=1500.0, tracers=["dye"], stretching=2.0, pole=(10.0, 40.0)).prepare()
    a, b = (np.asarray(v) for v in (sim.model.grid.levels.a, sim.model.grid.levels.b))
    area = sim.model.grid.horizontal.area_center

    def masses():
        layer = np.diff(a)[:, None, None] + np.diff(b)[:, None, None] * 1e5 * np.exp(
            sim.gather("log_pressure_ratio")
        )
        return np.array([(layer * area).sum(), (sim.gather("dye") * layer * area).sum()])

    before = masses()
    sim.advance(12)
    assert abs(masses() / before - 1).max() < 1e-12 and sim.gather("dye").min() >= 0


def test_long_steps_are_stable():
    """Two hours, ten days: rotation is a radian at the poles of the earth, which lie anywhere in
    the grid.
    """
    sim = held_suarez(step="7200s", levels=10, stretching=1.5, pole=(10.0, 40.0)).prepare()
    sim.advance(120)
    assert 20 < sim.model.watch(sim)[0]["maximum_wind"][0] < 80


@pytest.mark.parametrize("precision", [8, 4])
def test_bell_crosses_the_pole_of_stretching(precision):
    """Solid rotation of the real sphere over the pole of stretching and its opposite, once round:
    third order at least.
    """
    errors, radius = [], 6.37e6
    for rows in (32, 64):
        grid = core.full_gaussian_grid(rows, 2 * rows).stretched(1.6)
        sphere, steps, step = Schmidt(1.6), 144, 7200.0
        lat = np.deg2rad(sphere.from_pole(np.rad2deg(np.arcsin(np.asarray(grid.sine)))))[
            :, None, None
        ]
        lon = 2 * np.pi * np.arange(2 * rows) / (2 * rows)
        speed = 2 * np.pi * radius / (steps * step)
        full = lambda a, shape=(rows, 1, 2 * rows): np.array(np.broadcast_to(a, shape), order="C")
        scheme = core.SemiLagrangian(grid, [0.5], precision, step, radius, 0.0)
        u, v = full(speed * np.cos(lon) * np.sin(lat)), full(-speed * np.sin(lon))
        scheme.depart([u, v, full(0.0)])
        first = full(
            np.exp(-((np.arccos(np.clip(np.cos(lat) * np.cos(lon - np.pi / 2), -1, 1)) / 0.6) ** 2))
        )
        bell = first.copy()
        for _ in range(steps):
            scheme.interpolate([bell])
        weight = (
            np.asarray(grid.weight)[:, None, None]
            / sphere.map_factor(np.rad2deg(np.arcsin(np.asarray(grid.sine))))[:, None, None] ** 2
        )
        errors.append(
            float(np.sqrt((weight * (bell - first) ** 2).sum() / (weight * first**2).sum()))
        )
        east, north = u.copy(), v.copy()
        scheme.interpolate([east, north], wind=True)
        assert (
            np.hypot(east - u, north - v).max() < 1.1 * speed * 2 * np.pi / steps
        )  # only the centripetal part
    assert errors[1] < 0.02 and errors[1] < errors[0] / 6


@pytest.mark.parametrize(
    "options",
    [{"mountain": 1500.0, "tracers": ["dye"], "reduced": "classical"}, {"precision": "fp32"}],
)
def test_same_bits_and_restart(options, tmp_path):
    options = options | {"stretching": 2.4, "pole": (2.6, 46.5)}
    alone = bits(steps=4, **options)
    assert np.isfinite(alone["speed"]) and alone["speed"] > 15
    assert (
        bits(steps=4, **options, threads=2)["checksum"]
        == bits(steps=4, **options, blocks=[17, 5], tile=16)["checksum"]
        == alone["checksum"]
    )
    part = held_suarez(**options).prepare()
    part.advance(2)
    path = part.write_restart(tmp_path / "restart.fathom")
    again = held_suarez(**options).restore(path).prepare()
    again.advance(2)
    assert again.checksum() == alone["checksum"]
    with pytest.raises(ValueError, match="sphere"):
        held_suarez(**options | {"pole": (3.0, 46.5)}).restore(path).prepare()


def test_output_has_the_coordinates_of_each_point(tmp_path):
    from fathom import output

    grid = fm.GaussianGrid(21, levels=fm.SigmaLevels(6), stretching=2.0, pole=(2.6, 46.5))
    model = fm.SpectralAtmosphere(grid, rotation=0.0).set(
        eastward_wind=lambda lon, lat, p: 10 * np.cos(np.deg2rad(lat)) + 0 * lon
    )
    sim = fm.Simulation(model, time_step="1800s", directory=tmp_path)
    sim.output(
        "wind.nc", ["eastward_wind", "northward_wind", "wind_speed"], every="1h", levels=[500]
    )
    sim.output("mean.zarr", ["eastward_wind"], every="1h", statistic="mean")
    sim.run("1h", report=False)
    with output.open(tmp_path / "wind.nc") as data:
        assert (
            data.longitude.dims == data.latitude.dims == ("y", "x")
            and "longitude_bounds" in data.variables
        )
        assert data.latitude.max() > 88 and data.latitude.min() < -80
        assert float(data.areacello.sum()) == pytest.approx(4 * np.pi * grid.radius**2, rel=1e-12)
        assert (
            abs(data.ua[-1, 0] - 10 * np.cos(np.deg2rad(data.latitude))).max() < 1.0
            and abs(data.va[-1, 0]).max() < 1.0
        )
    with output.open(tmp_path / "mean.zarr") as data:
        assert abs(data.ua[-1, 3] - 10 * np.cos(np.deg2rad(data.latitude))).max() < 1.0
    sections = dict(model.pictures(model.report(sim))["Zonal means"])
    assert sections["eastward_wind"]() is not None


def test_show_tells_what_a_long_step_costs():
    grid = fm.GaussianGrid(21, levels=fm.SigmaLevels(4), pole=(0, 30))
    ((_, value, limit, *_),) = fm.SpectralAtmosphere(grid).criteria(1800.0)
    assert (
        value == pytest.approx(0.01723, rel=1e-3)
        and value > limit > fm.SpectralAtmosphere(grid).criteria(1200.0)[0][1]
    )
    assert not fm.SpectralAtmosphere(fm.GaussianGrid(21, levels=fm.SigmaLevels(4))).criteria(1800.0)


def test_errors():
    for given, message in (
        ({"stretching": 0.5}, "stretching = 0.5 must be at least 1"),
        ({"pole": (0, 95)}, r"latitude within \[-90, 90\]"),
        ({"pole": 46.5}, "pole = 46.5"),
        ({"stretching": 30.0}, "too much for 32 rows"),
        ({"streching": 2.0}, "did you mean 'stretching'"),
    ):
        with pytest.raises((ValueError, RuntimeError), match=message):
            fm.GaussianGrid(21, **given)
    with pytest.raises(
        ValueError, match="scheme = 'eulerian' needs an even sphere, given stretching = 2"
    ):
        fm.ShallowWater(fm.GaussianGrid(21, stretching=2.0), scheme="eulerian")
    with pytest.raises(ValueError, match="off_centring"):
        fm.Simulation(
            fm.SpectralAtmosphere(
                fm.GaussianGrid(21, levels=fm.SigmaLevels(4), pole=(0, 30)), off_centring=1.0
            ),
            time_step="1800s",
        ).prepare()
