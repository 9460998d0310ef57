#include "atmosphere/gridpoint/helmholtz.hpp"
#include "atmosphere/gridpoint/helmholtz_matrix.hpp"

namespace fathom::atmosphere {

namespace {

template <class F, class T> void put(Pack<F, cell_width<F>> numbers, T* to) {
    F lanes[cell_width<F>];
    numbers.store(lanes);
    for (int n = 0; n < cell_width<F>; ++n) to[n] = T(lanes[n]);
}

}  // namespace

gridpoint::HelmholtzParameters HelmholtzSolve::constants() const {
    const auto& p = parameters;
    return {p.implicitness * p.step, p.gravity, p.heat_capacity, p.gas_constant / p.heat_capacity};
}

/// The coefficients of neighbouring columns from i on.
template <class F, class T>
void HelmholtzSolve::columns(Given at, HelmholtzSolver<T>& to, int b, int row, int i) const {
    using Real = Pack<F, cell_width<F>>;
    const Domain& d = at.set.domain();
    const auto of = [&](Item item) -> gridpoint::AboutColumn<F> {
        const Field& f = at[item];
        return {(const F*)f.at[b] + (row + d.halo) * f.row[b] + i + d.halo, f.row[b], f.level[b]};
    };
    const auto& m = to.matrix;
    const HelmholtzBlock& block = to.layout.blocks[b];
    const gridpoint::AboutAir<F> air = of_air(of);
    const auto* damped = (const F*)at[damping].at[0];
    gridpoint::helmholtz_column<Real>(
        constants(), air, damped, d.levels, [&](int k, const auto& c) {
            const std::ptrdiff_t n = block.place(row, k, i);
            put<F>(c.up, m.up + n), put<F>(c.centre, m.centre + n), put<F>(c.down, m.down + n);
            put<F>(c.east, m.east + n), put<F>(c.north, m.north + n);
        });
    put<F>(1.0 / air.area.template number<Real>(), m.per_area + block.place(row, 0, i));
}

/// Whether a row of a block has columns, or northern faces of them; from -1 on.
bool HelmholtzSolve::has_columns(const Domain& d, int b, int row) {
    return d.wet(Horizontal::center, d.blocks[b]->i0, d.blocks[b]->j0 + row) > 0;
}

template <class F, class T> void HelmholtzSolve::matrix(Given at, HelmholtzSolver<T>& to) const {
    const Domain& d = at.set.domain();
    for (int b = 0; b < int(d.blocks.size()); ++b)
#pragma omp parallel for schedule(static)
        for (int row = -1; row < d.blocks[b]->ny; ++row)
            if (has_columns(d, b, row))
                for (int i = -1; i < d.blocks[b]->nx; i += cell_width<F>)
                    columns<F>(at, to, b, row, i);
    to.ready();
}

template <class T> void HelmholtzSolve::renew(Given at, HelmholtzSolver<T>& to) const {
    at.set.bytes() == 4 ? matrix<float>(at, to) : matrix<double>(at, to);
}

void HelmholtzSolve::prepare(Given at) {
    const auto make = [&]<class T>(std::unique_ptr<HelmholtzSolver<T>>& to) {
        to = std::make_unique<HelmholtzSolver<T>>(at.set.domain(), parameters.solver,
                                                  int(at.set.bytes()));
        if (!parameters.about_state) renew(at, *to);
    };
    bytes(at) == 4 ? make(narrow) : make(wide);
}

void HelmholtzSolve::apply(Given at) {
    const auto with = [&](auto& of) {
        if (first() && parameters.about_state) renew(at, of);
        take(of.solve(at[right_side], at[increment], first() ? 0 : measure));
    };
    narrow ? with(*narrow) : with(*wide);
}

/// The solver on a device; the matrix, if it never changes.
void HelmholtzSolve::settle(Device& device, Given at) {
    const Domain& d = at.set.domain();
    const auto own = device.shared_from_this();
    there =
        std::make_shared<HelmholtzThere>(own, d, parameters.solver, bytes(at), int(at.set.bytes()));
    gridpoint::HelmholtzColumns all{bytes(at),   int(at.set.bytes()),  d.halo, d.levels,
                                    constants(), there->layout.blocks, {}};
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int row = -1; row < d.blocks[b]->ny; ++row)
            if (has_columns(d, b, row))
                for (int i = -1; i < d.blocks[b]->nx; ++i) all.columns.push_back({b, row, i});
    matrix_there = device.make<gridpoint::HelmholtzMatrixOnDevice>(all);
    if (!parameters.about_state) renew_there(at);
}

void HelmholtzSolve::renew_there(Given at) {
    using On = HelmholtzOnDevice;
    const auto to = [&](int array) { return there->at(array); };
    matrix_there->make(
        of_air([&](Item f) -> FieldSlab { return at.on_device(f); }), at.on_device(damping).at[0],
        {to(On::up), to(On::centre), to(On::down), to(On::east), to(On::north), to(On::per_area)});
    there->ready();
}

bool HelmholtzSolve::apply_on(Device& device, Given at) {
    if (!there || there->device.get() != &device) settle(device, at);
    if (first() && parameters.about_state) renew_there(at);
    take(there->solve(at.on_device(right_side), at.on_device(increment), first() ? 0 : measure));
    return true;
}

void HelmholtzSolve::take(const HelmholtzFound& found) {
    if (first()) measure = found.length;
    iterations += found.products, residual = found.residual, ++solves;
}

}  // namespace fathom::atmosphere
