#include "model/catalogue.hpp"
#include "physics/schemes.hpp"
#include "numerics/schemes.hpp"

namespace fathom {

const std::vector<Entry>& catalogue() {
    static const std::vector<Entry> all = [] {
        std::vector<Entry> list;
        for (auto part : {physics::schemes(), numerics::schemes()}) list.insert(list.end(), part.begin(), part.end());
        return list;
    }();
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
