/// How packed halos travel: the catalogue. A transport owns the buffers; the exchange packs into
/// `outgoing`, and unpacks from `incoming`.
///
///   post   what can be done before packing: receives, word that a buffer is free
///   send   all messages are packed
///   wait   all messages are in `incoming`
/// One that does not pack is given, before `send`, where in memory the pieces of each message lie.
/// One that overlaps sends each message as soon as it is packed, and returns each as soon as it
/// has arrived.
/// One-sided ones keep two buffers that take turns. No rank writes into memory that its owner may
/// still read: the owner first permits it, one exchange ahead, so that in the steady state no rank
/// waits for permission.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>
#include "parallel/halo/packing.hpp"
#include "parallel/mpi.hpp"

namespace fathom {

class Transport {
public:
    using Part = Parts::Part;
    using Piece = Packing::InMemory;
    virtual ~Transport() = default;
    /// false: `pieces` instead of `outgoing`; the receiver then changes signs.
    virtual bool packs() const { return true; }
    /// Whether the pieces at these addresses (of each field and block) were given before; one list
    /// for each send.
    virtual bool knows(std::span<const std::byte* const>) { return true; }
    virtual void pieces(std::span<const std::vector<Piece>>) {}
    virtual bool meets() const { return false; }  ///< everybody waits for everybody
    /// `send_message` and `arrived` instead of `send` and `wait`.
    virtual bool overlaps() const { return false; }
    virtual void send_message(std::size_t) {}  ///< by its number among the sends
    /// Waits for one of the receives: its number; -1: all have been handed out.
    virtual int arrived() { return -1; }
    /// true: messages are read where they lie, `place`, and not from `incoming`, unless they are
    /// collected there.
    virtual bool in_place() const { return false; }
    virtual const std::byte* place(std::size_t) const { return nullptr; }
    virtual void collect() {}
    virtual void post() = 0;
    virtual void send() = 0;
    virtual void wait() = 0;
    /// Bytes of a rank's non-blocking messages that are under way at most, one at least; 0: all.
    static inline std::size_t in_flight = 0;
    std::byte* outgoing() const { return out; }       ///< from `post` on
    const std::byte* incoming() const { return in; }  ///< from `wait` to the next `post`

protected:
    std::byte *out = nullptr, *in = nullptr;
};

/// overlaps: the caller computes points that need no halo while messages travel.
struct TransportKind {
    std::string_view name, text;
    std::unique_ptr<Transport> (*make)(MPI_Comm, const Parts&);
    bool overlaps = false;
};
std::span<const TransportKind> transports();
/// Those of them that put and get, and those within a node.
std::span<const TransportKind> one_sided_transports();
std::span<const TransportKind> node_transports();
const TransportKind& transport(std::string_view name);  ///< an error that names them all

}  // namespace fathom
