/// The adjoint of interpolation by itself, for measurements: by bands (adjoint/give_back.hpp), and
/// in the simplest form: point after point, each value times each weight is added to each field, by
/// atomic additions so that threads may share the points.
#pragma once
#include <memory>
#include <vector>
#include "grid/gaussian.hpp"
#include "parallel/ownership/domain.hpp"

namespace fathom {

class ScatterMeasured {
public:
    /// One rank, four fields, cubic; departures so many points from their arrival along a row and
    /// so many rows, each a wave.
    ScatterMeasured(const GaussianGrid&, std::vector<double> eta, double columns, double rows);
    ~ScatterMeasured();
    /// Adds values at random back to four fields that are 0 before.
    void by_bands();
    void point_by_point(bool atomic);  ///< not atomic: on one thread
    void interpolate();                ///< forward: the gather that it is the adjoint of
    /// Root of the sum of squares of the last result.
    double norm() const;
    std::size_t points() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts;
};

}  // namespace fathom
