/// Exchange: one packed message to each neighbour for all the fields that need it.
///
///   start   receives posted;   buffers <- runs of all fields, level by level;   send
///   copy    points that stay on this rank, for work before `finish`
///   finish  copy, unless it was done;   wait;   runs of all fields <- buffers
/// The transport moves the messages (halo/messages.hpp). Everything is allocated on construction.
/// Fields in memory other than the processor's are packed by a mover (halo/mover.hpp), which is
/// given to `start`; messages travel the same way. All ranks construct, start and finish their
/// exchanges in the same order.
#pragma once
#include <cstddef>
#include <span>
#include <vector>
#include "parallel/halo/messages.hpp"
#include "parallel/halo/mover.hpp"
#include "parallel/halo/packing.hpp"
#include "parallel/mpi.hpp"

namespace fathom {

class Exchange {
public:
    using Item = Packing::Item;
    /// Halos; bytes of a number: 4 or 8.
    Exchange(MPI_Comm, const Decomposition&, int halo, int bytes, std::vector<Item>,
             std::string_view transport = "packed");
    /// Any plans, one for each item: `start` gets the sources, `finish` the targets. add: +=
    /// instead of =.
    Exchange(MPI_Comm, std::span<const Plan>, int bytes, std::vector<Item>, bool add = false,
             std::string_view transport = "packed");
    Exchange(const Exchange&) = delete;
    Exchange(Exchange&&) = default;

    /// The slabs, and the mover, must stay in place until `finish`. Error: a mover with a transport
    /// that does not pack.
    void start(std::span<const FieldSlab>, Mover* = nullptr);
    void copy(std::span<const FieldSlab> to);
    void finish(std::span<const FieldSlab>);
    PointMoves points() const { return packing.points(); }  ///< data that a mover needs
    const Parts& parts() const { return packing.parts; }    ///< of its buffers
    /// Whether this rank exchanges with others: if not, `copy` is the whole exchange.
    bool travels() const {
        return transport->meets() || !packing.parts.sends.empty() ||
               !packing.parts.receives.empty();
    }
    /// The caller should compute what needs no halo between `copy` and `finish`.
    bool overlaps() const { return transport->overlaps(); }
    /// Sent by this rank in each exchange.
    std::size_t messages() const { return packing.parts.sends.size(); }
    std::size_t bytes() const { return packing.sent_bytes; }
    enum Kind { halos, transpositions, on_demand, kinds };
    Kind kind = halos;
    /// Whether all ranks meet before messages are sent (1), and once they have arrived (2), for all
    /// exchanges of a kind: helps where a network congests, and separates waiting from travelling.
    static inline int synchronise[kinds] = {};

private:
    MPI_Comm comm;
    Packing packing;
    std::unique_ptr<Transport> transport;
    Mover* mover = nullptr;
    int partners;                  // of its meetings
    double sent = 0, sending = 0;  // when this rank began to send, and for how long
    bool copied = false;
    std::span<const FieldSlab> from;
    Exchange(MPI_Comm, Packing, std::string_view transport);
    void point_out(std::span<const FieldSlab>);
    void meet(int level);
    void pack(std::span<const FieldSlab>);
    void unpack(std::span<const FieldSlab>);
};

}  // namespace fathom
