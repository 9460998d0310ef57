"""The ocean under records of any rhythm: what enters is the linear interpolation, exactly; files
are as the embedded climatology; restarts, ranks, errors; Haney and Barnier.
"""

import numpy as np
import pytest
import xarray as xr

import cases
import fathom as fm
from cases import box, continued, earth, simulate, under_winds_of
from fathom.data import embedded
from fathom.data import surface as climatology

rho_c, thickness = 1026 * 3996.0, 50.0


def series(hours, values, units="W m-2", shape=(8, 8), start="2000-01-01", name="hfds"):
    """Uniform in space, at these hours."""
    time = np.datetime64(start, "ns") + (np.asarray(hours) * 3600e9).astype("m8[ns]")
    return xr.DataArray(
        np.ones(shape) * np.asarray(values, float)[:, None, None],
        dims=("time", "y", "x"),
        coords={"time": time},
        attrs={"units": units},
        name=name,
    )


def still(**surface):
    """A sea that does not move, and in which nothing mixes: its top layer sums up what enters."""
    ocean = box(
        nx=8,
        ny=8,
        nz=3,
        slope=False,
        vertical_mixing=fm.ConstantMixing(diffusivity=0),
        diffusion=None,
        equation_of_state=fm.LinearEquationOfState(),
    )
    return simulate(
        ocean.set(temperature=lambda x, y, z: 10.0 - 4 * (z > 60) + 0 * x, salinity=35.0),
        step="1800s",
        surface=fm.SurfaceForcing(**surface),
    )


def top(simulation, name="temperature"):
    return simulation.gather(name)[0, 1, 1]


@pytest.mark.parametrize("every", [6, 24, 3])
def test_what_enters_is_the_interpolation(every, tmp_path):
    """Heat, fresh water and salt at three rhythms at once: sums over steps of the straight lines
    between records.
    """
    hours = np.arange(0, 49, every)
    heat, rain, salt = 400 * np.sin(hours), 1e-4 * np.cos(hours), 1e-6 * np.cos(2 * hours)
    series(hours, heat).to_netcdf(tmp_path / "q.nc")
    daily = np.arange(0, 49, 24)
    sim = still(
        heat_flux=str(tmp_path / "q.nc"),
        freshwater_flux=series(hours, rain * 86400, "mm/day"),
        salinity_flux=series(daily, salt[:3], "1e-3 m s-1"),
    )
    sim.advance(70)
    at = np.arange(70) * 0.5
    assert top(sim) == pytest.approx(
        10 + np.interp(at, hours, heat).sum() * 1800 / (rho_c * thickness), abs=1e-9
    )
    salted = np.interp(at, daily, salt[:3]).sum() - 34.7 / 1000 * np.interp(at, hours, rain).sum()
    assert top(sim, "salinity") == pytest.approx(35 + salted * 1800 / thickness, abs=1e-9)


def test_a_record_is_read_once(monkeypatch):
    """What was the next one is copied when it becomes the previous one."""
    from fathom.data.input.records import Source

    numbers, read = [], Source.read
    monkeypatch.setattr(
        Source, "read", lambda self, number: numbers.append(number) or read(self, number)
    )
    still(heat_flux=series(np.arange(0, 25, 3), np.arange(9.0))).advance(
        40
    )  # 20 h: in the interval from 18 h on
    assert sorted(numbers) == sorted(set(numbers)) and set(range(8)) <= set(numbers)


def test_nothing_is_read_beside_the_users_code(tmp_path):
    """After advance, and in a callback, the thread of the reader rests."""
    series(np.arange(0, 25, 3), np.arange(9.0)).to_netcdf(tmp_path / "q.nc")
    sim, done = still(heat_flux=str(tmp_path / "q.nc")), []
    sim.directory, sim.overwrite = tmp_path / "run", True
    rests = lambda s: done.append(
        bool(s.forcing.records.held)
        and all(record.done() for record in s.forcing.records.held.values())
    )
    sim.advance(2)
    rests(sim)
    sim.call(rests, "3h").run("6h", report=False)
    assert len(done) >= 3 and all(done)


