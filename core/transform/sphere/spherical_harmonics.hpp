/// Spherical harmonics: fields on a Gaussian grid <-> coefficients of a triangular truncation N,
/// many fields in one call.
///
///   inverse   f(lambda, mu) = sum_{|m| <= N} sum_{n=|m|}^{N} f_n^m P_n^m(mu) exp(i m lambda),
///             f_n^{-m} = conj f_n^m
///   direct    f_n^m = sum_rows weight P_n^m(mu) 1/points sum_points f exp(-i m lambda)
/// P as in legendre.hpp: f_0^0 is the mean over the sphere. Coefficients with m >= 0 are kept, for
/// one rank from (0, 0) to (N, N); those of m = 0 are real. Winds are not times cos phi. Items,
/// layouts and ranks: row_transform.hpp.
#pragma once
#include "base/constants.hpp"
#include "transform/rows/row_transform.hpp"
#include "transform/sphere/legendre.hpp"
#include "transform/sphere/operators.hpp"

namespace fathom {

struct TransformOptions {
    double radius = constants::earth_radius;  ///< of the sphere [m]: gradients, winds
    int fields = 0, threads = 0;              ///< as in TransformWork
    /// In bytes: Legendre functions that would need more are computed for each call.
    std::size_t table = 1 << 18;
    std::string exchange = "packed";  ///< as in TransformWork
};

template <class Number> class SphericalHarmonics : public RowTransform<Number> {
public:
    SphericalHarmonics(MPI_Comm, const GaussianGrid&, int truncation, const Decomposition&,
                       TransformOptions = {});
    double flops_of_field() const override;
    std::size_t table_bytes() const { return legendre.bytes(); }
    using RowTransform<Number>::truncation;

protected:
    std::unique_ptr<TransformOnDevice> on(Device&) const override;

private:
    using Base = RowTransform<Number>;
    using Base::distribution, Base::pieces, Base::rows, Base::threads, Base::wave_start;
    using Base::width;
    using typename Base::Batch, typename Base::Coefficients, typename Base::Item;
    using typename Base::Lanes, typename Base::Piece, typename Base::Side, typename Base::Way;

    using Rows = typename Legendre<Number>::Rows;
    struct Scratch {
        LargeVector<Lanes> spectral, nowhere, zeros;
        std::vector<Rows> rows;
        typename Legendre<Number>::Scratch legendre;
        WaveAhead wave_ahead;
    };
    const GaussianGrid grid;
    Legendre<Number> legendre;
    std::vector<std::vector<Number>> epsilon;  // of each own m
    std::vector<Scratch> scratch;

    void make_scratch();
    void from_waves(const Batch&, Side&, Way) override;
    void to_waves(const Batch&, Side&, Way) override;
    int highest(const Batch& batch) const { return truncation() + batch.slopes; }
    void coefficients_ahead(std::size_t wave, const Batch&, Scratch&) const;
    const Rows* rows_of(int wave, Lanes* entries, int columns, Lanes* beyond, Scratch&) const;
    template <class Act> void operate(int wave, const Batch&, Lanes* S, int degrees, Act) const;
};

}  // namespace fathom
