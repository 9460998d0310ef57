/// Exchange: one packed message to each neighbour for all the fields that need it.
///
///   start   receives posted;   buffers <- runs of all fields, level by level;   send
///   finish  local copies;   wait;   runs of all fields <- buffers
/// How messages travel is the transport's (transport.hpp). Everything is allocated on construction. All ranks construct, start and finish their exchanges in the same order.
#pragma once
#include "parallel/mpi.hpp"
#include "parallel/plan.hpp"
#include "parallel/transport.hpp"
#include <cstddef>
#include <span>
#include <vector>

namespace fathom {

/// Where the blocks of a rank keep a field.
struct FieldSlab {
    std::vector<std::byte*> at;                            ///< of each block: row 0, column 0 (both in the halo), level 0
    std::vector<std::ptrdiff_t> row, level;                ///< strides in numbers
    int levels;
};

class Exchange {
public:
    struct Item { Horizontal horizontal; bool vector; int width; int levels; };
    Exchange(MPI_Comm, const Decomposition&, int halo, int bytes, std::vector<Item>, std::string_view transport = "packed");       ///< halos; bytes of a number: 4 or 8
    /// Any plans, one for each item: `start` is given what is sent, `finish` where it goes. add: += in place of =.
    Exchange(MPI_Comm, std::span<const Plan>, int bytes, std::vector<Item>, bool add = false, std::string_view transport = "packed");
    Exchange(const Exchange&) = delete;
    Exchange(Exchange&&) = default;

    void start(std::span<const FieldSlab>);                ///< the slabs stay where they are until `finish`
    void finish(std::span<const FieldSlab>);
    std::size_t messages() const { return parts.sends.size(); }  ///< sent by this rank each time
    std::size_t bytes() const { return sent_bytes; }
    double seconds_packing = 0, seconds_waiting = 0;
    /// Whether all ranks meet before messages go, of all exchanges of this process: helps where a network congests, and shows waiting apart from travelling.
    static inline bool synchronise = false;
    static inline double seconds_synchronising = 0;

private:
    struct Piece { int item, rows; Run run; std::size_t offset; };            ///< the same run in so many rows; offset: in numbers, in the buffer
    MPI_Comm comm; int number; bool add;
    std::vector<Item> items;
    std::vector<Piece> packed, unpacked, local;
    Transport::Parts parts;
    std::unique_ptr<Transport> transport;
    std::span<const FieldSlab> from;
    std::size_t sent_bytes = 0, local_numbers = 0;
    void point_out(std::span<const FieldSlab>);
    void build(std::span<const Plan>, std::span<const int> plan_of_item, std::string_view transport);
};

}  // namespace fathom