def test_stress_in_time(tmp_path):
    """Along the axes of the grid at corners, and eastward at centres, which on a plane are the
    same.
    """
    tau = series([0, 12], [0.1, 0.3], "N m-2", (16, 16))
    speeds = []
    for keywords in (
        {"stress_x": tau},
        {"stress_eastward": fm.Records(tau)},
        {"stress_x": 0.2},
        {"stress_x": 0 * tau + 0.2},
    ):
        sim = simulate(
            box(nx=16, ny=16, nz=3, slope=False),
            surface=fm.SurfaceForcing(**keywords),
            step="1800s",
        )
        sim.advance(13)
        speeds.append(sim.gather("velocity_x"))
    np.testing.assert_allclose(speeds[0], speeds[1], atol=1e-12)
    np.testing.assert_array_equal(speeds[2], speeds[3])
    assert np.abs(speeds[0] - speeds[2]).max() > 0.1 * np.abs(speeds[2]).max()
    with pytest.raises(ValueError, match="have the same meaning"):
        fm.SurfaceForcing(stress_x=tau, stress_northward=tau)


def write_winds(folder):
    latitude, longitude = np.arange(-88.0, 89, 8), np.arange(0.0, 360, 12)
    time = np.datetime64("2000-01-15T18", "ns") + np.arange(5) * np.timedelta64(6, "h")
    for n, name in enumerate(("eastward_wind", "northward_wind")):
        values = (
            8
            * np.cos(np.deg2rad(latitude))[:, None]
            * np.sin(np.deg2rad(longitude) + np.arange(5)[:, None, None] + n)
        )
        xr.DataArray(
            values,
            dims=("time", "lat", "lon"),
            coords={"time": time, "lat": latitude, "lon": longitude},
            name="abc"[n],
            attrs={"standard_name": name, "units": "m/s"},
        ).to_netcdf(folder / f"{name}.nc")


def test_restart_between_records_and_ranks(tmp_path, on_ranks):
    write_winds(tmp_path)
    continued(lambda: under_winds_of(tmp_path))
    whole = under_winds_of(tmp_path)
    whole.advance(6)
    told = on_ranks(2, cases, "winds", f'folder="{tmp_path}"')
    assert told["checksum"] == whole.checksum()
    other = fm.Simulation(
        whole.model,
        "1h",
        start="2000-01-15 21:00",
        surface=fm.BulkForcing("coads", temperature_restoring=1e-5),
    )
    other.advance(6)
    assert other.checksum() != whole.checksum()


def test_a_file_of_months_is_the_climatology(tmp_path):
    """The embedded numbers in a file of the user's: the same fields of the same months, bit for
    bit, and the same ocean.
    """
    names = {
        "latitude": ("latitude", "longitude"),
        "sea_latitude": ("sea_latitude", "sea_longitude"),
    }
    air = fm.BulkForcing.air
    starts = np.array([f"{1999 + n // 12}-{n % 12 + 1:02d}-01" for n in range(13)], "M8[ns]")
    for axis, axes in names.items():
        wanted = [
            n
            for n in (*air, "sea_surface_temperature")
            if n.startswith("sea_") == (axis == "sea_latitude")
        ]
        data = embedded.read("surface-climatology", *wanted, *axes)
        if climatology.LIGHT in wanted:  # including light over the ice pack (fathom/data/light.py)
            light = climatology.open(climatology.LIGHT)
            data |= {climatology.LIGHT: light[climatology.LIGHT].values}
        units = {
            "air_temperature": "degC",
            "specific_humidity": "kg kg-1",
            "air_pressure": "Pa",
            "precipitation_flux": "kg m-2 s-1",
            "sea_ice_fraction": "1",
            "sea_surface_temperature": "degC",
        }
        place = [
            (n, data[a], {"units": u})
            for n, a, u in zip(("lat", "lon"), axes, ("degrees_north", "degrees_east"))
        ]
        file = xr.Dataset(
            {
                n: (
                    ("time", "lat", "lon")[-data[n].ndim :],
                    data[n],
                    {"units": units.get(n, "W m-2" if "flux" in n else "m s-1")},
                )
                for n in wanted
            },
            coords={n: (n, v, a) for n, v, a in place}
            | {"time": ("time", starts[:-1], {"bounds": "bounds"})},
        )
        file.time.encoding["units"] = "hours since 1999-01-01"
        file.assign(bounds=(("time", "n"), np.stack([starts[:-1], starts[1:]], 1))).to_netcdf(
            tmp_path / f"{axis}.nc"
        )
    numbers = fm.Records(str(tmp_path), repeated_year=True, average=False)
    restored = {"temperature_restoring": 1e-5, "salinity_restoring": 0.0}
    own = fm.BulkForcing(numbers, **restored)
    runs = [
        fm.Simulation(earth(), "1h", start="2000-02-15 10:00", surface=surface)
        for surface in (own, fm.BulkForcing("coads", **restored))
    ]
    for run in runs:
        run.advance(4)  # over the middle of February
    assert runs[0].checksum() == runs[1].checksum()
    fields = [
        {
            name: values
            for source in run.forcing.sources
            for name, values in source.read(1 if len(source.axis) > 1 else 0).items()
        }
        for run in runs
    ]
    assert set(fields[0]) == set(fields[1]) and len(fields[0]) == 11
    wet = np.asarray(runs[0].model.grid.wet_levels) > 0
    for name, values in fields[1].items():
        np.testing.assert_array_equal(fields[0][name][wet], values[wet], err_msg=name)


