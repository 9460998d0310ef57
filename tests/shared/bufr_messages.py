"""BUFR messages that eccodes encodes: what the project's own decoder must make of them is known."""

import eccodes
import numpy as np


def encoded(
    descriptors,
    values,
    subsets=1,
    compressed=0,
    category=0,
    factors=(),
    extended=(),
    present=(),
    time=None,
):
    """Bytes of a message; `values`: key -> number or array of the subsets."""
    handle = eccodes.codes_bufr_new_from_samples("BUFR4")
    try:
        for key, value in {
            "edition": 4, "masterTablesVersionNumber": 30, "dataCategory": category,
            "numberOfSubsets": subsets, "compressedData": compressed,
        }.items():  # fmt: skip
            eccodes.codes_set(handle, key, value)
        if len(factors):
            eccodes.codes_set_array(
                handle, "inputDelayedDescriptorReplicationFactor", np.array(factors, int)
            )
        if len(extended):
            eccodes.codes_set_array(
                handle, "inputExtendedDelayedDescriptorReplicationFactor", np.array(extended, int)
            )
        if len(present):  # of the bit map: 0 where there is information
            eccodes.codes_set_array(handle, "inputDataPresentIndicator", np.array(present, int))
        eccodes.codes_set_array(handle, "unexpandedDescriptors", descriptors)
        for key, value in {**(time or {}), **values}.items():
            if isinstance(value, str):
                eccodes.codes_set(handle, key, value)
            elif np.ndim(value) == 0:
                eccodes.codes_set(handle, key, float(value))
            else:
                eccodes.codes_set_array(handle, key, np.asarray(value, float))
        eccodes.codes_set(handle, "pack", 1)
        return eccodes.codes_get_message(handle)
    finally:
        eccodes.codes_release(handle)


noon = {"year": 2018, "month": 11, "day": 20, "hour": 12, "minute": 0}


def synop(station=11518, longitude=14.26, latitude=50.1, temperature=275.0, dew_point=271.5,
          direction=240, speed=5.0, pressure=97340.0, height=365.0):  # fmt: skip
    """A land station, template 307080."""
    return encoded(
        [307080],
        {
            "blockNumber": station // 1000, "stationNumber": station % 1000,
            "latitude": latitude, "longitude": longitude,
            "heightOfStationGroundAboveMeanSeaLevel": height,
            "nonCoordinatePressure": pressure, "airTemperature": temperature,
            "dewpointTemperature": dew_point, "windDirection": direction, "windSpeed": speed,
        },
        factors=[0, 0],
        time=noon,
    )  # fmt: skip


def sounding(levels=12):
    """A radiosonde that drifts, template 309052; pressures and temperatures besides."""
    pressure = np.round(np.geomspace(1e5, 1e4, levels), -1)
    temperature = np.round(288.15 * (pressure / 1e5) ** 0.19, 1)
    values = {
        "blockNumber": 11, "stationNumber": 520, "latitude": 50.0, "longitude": 14.45,
        "heightOfStationGroundAboveMeanSeaLevel": 300,
    }  # fmt: skip
    for n in range(levels):
        at = f"#{n + 1}#"
        values |= {
            f"{at}timePeriod": 60 * n, f"{at}pressure": pressure[n],
            f"{at}latitudeDisplacement": 0.01 * n, f"{at}longitudeDisplacement": 0.02 * n,
            f"{at}airTemperature": temperature[n], f"{at}windDirection": 270,
            f"{at}windSpeed": 10 + n,
        }  # fmt: skip
    message = encoded([309052], values, category=2, factors=[0], extended=[levels], time=noon)
    return message, pressure, temperature


def radiances(subsets=40, channels=15):
    """Brightness temperatures of a satellite, compressed: (bytes, (channels, subsets))."""
    rng = np.random.default_rng(5)
    value = np.round(rng.uniform(200, 290, (channels, subsets)), 2)
    given = {
        "satelliteIdentifier": 4,
        "latitude": np.round(np.linspace(-60, 60, subsets), 5),
        "longitude": np.round(np.linspace(-170, 170, subsets), 5),
    }
    for n in range(channels):
        given[f"#{n + 1}#channelNumber"] = n + 1
        given[f"#{n + 1}#brightnessTemperature"] = value[n]
    descriptors = [1007, 301011, 301013, 301021, 100000 + 2000 + channels, 5042, 12163]
    message = encoded(descriptors, given, subsets, 1, 21, time=noon)
    return message, value, given


def with_quality():
    """A wind from a cloud with per cents of confidence by a bit map, which are no data."""
    data = [1007, 301011, 301013, 301021, 7004, 11001, 11002, 12001]
    count = 13  # expanded
    descriptors = [
        *data, 222000, 236000, 101000 + count, 31031, 1031, 1032, 101000 + 2, 33007,
    ]  # fmt: skip
    given = {
        "satelliteIdentifier": 57, "latitude": 12.5, "longitude": -30.25, "pressure": 25000,
        "windDirection": 90, "windSpeed": 20, "airTemperature": 230.5,
    }  # fmt: skip
    return encoded(descriptors, given, category=5, present=[1] * (count - 2) + [0, 0], time=noon)


