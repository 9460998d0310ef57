/// Semi-Lagrangian advection as a model uses it, on any shape: finds where trajectories begin, and
/// brings fields from there to their ends.
#pragma once
#include <span>
#include <vector>
#include "machine/region.hpp"
#include "parallel/halo/on_demand.hpp"

namespace fathom {

class Device;

template <class Number> class Carrier {
public:
    virtual ~Carrier() = default;

    /// [m s-1], [m s-1], [s-1]: d(eta)/dt.
    struct Wind {
        FieldSlab east, north, vertical;
    };
    /// The mean wind along each trajectory, kept until the next call; vertical.at empty: no
    /// vertical motion.
    virtual void depart(const Wind& now, const Wind& extrapolated) = 0;
    /// Of interfaces: the means of the last trajectories of the layers above and below; none ends
    /// beyond the first or the last interface.
    virtual void depart_between(Carrier& layers) = 0;

    /// wind: the first two fields of the group are a vector.
    enum class Kind { scalar, wind };
    /// Up to 4 fields. by_levels: where there is only one, four of its levels may lie next to each
    /// other instead of four fields.
    struct Group {
        std::vector<FieldSlab> fields;
        Kind kind = Kind::scalar;
        bool monotone = false, by_levels = true;
    };
    /// Values at the departure points take the place of those at the arrival points.
    virtual void interpolate(const Group& from, std::span<const FieldSlab> to) = 0;

    /// The same of fields on a device.
    virtual void depart_on(Device&, const Wind& now, const Wind& extrapolated) = 0;
    virtual void depart_between_on(Device&, Carrier& layers) = 0;
    virtual void interpolate_on(Device&, const Group&) = 0;

    virtual const OnDemandHalo& halo() const = 0;
    struct {
        Spent packing, departure, interpolation;
    } spent;
};

}  // namespace fathom
