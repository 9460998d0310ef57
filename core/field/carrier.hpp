/// How bundles of columns travel to the ranks that compute them, and back: the catalogue. In each
/// call all ranks know who gives to whom; only the giver knows how much.
///
///   offer     inputs of all bundles that this rank gives, each with its receiver
///   fetch     waits for the inputs of a giver
///   send_back the results
///   results   from a receiver: their memory may be that of the inputs
///   end       of the call
///
///   messages  two-sided: sent as they are ready, received when the receiver is ready for them
///   pulled    passive one-sided: bundles lie in a window of the giver, who notifies the receiver;
///             it gets them and puts the results in their place; the giver computes meanwhile
///   list      the same without a receiver: whoever is idle takes the next bundle of a list, also
///             the giver itself (work_list.hpp)
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>
#include "parallel/mpi.hpp"

namespace fathom {

class Carrier {
public:
    struct Offer {
        int taker;
        std::span<const std::byte> inputs;
        std::size_t results;  ///< bytes
    };
    virtual ~Carrier() = default;
    virtual void offer(std::span<const Offer>) = 0;
    virtual std::vector<std::byte> fetch(int giver) = 0;
    virtual void send_back(int giver, std::span<const std::byte>) = 0;
    virtual void results(int taker, std::span<std::byte>) = 0;
    virtual void end() = 0;
};

/// room: bytes that a rank can offer, and get back, in a call. Collective: all ranks make it
/// together.
struct CarrierKind {
    std::string_view name, text;
    std::unique_ptr<Carrier> (*make)(MPI_Comm, std::size_t room);  ///< null: a list of work
};
std::span<const CarrierKind> carriers();
const CarrierKind& carrier(std::string_view name);  ///< an error that names them all

/// When the two sides of a transfer between ranks 0 and 1 were done, in seconds after both began;
/// the giver, rank 0, makes no call of MPI between its offer and `idle` seconds later.
struct CarrierTimes {
    double fetched, returned;  ///< on rank 1: it has the inputs; its results are back
    double gave, idle;         ///< on rank 0: time in its calls before and after, outside of them
};
CarrierTimes time_carrier(MPI_Comm, std::string_view way, std::size_t bytes, double idle);

}  // namespace fathom
