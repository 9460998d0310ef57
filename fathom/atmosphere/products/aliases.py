"""Names in a model of the fields of a scheme: of the time before, of the temperature that the
dynamics knows, of a tracer.
"""

air = (
    "eastward_wind",
    "northward_wind",
    "air_temperature",
    "virtual_temperature",
    "log_pressure_ratio",
    "pressure_interface",
    "air_pressure",
    "geopotential",
)
moist_heating = {"air_temperature_tendency": "virtual_temperature_tendency"}


def temperature_names(model):
    """Names: the temperature of the dynamics is that of the model."""
    ends = ("", "_tendency", "_before")
    return {"virtual_temperature" + end: model.temperature + end for end in ends}


def of(tracer):
    """Names of a scheme of any tracer."""
    ends = ("", "_tendency", "_before", "_gradient_east", "_gradient_north")
    return {"tracer" + end: tracer + end for end in ends}
