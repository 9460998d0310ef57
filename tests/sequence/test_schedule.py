"""What follows from declarations: fields, exchanges, groups, scratch, rotation, and the errors of
declarations that cannot work.
"""

import itertools

import numpy as np
import pytest

from fathom.base.mpi import core
from small import add, domain, gather, laplacian, laplacian_of, nx, ny, nz, sequence, start, wet

water = np.arange(nz)[:, None, None] < wet


def plan(s):
    """[(exchange, processes)] of the groups."""
    return [(g["exchange"], g["processes"]) for g in s.groups]


def field(s, name):
    return next(f for f in s.fields if f["name"] == name)


def chain():
    """c = L L a, then a += c."""
    return [laplacian("a", "b"), laplacian("b", "c"), add("c", "a")]


def test_one_exchange_serves_two_stencils():
    """The halo of 2 lets b be computed one row into it: a travels twice as wide, b not at all."""
    assert plan(sequence(chain())) == [
        (["a(2)"], ["TracerLaplacian"]),
        ([], ["TracerLaplacian", "TimeSum"]),
    ]
    assert [g["extent"] for g in sequence(chain()).groups] == [1, 0]


def test_without_halo_computation_each_stencil_has_its_exchange():
    assert plan(sequence(chain(), compute_in_halo=False)) == [
        (["a(1)"], ["TracerLaplacian"]),
        (["b(1)"], ["TracerLaplacian", "TimeSum"]),
    ]


def test_halo_of_one_leaves_no_room():
    assert plan(sequence(chain(), domain(halo=1))) == [
        (["a(1)"], ["TracerLaplacian"]),
        (["b(1)"], ["TracerLaplacian", "TimeSum"]),
    ]


def test_nothing_is_exchanged_where_nobody_looks_away():
    s = sequence([add("x", "y"), add("y", "z")])
    assert plan(s) == [([], ["TimeSum", "TimeSum"])]


def test_constants_are_never_exchanged():
    """The metrics and a tracer that nobody writes are valid everywhere from the start."""
    s = sequence([laplacian("a", "b"), add("b", "s")])
    assert plan(s) == [([], ["TracerLaplacian", "TimeSum"])]
    assert not field(s, "a")["written"] and not field(s, "wet_levels")["state"]


def test_several_fields_share_a_message():
    """Both tracers are needed by the same group: one exchange carries both."""
    s = sequence([laplacian("a", "p"), laplacian("b", "q"), add("p", "a"), add("q", "b")])
    (exchange, _), *rest = plan(s)
    assert sorted(exchange) == ["a(1)", "b(1)"] and all(not e for e, _ in rest)


def test_a_neighbour_that_is_overwritten_begins_a_group():
    """L reads a at neighbours; a += b must wait until all rows have read it."""
    assert [p for _, p in plan(sequence([laplacian("a", "b"), add("b", "a")]))] == [
        ["TracerLaplacian"],
        ["TimeSum"],
    ]


def test_state_is_what_is_read_before_it_is_written():
    s = sequence(chain())
    assert s.state == ["a"]
    assert {f["name"] for f in s.fields if f["written"]} == {"a", "b", "c"}


def test_scratch_lives_within_a_group():
    """b is read at neighbours: memory. c is read where it was written: cache, unless somebody keeps
    it or groups are off.
    """
    s = sequence(chain())
    assert (
        field(s, "c")["scratch"] and not field(s, "b")["scratch"] and not field(s, "a")["scratch"]
    )
    with pytest.raises(Exception, match="'c' lives .*within a step; it stays"):
        s.windows("c")
    assert not field(sequence(chain(), keep=["c"]), "c")["scratch"]
    assert not field(sequence(chain(), group=False), "c")["scratch"]
    assert s.bytes_allocated < sequence(chain(), keep=["c"]).bytes_allocated


def run_chain(blocks=(0, 0), steps=3, **options):
    where = domain(blocks)
    s = sequence(chain(), where, **options)
    s.set("a", start)
    s.advance(steps)
    return gather(s, where, "a")


def test_values_across_the_fold():
    """Against whole-array arithmetic with the seam written out: to rounding of numbers that grow by
    < 3 a step.
    """
    expected = start
    for _ in range(3):
        expected = expected + laplacian_of(laplacian_of(expected))
    assert np.abs(run_chain() - expected)[water].max() < 1e-13


@pytest.mark.parametrize(
    "blocks, tile, in_halo, group",
    [
        *itertools.product([(0, 0)], [8, 64, -1], [True, False], [True, False]),
        *itertools.product([(7, 5), (24, 3)], [64], [True, False], [True, False]),
    ],
)
def test_same_bits_however_it_is_scheduled(blocks, tile, in_halo, group):
    a = run_chain(blocks, tile=tile, compute_in_halo=in_halo, group=group)
    assert np.array_equal(a[water], run_chain()[water])


