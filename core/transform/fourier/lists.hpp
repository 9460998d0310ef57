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
    void add(const Fourier<Number>& f) {
        const auto& half = f.of_half();
        plans.push_back({f.half, int(half.all_passes().size()), passes.size(), twiddles.size(),
                         places.size(), turns.size()});
        for (const auto& p : half.all_passes()) passes.push_back({p.radix, p.stride, p.twiddle});
        const auto append = [](auto& to, const auto& from) {
            to.insert(to.end(), from.begin(), from.end());
        };
        append(twiddles, half.all_twiddles()), append(places, half.place), append(turns, f.turns());
    }
};

}  // namespace fathom
