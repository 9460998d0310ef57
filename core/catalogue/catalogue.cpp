#include "catalogue/catalogue.hpp"
#include "atmosphere/schemes.hpp"
#include "ocean/schemes.hpp"
#include "physics/schemes.hpp"
#include "sequence/statistics.hpp"

namespace fathom {

/// Running sums, minima and maxima in time.
static Entries statistics() {
    return {entry<InTime<Statistic::sum, false>>("TimeSum"),
            entry<InTime<Statistic::sum, true>>("SurfaceTimeSum"),
            entry<InTime<Statistic::minimum, false>>("TimeMinimum"),
            entry<InTime<Statistic::minimum, true>>("SurfaceTimeMinimum"),
            entry<InTime<Statistic::maximum, false>>("TimeMaximum"),
            entry<InTime<Statistic::maximum, true>>("SurfaceTimeMaximum")};
}

const Entries& catalogue() {
    static const Entries all{physics::schemes(), ocean::schemes(), atmosphere::schemes(),
                             statistics()};
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
