#include "machine/counters.hpp"
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#endif

namespace fathom {

#ifdef __linux__

Counters::Counters() {
    constexpr std::pair<const char*, int> events[] = {
        {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
        {"cycles", PERF_COUNT_HW_CPU_CYCLES},
        {"cache references", PERF_COUNT_HW_CACHE_REFERENCES},
        {"cache misses", PERF_COUNT_HW_CACHE_MISSES},
        {"branch misses", PERF_COUNT_HW_BRANCH_MISSES},
        {"stalled cycles", PERF_COUNT_HW_STALLED_CYCLES_BACKEND}};
    for (auto [name, event] : events) {
        perf_event_attr what{};
        what.size = sizeof what, what.type = PERF_TYPE_HARDWARE, what.config = event,
        what.inherit = 1, what.exclude_kernel = 1, what.exclude_hv = 1;
        what.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        const int descriptor = int(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
        if (descriptor >= 0)
            open.emplace_back(name, descriptor);
        else if (reason.empty())
            reason = std::strerror(errno);
    }
    if (!open.empty()) reason.clear();
}
Counters::~Counters() {
    for (auto& [name, descriptor] : open) close(descriptor);
}

/// With fewer counters than events, the events are counted in turn. The counts are scaled to the
/// whole time.
std::vector<std::pair<std::string, double>> Counters::read() const {
    std::vector<std::pair<std::string, double>> list;
    for (auto& [name, descriptor] : open) {
        unsigned long long found[3];  // count, time enabled, time running
        if (::read(descriptor, found, sizeof found) == sizeof found && found[2])
            list.emplace_back(name, double(found[0]) * double(found[1]) / double(found[2]));
    }
    return list;
}

#else

Counters::Counters() : reason("they are read by perf_event_open, which only Linux has") {}
Counters::~Counters() = default;
std::vector<std::pair<std::string, double>> Counters::read() const { return {}; }

#endif

}  // namespace fathom
