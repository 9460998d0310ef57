/// The schemes of the column physics: one list a phenomenon, each compiled on its own.
#pragma once
#include "field/catalogue.hpp"

namespace fathom::physics {

std::vector<Entry> thermodynamics();
std::vector<Entry> turbulence();
std::vector<Entry> surface();
std::vector<Entry> convection();
std::vector<Entry> cloud();
std::vector<Entry> radiation();
std::vector<Entry> drag();
std::vector<Entry> idealised();
std::vector<Entry> schemes();        ///< all of them

}  // namespace fathom::physics
