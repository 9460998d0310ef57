"""Fields of a GRIB file on a regular grid, from south to north."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def fields(file: Path, wanted: dict[tuple[str, str], str]) -> dict[str, np.ndarray]:
    """Fields named by `wanted` = {(short name, type of level): name}, (levels in order of
    increasing level value, lat, lon).

    Beside `name`, the result has `name_level`, the values of the levels as written. Values from
    9999 on, which mark gaps, become NaN.
    """
    import eccodes

    eccodes.codes_grib_multi_support_on()  # two components of a wind share one message
    found: dict[str, dict] = {}
    with file.open("rb") as stream:
        while (message := eccodes.codes_grib_new_from_file(stream)) is not None:
            name = wanted.get(
                (eccodes.codes_get(message, "shortName"), eccodes.codes_get(message, "typeOfLevel"))
            )
            if name:
                rows, columns = (eccodes.codes_get(message, key) for key in ("Nj", "Ni"))
                values = eccodes.codes_get_values(message).reshape(rows, columns)[
                    ::-1
                ]  # the files begin at the north pole
                top = (
                    eccodes.codes_get(message, "level")
                    if "depth" not in eccodes.codes_get(message, "typeOfLevel")
                    else eccodes.codes_get(message, "scaledValueOfFirstFixedSurface")
                    * 10.0 ** -eccodes.codes_get(message, "scaleFactorOfFirstFixedSurface")
                )
                found.setdefault(name, {})[top] = values
            eccodes.codes_release(message)
    if missing := set(wanted.values()) - set(found):
        raise ValueError(f"{file.name} has no {', '.join(sorted(missing))}")
    result = {}
    for name, levels in found.items():
        order = sorted(levels)
        values = np.stack([levels[level] for level in order])
        if "soil" in name or "ground" in name:
            values = np.where(values >= 9999, np.nan, values)
        result[name], result[f"{name}_level"] = values, np.array(order, float)
    return result