def test_haney_and_barnier_relax():
    """dT/dt = (Q + dQ/dT (T - T*)) / (rho0 c_p h): T approaches T* - Q / (dQ/dT) as the scheme's
    forward steps do; Haney with v = -dQ/dT / (rho0 c_p) and no Q likewise.
    """
    target, Q, slope, n = 14.0, 60.0, -40.0, 200
    step = slope * 1800 / (rho_c * thickness)
    for keywords, end in (
        ({"heat_flux": Q, "heat_flux_sensitivity": slope}, target - Q / slope),
        ({"piston_velocity": -slope / rho_c}, target),
    ):
        sim = still(restoring_temperature=target, **keywords)
        sim.advance(n)
        assert top(sim) == pytest.approx(end + (10 - end) * (1 + step) ** n, abs=1e-9)
        assert top(sim) == pytest.approx(end + (10 - end) * np.exp(n * step), abs=2e-3)
    with pytest.raises(
        ValueError, match="heat_flux_sensitivity = 40.0: a warmer sea would get more heat"
    ):
        still(restoring_temperature=target, heat_flux_sensitivity=40.0)
    with pytest.raises(
        ValueError, match="wind_speed and air_pressure come from the air of the bulk formulae"
    ):
        still(
            restoring_temperature=target,
            heat_flux_sensitivity=fm.schemes.BulkSensitivity(),
            air_pressure=1e5,
        )
    with pytest.raises(ValueError, match="heat_flux_sensitivity needs restoring_temperature"):
        fm.SurfaceForcing(heat_flux_sensitivity=-40.0)


def test_barnier_with_the_slope_of_bulk_formulae():
    """Over the climatology's air: between -15 and -90 W m-2 K-1 everywhere; heat in time, over
    temperature in time.
    """
    ocean, grid = earth().set(temperature=15.0), earth().grid
    sst = (
        xr.open_dataset(embedded.path("surface-climatology"))
        .sea_surface_temperature.rename(sea_latitude="latitude", sea_longitude="longitude")
        .astype("f4")
    )
    surface = fm.SurfaceForcing(
        restoring_temperature=sst,
        heat_flux=series(np.arange(0, 25, 6), np.arange(5.0), shape=(16, 24)),
        heat_flux_sensitivity=fm.schemes.BulkSensitivity(),
    )
    sim = fm.Simulation(ocean, "1h", surface=surface)
    sim.advance(1)
    wet = np.asarray(grid.wet_levels) > 0
    Q = (sim.gather("temperature")[0][wet] - 15) * rho_c * grid.vertical.thickness[0] / 3600
    T = next(source for source in sim.forcing.sources if source.fields == ["restoring_temperature"])
    with pytest.raises(
        ValueError, match="'air_pressure' is made by a process before it is read, and cannot be set"
    ):
        sim.fields.set("air_pressure", np.full((16, 24), 1e5))
    target = (T.read(11)["restoring_temperature"] + T.read(0)["restoring_temperature"])[
        wet
    ] / 2  # midway between the middles of two months of 31 days
    away = np.abs(target - 15) > 1
    slope = Q[away] / (15 - target)[away]
    assert -90 < slope.min() < slope.mean() < slope.max() < -12 and -60 < slope.mean() < -25


