"""One window by 3D-Var, FGAT and 4D-Var with a small atmosphere: twins, whose truth is known."""

import numpy as np
import pytest

from fathom.assimilation import adjoint_error, observed
from fathom.assimilation.balance import AirBackground, simple_errors
from fathom.assimilation.variational import Seen, Window
from fathom.transform import SphericalHarmonics
from small_trajectories import followed

steps, places = 8, 40
sizes = {"wind": 1.0, "temperature": 0.5, "pressure": 5e-4}
parts = ("wind", "temperature", "pressure")


@pytest.fixture(scope="module")
def twin():
    """A truth, a background that errs as B says, data of the truth each second step."""
    trajectory, size = followed("primitive_equations", 0, truncation=10, levels=3, mountain=0.0)
    grid, random = trajectory.model.grid, np.random.default_rng(6)
    transform = SphericalHarmonics(10, grid.rows)
    a, b = np.asarray(grid.levels.a), np.asarray(grid.levels.b)
    background = AirBackground(
        transform, simple_errors(transform, a, b, wind=2.0, length=2e6, temperature=0.5)
    )
    truth = trajectory.vector(trajectory.first)
    first = truth + background.apply(random.standard_normal(background.controls))
    longitude = random.uniform(0, 360, places)
    latitude = np.degrees(np.arcsin(random.uniform(-1, 1, places)))
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


def test_what_is_not_allowed_says_so(twin):
    trajectory, background = twin[:2]
    with pytest.raises(ValueError, match="method = '5d-var': allowed are 3d-var, fgat, 4d-var"):
        Window(trajectory, background, steps, "5d-var")
    with pytest.raises(ValueError, match="even number"):
        Window(trajectory, background, 3)
