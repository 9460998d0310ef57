/// Exchange: one packed non-blocking message to each neighbour for all the fields that need it.
///
///   start   receive <- posted;   buffers <- runs of all fields, level by level;   send
///   finish  local copies;   wait;   runs of all fields <- buffers
/// Everything is allocated on construction. All ranks construct, start and finish their exchanges in the same order.
#pragma once
#include "parallel/mpi.hpp"
#include "parallel/plan.hpp"
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
    Exchange(MPI_Comm, const Decomposition&, int halo, int bytes, std::vector<Item>);       ///< halos; bytes of a number: 4 or 8
    /// Any plans, one for each item: `start` is given what is sent, `finish` where it goes. add: += in place of =.
    Exchange(MPI_Comm, std::span<const Plan>, int bytes, std::vector<Item>, bool add = false);
    Exchange(const Exchange&) = delete;
    Exchange(Exchange&&) = default;

    void start(std::span<const FieldSlab>);                ///< the slabs stay where they are until `finish`
    void finish(std::span<const FieldSlab>);
    std::size_t messages() const { return sends.size(); }  ///< sent by this rank each time
    std::size_t bytes() const { return sent_bytes; }
    double seconds_packing = 0, seconds_waiting = 0;

private:
    struct Piece { int item, rows; Run run; std::size_t offset; };            ///< the same run in so many rows; offset: in numbers, in the buffer
    struct Neighbour { int rank; std::size_t offset, numbers; };
    MPI_Comm comm; int number; bool add;
    std::vector<Item> items;
    std::vector<Piece> packed, unpacked, local;
    std::vector<Neighbour> sends, receives;
    std::vector<std::byte> outgoing, incoming;
    std::vector<MPI_Request> requests;
    std::span<const FieldSlab> from;
    std::size_t sent_bytes = 0, local_numbers = 0;
    void build(std::span<const Plan>, std::span<const int> plan_of_item);
};

}  // namespace fathom
