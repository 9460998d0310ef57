"""One store of each kind, tested by the CF compliance checker.

    pip install compliance-checker cfgrib
    python -P tools/compliance.py [FOLDER]

Small runs of an ocean and an atmosphere write the stores; Zarr, GRIB2, FA and restarts are opened
by Fathom and copied to NetCDF, the only format that the checker reads. Prints its messages. Status
1 for a message that is not on the list of docs/output.md.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import fathom as fm

allowed = (
    "should define valid units for",  # axes that count columns and rows
    "formula_terms",
    "recommended order",
)


def ocean(folder):
    grid = fm.TripolarGrid(resolution="3deg", levels=fm.ZLevels(nz=6, depth=5500))
    model = fm.Ocean(grid, tracers=["ideal_age"], sea_ice=fm.SeaIce())
    model.set(temperature="levitus", salinity="levitus")
    sim = fm.Simulation(
        model, "1h", calendar="noleap", surface=fm.BulkForcing("coads"), directory=folder
    )
    state = ["temperature", "velocity_x", "eastward_velocity", "sea_surface_height", "ideal_age"]
    more = {"every": "1h"}
    for kind in ("nc", "zarr"):
        sim.output(f"state.{kind}", state, **more)
        sim.output(f"mean.{kind}", state, statistic="mean", **more)
        sim.output(f"area.{kind}", state, area=[-60, 0, 20, 60], **more)
        cells = ["temperature", "sea_surface_height"]
        sim.output(f"cells.{kind}", cells, latlon_resolution=5, regrid="conservative", **more)
        sim.output(f"moorings.{kind}", state, moorings={"K1": [-16.5, 49.0]}, **more)
        sim.output(f"drifters.{kind}", drifters=[[-40, 30], [-60, 32, 15]], **more)
        sim.output(f"section.{kind}", state, section=[[-30, -50], [-30, 50]], **more)
        sim.output(f"integrals.{kind}", ["meridional_overturning", "section_transport"], **more)
    sim.output("maximum.nc", ["temperature"], statistic="maximum", **more)
    sim.output("regular.nc", ["temperature", "mixed_layer_depth"], latlon_resolution=5, **more)
    sim.output("depths.nc", ["temperature"], levels=[10, 100], **more)
    sim.output("zonal.nc", ["temperature"], latlon_resolution=5, zonal=True, **more)
    sim.run("2h", report=False)


def air(folder):
    grid = fm.GaussianGrid(21, levels=fm.HybridLevels(10))
    model = fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics(ozone="none"))
    model.set(analysis="gfs")
    sim = fm.Simulation(model, "30min", start="2011-10-11", directory=folder)
    layers = ["air_temperature", "eastward_wind", "northward_wind", "surface_air_pressure"]
    near = ["air_temperature_2m", "eastward_wind_10m", "air_pressure_at_mean_sea_level"]
    more = {"every": "1h"}
    for kind in ("nc", "zarr", "grib2", "fa"):
        sim.output(f"state.{kind}", layers, **more)
        sim.output(f"near.{kind}", near, **more)
        sim.output(f"pressure.{kind}", layers[:3], levels=[850, 500], **more)
    sim.output("area.nc", layers, area=[-30, 45, 30, 75], **more)
    sim.output("area.grib2", layers, area=[-30, 45, 30, 75], **more)
    sim.output("altitude.nc", layers[:1], levels={"altitude": [500, 5000]}, **more)
    sim.output("rain.nc", ["precipitation_flux"], statistic="accumulation", **more)
    sim.output("moorings.nc", layers, moorings={"A": [7.0, 47.0]}, **more)
    sim.run("2h", report=False)


def netcdf(store, folder):
    """The file itself, or a copy of its opened dataset."""
    if store.suffix == ".nc":
        return store
    copy = folder / (store.name + ".nc")
    fm.open(store).to_netcdf(copy)
    return copy


def remarks(file):
    """[(weight, check, text)] of a NetCDF file."""
    report = file.with_suffix(".json")
    beside = Path(sys.executable).with_name("compliance-checker")
    command = [str(beside) if beside.exists() else "compliance-checker"]
    asked = ["-t", "cf:1.11", "-f", "json", "-o", str(report), str(file)]
    done = subprocess.run(command + asked, capture_output=True, text=True)
    if not report.exists():
        return [("", "no report", done.stdout + done.stderr)]
    found = next(iter(json.loads(report.read_text()).values()))
    if "cf:1.11" in found:
        found = found["cf:1.11"]
    return [
        (level.split("_")[0], check["name"], text)
        for level in ("high_priorities", "medium_priorities", "low_priorities")
        for check in found[level]
        if check["value"][0] < check["value"][1]
        for text in check["msgs"]
    ]


def main(folder):
    stores = []
    for make in (ocean, air):
        make(folder / make.__name__)
        stores += sorted(
            path
            for path in (folder / make.__name__).iterdir()
            if path.suffix in (".nc", ".zarr", ".grib2", ".fa", ".fathom")
        )
    left, known = 0, {}
    for store in stores:
        for weight, check, text in remarks(netcdf(store, folder)):
            if found := next((a for a in allowed if a in text), None):
                known.setdefault((check, found), set()).add(f"{store.parent.name}/{store.name}")
            else:
                left += 1
                print(f"{store.parent.name}/{store.name}: {weight}, {check}: {text}")
    for (check, found), where in sorted(known.items()):
        print(f"known in {len(where)}: {check}: ... {found} ...")
    print(f"{len(stores)} stores, {left} remarks that are not known")
    return left > 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        sys.exit(main(Path(sys.argv[1] if sys.argv[1:] else made)))
