#include "parallel/halo/packing.hpp"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include "base/error.hpp"
#include "base/pack.hpp"
#include "parallel/halo/mover.hpp"

namespace fathom {

namespace {

constexpr std::size_t large = 32768;  // numbers for which threads are worth their start
/// So many bytes have left the caches when they are read.
constexpr std::size_t beyond_cache = 8 << 20;

/// Numbers are copied as integers: so a change of sign flips one bit, even of a NaN.
template <class Number> struct As;
template <> struct As<float> {
    using Bits = std::uint32_t;
};
template <> struct As<double> {
    using Bits = std::uint64_t;
};

template <class Number> using BitsOf = typename As<Number>::Bits;
template <class Number>
constexpr BitsOf<Number> sign_bit = BitsOf<Number>(1) << (8 * sizeof(Number) - 1);

/// A value that is already there is not written. Most of these are zeros below the sea floor, in
/// pages that may have no memory yet.
template <class Number> void put(Number* out, const Number* in, int count, int step, bool flip) {
    if (step == 1 && !flip && count >= 8) {
        if (std::memcmp(out, in, count * sizeof(Number)))
            std::memcpy(out, in, count * sizeof(Number));
        return;
    }
    using Bits = BitsOf<Number>;
    const Bits mask = flip ? sign_bit<Number> : 0;
    Bits* to = (Bits*)out;
    const Bits* from = (const Bits*)in;
    for (int n = 0; n < count; ++n) {
        const Bits x = from[n * step] ^ mask;
        if (to[n] != x) to[n] = x;
    }
}

/// The address of a piece in a field, and its steps from level to level and from row to row.
template <class Number> struct Spot {
    Number* at;
    std::ptrdiff_t level, row;
    Spot(const FieldSlab& f, int block, int row, int column)
        : at((Number*)f.at[block] + row * f.row[block] + column),
          level(f.level[block]),
          row(f.row[block]) {}
    template <class F> void each(int rows, int levels, F body) const {
        for (int m = 0; m < rows; ++m)
            for (int k = 0; k < levels; ++k) body(at + m * row + k * level);
    }
};

/// past: whole lines are written past the caches; a stream_fence must follow.
template <bool past, class Number> void lay(Number* to, const Number* from, std::size_t count) {
    std::size_t n = 0;
    if constexpr (past) {
        constexpr std::size_t line = 64 / sizeof(Number);
        n = std::min(count, -std::uintptr_t(to) % 64 / sizeof(Number));
        std::memcpy(to, from, n * sizeof(Number));
        for (; n + line <= count; n += line)
            fathom::Pack<Number, line>::load(from + n).stream(to + n);
    }
    std::memcpy(to + n, from + n, (count - n) * sizeof(Number));
}

template <bool past, class Number>
void lay_run(Number* to, const Number* in, const Run& r, bool flip) {
    using Bits = BitsOf<Number>;
    if (r.step == 1 && !flip)
        lay<past>(to, in, r.count);
    else
        for (int i = 0; i < r.count; ++i)
            ((Bits*)to)[i] = ((const Bits*)in)[i * r.step] ^ (flip ? sign_bit<Number> : 0);
}

template <class Number, bool add>
void unpack(const FieldSlab& f, const Run& r, int rows, bool flip, const Number* from) {
    [[maybe_unused]] const Number sign = flip ? -1 : 1;
    Spot<Number>(f, r.to_block, r.to_row, r.to_column).each(rows, f.levels, [&](Number* out) {
        if constexpr (add)
            for (int n = 0; n < r.count; ++n) out[n] += sign * from[n];
        else
            put(out, from, r.count, 1, flip);
        from += r.count;
    });
}

template <class Number, bool add>
void copy(const FieldSlab& from, const FieldSlab& to, const Run& r, int rows, bool flip) {
    const Spot<Number> source(from, r.from_block, r.from_row, r.from_column),
        target(to, r.to_block, r.to_row, r.to_column);
    [[maybe_unused]] const Number sign = flip ? -1 : 1;
    for (int m = 0; m < rows; ++m)
        for (int k = 0; k < from.levels; ++k) {
            const Number* in = source.at + m * source.row + k * source.level;
            Number* out = target.at + m * target.row + k * target.level;
            if constexpr (add)
                for (int n = 0; n < r.count; ++n) out[n] += sign * in[n * r.step];
            else
                put(out, in, r.count, r.step, flip);
        }
}

template <class Number>
void restore(const FieldSlab& f, const Run& r, int rows, bool flip, const Number* from) {
    using Bits = BitsOf<Number>;
    const Bits mask = flip ? sign_bit<Number> : 0;
    Spot<Bits>(f, r.from_block, r.from_row, r.from_column).each(rows, f.levels, [&](Bits* out) {
        for (int n = 0; n < r.count; ++n) out[n * r.step] = ((const Bits*)from)[n] ^ mask;
        from += r.count;
    });
}

template <class F> void for_pieces(std::size_t count, bool threads, F body) {
#pragma omp parallel for schedule(static) if (threads)
    for (std::size_t n = 0; n < count; ++n) body(n);
}

/// Calls body(float()) or body(double()).
template <class F> void with_number(int bytes, F body) {
    if (bytes == 4)
        body(float());
    else
        body(double());
}

}  // namespace

Packing::Packing(std::span<const Plan> plans, std::span<const int> plan_of_item,
                 std::vector<Item> items, int bytes, int rank, bool add)
    : items(std::move(items)),
      number(bytes),
      add(add),
      plan_of_item(plan_of_item.begin(), plan_of_item.end()) {
    PiecesOfRanks out, in;
    for (std::size_t n = 0; n < this->items.size(); ++n)
        for (auto& m : plans[plan_of_item[n]].messages) {
            const bool mine = m.from_rank == rank, here = m.to_rank == rank;
            if (!mine && !here) continue;
            auto& list = mine && here ? local : mine ? out[m.to_rank] : in[m.from_rank];
            const std::size_t begin = list.size();
            for (auto& run : m.runs) append(list, begin, int(n), run);
            if (mine && here) local_numbers += m.points * this->items[n].levels;
        }
    parts.outgoing = lay_out(out, packed, first_packed, parts.sends);
    parts.incoming = lay_out(in, unpacked, first_unpacked, parts.receives);
    for (auto& s : parts.sends) sent_bytes += s.bytes;
    order_by_source();
}

/// Appends a run to a message whose pieces begin at `begin`. If it continues the last piece one row
/// further north on both sides, it becomes a part of that piece.
void Packing::append(std::vector<Piece>& list, std::size_t begin, int item, const Run& run) {
    if (list.size() > begin) {
        auto& [of_item, rows, r, offset] = list.back();
        const bool same_blocks = r.from_block == run.from_block && r.to_block == run.to_block;
        const bool same_columns = r.from_column == run.from_column &&
                                  r.to_column == run.to_column && r.count == run.count &&
                                  r.step == run.step && r.flipped == run.flipped;
        const bool next_row = r.from_row + rows == run.from_row && r.to_row + rows == run.to_row;
        if (same_blocks && same_columns && next_row) {
            ++rows;
            return;
        }
    }
    list.push_back({item, 1, run, 0});
}

/// Places the pieces of all ranks in a buffer; returns its bytes. Messages start at a cache line.
std::size_t Packing::lay_out(PiecesOfRanks& by_rank, std::vector<Piece>& pieces,
                             std::vector<std::size_t>& first,
                             std::vector<Parts::Part>& messages) const {
    std::size_t offset = 0;  // in numbers
    for (auto& [other, list] : by_rank) {
        const std::size_t begin = offset;
        first.push_back(pieces.size());
        for (auto& piece : list) {
            piece.offset = offset;
            offset += std::size_t(piece.run.count) * piece.rows * items[piece.item].levels;
            pieces.push_back(piece);
        }
        messages.push_back({other, begin * number, (offset - begin) * number});
        offset = (offset + 15) / 16 * 16;
    }
    first.push_back(pieces.size());
    return offset * number;
}

void Packing::order_by_source() {
    by_source.resize(packed.size());
    std::iota(by_source.begin(), by_source.end(), 0);
    auto row = [&](int n) {
        const auto& [item, rows, run, offset] = packed[n];
        return std::tuple(item, run.from_block, run.from_row, rows);
    };
    std::ranges::stable_sort(by_source, {}, [&](int n) {
        return std::tuple_cat(row(n), std::tuple(packed[n].run.from_column));
    });
    for (int first = 0, last; first < int(by_source.size()); first = last) {
        for (last = first + 1;
             last < int(by_source.size()) && row(by_source[last]) == row(by_source[first]);)
            ++last;
        for (int m = 0; m < packed[by_source[first]].rows; ++m) strips.push_back({first, last, m});
    }
}

template <bool past, class Number>
void Packing::pack_strip(const Strip& s, std::span<const FieldSlab> fields,
                         Number* outgoing) const {
    const Piece& any = packed[by_source[s.first]];
    const FieldSlab& f = fields[any.item];
    const Spot<const Number> source(f, any.run.from_block, any.run.from_row + s.row, 0);
    for (int k = 0; k < f.levels; ++k)
        for (int n = s.first; n < s.last; ++n) {
            const auto& [item, rows, r, offset] = packed[by_source[n]];
            lay_run<past>(outgoing + offset + (std::size_t(s.row) * f.levels + k) * r.count,
                          source.at + k * source.level + r.from_column, r,
                          r.flipped && items[item].vector);
        }
    if (past) stream_fence();
}

void Packing::pack(std::span<const FieldSlab> fields, std::byte* outgoing) const {
    const bool past = sent_bytes > beyond_cache;
    with_number(number, [&]<class Number>(Number) {
        for_pieces(strips.size(), sent_bytes > large * number, [&](std::size_t n) {
            if (past)
                pack_strip<true>(strips[n], fields, (Number*)outgoing);
            else
                pack_strip<false>(strips[n], fields, (Number*)outgoing);
        });
    });
}

void Packing::pack(std::span<const FieldSlab> fields, std::byte* outgoing, std::size_t send) const {
    const std::size_t first = first_packed[send];
    with_number(number, [&]<class Number>(Number) {
        for_pieces(first_packed[send + 1] - first, parts.sends[send].bytes > large * number,
                   [&](std::size_t n) {
                       const auto& [item, rows, r, offset] = packed[first + n];
                       Number* to = (Number*)outgoing + offset;
                       Spot<const Number>(fields[item], r.from_block, r.from_row, r.from_column)
                           .each(rows, fields[item].levels, [&](const Number* in) {
                               lay_run<false>(to, in, r, r.flipped && items[item].vector);
                               to += r.count;
                           });
                   });
    });
}

std::size_t Packing::plan_bytes() const {
    auto bytes = [](const auto&... list) { return (... + (list.capacity() * sizeof list[0])); };
    return bytes(items, parts.sends, parts.receives, packed, unpacked, local, first_packed,
                 first_unpacked, by_source, strips);
}

std::vector<std::vector<Packing::InMemory>> Packing::pieces(
    std::span<const FieldSlab> fields) const {
    std::vector<std::vector<InMemory>> sends;
    auto send = parts.sends.begin();
    for (auto& p : packed) {
        if (sends.empty() || p.offset * number >= send->offset + send->bytes)
            send = parts.sends.begin() + sends.size(), sends.emplace_back();
        Spot<std::byte> spot(fields[p.item], p.run.from_block, 0, 0);
        spot.at +=
            (p.run.from_row * fields[p.item].row[p.run.from_block] + p.run.from_column) * number,
            spot.row *= number, spot.level *= number;
        spot.each(p.rows, fields[p.item].levels, [&](const std::byte* in) {
            if (p.run.step == 1)
                sends.back().push_back({in, p.run.count * number});
            else
                for (int n = 0; n < p.run.count; ++n)
                    sends.back().push_back({in + n * p.run.step * number, number});
        });
    }
    return sends;
}

PointMoves Packing::points() const {
    if (add) throw Error("an exchange that adds has one order, and no device does it");
    PointMoves made{number, {}, {}, {}, {}, parts.outgoing, parts.incoming};
    const auto of_item = [&](const std::vector<Piece>& pieces, int item, auto& list, auto body) {
        const std::size_t first = list.size();
        for (auto& p : pieces)
            for (int m = 0; m < (p.item == item ? p.rows : 0); ++m)
                for (int n = 0; n < p.run.count; ++n) list.push_back(body(p, p.run, m, n));
        return PointMoves::Part{first, list.size() - first};
    };
    for (int item = 0; item < int(items.size()); ++item) {
        const int levels = items[item].levels;
        const auto at = [&](const Piece& p, int m, int n) {
            return std::int64_t(p.offset) + std::int64_t(m) * levels * p.run.count + n;
        };
        const auto same = std::ranges::find(plan_of_item, plan_of_item[item]);
        const int as = int(same - plan_of_item.begin());
        made.items.push_back(
            {items[item].vector, levels,
             as < item ? made.items[as].copied
                       : of_item(
                             local, item, made.copied,
                             [](auto&, auto& r, int m, int n) {
                                 return PointMoves::Copied{r.from_block,
                                                           r.from_row + m,
                                                           r.from_column + n * r.step,
                                                           r.to_block,
                                                           r.to_row + m,
                                                           r.to_column + n,
                                                           r.flipped,
                                                           0};
                             }),
             of_item(
                 packed, item, made.packed,
                 [&](auto& p, auto& r, int m, int n) {
                     return PointMoves::Packed{
                         r.from_block, r.from_row + m, r.from_column + n * r.step,
                         r.flipped,    at(p, m, n),    r.count};
                 }),
             of_item(
                 unpacked, item, made.unpacked,
                 [&](auto& p, auto& r, int m, int n) {
                     return PointMoves::Packed{r.to_block, r.to_row + m, r.to_column + n,
                                               0,          at(p, m, n),  r.count};
                 })});
    }
    return made;
}

void Packing::copy(std::span<const FieldSlab> from, std::span<const FieldSlab> to) const {
    with_number(number, [&]<class Number>(Number) {
        for_pieces(local.size(), !add && local_numbers > large, [&](std::size_t n) {
            const Piece& p = local[n];
            const bool flip = p.run.flipped && items[p.item].vector;
            if (add)
                fathom::copy<Number, true>(from[p.item], to[p.item], p.run, p.rows, flip);
            else
                fathom::copy<Number, false>(from[p.item], to[p.item], p.run, p.rows, flip);
        });
    });
}

void Packing::unpack(std::span<const FieldSlab> fields, const std::byte* incoming, bool flip,
                     int receive) const {
    const std::size_t first = receive < 0 ? 0 : first_unpacked[receive],
                      last = receive < 0 ? unpacked.size() : first_unpacked[receive + 1];
    const std::size_t bytes = receive < 0 ? parts.incoming : parts.receives[receive].bytes;
    with_number(number, [&]<class Number>(Number) {
        for_pieces(last - first, !add && bytes > large * number, [&](std::size_t n) {
            const Piece& p = unpacked[first + n];
            const bool turn = flip && p.run.flipped && items[p.item].vector;
            if (add)
                fathom::unpack<Number, true>(fields[p.item], p.run, p.rows, turn,
                                             (const Number*)incoming + p.offset);
            else
                fathom::unpack<Number, false>(fields[p.item], p.run, p.rows, turn,
                                              (const Number*)incoming + p.offset);
        });
    });
}

void Packing::unpack_part(std::size_t receive, std::span<const FieldSlab> fields,
                          const std::byte* part) const {
    const std::size_t first = first_unpacked[receive];
    const bool past = parts.receives[receive].bytes > beyond_cache;
    with_number(number, [&]<class Number>(Number) {
        const Number* all = (const Number*)(part - parts.receives[receive].offset);
        for_pieces(first_unpacked[receive + 1] - first,
                   parts.receives[receive].bytes > large * number, [&](std::size_t n) {
                       const auto& [item, rows, r, offset] = unpacked[first + n];
                       const Number* from = all + offset;
                       const Spot<Number> target(fields[item], r.to_block, r.to_row, r.to_column);
                       const int levels = fields[item].levels;
                       const bool whole =
                           target.level == r.count &&
                           target.row == std::ptrdiff_t(levels) * r.count;  // contiguous there, too
                       const std::size_t count =
                           whole ? std::size_t(rows) * levels * r.count : r.count;
                       target.each(whole ? 1 : rows, whole ? 1 : levels, [&](Number* to) {
                           if (past)
                               lay<true>(to, from, count);
                           else
                               lay<false>(to, from, count);
                           from += count;
                       });
                       if (past) stream_fence();
                   });
    });
}

void Packing::restore(std::span<const FieldSlab> fields, const std::byte* outgoing) const {
    with_number(number, [&]<class Number>(Number) {
        for (auto& p : packed)
            fathom::restore(fields[p.item], p.run, p.rows, p.run.flipped && items[p.item].vector,
                            (const Number*)outgoing + p.offset);
    });
}

}  // namespace fathom
