"""Properties of every scheme of the catalogue: a new entry is tested once it is in the list."""

import itertools

import numpy as np
import pytest

from any_columns import catalogue, inputs, levels, names, on_columns
from fathom.base.mpi import core


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", names)
def test_pack_equals_number(name, dtype):
    """The same bits whether columns are computed one by one or a register at a time: no column
    knows where it lies.
    """
    entry = on_columns(name)
    given = inputs(entry, dtype)
    packs, numbers = (
        core.run_column(core.process(name, {}, np.dtype(dtype).itemsize, width), given, levels)
        for width in (0, 1)
    )
    assert packs and packs.keys() == numbers.keys()
    for field in packs:
        np.testing.assert_array_equal(packs[field], numbers[field], err_msg=field)


@pytest.mark.parametrize("name", names)
def test_fp32_follows_fp64(name):
    entry = on_columns(name)
    double, single = (
        core.run_column(core.process(name, {}, np.dtype(t).itemsize), inputs(entry, t), levels)
        for t in (np.float64, np.float32)
    )
    for field in double:
        # 2e-5 of the largest value: 2e-7 for each number, times the cancellation in differences of
        # neighbours of similar size
        scale = np.nanmax(np.abs(double[field]))
        np.testing.assert_allclose(
            single[field], double[field], rtol=0, atol=2e-5 * scale, err_msg=field
        )


whole_numbers = ("wet_levels", "outlet_level")  # fields that change only by whole numbers


def small_changes(entry, given):
    """Up to a thousandth of the largest value of each field; profiles are constants."""
    random = np.random.default_rng(1)
    return {
        f["name"]: (
            1e-3 * np.abs(given[f["name"]]).max() * random.uniform(-1, 1, given[f["name"]].shape)
        ).astype(given[f["name"]].dtype)
        for f in entry["fields"]
        if f["access"] != "writes"
        and f["horizontal"] != "profile"
        and f["name"] not in whole_numbers
    }


def moved(given, changes, step):
    return {n: v + step * changes[n] if n in changes else v for n, v in given.items()}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", names)
def test_tangent_keeps_the_values(name, dtype):
    entry = on_columns(name)
    given = inputs(entry, dtype)
    process = core.process(name, {}, np.dtype(dtype).itemsize)
    values, tangents = core.run_tangent(process, given, small_changes(entry, given), levels)
    for field, plain in core.run_column(process, given, levels).items():
        np.testing.assert_array_equal(values[field], plain, err_msg=field)
        assert np.isfinite(tangents[field][np.isfinite(plain)]).all(), field


