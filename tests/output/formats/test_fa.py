"""FA and LFI: what is written is what is read, bit for bit, in any order; Météo-France's own
library agrees where it is installed; damage is named.
"""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

import fathom as fm
from fathom import output
from fathom.grids.regrid.projections import touching
from fathom.grids.regrid.schmidt import Schmidt
from fathom.output import files
from fathom.output.formats import fa, fa_waves, lfi
from whole_time_stores import create, fields, fill, grid

names = ("air_temperature", "relative_humidity", "eastward_wind_10m", "precipitation_flux")
create, fill = partial(create, chosen=names), partial(fill, every=5400.0)


# ---- LFI -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 255, 256, 1600])
def test_articles_are_read_in_any_order(tmp_path, count):
    random = np.random.default_rng(count)
    given = {
        f"ARTICLE {n}": (
            random.integers(-(2**62), 2**62, 1 + n % 700)
            if n % 2
            else random.standard_normal(1 + n % 700)
        )
        for n in range(count)
    }
    writes = files.Writes()
    lfi.write(
        tmp_path / "a", {name: [values[:3], values[3:]] for name, values in given.items()}, writes
    )
    held = lfi.Articles(tmp_path / "a")
    assert list(held) == list(given) and len(held) == count
    for name in random.permutation(list(given)):
        assert (
            held[name].view(given[name].dtype).tobytes() == given[name].tobytes()
            and (held.beginning(name, 2) == held[name][:2]).all()
            and held.size(name) == given[name].size
        )
    assert (
        sum(size for _, size in writes.counts.values()) == (tmp_path / "a").stat().st_size
        and files.share_of_large(writes.counts) > 0.99
    ) or count < 1600


