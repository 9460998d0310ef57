#include "performance/measured_sums.hpp"
#include <algorithm>
#include <cmath>
#include "field/process.hpp"

namespace fathom {

namespace {

struct UpwindDivergence {
    static constexpr std::string_view summary = "divergence of an upwind flux";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any", 1> tracer,
        Reads<Real, "flow_east", place::center_layer, "s-1", 1> east_flow,
        Reads<Real, "flow_north", place::center_layer, "s-1", 1> north_flow,
        Writes<Real, "divergence", place::center_layer, "any s-1"> divergence) const {
        for (int k = 0; k < divergence.levels(); ++k) {
            const Real here = tracer[k];
            const auto flux = [&](Real outward, Shift s) {
                return larger(outward, Real(0)) * here + smaller(outward, Real(0)) * tracer(s)[k];
            };
            divergence[k] = (flux(east_flow[k], east) + flux(-east_flow(-east)[k], -east)) +
                            (flux(north_flow[k], north) + flux(-north_flow(-north)[k], -north));
        }
    }
};

/// Makes the tracer vary.
struct Source {
    static constexpr std::string_view summary = "source of a tracer";
    template <class Real>
    constexpr void operator()(Updates<Real, "tracer", place::center_layer, "any"> tracer) const {
        for (int k = 0; k < tracer.levels(); ++k) tracer[k] += Real(1);
    }
};

/// In fp64, for steps alone.
template <class Scheme> Process process_of(std::string name) {
    Process p;
    p.name = std::move(name), p.scheme = std::make_shared<Scheme>();
    p.fields = process_detail::fields(uses<Scheme>);
    p.run = Kernels<Scheme, double>::packs;
    p.operations = [] { return operations_counted; };
    return p;
}

constexpr std::array<Shift, 5> stencil{north, east, here, -east, -north};
constexpr int halo = 2;

double value(int n) { return std::sin(0.37 * n) + 0.5 * std::cos(0.011 * n); }

std::shared_ptr<const Domain> domain_of(int nx, int ny, int levels) {
    return std::make_shared<Domain>(MPI_COMM_SELF, Topology{nx, ny, true, false}, levels,
                                    std::vector<int>(std::size_t(nx) * ny, levels),
                                    DecompositionOptions{nx, ny, "auto", halo});
}

}  // namespace

/// Of one row, from a column on.
struct MeasuredSums::Rows {
    const double *east, *north;
    std::ptrdiff_t level, row;
};

MeasuredSums::MeasuredSums(int nx, int ny, int levels) : nx(nx), ny(ny), levels(levels) {
    StepProgram::Options options;
    options.keep = {"tracer", "divergence"};
    sequence = std::make_unique<StepProgram>(
        domain_of(nx, ny, levels), 8,
        std::vector<Process>{process_of<Source>("Source"),
                             process_of<UpwindDivergence>("UpwindDivergence")},
        options);
    const Layout& layout = *sequence->layout();
    state = std::make_unique<FieldSet>(sequence->layout());
    std::vector<double> numbers(std::size_t(nx) * ny * levels);
    for (const char* name : {"tracer", "flow_east", "flow_north"}) {
        for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = value(int(n) + name[0]);
        state->set(name, numbers.data(), 0, levels, true);
    }
    gradient = std::make_unique<FieldSet>(sequence->layout());
    for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = value(int(3 * n));
    gradient->set("divergence", numbers.data(), 0, levels, false);
    const auto active = std::make_shared<Active>(*layout.domain);
    active->clear_others(*gradient, layout.index("divergence"));
    scattered = std::make_unique<FieldSet>(*gradient);
    const auto part = sequence->parts()[1];
    neighbours =
        std::make_unique<NeighbourSums>(layout, part.process, part.fields, active, stencil);
}

MeasuredSums::Rows MeasuredSums::rows(int block, int row, int column) const {
    const Field &e = (*state)["flow_east"], &n = (*state)["flow_north"];
    const auto at = row * e.row[block] + column;
    return {(const double*)e.at[block] + at, (const double*)n.at[block] + at, e.level[block],
            e.row[block]};
}

