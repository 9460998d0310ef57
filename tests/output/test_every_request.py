"""All statistics at all places of all models in all formats: each file is what NumPy makes of the
model's own fields in each step.
"""

import numpy as np
import pytest

import every_request
import fathom as fm

of_kind = {None: lambda a: a[-1], "mean": np.mean, "minimum": np.min, "maximum": np.max}


def last(path):
    """The values of the last time, by name."""
    with fm.open(path) as data:
        found = data.isel(time=-1).load()
    return {n: v for n, v in found.data_vars.items() if in_time(data[n])}


def in_time(variable):
    """Whether it is of the model, and not bounds of times."""
    return "time" in variable.dims and variable.dtype.kind == "f" and variable.dims[-1] != "bounds"


def expected(steps, kind):
    """A statistic of the last two steps."""
    two = steps[-2:]
    return two[-1] if kind is None else of_kind[kind](two, axis=0)


def check(name, folder, endings, wanted=every_request.kinds, chosen=None):
    """Checks all files of a model."""
    with fm.open(folder / "steps.nc") as data:
        steps = {n: v.load() for n, v in data.data_vars.items() if in_time(v)}
    for ending in endings:
        for place in every_request.places(name):
            left_out = chosen is not None and place not in chosen
            if left_out or not every_request.can_hold(ending, name, place):
                continue
            bounds = {}
            for kind in wanted:
                values = last(folder / f"{place} {kind}{ending}".replace(" ", "-"))
                assert values, (place, kind)
                for variable, found in values.items():
                    where = ending, place, kind, variable
                    assert np.isfinite(found.values).any(), where
                    bounds.setdefault(variable, {})[kind] = found.values
                    if place in ("own", "zonal", "area"):
                        own(steps[variable], expected(steps[variable].values, kind), found, where)
            in_order(bounds, ending, place)


def own(steps, wanted, found, where):
    """Checks values on the model's own points: in a box, or means along rows."""
    ending, place, _, _ = where
    exact = ending in (".nc", ".zarr")
    size = np.nanmax(np.abs(wanted)) or 1.0
    near = (1e-6 if exact else 2e-3) * size
    if place == "own" and exact:
        np.testing.assert_allclose(found.values, wanted, atol=near, err_msg=str(where))
    elif place == "zonal" and exact:
        along = np.ma.masked_invalid(wanted).mean(-1, keepdims=True).filled(np.nan)
        np.testing.assert_allclose(found.values, along, atol=10 * near, err_msg=str(where))
    elif place == "area" and exact:
        inside = found.values[np.isfinite(found.values)]
        there = np.sort(wanted[np.isfinite(wanted)])
        at = np.clip(np.searchsorted(there, inside), 1, there.size - 1)
        away = np.minimum(np.abs(there[at] - inside), np.abs(there[at - 1] - inside))
        assert away.max() <= near, where
    else:
        low, high = np.nanmin(wanted) - near, np.nanmax(wanted) + near
        assert low <= np.nanmin(found.values) and np.nanmax(found.values) <= high, where


def in_order(bounds, ending, place):
    """Checks that means lie between minima and maxima."""
    for variable, of in bounds.items():
        # a mean wind is turned with its other component, extremes are of each
        if len(of) < 3 or variable == "ua":
            continue
        if "mean" in of:
            size = np.nanmax(np.abs(of["mean"])) or 1.0
            near = (1e-6 if ending in (".nc", ".zarr") else 2e-3) * size
            for one, other in (("minimum", "mean"), ("mean", "maximum")):
                over = of[one] - of[other]
                assert np.nanmax(over) <= near, (ending, place, variable, one)


def test_a_sample(tmp_path):
    """Of the model with levels of height: extremes on levels, in some places."""
    few = [".nc"], ["maximum"], ["zonal", "levels area", "levels moorings"]
    variables = ["air_temperature", "surface_air_pressure", "upward_air_velocity"]
    every_request.run("gridpoint", tmp_path, *few, variables, physics=False)
    check("gridpoint", tmp_path, *few)


@pytest.mark.long
@pytest.mark.parametrize("ending", every_request.formats)
@pytest.mark.parametrize("name", every_request.models)
def test_all(tmp_path, name, ending):
    every_request.run(name, tmp_path, [ending])
    check(name, tmp_path, [ending])


@pytest.mark.parametrize(
    "name, asked, words",
    [
        ("heights", {"zonal": True}, "along latitudes of the earth; the grid is a plane"),
        ("rotated", {"zonal": True}, "rows of one latitude each"),
        ("heights", {"latlon_resolution": 1, "regrid": "conservative"}, "the grid is a plane"),
        ("heights", {"section": [[2e4, 2e4], [6e4, 6e4]]}, "pairs in degrees"),
    ],
)
def test_what_a_grid_has_not(name, asked, words):
    make, variables, step, _ = every_request.models[name]
    with pytest.raises(fm.InputError, match=words):
        fm.Simulation(make(), step).output("a.nc", list(variables[:1]), every="1h", **asked)


def test_a_zonal_mean_is_not_of_corners():
    simulation = fm.Simulation(every_request.ocean(), "30min")
    with pytest.raises(fm.InputError, match="'eastward_velocity' lies on the corners of cells"):
        simulation.output("a.nc", ["eastward_velocity"], every="1h", zonal=True)
