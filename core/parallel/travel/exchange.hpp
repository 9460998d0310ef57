/// Exchange: one packed message to each neighbour for all the fields that need it.
///
///   start   receives posted;   buffers <- runs of all fields, level by level;   send
///   copy    what stays with this rank, for who computes before `finish`
///   finish  copy, unless it was done;   wait;   runs of all fields <- buffers
/// How messages travel is the transport's (transport.hpp). Everything is allocated on construction.
/// Fields in other memory than the processor's are moved by a mover (mover.hpp), which is given to
/// `start`; messages travel the same way.
/// All ranks construct, start and finish their exchanges in the same order.
#pragma once
#include <cstddef>
#include <span>
#include <vector>
#include "parallel/mpi.hpp"
#include "parallel/travel/mover.hpp"
#include "parallel/travel/packing.hpp"
#include "parallel/travel/transport.hpp"

namespace fathom {

class Exchange {
public:
    using Item = Packing::Item;
    /// Halos; bytes of a number: 4 or 8.
    Exchange(MPI_Comm, const Decomposition&, int halo, int bytes, std::vector<Item>,
             std::string_view transport = "packed");
    /// Any plans, one for each item: `start` is given what is sent, `finish` where it goes. add: +=
    /// instead of =.
    Exchange(MPI_Comm, std::span<const Plan>, int bytes, std::vector<Item>, bool add = false,
             std::string_view transport = "packed");
    Exchange(const Exchange&) = delete;
    Exchange(Exchange&&) = default;

    /// The slabs, and the mover, stay where they are until `finish`. Error: a mover, and a
    /// transport that does not pack.
    void start(std::span<const FieldSlab>, Mover* = nullptr);
    void copy(std::span<const FieldSlab> to);
    void finish(std::span<const FieldSlab>);
    PointMoves points() const { return packing.points(); }  ///< what a mover needs to know
    /// Whether this rank has to do with others: if not, `copy` is all that there is to do.
    bool travels() const {
        return transport->meets() || !packing.parts.sends.empty() ||
               !packing.parts.receives.empty();
    }
    /// Whoever exchanges should compute what needs no halo between `copy` and `finish`.
    bool overlaps() const { return transport->overlaps(); }
    /// Sent by this rank each time.
    std::size_t messages() const { return packing.parts.sends.size(); }
    std::size_t bytes() const { return packing.sent_bytes; }
    enum Kind { halos, transpositions, on_demand, kinds };
    Kind kind = halos;
    /// Whether all ranks meet before messages go (1), and once they have come (2), of all
    /// exchanges of a kind: helps where a network congests, and shows waiting apart from
    /// travelling.
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
