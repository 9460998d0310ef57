"""A net that has learned a scheme: columns of a run, training, a file of ONNX, a year with it.

An aquaplanet of 8 layers runs with Fathom's own two-stream radiation, and 200 columns of each call
are kept. A net with two layers of 64 numbers learns the fluxes from temperature, vapour, clouds,
surface and sun; NumPy is enough for that. The file of the net says its fields, their units and
their ranges. In the place of the scheme it then computes the radiation of every column; a column
outside of what it has seen gets the scheme itself.

    python examples/own_emulator.py [days of training] [days of the run]
"""

import json
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import xarray as xr
from onnx import helper, numpy_helper

import fathom as fm

days = int(sys.argv[1]) if len(sys.argv) > 1 else 90
length = int(sys.argv[2]) if len(sys.argv) > 2 else (365 if days > 10 else 1)
place = Path(tempfile.mkdtemp())


def aquaplanet():
    """Over a sea of fixed temperature ("QOBS"), with the sun of the equinox."""
    grid = fm.GaussianGrid(21, grid="linear", levels=fm.HybridLevels("L8"))
    physics = fm.BasicPhysics(radiation_every="3h", sunlight=fm.Sunlight(fixed_season=1))
    warmth = lambda lat: np.cos(np.deg2rad(lat))
    sine = lambda lat: np.sin(1.5 * np.deg2rad(lat)) ** 2
    model = fm.SpectralAtmosphere(grid, physics=physics, precision="fp32")
    return model.set(
        sea_surface_temperature=lambda lon, lat: (
            273.15 + np.where(abs(lat) < 60, 27 * (1 - (sine(lat) + sine(lat) ** 2) / 2), 0)
        ),
        air_temperature=lambda lon, lat, p: np.maximum(
            200, (273 + 27 * warmth(lat) ** 3 + np.sin(np.deg2rad(3 * lon))) * (p / 1e5) ** 0.19
        ),
        specific_humidity=lambda lon, lat, p: 0.014 * warmth(lat) ** 4 * (p / 1e5) ** 3,
    )


# ---- 1. columns of a run -------------------------------------------------------------------------

made = fm.Simulation(aquaplanet(), time_step="1h", directory=place)
with fm.export_columns(made, "Radiation", place / "columns.zarr", every="3h", columns=200):
    made.prepare().advance(24 * days)
data = xr.open_zarr(place / "columns.zarr", group="Radiation", consolidated=False).load()
data = data.isel(column=data.record >= data.record.max() // 3)  # the start is no climate

uses = lambda names: [[n, data[n].place, data[n].units] for n in names]
inputs = ["air_temperature", "specific_humidity", "cloud_fraction", "cloud_water", "ozone"]
inputs += ["surface_temperature", "surface_emission", "albedo", "cosine_zenith_ahead"]
outputs = ["longwave_flux", "emission_share", "shortwave_share", "surface_downward_longwave"]


def beside(names):
    """The fields beside each other, (columns, numbers)."""
    return np.concatenate([data[n].values.reshape(data.sizes["column"], -1) for n in names], 1)


# ---- 2. training: Adam on the mean square of what is left ----------------------------------------


def scaled(x):
    """With mean 0 and spread 1; a number that is always the same tells nothing."""
    mean, width = x.mean(0), x.std(0)
    width = np.where(width > 1e-5 * abs(mean) + 1e-12, width, np.inf)
    return (x - mean) / width, mean, width


(x, x_mean, x_width), (y, y_mean, y_width) = scaled(beside(inputs)), scaled(beside(outputs))
random, hidden = np.random.default_rng(1), 64
sizes = [x.shape[1], hidden, hidden, y.shape[1]]
W = [random.normal(size=s) / np.sqrt(s[0]) for s in pairwise(sizes)]
b = [np.zeros(n) for n in sizes[1:]]
numbers = [*W, *b]
first, second = ([np.zeros_like(p) for p in numbers] for _ in range(2))
test = random.random(len(x)) < 0.1
train = np.flatnonzero(~test)
began, steps = time.perf_counter(), 4000 if days > 10 else 100


def forward(x):
    layers = [x]
    for n in range(2):
        layers.append(np.tanh(layers[-1] @ W[n] + b[n]))
    return [*layers, layers[-1] @ W[2] + b[2]]


for step in range(1, steps + 1):
    these = random.choice(train, 512)
    layers = forward(x[these])
    delta, slopes = 2 * (layers[3] - y[these]) / layers[3].size, []
    for n in (2, 1, 0):
        slopes = [layers[n].T @ delta, delta.sum(0), *slopes]
        delta = (delta @ W[n].T) * (1 - layers[n] ** 2)
    rate = 5e-3 * 0.5 * (1 + np.cos(np.pi * step / steps))
    for p, m, v, g in zip(numbers, first, second, [*slopes[0::2], *slopes[1::2]]):
        m += 0.1 * (g - m)
        v += 1e-3 * (g**2 - v)
        p -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-9)
