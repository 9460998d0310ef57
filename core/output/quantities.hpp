/// Measurements of the protocol in every run: the quantities, by name, from which the cost of a run
/// on other machines is estimated. In seconds unless another unit is given; per event.
///
///   computing rank
///     granting      from the question who writes an event to the answer, including the wait for
///                   late ranks and for a slot
///     waiting       for a slot, if none was free at once (first rank)
///     copy          of fields into a slot;  copied_bytes [bytes]
///     notification  of the servers of the set
///     turnaround    from granted until all servers of the set have written (first rank)
///     depth         [events] under way once it is granted, itself included (first rank)
///     fallback      of events that the computing ranks wrote themselves: after which wait (first
///                   rank)
///   server
///     fetching      out of slots;  fetched_bytes [bytes]
///     gathering     from the first word of a rank until the rectangles are whole
///     writing       from then until they are in the store
///     service       both: from the first word until written
///     queue         [events] begun and not written when the first word of one comes, itself
///                   included
#pragma once
#include <algorithm>
#include <map>
#include <string>

namespace fathom {

struct Spread {
    long count = 0;
    double sum = 0, most = 0;
    void note(double x) { ++count, sum += x, most = std::max(most, x); }
    double mean() const { return count ? sum / double(count) : 0; }
};
using Quantities = std::map<std::string, Spread>;

struct ClientQuantities {
    Spread granting, waiting, copy, copied_bytes, notification, turnaround, depth, fallback;
    Quantities by_name() const {
        return {{"granting", granting},
                {"waiting", waiting},
                {"copy", copy},
                {"copied_bytes", copied_bytes},
                {"notification", notification},
                {"turnaround", turnaround},
                {"depth", depth},
                {"fallback", fallback}};
    }
};

struct ServerQuantities {
    Spread fetching, fetched_bytes, gathering, writing, service, queue;
    Quantities by_name() const {
        return {{"fetching", fetching},   {"fetched_bytes", fetched_bytes},
                {"gathering", gathering}, {"writing", writing},
                {"service", service},     {"queue", queue}};
    }
};

}  // namespace fathom
