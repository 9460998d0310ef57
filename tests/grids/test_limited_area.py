"""Limited areas: sizes, zones, places, areas, what is periodic, and what cannot be."""

import numpy as np
import pytest

import fathom as fm
from fathom.grids.limited_area import good_size
from fathom.grids.regrid.projections import LambertConformal
from fathom.grids.whole_area import WholeArea
from fathom.grids.zones import zone_of
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document

europe = {"centre": (8.0, 46.5), "resolution": 10e3, "points": (120, 98)}


def test_sizes():
    assert [good_size(n) for n in (1, 7, 11, 311, 512, 513)] == [1, 8, 12, 320, 512, 540]
    g = fm.LimitedAreaGrid(**europe)
    assert g.points == (120, 98) and g.size == (135, 120) and g.extension == (15, 22)
    assert g.shape == (1, 98, 120) and g.wet_levels.shape == (98, 120) and g.wet_cells == 98 * 120
    # points cover at least the extent; extension included, they fill `size`
    g = fm.LimitedAreaGrid((8, 46.5), resolution=10e3, extent=(3e6, 2.5e6))
    assert g.size == (320, 270) and g.points == (309, 259) and g.extension == (11, 11)
    g = fm.LimitedAreaGrid((8, 46.5), resolution=10e3, extent=(3.09e6, 2.59e6))
    assert g.points == (309, 259)


@pytest.mark.parametrize(
    "centre, kind",
    [((-60, 5), "Mercator"), ((8, -46), "LambertConformal"), ((8, 90), "PolarStereographic")],
)
def test_laid_around_its_centre(centre, kind):
    g = fm.LimitedAreaGrid(centre, resolution=10e3, points=(61, 51))
    assert type(g.projection).__name__ == kind
    longitude, latitude = g.coordinates()
    assert latitude[25, 30] == pytest.approx(centre[1], abs=1e-10)
    if kind != "PolarStereographic":
        assert longitude[25, 30] == pytest.approx(centre[0], abs=1e-10)
    np.testing.assert_allclose(np.array(g.map_factors)[:, 25, 30], 1, rtol=1e-13)


def on_sphere(longitude, latitude):
    along, up = np.deg2rad(longitude), np.deg2rad(latitude)
    return np.stack([np.cos(up) * np.cos(along), np.cos(up) * np.sin(along), np.sin(up)], -1)


@pytest.mark.parametrize("projection", ["lambert", "polar stereographic", "mercator", "rotated"])
def test_spacing_and_areas_on_earth(projection):
    """Neighbours are resolution / m apart, cells as large as between their corners."""
    g = fm.LimitedAreaGrid(**europe, projection=projection)
    point = on_sphere(*g.coordinates())
    m_x, m_y = g.map_factors
    for axis, m in ((1, m_x), (0, m_y)):
        apart = g.radius * np.linalg.norm(np.diff(point, axis=axis), axis=-1)
        cut = lambda a, from_: np.take(a, np.arange(a.shape[axis] - 1) + from_, axis)
        mean = 0.5 * (1 / cut(m, 0) + 1 / cut(m, 1))
        np.testing.assert_allclose(apart, g.spacing * mean, rtol=2e-6)
    h = g.horizontal
    corner = on_sphere(h.corner_longitude, h.corner_latitude)
    diagonals = corner[1:, 1:] - corner[:-1, :-1], corner[1:, :-1] - corner[:-1, 1:]
    area = 0.5 * g.radius**2 * np.linalg.norm(np.cross(*diagonals), axis=-1)
    np.testing.assert_allclose(h.area_center, area, rtol=1e-5)


def test_wind_of_a_turning_earth():
    """Solid rotation blows along the parallels, which lean by the angle on the map."""
    g = fm.LimitedAreaGrid((20.0, 55.0), resolution=20e3, points=(90, 80))
    latitude = g.coordinates()[1]
    east = 30 * np.cos(np.deg2rad(latitude))
    u, v = g.along_axes(east, np.zeros_like(east))
    # slopes of the latitude along x and y are at right angles to it
    up_y, up_x = np.gradient(latitude, g.spacing)
    inner = slice(1, -1), slice(1, -1)
    leaning = (u * up_x + v * up_y) / np.hypot(u, v) / np.hypot(up_x, up_y)
    assert np.abs(leaning[inner]).max() < 2e-5
    again = g.on_earth(u, v)
    np.testing.assert_allclose(again, [east, 0 * east], atol=1e-12)
    np.testing.assert_allclose(g.coriolis, 2 * 7.292123516990375e-5 * np.sin(np.deg2rad(latitude)))


