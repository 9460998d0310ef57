"""Stores: opened values are the written ones, with any writers; a killed run leaves its complete
times.
"""

from __future__ import annotations

import errno
import hashlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import fathom as fm
import fathom.names as names
import fathom.output as output
from fathom.output import files

endings = [".zarr", ".nc"]
ny, nx, nz = 50, 70, 7
sizes = {"y": 20, "x": 30, "level": 4}  # chunks small enough that edges are cut


def coordinates():
    longitude, latitude = np.meshgrid(np.arange(nx) * 5.0, np.linspace(-80, 80, ny))
    corners = np.array([-2.5, 2.5, 2.5, -2.5]), np.array([-1.6, -1.6, 1.6, 1.6])
    return {
        "level": (
            ("level",),
            np.arange(nz) * 10.0 + 5,
            {"units": "m", "positive": "down", "standard_name": "depth", "bounds": "level_bounds"},
        ),
        "level_bounds": (
            ("level", "bounds"),
            np.stack([np.arange(nz), np.arange(nz) + 1], 1) * 10.0,
        ),
        "longitude": (
            ("y", "x"),
            longitude,
            {"units": "degrees_east", "standard_name": "longitude", "bounds": "longitude_bounds"},
        ),
        "latitude": (
            ("y", "x"),
            latitude,
            {"units": "degrees_north", "standard_name": "latitude", "bounds": "latitude_bounds"},
        ),
        "longitude_bounds": (("y", "x", "corner"), longitude[..., None] + corners[0]),
        "latitude_bounds": (("y", "x", "corner"), latitude[..., None] + corners[1]),
    }


def variables():
    with_coordinates = {"coordinates": "longitude latitude"}
    return [
        output.VariableSpec(
            "thetao",
            ("time", "level", "y", "x"),
            "float32",
            {**names.get("temperature").attributes, **with_coordinates},
        ),
        output.VariableSpec(
            "zos",
            ("time", "y", "x"),
            "float64",
            {**names.get("sea_surface_height").attributes, **with_coordinates},
        ),
        output.VariableSpec(
            "wet_levels",
            ("y", "x"),
            "int32",
            {**names.get("wet_levels").attributes, **with_coordinates},
        ),
    ]


def fields(n):
    random = np.random.default_rng(n)
    land = np.zeros((ny, nx), bool)
    land[:22, :33] = land[40:, 50:] = True
    return {
        "thetao": np.where(land, np.nan, random.standard_normal((nz, ny, nx))).astype("float32"),
        "zos": np.where(land, np.nan, random.standard_normal((ny, nx))),
    }


def write_all(writer, name, time_index, field, ranks=1, rank=0):
    for n, (j0, j1, i0, i1) in enumerate(writer.regions(name)):
        if n % ranks == rank:
            writer.write(name, time_index, (j0, j1, i0, i1), field[..., j0:j1, i0:i1])


def fill(writer, times):
    write_all(writer, "wet_levels", None, np.arange(ny * nx, dtype="int32").reshape(ny, nx))
    for n in range(times):
        for name, field in fields(n).items():
            write_all(writer, name, n, field)
        writer.extend(n, n * 86400.0)


def digest(path):
    """Hash over names and bytes of all files of a store."""
    total = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file():
            total.update(str(file.relative_to(path)).encode() + file.read_bytes())
    return total.hexdigest()


