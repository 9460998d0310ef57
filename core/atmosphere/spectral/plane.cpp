/// The plane map of a limited area below a spectral atmosphere: transformed fields are periodic.
///
/// Wind over the map factor m is transformed, as on a stretched sphere. With D, the divergence on
/// the map, the divergence is m^2 D, and grad = m grad of the map. In the linear terms m^2 is one
/// number M, its maximum over the area, so that the implicit waves are never too slow:
///   D_n (1 + beta^2 M c^2 K^2) = R_n,      K^2 = k^2 + l^2
/// for each vertical mode separately, with c^2 of hydrostatic or compressible air (hydrostatic and
/// nonhydrostatic/semi_implicit.hpp); rotation is split off (hydrostatic/coriolis.hpp). Diffusion:
///   X / (1 + span K_n),   K_n = (K^2 / K_max^2)^order / time,    K_max that of the shorter waves
/// with the factors and the corrections of horizontal_diffusion.hpp.
#include <cmath>
#include <numbers>
#include "atmosphere/nonhydrostatic/semi_implicit.hpp"
#include "atmosphere/spectral/horizontal_diffusion.hpp"
#include "atmosphere/spectral/shape.hpp"
#include "atmosphere/spectral/wavenumbers.hpp"
#include "base/error.hpp"
#include "semi_lagrangian/plane/transport.hpp"
#include "transform/plane/bi_fourier.hpp"

