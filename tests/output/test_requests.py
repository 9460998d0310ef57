"""What an output may be asked for: area, zonal mean, window of time, accumulation; for atmosphere
and ocean, the same bytes on any ranks."""

import numpy as np
import pytest

import fathom as fm
import output_requests
from fathom import output


@pytest.fixture(scope="module")
def atmosphere(tmp_path_factory):
    folder = tmp_path_factory.mktemp("atmosphere")
    return output_requests.run_atmosphere(str(folder)), folder


def stored(folder, name):
    return output.open(folder / name)


def test_an_area_has_the_grid_s_own_points(atmosphere):
    _, folder = atmosphere
    whole, part = stored(folder, "whole.nc"), stored(folder, "europe.nc")
    longitude = part.longitude.values
    assert longitude.min() >= -12 and longitude.max() <= 40 and np.all(np.diff(longitude) > 0)
    assert part.latitude.min() >= 35 and part.latitude.max() <= 70
    columns = np.searchsorted(whole.longitude, longitude % 360)
    rows = np.searchsorted(whole.latitude, part.latitude)
    assert np.array_equal(
        part.ta.values, whole.ta.values[..., rows[:, None], columns], equal_nan=True
    )


def test_an_area_of_a_regular_grid(atmosphere):
    _, folder = atmosphere
    globe, part = stored(folder, "regular.nc"), stored(folder, "regular-europe.nc")
    rows = np.searchsorted(globe.latitude, part.latitude)
    columns = np.searchsorted(globe.longitude, part.longitude.values % 360)
    expected = globe.ta.values[..., rows[:, None], columns]
    assert np.allclose(part.ta.values, expected, rtol=1e-6)


def test_zonal_means_are_means_of_rows(atmosphere):
    _, folder = atmosphere
    whole, zonal = stored(folder, "whole.nc"), stored(folder, "zonal.nc")
    assert zonal.ta.shape == (*whole.ta.shape[:-1], 1)
    assert "longitude: mean" in zonal.ta.attrs["cell_methods"]
    expected = whole.ta.astype(float).mean("longitude").values
    assert np.allclose(zonal.ta.values[..., 0], expected, rtol=1e-6)


def test_a_window_of_time(atmosphere):
    _, folder = atmosphere
    whole, part = stored(folder, "whole.nc"), stored(folder, "window.nc")
    times = [str(t)[11:16] for t in part.time.values]
    assert times == ["01:00", "02:00"]
    chosen = whole.ta.sel(time=part.time)
    assert np.array_equal(part.ta.values, chosen.values)
    means = stored(folder, "window-mean.nc")
    assert means.sizes["time"] == 1  # of the intervals only that from 1 to 2 h lies in it


def test_accumulations_are_means_times_the_interval(atmosphere):
    _, folder = atmosphere
    mean, total = stored(folder, "mean.nc"), stored(folder, "total.nc")
    assert total.ta.attrs["cell_methods"] == "time: sum"
    assert total.ta.attrs["units"] == "K s"
    assert np.allclose(total.ta.values, 3600.0 * mean.ta.values, rtol=1e-6)


def last_message(path, *keys):
    """What eccodes says of it, and its values with their places."""
    eccodes = pytest.importorskip("eccodes")
    with open(path, "rb") as file:
        while (handle := eccodes.codes_grib_new_from_file(file)) is not None:
            said = [eccodes.codes_get(handle, key) for key in keys]
            places = eccodes.codes_grib_iterator_new(handle, 0)
            points = list(iter(lambda: eccodes.codes_grib_iterator_next(places), []))
            eccodes.codes_grib_iterator_delete(places)
            eccodes.codes_release(handle)
    return said, np.array(points)


