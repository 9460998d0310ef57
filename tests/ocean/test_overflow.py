"""Overflows: hydraulics against hand and paper, conservation, product depth, ranks, errors."""

import numpy as np
import pytest
from scipy.ndimage import label

import cases
from cases import ridge, simulate
from fathom.base import earth
from fathom.base.mpi import core

g, rho0, f = 9.80616, 1026.0, 1.33e-4
shape = [
    f,
    60e3,
    410.0,
    120e3,
    0.04,
    3e-3,
]  # of a strait like that of Denmark: width, thickness, distance, slope, drag


def hydraulics(source_buoyancy, entrainment_buoyancy):
    return core.overflow_transports(shape, source_buoyancy, entrainment_buoyancy)


def test_hydraulics():
    """Whitehead's transport; the spread current satisfies its own equations; entrainment as Price &
    Baringer; nothing where nothing is heavier.
    """
    gs, ge = g / rho0 * 0.46, g / rho0 * 0.35
    source, entrainment, product = hydraulics(gs, ge)
    _, width, thickness, distance, slope, drag = shape
    assert source == pytest.approx(gs * thickness**2 / (2 * f))
    hs, speed = 2 / 3 * thickness, ge * slope / f
    froude = (product / source) ** 1.5
    height = (speed / froude) ** 2 / ge
    spread = width + 2 * drag * (source / (hs * width) + speed) * distance / (f * (hs + height))
    assert speed * height * spread == pytest.approx(source, rel=1e-9)
    assert product == pytest.approx(source + entrainment)
    assert 2.4e6 < source < 3.0e6 and 5e6 < product < 6.5e6  # as large as observed
    assert hydraulics(-gs, ge) == [0, 0, 0]
    assert hydraulics(gs, -ge) == pytest.approx([source, 0, source])


@pytest.mark.parametrize("freshwater", ["salt", "volume"])
@pytest.mark.parametrize("advection", ["UpwindAdvection", "QuickestAdvection"])
def test_water_goes_over_the_sill_and_sinks(freshwater, advection):
    """Dense water behind a ridge: volume, heat, salt and a dye are kept, a constant stays, the
    basin beyond the ridge gets what the transports say.
    """
    import fathom as fm

    ocean = ridge(
        tracer_advection=getattr(fm.schemes, advection)(),
        free_surface=fm.FreeSurface(freshwater=freshwater),
    )
    sim = simulate(ocean, step="3600s").prepare()
    content = lambda: np.array(
        [sim.fields.volume(), *(sim.fields.content(n) for n in ("temperature", "salinity", "dye"))]
    )
    before, beyond = content(), sim.gather("dye")[:, :, 14:]
    moved = 0.0
    for _ in range(48):
        sim.advance(1)
        ((source, _entrainment, product),) = sim.find(core.Overflows).transports
        moved += source * 3600
    assert np.all(np.abs(content() / before - 1) < 1e-13)
    one = sim.fields.extremes("one")
    assert max(abs(one["minimum"] - 1), abs(one["maximum"] - 1)) < 1e-13
    assert 1e6 < source < 6e6 and product > source and sim.find(core.Overflows).sites == [1]
    grid = ocean.grid
    volume = (
        np.asarray(grid.horizontal.area_center) * np.asarray(grid.vertical.thickness)[:, None, None]
    )
    arrived = ((sim.gather("dye")[:, :, 14:] - beyond) * volume[:, :, 14:]).sum()
    assert arrived == pytest.approx(moved, rel=0.1)  # of pure dye behind the ridge


def test_light_water_stays_behind():
    sim = simulate(ridge(behind=14.0), step="3600s")
    sim.advance(3)
    assert sim.find(core.Overflows).transports == [[0, 0, 0]] and sim.find(
        core.Overflows
    ).sites == [-1]


def test_overflow_on_ranks(on_ranks):
    assert (
        on_ranks(1, cases, "overflowing")["checksum"]
        == on_ranks(3, cases, "overflowing", "blocks=[7,6]")["checksum"]
    )