def of_each_kind():
    """Kind of report -> (descriptors, keys and values, category, factors of replication): the
    usual template, or what is needed of it; and variable -> a value that must be found.
    """
    wind = {"windDirection": 45, "windSpeed": 10}
    seen_wind = {"eastward_wind": -np.sqrt(50), "northward_wind": -np.sqrt(50)}
    place = [301011, 301012, 301021]
    satellite = [1007, *place]
    return {
        "ship": (
            [1011, *place, 10051, 12101, 7063, 22043],
            {"shipOrMobileLandStationIdentifier": "DBBH", "airTemperature": 285,
             "pressureReducedToMeanSeaLevel": 101300, "oceanographicWaterTemperature": 287.15},
            1, {}, {"air_temperature": 285, "air_pressure_at_mean_sea_level": 101300,
             "sea_water_temperature": 14},
        ),
        "buoy": (
            [1005, *place, 22042],
            {"buoyOrPlatformIdentifier": 62001, "oceanographicWaterTemperature": 286}, 1, {},
            {"sea_water_temperature": 12.85},
        ),
        "pilot": (
            [309050], {"blockNumber": 7, "stationNumber": 110, "#1#pressure": 85000,
                       **{f"#1#{k}": v for k, v in wind.items()}}, 2,
            {"factors": [0], "extended": [2]}, seen_wind,
        ),
        "aircraft": (
            [1006, *place, 7002, 12101, 11001, 11002],  # at the height of 300 hPa
            {"aircraftFlightNumber": "FA0001", "height": 9164, "airTemperature": 231, **wind}, 4,
            {},
            {"air_temperature": 231, **seen_wind},
        ),
        "amv": (
            [310014], {"satelliteIdentifier": 57, "#1#pressure": 25000,
                       **{f"#1#{k}": v for k, v in wind.items()},
                       "#3#timeSignificance": 28, "#3#windDirection": 0, "#3#windSpeed": 300,
                       "#3#pressure": 40000, "#2#airTemperature": 230}, 5, {}, seen_wind,
        ),
        "scatterometer": (
            [*satellite, 11012, 11011],
            {"satelliteIdentifier": 4, "windDirectionAt10M": 45, "windSpeedAt10M": 10}, 12, {},
            seen_wind,
        ),
        "radiance": (  # AMSU-A 6 in the count of ATOVS
            [310008],
            {"satelliteIdentifier": 4, "satelliteSensorIndicator": 3, "satelliteZenithAngle": 30,
             "#1#tovsOrAtovsOrAvhrrInstrumentationChannelNumber": 33,
             "#1#brightnessTemperature": 240}, 3, {}, {"toa_brightness_temperature": 240},
        ),
        "gnss_ro": (
            [*satellite, 10035, 7007, 15036],
            {"satelliteIdentifier": 740, "earthLocalRadiusOfCurvature": 6370000, "height": 12000,
             "atmosphericRefractivity": 80}, 3, {}, {"refractivity": 80},
        ),
        "altimeter": (  # a second of Jason-2
            [*satellite, 8029, 22151, 25133, 22156, 10096, 10081, 25163, 25126, 25164, 10085,
             10092, 10088, 10093, 25127],
            {"satelliteIdentifier": 261, "surfaceType": 0, "kuBandSignificantWaveHeight": 2.5,
             "kuBandOceanRange": 1343095.762, "seaStateBiasCorrectionOnKuBand": -0.042,
             "meanDynamicTopography": 0.58, "cogAltitudeAboveReferenceEllipsoid": 1343089.971,
             "altimeterIonosphericCorrectionOnKuBand": -0.034,
             "modelDryTroposphericCorrection": -2.312,
             "radiometerWetTroposphericCorrection": -0.2196, "meanSeaSurfaceHeight": -2.893,
             "solidEarthTideHeight": -0.059, "totalGeocentricOceanTideHeightSolution1": -0.23,
             "geocentricPoleTideHeight": 0.005, "invertedBarometerCorrection": -0.024},
            31, {}, {"sea_surface_wave_significant_height": 2.5,
                     "sea_surface_height_above_geoid": 0.5976},
        ),
        "argo": (
            [1087, *place, 7065, 22045, 22064],
            {"marineObservingPlatformIdentifier": 6900123, "waterPressure": 1e6,
             "oceanographicWaterTemperature": 283.15, "salinity": 35.5}, 31, {},
            {"sea_water_temperature": 10, "sea_water_salinity": 35.5},
        ),
    }  # fmt: skip