def test_the_size_of_a_buffer_is_that_of_calls(tmp_path, monkeypatch):
    """All calls but the last one are as long as the user says, and the bytes stay."""
    words, contents = np.arange(50_000), set()
    for given, size in (("64KiB", 1 << 16), ("131072", 1 << 17), ("", 1 << 20)):
        monkeypatch.setenv("FATHOM_BUFFER", given)
        writes = files.Writes()
        lfi.write(tmp_path / "a.lfi", {"A": [words]}, writes)
        contents.add((tmp_path / "a.lfi").read_bytes())
        whole = len(next(iter(contents)))
        calls, written = map(sum, zip(*writes.counts.values()))
        assert written == whole and calls == -(-whole // size)
    assert len(contents) == 1
    monkeypatch.setenv("FATHOM_BUFFER", "4 kB")
    with pytest.raises(ValueError, match=r"FATHOM_BUFFER = '4 kB' must be a size from 64KiB"):
        files.buffer()


def test_names_that_lfi_cannot_hold(tmp_path):
    for name in ("", "SEVENTEEN LETTERS", " BLANK", "ÉTÉ"):
        with pytest.raises(ValueError, match="1 to 16 letters"):
            lfi.write(tmp_path / "a", {name: [np.arange(3)]}, files.Writes())
    lfi.write(tmp_path / "a", {"S001TEMPERATURE": [np.arange(3)]}, files.Writes())
    with pytest.raises(fm.Error, match="did you mean 'S001TEMPERATURE'"):
        lfi.Articles(tmp_path / "a")["S002TEMPERATURE"]


def test_damage_of_a_file_is_named(tmp_path):
    path = tmp_path / "a"
    lfi.write(path, {f"A{n}": [np.arange(2000)] for n in range(3)}, files.Writes())
    good = path.read_bytes()
    open_still = bytearray(good)
    open_still[23] = 1
    for content, message in (
        (good[:-20000], "truncated: article A1 ends at byte"),
        (good[:5000], "truncated: it ends at byte 5000"),
        (bytes(open_still), "its writer did not finish"),
    ):
        path.write_bytes(content)
        with pytest.raises(OSError, match=message):
            lfi.Articles(path)
    for content in (b"", b"short", b"GRIB" * 100, b"\0" * 10000):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not LFI or FA"):
            lfi.Articles(path)


# ---- FA ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("levels", [None, [100000.0, 85000.0, 1250.0]])
def test_a_store_is_that_of_zarr(tmp_path, mean, levels):
    writer = fill(create(tmp_path / "a.fa", "mean" if mean else None, levels), 3, mean)
    zarr = fill(create(tmp_path / "a.zarr", "mean" if mean else None, levels), 3, mean)
    with output.open(tmp_path / "a.fa") as a, output.open(tmp_path / "a.zarr") as b:
        assert set(b.variables) - set(a.variables) == {"areacello"} and dict(a.sizes) == dict(
            b.sizes
        )
        for name in a.variables:
            assert (
                a[name].dims == b[name].dims
                and a[name].dtype == b[name].dtype
                and a[name].values.tobytes() == b[name].values.tobytes()
            ), name
            assert name not in b.coords or a[name].attrs == b[name].attrs
        np.testing.assert_array_equal(
            a.ta.isel(time=1, latitude=3, longitude=slice(2, 9, 3)).values,
            a.ta.values[1, :, 3, 2:9:3],
        )
        np.testing.assert_array_equal(
            a.ta.isel(time=-1, longitude=5, latitude=[4, 2])[1].values,
            a.ta.values[-1, 1][[4, 2], 5],
        )
    assert zarr.times.tolist() == writer.times.tolist()
    assert sorted(file.name for file in writer.path.iterdir()) == (
        ["+0001-30.fa", "+0003.fa", "+0004-30.fa"]
        if mean
        else ["+0000.fa", "+0001-30.fa", "+0003.fa"]
    ) + ["frame.fa"]


def test_packed_by_grib(tmp_path):
    pytest.importorskip("eccodes")
    chosen = names[:3]
    fill(create(tmp_path / "a.fa", chosen=chosen), 2)
    packed = fill(create(tmp_path / "b.fa", chosen=chosen, compression="ccsds"), 2)
    with (
        output.open(tmp_path / "a.fa") as a,
        output.open(tmp_path / "b.fa") as b,
        output.open(tmp_path / "b.fa" / "+0001-30.fa") as file,
    ):
        for name in packed.variables:
            assert (
                np.abs(a[name].values - b[name].values.astype(float)).max()
                <= np.ptp(a[name].values) * 2.0**-24 + 2.0**-15
            )
        np.testing.assert_allclose(file.ta.values, b.ta.values[1:], rtol=1e-6)


def test_one_file_of_a_store_stands_for_itself(tmp_path):
    given = fields(fill(create(tmp_path / "a.fa"), 2), 1)
    with (
        output.open(tmp_path / "a.fa" / "+0001-30.fa") as file,
        output.open(tmp_path / "a.fa") as store,
    ):
        assert (
            file.time.values == store.time.values[1:]
            and file.ta.dims == ("time", "level", "latitude", "longitude")
            and file.uas.attrs["fa_name"] == "CLSVENT.ZONAL"
        )
        for name in given:
            np.testing.assert_array_equal(file[name].values[0], given[name].astype("float32"))
        np.testing.assert_allclose(file.latitude, store.latitude, atol=1e-12)
        np.testing.assert_allclose(file.ap, grid.levels.a, atol=1e-9)


def test_latitudes_and_longitudes(tmp_path):
    even = {
        "latitude": (("latitude",), np.linspace(-80, 80, 17)),
        "longitude": (("longitude",), np.arange(36) * 10.0),
    }
    writer = output.create(
        tmp_path / "a.fa", even, [output.VariableSpec("tas", ("time", "latitude", "longitude"))]
    )
    field = np.random.default_rng(0).standard_normal((17, 36)).astype("float32")
    field[3, 4] = np.nan  # missing values stay missing
    writer.write("tas", 0, (0, 17, 0, 36), field)
    writer.extend(0, 0.0)
    for path in (tmp_path / "a.fa", tmp_path / "a.fa" / "+0000.fa"):
        with output.open(path) as found:
            np.testing.assert_array_equal(found.tas.values[0], field)
            np.testing.assert_allclose(found.longitude, even["longitude"][1])


def test_times_are_whole_or_not_there(tmp_path):
    path = tmp_path / "a.fa"
    content = lambda: {file.name: file.read_bytes() for file in path.iterdir()}
    fill(create(path), 3)
    whole = content()
    (path / "+0003.fa").rename(path / "+0003.fa.partial")  # as if killed before the rename
    writer = output.append(path)
    assert writer.times.tolist() == [0.0, 5400.0]
    fill(writer, 3)
    assert content() == whole
    writer.truncate(1)
    assert output.open(path).sizes["time"] == 1
    fill(output.append(path), 3)
    assert content() == whole


def test_what_fa_cannot_hold_is_named(tmp_path):
    flat = {"longitude": (("y", "x"), np.zeros((2, 3))), "latitude": (("y", "x"), np.zeros((2, 3)))}
    with pytest.raises(ValueError, match="FA holds fields on rows of latitude and longitude"):
        output.create(tmp_path / "a.fa", flat, [output.VariableSpec("tos", ("time", "y", "x"))])
    with pytest.raises(
        ValueError, match="two fields would have the name P85000HUMI_RELAT, P85000TEMPERATUR"
    ):
        create(tmp_path / "a.fa", levels=[85000.0, 85000.2])
    with pytest.raises(FileExistsError):
        create(fill(create(tmp_path / "b.fa"), 1).path)
    writer = fill(create(tmp_path / "b.fa", overwrite=True), 0)
    with pytest.raises(ValueError, match="cannot follow 0 complete times"):
        writer.write("ta", 1, next(writer.regions("ta")), np.zeros((4, *grid.shape[1:])))
    with pytest.raises(ValueError, match="not whole: ta, hur, uas, pr missing"):
        writer.extend(0, 0.0)
    for region, field in (
        (next(writer.regions(name)), (name, field)) for name, field in fields(writer, 0).items()
    ):
        writer.write(field[0], 0, region, field[1])
    with pytest.raises(ValueError, match="whole seconds"):
        writer.extend(0, 0.5)
    lfi.write(tmp_path / "c.fa", {"A": [np.arange(3)]}, files.Writes())
    with pytest.raises(ValueError, match="is LFI but not FA: it has no article CADRE-DIMENSIONS"):
        output.open(tmp_path / "c.fa")
    (tmp_path / "d.fa").mkdir()
    with pytest.raises(ValueError, match="it has no frame.fa"):
        output.open(tmp_path / "d.fa")


def test_a_stretched_and_rotated_frame_is_read(tmp_path):
    pole, stretching, points = (2.5, 46.5), 2.4, np.array([20, 24, 30, 32])
    sines = np.polynomial.legendre.leggauss(8)[0][:3:-1]
    sphere = np.array(
        [
            np.sin(np.deg2rad(pole[1])),
            np.cos(np.deg2rad(pole[0])),
            np.sin(np.deg2rad(pole[0])),
            stretching,
        ]
    )
    frame = fa.Frame(
        np.array([7, 8, 32, 1, 2]),
        sphere,
        np.concatenate([points, np.minimum(points // 4, 7)]),
        sines,
        np.array([101325.0, 0, 0, 0, 1]),
    )
    rows = np.concatenate([points, points[::-1]])
    lfi.write(
        tmp_path / "a.fa",
        frame.articles | {"SURFTEMPERATURE": [fa._plain, np.arange(float(rows.sum()))]},
        files.Writes(),
    )
    with output.open(tmp_path / "a.fa") as found:
        assert (
            found.ts.dims == ("time", "point")
            and (found.ts.values[0] == np.arange(rows.sum())).all()
        )
        there = Schmidt(stretching, pole).from_earth(found.longitude.values, found.latitude.values)
        np.testing.assert_allclose(
            there[1],
            np.repeat(np.rad2deg(np.arcsin(np.append(sines, -sines[::-1]))), rows),
            atol=1e-9,
        )
        first = np.append(0, np.cumsum(rows)[:3])
        np.testing.assert_allclose(
            (found.longitude.values[first] - pole[0] + 90) % 180 - 90, 0, atol=1e-9
        )  # rows begin north of it, and go west
        assert found.latitude.values[0] > pole[1] and found.longitude.values[1] < pole[0]
        distance = np.hypot(
            found.latitude - pole[1], (found.longitude - pole[0]) * np.cos(np.deg2rad(pole[1]))
        )
        assert (
            int(distance.values.argmin()) < 20
        )  # the first row lies around the pole of stretching


@pytest.mark.parametrize("touched", [46.7, 90.0, 0.0, -60.0])
def test_a_limited_area_on_a_map_has_places_on_earth(tmp_path, touched):
    """ALADIN's frame: sine and place of the map, its centre, steps, extent, corners of C + I."""
    (nx, ny), (NX, NY), step = (30, 24), (45, 36), 10e3
    plane = touching(2.0, touched, 6371229.0)
    x0, y0 = plane.from_earth(4.0, np.clip(touched, -70, 75))
    x, y = np.meshgrid(x0 + step * np.arange(NX), y0 + step * np.arange(NY))
    places = np.stack(plane.to_earth(x, y))
    corners = np.deg2rad([*places[:, 0, 0], *places[:, ny - 1, nx - 1]])
    head = [-1, np.sin(np.deg2rad(touched)), *np.deg2rad([2.0, touched]), 0.1, 0.2]
    head += [step, step, step * (NX - 1), step * (NY - 1), 1e-5, 1e-5]
    for name, shift in (("a.fa", 0.0), ("moved.fa", 0.01)):
        frame = fa.Frame(
            np.array([11, NY, NX, 1, -11]),
            np.zeros(4),
            np.concatenate([[10, 1, 1, nx, 1, ny, 8, 8, 11, 11], np.zeros(24, int)]),
            np.array([*head, *np.add(corners, [0, 0, 0, shift]), 0, 0]),
            np.array([101325.0, 0, 0, 0, 1]),
        )
        lfi.write(
            tmp_path / name,
            frame.articles | {"SURFTEMPERATURE": [fa._plain, np.arange(float(NX * NY))]},
            files.Writes(),
        )
    with output.open(tmp_path / "a.fa") as found:
        assert found.ts.dims == ("time", "y", "x") and found.x.values[1] == step
        off = (found.longitude.values - places[0] + 180) % 360 - 180
        np.testing.assert_allclose(off, 0, atol=1e-9)
        np.testing.assert_allclose(found.latitude.values, places[1], atol=1e-9)
    with output.open(tmp_path / "moved.fa") as found:  # contradictory corners: only metres
        assert "longitude" not in found.variables and found.y.values[1] == step


@pytest.mark.parametrize("points, truncation", [("linear", 31), ("quadratic", 21), ("cubic", 15)])
def test_the_frame_says_the_truncation_of_the_grid(tmp_path, points, truncation):
    made = fm.GaussianGrid(truncation, grid=points, levels=fm.HybridLevels("L19"))
    mapping = made.mapping()
    variables = [output.variable("air_temperature", mapping)]
    output.create(tmp_path / "a.fa", output.coordinates(mapping, variables), variables).close()
    frame = fa.Frame.of(lfi.Articles(tmp_path / "a.fa" / "frame.fa"))
    assert frame.dimensions[:3].tolist() == [truncation, *made.shape[1:]]
    assert frame.rows[made.shape[1] // 2 :].tolist() == [truncation] * (made.shape[1] // 2)


# ---- Météo-France's own library, in a separate process: it contains another eccodes --------------


def theirs(script, *arguments):
    pytest.importorskip("ctypesForFortran")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\nimport numpy as np\nfrom falfilfa4py import FA\n" + script,
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


_reads = """
path, given, ny, nx = sys.argv[1], np.load(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
unit = FA.wfaitou(path, "OLD", "READ")
for k in range(4):
    found = FA.wfacile(ny * nx, unit, "S", k + 1, "TEMPERATURE", False).reshape(ny, nx)[::-1]
    np.testing.assert_allclose(found, given[k], rtol=1e-6)
date = FA.wfadiex(unit)
assert date[:7].tolist() == [2001, 2, 27, 6, 0, 1, 1] and date[14] == 5400, date
found = FA.wfacies(2000, 4000, 2000, 200, "READ")
assert (found[0], found[5], found[6], found[7]) == (1, 10, ny, nx), found
"""

_writes = """
path, given, packing = sys.argv[1], np.load(sys.argv[2]), int(sys.argv[3])
ny, nx = given.shape[1:]
half = np.full(ny // 2, 1, np.int64)
sines = np.polynomial.legendre.leggauss(ny)[0][: ny // 2 - 1 : -1].copy()
rows = ny // 2, nx * half, ny // 2, 12 * half, ny // 2, sines
A, B = np.array([0.0, 0.1, 0.05, 0.0]), np.array([0.0, 0.1, 0.5, 1.0])
FA.wfacade("WRITE", 1, 1.0, 1.0, 0.0, 1.0, 12, ny, nx, *rows, 3, 101325.0, A, B, False)
unit = FA.wfaitou(path, "NEW", "WRITE")
FA.wfautif(unit, "MODEL")
FA.wfandar(unit, np.array([2001, 2, 27, 6, 0, 1, 12, 0, 10, 0, 0]))
FA.wfagote(unit, packing, 16, 16, 0, 0, 0)
for k in range(3):
    FA.wfaieno(unit, "S", k + 1, "TEMPERATURE", ny * nx, given[k].ravel(), False, False, 0.0)
FA.wfairme(unit, "KEEP")
"""


@pytest.mark.parametrize("compression", ["none", "simple"])
def test_their_library_reads_ours(tmp_path, compression):
    given = fields(fill(create(tmp_path / "a.fa", chosen=names[:3], compression=compression), 2), 1)
    np.save(tmp_path / "given.npy", given["ta"])
    theirs(_reads, tmp_path / "a.fa" / "+0001-30.fa", tmp_path / "given.npy", *grid.shape[1:])


_rotated = """
path, given = sys.argv[1], np.load(sys.argv[2])
unit = FA.wfaitou(path, "OLD", "READ")
ny, nx = given.shape[1:]
for k in range(4):
    found = FA.wfacile(ny * nx, unit, "S", k + 1, "TEMPERATURE", False).reshape(ny, nx)[::-1]
    np.testing.assert_array_equal(found, given[k])
found = FA.wfacies(2000, 4000, 2000, 200, "READ")
assert (found[0], found[5], found[6], found[7]) == (2, 10, ny, nx), found
x, y = np.deg2rad([2.6, 46.5])
np.testing.assert_allclose(found[1:5], [np.sin(y), np.cos(x), np.sin(x), 2.4], rtol=1e-12)
"""


def test_their_library_reads_our_stretched_and_rotated_frame(tmp_path):
    made = fm.GaussianGrid(10, stretching=2.4, pole=(2.6, 46.5), levels=fm.HybridLevels(4))
    mapping = made.mapping()
    variables = [output.variable("air_temperature", mapping, dtype="float64")]
    writer = output.create(tmp_path / "a.fa", output.coordinates(mapping, variables), variables)
    given = np.random.default_rng(0).normal(280, 10, (4, *made.shape[1:]))
    (region,) = writer.regions("ta")
    writer.write("ta", 0, region, given)
    writer.extend(0, 0.0)
    np.save(tmp_path / "given.npy", given)
    theirs(_rotated, tmp_path / "a.fa" / "+0000.fa", tmp_path / "given.npy")


@pytest.mark.parametrize("packing", [0, 2, 120])
def test_ours_reads_theirs(tmp_path, packing):
    given = np.random.default_rng(0).normal(280, 10, (3, 20, 40))
    np.save(tmp_path / "given.npy", given)
    theirs(_writes, tmp_path / "a.fa", tmp_path / "given.npy", packing)
    with output.open(tmp_path / "a.fa") as found:
        assert found.time.values[0] == np.datetime64("2001-02-27T18:00")
        error = np.abs(found.ta.values[0, :, ::-1] - given).max()
        assert error == 0 if packing == 0 else error < 80 / 2**16


# ---- waves ---------------------------------------------------------------------------------------


def waves_of(truncation):
    return np.random.default_rng(5).normal(size=(truncation + 1) ** 2)


@pytest.mark.parametrize("points", ["full", "reduced"])
def test_waves_are_those_of_ectrans(monkeypatch, points):
    """The order of a file, and rows of fewer points near the poles."""
    monkeypatch.setenv("DR_HOOK_NOT_MPI", "1")
    ectrans = pytest.importorskip("ectrans4py")
    truncation, rows, longest = 15, 24, 48
    half = np.array([20, 24, 30, 36, 40, *[48] * 7]) if points == "reduced" else np.full(12, 48)
    row = np.concatenate([half, half[::-1]]).astype(np.int64)
    numbers = waves_of(truncation)
    padded = np.append(numbers, np.zeros((truncation + 1) * (truncation + 2) - numbers.size))
    theirs = ectrans.sp2gp_gauss4py(
        *(rows, truncation, 10, int(row.sum()), rows, row, padded.size, False, True, padded)
    )[0]
    frame = fa.Frame(
        np.array([truncation, rows, longest, 1, 1]),
        np.array([1.0, 1.0, 0.0, 1.0]),
        np.concatenate([half, np.full(12, truncation)]),
        np.zeros(12),
        np.zeros(5),
    )
    ours = fa_waves.to_points(frame, numbers)
    near = slice(row[:4].sum(), -row[:4].sum()) if points == "reduced" else slice(None)
    np.testing.assert_allclose(ours[near], theirs[near], atol=1e-12)  # short rows at poles differ
    if points == "full":
        field = ours.reshape(1, rows, longest)[:, ::-1]
        np.testing.assert_allclose(fa_waves.to_waves(frame, field)[0], numbers, atol=1e-12)


def test_waves_of_a_plane_are_those_of_ectrans(monkeypatch):
    monkeypatch.setenv("DR_HOOK_NOT_MPI", "1")
    ectrans = pytest.importorskip("ectrans4py")
    nx, ny, M, N = 24, 20, 8, 6
    domain, spacing = (nx, ny, nx, ny, M, N, 1), (1.0, 1.0)
    frame = fa.Frame(np.array([N, ny, nx, 1, -M]), *(np.zeros(1),) * 4)
    size = ectrans.etrans_inq4py(*domain, *spacing)[1]
    assert fa_waves.size(frame) == size
    numbers = np.random.default_rng(6).normal(size=size)
    theirs = ectrans.sp2gp_lam4py(*domain, size, False, True, *spacing, numbers)[0]
    np.testing.assert_allclose(fa_waves.to_points(frame, numbers), theirs, atol=1e-12)


def test_a_store_in_waves(tmp_path):
    """Smooth fields as waves, others at points; a field of the truncation comes back."""
    made = fm.GaussianGrid(21, levels=fm.HybridLevels("L19"))
    mapping = made.mapping()
    variables = [
        output.variable(name, mapping, dtype="float64")
        for name in ("air_temperature", "specific_humidity")
    ]
    places = output.coordinates(mapping, variables)
    even = np.linspace(-80, 80, 9), np.arange(0, 360, 20.0)
    frame = fa.Frame.on(*even, np.zeros(2), np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="waves are those of a Gaussian grid"):
        fa._check_compression("waves", frame)
    writer = output.create(tmp_path / "a.fa", places, variables, compression="waves")
    transform = fm.grids.transform.SphericalHarmonics(21)
    shape = (19, transform.waves)
    random = np.random.default_rng(7)
    noise = random.normal(size=shape) + 1j * random.normal(size=shape) * (transform.m > 0)
    given = 280 + transform.inverse(noise)
    for v in writer.variables:
        for region in writer.regions(v):
            writer.write(v, 0, region, given)
    writer.extend(0, 0.0)
    writer.close()
    file = lfi.Articles(tmp_path / "a.fa" / "+0000.fa")
    assert file["S001TEMPERATURE"][:2].tolist() == [0, 1]
    assert file["S001TEMPERATURE"].size == 2 + 22**2
    assert file["S001HUMI.SPECIFI"][:2].tolist() == [0, 0]
    for path in (tmp_path / "a.fa", file.path):
        with output.open(path) as found:
            np.testing.assert_allclose(found.ta.values[0], given, atol=1e-11)
            np.testing.assert_array_equal(found.hus.values[0], given)


_waves = """
path, given, packing = sys.argv[1], np.load(sys.argv[2]), int(sys.argv[3])
ny, nx, T = 24, 48, 15
half = np.full(ny // 2, 1, np.int64)
sines = np.polynomial.legendre.leggauss(ny)[0][: ny // 2 - 1 : -1].copy()
rows = ny // 2, nx * half, ny // 2, T * half, ny // 2, sines
A, B = np.array([0.0, 0.0]), np.array([0.0, 1.0])
FA.wfacade("WRITE", 1, 1.0, 1.0, 0.0, 1.0, T, ny, nx, *rows, 1, 101325.0, A, B, False)
unit = FA.wfaitou(path, "NEW", "WRITE")
FA.wfautif(unit, "MODEL")
FA.wfandar(unit, np.array([2001, 2, 27, 6, 0, 1, 12, 0, 10, 0, 0]))
FA.wfagote(unit, packing, 16, 24, 3, 0, 0)
FA.wfaienc(unit, "SURF", 1, "PRESSION", given.size, given, True)
FA.wfairme(unit, "KEEP")
"""


@pytest.mark.parametrize("packing", [-1, 0, 2])
def test_ours_reads_their_waves(tmp_path, packing):
    numbers = waves_of(15) / 100 + np.eye(1, 256)[0] * np.log(1e5)
    np.save(tmp_path / "given.npy", numbers)
    theirs(_waves, tmp_path / "a.fa", tmp_path / "given.npy", packing)
    frame = fa.Frame.of(lfi.Articles(tmp_path / "a.fa"))
    with output.open(tmp_path / "a.fa") as found:
        want = fa_waves.to_points(frame, numbers).reshape(24, 48)[::-1]
        assert found.log_surface_pressure.units == "1"
        near = 1e-12 if packing <= 0 else 1e-4
        np.testing.assert_allclose(found.log_surface_pressure.values[0], want, atol=near)


@pytest.mark.parametrize("sphere", [None, (2.0, (10.0, 50.0))])
def test_winds_from_stream_function_and_potential(tmp_path, sphere):
    """Flow round the earth's axis, which is the same on any sphere: psi = -U a sin(latitude)."""
    N, ny, nx, U, a = 31, 48, 96, 20.0, fa.RADIUS
    stretching, pole = sphere or (1.0, (0.0, 90.0))
    transform = fm.grids.transform.SphericalHarmonics(N, fm.grids.transform.gaussian_grid(N))
    places = Schmidt(stretching, pole).to_earth(
        # rows of a file begin towards the north pole
        np.broadcast_to((pole[0] + 180 if sphere else 0) + 360 * np.arange(nx) / nx, (ny, nx)),
        np.repeat(transform.latitude[:, None], nx, 1),
    )
    psi = -U * a * np.sin(np.deg2rad(places[1]))
    sines = np.sin(np.deg2rad(transform.latitude[: ny // 2 - 1 : -1]))
    x, y = np.deg2rad(pole)
    frame = fa.Frame(
        np.array([N, ny, nx, 1, 2 if sphere else 1]),
        np.array([np.sin(y), np.cos(x), np.sin(x), stretching]),
        np.repeat([nx, N], ny // 2),
        sines,
        np.array([101325.0, 0, 0, 0, 1]),
    )
    numbers = fa_waves.to_waves(frame, psi[None])[0]
    zero = np.zeros_like(numbers)
    lfi.write(
        tmp_path / "a.fa",
        frame.articles
        | {"S001FONC.COURANT": [fa._in_waves, numbers], "S001POT.VITESSE": [fa._in_waves, zero]},
        files.Writes(),
    )
    with output.open(tmp_path / "a.fa") as found:
        latitude = found.latitude.values
        cosine = np.cos(np.deg2rad(latitude if sphere else latitude[:, None] + np.zeros(nx)))
        np.testing.assert_allclose(found.ua.values[0, 0], U * cosine, atol=1e-3 * U)
        np.testing.assert_allclose(found.va.values[0, 0], 0, atol=1e-3 * U)