void MeasuredSums::forward() {
    const auto part = sequence->parts()[1];
    const auto& all = sequence->layout()->cells[0];
#pragma omp parallel for schedule(static)
    for (int r = halo; r < halo + ny; ++r) {
        std::vector<Raw> at;
        for (int n : part.fields) {
            const Field& f = state->fields()[n];
            at.push_back({(double*)f.at[0] + r * f.row[0], f.level[0], f.row[0]});
        }
        part.process.run(part.process.scheme.get(), at.data(), all[r].data(),
                         all[r].data() + all[r].size());
    }
}

/// Level by level of a row: five parts of each column, next to each other in memory.
void MeasuredSums::sums() {
    const Field& of = (*gradient)["divergence"];
    neighbours->add(*gradient, [&](int b, int r, std::span<const Cell> cells, const Raw* slots) {
        using Real = Pack<double, pack_width<double>>;
        const int first = cells.front().column, end = cells.back().column + 8 - first;
        const Rows at = rows(b, r, first);
        const double* const given = (const double*)of.at[b] + r * of.row[b] + first;
        for (int k = 0; k < levels; ++k) {
            double* to[5];
            for (int n = 0; n < 5; ++n) to[n] = (double*)slots[n].at + k * slots[n].level;
            const double *east = at.east + k * at.level, *north = at.north + k * at.level,
                         *south = north - at.row, *y = given + k * of.level[b];
            for (int c = 0; c < end; c += Real::width) {
                const Real zero(0.0), Y = Real::load(y + c);
                Real own = zero;
                const auto give = [&](Real outward, double* part) {
                    own += larger(outward, zero);
                    (smaller(outward, zero) * Y).store(part + c);
                };
                give(Real::load(east + c), to[1]);
                give(-Real::load(east + c - 1), to[3]);
                give(Real::load(north + c), to[0]);
                give(-Real::load(south + c), to[4]);
                (own * Y).store(to[2] + c);
            }
        }
    });
}

void MeasuredSums::scatter() {
    const Field &of = (*scattered)["divergence"], &to = (*scattered)["tracer"];
    for (int r = halo; r < halo + ny; ++r)
        for (int k = 0; k < levels; ++k) {
            const Rows at = rows(0, r, 0);
            const double *east = at.east + k * at.level, *north = at.north + k * at.level,
                         *y = (const double*)of.at[0] + r * of.row[0] + k * of.level[0];
            double* const x = (double*)to.at[0] + r * to.row[0] + k * to.level[0];
            for (int c = halo; c < halo + nx; ++c) {
                const double F[4] = {east[c], -east[c - 1], north[c], -north[c - at.row]};
                double own = 0;
                for (double f : F) own += std::max(f, 0.0);
                x[c] += own * y[c];
                x[c + 1] += std::min(F[0], 0.0) * y[c];
                x[c - 1] += std::min(F[1], 0.0) * y[c];
                x[c + to.row[0]] += std::min(F[2], 0.0) * y[c];
                x[c - to.row[0]] += std::min(F[3], 0.0) * y[c];
            }
        }
    for (int r = halo; r < halo + ny; ++r)  // the periodic edge
        for (int k = 0; k < levels; ++k) {
            double* const x = (double*)to.at[0] + r * to.row[0] + k * to.level[0] + halo;
            x[0] += x[nx], x[nx - 1] += x[-1];
            x[nx] = x[-1] = 0;
        }
}

double MeasuredSums::difference() const {
    const Field &one = (*gradient)["tracer"], &other = (*scattered)["tracer"];
    double largest = 0, most = 0;
    for (int r = halo; r < halo + ny; ++r)
        for (int k = 0; k < levels; ++k)
            for (int c = halo; c < halo + nx; ++c) {
                const auto at = r * one.row[0] + k * one.level[0] + c;
                const double a = ((double*)one.at[0])[at], b = ((double*)other.at[0])[at];
                largest = std::max(largest, std::abs(a - b)), most = std::max(most, std::abs(b));
            }
    return largest / most;
}

}  // namespace fathom