@pytest.mark.parametrize(
    "name, product, interval",
    [
        ("zonal", [15, "instant", 0], "3"),
        ("zonal-mean", [8, "avg", 0], "2-3"),
        ("total", [8, "accum", 1], "2-3"),
    ],
)
def test_grib_has_zonal_means_and_accumulations(atmosphere, name, product, interval):
    """As eccodes reads them: a mean over the area of a cell (template 4.15), or an interval."""
    _, folder = atmosphere
    process = "statisticalProcess" if product[0] == 15 else "typeOfStatisticalProcessing"
    keys = ("productDefinitionTemplateNumber", "stepType", process, "stepRange", "Ni")
    said, points = last_message(folder / f"{name}.grib2", *keys)
    mine = stored(folder, f"{name}.grib2")
    assert said == [*product, interval, mine.sizes["longitude"]]
    assert np.allclose(points[:, 2], mine.ta.values[-1, -1, ::-1].ravel(), rtol=1e-7)
    assert np.allclose(points[:, 0], np.repeat(mine.latitude.values[::-1], said[-1]), atol=1e-5)
    if name != "zonal-mean":
        other = stored(folder, f"{name}.nc")
        assert mine.ta.attrs["units"] == other.ta.attrs["units"]
        assert np.allclose(mine.ta.values, other.ta.values, rtol=1e-6)


def test_a_zonal_mean_of_an_area_in_grib_says_how_wide_it_is(atmosphere):
    _, folder = atmosphere
    keys = ("gridType", "Ni", "iDirectionIncrementInDegrees")
    said, points = last_message(folder / "zonal-europe.grib2", *keys)
    west, east = stored(folder, "zonal-europe.grib2").longitude_bounds.values[0]
    assert said == ["regular_ll", 1, east - west]
    assert np.allclose(points[:, 1], 0.5 * (west + east))


def test_another_grid(atmosphere):
    """Its points and poles; on the model's own every value is the model's."""
    _, folder = atmosphere
    whole, same, other = (stored(folder, f"{n}.nc") for n in ("whole", "same-grid", "grid"))
    assert np.allclose(same.ta.values, whole.ta.values, rtol=1e-6)
    grid = fm.GaussianGrid(10, stretching=1.5, pole=(5.0, 45.0))
    longitude, latitude = grid.coordinates()
    assert np.allclose(other.latitude, latitude)
    assert np.allclose((other.longitude - longitude + 180) % 360, 180)
    assert np.allclose(other.areacello, grid.mapping()["area"])
    nearby = whole.ta.isel(time=-1, level=0).interp(latitude=40.0, longitude=30.0)
    j, i = np.unravel_index(
        np.hypot(other.latitude - 40, (other.longitude - 30 + 180) % 360 - 180).values.argmin(),
        other.latitude.shape,
    )
    assert abs(float(other.ta[-1, 0, j, i]) - float(nearby)) < 3


def test_a_fit_has_the_waves_it_says(atmosphere):
    """Those up to it are the field's, others none; what the model holds it keeps."""
    simulation, folder = atmosphere
    harmonics = simulation.model.grid.harmonics
    whole, part, full = (stored(folder, f"{n}.nc").ta.values for n in ("whole", "fit", "fit-all"))
    assert np.allclose(full, whole, atol=1e-4)
    there, fitted = (harmonics.direct(v[-1].astype(float)) for v in (whole, part))
    low = harmonics.n <= 7
    assert np.abs(there - fitted)[:, low].max() < 1e-4
    assert np.abs(fitted[:, ~low]).max() < 1e-4 < np.abs(there[:, ~low]).max()
    wind, same = stored(folder, "wind.nc"), stored(folder, "fit-wind.nc")
    for name in ("ua", "va"):
        assert np.allclose(wind[name], same[name], atol=1e-4)
    smooth = stored(folder, "smooth-wind.nc").ua.values[:, :, [0, 1, -2, -1]]  # also near the poles
    assert np.abs(smooth - wind.ua.values[:, :, [0, 1, -2, -1]]).max() < 5
    both = stored(folder, "fit-regular.nc")
    assert both.ta.sizes["longitude"] == 36


