/// Pieces: what each rank gives each other lies next to each other, in memory of a device as in
/// that of the processor, and is one message without packing. On either side there is one piece for
/// each rank, one after another; that of the rank itself is copied.
#pragma once
#include "machine/device.hpp"
#include "parallel/halo/exchange.hpp"

namespace fathom {

/// Where the piece of each rank begins, and the end of the last one: in entries.
using Begins = std::vector<std::ptrdiff_t>;

/// Messages of this rank from one side to the other: one run each, `numbers` per entry.
Plan pieces_plan(int rank, const Begins& from, const Begins& to, int numbers);
/// The pieces as blocks; bytes: of an entry.
void point_to(std::byte* first, const Begins&, std::size_t bytes, FieldSlab&);

struct ThereAndBack {
    std::unique_ptr<Exchange> forth, back;
    /// bytes: of a number.
    ThereAndBack(MPI_Comm, const Plan&, int bytes, std::string_view transport);
};

/// Of pieces in memory of a device, through that of the processor.
class PiecesThere {
public:
    PiecesThere(std::shared_ptr<Device>, MPI_Comm, Begins one, Begins other, int numbers, int bytes,
                std::string_view transport);
    /// forth: from the one side to the other.
    void travel(std::byte* one, std::byte* other, bool forth);

private:
    const std::shared_ptr<Device> device;
    const int rank;
    const Begins one_side, other_side;
    const std::size_t entry;  // bytes
    ThereAndBack exchanges;
};

}  // namespace fathom
