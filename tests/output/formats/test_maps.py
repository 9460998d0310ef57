"""Fields of limited areas in GRIB2 and FA: others find the same places, and values come back."""

import numpy as np
import pytest

import fathom as fm
from fathom import output
from fathom.grids.regrid import projections, targets, windows
from fathom.output.formats import fa, lfi

eccodes = pytest.importorskip("eccodes")
maps = {
    "lambert": ("lambert", (10.0, 46.5)),
    "two parallels": (projections.LambertConformal(10.0, (42.0, 50.0)), (10.0, 46.5)),
    "southern cone": ("lambert", (-60.0, -40.0)),
    "mercator": ("mercator", (100.0, 12.0)),
    "equator": (projections.Mercator(100.0), (100.0, 5.0)),
    "polar stereographic": ("polar stereographic", (20.0, 78.0)),
    "pole": (projections.PolarStereographic(20.0), (20.0, 78.0)),
    "rotated": ("rotated", (-5.0, 55.0)),
    "rotated south": ("rotated", (140.0, -30.0)),
}
touch = ("lambert", "southern cone", "equator", "pole")


def written(path, name):
    """Temperature on levels and land over 20 x 16 points of 25 km: (grid, values)."""
    projection, centre = maps[name]
    grid = fm.LimitedAreaGrid(
        centre,
        resolution=25e3,
        points=(20, 17),
        coupling=2,
        projection=projection,
        levels=fm.HybridLevels("L8"),
    )
    mapping = grid.mapping()
    variables = [output.variable(n, mapping) for n in ("air_temperature", "surface_air_pressure")]
    writer = output.create(path, output.coordinates(mapping, variables), variables)
    random = np.random.default_rng(3)
    given = {}
    for time in range(2):
        for spec in variables:
            shape = [writer.sizes[d] for d in spec.dims[1:]]
            values = random.normal(280, 10, shape).astype("float32")
            given.setdefault(spec.name, []).append(values)
            (region,) = writer.regions(spec.name)
            writer.write(spec.name, time, region, values)
        writer.extend(time, 3600.0 * time)
    writer.close()
    return grid, {name: np.array(held) for name, held in given.items()}


@pytest.mark.parametrize("name", ["lambert", "even"])
def test_packed_in_fa(tmp_path, name):
    """Rows stand in one order, packed or not."""
    if name == "even":
        mapping = windows.window(targets.regular(3).mapping, [0, 72, 30, 60]).mapping
    else:
        mapping = fm.LimitedAreaGrid((10.0, 46.5), resolution=25e3, points=(24, 22)).mapping()
    variables = [output.variable("surface_air_pressure", mapping)]
    writer = output.create(
        tmp_path / "a.fa", output.coordinates(mapping, variables), variables, compression="simple"
    )
    values = np.arange(1.0, 1 + np.prod([writer.sizes[d] for d in variables[0].dims[1:]]))
    values = values.reshape([writer.sizes[d] for d in variables[0].dims[1:]])
    (region,) = writer.regions("ps")
    writer.write("ps", 0, region, values)
    writer.extend(0, 0.0)
    writer.close()
    for path in (tmp_path / "a.fa", tmp_path / "a.fa" / "+0000.fa"):
        with output.open(path) as found:
            np.testing.assert_allclose(found.ps.values[0], values, atol=1e-3)


def off(longitude, wanted):
    return np.abs((np.asarray(longitude) - wanted + 180) % 360 - 180).max()


@pytest.mark.parametrize("name", maps)
def test_grib(tmp_path, name):
    grid, given = written(tmp_path / "a.grib2", name)
    longitude, latitude = grid.coordinates()
    with output.open(tmp_path / "a.grib2") as found:
        assert found.ta.dims == ("time", "level", "y", "x")
        np.testing.assert_allclose(found.ta, given["ta"], atol=1e-4)
        np.testing.assert_allclose(found.ps, given["ps"], atol=1e-4)
        np.testing.assert_allclose(found.latitude, latitude, atol=1e-9)
        assert off(found.longitude, longitude) < 1e-9
    with open(tmp_path / "a.grib2", "rb") as file:
        message = eccodes.codes_grib_new_from_file(file)
    theirs = [
        eccodes.codes_get_array(message, key).reshape(17, 20) for key in ("longitudes", "latitudes")
    ]
    eccodes.codes_release(message)
    assert np.abs(theirs[1] - latitude).max() < 2e-5
    assert off(theirs[0], longitude) < 1e-4


@pytest.mark.parametrize("name", touch)
def test_fa(tmp_path, name):
    grid, given = written(tmp_path / "a.fa", name)
    longitude, latitude = grid.coordinates()
    for path in (tmp_path / "a.fa", tmp_path / "a.fa" / "+0001.fa"):  # a store; a single file
        with output.open(path) as found:
            np.testing.assert_array_equal(found.ta.values[-1], given["ta"][-1])
            np.testing.assert_allclose(found.latitude, latitude, atol=1e-6)
            assert off(found.longitude, longitude) < 1e-6
    frame = fa.Frame.of(lfi.Articles(tmp_path / "a.fa" / "frame.fa"))
    assert frame.dimensions[1:3].tolist() == [17, 20]


def test_fa_has_no_other_maps(tmp_path):
    for name in set(maps) - set(touch):
        with pytest.raises(ValueError, match="FA holds maps that touch the sphere.*write"):
            written(tmp_path / "a.fa", name)


def test_a_map_from_its_description():
    for projection, centre in maps.values():
        made = fm.LimitedAreaGrid(
            centre, resolution=25e3, points=(20, 17), coupling=2, projection=projection
        )
        assert projections.of(made.projection.attributes) == made.projection
    with pytest.raises(ValueError, match="no map 'orthographic'"):
        projections.of({"grid_mapping_name": "orthographic", "earth_radius": 6.4e6})
