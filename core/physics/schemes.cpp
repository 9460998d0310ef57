#include "physics/schemes.hpp"

namespace fathom::physics {

std::vector<Entry> schemes() {
    std::vector<Entry> all;
    for (auto part : {thermodynamics(), turbulence(), surface(), convection(), cloud(), radiation(), drag(), idealised()}) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace fathom::physics
