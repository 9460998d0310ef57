/// Packing: the pieces of several fields that plans move between ranks, one after another in a
/// buffer with a part for each other rank. Others carry the buffers: a transport
/// (halo/exchange.hpp), or servers that fetch them (output/offload.hpp).
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <vector>
#include "parallel/halo/plan.hpp"

namespace fathom {

struct PointMoves;  // mover.hpp

/// Where a field lies in the blocks of a rank.
struct FieldSlab {
    std::vector<std::byte*> at;  ///< of each block: row 0, column 0 (both in the halo), level 0
    std::vector<std::ptrdiff_t> row, level;  ///< strides in numbers
    int levels;
};

/// The parts of a rank's outgoing and incoming buffers, ordered by the other rank; offsets are
/// multiples of 16 numbers.
struct Parts {
    struct Part {
        int rank;
        std::size_t offset, bytes;
    };
    std::vector<Part> sends, receives;
    std::size_t outgoing = 0, incoming = 0;  ///< bytes of the buffers
};

class Packing {
public:
    struct Item {
        Horizontal horizontal;
        bool vector;
        int width;
        int levels;
    };
    /// One item for each field; bytes of a number: 4 or 8. add: += instead of =.
    Packing(std::span<const Plan>, std::span<const int> plan_of_item, std::vector<Item>, int bytes,
            int rank, bool add = false);

    std::vector<Item> items;
    int number;
    bool add;
    Parts parts;
    std::size_t sent_bytes = 0;

    void pack(std::span<const FieldSlab>, std::byte* outgoing) const;
    /// One message.
    void pack(std::span<const FieldSlab>, std::byte* outgoing, std::size_t send) const;
    /// Copies points that stay on this rank.
    void copy(std::span<const FieldSlab> from, std::span<const FieldSlab> to) const;
    /// flip: the signs of vectors were left to the receiver. receive: one message; -1: all.
    void unpack(std::span<const FieldSlab>, const std::byte* incoming, bool flip = false,
                int receive = -1) const;
    /// The part of one rank, in any memory.
    void unpack_part(std::size_t receive, std::span<const FieldSlab>, const std::byte* part) const;
    /// Copies packed numbers back to where they were.
    void restore(std::span<const FieldSlab>, const std::byte* outgoing) const;

    std::size_t plan_bytes() const;  ///< memory of all this

    struct InMemory {
        const std::byte* at;
        int bytes;
    };
    /// For each send, where its points lie in the fields.
    std::vector<std::vector<InMemory>> pieces(std::span<const FieldSlab>) const;
    /// The same numbers, point by point. Not for a packing that adds: its order would be lost.
    PointMoves points() const;

private:
    /// The same run in several rows; offset: in numbers, in the buffer.
    struct Piece {
        int item, rows;
        Run run;
        std::size_t offset;
    };
    using PiecesOfRanks = std::map<int, std::vector<Piece>>;
    std::vector<Piece> packed, unpacked, local;
    std::vector<int> plan_of_item;
    /// Piece of each send or receive, and the end.
    std::vector<std::size_t> first_packed, first_unpacked;
    std::size_t local_numbers = 0;
    /// A row of a field, and its pieces: pieces first to last of by_source, in the order of the
    /// memory that they come from.
    struct Strip {
        int first, last, row;
    };
    std::vector<int> by_source;
    std::vector<Strip> strips;
    template <bool past, class Number>
    void pack_strip(const Strip&, std::span<const FieldSlab>, Number* outgoing) const;
    static void append(std::vector<Piece>&, std::size_t begin, int item, const Run&);
    std::size_t lay_out(PiecesOfRanks&, std::vector<Piece>&, std::vector<std::size_t>& first,
                        std::vector<Parts::Part>& messages) const;
    void order_by_source();
};

}  // namespace fathom
