#include "catalogue/catalogue.hpp"
#include <dlfcn.h>
#include "atmosphere/gridpoint/schemes.hpp"
#include "atmosphere/schemes.hpp"
#include "field/linear_entry.hpp"
#include "ocean/schemes.hpp"
#include "physics/schemes.hpp"
#include "sequence/statistics.hpp"

namespace fathom {

template struct Lines<Entry>;  // for all lists
template void entry_detail::add(std::vector<SchemeParameter>&, std::string_view, std::string_view,
                                std::string_view, double, double, double, std::ptrdiff_t);

/// Running sums, minima and maxima in time.
static Entries statistics() {
    return {linear_entry<InTime<Statistic::sum, false>>("TimeSum"),
            linear_entry<InTime<Statistic::sum, true>>("SurfaceTimeSum"),
            linear_entry<WeightedInTime<false>>("WeightedTimeSum"),
            linear_entry<WeightedInTime<true>>("SurfaceWeightedTimeSum"),
            entry<InTime<Statistic::minimum, false>>("TimeMinimum"),
            entry<InTime<Statistic::minimum, true>>("SurfaceTimeMinimum"),
            entry<InTime<Statistic::maximum, false>>("TimeMaximum"),
            entry<InTime<Statistic::maximum, true>>("SurfaceTimeMaximum")};
}

static Entries& all() {
    static Entries entries{physics::schemes(), ocean::schemes(), atmosphere::schemes(),
                           atmosphere::gridpoint::schemes(), statistics()};
    return entries;
}
const Entries& catalogue() { return all(); }

std::vector<std::string> load_schemes(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw Error(library, " cannot be loaded: ", dlerror());
    const auto layout = (const char* (*)())dlsym(handle, "fathom_layout");
    const auto schemes = (void (*)(Entries*))dlsym(handle, "fathom_schemes");
    if (!layout || !schemes) throw Error(library, " holds no schemes of Fathom");
    if (std::string(layout()) != FATHOM_LAYOUT)
        throw Error(library, " was compiled for another build of Fathom's core");
    Entries found{std::initializer_list<Entries>{}};
    schemes(&found);
    std::vector<std::string> names;
    for (auto& e : found) {
        for (auto& known : all())
            if (known.name == e.name)
                throw Error("a scheme is called '", e.name, "' already; give yours another name");
        names.push_back(e.name);
    }
    all().insert(all().end(), found.begin(), found.end());
    return names;
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
