"""The loss of accuracy by radiation in fewer columns: fluxes and heating of one moment, against
RRTMGP in all columns.

    python docs/results/radiation_grid.py --spacing 2 3 4
    python docs/results/radiation_grid.py --spacing 1 3 --cost

The state is a few hours old, so that clouds are the model's own. With `--without-ground`
interpolated fluxes are not adapted to the ground of each column. `--cost`: processor time of the
model with radiation every hour and with radiation that has been computed once, in turns. The result
is in docs/results/radiation.md.
"""

import argparse
import time

import numpy as np

import fathom as fm

columns = (
    "outgoing_longwave",
    "toa_net_shortwave",
    "surface_downward_longwave",
    "surface_net_shortwave",
)
kept = (
    "longwave_flux",
    "shortwave_share",
    "insolation",
    "emission_share",
    "emission_seen",
    "surface_emission",
    "pressure_interface",
)


class Measured(fm.SpectralAtmosphere):
    """The model, with readable parts of the heating."""

    @property
    def diagnostics(self):
        return sorted({*super().diagnostics, *kept})


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("truncation", 106), ("levels", 31), ("hours", 6), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--spacing", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--overlap", default="exponential-random")
    parser.add_argument("--without-ground", action="store_true")
    parser.add_argument("--cost", action="store_true")
    return parser.parse_args()


def moment(given, spacing, state=None):
    """Fluxes and heating after the first step from a state; without one, that state."""
    grid = fm.GaussianGrid(given.truncation, levels=fm.HybridLevels(given.levels))
    radiation = fm.RRTMGP(every="30min", overlap=given.overlap)
    physics = fm.BasicPhysics(ozone=None, radiation=radiation, radiation_spacing=spacing)
    physics = [p for p in physics if p.name != "LocalAlbedo" or not given.without_ground]
    model = Measured(grid, physics=physics, sponge=3, precision="fp32")
    if state is None:
        physics = fm.BasicPhysics(ozone=None)
        model = fm.SpectralAtmosphere(grid, physics=physics, sponge=3, precision="fp32")
    model.set(analysis="gfs" if state is None else state)
    start = "2011-10-11" if state is None else state.date
    sim = fm.Simulation(model, time_step="10min", start=start, parallel={"threads": given.threads})
    sim.prepare()
    if state is None:
        return sim.advance(given.hours * 6) or sim
    sim.advance(1)
    fluxes = {name: np.asarray(sim.gather(name), float)[0] for name in columns}
    of = {name: np.asarray(sim.gather(name), float) for name in kept}
    upward = of["longwave_flux"] - of["insolation"] * of["shortwave_share"]
    upward += of["emission_share"] * (of["surface_emission"] - of["emission_seen"])
    pressure = of["pressure_interface"]
    heating = 86400 * 9.80616 / 1004.7 * np.diff(upward, axis=0) / np.diff(pressure, axis=0)
    weight = np.where(grid.wet_levels > 0, grid.horizontal.area_center, 0)
    land = np.asarray(sim.gather("land_fraction"), float)[0]
    return fluxes, heating, np.asarray(grid.levels.middles), weight / weight.sum(), land


def coast(land):
    """Columns that are land or sea next to a column that is the other."""
    is_land = land > 0.5
    around = np.stack([np.roll(is_land, s, 1) for s in (-1, 1)] + [is_land])
    around = np.concatenate([around[:, 1:-1], around[:1, 2:] * 1, around[:1, :-2] * 1])
    edge = np.zeros_like(is_land)
    edge[1:-1] = around.any(0) & ~around.all(0)
    return edge


def model_of(given, spacing, every):
    """That of experiments/forecast-t106.toml, two hours old."""
    grid = fm.GaussianGrid(given.truncation, levels=fm.HybridLevels(given.levels))
    physics = fm.BasicPhysics(
        ozone=None, radiation="RRTMGP", radiation_every=every, radiation_spacing=spacing
    )
    model = fm.SpectralAtmosphere(grid, physics=physics, sponge=3, precision="fp32")
    sim = fm.Simulation(
        model.set(analysis="gfs"), time_step="15min", start="2011-10-11", parallel={"threads": 1}
    ).prepare()
    sim.advance(8)
    return sim


def cost(given, spacing, turns=4):
    """Seconds of the processor for an hour with radiation, and for one without."""
    pair = model_of(given, spacing, "1h"), model_of(given, spacing, "10d")
    seconds = np.zeros((turns, 2))
    for turn in range(turns):
        for n, sim in enumerate(pair):
            began = time.process_time()
            sim.advance(4)
            seconds[turn, n] = time.process_time() - began
    return np.median(seconds, axis=0)


def main():
    given = options()
    if given.cost:
        for spacing in given.spacing:
            both, without = cost(given, spacing)
            print(
                f"spacing {spacing}: an hour takes {both:.2f} s, without radiation {without:.2f} s;"
                f" radiation is {100 * (1 - without / both):.0f} % of it",
                flush=True,
            )
        return
    start = moment(given, None)
    fluxes, heating, middles, weight, land = moment(given, None, start)
    whole = {name: float((weight * fluxes[name]).sum()) for name in columns}
    print("all columns, mean [W m-2]: " + ", ".join(f"{n} {x:.2f}" for n, x in whole.items()))
    near = coast(land)
    for spacing in given.spacing:
        few, warm, *_ = moment(given, spacing, start)
        print(f"spacing {spacing}: mean, rms, rms at coasts [W m-2]")
        for name in columns:
            error = few[name] - fluxes[name]
            rms = [np.sqrt((w * error**2).sum() / w.sum()) for w in (weight, weight * near)]
            print(f"  {name:26s} {(weight * error).sum():7.2f} {rms[0]:7.2f} {rms[1]:7.2f}")
        rms = np.sqrt((weight * (warm - heating) ** 2).sum((1, 2)))
        mean = (weight * (warm - heating)).sum((1, 2))
        for top, bottom in ((0, 1e4), (1e4, 5e4), (5e4, 8.5e4), (8.5e4, 1.1e5)):
            at = (middles >= top) & (middles < bottom)
            print(
                f"  heating, {top / 100:4.0f} to {bottom / 100:4.0f} hPa:"
                f" mean {mean[at].mean():7.3f}, rms {rms[at].mean():6.3f} K/day"
            )


if __name__ == "__main__":
    main()
