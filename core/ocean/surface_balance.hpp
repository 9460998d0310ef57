/// Makes the integral of a flux over the whole sea zero: its mean over all wet columns is
/// subtracted in each step, by an exact sum, with the same bits on any ranks.
#pragma once
#include "field/global_process.hpp"

namespace fathom::ocean {

class SurfaceBalance final : public GlobalProcess {
public:
    SurfaceBalance(const std::string& name, std::string units)
        : GlobalProcess("SurfaceBalance of " + name),
          flux(updates(name, place::center_column, std::move(units))) {}
    void prepare(Given) override;
    void apply(Given at) override { take_away_mean(at); }
    void tangent(Given, Given change) const override { take_away_mean(change); }
    /// flux' -= area / (area of the sea) times the sum of flux'.
    void adjoint(Given, Given gradient) const override;
    bool apply_on(Device&, Given) override;
    bool lives_on(Device&) override { return true; }

private:
    const Item flux;
    double area = 0;  // of the sea
    void take_away_mean(Given) const;
};

}  // namespace fathom::ocean