@pytest.mark.parametrize("ending", endings)
def test_what_is_written_is_what_is_opened(tmp_path, ending):
    path = tmp_path / f"store{ending}"
    writer = output.create(
        path,
        coordinates(),
        variables(),
        sizes,
        time=output.TimeAxis("1999-12-31 00:00:00"),
        attributes={"title": "test"},
    )
    fill(writer, 3)
    assert writer.times.tolist() == [0.0, 86400.0, 172800.0]
    writer.close()
    with output.open(path) as dataset:
        for n in range(3):
            for name, field in fields(n).items():
                assert dataset[name].dtype == field.dtype
                np.testing.assert_array_equal(dataset[name][n].values, field)
        assert dataset.wet_levels.values.tolist() == np.arange(ny * nx).reshape(ny, nx).tolist()
        assert str(dataset.time.values[1])[:10] == "2000-01-01"
        assert {"longitude", "latitude"} <= set(dataset.thetao.coords)
        assert dataset.thetao.attrs["standard_name"] == "sea_water_potential_temperature"
        assert dataset.attrs["title"] == "test" and "longitude_bounds" in dataset.variables


@pytest.mark.parametrize("ending", endings)
def test_one_line_of_xarray_draws_a_map(tmp_path, ending):
    import matplotlib

    matplotlib.use("agg")
    fill(writer := output.create(tmp_path / f"store{ending}", coordinates(), variables()), 1)
    writer.close()
    with output.open(tmp_path / f"store{ending}") as dataset:
        dataset.thetao[0, 0].plot(x="longitude", y="latitude")
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("ending", endings)
@pytest.mark.parametrize("calendar", ["standard", "noleap", "360_day"])
def test_means_have_bounds_and_the_clock_its_calendar(tmp_path, ending, calendar):
    path = tmp_path / f"store{ending}"
    writer = output.create(
        path,
        coordinates(),
        variables(),
        time=output.TimeAxis("2000-02-28 00:00:00", calendar, bounds=True),
    )
    with pytest.raises(ValueError, match="needs time bounds"):
        writer.extend(0, 0.0)
    with output.open(path) as dataset:
        assert dataset.sizes["time"] == 0  # nothing yet, and no error
    writer.extend(0, 1.5 * 86400, (86400.0, 2 * 86400.0))
    writer.close()
    with output.open(path) as dataset:
        day = {"standard": "2000-02-29", "noleap": "2000-03-01", "360_day": "2000-02-29"}[calendar]
        assert str(dataset.time_bounds.values[0, 0])[:10] == day


@pytest.mark.parametrize("compression", ["zstd", "lz4", "none"])
def test_compressions_of_zarr_hold_the_same(tmp_path, compression):
    path = tmp_path / "store.zarr"
    writer = output.create(path, coordinates(), variables(), sizes, compression=compression)
    fill(writer, 1)
    with output.open(path) as dataset:
        np.testing.assert_array_equal(dataset.thetao[0].values, fields(0)["thetao"])
        np.testing.assert_array_equal(dataset.zos[0].values, fields(0)["zos"])


def _one_rank(path, ranks, rank):
    writer = output.append(path)
    for n in range(2):
        for name, field in fields(n).items():
            write_all(writer, name, n, field, ranks, rank)
    write_all(
        writer, "wet_levels", None, np.arange(ny * nx, dtype="int32").reshape(ny, nx), ranks, rank
    )


