/// How bundles of columns travel to the ranks that compute them, and back: the catalogue. In each
/// call all ranks know who gives to whom; only the giver knows how much.
///
///   offer     all bundles that this rank gives, each with its receiver
///   fetch     waits for the bundle of a giver
///   send_back the same bytes with results
///   results   from a receiver: into the memory of the bundle that was offered
///   end       of the call
///
///   messages  two-sided: sent as they are ready, received when the receiver is ready for them
///   pulled    passive one-sided: bundles lie in a window of the giver, who notifies the receiver;
///             it gets them and puts the results in their place; the giver computes meanwhile
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
        std::span<std::byte> bundle;
    };
    virtual ~Carrier() = default;
    virtual void offer(std::span<const Offer>) = 0;
    virtual std::vector<std::byte> fetch(int giver) = 0;
    virtual void send_back(int giver, std::vector<std::byte>) = 0;
    virtual void results(int taker, std::span<std::byte>) = 0;
    virtual void end() = 0;
};

/// room: bytes that a rank can offer in a call. Collective: all ranks make it together.
struct CarrierKind {
    std::string_view name, text;
    std::unique_ptr<Carrier> (*make)(MPI_Comm, std::size_t room);
};
std::span<const CarrierKind> carriers();
const CarrierKind& carrier(std::string_view name);  ///< an error that names them all

}  // namespace fathom
