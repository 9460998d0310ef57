/// Fresh water that sums to nothing over the whole sea: its mean over all wet columns is taken away
/// in each step, by an exact sum, with the same bits on any ranks.
#pragma once
#include "field/global_process.hpp"

namespace fathom::ocean {

class FreshwaterBalance final : public GlobalProcess {
public:
    FreshwaterBalance() : GlobalProcess("FreshwaterBalance") {}
    void prepare(Given) override;
    void apply(Given) override;

private:
    const Item flux = updates("surface_freshwater_flux", place::center_column, "kg m-2 s-1");
    double area = 0;  // of the sea
};

}  // namespace fathom::ocean
