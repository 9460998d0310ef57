/// A surface flux that is given, for idealised cases: what others (restoring) may add to.
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct GivenFlux {
    static constexpr std::string_view summary = "A surface flux of a tracer as it is given";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads ("given", place::center_column, "1"),
        writes("flux",  place::center_column, "1")};

    template <class Real> void operator()(In<Real> given, Out<Real> flux) const { flux[0] = given[0]; }
};

}  // namespace fathom::physics
