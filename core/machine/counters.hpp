/// Counts of the processor (perf_event_open of Linux), for this process and for threads that it
/// starts later.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace fathom {

class Counters {
public:
    Counters();  ///< from now on
    ~Counters();
    Counters(const Counters&) = delete;
    /// Counts so far, by name; those that the machine does not offer are missing.
    std::vector<std::pair<std::string, double>> read() const;
    std::string why_not() const { return reason; }  ///< empty if there are any

private:
    std::vector<std::pair<std::string, int>> open;  // name, descriptor
    std::string reason;
};

}  // namespace fathom
