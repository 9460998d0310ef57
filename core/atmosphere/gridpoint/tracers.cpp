#include "atmosphere/gridpoint/tracers.hpp"
#include <optional>
#include "atmosphere/gridpoint/sphere_lines.hpp"
#include "parallel/sum/reduce.hpp"

namespace fathom::atmosphere {

namespace {

template <class T> class TracerTransport final : public GridPointCarrier {
public:
    TracerTransport(GridPointSetup s,
                    const std::vector<std::pair<std::string, std::string>>& tracers, bool keep_mass)
        : GridPointCarrier("GridPointTracers"), setup(std::move(s)), keep_mass(keep_mass) {
        const char* units = setup.radius > 0 ? "1" : "m";
        x = reads("displacement_x", place::center_interface, units);
        y = reads("displacement_y", place::center_interface, units);
        if (setup.radius > 0) axis = reads("displacement_axis", place::center_interface, units);
        for (auto& [name, unit] : tracers)
            fields.push_back(updates(name, place::center_layer, unit));
    }
    void prepare(Given g) override {
        const Domain& d = g.set.domain();
        const bool slice = d.decomposition.topology.ny == 1;
        if (setup.radius > 0) directions.emplace(d);
        rows.emplace(d.comm, d.decomposition,
                     setup.radius > 0 ? Edge::beside_pole
                     : slice          ? Edge::periodic
                                      : Edge::mirrored,
                     std::vector<double>(setup.heights.begin(), setup.heights.end() - 1));
    }
    void apply(Given g) override {
        for (Item tracer : fields) {
            const double before = keep_mass ? mass(g, g[tracer], g[density_before]) : 0;
            carry(g, g[tracer]);
            const double after = keep_mass ? mass(g, g[tracer], g[density]) : 0;
            if (before > 0 && after > 0) scale(g, g[tracer], T(before / after));
        }
    }
    GridPointHalo halo() const override {
        return {rows->around.points_received(), rows->around.plans};
    }

private:
    const GridPointSetup setup;
    const bool keep_mass;
    std::optional<SphereDirections<T>> directions;
    std::optional<EvenRows<T, 1>> rows;
    std::vector<Item> fields;
    Item x{}, y{}, axis{};
    const Item eta = reads("displacement_level", place::center_interface, "m"),
               density_before = reads("density_before", place::center_layer, "kg m-3"),
               density = reads("air_density", place::center_layer, "kg m-3"),
               z = reads("interface_height", place::center_interface, "m"),
               area = reads("area_center", place::center_column, "m2");

    void carry(Given g, const Field& tracer) {
        const Domain& d = g.set.domain();
        const FieldSlab* from[] = {&tracer};
        until_covered(*rows, d, from, [&] {
            for_each_line(d, d.levels, [&](const Line& l) { line(g, tracer, l); });
        });
    }
    void line(Given g, const Field& tracer, const Line& l) {
        const Domain& d = g.set.domain();
        T* out = at<T>(d, tracer, l);
        Reach reach;
        const auto take = [&](int n, const Place3<T>& place) {
            interpolate<true>(*rows, reach, place, T(0), T(0), out + n);
        };
        const T height = rows->nodes.height(l.k);
        if (directions) {
            const MeanDisplacement<T> own(d, {&g[x], &g[y], &g[axis], &g[eta]}, l, false, false,
                                          false);
            each_origin<T>(*directions, l, own, directions->centre(l.j), 0, T(0), height,
                           [&](int n, const Origin<T>&, const Place3<T>& p) { take(n, p); });
        } else {
            const T *X = at<T>(d, g[x], l), *Y = at<T>(d, g[y], l), *E = at<T>(d, g[eta], l);
            for (int n = 0; n < l.count; ++n)
                take(n, {l.i0 + n, l.k, -X[n] * T(1 / setup.dx), T(l.j) - Y[n] * T(1 / setup.dy),
                         height - E[n]});
        }
        reach.ask(*rows);
    }

    /// Of each column from the top down, added up exactly.
    double mass(Given g, const Field& tracer, const Field& rho) const {
        const Domain& d = g.set.domain();
        const double curvature = setup.deep ? 1 / setup.radius : 0;
        std::vector<double> columns;
        for (int b = 0; b < int(d.blocks.size()); ++b)
            for (int r = 0; r < d.blocks[b]->ny; ++r) {
                const Line top{b, r, 0, 0, 0, 0};
                const T *q = at<T>(d, tracer, top), *R = at<T>(d, rho, top),
                        *Z = at<T>(d, g[z], top), *A = at<T>(d, g[area], top);
                for (int i = 0; i < d.blocks[b]->nx; ++i) {
                    double sum = 0;
                    for (int k = 0; k < d.levels; ++k) {
                        const double above = Z[k * g[z].level[b] + i],
                                     below = Z[(k + 1) * g[z].level[b] + i],
                                     s = 1 + curvature * 0.5 * (above + below),
                                     air = R[k * rho.level[b] + i] * (above - below) * s * s;
                        const int next = std::min(k + 1, d.levels - 1);
                        sum += 0.5 * air *
                               (double(q[k * tracer.level[b] + i]) + q[next * tracer.level[b] + i]);
                    }
                    columns.push_back(A[i] * sum);
                }
            }
        return exact_sum(d.comm, columns);
    }
    void scale(Given g, const Field& tracer, T by) const {
        const Domain& d = g.set.domain();
        for_each_line(d, d.levels, [&](const Line& l) {
            T* q = at<T>(d, tracer, l);
            for (int i = 0; i < l.count; ++i) q[i] *= by;
        });
    }
};

}  // namespace

std::shared_ptr<GridPointCarrier> gridpoint_tracers(
    const GridPointSetup& s, const std::vector<std::pair<std::string, std::string>>& tracers,
    bool keep_mass, int bytes) {
    if (bytes == 4) return std::make_shared<TracerTransport<float>>(s, tracers, keep_mass);
    return std::make_shared<TracerTransport<double>>(s, tracers, keep_mass);
}

}  // namespace fathom::atmosphere
