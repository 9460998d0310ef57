"""4D-Var with a weather model: the analysis finds the true state from wind, temperature and
pressure of thirty columns at three times, with the tangent of the model and its adjoint.
"""

import numpy as np

import fathom as fm
from fathom.assimilation import observed
from fathom.assimilation.balance import AirBackground, simple_errors
from fathom.assimilation.trajectory import Trajectory
from fathom.assimilation.variational import Seen, Window
from fathom.grids.transform import SphericalHarmonics

grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(4))
model = fm.SpectralAtmosphere(grid, physics=[fm.HeldSuarez()], fix_mass=False)
model.set(
    air_temperature=lambda lon, lat, p: 270 + 25 * np.cos(2 * np.deg2rad(lat)) + 0 * p,
    eastward_wind=lambda lon, lat, p: 25 * np.sin(2 * np.deg2rad(lat)) ** 2 * (1 - p / 1e5),
)
trajectory = Trajectory(fm.Simulation(model, time_step="1h"))
transform = SphericalHarmonics(10, grid.rows)
L = AirBackground(transform, simple_errors(transform, grid.levels.a, grid.levels.b, length=2e6))

random = np.random.default_rng(1)
truth = trajectory.vector()
background = truth + L.apply(random.standard_normal(L.controls))

places = random.uniform(0, 360, 30), np.degrees(np.arcsin(random.uniform(-1, 1, 30)))
H = observed.columns(transform, 4, *places)
errors = observed.errors_of_columns(
    4, 30, ("wind", "temperature", "pressure"), {"wind": 1.0, "temperature": 0.5, "pressure": 1e-3}
)
data = {
    hour: H.apply(trajectory.run(truth, hour)) + errors * random.standard_normal(len(errors))
    for hour in (1, 3, 5)
}

window = Window(trajectory, L, steps=6, method="4d-var", iterations=20)
found = window.analyse(background, {hour: Seen(y, errors**2, H) for hour, y in data.items()})

wind = lambda state: trajectory.split(state - trajectory.run(truth, 3))["eastward_wind"]
rms = lambda state: float(np.sqrt(np.mean(wind(state) ** 2)))
print(
    f"{found.found.iterations} iterations: departures {found.summary['departure']:.2f} of the"
    f" errors, then {found.summary['residual']:.2f}; wind errs by {rms(found.background):.2f} m/s,"
    f" then {rms(found.middle):.2f}"
)
