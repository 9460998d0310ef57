/// The tables of the semi-implicit solve and diffusion on a sphere, for a device.
#pragma once
#include "atmosphere/hydrostatic/semi_implicit.hpp"
#include "atmosphere/spectral/horizontal_diffusion.hpp"
#include "atmosphere/spectral/implicit_on_device.hpp"

namespace fathom::atmosphere {

/// Of own m; columns lie `stride` apart.
template <class T>
std::unique_ptr<ImplicitOnDevice> implicit_on(Device& device, std::ptrdiff_t stride,
                                              const std::vector<int>& own, int truncation,
                                              double radius, double beta,
                                              const SemiImplicit<T>& solver,
                                              const HorizontalDiffusion<T>& diffusion) {
    std::vector<ImplicitWave> waves;
    std::vector<CoefficientThere<T>> coefficients;
    for (int m : own) {
        waves.push_back({int(coefficients.size()), truncation - m + 1});
        for (int n = m; n <= truncation; ++n)
            coefficients.push_back({T(beta * double(n) * (n + 1.) / (radius * radius)),
                                    T(n * (n + 1.) / (radius * radius)),
                                    n > 0 ? kinetic_factor(m, n, radius) : 0, diffusion.rate(n),
                                    diffusion.rate_of_divergence(n)});
    }
    const auto of =
        coefficient_tables<T>(stride, waves, coefficients, solver.of_vertical(), diffusion);
    const auto column = solver.of_vertical().of_column().template with<SpanOf>();
    const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    std::vector<T> first, second, third;
    if (const auto* stretched = solver.of_stretched_waves()) {
        std::vector<SquareRow<T>> square;
        for (int m : own) {
            const auto& e = stretched->of(m);
            append(square, e.square), append(first, e.scale), append(second, e.factor);
        }
        return device.make<ImplicitOnDevice>(
            ImplicitTables<T>{of, column, WavesOnStretchedSphere<T>{square, first, second}});
    }
    for (int m : own) {
        const auto& e = solver.of_waves().of(m);
        append(first, e.below), append(second, e.above), append(third, e.pivot);
    }
    return device.make<ImplicitOnDevice>(ImplicitTables<T>{
        of, column, WavesOnSphere<T>{solver.has_rotation(), first, second, third}});
}

}  // namespace fathom::atmosphere
