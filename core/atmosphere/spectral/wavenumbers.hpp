/// The zonal wavenumbers in a list of waves that is ordered m by m.
#pragma once
#include <vector>

namespace fathom::atmosphere {

template <class Waves> std::vector<int> first_of_each(const Waves& waves) {
    std::vector<int> starts;
    for (std::size_t i = 0; i < waves.size(); ++i)
        if (i == 0 || waves[i].m != waves[i - 1].m) starts.push_back(int(i));
    return starts;
}
template <class Waves>
std::vector<int> wavenumbers(const Waves& waves, const std::vector<int>& starts) {
    std::vector<int> m;
    for (int i : starts) m.push_back(waves[i].m);
    return m;
}

}  // namespace fathom::atmosphere
