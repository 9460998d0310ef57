/// The adjoint of a scheme, from its kernel and a tape (base/taped.hpp). The declaration of a
/// field says how its adjoint changes:
///   reads x       x' += (dy/dx)* y'
///   writes y      y' is used, then set to 0
///   updates z     z' = (dz_after/dz_before)* z'
/// A scheme whose line in a catalogue is `linear_entry<Scheme>("Name")` has one
/// (field/linear_entry.hpp).
#pragma once
#include <algorithm>
#include <span>
#include "base/taped.hpp"
#include "field/linear_entry.hpp"

namespace fathom {

/// In copies for a tape: from one neighbour's line to the next.
template <class T, Access access, int reach> struct ColumnView<Taped<T>, access, reach> {
    using Number = T;
    Number* at;
    std::ptrdiff_t level, row;
    int count;
    constexpr ColumnView(Raw raw, std::ptrdiff_t, int count)
        : at((T*)raw.at), level(raw.level), row(raw.row), count(count) {}
    constexpr int levels() const { return count; }
    using Value =
        std::conditional_t<access == Access::reads, const Taped<T>, Location<Taped<T>, access>>;
    constexpr Value operator[](int k) const {
        if constexpr (access == Access::reads)
            return Taped<T>::load(at + k * level);
        else
            return {at + k * level, false};
    }
    constexpr ColumnView operator()(Shift s) const requires(reach > 0)
    {
        assert(s.i <= reach && -s.i <= reach && s.j <= reach && -s.j <= reach);
        ColumnView there = *this;
        there.at += s.j * row + s.i * cell_width<T>;
        return there;
    }
};

namespace adjoint_detail {

/// The kernel of a scheme, on taped numbers at the columns of `at`.
template <class Scheme, class T> void kernel(const void* scheme, const Raw* at, int levels) {
    apply<Taped<T>>(*static_cast<const Scheme*>(scheme), at, 0, 0, {levels});
}
using Kernel = void (*)(const void* scheme, const Raw* at, int levels);

/// body(use, whether its adjoint is wanted, number) for each level of each field that may have
/// adjoints; levels of all neighbours.
template <class T, class Body>
void each_level(std::span<const Use> used, const Raw* at, const Raw* slots, int levels,
                const Body& body) {
    for (const Use& use : used) {
        const Raw& field = *at++;
        if (use.place == place::profile) continue;
        const int count = use.own ? use.own * (levels + 1)
                          : use.place.vertical == Vertical::column
                              ? 1
                              : levels + (use.place.vertical == Vertical::interface);
        const bool wanted = !use.own && (use.reach == 0 || slots->at);
        for (int j = -use.reach; j <= use.reach; ++j)
            for (int i = -use.reach; i <= use.reach; ++i)
                for (int k = 0; k < count; ++k)
                    body(use, wanted,
                         (T*)field.at + k * field.level + j * field.row + i * cell_width<T>);
        if (use.reach > 0) slots += (2 * use.reach + 1) * (2 * use.reach + 1);
    }
}

/// A part of a cell: the kernel writes its tape, which is read backwards.
template <class T>
void run(std::span<const Use> used, Kernel kernel, const void* scheme, const Raw* at,
         const Raw* slots, std::ptrdiff_t apart, int levels) {
    using Lanes = typename Tape<T>::Lanes;
    static thread_local Tape<T> own;
    Tape<T>& t = own;
    tape<T> = &own;
    t.clear(), t.origins = 2 * apart;
    const auto adjoint_of = [&](T* p) { return (T*)((char*)p + apart); };
    const auto each = [&](auto body) { each_level<T>(used, at, slots, levels, body); };
    each([&](const Use&, bool wanted, T* p) { *Taped<T>::origin_of(p) = wanted ? t.add({}) : -1; });
    kernel(scheme, at, levels);
    t.adjoint.assign(t.count, Lanes(T(0)));
    each([&](const Use& use, bool, T* p) {
        if (use.access == Access::reads || use.own) return;
        if (const auto origin = *Taped<T>::origin_of(p); origin >= 0)
            t.adjoint[origin] += Lanes::load(adjoint_of(p));
        Lanes(T(0)).store(adjoint_of(p));
    });
    t.sweep();
    int n = 0;
    each([&](const Use&, bool wanted, T* p) {
        if (wanted) (Lanes::load(adjoint_of(p)) + t.adjoint[n++]).store(adjoint_of(p));
    });
}

/// The columns of a cell, as many at once as a tape takes.
template <class T>
void run_cell(std::span<const Use> used, Kernel kernel, const void* scheme, const Raw* at,
              const Raw* slots, std::ptrdiff_t apart, int levels) {
    std::vector<Raw> here(at, at + used.size());
    for (int column = 0; column < cell_width<T>; column += taped_width<T>) {
        run<T>(used, kernel, scheme, here.data(), slots, apart, levels);
        for (std::size_t n = 0; n < used.size(); ++n)
            if (used[n].place != place::profile) here[n].at = (T*)here[n].at + taped_width<T>;
    }
}

}  // namespace adjoint_detail

template <class Scheme>
void AdjointByTape<Scheme>::single(const void* scheme, const Raw* at, const Raw* slots,
                                   std::ptrdiff_t apart, const Cell& cell) {
    using adjoint_detail::kernel, adjoint_detail::run_cell;
    run_cell<float>(uses<Scheme>, kernel<Scheme, float>, scheme, at, slots, apart, cell.levels);
}
template <class Scheme>
void AdjointByTape<Scheme>::twice(const void* scheme, const Raw* at, const Raw* slots,
                                  std::ptrdiff_t apart, const Cell& cell) {
    using adjoint_detail::kernel, adjoint_detail::run_cell;
    run_cell<double>(uses<Scheme>, kernel<Scheme, double>, scheme, at, slots, apart, cell.levels);
}

}  // namespace fathom
