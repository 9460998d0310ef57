#include "model/catalogue.hpp"
#include "physics/schemes.hpp"
#include "numerics/schemes.hpp"

namespace fathom {

const Entries& catalogue() {
    static const Entries all{physics::schemes(), numerics::schemes()};
    return all;
}

const Entry& find_entry(std::string_view name) {
    std::vector<std::string> known;
    for (auto& e : catalogue()) {
        if (e.name == name) return e;
        known.push_back(e.name);
    }
    throw Error("unknown scheme '", name, "'", near(name, known));
}

}  // namespace fathom