def test_a_fit_leaves_out_what_is_missing(atmosphere):
    """A level that lies below the ground in places has its values elsewhere."""
    _, folder = atmosphere
    whole, fitted = (stored(folder, f"{n}.nc").ta.values for n in ("warm", "fit-warm"))
    missing = np.isnan(whole)
    assert 0.01 < missing[-1].mean() < 0.9
    assert np.array_equal(np.isnan(fitted), missing)
    assert np.nanmean(np.abs(fitted - whole)) < 1


def test_what_is_made_along_the_earth_goes_anywhere(atmosphere):
    """Vorticity, as a mean, on a level and at places; its mean over the globe is 0."""
    _, folder = atmosphere
    mean, level = stored(folder, "spin.nc").rv, stored(folder, "turning.nc")
    assert np.abs(mean.mean("longitude")).max() < 1e-3 and np.abs(mean).max() > 1e-7
    places = stored(folder, "places.nc")
    assert places.pv.sizes["station"] == 2 and np.isfinite(places.pv).all()
    assert np.sign(places.pv[-1, -1]).values.tolist() == [1, -1]
    assert np.isfinite(level.pv).all()


@pytest.mark.parametrize(
    "asked, words",
    [
        ({"spectral_truncation": 16}, "from 1 to 15"),
        ({"spectral_truncation": 2.5}, "spectral_truncation = 2.5 must be a whole number"),
        ({"zonal": "no"}, "zonal = 'no' must be true or false"),
        ({"grid": "T42"}, "a grid with longitudes and latitudes"),
        (
            {"grid": fm.GaussianGrid(7), "latlon_resolution": 5},
            "grid = GaussianGrid are two places",
        ),
        ({"grid": fm.GaussianGrid(7), "section": [[0, 0], [10, 10]]}, "two places"),
    ],
)
def test_what_cannot_be_is_said(atmosphere, asked, words):
    simulation, _ = atmosphere
    with pytest.raises(ValueError, match=words):
        simulation.output("new.nc", ["air_temperature"], every="1h", **asked)


def test_an_ocean_has_them_too(tmp_path):
    output_requests.run_ocean(str(tmp_path))
    whole, part = stored(tmp_path, "whole.nc"), stored(tmp_path, "area.nc")
    zonal = stored(tmp_path, "zonal.nc")
    x = part.longitude.values
    assert part.thetao.shape[-2:] == x.shape[-2:] or x.ndim == 1
    assert np.isfinite(part.thetao.values).any()
    values = whole.thetao.values[np.isfinite(whole.thetao.values)]
    assert np.isin(part.thetao.values[np.isfinite(part.thetao.values)], values).all()
    inside = zonal.thetao.values[np.isfinite(zonal.thetao.values)]
    assert values.min() - 1e-4 <= inside.min() and inside.max() <= values.max() + 1e-4


def test_the_same_bytes_on_any_ranks_and_servers(on_ranks):
    one = on_ranks(1, output_requests, "sums")
    assert one == on_ranks(3, output_requests, "sums", "1")  # one is a server


@pytest.mark.long
def test_the_same_bytes_whoever_writes(on_ranks):
    one, two = (on_ranks(n, output_requests, "sums") for n in (1, 2))
    assert one == two == on_ranks(3, output_requests, "sums", "0", "2")  # two of three write


