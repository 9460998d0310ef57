"""Plausible numbers for the fields of every scheme of the catalogue."""

import numpy as np
import pytest

from columns import catalogue
from fathom.base.mpi import core

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
    "category_ponds": (0, 0.1),
    "category_albedo": (0.5, 0.7),
    "category_passing_light": (0, 0.1),
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
    "open_edge_length_x": (-0.01, 0.01),
    "open_edge_length_y": (-0.01, 0.01),
    "open_edge_leaves": (-0.1, 0.1),
    "open_edge_radiation": (0, 0.1),
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
    "snow_departure_1": (-5, 5),
    "snow_departure_2": (-5, 5),
    "snow_departure_3": (-5, 5),
    "snow_liquid_1": (0, 0.1),
    "snow_liquid_2": (0, 0.1),
    "snow_liquid_3": (0, 0.1),
    "snow_albedo": (0.5, 0.85),
    "snow_on_ice": (0, 150),
    "plant_departure": (-5, 5),
    "bare_ground_departure": (-5, 5),
    "ice_departure": (-5, 0),
    "ice_temperature": (250, 273),
    "canopy_water": (0, 0.1),
    "plant_share": (0, 0.3),
    "bare_ground_share": (0, 0.3),
    "snow_share": (0, 0.3),
    "icy_share": (0, 0.1),
    "plant_forcing": (-1, 1),
    "bare_ground_forcing": (-1, 1),
    "snow_forcing": (-1, 1),
    "ice_forcing": (-1, 1),
    "soil_forcing": (-0.1, 0.1),
    "soil_warming": (-0.1, 0.1),
    "plant_inertia": (20, 60),
    "bare_ground_inertia": (20, 60),
    "snow_inertia": (20, 60),
    "soil_inertia": (100, 200),
    "plant_coupling": (5, 15),
    "bare_ground_coupling": (5, 15),
    "snow_coupling": (0, 5),
    "plant_conductance": (1e-3, 0.05),
    "bare_ground_conductance": (1e-3, 0.05),
    "snow_conductance": (1e-3, 0.05),
    "ice_conductance": (1e-3, 0.05),
    "plant_wetness": (0, 1),
    "bare_ground_wetness": (0, 1),
    "snow_wetness": (0, 1),
    "wet_leaf_share": (0, 1),
    "bare_ground_moisture": (0, 1),
    "plant_turbulent_flux": (-100, 400),
    "bare_ground_turbulent_flux": (-100, 400),
    "snow_turbulent_flux": (-100, 100),
    "ice_turbulent_flux": (-100, 100),
    "plant_evaporation": (-1e-5, 1e-4),
    "bare_ground_evaporation": (-1e-5, 1e-4),
    "snow_evaporation": (-1e-5, 3e-5),
    "ice_evaporation": (-1e-5, 3e-5),
    "lake_depth": (0, 20),
    "lake_ice_amount": (0, 300),
    "given_sea_surface_temperature": (250, 310),
    "given_sea_ice_fraction": (0, 1),
    "given_sea_ice_thickness": (0.1, 4),
    "sea_ice_thickness": (0.2, 4),
    "slab_depth": (5, 100),
    "q_flux": (-100, 100),
    "sea_heat_flux": (-200, 200),
    "slab_heat_rest": (-10, 10),
    "solar_irradiance": (1355, 1365),
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


def control(field):
    """The process  field += control of field."""
    kind = "SurfaceTimeSum" if field["vertical"] == "column" else "TimeSum"
    process = core.process(kind).on(
        {"value": f"control of {field['name']}", "statistic": field["name"]}
    )
    for argument in (f"control of {field['name']}", field["name"]):
        process = process.at(
            argument, field["horizontal"], field["vertical"], vector=field["vector"]
        )
    return process


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