@pytest.mark.parametrize("name", names)
def test_tangent_is_the_derivative(name):
    """Taylor's remainder, (f(x + e dx) - f(x)) / e - f'(x) dx, falls as e does.

    Down to 5e-6 of the tangent (root mean square of a field), and by 10 with each 10 of e unless it
    is round-off from the start, or below the e within which nothing switches in a scheme that is
    linear but for its switches. A scheme with switches is smooth about a state at random: none
    switches within the smallest e.
    """
    entry = on_columns(name)
    given = inputs(entry, np.float64)
    changes = small_changes(entry, given)
    process = core.process(name)
    here, tangents = core.run_tangent(process, given, changes, levels)
    remainders = []
    for step in (1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        there = core.run_column(process, moved(given, changes, step), levels)
        shares = [0.0]
        for field, tangent in tangents.items():
            inside = np.isfinite(here[field])
            size = np.sqrt(np.mean(tangent[inside] ** 2)) if inside.any() else 0
            error = (there[field] - here[field])[inside] / step - tangent[inside]
            if np.any(error):
                shares.append(np.sqrt(np.mean(error**2)) / size)
        remainders.append(max(shares))
    assert min(remainders) < 5e-6, remainders
    falls = [a / max(b, 1e-300) for a, b in itertools.pairwise(remainders)]
    linear = any(r < 1e-9 for r in remainders[:3])
    exact = max(remainders[-2:]) < 5e-6  # where something switches within all larger e
    assert linear or exact or any(8 < fall < 12.5 for fall in falls), remainders


@pytest.mark.parametrize("name", [n for n in names if catalogue[n]["parameters"]])
def test_parameters_have_bounds_and_messages(name):
    for p in catalogue[name]["parameters"]:
        assert p["least"] <= p["value"] <= p["most"] and p["meaning"]
        core.process(name, {p["name"]: p["least"]})
        core.process(name, {p["name"]: p["most"]})
        for wrong in (
            p["least"] - abs(p["least"]) - 1,
            p["most"] + abs(p["most"]) + 1,
            float("nan"),
        ):
            with pytest.raises(ValueError, match=rf"{p['name']} = .*must lie in \["):
                core.process(name, {p["name"]: wrong})
        with pytest.raises(
            ValueError, match=f"unknown {name} parameter '{p['name']}x'; did you mean '"
        ):
            core.process(name, {p["name"] + "x": p["value"]})


def test_unknown_scheme_names_what_is_near():
    with pytest.raises(
        ValueError, match="unknown scheme 'RichardsonMixin'; did you mean 'RichardsonMixing'"
    ):
        core.process("RichardsonMixin")


def test_fields_have_units_and_names_are_unique():
    for entry in catalogue.values():
        assert entry["summary"]
        fields = [f["name"] for f in entry["fields"]]
        assert len(set(fields)) == len(fields)
        assert all(f["units"] for f in entry["fields"])


def test_rename_and_errors_of_arrays():
    process = core.process("TimeInterpolation").on({"value": "air_temperature"})
    assert process.fields[-1]["name"] == "air_temperature"
    with pytest.raises(ValueError, match="has no field 'valeu'"):
        process.on({"valeu": "x"})
    good = {
        "previous": np.zeros((1, 1)),
        "next": np.ones((1, 1)),
        "forcing_weight": np.array([0.25]),
    }
    assert core.run_column(process, good, 1)["air_temperature"] == 0.25
    with pytest.raises(ValueError, match="'next' .*which is not given"):
        core.run_column(process, {k: v for k, v in good.items() if k != "next"}, 1)
    with pytest.raises(ValueError, match=r"'next' has shape \(2, 1\), not \(1, 1\)"):
        core.run_column(process, good | {"next": np.ones((2, 1))}, 1)
    with pytest.raises(ValueError, match="reads no field 'nexxt'; did you mean 'next'"):
        core.run_column(process, good | {"nexxt": np.ones((1, 1))}, 1)
    with pytest.raises(ValueError, match="'next' must be a C-contiguous array of float64"):
        core.run_column(process, good | {"next": np.ones((1, 1), np.float32)}, 1)


# fields that no process writes: tangents and adjoints by hand may omit their change
constants = (
    "coriolis",
    "latitude",
    "surface_geopotential",
    "orography_gradient_east",
    "orography_gradient_north",
    "curvature_x",
    "curvature_y",
    "curvature_squared",
    "depth_corner",
    "viscosity_scale",
    "wet_levels",
)


def is_constant(field):
    return field in constants or field.startswith(("dx_", "dy_", "length_", "area_"))


by_hand = [
    name
    for name in names
    if core.has_linear(core.process(name))
    and any(f["access"] != "writes" for f in catalogue[name]["fields"])
]


def with_coasts(entry, given, random):
    """The same with columns of land and of one level."""
    if "wet_levels" in given:
        depth = given["wet_levels"]
        depth[random.random(depth.shape) < 0.2] = 0
        depth[random.random(depth.shape) < 0.2] = 1
    return given


def changes_of_all(entry, given, random, inverse=False):
    """Of the size of the values, or of its inverse, in all columns, those of the rim too."""
    reach, changes = max(f["reach"] for f in entry["fields"]), {}
    for f in entry["fields"]:
        if f["horizontal"] == "profile":
            continue
        shape = {"layer": (levels,), "interface": (levels + 1,), "column": ()}[f["vertical"]]
        size = np.abs(given[f["name"]]).max() if f["name"] in given else 1.0
        values = random.uniform(-1, 1, (*shape, 2 + 2 * reach, 37 + 2 * reach))
        changes[f["name"]] = values / size if inverse else values * size
        if entry["name"].startswith("ShallowWater") and shape:  # has one layer
            changes[f["name"]][1:] = 0
    return changes


def inside(entry, values):
    """Without the rim, where a scheme computes nothing."""
    reach = max(f["reach"] for f in entry["fields"])
    return values[..., reach : values.shape[-2] - reach, reach : values.shape[-1] - reach]


def only_where_computed(entry, x, y):
    """Sets changes of what is written to 0, and adjoints in the rim of all but what is read."""
    for f in entry["fields"]:
        if f["access"] == "writes" and f["name"] in x:
            x[f["name"]][...] = 0
        if f["access"] != "reads" and f["name"] in y:
            whole, y[f["name"]] = y[f["name"]], np.zeros_like(y[f["name"]])
            inside(entry, y[f["name"]])[...] = inside(entry, whole)


def some_changes(entry, given, random):
    """Of all fields but constants, of the size of their values; of what is written, of 1."""
    changes = changes_of_all(entry, given, random)
    return {field: change for field, change in changes.items() if not is_constant(field)}


@pytest.mark.parametrize("name", by_hand)
@pytest.mark.parametrize("adjoint", [False, True])
def test_by_hand_equals_dual_numbers_and_tape(name, adjoint):
    """To 1e-12 of the largest value of the row that other signs of the changes give: less than
    1e-13 of the sum of the magnitudes of all terms.
    """
    entry, process, random = catalogue[name], core.process(name), np.random.default_rng(3)
    given = with_coasts(entry, inputs(entry, np.float64), random)
    changes = some_changes(entry, given, random)
    made, oracle = (
        core.run_linear(process, given, changes, levels, adjoint, h) for h in (True, False)
    )
    size = {field: np.abs(values) for field, values in oracle.items()}
    for _ in range(8):  # the same magnitudes with other signs
        signs = {n: c * random.choice([-1, 1], c.shape) for n, c in changes.items()}
        others = core.run_linear(process, given, signs, levels, adjoint, False)
        size = {n: np.maximum(s, np.abs(others[n])) for n, s in size.items()}
    for field, values in made.items():
        if is_constant(field):
            continue
        np.testing.assert_array_equal(np.isnan(values), np.isnan(oracle[field]), err_msg=field)
        scale = size[field].max(axis=tuple(range(values.ndim - 2)))
        assert not (np.abs(values - oracle[field]) > 1e-12 * scale).any(), field


@pytest.mark.parametrize("name", by_hand)
def test_adjoint_by_hand_is_the_transpose(name):
    """<M' x, y> = <x, M'* y> to 1e-14 of the sum of magnitudes; what is written starts from 0."""
    entry, process, random = catalogue[name], core.process(name), np.random.default_rng(4)
    given = with_coasts(entry, inputs(entry, np.float64), random)
    x, y = some_changes(entry, given, random), some_changes(entry, given, random)
    only_where_computed(entry, x, y)
    written = [f["name"] for f in entry["fields"] if f["access"] == "writes"]
    y = {n: v / np.abs(given[n]).max() if n in given else v for n, v in y.items()}
    forward = core.run_linear(process, given, x, levels)
    backward = core.run_linear(process, given, y, levels, True)
    terms = [np.where(y[n] == 0, 0, forward[n] * y[n]) for n in y]
    terms += [np.where(x[n] == 0, 0, -x[n] * backward[n]) for n in x]
    total, size = (sum(f(t).sum() for t in terms) for f in (np.asarray, np.abs))
    assert abs(total) <= 1e-14 * size, (total, size)
    assert all((inside(entry, backward[n]) == 0).all() for n in written)


adjoint_by_tape = [
    name
    for name in names
    if core.has_adjoint(core.process(name))
    and any(f["access"] != "writes" for f in catalogue[name]["fields"])
]


@pytest.mark.parametrize("name", adjoint_by_tape)
def test_adjoint_by_tape_is_the_transpose(name):
    """<M' x, y> = <x, M'* y> to 1e-14 of the sum of magnitudes, with neighbours and without; the
    tangent is that of dual numbers, to the bit.
    """
    entry, process, random = catalogue[name], core.process(name), np.random.default_rng(6)
    given = with_coasts(entry, inputs(entry, np.float64), random)
    x, y = (changes_of_all(entry, given, random, n) for n in (False, True))
    only_where_computed(entry, x, y)
    forward, backward = (
        core.run_linear(process, given, c, levels, adjoint, False)
        for c, adjoint in ((x, False), (y, True))
    )
    dual = core.run_tangent(process, given, {n: c for n, c in x.items() if n in given}, levels)[1]
    for field, values in dual.items():
        np.testing.assert_array_equal(
            inside(entry, forward[field]), inside(entry, values), err_msg=field
        )
    terms = [np.where(y[n] == 0, 0, forward[n] * y[n]) for n in y]
    terms += [np.where(x[n] == 0, 0, -x[n] * backward[n]) for n in y]
    total, size = (sum(f(t).sum() for t in terms) for f in (np.asarray, np.abs))
    assert size > 0 and abs(total) <= 1e-14 * size, (total, size)
    for f in entry["fields"]:
        if f["access"] == "writes":
            assert (inside(entry, backward[f["name"]]) == 0).all()


def test_entries_with_an_adjoint():
    """The schemes of a step of the ocean have one."""
    assert {
        "CentredAdvection",
        "UpwindAdvection",
        "LaplacianDiffusion",
        "LaplacianFriction",
        "PressureGradient",
        "BarotropicDivergence",
        "BarotropicCorrection",
        "VolumeTransport",
        "MomentumAdvection",
        "ImplicitMomentum",
        "TracerUpdate",
        "MWJF",
        "IsoneutralFlux",
        "TanhTaperedSlopes",
        "BolusTransport",
    } <= set(adjoint_by_tape)