def test_chlorophyll_and_tides_from_data(tmp_path):
    """Chlorophyll by months through the same records; energy of tides as it stays; both as numbers
    would be where they are uniform.
    """
    series([0, 24], [0.1, 0.3], "mg m-3", name="chl").to_netcdf(tmp_path / "chl.nc")
    tides = series([0], [2.0], "J m-2")[0].drop_vars("time").assign_coords(y=np.arange(8))
    ocean = lambda chlorophyll, energy: simulate(
        box(
            nx=8,
            ny=8,
            nz=20,
            slope=False,
            vertical_mixing=fm.KPP(),
            shortwave_penetration=fm.ChlorophyllWater(),
            chlorophyll=chlorophyll,
            tidal_mixing=fm.TidalMixing(),
            tidal_energy=energy,
        ).set(temperature=lambda x, y, z: 20 - z / 200 + 0 * x, salinity=35.0),
        step="3600s",
        surface=fm.SurfaceForcing(heat_flux=200.0, shortwave_flux=300.0),
    )
    runs = [
        ocean(fm.Records(str(tmp_path / "chl.nc")), tides),
        ocean(0.2, 2.0),
        ocean(0.1, 2.0),
        ocean(0.3, 2.0),
    ]
    for run in runs:
        run.advance(24)
    T = [run.gather("temperature")[:, 1, 1] for run in runs]
    assert (
        np.abs(T[0] - T[1]).max() < 0.1 * np.abs(T[2] - T[3]).max()
        and np.abs(T[0] - T[1]).max() > 0
    )
    with pytest.raises(
        ValueError, match="tidal_energy: the dimension 'time' of what is given is none of y, x"
    ):
        ocean(0.2, series([0, 24], [1, 2], "J m-2")).prepare()


def test_errors_of_runs(tmp_path):
    sim = still(heat_flux=series([0, 6, 12], [1, 2, 3]))
    sim.directory = tmp_path
    with pytest.raises(
        ValueError,
        match=(
            r"the records of surface_heat_flux are of 1999-12-31 18:00:00 to 2000-01-01 18:00:00;"
            r" the run is from 2000-01-01 00:00:00 to 2000-01-02 00:00:00 \(repeated_year"
        ),
    ):
        sim.run("1d")
    hole = series([0, 6, 12], [1, 2, 3])
    hole[1, 5, 5] = np.nan
    with pytest.raises(
        ValueError,
        match=(
            r"the forcing of 2000-01-01 06:00: surface_heat_flux: no value at x"
            r" .*\); gaps = 'fill' fills"
        ),
    ):
        still(heat_flux=hole).advance(1)
    for data, message in (
        (
            {"air_temprature": 3.0},
            "unknown variable of the forcing 'air_temprature'; did you mean 'air_temperature'",
        ),
        ("coad", "unknown forcing data 'coad'; did you mean 'coads'"),
        (
            {"eastward_wind": 3.0},
            "the forcing has no northward_wind, wind_speed, .*; missing = 'coads' uses",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            fm.BulkForcing(data)
    fm.BulkForcing({"eastward_wind": 3.0}, missing="coads")
    with pytest.raises(ValueError, match="storms = 1 must be true or false"):
        fm.BulkForcing(storms=1)
    values = dict.fromkeys(fm.BulkForcing.air, 0.1) | {"air_pressure": 1e5}
    air = fm.BulkForcing(values, salinity_restoring=0, storms=True)
    with pytest.raises(ValueError, match="storms = True is for grids on the sphere"):
        fm.Simulation(box(), "1h", surface=air).prepare()
    series([0, 6], [1, 2], "K").to_netcdf(tmp_path / "q.nc")
    with pytest.raises(
        ValueError,
        match="hfds for surface_heat_flux in 'W m-2': 'K' has not the dimension of 'W m-2'",
    ):
        still(heat_flux=str(tmp_path / "q.nc"))
