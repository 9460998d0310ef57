/// Bi-Fourier transforms: periodic fields on a plane <-> coefficients of an elliptic truncation,
/// many fields in one call.
///
///   inverse   f(x, y) = sum c_mn exp(i (k x + l y)),       k = 2 pi m / L_x,  l = 2 pi n / L_y,
///             over |m| <= M, |n| <= N_m, c_{-m,-n} = conj c_mn
///   direct    c_mn = 1/(points rows) sum_points f exp(-i (k x + l y))
///   ellipse   N_m = floor(N sqrt(1 - m^2 / M^2)), N_0 = N, N_M = 0
///
/// Coefficients with m > 0, and those with m = 0 and n >= 0, are kept; c_00, the mean, is real.
/// With K^2 = k^2 + l^2,
///   u = i (l zeta - k D) / K^2,     v = -i (k zeta + l D) / K^2,
///   zeta = i (k v - l u),           D = i (k u + l v).
/// zeta and D have no mean. In its place c_00 of the divergence is the mean of u, c_00 of the
/// vorticity the mean of v [m/s]: the two sets of coefficients describe a whole wind. Items,
/// layouts and ranks: row_transform.hpp.
#pragma once
#include "transform/plane/operators.hpp"
#include "transform/rows/row_transform.hpp"

namespace fathom {

/// Points of a periodic plane, and the waves that are kept.
struct BiFourierPlane {
    int points, rows;           ///< along x and y, E zone included: any numbers
    int east, north;            ///< M and N, at most (points - 1) / 2 and (rows - 1) / 2
    double length_x, length_y;  ///< periods [m]

    int most_north(int m) const;  ///< N_m
};

template <class Number> class BiFourier : public RowTransform<Number> {
public:
    BiFourier(MPI_Comm, const BiFourierPlane&, const Decomposition&, TransformWork = {});
    double flops_of_field() const override;
    const BiFourierPlane& of() const { return plane; }

protected:
    std::unique_ptr<TransformOnDevice> on(Device&) const override;

private:
    using Base = RowTransform<Number>;
    using Base::distribution, Base::pieces, Base::threads, Base::wave_start, Base::width;
    using typename Base::Batch, typename Base::Coefficients, typename Base::Item;
    using typename Base::Lanes, typename Base::Piece, typename Base::Side, typename Base::Way;

    struct Scratch {
        LargeVector<Lanes> columns;  // [cell][place in the transform][re, im]
        RowAhead ahead;
    };
    BiFourierPlane plane;
    ComplexFourier<Number> along_y;
    std::vector<int> rows_of_rank;
    std::vector<Scratch> scratch;

    void from_waves(const Batch&, Side&, Way) override;
    void to_waves(const Batch&, Side&, Way) override;
    void wave_ahead(std::size_t wave, const Batch&, Side&, RowAhead&) const;
    Lanes* entry(Side&, std::size_t wave, int row, int columns, int cell) const;
    template <class Act> void operate(std::size_t wave, const Batch&, Lanes* columns, Act) const;
};

}  // namespace fathom
