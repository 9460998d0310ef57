#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_base(nb::module_&);
void bind_regions(nb::module_&);
void bind_grid(nb::module_&);
void bind_parallel(nb::module_&);
void bind_solver(nb::module_&);
void bind_field(nb::module_&);
void bind_transform(nb::module_&);
void bind_global_process(nb::module_&);
void bind_sequence(nb::module_&);
void bind_field_set(nb::module_&);
void bind_ocean(nb::module_&);
void bind_output(nb::module_&);
void bind_post(nb::module_&);
void bind_atmosphere(nb::module_&);
void bind_observation(nb::module_&);

NB_MODULE(_core, m) {
    // Where a script ends by an exception, its traceback holds objects until the very end.
    nb::set_leak_warnings(false);
    bind_base(m);
    bind_regions(m);
    bind_grid(m);
    bind_parallel(m);
    bind_solver(m);
    bind_field(m);
    bind_transform(m);
    bind_global_process(m);
    bind_sequence(m);
    bind_field_set(m);
    bind_ocean(m);
    bind_output(m);
    bind_post(m);
    bind_atmosphere(m);
    bind_observation(m);
}