def test_zones():
    g = fm.LimitedAreaGrid(**europe, coupling=8)
    assert (g.zone[8:-8, 8:-8] == 0).all() and (g.zone[0] == 1).all() and (g.zone[:, -1] == 1).all()
    np.testing.assert_allclose(g.zone[49, :9], 1 - np.arange(9) / 8)
    assert (g.zone == g.zone[::-1, ::-1]).all()
    assert (fm.LimitedAreaGrid(**europe, coupling=0).zone == 0).all()


@pytest.mark.parametrize("width, n", [(8, 3), (20, 2), (30, 1)])
def test_corners_of_the_coupling_zone(width, n):
    z = zone_of((80, 70), width)
    x, y = np.meshgrid(*(np.maximum(1 - np.arange(k) / width, 0) for k in (40, 35)))
    corner = z[:35, :40]
    assert (corner == z[:34:-1, :39:-1]).all() and (corner >= np.maximum(x, y) - 1e-14).all()
    assert (np.diff(corner, axis=0) <= 1e-12).all() and (np.diff(corner, axis=1) <= 1e-12).all()
    meet = (x > 0) & (y > 0) & (np.maximum(x, y) < 1)
    z, x, y = corner[meet], x[meet], y[meet]
    e = 2 * n**n / ((n + 1) ** (n + 1) * z**n * (1 - z))
    np.testing.assert_allclose((x**e + y**e) ** (1 / e), z, atol=1e-12)
    assert (corner[0] == 1).all() and (corner[width:, width:] == 0).all()


def test_metrics_made_periodic_have_no_streaks_and_go_through_the_transforms():
    """What the whole needs of the map: the same on C + I, and a spectrum that falls off."""
    g = fm.LimitedAreaGrid(**europe)
    transform = g.bi_fourier(grid="linear")
    for field in (g.map_factors[0], g.coriolis * 1e4):
        whole = g.periodic(field)
        assert whole.shape == (120, 135) and (g.inside(whole) == field).all()
        coefficients = transform.direct(whole)
        kept = g.inside(transform.inverse(coefficients))
        spread = field.max() - field.min()
        assert np.abs(kept - field).max() < 2e-3 * spread
        power = np.abs(coefficients) ** 2
        wave = np.hypot(
            transform.m / transform.truncation[0], transform.n / transform.truncation[1]
        )
        assert power[wave > 0.5].sum() < 1e-5 * power[1:].sum()


def test_windows_take_a_wider_field():
    g = fm.LimitedAreaGrid(**europe)
    longitude, latitude = g.around(zone=4)
    assert longitude.shape == (98 + 2 * 26, 120 + 2 * 19)
    np.testing.assert_allclose(
        (longitude[26:-26, 19:-19], latitude[26:-26, 19:-19]), g.coordinates(), atol=1e-11
    )
    field = np.cos(np.deg2rad(3 * longitude)) * np.sin(np.deg2rad(4 * latitude))
    whole = g.windowed(field, zone=4)
    assert whole.shape == (120, 135)
    assert (g.inside(whole)[4:-4, 4:-4] == field[30:-30, 23:-23]).all()
    transform = g.bi_fourier(grid="linear")
    kept = transform.inverse(transform.direct(whole))
    splined = g.periodic(field[26:-26, 19:-19])
    middle = slice(20, -20), slice(20, -20)
    error = lambda a, b: np.abs(g.inside(a - b)[middle]).max()
    assert error(kept, whole) < 1e-6
    assert error(kept, whole) < 1e-2 * error(transform.inverse(transform.direct(splined)), splined)


