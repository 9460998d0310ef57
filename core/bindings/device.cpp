/// Devices for Python.
#include "machine/device.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include "machine/limits.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

void bind_device(nb::module_& m) {
    nb::class_<Device>(m, "Device", "A device other than the processor, on which models run.")
        .def_prop_ro("name", &Device::name)
        .def_prop_ro("free_memory", &Device::free_memory, "bytes")
        .def_ro("travelled", &Device::travelled, "bytes copied to it and from it")
        .def_prop_ro("cache", &Device::cache, "bytes, between its memory and all that computes")
        .def(
            "copy_bandwidth",
            [](Device& device, std::size_t bytes, int repetitions) {
                nb::gil_scoped_release nogil;
                return copy_bandwidth(device.shared_from_this(), bytes, repetitions);
            },
            "bytes"_a = std::size_t(1) << 30, "repetitions"_a = 20,
            "bytes per second of the copy within it, what is read and what is written")
        .def("wait", &Device::wait, "until all that was asked for is done");
    m.def("processor_device", &processor_as_device,
          "the processor in the part of a device: the same kernels, memory that is apart");
    m.def("load_device", &load_device, "library"_a, "number"_a = 0,
          "the device of a library that fathom.model.device has made");
}
