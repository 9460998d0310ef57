/// The sphere below a spectral atmosphere.
#include <algorithm>
#include "atmosphere/spectral/horizontal_diffusion.hpp"
#include "atmosphere/spectral/map_factor.hpp"
#include "atmosphere/spectral/shape.hpp"
#include "atmosphere/spectral/sphere_on_device.hpp"
#include "atmosphere/spectral/wavenumbers.hpp"
#include "semi_lagrangian/sphere/transport.hpp"
#include "transform/sphere/spherical_harmonics.hpp"

namespace fathom::atmosphere {

namespace {

template <class T> class TermsOnSphere final : public ImplicitTerms<T> {
public:
    TermsOnSphere(const OnSphere& on, const SpectralSetup& s, const HybridReference& reference,
                  std::vector<int> own)
        : truncation(on.truncation),
          levels(int(s.a.size()) - 1),
          radius(s.parameters.radius),
          beta(s.beta()),
          own(std::move(own)),
          solver(reference,
                 {s.parameters.radius, s.parameters.splitting > 0 ? 0 : s.parameters.rotation,
                  s.beta(), on.truncation, on.grid.stretching},
                 this->own),
          diffusion(s.parameters, s.parameters.step, on.truncation, s.a, s.b) {}
    void solve(int number, T* columns, std::ptrdiff_t stride,
               std::vector<T>& scratch) const override {
        solver.solve(own[number], columns, stride, scratch);
    }
    void diffuse(int number, T* columns, std::ptrdiff_t stride) const override {
        const int m = own[number];
        for (int n = m; n <= truncation; ++n)
            for (int c = 0; c < 2; ++c) diffusion(n, columns + (2 * (n - m) + c) * stride);
    }
    void add_kinetic(int number, const T* columns, std::ptrdiff_t stride, double sign,
                     double* to) const override {
        const int m = own[number];
        for (int n = std::max(m, 1); n <= truncation; ++n) {
            const double factor = sign * kinetic_factor(m, n, radius);
            for (int c = 0; c < 2; ++c) {
                const T *zeta = columns + (2 * (n - m) + c) * stride, *D = zeta + levels;
                for (int k = 0; k < levels; ++k)
                    to[k] += kinetic_of_coefficient(factor, double(zeta[k]), double(D[k]));
            }
        }
    }
    void solve_adjoint(int number, T* columns, std::ptrdiff_t stride,
                       std::vector<T>& scratch) const override {
        solver.solve_adjoint(own[number], columns, stride, scratch);
    }
    void diffuse_adjoint(int number, T* columns, std::ptrdiff_t stride) const override {
        const int m = own[number];
        for (int n = m; n <= truncation; ++n)
            for (int c = 0; c < 2; ++c) diffusion.adjoint(n, columns + (2 * (n - m) + c) * stride);
    }
    double operations_of_solve() const override { return solver.operations(); }
    double operations_of_diffusion() const override { return diffusion.operations(); }
    std::unique_ptr<ImplicitOnDevice> on(Device& device, std::ptrdiff_t stride) const override {
        return implicit_on(device, stride, own, truncation, radius, beta, solver, diffusion);
    }

private:
    int truncation, levels;
    double radius, beta;
    std::vector<int> own;  // m
    SemiImplicit<T> solver;
    HorizontalDiffusion<T> diffusion;
};

template <class T> class Sphere final : public Shape<T> {
public:
    Sphere(const OnSphere& on, const SpectralSetup& s, const Domain& d)
        : domain(d),
          on(on),
          harmonics(d.comm, on.grid, on.truncation, d.decomposition,
                    {.radius = s.parameters.radius, .exchange = d.exchange}),
          map(d, on.grid) {}
    RowTransform<T>& transform() override { return harmonics; }
    int points_of_row(int row) const override { return on.grid.points[row]; }
    double weight_of_row(int row) const override { return on.grid.area(row) / on.grid.points[row]; }
    bool even() const override { return !map; }
    void times_map_factor(std::initializer_list<const FieldSlab*> fields,
                          int power) const override {
        map.times(fields, power);
    }
    T map_factor(int row, int, int power) const override { return map.of_row(row, power); }
    std::unique_ptr<ImplicitTerms<T>> implicit_terms(const SpectralSetup& s,
                                                     const HybridReference& r) const override {
        if (s.compressible()) throw Error("compressible air is solved for on a plane alone");
        return std::make_unique<TermsOnSphere<T>>(
            on, s, r, wavenumbers(harmonics.own(), first_of_each(harmonics.own())));
    }
    std::unique_ptr<Carrier<T>> carrier(const SpectralSetup& s,
                                        const std::vector<double>& eta) const override {
        return std::make_unique<SemiLagrangian<T>>(domain.comm, domain.decomposition, domain.halo,
                                                   on.grid, eta, trajectories(s));
    }
    std::unique_ptr<LinearTransport<T>> linear_carrier(
        const SpectralSetup& s, const std::vector<double>& eta) const override {
        return linear_transport<T>(domain, on.grid, eta, trajectories(s));
    }

private:
    static typename SemiLagrangian<T>::Parameters trajectories(const SpectralSetup& s) {
        return {s.parameters.step, s.parameters.radius, 0, int(s.parameters.iterations)};
    }
    const Domain& domain;
    const OnSphere on;
    SphericalHarmonics<T> harmonics;
    MapFactor<T> map;
};

}  // namespace

template <class T>
std::unique_ptr<Shape<T>> shape_of(const OnSphere& on, const SpectralSetup& s, const Domain& d) {
    return std::make_unique<Sphere<T>>(on, s, d);
}
template std::unique_ptr<Shape<float>> shape_of<float>(const OnSphere&, const SpectralSetup&,
                                                       const Domain&);
template std::unique_ptr<Shape<double>> shape_of<double>(const OnSphere&, const SpectralSetup&,
                                                         const Domain&);

}  // namespace fathom::atmosphere
