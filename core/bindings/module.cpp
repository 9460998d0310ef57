#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_base(nb::module_&);
void bind_regions(nb::module_&);
void bind_grid(nb::module_&);
void bind_parallel(nb::module_&);
void bind_solver(nb::module_&);
void bind_field(nb::module_&);
void bind_transform(nb::module_&);
void bind_model(nb::module_&);
void bind_drifters(nb::module_&);
void bind_output(nb::module_&);
void bind_atmosphere(nb::module_&);

NB_MODULE(_core, m) {
    bind_base(m);
    bind_regions(m);
    bind_grid(m);
    bind_parallel(m);
    bind_solver(m);
    bind_field(m);
    bind_transform(m);
    bind_model(m);
    bind_drifters(m);
    bind_output(m);
    bind_atmosphere(m);
}
