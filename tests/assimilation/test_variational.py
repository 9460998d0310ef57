"""One window by 3D-Var, FGAT and 4D-Var with a small atmosphere: twins, whose truth is known."""

import numpy as np
import pytest

from fathom.assimilation import adjoint_error, observed
from fathom.assimilation.balance import AirBackground, Waves, simple_errors
from fathom.assimilation.resolution import Inner
from fathom.assimilation.variational import Constraint, Seen, Window
from fathom.grids.transform import SphericalHarmonics
from small_trajectories import followed

steps, places = 8, 40
sizes = {"wind": 1.0, "temperature": 0.5, "pressure": 5e-4}
parts = ("wind", "temperature", "pressure")


def _places():
    random = np.random.default_rng(11)
    return random.uniform(0, 360, places), np.degrees(np.arcsin(random.uniform(-1, 1, places)))


@pytest.fixture(scope="module")
def twin():
    """A truth, a background with errors drawn from B, data of the truth in each second step."""
    trajectory, size = followed("primitive_equations", 0, truncation=10, levels=3, mountain=0.0)
    grid, random = trajectory.model.grid, np.random.default_rng(6)
    transform = SphericalHarmonics(10, grid.rows)
    a, b = np.asarray(grid.levels.a), np.asarray(grid.levels.b)
    background = AirBackground(
        transform, simple_errors(transform, a, b, wind=2.0, length=2e6, temperature=0.5)
    )
    truth = trajectory.vector(trajectory.first)
    first = truth + background.apply(random.standard_normal(background.controls))
    longitude, latitude = _places()
    H = observed.columns(transform, 3, longitude, latitude, parts)
    error = observed.errors_of_columns(3, places, parts, sizes)
    states = {n: trajectory.run(truth, n) if n else truth for n in range(0, steps + 1, 2)}
    values = {n: H.apply(x) + error * random.standard_normal(len(error)) for n, x in states.items()}
    states[steps // 2] = trajectory.run(truth, steps // 2)
    return trajectory, background, first, states, values, error**2, H, size


def analysed(twin, method, **options):
    trajectory, background, first, states, values, variances, H, size = twin
    window = Window(trajectory, background, steps, method, iterations=15, screening=None, **options)
    found = window.analyse(first, {n: Seen(y, variances, H) for n, y in values.items()})
    middle = states[steps // 2]
    error = lambda x: float(np.sqrt(np.mean(((x - middle) / size) ** 2)))
    return found, error(found.middle), error(found.background)


def test_what_knows_the_time_of_data_is_better(twin):
    results = {method: analysed(twin, method) for method in ("3d-var", "fgat", "4d-var")}
    errors = {method: error for method, (_, error, _) in results.items()}
    before = results["3d-var"][2]
    assert errors["4d-var"] < errors["fgat"] < min(before, errors["3d-var"])
    found = results["4d-var"][0]
    assert found.summary["residual"] < 1.2 < found.summary["departure"]


def test_inner_loops_of_a_coarser_model(twin):
    """T8 in T10: departures are those of T10, the increment is of T8; better than the background,
    two loops no worse than one; what is truncated and padded again is the same.
    """
    trajectory, _, first, states, values, variances, H, size = twin
    coarse, _ = followed("primitive_equations", 0, truncation=8, levels=3, mountain=0.0)
    transforms = [
        SphericalHarmonics(t, x.model.grid.rows) for t, x in ((10, trajectory), (8, coarse))
    ]
    waves = [Waves(t, 3) for t in transforms]
    inner = Inner(coarse, *waves)
    a, b = (np.asarray(x) for x in (coarse.model.grid.levels.a, coarse.model.grid.levels.b))
    errors = simple_errors(transforms[1], a, b, wind=2.0, length=2e6, temperature=0.5)
    L = AirBackground(transforms[1], errors)
    x = L.apply(np.random.default_rng(3).standard_normal(L.controls))
    np.testing.assert_allclose(inner.down(inner.up(x)), x, atol=1e-10 * np.abs(x).max())
    longitude, latitude = _places()
    inner_H = observed.columns(transforms[1], 3, longitude, latitude, parts)
    error = lambda x: float(np.sqrt(np.mean(((x - states[steps // 2]) / size) ** 2)))
    made = {}
    for outer in (1, 2):
        window = Window(
            trajectory, L, steps, iterations=15, screening=None, outer=outer, inner=inner
        )
        seen = {n: Seen(y, variances, H, inner_H) for n, y in values.items()}
        found = window.analyse(first, seen)
        made[outer] = error(found.middle)
    assert made[1] < 0.8 * error(found.background) and made[2] < 1.02 * made[1]
    with pytest.raises(ValueError, match="no operator on the grid of the inner model"):
        window.analyse(first, {0: Seen(values[0], variances, H)})


def test_a_weak_digital_filter(twin):
    """Less of the increment is fast, the more weight it has; the filter's sum is zero."""
    assert abs(Constraint(1.0).filter(8).sum()) < 1e-14
    fast = []
    for weight in (1e-6, 1e7):
        constraint = Constraint(twin[-1], weight=weight, longest=6)
        found, error, before = analysed(twin, "4d-var", constraint=constraint)
        fast.append(found.filtered / weight)
        assert error < before
    assert fast[1] < 0.3 * fast[0]
    with pytest.raises(ValueError, match="need 4d-var, not fgat"):
        Window(*twin[:2], steps, "fgat", constraint=Constraint(1.0))


def test_observations_along_a_trajectory_have_their_adjoint(twin):
    trajectory, background, first, _, _, _, H, _ = twin
    trajectory.restart(first)
    trajectory.follow(4)
    G, random = trajectory.observed({0: H, 2: H, 4: H}), np.random.default_rng(7)
    x = background.apply(random.standard_normal(background.controls))
    y = random.standard_normal(3 * len(H.apply(x)))
    assert adjoint_error(G, x, y) < 1e-14


def test_screening_leaves_out_what_is_wrong(twin):
    trajectory, background, first, _, values, variances, H, _ = twin
    seen = {n: Seen(y.copy(), variances, H) for n, y in values.items()}
    seen[2].values[7] += 500.0
    window = Window(trajectory, background, steps, "fgat", screening=60.0)
    found = window.analyse(first, seen)
    assert found.rejected == 1 and not seen[2].taken[7]


@pytest.mark.parametrize("quality", ["huber", "flat"])
def test_quality_control_bears_gross_errors(twin, quality):
    """One datum of twelve is wrong by fifteen deviations and is not screened: their weights are
    small, those of most others one, and the analysis is nearer to the truth than without.
    """
    values = {n: y.copy() for n, y in twin[4].items()}
    error = np.sqrt(twin[5])
    for y in values.values():
        y[::12] += 15 * error[::12]
    spoiled = (*twin[:4], values, *twin[5:])
    (found, with_it, _), (_, without, _) = (
        analysed(spoiled, "fgat", quality=q) for q in (quality, None)
    )
    wrong = np.arange(len(found.weights)) % len(error) % 12 == 0
    assert with_it < 0.8 * without
    assert found.weights[wrong].mean() < 0.3 and np.median(found.weights[~wrong]) > 0.8
    assert 0 < found.summary["mean_weight"] < 1


def test_what_is_not_allowed_says_so(twin):
    trajectory, background = twin[:2]
    with pytest.raises(ValueError, match="method = '5d-var': allowed are 3d-var, fgat, 4d-var"):
        Window(trajectory, background, steps, "5d-var")
    with pytest.raises(ValueError, match="even number"):
        Window(trajectory, background, 3)
    with pytest.raises(ValueError, match="allowed are huber, flat"):
        Window(trajectory, background, steps, quality="hubert")
