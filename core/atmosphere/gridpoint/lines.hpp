/// Lines of the grid-point atmosphere on a processor.
#pragma once
#include <array>
#include <vector>
#include "atmosphere/gridpoint/displaced.hpp"
#include "semi_lagrangian/plane/lines.hpp"

namespace fathom::atmosphere {

template <class T> FieldFrom<const T> from(const Domain& d, const FieldSlab& f, const Line& l) {
    return {at<T>(d, f, l), f.row[l.b], f.level[l.b]};
}
template <class T, class... Fields>
std::array<FieldFrom<const T>, sizeof...(Fields)> from_each(const Domain& d, const Line& l,
                                                            const Fields&... fields) {
    return {from<T>(d, fields, l)...};
}

/// spacing [rad]: of a sphere, along rows and across them.
template <class T>
MiddlesAround<T> middles_around(const Domain& d, double along = 0, double across = 0) {
    const auto& t = d.decomposition.topology;
    return {{t.nx, !t.periodic, along}, {t.ny, !t.periodic_j, across}};
}

/// How the rows of a plane continue; a slice is one row wide. closed: for v, at walls.
inline Edge edge_of_plane(const Domain& d, bool closed) {
    const auto& t = d.decomposition.topology;
    return t.ny == 1 || t.periodic_j ? Edge::periodic : closed ? Edge::closed : Edge::mirrored;
}

inline std::vector<double> middles(const std::vector<double>& interfaces) {
    std::vector<double> m;
    for (std::size_t k = 0; k + 1 < interfaces.size(); ++k)
        m.push_back(0.5 * (interfaces[k] + interfaces[k + 1]));
    return m;
}

/// Tracers have no values at the ground.
inline std::vector<double> of_tracers(const std::vector<double>& interfaces) {
    return {interfaces.begin(), interfaces.end() - 1};
}

}  // namespace fathom::atmosphere
