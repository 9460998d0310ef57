"""Benchmark of the radiation: columns per second of the long and the short wave together, on one
thread.

The columns are those of the all-sky example of RTE+RRTMGP: air after RCEMIP (Wing et al. 2018) over
a sea of 290 to 310 K, clouds between 900 and 100 hPa in two of three. The least of several
repetitions counts, by processor time, which other programs do not affect; multiply-adds and the
triad, the limits of the machine, are measured between the repetitions. With a device: RRTMGP as a
process of a model, in the same columns, there and on one thread of the processor, which then has at
most 1024 columns in everything.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom.atmosphere.radiation import RRTMGP, Tables, longwave, shortwave
from fathom.base import constants, machine, mpi
from fathom.base.failure import InputError
from fathom.model import device
from fathom.model.schemes import bytes_of
from fathom.performance import load, roofline
from fathom.performance.bench.on_device import power
from fathom.run.tree import tree

GASES = {"co2": 348e-6, "ch4": 1650e-9, "n2o": 306e-9, "n2": 0.7808, "o2": 0.2095}


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. ValueError for what does not exist."""

    layers: int = 72
    columns: int = 128
    precision: str = "fp64"
    longwave: str = "lw-g128"
    shortwave: str = "sw-g112"
    repetitions: int = 10
    device: str | None = None

    @property
    def of_a_thread(self) -> Case:
        """Returns the columns of one thread of the processor."""
        return replace(self, columns=min(self.columns, 1024)) if self.device else self

    def __post_init__(self) -> None:
        if self.precision not in ("fp64", "fp32"):
            raise InputError(f"precision = {self.precision!r} must be 'fp64' or 'fp32'")
        if self.device not in (None, *device.names):
            raise InputError(f"device = {self.device!r}; allowed: {', '.join(device.names)}")
        if self.layers < 4 or self.columns < 1 or self.repetitions < 1:
            raise InputError(
                f"layers = {self.layers}, columns = {self.columns}, repetitions ="
                f" {self.repetitions} must be at least 4, 1 and 1"
            )


