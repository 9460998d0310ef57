"""The library for a GPU: what is said where something is missing, and that it loads. Neither needs
a GPU; the second a CUDA compiler (pip install '.[cuda]').
"""

import ctypes

import pytest

import fathom as fm
from fathom.base import mpi
from fathom.base.cache import folder
from fathom.model import device

lacking = device.compiler_missing()
needs_compiler = pytest.mark.skipif(bool(lacking), reason=lacking)


class Driver:
    """As libcuda.so.1 answers: with a failure at first, or a device of that capability."""

    def __init__(self, failure=0, major=9, minor=0):
        self.failure, self.capability = failure, {75: major, 76: minor}

    def cuInit(self, flags):
        return self.failure

    def cuDeviceGet(self, device, number):
        return 0

    def cuDeviceGetAttribute(self, value, attribute, device):
        value._obj.value = self.capability[attribute]
        return 0

    def cuGetErrorString(self, failure, text):
        text._obj.value = b"no CUDA-capable device is detected"
        return 0


@pytest.fixture
def driver(monkeypatch):
    """driver(Driver(...)): that is the machine's; driver(None): it has none."""

    usual = ctypes.CDLL

    def put(given):
        def load(name, *more, **others):
            if name != "libcuda.so.1":
                return usual(name, *more, **others)
            if given is None:
                raise OSError(name)
            return given

        monkeypatch.setattr(ctypes, "CDLL", load)

    return put


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))


def test_no_driver(driver):
    driver(None)
    assert device.missing() == "no GPU: there is no NVIDIA driver here (libcuda.so.1)"


def test_no_device(driver):
    driver(Driver(failure=100))
    said = "no GPU: the NVIDIA driver says 'no CUDA-capable device is detected'"
    assert device.missing() == said
    with pytest.raises(ValueError, match=said) as error:
        device.open("cuda")
    assert "\n" not in str(error.value)


def test_no_compiler(driver, monkeypatch, empty_cache):
    driver(Driver())
    monkeypatch.setenv("NVCC", "no-such-compiler")
    said = f"no CUDA compiler 'no-such-compiler' (NVCC): {device.install}"
    assert device.missing() == said
    with pytest.raises(OSError, match="no CUDA compiler"):
        device.library("sm_90")


def test_a_part_of_the_compiler_is_missing(driver, monkeypatch, empty_cache, tmp_path):
    driver(Driver())
    nvcc = tmp_path / "nvidia" / "cu13" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.touch(mode=0o755)
    monkeypatch.setenv("NVCC", str(nvcc))
    package, *others = device.parts
    for other in others:
        file = nvcc.parent.parent / device.parts[other]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert f"lacks {package}: pip install nvidia-cuda-nvcc" in device.missing()


def test_what_is_compiled_needs_no_compiler(driver, monkeypatch, empty_cache):
    """Where compute nodes have none: the library of these sources, for this architecture."""
    driver(Driver(major=8, minor=6))
    monkeypatch.setenv("NVCC", "no-such-compiler")
    kept = device._stem("sm_86").with_name(device._stem("sm_86").name + "-compiler.so")
    kept.parent.mkdir(parents=True)
    kept.touch()
    assert device.library() == kept and device.missing() == ""
    driver(Driver())
    assert "no CUDA compiler" in device.missing()


def test_a_run_says_what_is_missing(driver):
    driver(None)
    ocean = fm.Ocean(fm.TripolarGrid(resolution="3deg"))
    run = fm.Simulation(ocean, time_step="1h", parallel={"device": "cuda"})
    with pytest.raises(ValueError, match="device 'cuda': no GPU: there is no NVIDIA driver"):
        run.prepare()


def test_the_processor_is_a_device():
    processor = device.open("processor")
    assert processor.name == "processor" and processor.free_memory > 0


def test_what_is_no_library_is_refused(tmp_path):
    file = tmp_path / "device.so"
    file.write_text("no library")
    with pytest.raises(ValueError, match="cannot be loaded"):
        mpi.core.load_device(str(file))


def test_sources_are_installed():
    names = [file.name for file in device.sources()]
    assert names.count("schemes.cpp") > 10
    assert {"catalogue.cpp", "machine.cpp"} < set(names)


host_call = """
#include "machine/launch.hpp"
template <class T> struct Twice {
    T* to;
    void operator()(std::size_t n) const { to[n] *= 2; }
};
void twice(double* to) { fathom::launch::each(8, Twice<double>{to}); }
"""


@needs_compiler
def test_code_that_is_not_for_a_device_is_refused(tmp_path):
    """constexpr was forgotten."""
    file = tmp_path / "twice.cpp"
    file.write_text(host_call)
    with pytest.raises(ValueError, match=r"twice\.cpp does not compile[^?]*Twice"):
        device.Library("sm_90").compiled(file, tmp_path / "twice.o")


@needs_compiler
@pytest.mark.timeout(1800)
def test_it_is_compiled_once_and_loads():
    made = device.library("sm_90")
    written = made.stat().st_mtime_ns
    assert made.parent == folder("device")
    assert device.library("sm_90").stat().st_mtime_ns == written
    if not device.missing():
        assert device.open("cuda").name
        return
    with pytest.raises(ValueError, match="no device: .*") as error:
        mpi.core.load_device(str(made))
    assert "\n" not in str(error.value)
