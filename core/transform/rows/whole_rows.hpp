/// Fields on a device whose rows are shared by blocks: the whole rows of a rank there, and the
/// exchanges that collect their pieces and send them back.
#pragma once
#include <vector>
#include "machine/device.hpp"
#include "parallel/halo/exchange.hpp"

namespace fathom {

class WholeRows {
public:
    /// collection: pieces in blocks -> rectangles of whole rows, those of `own` on this rank;
    /// levels: of each field.
    WholeRows(Device& device, MPI_Comm comm, const Plan& collection,
              const std::vector<Rectangle>& own, const std::vector<int>& levels, int bytes,
              const std::string& exchange)
        : gathering(comm, plans(collection, levels), bytes, items(levels), false, exchange),
          scattering(comm, plans(adjoint(collection), levels), bytes, items(levels), false,
                     exchange),
          for_gathering(device.make<Mover>(gathering.points())),
          for_scattering(device.make<Mover>(scattering.points())) {
        gathering.kind = scattering.kind = Exchange::transpositions;
        std::size_t points = 0, numbers = 0;
        for (const Rectangle& r : own) points += std::size_t(r.nx) * r.ny;
        for (const int count : levels) numbers += count * points;
        memory = DeviceMemory(device.shared_from_this(), numbers * bytes + 1);
        std::byte* at = memory.at;
        for (const int count : levels) {
            FieldSlab& f = rows.emplace_back(FieldSlab{{}, {}, {}, count});
            for (const Rectangle& r : own) {
                f.at.push_back(at), f.level.push_back(r.nx);
                f.row.push_back(std::ptrdiff_t(count) * r.nx);
                at += std::size_t(count) * r.nx * r.ny * bytes;
            }
        }
    }
    const FieldSlab& operator[](std::size_t field) const { return rows[field]; }
    void gather(std::span<const FieldSlab> fields) {
        gathering.start(fields, for_gathering.get()), gathering.finish(rows);
    }
    void scatter(std::span<const FieldSlab> fields) {
        scattering.start(rows, for_scattering.get()), scattering.finish(fields);
    }

private:
    Exchange gathering, scattering;
    std::unique_ptr<Mover> for_gathering, for_scattering;
    DeviceMemory memory;
    std::vector<FieldSlab> rows;

    static std::vector<Plan> plans(const Plan& one, const std::vector<int>& levels) {
        return std::vector<Plan>(levels.size(), one);
    }
    static std::vector<Exchange::Item> items(const std::vector<int>& levels) {
        std::vector<Exchange::Item> list;
        for (const int count : levels) list.push_back({Horizontal::center, false, 0, count});
        return list;
    }
};

}  // namespace fathom
