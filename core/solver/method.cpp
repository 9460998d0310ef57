#include "solver/method.hpp"
#include <string>
#include "base/error.hpp"

namespace fathom {

namespace {

constexpr MethodKind kinds[] = {
    {"pcg", "Hestenes & Stiefel's, two sums an iteration",
     [](bool identity, int) { return identity ? 1 : 2; }, conjugate_gradients},
    {"chrongear", "Chronopoulos & Gear's, one sum an iteration, with the diagonal one for two",
     [](bool identity, int) { return identity ? 0 : 3; }, chronopoulos_gear},
    {"pipelined", "Ghysels & Vanroose's, the sum travels while the operator is applied",
     [](bool identity, int) { return identity ? 4 : 7; }, pipelined},
    {"s-step", "one sum for several iterations",
     [](bool identity, int steps) { return identity ? 2 * steps - 1 : 4 * steps; }, s_step},
    {"pcsi", "Chebyshev's, a sum in ten to twenty iterations",
     [](bool identity, int) { return identity ? 0 : 1; }, chebyshev},
};

}  // namespace

std::span<const MethodKind> methods() { return kinds; }
const MethodKind& method(std::string_view name) {
    std::vector<std::string> known;
    for (auto& k : kinds)
        if (k.name == name)
            return k;
        else
            known.emplace_back(k.name);
    throw Error("no solver '", name, "'", near(std::string(name), known));
}

}  // namespace fathom