def test_known_to_output_and_restarts():
    g, same = (fm.LimitedAreaGrid(**europe, levels=fm.SigmaLevels(5)) for _ in range(2))
    assert g.fingerprint == same.fingerprint and repr(g) == "LimitedAreaGrid 120×98×5"
    assert g.fingerprint != fm.LimitedAreaGrid(**europe, levels=fm.SigmaLevels(6)).fingerprint
    m = g.mapping()
    assert m["longitude"].shape == m["area"].shape == (98, 120)
    assert m["corner_latitude"].shape == (99, 121)
    text = str(g)
    for part in ("LambertConformal(8, 46.5)", "104 × 82 central", "15 × 22 extension", "135 × 120"):
        assert part in text
    at = g.interpolation([8.0, 9.3], [46.5, 44.2])
    found = [(values.ravel()[at.index] * at.weight).sum(-1) for values in g.coordinates()]
    np.testing.assert_allclose(found, [[8.0, 9.3], [46.5, 44.2]], atol=1e-3)
    other = fm.LimitedAreaGrid(**europe, projection=LambertConformal(8, 46.5 + 1e-9))
    assert bytes(other.identity["projection"]) != bytes(g.identity["projection"])
    given = fm.LimitedAreaGrid(**europe, projection=LambertConformal(10, (44, 49)))
    assert given.angle[49, 60] > 0 > given.angle[49, 110]


@pytest.mark.parametrize(
    "more, said",
    [
        ({"centre": None}, "needs centre"),
        ({"extent": (1e6, 1e6)}, "one of points"),
        ({"centre": (0, 91)}, r"within \[-90, 90\]"),
        ({"points": (120.5, 98)}, "must be a whole number"),
        ({"points": (120,)}, "two whole numbers"),
        ({"points": (3, 98)}, "at least 4"),
        ({"points": (16, 98)}, "coupling below 8"),
        ({"projection": "lambrt"}, "did you mean 'lambert'"),
        ({"projection": LambertConformal(8, 46, radius=6.4e6)}, "a radius of 6.4e[+]06 m"),
        ({"resolution": 2e5}, "leaves the map of LambertConformal"),
        ({"resolution": 0}, "resolution = 0"),
        ({"extension": 0}, "extension = 0 must be at least 1"),
        ({"projection": "mercator", "centre": (0, 90)}, "a cylinder"),
        ({"levels": 5}, "must be HybridLevels"),
        ({"couplng": 5}, "did you mean 'coupling'"),
    ],
)
def test_what_cannot_be(more, said):
    with pytest.raises(ValueError, match=said):
        fm.LimitedAreaGrid(**(europe | more))


def test_fields_of_another_shape():
    g = fm.LimitedAreaGrid(**europe)
    with pytest.raises(ValueError, match=r"C \+ I needs \(..., 98, 120\)"):
        g.periodic(np.zeros((120, 98)))
    pole = fm.LimitedAreaGrid((0, 60), resolution=1.5e5, points=(60, 50), projection="rotated")
    with pytest.raises(ValueError, match="make it periodic by splines"):
        pole.around(40)


def test_in_a_file():
    file = (
        '[grid]\ntype = "LimitedAreaGrid"\ncentre = [8, 46.5]\nresolution = 10e3\n'
        'points = [120, 98]\nprojection = "rotated"\n'
        'levels = { type = "SigmaLevels", nz = 5 }\n'
    )
    grid = Experiment(Document(file)).grid
    assert repr(grid) == "LimitedAreaGrid 120×98×5" and not grid.projection.conformal


def test_squares_where_whole_rows_make_ranks_wait():
    """AROME-France: whole rows on few ranks, squares on many; the share that ranks wait."""
    levels = fm.HybridLevels(60)
    grid = WholeArea(
        fm.LimitedAreaGrid((2, 46.5), resolution=2500.0, points=(600, 512), levels=levels)
    )
    vars(grid)["share_of_extension"] = 0.15
    found = [grid.distribution(ranks) for ranks in (4, 32, 64, 600)]
    assert found == ["north-south", "north-south", "square", "square"]
    assert grid.waiting(64, "square") < 0.07 < 0.1 < grid.waiting(64, "north-south")