@pytest.mark.parametrize("levels", [None, [500]])
@pytest.mark.parametrize("sphere", [{}, {"stretching": 1.5, "pole": (40.0, 75.0)}])
def test_wind_over_the_poles(tmp_path, sphere, levels):
    """Air that turns about an axis on the equator: 30 m/s over the poles, also where points of a
    target lie around them, and where one component alone is asked for.
    """
    U = 30.0
    sine, cosine = (lambda x, f=f: f(np.deg2rad(x)) for f in (np.sin, np.cos))
    east = lambda lon, lat: U * sine(lat) * cosine(lon)
    north = lambda lon, lat: -U * sine(lon) + 0 * lat
    grid = fm.GaussianGrid(31, levels=fm.SigmaLevels(4), **sphere)
    model = fm.SpectralAtmosphere(grid)
    model.set(
        eastward_wind=lambda lon, lat, p: east(lon, lat) + 0 * p,
        northward_wind=lambda lon, lat, p: north(lon, lat) + 0 * p,
    )
    simulation = fm.Simulation(model, time_step="10min", directory=tmp_path)
    both = ["eastward_wind", "northward_wind"]
    for name, variables in {"both": both, "east": both[:1], "north": both[1:]}.items():
        simulation.output(
            f"{name}.zarr", variables, every="10min", latlon_resolution=3, levels=levels
        )
    simulation.run("10min", report=False)
    with fm.open(tmp_path / "both.zarr") as found:
        wanted = {"ua": east, "va": north}
        for name, function in wanted.items():
            off = found[name][0, -1] - function(found.longitude, found.latitude).T
            polar = np.abs(off).where(np.abs(found.latitude) > 80)
            assert float(polar.max()) < 0.02 * U, name
            with fm.open(tmp_path / f"{'east' if name == 'ua' else 'north'}.zarr") as alone:
                np.testing.assert_array_equal(alone[name], found[name])


def test_grib_and_fa_are_encoded_by_any_ranks_to_the_same_bytes(on_ranks):
    one = on_ranks(1, output_requests, "whole_times")
    assert len(one) == 3 + 3 + 3 + 2 + 3
    assert one == on_ranks(3, output_requests, "whole_times", "1")  # one is a server


@pytest.mark.long
def test_grib_and_fa_are_encoded_by_two_of_three_ranks(on_ranks):
    one = on_ranks(1, output_requests, "whole_times")
    assert one == on_ranks(3, output_requests, "whole_times", "0", "2")  # two of three write


@pytest.mark.parametrize(
    "asked, word",
    [
        ({"area": [10, 20, 50, 40]}, "south below north"),
        ({"area": "europe"}, "allowed is"),
        ({"area": [0, 0.01, 40, 40.01]}, "none of the grid's"),
        ({"section": [[0, 0], [10, 10]], "zonal": True}, "two places"),
        ({"window": ["2000-01-02", "2000-01-01"]}, "ends before"),
        ({"window": "2000-01-02"}, "allowed is"),
        ({"statistic": "accumulated"}, "accumulation"),
    ],
)
def test_what_cannot_be_is_told(asked, word):
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(3))
    simulation = fm.Simulation(fm.SpectralAtmosphere(grid), time_step="20m")
    with pytest.raises(ValueError, match=word):
        simulation.output("a.nc", ["air_temperature"], **asked)


def test_compression_is_chosen(tmp_path):
    """Of each format its own; the numbers are the same, those of GRIB within their bits."""
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels("L8"))
    simulation = fm.Simulation(fm.SpectralAtmosphere(grid), time_step="20m", directory=tmp_path)
    chosen = {
        **{f"{name}.zarr": name for name in ("zstd", "lz4", "none")},
        **{f"{name}.nc": name for name in ("zlib", "none")},
        **{f"{name}.fa": name for name in ("waves", "ccsds", "none")},
        "simple.grib2": "simple",
    }
    for path, name in chosen.items():
        simulation.output(path, ["air_temperature"], "20m", compression=name)
    for path, message in {
        "a.zarr": "unknown compression 'lz5'; did you mean 'lz4'",
        "a.nc": "unknown compression 'lz5'.*known: zlib, none",
    }.items():
        with pytest.raises(ValueError, match=f"output {path}: {message}"):
            simulation.output(path, ["air_temperature"], compression="lz5")
    simulation.run("20m", report=False)
    wanted = stored(tmp_path, "zstd.zarr").ta.values
    for path in chosen:
        near = 1e-3 if path.endswith(("waves.fa", "ccsds.fa", ".grib2")) else 0
        np.testing.assert_allclose(stored(tmp_path, path).ta.values, wanted, atol=near)
    sizes = [
        sum(f.stat().st_size for f in (tmp_path / f"{name}.zarr").rglob("*") if f.is_file())
        for name in ("zstd", "none")
    ]
    assert sizes[0] < sizes[1]
