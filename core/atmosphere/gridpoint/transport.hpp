/// The semi-Lagrangian part of a step of the grid-point atmosphere.
///   departure   d = dt (alpha V(n+1)_A + beta V(n)_D),  at interfaces, by iteration
///   climb       d along levels over hills, where air rises with w (climb.hpp)
///   transport   the means of d around the points of each field are its displacement:
///               at interfaces d itself, in layers of the two, on faces of the four around;
///               on faces of a sphere their own d, too, where the setup says so (own_of_wind)
/// d is a length along x and y, and along the height of levels; on the sphere a vector in space
/// instead of x and y (sphere_transport.cpp).
#pragma once
#include <memory>
#include <vector>
#include "atmosphere/gridpoint/air.hpp"
#include "atmosphere/gridpoint/air_mass.hpp"
#include "base/usual.hpp"
#include "field/global_process.hpp"

namespace fathom::atmosphere {

struct GridPointSetup {
    double step = 10, implicitness = usual::gridpoint_implicitness;
    int iterations = 2;           ///< interpolations of the wind to the departure point
    double dx = 1000, dy = 1000;  ///< spacing [m], on a sphere [degrees]
    std::vector<double> heights;  ///< of the interfaces, from the top down [m]
    double radius = 0;            ///< of the sphere [m]; 0: a plane
    bool deep = false;
    double south = -90;  ///< latitude where the first row of a sphere begins [degrees]
    /// Whether it is an area of a sphere, whose outermost points are given: departures end there.
    bool area = false;
    int times = 1;       ///< how often a step carries the same fields: its outer iterations
    bool hills = false;  ///< whether heights of levels vary: trajectories climb (climb.hpp)
    /// Whether each point of the wind on a sphere has a trajectory of its own, in place of the mean
    /// of those around it. Over hills its motion through levels is that mean.
    bool own_of_wind = false;
    /// The displacement along levels that the velocity through levels makes.
    const char* by_velocity() const {
        return hills ? "displacement_level_by_velocity" : "displacement_level";
    }
};

/// Reach of departures: points that a rank receives, and plans made so far.
struct GridPointHalo {
    std::size_t points = 0;
    long plans = 0;
};

class GridPointCarrier : public GlobalProcess {
public:
    using GlobalProcess::GlobalProcess;
    virtual GridPointHalo halo() const { return {}; }
    /// Processor time spent on each row of the globe [s]; without rows it is not measured.
    std::vector<double> row_seconds;

protected:
    /// Fields that live on a device.
    static std::vector<FieldSlab> on_device(Given given, const std::vector<Item>& items) {
        std::vector<FieldSlab> all;
        for (Item item : items) all.push_back(given.on_device(item));
        return all;
    }
};

/// bytes: 4 or 8, of a number.
std::shared_ptr<GridPointCarrier> gridpoint_departure(const GridPointSetup&, int bytes);
std::shared_ptr<GridPointCarrier> gridpoint_climb(const GridPointSetup&, int bytes);
std::shared_ptr<GridPointCarrier> gridpoint_transport(const GridPointSetup&, int bytes);
std::shared_ptr<GridPointCarrier> sphere_departure(const GridPointSetup&, int bytes);
std::shared_ptr<GridPointCarrier> sphere_transport(const GridPointSetup&, int bytes);

/// Conserves the mass of air: multiplies density by (mass before) / (mass now).
class DryMass final : public GlobalProcess {
public:
    explicit DryMass(double curvature = 0) : GlobalProcess("DryMass"), curvature(curvature) {}
    void apply(Given) override;
    bool apply_on(Device&, Given) override;
    bool lives_on(Device&) override { return true; }
    double correction = 0;  ///< of the last step: the factor less 1

private:
    const Item before = reads("density_before", place::center_layer, "kg m-3"),
               density = updates("air_density", place::center_layer, "kg m-3"),
               z = reads("interface_height", place::center_interface, "m"),
               area = reads("area_center", place::center_column, "m2");
    const double curvature;  // of a deep atmosphere, else 0
    std::shared_ptr<AirMassOnDevice> there;
    template <class T> void scale(Given, T by) const;
};

}  // namespace fathom::atmosphere