def test_bytes_of_a_zarr_store_do_not_depend_on_who_writes(tmp_path):
    digests = set()
    for ranks in (1, 2, 3):
        path = tmp_path / f"{ranks}" / "store.zarr"
        writer = output.create(path, coordinates(), variables(), sizes)
        processes = [
            multiprocessing.get_context("fork").Process(target=_one_rank, args=(path, ranks, rank))
            for rank in range(ranks)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            assert process.exitcode == 0
        for n in range(2):
            writer.extend(n, n * 86400.0)
        digests.add(digest(path))
    assert len(digests) == 1


def test_chunks_of_land_are_not_stored(tmp_path):
    path = tmp_path / "store.zarr"
    fill(output.create(path, coordinates(), variables(), sizes), 1)
    assert not (path / "zos/c.0.0.0").exists() and (path / "zos/c.0.0.2").exists()


@pytest.mark.parametrize("ending", endings)
def test_a_time_is_seen_only_when_it_is_complete(tmp_path, ending):
    path = tmp_path / f"store{ending}"
    writer = output.create(path, coordinates(), variables(), sizes)
    fill(writer, 2)
    write_all(writer, "thetao", 2, fields(2)["thetao"])
    writer.close()
    with output.open(path) as dataset:
        assert dataset.sizes["time"] == 2
    writer = output.append(path)  # a continued run writes that time again
    assert len(writer.times) == 2
    for name, field in fields(5).items():
        write_all(writer, name, 2, field)
    writer.extend(2, 2 * 86400.0)
    writer.close()
    with output.open(path) as dataset:
        np.testing.assert_array_equal(dataset.zos[2].values, fields(5)["zos"])


@pytest.mark.parametrize("ending", endings)
def test_a_killed_writer_leaves_a_store_that_opens(tmp_path, ending):
    path, here = tmp_path / f"store{ending}", os.path.dirname(__file__)
    program = (
        f"import sys; sys.path[:0] = [{here!r}, {os.getcwd()!r}]; import test_store as t; from"
        f" pathlib import Path\nw = t.output.create(Path({str(path)!r}), t.coordinates(),"
        " t.variables(), t.sizes); t.fill(w, 2)\nt.write_all(w, 'thetao', 2,"
        " t.fields(2)['thetao']); print('written', flush=True); import time; time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout.readline().strip() == b"written"
    process.send_signal(signal.SIGKILL)
    process.wait()
    with output.open(path) as dataset:
        assert dataset.sizes["time"] == 2
        np.testing.assert_array_equal(dataset.thetao[1].values, fields(1)["thetao"])


@pytest.mark.parametrize("kill_at, every", [(0, 10.0), *((n, 0.0) for n in range(4))])
def test_a_kill_while_the_time_is_extended_loses_nothing(tmp_path, kill_at, every, monkeypatch):
    """every: seconds between metadata of arrays; the group has its own at each time."""
    import fathom.output.formats.zarr as module

    monkeypatch.setattr(module, "_own_metadata_every", every)
    path = tmp_path / "store.zarr"
    writer = output.create(path, coordinates(), variables(), sizes)
    fill(writer, 2)
    for name, field in fields(2).items():
        write_all(writer, name, 2, field)
    original, calls = module._write_json, []

    def killed(file, *content):
        calls.append(file)
        if len(calls) > kill_at:
            raise KeyboardInterrupt
        original(file, *content)

    monkeypatch.setattr(module, "_write_json", killed)
    with pytest.raises(KeyboardInterrupt):
        writer.extend(2, 2 * 86400.0)
    monkeypatch.setattr(module, "_write_json", original)
    with output.open(path) as dataset:
        assert dataset.sizes["time"] == 2
        np.testing.assert_array_equal(dataset.thetao[1].values, fields(1)["thetao"])
    output.append(path).extend(2, 2 * 86400.0)
    with output.open(path) as dataset:
        np.testing.assert_array_equal(dataset.thetao[2].values, fields(2)["thetao"])


def test_arrays_say_how_long_they_are_when_the_store_is_closed(tmp_path, monkeypatch):
    """In between only the group does, once a time."""
    import fathom.output.formats.zarr as module

    path, original, told = tmp_path / "store.zarr", module._write_json, []
    writer = output.create(path, coordinates(), variables(), sizes)
    monkeypatch.setattr(
        module, "_write_json", lambda file, *more: (told.append(file), original(file, *more))
    )
    fill(writer, 3)
    assert told == [path / "zarr.json"] * 3
    with output.open(path) as dataset:
        assert dataset.sizes["time"] == 3
    own = lambda: json.loads((path / "thetao" / "zarr.json").read_text())["shape"][0]
    assert own() == 0
    writer.close()
    assert own() == 3 and len(told) > 4


@pytest.mark.parametrize("ending", endings)
def test_times_after_a_restart_are_dropped_when_a_run_goes_back(tmp_path, ending):
    path = tmp_path / f"store{ending}"
    writer = output.create(path, coordinates(), variables(), sizes)
    fill(writer, 3)
    writer.truncate(1)
    assert writer.times.tolist() == [0.0]
    for name, field in fields(7).items():
        write_all(writer, name, 1, field)
    writer.extend(1, 43200.0)
    writer.close()
    with output.open(path) as dataset:
        assert dataset.sizes["time"] == 2
        np.testing.assert_array_equal(dataset.thetao[1].values, fields(7)["thetao"])


@pytest.mark.parametrize("ending", endings)
def test_many_times(tmp_path, ending, monkeypatch):
    import fathom.output.formats.zarr as module

    monkeypatch.setattr(module, "_times_per_chunk", 8)
    path = tmp_path / f"store{ending}"
    writer = output.create(
        path,
        {"y": (("y",), np.arange(2.0)), "x": (("x",), np.arange(3.0))},
        [output.VariableSpec("a", ("time", "y", "x"))],
    )
    count = module._times_per_chunk + 3 if ending == ".zarr" else 5
    for n in range(count):
        writer.extend(n, 10.0 * n)
    assert writer.times.tolist() == [10.0 * n for n in range(count)]
    writer.close()
    with output.open(path) as dataset:
        assert dataset.sizes["time"] == count


@pytest.mark.parametrize(
    "shape",
    [
        (300, 360, 40),
        (384, 320, 40),
        (2400, 3600, 62),
        (100, 116, 25),
        (300, 360, 1),
        (4320, 8640, 75),
        (3, 5, 200),
        (1, 4000, 1),
    ],
)
def test_chunks_follow_from_the_grid_and_cover_it_once(shape):
    rows, columns, levels = shape
    times, depth, tile_rows, tile_points = output.chunk_shape(rows, columns, levels)
    assert (
        times == 1
        and levels / depth <= -(-levels // 64)
        and depth * tile_rows * tile_points <= 1.1 * 2**22
    )
    if rows * columns * levels > 2**22:
        assert depth * tile_rows * tile_points >= 2**20
    covered = np.zeros((rows, columns), np.int8)
    for j0, j1, i0, i1 in output.regions(rows, columns, tile_rows, tile_points):
        covered[j0:j1, i0:i1] += 1
    assert (covered == 1).all()


@pytest.mark.parametrize("ending", endings)
def test_errors_say_what_is_wrong(tmp_path, ending):
    path = tmp_path / f"store{ending}"
    writer = output.create(path, coordinates(), variables())
    with pytest.raises(
        ValueError, match="unknown variable of store.*'tetao'; did you mean 'thetao'"
    ):
        writer.write("tetao", 0, (0, ny, 0, nx), np.zeros((ny, nx)))
    with pytest.raises(ValueError, match=r"has shape \(3, 4\); region .* needs \(50, 70\)"):
        writer.write("zos", 0, (0, ny, 0, nx), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="time index 3 .* it must be 0"):
        writer.extend(3, 0.0)
    with pytest.raises(ValueError, match="does not fit into int32"):
        writer.write("wet_levels", None, (0, ny, 0, nx), np.zeros((ny, nx)))
    writer.close()
    with pytest.raises(
        FileExistsError, match="exists; choose another name, or allow it to be replaced"
    ):
        output.create(path, coordinates(), variables())
    output.create(path, coordinates(), variables(), overwrite=True).close()
    with pytest.raises(ValueError, match="unknown compression 'zst'"):
        output.create(tmp_path / f"other{ending}", coordinates(), variables(), compression="zst")
    with pytest.raises(
        ValueError, match="no coordinate has dimension 'levels'; did you mean 'level'"
    ):
        output.create(
            tmp_path / f"other{ending}",
            coordinates(),
            [output.VariableSpec("a", ("time", "levels", "y", "x"))],
        )
    with pytest.raises(FileNotFoundError, match=f"did you mean 'store{ending}'"):
        output.open(tmp_path / f"stor{ending}")


def test_a_region_that_cuts_a_chunk_is_refused(tmp_path):
    writer = output.create(tmp_path / "store.zarr", coordinates(), variables(), sizes)
    with pytest.raises(ValueError, match="multiples of 20 rows and 30 points"):
        writer.write("zos", 0, (0, 10, 0, 30), np.zeros((10, 30)))


def test_unknown_ending_and_foreign_files(tmp_path):
    with pytest.raises(
        ValueError,
        match=(
            r"ends in \.zarr \(Zarr v3\), \.nc \(NetCDF-4\), \.grib2 \(GRIB2\), \.fa \(FA\), not in"
            r" '\.grib'"
        ),
    ):
        output.create(tmp_path / "a.grib", {}, [])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    os.rename(tmp_path / "mine", tmp_path / "mine.zarr")
    with pytest.raises(FileExistsError, match="not a Zarr store; it is not replaced"):
        output.create(tmp_path / "mine.zarr", coordinates(), variables(), overwrite=True)
    with pytest.raises(ValueError, match="not a Zarr store: it has no zarr.json"):
        output.open(tmp_path / "mine.zarr")
    (tmp_path / "a.nc").write_bytes(b"nothing")
    with pytest.raises(OSError, match="cannot be opened as NetCDF"):
        output.open(tmp_path / "a.nc")


def test_a_full_disk_is_named_and_earlier_times_stay(tmp_path, monkeypatch):
    import fathom.output.files as module

    path = tmp_path / "store.zarr"
    writer = output.create(path, coordinates(), variables(), sizes)
    fill(writer, 1)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "put", full)
    with pytest.raises(
        OSError,
        match="disk full while writing 'zos' .* MB free .* complete times before this one are kept",
    ) as caught:
        write_all(writer, "zos", 1, fields(1)["zos"])
    assert caught.value.errno == errno.ENOSPC
    with output.open(path) as dataset:
        assert dataset.sizes["time"] == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("ending", endings)
def test_a_folder_that_cannot_be_written_is_named(tmp_path, ending):
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(PermissionError, match="cannot write"):
        output.create(tmp_path / "locked" / f"a{ending}", coordinates(), variables())


def test_importing_is_light():
    """Root must not keep the first step waiting: no xarray, zarr or matplotlib."""
    program = (
        "import sys, fathom.output, fathom.output.formats.zarr, fathom.plots; print([m for m in"
        " ('xarray', 'zarr', 'matplotlib', 'pandas') if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


def test_names_find_fields_and_neighbours():
    assert names.get("temperature") is names.get("thetao")
    assert names.near("temprature", names.fields).startswith("; did you mean 'temperature'")
    assert names.near("xyzzy", names.fields) == ""
    assert len({row.alias for row in names.fields.values()}) == len(names.fields)
    with pytest.raises(ValueError, match="unknown field 'salt'"):
        names.get("salt")
    for row in names.fields.values():
        assert row.horizontal in (
            "center",
            "corner",
            "east_face",
            "north_face",
        ) and row.vertical in ("layer", "interface", "column")


@pytest.mark.parametrize(
    "plane, ending",
    [
        (False, ".nc"),
        (True, ".zarr"),
        pytest.param(False, ".zarr", marks=pytest.mark.long),
        pytest.param(True, ".nc", marks=pytest.mark.long),
    ],
)
def test_fields_by_name_get_their_place_and_coordinates(tmp_path, ending, plane):
    corner = np.meshgrid(np.arange(nx + 1) * 2.0, np.arange(ny + 1) * 1.0 - 30)
    middle = [0.25 * (c[1:, 1:] + c[:-1, 1:] + c[1:, :-1] + c[:-1, :-1]) for c in corner]
    words = ("x", "y") if plane else ("longitude", "latitude")
    grid = {
        "thickness": np.full(nz, 10.0),
        "area": np.ones((ny, nx)),
        "wet_levels": np.full((ny, nx), nz),
        **{f"corner_{word}": c for word, c in zip(words, corner)},
        **dict(zip(words, middle)),
    }
    chosen = ["temperature", "eastward_velocity", "vertical_velocity", "barotropic_stream_function"]
    held = [output.variable(name, grid, statistic="mean") for name in chosen]
    writer = output.create(
        tmp_path / f"a{ending}",
        output.coordinates(grid, held),
        held,
        time=output.TimeAxis(bounds=True),
    )
    for spec in held:
        shape = tuple(writer.sizes[dim] for dim in spec.dims[1:])
        write_all(writer, spec.name, 0, np.arange(np.prod(shape), dtype="float32").reshape(shape))
    writer.extend(0, 43200.0, (0.0, 86400.0))
    writer.close()
    with output.open(tmp_path / f"a{ending}") as dataset:
        assert dataset.thetao.dims == ("time", "depth", "y", "x") and dataset.uo.dims == (
            "time",
            "depth",
            "y_corner",
            "x_corner",
        )
        assert (
            dataset.wo.sizes["depth_interface"] == nz + 1
            and dataset.psi.attrs["cell_methods"] == "time: mean"
        )
        assert dataset.depth.values.tolist() == [5.0 + 10 * k for k in range(nz)]
        if plane:
            assert dataset.x.values[0] == 1.0 and dataset.x_corner.values[0] == 2.0
        else:
            assert (
                abs(dataset.longitude.values[0, 0] - 1.0) < 1e-12
                and dataset.uo.longitude_corner.values[0, 0] == 2.0
            )
            assert dataset.longitude_bounds.values[0, 0].tolist() == [0.0, 2.0, 2.0, 0.0]
        import fathom.plots as plots

        for name in chosen:
            plots.picture(dataset, name)


def test_longitudes_of_a_row_have_no_jump():
    corner = np.meshgrid(
        (np.arange(nx + 1) * 360 / nx + 75.0 + 180) % 360 - 180, np.linspace(-80, 80, ny + 1)
    )
    middle = np.meshgrid(
        ((np.arange(nx) + 0.5) * 360 / nx + 75.0 + 180) % 360 - 180, np.linspace(-79, 79, ny)
    )
    made = output.coordinates(
        dict(
            zip(
                ("corner_longitude", "corner_latitude", "longitude", "latitude"), (*corner, *middle)
            )
        ),
        [output.variable("uos")],
    )
    for name in ("longitude", "longitude_corner"):
        assert np.abs(np.diff(made[name][1], axis=1)).max() < 6
    assert np.abs(made["longitude_bounds"][1] - made["longitude"][1][..., None]).max() < 6
    assert np.abs((made["longitude"][1] - middle[0]) % 360).max() < 1e-9


@pytest.mark.parametrize("ending", [".zarr", ".nc", ".grib2", ".fa"])
def test_a_time_is_written_in_large_calls(tmp_path, ending):
    """Of a T85 grid: all numbers of a time in calls of at least 64 KiB, and at most two more for
    its metadata.
    """
    mapping = fm.GaussianGrid(85, levels=fm.HybridLevels("L8")).mapping()
    names_here = ["air_temperature", "eastward_wind", "surface_air_pressure"]
    chosen = [output.variable(name, mapping) for name in names_here]
    path = tmp_path / f"store{ending}"
    writer = output.create(path, output.coordinates(mapping, chosen), chosen)
    random, counts = np.random.default_rng(0), []
    shape = {spec.name: [writer.sizes[d] for d in spec.dims[1:-2]] for spec in chosen}
    for time in range(3):
        for name, levels in shape.items():
            for region in writer.regions(name):
                j0, j1, i0, i1 = region
                values = random.normal(280, 10, (*levels, j1 - j0, i1 - i0)).astype("float32")
                writer.write(name, time, region, values)
        writer.extend(time, 3600.0 * time)
        counts.append(files.merged([writer.writes.counts]))
    writer.close()
    added = {
        size: [b - a for a, b in zip(counts[1].get(size, (0, 0)), held)]
        for size, held in counts[2].items()
    }
    large, small = (
        [sum(part) for part in zip((0, 0), *(n for s, n in added.items() if (s >= 16) == is_large))]
        for is_large in (True, False)
    )
    assert large[0] > 0 and large[1] > 1e6
    assert small[0] <= 2 and small[1] < 0.02 * large[1]


def test_a_zonal_mean_in_fa_is_refused_in_words(tmp_path):
    model = fm.SpectralAtmosphere(fm.GaussianGrid(10, levels=fm.HybridLevels("L8")))
    one = fm.Simulation(model, time_step="20m", directory=tmp_path)
    one.output("z.fa", ["air_temperature"], "20m", zonal=True)
    with pytest.raises(ValueError, match="no place for zonal means"):
        one.run("20m", report=False)


@pytest.mark.parametrize("ending", [".grib2", ".fa"])
def test_no_small_write_of_a_coarse_grid(tmp_path, ending):
    """Formats that hold all variables of a time in one file, of T21: only 64 KiB and more."""
    mapping = fm.GaussianGrid(21, levels=fm.HybridLevels("L19")).mapping()
    names_here = ["air_temperature", "eastward_wind", "surface_air_pressure"]
    chosen = [output.variable(name, mapping) for name in names_here]
    path = tmp_path / f"store{ending}"
    writer = output.create(path, output.coordinates(mapping, chosen), chosen)
    random = np.random.default_rng(0)
    for time in range(2):
        for name in ("ta", "ua", "ps"):
            levels = [writer.sizes[d] for d in writer.variables[name].dims[1:-2]]
            for j0, j1, i0, i1 in writer.regions(name):
                values = random.normal(280, 10, (*levels, j1 - j0, i1 - i0)).astype("float32")
                writer.write(name, time, (j0, j1, i0, i1), values)
        writer.extend(time, 3600.0 * time)
    writer.close()
    counts = dict(writer.writes.counts)
    assert counts.pop(files.metadata)[0] == 1  # the metadata
    assert min(counts) >= 16


@pytest.mark.parametrize("compression", ["lz4", "zstd", "none"])
def test_no_small_write_but_metadata(tmp_path, compression):
    """Fields of 64 KiB and more, the surface's too, however well they would be compressed."""
    mapping = fm.GaussianGrid(85, levels=fm.HybridLevels("L8")).mapping()
    names_here = ["air_temperature", "surface_air_pressure"]
    chosen = [output.variable(name, mapping) for name in names_here]
    path = tmp_path / "store.zarr"
    writer = output.create(
        path, output.coordinates(mapping, chosen), chosen, compression=compression
    )
    for time in range(3):
        for name in writer.variables.keys() & {"ta", "ps"}:
            levels = [writer.sizes[d] for d in writer.variables[name].dims[1:-2]]
            for j0, j1, i0, i1 in writer.regions(name):
                smooth = np.broadcast_to(np.arange(i0, i1) // 16, (*levels, j1 - j0, i1 - i0))
                writer.write(name, time, (j0, j1, i0, i1), 1e5 + smooth.astype("float32"))
        writer.extend(time, 3600.0 * time)
    writer.close()
    counts = dict(writer.writes.counts)
    assert counts.pop(files.metadata)[0] > 6
    assert "ps" in writer.variables and (compression != "none" or min(counts) >= 16)
    of_surface = [file.stat().st_size for file in (path / "ps").glob("c.*")]
    assert len(of_surface) == 3 and min(of_surface) >= 1 << 16
    with output.open(path) as data:
        assert float(data.ps[2, 3, 40]) == 1e5 + 2
