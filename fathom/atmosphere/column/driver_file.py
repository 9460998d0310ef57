"""Cases for single columns in the common DEPHY format, version 1 (`*_SCM_driver.nc`): a file with
the first state, large-scale forcing in time, and in its global attributes what of it acts.

    attribute                      variables                          meaning
    adv_X                          tnX_adv                            advection, per second
    forc_wap, forc_wa              wap [Pa s-1], wa [m s-1]           vertical motion
    forc_geo                       ug, vg                             geostrophic wind
    nudging_X = tau [s], or -1     X_nud, nudging_coefficient_X       above zh_nudging_X, or from
                                                                      pa_nudging_X on upward
    radiation = off, tend, on      tnta_rad or tntheta_rad
    surface_forcing_temp           ts_forc; hfss or wpthetap_s
    surface_forcing_moisture       hfls, wpqvp_s or wpqtp_s; beta
    surface_forcing_wind           ustar, z0 (and z0h)

X is a temperature (ta, theta, thetal), humidity (qv, qt, rv, rt) or wind (ua, va). Before there is
cloud, thetal is theta and qt is qv: so they are taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base.earth import GRAVITY
from fathom.base.failure import InputError
from fathom.base.moist_air import GAS_CONSTANT, VIRTUAL_FACTOR

KAPPA = 2 / 7
temperatures, humidities, winds = ("ta", "theta", "thetal"), ("qv", "qt", "rv", "rt"), ("ua", "va")
known = (*temperatures, *humidities, *winds)
coordinates = ("z", "zh", "p", "pa")  # forc_z, forc_pa: along which forcing was first given
descriptive = {"lat", "lon", "orog", "bounds", "t0", "time", "lev"}  # have no effect
known_surface = {
    "surface_forcing_temp": ("none", "ts", "surface_flux", "kinematic"),
    "surface_forcing_moisture": ("none", "surface_flux", "kinematic", "beta"),
    "surface_forcing_wind": ("none", "ustar", "z0"),
    "radiation": ("off", "tend", "on"),
}


class DriverFile:
    """A case: `initial(name, heights)`, `at(name, seconds, heights)`.

    Parameters
    ----------
    file : path of a netCDF file, or an open xarray.Dataset.

    Raises ValueError where the file is of another kind, or asks for a forcing that is not known.
    """

    def __init__(self, file: Any) -> None:
        import xarray as xr

        self.file = xr.decode_cf(file) if isinstance(file, xr.Dataset) else self._opened(file, xr)
        self._held: dict[str, np.ndarray] = {}  # of the variables that were read
        self.attributes = self.file.attrs
        if not {"time", "t0"} <= {*self.file.dims, *self.file.variables}:
            raise InputError(
                f"{self.name}: not a DEPHY driver file: it needs the dimensions t0 and time;"
                f" it has {', '.join(map(str, self.file.sizes))}"
            )
        self.seconds = self._seconds()
        self.start = str(self.file["t0"].values.ravel()[0])[:19].replace("T", " ")
        self.length = float(self.seconds[-1])
        self.latitude, self.longitude = (self._number(n) for n in ("lat", "lon"))
        self._check()
        self.height = self._profile("zh")
        if self.height[0] > self.height[-1]:
            raise InputError(f"{self.name}: zh must grow from the ground upward")

    @staticmethod
    def _opened(file: Any, xr: Any) -> Any:
        try:
            with xr.open_dataset(file, engine="netcdf4") as opened:
                return opened.load()
        except (OSError, ValueError) as error:
            raise InputError(f"{file} cannot be read as netCDF: {error}") from None

    @property
    def name(self) -> Any:
        """Returns the name of the case."""
        return self.attributes.get("case", "driver file")

    def _seconds(self) -> Any:
        times, first = self.file["time"].values, self.file["t0"].values.ravel()[0]
        if not np.issubdtype(times.dtype, np.datetime64):
            raise InputError(f"{self.name}: time and t0 need units 'seconds since ...'")
        return (times - first) / np.timedelta64(1, "s")

    def _number(self, name: str) -> float:
        return float(self.file[name].values.ravel()[0]) if name in self.file else 0.0

    def flag(self, name: str) -> float:
        """Returns the number of a global attribute; 0 where there is none."""
        try:
            return float(self.attributes.get(name, 0))
        except ValueError:
            raise InputError(
                f"{self.name}: attribute {name} = {self.attributes[name]!r} is not a number"
            ) from None

    def choice(self, name: str) -> Any:
        """Returns what the file says of a kind of forcing, else its usual value."""
        return str(self.attributes.get(name, known_surface[name][0])).strip().lower()

    def _check(self) -> None:
        """Checks that all forcing is used. InputError: some would be left out."""
        for attribute in self.attributes:
            kind, _, what = attribute.partition("_")
            on = kind in ("adv", "nudging", "forc")
            allowed = ("wa", "wap", "geo", *coordinates) if kind == "forc" else known
            if on and self.flag(attribute) and what not in allowed:
                raise InputError(
                    f"{self.name}: forcing {attribute} = {self.attributes[attribute]} is not"
                    f" known; known are {kind}_ and one of {', '.join(allowed)}"
                )
        for attribute, choices in known_surface.items():
            if self.choice(attribute) not in choices:
                raise InputError(
                    f"{self.name}: {attribute} = {self.choice(attribute)!r} is not known; allowed:"
                    f" {', '.join(choices)}"
                )

    def has(self, name: str) -> bool:
        """Returns whether the file has a variable."""
        return name in self.file

    def _values(self, name: str) -> Any:
        if name not in self.file:
            raise InputError(f"{self.name}: the variable '{name}' is missing")
        if name in self._held:
            return self._held[name]
        values = self.file[name]
        keep = [d for d in values.dims if d == "time" or values.sizes[d] > 1]
        values = values.isel({d: 0 for d in values.dims if d not in keep}).values.astype(float)
        if not np.isfinite(values).all():
            raise InputError(f"{self.name}: '{name}' has values that are missing or not finite")
        self._held[name] = values
        return values

    def _profile(self, name: str) -> Any:
        values = self._values(name)
        return values[0] if values.ndim == 2 else np.atleast_1d(values)

    def initial(self, name: str, heights: Any) -> Any:
        """Returns a profile of the first state at heights [m]."""
        return np.interp(heights, self.height, self._profile(name))

    def first(self, names: Any) -> Any:
        """Returns which of these the first state has, the first of them."""
        for name in names:
            if self.has(name):
                return name
        raise InputError(f"{self.name}: the first state needs one of {', '.join(names)}")

    def first_temperature(self) -> Any:
        """Returns the temperature of the first state; where the file gives all of the water (qt,
        rt), the one that condensation does not change, if it is there.
        """
        water = next((n for n in humidities if self.has(n)), "")
        total = water in ("qt", "rt") and self.has("thetal")
        return "thetal" if total else self.first(temperatures)

    def at(self, name: str, seconds: Any, heights: Any = None) -> Any:
        """Returns a forcing at a time, linear between those given: a number, or a profile."""
        values = self._values(name)
        if "time" in self.file[name].dims:
            values = self._then(values, seconds)
        if heights is None:
            return float(values)
        there = self.height
        if self.has("zh_forc"):
            there = self._values("zh_forc")
            there = self._then(there, seconds) if there.ndim == 2 else there
        return np.interp(heights, there, np.broadcast_to(values, there.shape))

    def _then(self, values: Any, seconds: Any) -> Any:
        n = np.clip(np.searchsorted(self.seconds, seconds) - 1, 0, max(len(values) - 2, 0))
        if len(values) == 1:
            return values[0]
        left, right = self.seconds[n : n + 2]
        share = np.clip((seconds - left) / (right - left), 0, 1)
        return (1 - share) * values[n] + share * values[n + 1]

    def unused(self) -> list[Any]:
        """Returns variables that nothing has read."""
        return sorted({str(n) for n in self.file.data_vars} - self._held.keys() - descriptive)

    def pressure(self, heights: Any) -> Any:
        """Returns hydrostatic, from the ground's pressure ps and the first state [Pa]."""
        z = np.unique(np.concatenate([[0.0], self.height[self.height > 0], heights]))
        wet = 1 + VIRTUAL_FACTOR * self.humidity(z)
        kind = self.first(("theta", "thetal", "ta"))
        given = self.initial(kind, z) * wet
        ground = float(np.ravel(self._values("ps"))[0])
        path = np.concatenate([[0], np.cumsum(np.diff(z) * 0.5 * (1 / given[1:] + 1 / given[:-1]))])
        per = GRAVITY / GAS_CONSTANT
        if kind == "ta":
            return np.interp(heights, z, ground * np.exp(-per * path))
        exner = (ground / 1e5) ** KAPPA - KAPPA * per * path
        return np.interp(heights, z, 1e5 * np.maximum(exner, 1e-3) ** (1 / KAPPA))

    def humidity(self, heights: Any) -> Any:
        """Returns specific humidity of the first state."""
        if not any(self.has(n) for n in humidities):
            return np.zeros(np.shape(heights))
        name = self.first(humidities)
        return specific(name, self.initial(name, heights))


def specific(name: str, values: Any) -> Any:
    """Returns specific humidity of a mixing ratio (rv, rt), or of one."""
    return values / (1 + values) if name in ("rv", "rt") else values
