"""Stores that lie elsewhere open as those that lie here."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import xarray as xr

import box
import fathom as fm

fsspec = pytest.importorskip("fsspec")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A run, and the address of a server of its folder."""
    folder = tmp_path_factory.mktemp("served")
    box.write(folder)
    assert box.fathom("run", "box.toml", "--out", "run", "--no-report", folder=folder)[0] == 0
    fm.open(folder / "run" / "surface.zarr").to_netcdf(folder / "surface.nc")
    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{http.server_port}"
    http.shutdown()


@pytest.mark.parametrize("name", ["run/surface.zarr", "surface.nc"])
def test_by_http(server, name):
    pytest.importorskip("aiohttp")
    folder, address = server
    there, here = fm.open(f"{address}/{name}"), fm.open(folder / "run" / "surface.zarr")
    xr.testing.assert_equal(there.tos, here.tos)
    status, _, err = box.fathom("plot", f"{address}/{name}", "tos", "--out", "a.png", folder=folder)
    assert (status, err) == (0, "") and (folder / "a.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "address, told",
    [
        ("s3://bucket/run.zarr", "pip install fsspec s3fs"),
        ("nix://bucket/run.zarr", "nix"),
        ("http://127.0.0.1:9/run.nc", "cannot be read"),
    ],
)
def test_what_cannot_be_opened(address, told, tmp_path):
    if address.startswith("s3") and pytest.importorskip("importlib.util").find_spec("s3fs"):
        pytest.skip("s3fs is here")
    status, _, err = box.fathom("plot", address, "tos", folder=tmp_path)
    assert status in (1, 2) and told in err and err.count("\n") == 1
