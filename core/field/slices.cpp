#include "field/slices.hpp"
#include "parallel/halo/mover.hpp"

namespace fathom {

namespace {

/// The own points of all blocks, in the order of first_levels.
PointMoves own_points(const Domain& d, int bytes, int levels) {
    PointMoves moves{bytes, {{false, levels, {}, {}, {}}}, {}, {}, {}, 0, 0};
    std::int64_t begin = 0;
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        const int ny = d.blocks[b]->ny, nx = d.blocks[b]->nx;
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                moves.packed.push_back({b, j + d.halo, i + d.halo, 0,
                                        begin + std::int64_t(j) * nx + i, std::int64_t(ny) * nx});
        begin += std::int64_t(levels) * ny * nx;
    }
    moves.items[0].packed = {0, moves.packed.size()};
    moves.outgoing = begin * bytes;
    return moves;
}

std::vector<std::byte> packed_there(const FieldSet& s, int field, int levels) {
    auto& mover = s.slices(levels);
    if (!mover) mover = s.device()->make<Mover>(own_points(s.domain(), s.bytes(), levels));
    std::size_t points = 0;
    for (auto& block : s.domain().blocks) points += std::size_t(block->ny) * block->nx;
    std::vector<std::byte> to(points * levels * s.bytes());
    mover->pack({{s.on_device(field)}}, to.data());
    return to;
}

template <class T>
std::vector<std::byte> packed_here(const FieldSet& s, const Field& f, int levels) {
    const Domain& d = s.domain();
    const bool profile = f.place == place::profile;
    const int h = profile ? 0 : d.halo;
    std::size_t numbers = 0;
    for (auto& block : d.blocks)
        numbers += profile ? levels : std::size_t(levels) * block->ny * block->nx;
    std::vector<std::byte> all(numbers * sizeof(T));
    T* to = (T*)all.data();
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        const std::size_t ny = profile ? 1 : d.blocks[b]->ny, nx = profile ? 1 : d.blocks[b]->nx;
#pragma omp parallel for schedule(static) if (levels * ny * nx > 100000)
        for (int k = 0; k < levels; ++k)
            for (std::size_t j = 0; j < ny; ++j)
                std::copy_n((const T*)f.at[b] + (j + h) * f.row[b] + k * f.level[b] + h, nx,
                            to + (k * ny + j) * nx);
        to += levels * ny * nx;
    }
    return all;
}

}  // namespace

std::vector<std::byte> first_levels(const FieldSet& s, int field, int levels) {
    const Field& any = s.fields()[field];
    if (levels < any.levels && s.only_there(field)) return packed_there(s, field, levels);
    return s.bytes() == 4 ? packed_here<float>(s, s[field], levels)
                          : packed_here<double>(s, s[field], levels);
}

std::vector<double> columns(const FieldSet& s, int field, std::span<const OwnPoint> points,
                            int levels) {
    const bool there = s.only_there(field);
    const Field f = there ? s.on_device(field) : s[field];
    std::vector<const std::byte*> at;
    for (int k = 0; k < levels; ++k)
        for (auto [b, j, i] : points)
            at.push_back(f.at[b] + s.bytes() * ((j + s.domain().halo) * f.row[b] + k * f.level[b] +
                                                i + s.domain().halo));
    std::vector<double> values(at.size());
    if (there)
        s.device()->gather(at, s.bytes(), values.data());
    else
        for (std::size_t n = 0; n < at.size(); ++n)
            values[n] = s.bytes() == 4 ? *(const float*)at[n] : *(const double*)at[n];
    return values;
}

}  // namespace fathom