def air(columns: int, layers: int) -> dict[str, Any]:
    """Returns columns in radiative-convective equilibrium, half of the layers below 15 km."""
    half = np.linspace(0, 1, layers // 2 + 1)
    height = np.concatenate([15e3 * half, 15e3 + 55e3 * half[1:]])[::-1]
    middle, sea = (height[1:] + height[:-1]) / 2, np.linspace(290, 310, columns)[:, None]

    def profile(z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q0, lapse, gravity, gas = 0.01864, 6.7e-3, 9.79764, 287.04
        humidity = np.where(z > 15e3, 1e-8, q0 * np.exp(-z / 4e3 - (z / 7.5e3) ** 2))
        virtual = (1 + 0.608 * q0) * sea - lapse * np.minimum(z, 15e3)
        pressure = 101480 * (virtual / ((1 + 0.608 * q0) * sea)) ** (gravity / (gas * lapse))
        pressure = pressure * np.exp(-gravity * np.maximum(z - 15e3, 0) / (gas * virtual))
        return pressure, virtual / (1 + 0.608 * humidity), humidity + 0 * pressure

    pressure, temperature, humidity = profile(middle)
    interface, between, _ = profile(height)
    hecto = pressure / 100
    ozone = np.maximum(3.6478e-6 * hecto**0.83209 * np.exp(-hecto / 11.3515), 1e-13)
    return {
        "pressure": pressure,
        "interface_pressure": interface,
        "temperature": temperature,
        "interface_temperature": between,
        "surface_temperature": sea[:, 0],
        "emissivity": 0.98,
        "cosine_zenith": 0.86,
        "albedo_direct": 0.06,
        "albedo_diffuse": 0.06,
        "gases": {"h2o": humidity, "o3": ozone, **GASES},
    } | _clouds(pressure, temperature)


def _clouds(pressure: np.ndarray, temperature: np.ndarray) -> dict[str, np.ndarray]:
    there = (pressure > 1e4) & (pressure < 9e4) & (np.arange(len(pressure))[:, None] % 3 > 0)
    return {
        "cloud_fraction": 1.0 * there,
        "liquid_path": 10.0 * (there & (temperature > 263)),
        "ice_path": 10.0 * (there & (temperature < 273)),
        "droplet_radius": np.full(pressure.shape, 12.0),
        "ice_diameter": np.full(pressure.shape, 95.0),
    }


def measure(case: Case) -> dict[str, Any]:
    """Returns the figures of a case, as plain data."""
    tables = Tables(case.longwave), Tables(case.shortwave)
    cloudy = air(case.of_a_thread.columns, case.layers)
    clear = {k: v for k, v in cloudy.items() if k not in _clouds(np.ones((1, 1)), np.ones((1, 1)))}
    work = {
        f"{name}_{sky}": (compute, one, columns)
        for name, compute, one in zip(("longwave", "shortwave"), (longwave, shortwave), tables)
        for sky, columns in (("cloudy", cloudy), ("clear", clear))
    }
    seconds: dict[str, list[float]] = {name: [] for name in work}
    rate = triad = 0.0
    bytes_ = 8 if case.precision == "fp64" else 4
    with roofline.one_clock(1, 1) as now:
        for _ in range(case.repetitions + 1):
            for name, (compute, one, columns) in work.items():
                began = now()
                compute(one, columns, precision=case.precision)
                seconds[name].append(now() - began)
            rate = max(rate, *(mpi.core.fma_rate(bytes_, 0.002) for _ in range(5)))
            triad = max(triad, mpi.core.triad_bandwidth(32 << 20, 2))
    there = on_device(case, case.device) if case.device else None
    figures = _figures(case.of_a_thread, tables, seconds, rate, triad)
    return figures | {"case": asdict(case), "device": there}


def on_device(case: Case, name: str) -> dict[str, Any]:
    """Returns columns per second of RRTMGP as a process: fields are there before and after."""
    computer, bytes_ = device.open(name), bytes_of[case.precision]
    process = RRTMGP(longwave=case.longwave, shortwave=case.shortwave).process(bytes_)

    def given(one: Case) -> tuple[Any, dict[str, np.ndarray], int]:
        return (
            process,
            {n: np.asarray(f, f"f{bytes_}") for n, f in fields_of(one).items()},
            case.layers,
        )

    there = given(case)
    seconds = min(mpi.core.seconds_on_device(*there, computer, case.repetitions + 1)[1:])
    watts = power(lambda n: mpi.core.seconds_on_device(*there, computer, n), seconds)
    thread = given(case.of_a_thread)
    began = time.process_time()
    mpi.core.run_column(*thread)
    alone = time.process_time() - began
    return {
        "name": computer.name,
        "columns_per_second": case.columns / seconds,
        "watts": watts,
        "joules_per_column": watts and watts * seconds / case.columns,
        "columns_per_second_of_a_thread": case.of_a_thread.columns / alone,
    }


def fields_of(case: Case) -> dict[str, Any]:
    """Returns the same columns as fields (layers or interfaces, 1, columns) of an atmosphere."""
    gravity, sigma = constants.standard_gravity, constants.stefan_boltzmann
    dry_air, vapour, ozone = 0.028964, 0.018016, 0.0479982  # kg mol-1
    one = air(case.columns, case.layers)
    shape = (case.columns, case.layers)
    below, above = one["interface_pressure"][:, 1:], one["interface_pressure"][:, :-1]
    moist = one["gases"]["h2o"] * vapour / dry_air
    water = (one["liquid_path"] + one["ice_path"]) / 1000 * gravity / (below - above)
    profiles = {
        "air_temperature": one["temperature"],
        "specific_humidity": moist / (1 + moist),
        "air_pressure": one["pressure"],
        "pressure_interface": one["interface_pressure"],
        "ozone": np.broadcast_to(one["gases"]["o3"] * ozone / dry_air, shape),
        "cloud_fraction": one["cloud_fraction"],
        "cloud_water": water,
    }
    surface, sun = one["surface_temperature"], one["cosine_zenith"]
    numbers = {
        "surface_temperature": surface,
        "surface_emission": sigma * surface**4,
        "albedo": one["albedo_diffuse"],
        "cosine_zenith": sun,
        "cosine_zenith_ahead": sun,
        "latitude": 0.3,
        "longitude": np.linspace(0, 1, case.columns),
    }
    return (
        {name: np.ascontiguousarray(x.T[:, None, :]) for name, x in profiles.items()}
        | {name: np.full((1, case.columns), x) for name, x in numbers.items()}
        | {"sun": np.array([1.0, 0, 0, 1, 1, 0, 0])}
    )


def _figures(
    case: Case, tables: Any, seconds: dict[str, list[float]], rate: float, triad: float
) -> dict[str, Any]:
    """Returns figures that follow from the seconds; the first repetition does not count."""
    least = {name: min(all_[1:]) / case.columns for name, all_ in seconds.items()}
    figures: dict[str, Any] = {"case": asdict(case), "machine": machine.name()}
    for sky in ("cloudy", "clear"):
        both = least[f"longwave_{sky}"] + least[f"shortwave_{sky}"]
        figures["columns_per_second" + ("" if sky == "cloudy" else "_clear")] = 1 / both
    for name, one in zip(("longwave", "shortwave"), tables):
        points = case.layers * one.gpoints
        figures[name] = {
            "microseconds_per_column": least[f"{name}_cloudy"] * 1e6,
            "microseconds_per_column_clear": least[f"{name}_clear"] * 1e6,
            "nanoseconds_per_layer_and_g": least[f"{name}_clear"] * 1e9 / points,
            "multiply_adds_in_that_time": least[f"{name}_clear"] * rate / 2 / points,
            "triad_bytes_in_that_time": least[f"{name}_clear"] * triad / points,
        }
    figures |= {"fma_gflops": rate / 1e9, "triad_gigabytes_per_second": triad / 1e9}
    return figures


def present(figures: dict[str, Any], file: Path | None = None) -> int:
    """Print the figures of `measure`, and write them as JSON. Returns the exit status 0."""
    load.leave(figures, file)
    case = figures["case"]

    def part(name: str) -> str:
        one = figures[name]
        return (
            f"{one['microseconds_per_column']:.1f} us a column,"
            f" {one['microseconds_per_column_clear']:.1f} clear:"
            f" {one['nanoseconds_per_layer_and_g']:.2f} ns a layer and g, the time of"
            f" {one['multiply_adds_in_that_time']:.0f} multiply-adds at their limit"
        )

    click.echo(
        tree(
            f"{case['layers']} layers, {case['precision']}, {figures['machine']}",
            [
                (
                    "columns",
                    f"{figures['columns_per_second']:.0f} a second with clouds,"
                    f" {figures['columns_per_second_clear']:.0f} clear",
                ),
                (f"long wave, {case['longwave']}", part("longwave")),
                (f"short wave, {case['shortwave']}", part("shortwave")),
                *_of_device(figures["device"]),
            ],
        )
    )
    return 0


def _of_device(found: dict[str, Any] | None) -> list[tuple[str, str]]:
    if found is None:
        return []
    there, alone = found["columns_per_second"], found["columns_per_second_of_a_thread"]
    text = f"{there:.0f} columns a second, {there / alone:.1f} times one thread of the processor"
    if found["watts"]:
        text += f"; {found['watts']:.0f} W, {found['joules_per_column']:.3g} J a column"
    return [(found["name"], text)]
