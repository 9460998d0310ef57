/// Beyond: points of the halo beyond a closed edge, which no rank owns. A pack at the edge computes
/// some of them, from numbers without a meaning; which ones depends on the blocks. So fields that
/// processes write are 0 there whenever a process looks at neighbours. Fields that nothing writes,
/// such as lengths, keep what they were given; those of global processes what these put there, as
/// the wind over a pole.
#pragma once
#include <vector>
#include "field/field_set.hpp"

namespace fathom {

class Beyond {
public:
    /// Adds the points of a field of this set.
    void add(int field, const Field&, const Domain&);
    void clear(FieldSet&) const;

private:
    /// Points next to each other in a stored row of a block, halo included.
    struct Stretch {
        int field, block, row, column, count;
    };
    std::vector<Stretch> list;
};

}  // namespace fathom
