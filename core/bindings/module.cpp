#include <nanobind/nanobind.h>
#include <cstdlib>
#include "base/error.hpp"
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace nb = nanobind;

void bind_base(nb::module_&);
void bind_regions(nb::module_&);
void bind_grid(nb::module_&);
void bind_parallel(nb::module_&);
void bind_solver(nb::module_&);
void bind_field(nb::module_&);
void bind_device(nb::module_&);
void bind_transform(nb::module_&);
void bind_global_process(nb::module_&);
void bind_sequence(nb::module_&);
void bind_field_set(nb::module_&);
void bind_ocean(nb::module_&);
void bind_output(nb::module_&);
void bind_post(nb::module_&);
void bind_atmosphere(nb::module_&);
void bind_radiation(nb::module_&);
void bind_stochastic(nb::module_&);
void bind_observation(nb::module_&);
void bind_performance(nb::module_&);

namespace {

/// Memory that an output event frees stays with the process for the next event. Pages returned to
/// the system would be cleared and mapped again, which takes a fifth of the time of an event.
void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

/// The core's Error is fathom.base.failure.InputError in Python, a ValueError.
void translate_errors() {
    nb::object kind = nb::module_::import_("fathom.base.failure").attr("InputError");
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* kind) {
            try {
                std::rethrow_exception(thrown);
            } catch (const fathom::Error& error) {
                PyErr_SetString(static_cast<PyObject*>(kind), error.what());
            }
        },
        kind.release().ptr());
}

}  // namespace

NB_MODULE(_core, m) {
    keep_freed_memory();
    translate_errors();
    // If a script ends with an exception, its traceback keeps objects until the process ends.
    nb::set_leak_warnings(false);
    bind_base(m);
    bind_regions(m);
    bind_grid(m);
    bind_parallel(m);
    bind_solver(m);
    bind_field(m);
    bind_device(m);
    bind_transform(m);
    bind_global_process(m);
    bind_sequence(m);
    bind_field_set(m);
    bind_ocean(m);
    bind_output(m);
    bind_post(m);
    bind_atmosphere(m);
    bind_radiation(m);
    bind_stochastic(m);
    bind_observation(m);
    bind_performance(m);
}
