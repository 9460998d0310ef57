/// Devices for Python (fathom/device.py). No logic.
#include "device/device.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

void bind_device(nb::module_& m) {
    nb::class_<Device>(m, "Device", "A machine beside the processor, with memory of its own")
        .def_prop_ro("name", &Device::name)
        .def_prop_ro("free_memory", &Device::free_memory, "bytes");
    m.def("processor_device", processor_as_device, "The processor in the part of a device");
    m.def("load_device", load_device, "library"_a,
          "The device of a library that nvcc has made. ValueError: there is none, or no device");
}
