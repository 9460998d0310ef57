/// The points around departure points of the sphere, as linear_transport.cpp asks for them.
#pragma once
#include "semi_lagrangian/adjoint/influence.hpp"
#include "semi_lagrangian/adjoint/interleaved.hpp"

namespace fathom {

template <class T> struct SphereAround : Influence<T> {
    using Base = Influence<T>;
    using typename Base::Item;
    Departure<T> departure;

    SphereAround(MPI_Comm comm, const Decomposition& d, int halo, const GaussianGrid& grid,
                 const std::vector<double>& eta, double step, double radius)
        : Base(comm, d, halo, grid, eta), departure(grid, eta, step, radius) {}

    static const T* factor(const Item&) { return nullptr; }
    void pack(std::span<const FieldSlab> group, bool /* no map */) { Base::pack(group); }
    void locate(const Item& i, const T* u, const T* v, const T* w, bool /* carried */,
                Beginnings<T>& to, BeginningSlopes<T>& slopes) const {
        typename Departure<T>::Points at;
        typename Departure<T>::Slopes by;
        departure.locate(this->blocks[i.block].j0 + i.row, i.level, i.count, u, v, w, at, by);
        copy(at, i.count, to), copy(by.by_u, i.count, slopes.by_u);
        copy(by.by_v, i.count, slopes.by_v);
        std::copy_n(by.by_w, i.count, slopes.by_w);
    }
    void need(const Item& i, const T* x, const T* y, const T* z) {
        typename Departure<T>::Points at;
        typename Base::Places places;
        place(i, x, y, z, at, places);
        Base::need(i, at, places);
    }
    void gather(Interpolation kind, const Item& i, const T* x, const T* y, const T* z,
                T* out) const {
        typename Departure<T>::Points at;
        typename Base::Places places;
        place(i, x, y, z, at, places);
        if (kind == Interpolation::linear)
            this->full ? this->template gather_linear<true>(i, at, places, out)
                       : this->template gather_linear<false>(i, at, places, out);
        else
            this->full ? this->template gather_cubic<true, false>(i, at, places, out)
                       : this->template gather_cubic<false, false>(i, at, places, out);
    }

private:
    static void copy(const typename Departure<T>::Points& from, int count, Beginnings<T>& to) {
        std::copy_n(from.longitude, count, to.x), std::copy_n(from.latitude, count, to.y);
        std::copy_n(from.eta, count, to.z), std::copy_n(from.p, count, to.p);
        std::copy_n(from.q, count, to.q);
    }
    void place(const Item& i, const T* x, const T* y, const T* z, typename Departure<T>::Points& at,
               typename Base::Places& to) const {
        std::copy_n(x, i.count, at.longitude), std::copy_n(y, i.count, at.latitude);
        std::copy_n(z, i.count, at.eta);
        Base::place(i, at, to);
    }
};

}  // namespace fathom
