"""Stretched and rotated Gaussian rows in GRIB2 and FA: values come back, at their places on earth,
for others too.
"""

import numpy as np
import pytest

import fathom as fm
from fathom import output
from fathom.grids.regrid.schmidt import Schmidt
from fathom.output.formats import fa, lfi

eccodes = pytest.importorskip("eccodes")
spheres = {
    "stretched": {"stretching": 2.0},
    "rotated": {"pole": (2.6, 46.5)},
    "both": {"stretching": 2.4, "pole": (2.6, 46.5)},
    "south": {"stretching": 1.5, "pole": (170.0, -35.0)},
}


def written(path, name, **options):
    """Temperature on levels and pressure at the ground, twice: (grid, values)."""
    grid = fm.GaussianGrid(10, levels=fm.HybridLevels(8), **spheres.get(name, {}))
    mapping = grid.mapping()
    names = ("air_temperature", "surface_air_pressure")
    variables = [output.variable(n, mapping) for n in names]
    writer = output.create(path, output.coordinates(mapping, variables), variables, **options)
    along, across = grid.coordinates()
    smooth = np.sin(np.deg2rad(across)) + np.cos(np.deg2rad(across)) * np.cos(np.deg2rad(along))
    given = {}
    for time in range(2):
        for spec in variables:
            levels = np.arange(1.0, 9)[:, None, None] if "level" in spec.dims else 1.0
            values = (280 + 5 * time + 10 * levels * smooth).astype("float32")
            given.setdefault(spec.name, []).append(values)
            (region,) = writer.regions(spec.name)
            writer.write(spec.name, time, region, values)
        writer.extend(time, 3600.0 * time)
    writer.close()
    return grid, {name: np.array(held) for name, held in given.items()}


def off(longitude, wanted):
    return np.abs((np.asarray(longitude) - wanted + 180) % 360 - 180).max()


@pytest.mark.parametrize("ending", ["grib2", "fa"])
@pytest.mark.parametrize("name", spheres)
def test_a_store(tmp_path, name, ending):
    grid, given = written(tmp_path / f"a.{ending}", name)
    longitude, latitude = grid.coordinates()
    with output.open(tmp_path / f"a.{ending}") as found:
        for alias, near in (("ta", 1e-4), ("ps", 1e-4)):
            np.testing.assert_allclose(found[alias], given[alias], atol=near * (ending != "fa"))
        # if each row has one latitude, both dimensions have an axis
        across = (
            found.latitude.values if found.latitude.ndim == 2 else found.latitude.values[:, None]
        )
        assert np.abs(across - latitude).max() < 1e-9
        assert off(found.longitude.values, longitude) < 1e-9
        assert found.sphere.attrs["truncation"] == 10


@pytest.mark.parametrize("name", spheres)
def test_the_keys_of_grib(tmp_path, name):
    """Rows as eccodes finds them, which leaves them about their pole, turned and stretched as the
    keys say, are on earth where they belong.
    """
    grid, _ = written(tmp_path / "a.grib2", name)
    longitude, latitude = grid.coordinates()
    with open(tmp_path / "a.grib2", "rb") as file:
        message = eccodes.codes_grib_new_from_file(file)
    get = lambda key: eccodes.codes_get(message, key)
    kinds = {"stretched": "stretched_gg", "rotated": "rotated_gg"}
    assert get("gridType") == kinds.get(name, "stretched_rotated_gg")
    factor, pole = 1.0, (0.0, 90.0)
    if grid.stretching > 1:
        factor = get("stretchingFactor")
        pole = tuple(get(f"{key}OfStretchingPoleInDegrees") for key in ("longitude", "latitude"))
    if "pole" in spheres[name]:
        south = [get(f"{key}OfSouthernPoleInDegrees") for key in ("longitude", "latitude")]
        assert get("angleOfRotation") == 0
        turned = ((south[0] + 180) % 360, -south[1])
        assert factor == 1 or np.allclose(pole, turned)
        pole = turned
    theirs = [eccodes.codes_get_array(message, key) for key in ("longitudes", "latitudes")]
    eccodes.codes_release(message)
    # GRIB: rotated longitude 0 runs from the southern pole over the north pole of the earth
    found = Schmidt(factor, pole, towards_pole=True).to_earth(*theirs)
    there = [place.reshape(longitude.shape)[::-1] for place in found]
    assert off(there[0], longitude) < 1e-3
    assert np.abs(there[1] - latitude).max() < 2e-5


@pytest.mark.parametrize("compression", ["none", "waves"])
@pytest.mark.parametrize("name", spheres)
def test_a_file_of_fa(tmp_path, name, compression):
    """Its frame alone says where the points are."""
    grid, given = written(tmp_path / "a.fa", name, compression=compression)
    longitude, latitude = (place[::-1].ravel() for place in grid.coordinates())
    frame = fa.Frame.of(lfi.Articles(tmp_path / "a.fa" / "+0001.fa"))
    assert frame.dimensions[4] == (2 if "pole" in spheres[name] else 1)
    assert frame.sphere[3] == grid.stretching and frame.dimensions[0] == 10
    with output.open(tmp_path / "a.fa" / "+0001.fa") as found:
        np.testing.assert_allclose(found.latitude, latitude, atol=1e-9)
        assert off(found.longitude, longitude) < 1e-9
        near = 2e-4 if compression == "waves" and grid.stretching == 1 else 0.0
        if compression == "none" or near:
            wanted = given["ta"][1][:, ::-1].reshape(8, -1)
            np.testing.assert_allclose(found.ta[0], wanted, atol=near)


@pytest.mark.parametrize("name", [None, *spheres])
def test_waves_of_grib(tmp_path, name):
    """Smooth fields as spherical harmonics: what eccodes reads, transformed, is the field."""
    grid, given = written(tmp_path / "a.grib2", name, compression="waves")
    with output.open(tmp_path / "a.grib2") as found:
        for n in range(2):
            np.testing.assert_allclose(found.ps[n], given["ps"][n], atol=1e-4)
            if grid.stretching == 1:  # otherwise the field is not within the truncation
                np.testing.assert_allclose(found.ta[n], given["ta"][n], atol=2e-4)
    with open(tmp_path / "a.grib2", "rb") as file:
        message = eccodes.codes_grib_new_from_file(file)
    kind = {None: "sh", "stretched": "stretched_sh", "rotated": "rotated_sh"}
    assert eccodes.codes_get(message, "gridType") == kind.get(name, "stretched_rotated_sh")
    assert eccodes.codes_get(message, "J") == 10 and eccodes.codes_get(message, "NV") == 18
    assert eccodes.codes_get(message, "typeOfLevel") == "hybrid"
    assert eccodes.codes_get(message, "shortName") == "t"
    values = eccodes.codes_get_values(message)
    eccodes.codes_release(message)
    waves = grid.harmonics.direct(given["ta"][0, 0].astype(float))
    assert abs(values[0] - waves[0]) < 1e-5  # the mean
    place = grid.harmonics.index(0, 1)
    assert abs(values[2] - waves[place].real) < 1e-5


def test_the_same_as_zarr(tmp_path):
    """Places, and what the sphere is."""
    for ending in ("fa", "zarr"):
        written(tmp_path / f"a.{ending}", "both")
    with output.open(tmp_path / "a.fa") as a, output.open(tmp_path / "a.zarr") as b:
        assert a.sphere.attrs == b.sphere.attrs and a.ta.dims == b.ta.dims
        np.testing.assert_array_equal(a.ta, b.ta)
        assert off(a.longitude, b.longitude) < 1e-9
