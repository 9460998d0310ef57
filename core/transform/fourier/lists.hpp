/// The tables of Fourier transforms of several lengths, one after another, for a device.
#pragma once
#include <vector>
#include "transform/fourier/fourier.hpp"
#include "transform/fourier/there.hpp"

namespace fathom {

template <class Number> struct FourierLists {
    std::vector<PlanThere> plans;
    std::vector<PassThere> passes;
    std::vector<Number> twiddles;
    std::vector<int> places;
    std::vector<std::complex<Number>> turns;
    void add(const Fourier<Number>& f) { add(f.points, f.of_numbers(), f.turns()); }
    void add(const ComplexFourier<Number>& f) { add(0, f, {}); }

private:
    using Turns = std::vector<std::complex<Number>>;
    void add(int points, const ComplexFourier<Number>& f, const Turns& of_row) {
        plans.push_back({points, f.n, passes_of(f.by() ? *f.by() : f), append(places, f.place),
                         append(turns, of_row), append(turns, f.all_chirps()),
                         append(turns, f.all_filters())});
    }
    PassesThere passes_of(const ComplexFourier<Number>& f) {
        const std::size_t first = passes.size();
        for (const auto& p : f.all_passes())
            passes.push_back({p.radix, p.stride, p.twiddle, p.roots});
        return {f.n, int(passes.size() - first), first, append(twiddles, f.all_twiddles()),
                append(turns, f.all_roots())};
    }
    /// Where it begins.
    template <class List> static std::size_t append(List& to, const List& from) {
        to.insert(to.end(), from.begin(), from.end());
        return to.size() - from.size();
    }
};

}  // namespace fathom
