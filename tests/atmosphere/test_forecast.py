"""A forecast of a few hours from the embedded analysis, on a reduced grid: start, filter, output on
levels and on pressure, report, restart, ranks, errors.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

here = Path(__file__)
near_surface = (
    "air_temperature_2m",
    "specific_humidity_2m",
    "relative_humidity_2m",
    "eastward_wind_10m",
    "wind_speed_10m",
    "surface_temperature",
)


def simulate(directory, to="3h", restart="", output=True, report=False, **state):
    import fathom as fm

    grid = fm.GaussianGrid(10, grid="cubic", reduced="octahedral", levels=fm.HybridLevels(10))
    atmosphere = fm.SpectralAtmosphere(
        grid, physics=fm.BasicPhysics(ozone=None, radiation_every="1h")
    )
    atmosphere.set(analysis="gfs", **state)
    sim = fm.Simulation(
        atmosphere, time_step="30min", start="2011-10-11", directory=directory, overwrite=True
    )
    if output:
        sim.output(
            "levels.zarr",
            [
                "air_temperature",
                "eastward_wind",
                "surface_air_pressure",
                "wind_speed",
                "relative_humidity",
                "precipitation_flux",
                *near_surface,
            ],
            every="1h",
        )
        sim.output(
            "pressure.zarr",
            ["geopotential_height", "air_temperature", "air_pressure_at_mean_sea_level"],
            every="1h",
            levels=[850, 500],
        )
    if restart:
        sim.restore(restart)
    return sim, sim.run(to, report=report) if to else sim.prepare()


def main(directory):
    sim, summary = simulate(directory)
    if sim.is_root:
        print(json.dumps({"checksum": summary["checksum"]}))


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    directory = tmp_path_factory.mktemp("forecast")
    return directory, *simulate(directory)


def _between_ground_and_air(record):
    # the lowest of ten layers is about 90 m above the ground: dry static energy
    lowest = record.ta.values[-1] + 0.01 * 90
    low, high = np.minimum(lowest, record.ts.values) - 6, np.maximum(lowest, record.ts.values) + 6
    assert ((record.tas.values > low) & (record.tas.values < high)).mean() > 0.98


def test_air_near_the_ground_and_the_record_of_the_start(done):
    """2 m lie between the ground and the lowest layer, at the start too, 10 m have less wind than
    it; nothing has fallen before the first step.
    """
    import fathom as fm

    with fm.open(done[0] / "levels.zarr") as data:
        assert data.time.size == 4 and (data.time[0].values == np.datetime64("2011-10-11"))
        start, last = data.isel(time=0), data.isel(time=-1)
        assert np.isfinite(start.ta.values).all() and np.isfinite(start.ps.values).all()
        assert (start.pr.values == 0).all()
        _between_ground_and_air(start), _between_ground_and_air(last)
        assert 0.002 < float(last.huss.mean()) < 0.02 and 0.3 < float(last.hurs.mean()) < 1.1
        assert (last.sfcWind.values <= last.wind_speed.values[-1] + 1e-5).all() and 0.6 < float(
            last.sfcWind.mean() / last.wind_speed[-1].mean()
        ) < 0.95
        assert np.corrcoef(last.uas.values.ravel(), last.ua.values[-1].ravel())[0, 1] > 0.97


def test_output_on_levels_and_on_pressure(done):
    import fathom as fm
    import fathom.plots as plots

    directory, sim, _ = done
    with fm.open(directory / "levels.zarr") as data:
        assert (
            data.ta.dims == ("time", "level", "latitude", "longitude")
            and data.ta.shape[1:] == sim.model.grid.shape
        )
        assert data.level.attrs["formula_terms"] == "ap: ap b: b ps: ps" and data.ps.dims == (
            "time",
            "latitude",
            "longitude",
        )
        assert (
            np.isfinite(data.ta.values).all()
            and 95000 < float(data.ps.mean()) < 1e5
            and 0.2 < float(data.hur.mean()) < 0.8
            and float(data.pr.min()) >= 0
        )
        pressure = (data.ap + data.b * data.ps.isel(time=0)).transpose("level", ...)
        assert (pressure.diff("level") > 0).all()
        assert (
            data.sftlf.dims == ("latitude", "longitude") and 0.2 < float(data.sftlf.mean()) < 0.45
        )
        plots.picture(data, "eastward_wind", level=2)
        plots.picture(data, "eastward_wind", kind="section")
    with fm.open(directory / "pressure.zarr") as data:
        assert (
            data.zg.dims == ("time", "pressure", "latitude", "longitude")
            and data.psl.dims == ("time", "latitude", "longitude")
            and data.pressure.values.tolist() == [850, 500]
        )
        from fathom.data import atmosphere

        height = (
            atmosphere.gfs()
            .geopotential.sel(pressure=5e4)
            .interp(latitude=data.latitude, longitude=data.longitude)
            / 9.80665
        )
        error = (data.zg.sel(pressure=500).isel(time=-1) - height).values
        assert (
            np.sqrt(np.nanmean(error**2)) < 60
            and 1200 < float(data.zg.sel(pressure=850).mean()) < 1700
        )
        for options in ({"level": 500}, {"kind": "section"}, {"kind": "series"}):
            plots.picture(data, "geopotential_height" if "level" in options else "ta", **options)


@pytest.mark.long
def test_report(tmp_path):
    """The page has all pictures; the shares of time are in it."""
    simulate(tmp_path, report=True)
    page = (tmp_path / "report.html").read_text()
    assert (
        page.count("data:image/png;base64,") >= 10
        and 'class="missing"' not in page
        and "Weather" in page
        and "Where the time went" in page
    )


def test_summary_and_tree(done):
    from fathom.run.show import describe
    from fathom.run.tree import tree

    _, sim, summary = done
    assert (
        summary["cells"] == sim.model.grid.wet_cells
        and summary["series"]["precipitation"]["units"] == "mm/day"
    )
    assert summary["series"]["mean_surface_pressure"]["last"] == pytest.approx(
        sim.series.values["mean_surface_pressure"][0], rel=1e-12
    )
    assert {
        "SemiLagrangianTransport",
        "Legendre transform",
        "BettsMiller",
    } <= {r["region"] for r in summary["profile"]}
    text = tree(*describe(sim))
    assert "octahedral reduced" in text and "BettsMiller" in text


def test_restart_is_no_restart_and_another_grid_is_refused(done, tmp_path):
    import fathom as fm

    directory, _, summary = done
    simulate(tmp_path, to="1h", output=False)
    _, again = simulate(tmp_path, "2h", tmp_path / "restart.fathom", output=False)
    assert again["checksum"] == summary["checksum"]
    other = fm.SpectralAtmosphere(fm.GaussianGrid(10, levels=fm.HybridLevels(10)))
    with pytest.raises(ValueError, match="another grid"):
        fm.Simulation(other, time_step="30min").restore(directory / "restart.fathom").prepare()


def test_ranks(on_ranks, done, tmp_path):
    assert on_ranks(2, here, tmp_path)["checksum"] == done[2]["checksum"]
    for name in ("levels.zarr", "pressure.zarr"):
        for file in (done[0] / name).rglob("*"):
            assert (
                not file.is_file()
                or file.read_bytes()
                == (tmp_path / name / file.relative_to(done[0] / name)).read_bytes()
            ), file


def test_filter_takes_the_gravity_waves_out(tmp_path):
    """Of the pressure: half an hour changes a filtered start much less; what the filter changes is
    small.
    """
    raw, still = (
        simulate(tmp_path, to="", output=False, digital_filter=span)[0] for span in (0, "6h")
    )
    there = raw.model.grid.wet_levels > 0
    pressure = lambda sim: sim.gather("log_pressure_ratio")[0][there]
    start = pressure(raw), pressure(still)
    assert 0 < np.abs(start[1] - start[0]).max() < 0.02 and still.seconds == 0
    assert np.array_equal(raw.gather("snow_amount"), still.gather("snow_amount"))
    for sim in (raw, still):
        sim.advance(1)
    first, second = (
        np.sqrt(np.mean((pressure(sim) - before) ** 2)) for sim, before in zip((raw, still), start)
    )
    assert second < 0.6 * first


def test_blow_up_says_where(tmp_path):
    from fathom.base.failure import UnstableError

    sim, _ = simulate(tmp_path, to="", output=False)
    sim.advance(1)
    wild = sim.gather("eastward_wind")
    wild[3, 4, 5] = 1e4
    sim.fields.set("eastward_wind", np.ascontiguousarray(wild))
    with pytest.raises(
        UnstableError,
        match=r"(eastward|northward)_wind is .* level \d+ of 10 \(\d+ hPa\).*Try a step of 900 s",
    ):
        sim.run("2h", report=False)


def test_errors(tmp_path):
    import fathom as fm

    grid = fm.GaussianGrid(10, levels=fm.HybridLevels(10))
    dry = fm.SpectralAtmosphere(grid)
    with pytest.raises(
        ValueError, match="no output variable 'air_temprature'; did you mean 'air_temperature'"
    ):
        fm.Simulation(dry, time_step="1h", directory=tmp_path).output(
            "a.zarr", "air_temprature", every="1h"
        ).prepare()
    with pytest.raises(ValueError, match="no output variable 'precipitation_flux'"):
        fm.Simulation(dry, time_step="1h", directory=tmp_path).output(
            "a.zarr", "precipitation_flux", every="1h"
        ).prepare()
    with pytest.raises(ValueError, match="no state of the atmosphere 'gsf'; there are: gfs"):
        dry.set(analysis="gsf")


if __name__ == "__main__":
    main(sys.argv[1])