training = time.perf_counter() - began
flux = data["longwave_flux"].shape[1]
left = (forward(x[test])[3] - y[test])[:, :flux] * y_width[:flux]
error, spread = np.sqrt(np.mean(left**2)), np.sqrt(np.mean(y_width[:flux] ** 2))

# ---- 3. a file that says its fields --------------------------------------------------------------

W[0], b[0] = W[0] / x_width[:, None], b[0] - (x_mean / x_width) @ W[0]
y_width = np.where(np.isfinite(y_width), y_width, 0.0)
W[2], b[2] = W[2] * y_width, b[2] * y_width + y_mean
constants = {f"W{n}": w for n, w in enumerate(W)} | {f"b{n}": v for n, v in enumerate(b)}
nodes = [
    helper.make_node("Gemm", ["x", "W0", "b0"], ["g0"]),
    helper.make_node("Tanh", ["g0"], ["h0"]),
    helper.make_node("Gemm", ["h0", "W1", "b1"], ["g1"]),
    helper.make_node("Tanh", ["g1"], ["h1"]),
    helper.make_node("Gemm", ["h1", "W2", "b2"], ["y"]),
    helper.make_node("Identity", ["emission"], ["seen"]),  # what the fluxes were computed with
]
number = lambda name, size: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", size])
graph = helper.make_graph(
    nodes,
    "radiation",
    [number("x", sizes[0]), number("emission", 1)],
    [number("y", sizes[-1]), number("seen", 1)],
    [numpy_helper.from_array(v.astype(np.float32), name) for name, v in constants.items()],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
seen = {n: (float(data[n].min()), float(data[n].max())) for n in inputs}
declared = {
    "inputs": {"x": uses(inputs), "emission": uses(["surface_emission"])},
    "outputs": {"y": uses(outputs), "seen": uses(["emission_seen"])},
    "within": {n: (low - 0.2 * (up - low) - 1e-9, up + 0.2 * (up - low) + 1e-9)
               for n, (low, up) in seen.items()},
}  # fmt: skip
helper.set_model_props(model, {"fathom": json.dumps(declared)})
onnx.save(model, str(place / "radiation.onnx"))

# ---- 4. a run with the scheme, and one with the net ----------------------------------------------

climate, seconds = {}, {}
for name in ("scheme", "net"):
    planet = aquaplanet()
    if name == "net":
        net = fm.load_scheme(place / "radiation.onnx", every="3h", fallback="Radiation")
        planet.insert(net, instead_of="Radiation")
    run = fm.Simulation(planet, time_step="1h", directory=place / name)
    means = ["outgoing_longwave", "toa_net_shortwave", "surface_net_shortwave"]
    means += ["radiation_fallback"] * (name == "net")
    run.output("means.nc", means, every=f"{length}d", statistic="mean")
    began = time.perf_counter()
    run.run(f"{length}d", report=False)
    seconds[name] = time.perf_counter() - began
    with fm.open(place / name / "means.nc") as found:
        area = np.cos(np.deg2rad(found[means[0]].latitude))
        climate[name] = {v: float(found[v][-1].weighted(area).mean()) for v in means}

print(f"{data.sizes['column']} columns; trained in {training:.0f} s")
print(f"longwave flux: {error:.1f} W m-2 left of a spread of {spread:.0f} W m-2")
for name, values in climate.items():
    said = ", ".join(f"{v} {x:.4g}" for v, x in values.items())
    print(f"{length} days with the {name} in {seconds[name]:.0f} s: {said}")
print(f"in the net itself: {net.runtime_seconds:.1f} s of {seconds['net']:.0f} s")
