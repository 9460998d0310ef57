/// The process of RRTMGP, of packs: not for a compiler of devices.
#pragma once
#include <algorithm>
#include "physics/radiation/rrtmgp/scheme.hpp"

namespace fathom::physics {

/// Whether the g points of tables can be computed in separate threads: a minor gas must have the
/// range of a band.
inline bool in_lanes(const rrtmgp::KDistribution& k) {
    const auto within = [](const auto& minor) { return minor.within > 0; };
    return std::ranges::all_of(k.minor[0], within) && std::ranges::all_of(k.minor[1], within);
}

/// The scheme as a process of a sequence: no tangent, its operations are not counted.
inline Process process_of(const RRTMGP& scheme, int precision) {
    using process_detail::run;
    Process p;
    p.name = "RRTMGP";
    if (in_lanes(scheme.thermal) && in_lanes(scheme.solar)) p.entry = "RRTMGP";  // on a device
    p.scheme = std::make_shared<RRTMGP>(scheme);
    if (precision == 4)
        p.run = run<RRTMGP, Pack<float, cell_width<float>>, cell_width<float>>;
    else
        p.run = run<RRTMGP, Pack<double, cell_width<double>>, cell_width<double>>;
    p.operations = [] { return operations_counted; };
    p.set_shadow = [](std::ptrdiff_t) {};
    p.fields = process_detail::fields(uses<RRTMGP>);
    return p;
}

/// The same with gases and aerosols of the present time.
inline Process process_in_time(const RRTMGP& scheme, int precision) {
    using process_detail::run;
    Process p = process_of(scheme, precision);
    p.entry.clear();  // not on a device
    p.scheme = std::make_shared<RRTMGPInTime>(RRTMGPInTime{scheme});
    if (precision == 4)
        p.run = run<RRTMGPInTime, Pack<float, cell_width<float>>, cell_width<float>>;
    else
        p.run = run<RRTMGPInTime, Pack<double, cell_width<double>>, cell_width<double>>;
    p.fields = process_detail::fields(uses<RRTMGPInTime>);
    return p;
}

}  // namespace fathom::physics
