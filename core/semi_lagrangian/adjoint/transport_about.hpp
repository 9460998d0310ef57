/// How linear_transport.cpp works, for any shape.
#pragma once
#include "semi_lagrangian/adjoint/linear_transport.hpp"

namespace fathom {

/// Rows: the points around departure points, SphereAround or PlaneAround.
template <class Rows> class TransportAbout final : public LinearTransport<typename Rows::Number> {
    using T = typename Rows::Number;
    using Base = LinearTransport<T>;

public:
    using typename Base::About, typename Base::Group, typename Base::Wind;
    template <class... Shape>
    TransportAbout(const Domain& d, int iterations, const Shape&... shape)
        : rows(shape...), iterations(iterations), back(d.comm, d.decomposition, rows) {
        for (auto& item : rows.items) first.push_back(points), points += item.count;
        for (auto* winds : {&mean, &change, &gradient}) winds->resize(3 * points);
        values.resize(4 * points);
    }
    void follow(const Wind& now, const Wind& extrapolated, bool single, About&) override;
    void follow_between(const Base& layers, bool single, About&) override;
    void follow(Group, bool vector, bool single, const About&, Rounded<T>&) override;
    void tangent(const About&, const Wind& now, const Wind& extrapolated) override;
    void tangent_between(const Base& layers, const About&) override;
    void tangent(const About&, const Rounded<T>&, Group, bool vector) override;
    void adjoint(const About&, const Rounded<T>&, Group, bool vector) override;
    void adjoint(const About&, const Wind& now, const Wind& extrapolated) override;
    void adjoint_between(Base& layers) override;

private:
    using Item = typename Rows::Item;
    using Sight = fathom::Sight<T>;
    static constexpr int tile = Rows::tile;
    static_assert(tile == Beginnings<T>::tile);
    /// Where a tile of trajectories begins, and how that changes with the mean wind.
    struct Tile {
        T u[tile], v[tile], w[tile];
        Beginnings<T> at;
        BeginningSlopes<T> slopes;
    };
    Rows rows;
    const int iterations;
    static constexpr int of_place = 5, of_pass = of_place + 9;  // numbers of a point
    GiveBack<Rows> back;
    std::vector<std::size_t> first;  ///< point of each item among all own points
    std::size_t points = 0;
    /// Mean winds of all points, [item][3][point]: of the state, a perturbation, and adjoints,
    /// which are 0 between two calls.
    std::vector<T> mean, change, gradient;
    std::vector<T> values;  ///< four of each point

    /// body(item, the first of its points)
    template <class Body> void each_item(Body body) {
#pragma omp parallel for schedule(dynamic, 4)
        for (std::size_t n = 0; n < rows.items.size(); ++n) body(rows.items[n], first[n]);
    }
    int levels() const { return rows.items.empty() ? 0 : rows.items.back().level + 1; }
    std::size_t on_level(const Item&, int level) const;
    void means_of(const std::vector<T>& of_layers, const TransportAbout& layers,
                  std::vector<T>& to);
    /// [3][point]
    static void take(const T* winds, int count, Tile& t) {
        std::copy_n(winds, count, t.u), std::copy_n(winds + count, count, t.v);
        std::copy_n(winds + 2 * count, count, t.w);
    }
    void pack(const Wind&);
    void on_map(const Item&, const Wind&, T* u, T* v, T* w) const;
    void trace(const Item&, std::size_t at, const Wind& now, About&);
    fathom::Trajectory<T> trajectory(const Item&, int n, const Beginnings<T>&) const;
    void derivatives(const Sight&, const Tile&, int n, int fields, bool vector, T* G) const;
    void need(const About&);
    typename GiveBack<Rows>::Points places_of(const typename About::Pass&) const;
};

}  // namespace fathom
