"""Properties of every scheme of the catalogue: a new entry is tested once it is in the list."""

import itertools

import numpy as np
import pytest

from columns import catalogue
from fathom.mpi import core

names = sorted(catalogue)
levels = 9

# plausible values by field; everything else lies in [0.5, 1.5]
ranges = {
    "temperature": (-1, 28),
    "salinity": (30, 38),
    "stratification": (1e-6, 1e-3),
    "area_center": (2e3, 4e3),
    "velocity_x": (-0.5, 0.5),
    "velocity_y": (-0.5, 0.5),
    "density_anomaly": (-5, 2),
    "air_temperature": (-5, 30),
    "specific_humidity": (1e-3, 0.02),
    "air_pressure": (98e3, 103e3),
    "wind_speed": (3, 20),
    "eastward_wind": (-10, 10),
    "northward_wind": (-10, 10),
    "downward_shortwave_flux": (0, 300),
    "downward_longwave_flux": (200, 400),
    "precipitation_flux": (0, 1e-4),
    "grid_angle": (-3.2, 3.2),
    "surface_height": (-0.5, 0.5),
    "frazil_heat": (0, 4e9),
    "frazil_gain": (-1e7, 1e7),
    "category_area": (0.3, 0.9),
    "category_volume": (0.8, 1),
    "category_snow": (0.01, 0.2),
    "category_upper_heat": (1.15e8, 1.3e8),
    "category_lower_heat": (1.15e8, 1.3e8),
    "category_surface_temperature": (-20, -2),
    "ice_surface_temperature": (-20, -2),
    "ice_heat_flux": (-100, 50),
    "ice_heat_flux_slope": (-20, -10),
    "ice_shortwave_flux": (0, 300),
    "ice_sky_reflection": (0, 0.9),
    "snowfall_flux": (0, 1e-4),
    "ice_bottom_temperature": (-1.9, -1.5),
    "ice_bottom_flux": (-1000, 1000),
    "ice_lateral_melt": (0, 0.01),
    "ice_crowding": (0.8, 1),
    "new_ice_heat": (0, 1e7),
    "sea_ice_area": (0, 1),
    "sea_ice_heat": (1e7, 1e9),
    "ice_velocity_x": (-0.3, 0.3),
    "ice_velocity_y": (-0.3, 0.3),
    "pressure_reference": (0, 5000),
    "thickness": (10, 100),
    "cell_thickness": (10, 100),
    "corner_thickness": (10, 100),
    "volume_swept": (2e4, 4e5),
    "leaving_along_x": (0.1, 0.5),
    "leaving_along_y": (0.1, 0.5),
    "viscosity_at_center": (0, 0.01),
    "vertical_diffusivity": (0, 0.01),
    "air_temperature K": (220, 300),
    "air_pressure Pa layer": (1e4, 1e5),
    "specific_humidity kg kg-1 layer": (1e-4, 0.02),
    "geopotential": (100, 1.2e5),
    "latitude": (-1.57, 1.57),
    "pressure_interface": (1e4, 1e5),
    "sea_surface_temperature": (270, 303),
    "ground_temperature": (250, 310),
    "deep_ground_temperature": (260, 300),
    "ground_forcing": (250, 310),
    "ground_inertia": (50, 200),
    "surface_temperature": (250, 310),
    "surface_emission": (220, 520),
    "emission_seen": (220, 520),
    "surface_downward_longwave": (150, 420),
    "surface_net_shortwave": (0, 800),
    "land_fraction": (0, 1),
    "sea_ice_fraction": (0, 1),
    "open_sea": (0, 1),
    "ice_share": (0, 1),
    "ground_wetness": (0, 1),
    "albedo": (0.05, 0.8),
    "snow_free_albedo": (0.1, 0.4),
    "ozone": (0, 1e-5),
    "orography_deviation": (0, 400),
    "sea_conductance": (1e-3, 0.05),
    "ground_conductance": (1e-3, 0.05),
    "momentum_conductance": (1e-3, 0.1),
    "friction_velocity": (0.05, 0.8),
    "buoyancy_flux": (-1e-3, 0.01),
    "air_diffusivity": (0, 50),
    "turbulent_kinetic_energy": (0.05, 2),
    "surface_geopotential": (0, 50),
    "roughness_length": (1e-3, 2),
    "soil_moisture": (0, 150),
    "snow_amount": (0, 50),
    "snow_density": (100, 300),
    "vegetation_fraction": (0, 1),
    "lake_depth": (0, 20),
    "lake_ice_amount": (0, 300),
    "ice_base_flux": (-50, 50),
    "sea_turbulent_flux": (-100, 400),
    "soil_temperature_1": (260, 300),
    "soil_temperature_2": (260, 300),
    "soil_temperature_3": (260, 300),
    "soil_temperature_4": (260, 300),
    "soil_water_1": (2, 30),
    "soil_water_2": (6, 90),
    "soil_water_3": (20, 310),
    "soil_water_4": (50, 830),
    "cosine_zenith_ahead": (0, 1),
    "cloud_fraction": (0, 1),
    "cloud_water": (0, 1e-4),
    "cloud_liquid_water": (1e-4, 1e-3),
    "cloud_ice": (1e-5, 2e-4),
    "rain_water": (1e-5, 1e-3),
    "snow_water": (1e-5, 1e-3),
    "graupel_water": (1e-5, 1e-3),
    "cloud_liquid_water_tendency": (-1e-8, 1e-8),
    "cloud_ice_tendency": (-1e-8, 1e-8),
    "rain_water_tendency": (-1e-8, 1e-8),
    "snow_water_tendency": (-1e-8, 1e-8),
    "graupel_water_tendency": (-1e-8, 1e-8),
    "stratiform_snowfall": (0, 1e-4),
    "shortwave_share": (0, 1),
    "emission_share": (0, 1),
    "longwave_flux": (0, 400),
    "insolation": (0, 1360),
    "sun": (-1, 1),
    "longitude": (-3.2, 6.4),
    "convective_precipitation": (0, 3e-4),
    "stratiform_precipitation": (0, 3e-4),
    "snowfall": (0, 1e-4),
    "ground_evaporation": (-1e-5, 1e-4),
    "ground_turbulent_flux": (-100, 400),
    "air_temperature_tendency": (-1e-4, 1e-4),
    "eastward_wind_tendency": (-1e-4, 1e-4),
    "northward_wind_tendency": (-1e-4, 1e-4),
    "specific_humidity_tendency": (-1e-8, 1e-8),
    "thermal_expansion": (1e-4, 3e-4),
    "haline_contraction": (7e-4, 8e-4),
    "dx_east_face": (5e4, 1.5e5),
    "dy_north_face": (5e4, 1.5e5),
    "surface_buoyancy": (0, 0.05),
    "surface_stress_x": (-0.3, 0.3),
    "surface_stress_y": (-0.3, 0.3),
    "coriolis": (-1.4e-4, 1.4e-4),
    "surface_thermal_expansion": (5e-5, 3e-4),
    "surface_haline_contraction": (7.4e-4, 7.9e-4),
    "temperature_surface_flux": (-5e-5, 5e-5),
    "salinity_surface_flux": (-1e-6, 1e-6),
    "shortwave_flux_1": (0, 3e-5),
    "shortwave_flux_2": (0, 2e-5),
    "shortwave_extinction_1": (0.03, 0.3),
    "shortwave_extinction_2": (0.3, 3),
    "boundary_layer_depth": (10, 300),
    "surface_shortwave_flux": (0, 900),
    "chlorophyll": (0.005, 12),
    "tidal_energy": (0, 20),
    "interface_height": (0, 200),
    "level_height": (0, 1e4),
    "log_pressure_departure 1": (-0.01, 0.01),
    "departure_gradient_east": (-1e-6, 1e-6),
    "departure_gradient_north": (-1e-6, 1e-6),
    "vertical_divergence s-1": (-1e-3, 1e-3),
    "air_potential_temperature": (290, 300),
    "reference_potential_temperature": (280, 320),
}
sorted_fields = {
    "pressure_reference": 1,
    "pressure_interface": 1,
    "air_pressure": 1,
    "geopotential": -1,
    "interface_height": -1,
    "level_height": -1,
    "reference_potential_temperature": -1,
}  # grow downward, or upward