namespace fathom::atmosphere {

namespace {

double square_of_wave(const BiFourierPlane& p, int m, int n) {
    const double turn = 2 * std::numbers::pi, k = turn * m / p.length_x, l = turn * n / p.length_y;
    return k * k + l * l;
}

double largest_square(const OnPlane& on) {
    double most = 1;
    const auto& m = on.map_factor;
    if (!m.empty()) most = 0;
    for (int j = 0; !m.empty() && j < on.rows; ++j)
        for (int i = 0; i < on.columns; ++i) {
            const double here = m[std::size_t(j) * on.waves.points + i];
            most = std::max(most, here * here);
        }
    return most;
}

/// A wavenumber m that this rank owns: its first and its last n.
struct OwnWave {
    int m, first, last;
};

/// Vertical: VerticalTerms of hydrostatic air, or CompressibleTerms.
template <class T, class Vertical> class TermsOnPlane final : public ImplicitTerms<T> {
public:
    template <class Reference>
    TermsOnPlane(const OnPlane& on, const SpectralSetup& s, const Reference& reference,
                 std::vector<OwnWave> own)
        : plane(on.waves),
          own(std::move(own)),
          square(largest_square(on)),
          beta(s.beta()),
          vertical(reference, beta),
          diffusion(s.parameters, s.a, s.b) {
        const SpectralParameters& p = s.parameters;
        const double shortest =
            std::max(square_of_wave(plane, plane.east, 0), square_of_wave(plane, 0, plane.north));
        span = p.step, viscosity = p.viscosity, divergent = p.divergence_damping;
        for (auto& w : this->own)
            for (int n = w.first; n <= w.last; ++n) {
                const double K2 = square_of_wave(plane, w.m, n);
                rates.push_back(p.diffusion_time > 0 && K2 > 0
                                    ? std::pow(K2 / shortest, p.diffusion_order) / p.diffusion_time
                                    : 0);
            }
        std::size_t begin = 0;
        for (auto& w : this->own) start.push_back(begin), begin += w.last - w.first + 1;
    }
    void solve(int number, T* columns, std::ptrdiff_t stride,
               std::vector<T>& scratch) const override {
        const OwnWave w = own[number];
        const int P = vertical.padded(), count = 2 * (w.last - w.first + 1),
                  padded = (count + 3) / 4 * 4;
        const std::size_t size = std::size_t(padded) * P;
        if (scratch.size() < 2 * size) scratch.resize(2 * size);
        T *level = scratch.data(), *mode = level + size;
        std::fill_n(level + std::size_t(count) * P, std::size_t(padded - count) * P, T(0));
        for (int i = 0; i < count; ++i) {
            const double K2 = square_of_wave(plane, w.m, w.first + i / 2);
            vertical.right_side(T(beta * K2), columns + i * stride, level + std::size_t(i) * P);
        }
        vertical.to_modes(level, mode, padded);
        divide(w, mode);
        vertical.from_modes(mode, level, padded);
        for (int i = 0; i < count; ++i) {
            // the mean wind has no divergence: this element stores the wind itself
            const bool mean = w.m == 0 && w.first + i / 2 == 0;
            T* const of_D = level + std::size_t(i) * P;
            if (!mean) std::copy_n(of_D, vertical.modes(), columns + i * stride + vertical.modes());
            for (int k = 0; k < vertical.modes(); ++k) of_D[k] = mean ? T(0) : T(square) * of_D[k];
            vertical.finish(of_D, columns + i * stride);
        }
    }
    void solve_adjoint(int number, T* columns, std::ptrdiff_t stride,
                       std::vector<T>& scratch) const override {
        const OwnWave w = own[number];
        const int P = vertical.padded(), K = vertical.modes(), count = 2 * (w.last - w.first + 1),
                  padded = (count + 3) / 4 * 4;
        const std::size_t size = std::size_t(padded) * P;
        if (scratch.size() < 2 * size) scratch.resize(2 * size);
        T *level = scratch.data(), *mode = level + size;
        std::fill_n(level, size, T(0));
        const auto is_mean = [&](int i) { return w.m == 0 && w.first + i / 2 == 0; };
        for (int i = 0; i < count; ++i) {
            T *const column = columns + i * stride, *const of_D = level + std::size_t(i) * P;
            vertical.finish_adjoint(column, of_D);
            for (int k = 0; k < K; ++k)
                of_D[k] = is_mean(i) ? T(0) : T(square) * of_D[k] + column[K + k];
        }
        vertical.from_modes_adjoint(level, mode, padded);
        divide(w, mode);
        vertical.to_modes_adjoint(mode, level, padded);
        for (int i = 0; i < count; ++i) {
            T *const column = columns + i * stride, *const of_D = level + std::size_t(i) * P;
            if (!is_mean(i)) std::copy_n(of_D, K, column + K);
            const double K2 = square_of_wave(plane, w.m, w.first + i / 2);
            vertical.right_side_adjoint(T(beta * K2), of_D, column);
        }
    }
    void diffuse(int number, T* columns, std::ptrdiff_t stride) const override {
        each_column(number, columns, stride, [&](T* column, double all, double divergent) {
            diffusion.damp(column, all, divergent);
            if constexpr (compressible) diffusion.damp_compressible(column, all, divergent);
        });
    }
    void diffuse_adjoint(int number, T* columns, std::ptrdiff_t stride) const override {
        each_column(number, columns, stride, [&](T* column, double all, double divergent) {
            diffusion.damp_adjoint(column, all, divergent);
            if constexpr (compressible) diffusion.damp_compressible(column, all, divergent);
        });
    }
    void add_kinetic(int number, const T* columns, std::ptrdiff_t stride, double sign,
                     double* to) const override {
        const OwnWave w = own[number];
        for (int n = w.first; n <= w.last; ++n) {
            const double half = sign * kinetic_factor(square_of_wave(plane, w.m, n));
            for (int c = 0; c < 2; ++c) {
                const T *zeta = columns + (2 * (n - w.first) + c) * stride,
                        *D = zeta + vertical.modes();
                for (int k = 0; k < vertical.modes(); ++k)
                    to[k] += kinetic_of_coefficient(half, double(zeta[k]), double(D[k]));
            }
        }
    }
    double operations_of_solve() const override { return 4. * vertical.modes() * vertical.modes(); }
    double operations_of_diffusion() const override { return 8. * vertical.modes(); }
    std::unique_ptr<ImplicitOnDevice> on(Device& device, std::ptrdiff_t stride) const override {
        std::vector<ImplicitWave> waves;
        std::vector<CoefficientThere<T>> coefficients;
        std::vector<double> of_modes;
        for (std::size_t number = 0; number < own.size(); ++number) {
            const OwnWave& w = own[number];
            waves.push_back({int(coefficients.size()), w.last - w.first + 1});
            for (int n = w.first; n <= w.last; ++n) {
                const double K2 = square_of_wave(plane, w.m, n);
                const auto [all, divergent] = spans(number, n);
                coefficients.push_back({T(beta * K2), T(K2), kinetic_factor(K2), all, divergent});
                of_modes.push_back(wave_of_modes(w.m, n));
            }
        }
        return device.make<ImplicitOnDevice>(ImplicitTables<T>{
            coefficient_tables<T>(stride, waves, coefficients, vertical, diffusion),
            vertical.of_column().template with<SpanOf>(),
            WavesOnPlane<T>{of_modes, vertical.speeds_squared(), T(square)}});
    }

private:
    static constexpr bool compressible = std::is_same_v<Vertical, CompressibleTerms<T>>;
    const BiFourierPlane plane;
    const std::vector<OwnWave> own;
    const double square, beta;  // M
    Vertical vertical;
    DiffusionOfLevels<T> diffusion;
    double span, viscosity, divergent;
    std::vector<double> rates;
    std::vector<std::size_t> start;  // start of each own m in `rates`

    /// Divides each mode by 1 + beta^2 M c^2 K^2; the adjoint is the same.
    void divide(const OwnWave& w, T* mode) const {
        for (int i = 0; i < 2 * (w.last - w.first + 1); ++i) {
            const double wave = wave_of_modes(w.m, w.first + i / 2);
            T* x = mode + std::size_t(i) * vertical.padded();
            for (int k = 0; k < vertical.modes(); ++k)
                x[k] = divided(x[k], wave, vertical.speed_squared(k));
        }
    }
    /// beta^2 M K^2
    double wave_of_modes(int m, int n) const {
        return beta * beta * square * square_of_wave(plane, m, n);
    }
    static double kinetic_factor(double K2) {
        return K2 > 0 ? 1 / K2 : 0.5;  // else the mean wind itself
    }
    /// Span K_n of all fields, that of divergence.
    std::array<double, 2> spans(int number, int n) const {
        const OwnWave& w = own[number];
        const double rate = rates[start[number] + n - w.first],
                     more = viscosity * square_of_wave(plane, w.m, n);
        return {span * (rate + more), span * (rate * divergent + more)};
    }
    /// Calls body(column, span K_n of all fields, that of divergence).
    template <class Body>
    void each_column(int number, T* columns, std::ptrdiff_t stride, Body body) const {
        const OwnWave w = own[number];
        for (int n = w.first; n <= w.last; ++n) {
            const auto [all, of_divergence] = spans(number, n);
            for (int c = 0; c < 2; ++c)
                body(columns + (2 * (n - w.first) + c) * stride, all, of_divergence);
        }
    }
};

/// The extension has no columns: a block that lies wholly in it would have no owner.
const OnPlane& checked(const OnPlane& on, const Domain& d) {
    for (const Block& b : d.decomposition.blocks)
        if (b.owner < 0)
            throw Error("a block of ", b.nx, " × ", b.ny,
                        " points lies in the extension alone; allowed: distribution north-south");
    return on;
}

template <class T> class Plane final : public Shape<T> {
public:
    Plane(const OnPlane& given, const SpectralSetup& s, const Domain& d)
        : domain(d),
          on(checked(given, d)),
          waves(d.comm, on.waves, d.decomposition, {.exchange = d.exchange}),
          square(largest_square(on)) {
        if (!(s.parameters.splitting > 0))
            throw Error("on a plane rotation is split off the implicit terms");
        const std::size_t points = std::size_t(on.waves.points) * on.waves.rows;
        if (!on.map_factor.empty() && on.map_factor.size() != points)
            throw Error("a map factor of ", on.map_factor.size(), " points on a plane of ", points);
        for (const double m : on.map_factor)
            powers[0].push_back(T(1 / m)), powers[1].push_back(T(m)), powers[2].push_back(T(m * m));
    }
    RowTransform<T>& transform() override { return waves; }
    int points_of_row(int row) const override { return row < on.rows ? on.columns : 0; }
    double weight_of_row(int) const override { return 1. / (double(on.columns) * on.rows); }
    double square_of_reference() const override { return on.map_factor.empty() ? 0 : square; }
    bool even() const override { return on.map_factor.empty(); }
    int points_of_map(int) const override { return on.waves.points; }
    T map_factor(int row, int column, int power) const override {
        return of_power(power)[std::size_t(row) * on.waves.points + column];
    }
    void times_map_factor(std::initializer_list<const FieldSlab*> fields,
                          int power) const override {
        if (on.map_factor.empty()) return;
        const std::vector<T>& factor = of_power(power);
        for (const FieldSlab* f : fields)
            for (std::size_t b = 0; b < domain.blocks.size(); ++b) {
                const Block& block = *domain.blocks[b];
#pragma omp parallel for
                for (int r = 0; r < block.ny; ++r) {
                    const T* m = &factor[std::size_t(block.j0 + r) * on.waves.points + block.i0];
                    for (int k = 0; k < f->levels; ++k) {
                        T* x = (T*)f->at[b] + (r + domain.halo) * f->row[b] + k * f->level[b] +
                               domain.halo;
                        for (int i = 0; i < block.nx; ++i) x[i] *= m[i];
                    }
                }
            }
    }
    std::unique_ptr<ImplicitTerms<T>> implicit_terms(const SpectralSetup& s,
                                                     const HybridReference& r) const override {
        std::vector<OwnWave> own;
        for (auto [m, n] : waves.own()) {
            if (own.empty() || own.back().m != m) own.push_back({m, n, n});
            own.back().last = n;
        }
        if (s.compressible())
            return std::make_unique<TermsOnPlane<T, CompressibleTerms<T>>>(
                on, s, CompressibleReference(r, s.parameters.acoustic_temperature), std::move(own));
        return std::make_unique<TermsOnPlane<T, VerticalTerms<T>>>(on, s, r, std::move(own));
    }
    std::unique_ptr<Carrier<T>> carrier(const SpectralSetup& s,
                                        const std::vector<double>& eta) const override {
        return carrier_on_plane<T>(domain, area(), eta, trajectories(s));
    }
    std::unique_ptr<LinearTransport<T>> linear_carrier(
        const SpectralSetup& s, const std::vector<double>& eta) const override {
        return linear_transport<T>(domain, area(), eta, trajectories(s));
    }

private:
    PlaneArea area() const {
        return {on.columns, on.rows, on.waves.length_x / on.waves.points,
                on.waves.length_y / on.waves.rows, on.map_factor};
    }
    static PlaneTrajectories trajectories(const SpectralSetup& s) {
        return {s.parameters.step, int(s.parameters.iterations)};
    }
    const Domain& domain;
    const OnPlane on;
    BiFourier<T> waves;
    const double square;
    std::vector<T> powers[3];  // of the map factor: -1, 1, 2
    const std::vector<T>& of_power(int power) const { return powers[power < 0 ? 0 : power]; }
};

}  // namespace

template <class T>
std::unique_ptr<Shape<T>> shape_of(const OnPlane& on, const SpectralSetup& s, const Domain& d) {
    return std::make_unique<Plane<T>>(on, s, d);
}
template std::unique_ptr<Shape<float>> shape_of<float>(const OnPlane&, const SpectralSetup&,
                                                       const Domain&);
template std::unique_ptr<Shape<double>> shape_of<double>(const OnPlane&, const SpectralSetup&,
                                                         const Domain&);

}  // namespace fathom::atmosphere