def test_the_overflows_of_the_sea():
    """With observed temperature and salinity on 3 degrees: of the Nordic Seas sources of 2.4 to 3
    Sv, products of 4 to 6 Sv in the deep, fresh from behind the ridge; of the Ross Sea half a Sv
    and of the Weddell Sea a tenth, the climatology's shelves being light; volume is kept.
    """
    import fathom as fm
    from cases import globe

    sim = simulate(
        globe(
            overflows=[fm.DenmarkStrait(), fm.FaroeBankChannel(), fm.RossSea(), fm.WeddellSea()],
            free_surface=fm.FreeSurface(tolerance=1e-6),
        ),
        step="3600s",
        surface=fm.BulkForcing(),
    ).prepare()
    before = sim.fields.volume()
    sim.advance(6)
    denmark, faroe, ross, weddell = sim.find(core.Overflows).transports
    sites = sim.find(core.Overflows).sites
    assert all(
        2.2e6 < source < 3.2e6 and 4e6 < product < 6.5e6 for source, _, product in (denmark, faroe)
    )
    assert 0.3e6 < ross[0] < ross[2] < 1.5e6 and 0.05e6 < weddell[0] < weddell[2] < 0.5e6
    assert min(sites[:3]) >= 2
    assert abs(sim.fields.volume() / before - 1) < 1e-13


@pytest.mark.parametrize("cells", [pytest.param(None, marks=pytest.mark.long), 0.2])
def test_one_overflow_per_strait(cells):
    """What an overflow carries finds no way on the grid: between the Nordic Seas and the Atlantic
    no velocity is deeper than the top of the flow over the sill, nor than the ridge at 3 degrees.
    """
    import fathom as fm

    levels = fm.ZLevels(nz=25, depth=5500, **({"partial_cells": cells} if cells else {}))
    plain = fm.TripolarGrid(resolution="3deg", levels=levels)
    walled = fm.Ocean(plain, overflows=[fm.DenmarkStrait(), fm.FaroeBankChannel()]).grid
    assert sill_depth(plain) < 640 and sill_depth(walled) < 640
    assert np.all(walled.depth() <= plain.depth()) and walled.wet_cells < plain.wet_cells
    raised = walled.depth() < plain.depth()
    assert 1 <= raised.sum() <= 12 and np.all(walled.depth()[raised] < 670)
    assert fm.Ocean(plain, overflows=[fm.RossSea()]).grid is plain
    fine = fm.TripolarGrid(resolution="1deg", levels=fm.ZLevels(nz=40, depth=5500, surface=10))
    channel = fm.Ocean(fine, overflows=[fm.DenmarkStrait(), fm.FaroeBankChannel()]).grid
    assert sill_depth(fine) == pytest.approx(845, abs=1) and sill_depth(channel) < 640


def sill_depth(grid):
    """The deepest way over corners from the Norwegian Sea to the Iceland Basin [m]."""
    depth, h = grid.depth("corner"), grid.horizontal
    place = earth.unit_vectors(
        np.asarray(h.corner_longitude)[1:, 1:], np.asarray(h.corner_latitude)[1:, 1:]
    )
    at = [
        np.unravel_index((place @ earth.unit_vectors(*p)).argmax(), depth.shape)
        for p in ((0.0, 66.0), (-18.0, 60.5))
    ]
    near = place @ earth.unit_vectors(-15.0, 65.0) > np.cos(np.deg2rad(18))

    def joined(sill):
        basins, _ = label((depth >= sill) & near, np.ones((3, 3)))
        return basins[at[0]] == basins[at[1]] != 0

    return max(sill for sill in np.unique(depth) if joined(sill))


def test_errors_of_overflows():
    import fathom as fm

    strait = ridge().overflows[0]
    given = strait.regions | strait.outlets | {"products": strait.products} | strait.shape
    with pytest.raises(ValueError, match="latitude or coriolis"):
        fm.Overflow("strait", **given)
    with pytest.raises(ValueError, match="slope = -1"):
        fm.Overflow("strait", **given | {"slope": -1}, coriolis=f)
    with pytest.raises(ValueError, match="equator"):
        fm.Overflow("strait", **given, latitude=0)
    nowhere = fm.Overflow("strait", **given | {"inflow": ((0, 1), (0, 1), (0, 1))}, coriolis=f)
    with pytest.raises(ValueError, match="no wet cell .* inflow"):
        simulate(ridge(overflows=[nowhere])).prepare()