def inputs(entry, dtype, seed=0):
    random = np.random.default_rng(seed)
    reach = max(f["reach"] for f in entry["fields"])
    given = {}
    for f in entry["fields"]:
        if f["access"] == "writes":
            continue
        shape = {"layer": (levels,), "interface": (levels + 1,), "column": ()}[f["vertical"]]
        shape = (
            (levels + 1,)
            if f["horizontal"] == "profile"
            else (*shape, 2 + 2 * reach, 37 + 2 * reach)
        )  # 37: not a whole number of packs
        names = (
            f"{f['name']} {f['units']} {f['vertical']}",
            f"{f['name']} {f['units']}",
            f["name"],
        )
        values = random.uniform(*next((ranges[n] for n in names if n in ranges), (0.5, 1.5)), shape)
        if f["name"] == "wet_levels":
            values = np.floor(random.uniform(1, levels + 1, shape))
        if f["name"] in sorted_fields and len(shape) in (1, 3):
            values = np.sort(values, axis=0)[:: sorted_fields[f["name"]]]
        spacing = {"geopotential": -5e3, "pressure_interface": 3e3, "interface_height": -500}.get(
            f["name"], 0
        )  # layers have a thickness
        if spacing:
            values += spacing * np.arange(len(values))[:, None, None] + max(-spacing, 0) * levels
        given[f["name"]] = values.astype(np.float32).astype(
            dtype
        )  # the same numbers in both precisions
    return given


def on_columns(name):
    if name in global_schemes():
        pytest.skip("works on the whole grid at once")
    if all(f["access"] == "writes" for f in catalogue[name]["fields"]):
        pytest.skip("reads nothing")
    return catalogue[name]


def global_schemes():
    found = set()
    for name in catalogue:
        try:
            core.run_column(core.process(name), {}, 1)
        except ValueError as error:
            if "whole grid" in str(error):
                found.add(name)
    return found


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
        # 2e-5 of the largest value: 2e-7 a number, times the cancellation of neighbours of like
        # size that differences suffer
        scale = np.nanmax(np.abs(double[field]))
        np.testing.assert_allclose(
            single[field], double[field], rtol=0, atol=2e-5 * scale, err_msg=field
        )


whole_numbers = ("wet_levels", "outlet_level")  # fields that do not change by a little


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
    is round-off from the start. A scheme with switches is smooth about a state at random: none
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
    assert remainders[0] < 1e-9 or any(8 < fall < 12.5 for fall in falls), remainders


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