def test_a_tile_is_measured_and_changes_no_bit():
    """Four turns of each tile that is tried; what was tried, and that it is decided, is told; the
    bits are those of the cache's tile.
    """
    runs = {}
    for tile in (0, -1, 8):
        where = domain()
        s = sequence([laplacian("x", "y"), add("y", "x")], where, tile=tile)
        s.set("x", 1e-3 * start)
        first = s.groups[0]
        s.advance(20)
        runs[tile] = first, s.groups[0], gather(s, where, "x")[water]
    before, after, measured = runs[-1]
    assert (
        before["tile_reason"] == "second-level cache; to be measured"
        and after["tile_reason"] == "measured"
        and len(after["tiles_tried"]) > 1
    )
    assert (
        after["tile"] in after["tiles_tried"]
        and min(after["tiles_tried"].values()) > 0
        and runs[0][1]["tile_reason"] == "second-level cache"
        and runs[8][1]["tile_reason"] == "given"
    )
    assert np.array_equal(measured, runs[0][2]) and np.array_equal(measured, runs[8][2])


@pytest.mark.parametrize("tile", [10**6, 100, -40, -8, -(10**6)])
@pytest.mark.parametrize("blocks", [(0, 0), (7, 5)])
def test_rows_join(tile, blocks):
    """Whole rows where a tile is longer than one, rows that are cut anywhere where it is literal,
    all columns of the rank where it is longer than they are: the same bits as row by row.
    """
    alone, joined = (run_groups(blocks, one) for one in (8, tile))
    assert np.array_equal(alone[1], joined[1])
    (group,) = [g for g in joined[0] if len(g["processes"]) > 1]
    given = abs(tile)
    assert "rows join" in group["tile_reason"] and 0 < group["tile"] <= given
    assert group["tile"] == given or given == 100 or "of 1000000 given" in group["tile_reason"]


def run_groups(blocks, tile):
    """Groups of a chain with scratch between its processes, and the result after 3 steps."""
    where = domain(blocks)
    s = sequence([laplacian("x", "y"), add("y", "z"), add("z", "x")], where, tile=tile)
    s.set("x", 1e-3 * start)
    s.advance(3)
    return s.groups, gather(s, where, "x")[water]


@pytest.mark.parametrize("blocks", [(0, 0), (7, 5)])
def test_rotation(blocks):
    """x(after) = L x; then {x_before, x, x_after} change places, and the new x is exchanged before
    its neighbours are read.
    """
    where = domain(blocks)
    s = sequence(
        [laplacian("x", "x_after"), add("x_before", "sum")],
        where,
        rotate=[["x_before", "x", "x_after"]],
    )
    assert plan(s)[0][0] == ["x(1)"]
    assert set(s.state) == {"x", "x_before", "sum"}
    s.set("x", start)
    s.advance(1)
    assert np.array_equal(gather(s, where, "x_before")[water], start[water])
    once = laplacian_of(start)
    assert np.abs(gather(s, where, "x") - once)[water].max() < 1e-15 * 8
    s.advance(1)
    assert np.abs(gather(s, where, "x") - laplacian_of(once * water))[water].max() < 1e-15 * 8
    assert np.array_equal(gather(s, where, "sum")[water], start[water])


# ---- declarations that cannot work ---------------------------------------------------------------


@pytest.mark.parametrize(
    "message, processes, halo",
    [
        (
            r"UpwindAdvection reads 'tracer' 2 columns away; the halo is 1",
            lambda: [core.process("UpwindAdvection")],
            1,
        ),
        (
            r"TimeSum expects 'velocity_x' at center layer; others have it at corner layer",
            lambda: [core.process("MomentumAdvection"), add("velocity_x", "s")],
            2,
        ),
        (
            r"PressureGradient expects 'area_center' in m; others have it in m2",
            lambda: [
                core.process("TracerUpdate"),
                core.process("PressureGradient").on({"sea_surface_height": "area_center"}),
            ],
            2,
        ),
        (
            r"TracerLaplacian writes 'a', which it reads at neighbours",
            lambda: [laplacian("a", "a")],
            2,
        ),
        (
            r"TracerLaplacian has no field 'trcer'",
            lambda: [core.process("TracerLaplacian").on({"trcer": "a"})],
            2,
        ),
    ],
)
def test_errors(message, processes, halo):
    with pytest.raises(Exception, match=message):
        core.StepProgram(domain(halo=halo), processes())


def test_unknown_fields_and_profiles():
    s = sequence(chain())
    with pytest.raises(
        Exception,
        match="no process of this sequence has a field 'wet_level'; did you mean 'wet_levels'",
    ):
        s.set("wet_level", np.zeros((ny, nx)))
    with pytest.raises(Exception, match="'a' is not a profile"):
        s.set_profile("a", [1.0])
    with pytest.raises(Exception, match="'a' takes an array"):
        s.set("a", np.zeros((ny, nx + 1)))
