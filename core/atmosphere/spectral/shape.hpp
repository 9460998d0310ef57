/// The geometry of a spectral atmosphere, as its scheme needs it: the sphere (sphere.cpp), or the
/// plane map of a limited area (plane.cpp).
#pragma once
#include <initializer_list>
#include <memory>
#include "atmosphere/hydrostatic/semi_implicit.hpp"
#include "atmosphere/spectral/implicit_on_device.hpp"
#include "atmosphere/spectral/parameters.hpp"
#include "field/field_set.hpp"
#include "semi_lagrangian/adjoint/linear_transport.hpp"
#include "semi_lagrangian/stencils/carrier.hpp"
#include "transform/rows/row_transform.hpp"

namespace fathom::atmosphere {

/// The linear terms at the new time, and horizontal diffusion, of columns of coefficients: zeta, D,
/// T of all levels and pi; all n of one m together, [n][re, im] at `stride`.
template <class T> class ImplicitTerms {
public:
    virtual ~ImplicitTerms() = default;
    /// number: of the m among the rank's own.
    virtual void solve(int number, T* columns, std::ptrdiff_t stride,
                       std::vector<T>& scratch) const = 0;
    virtual void diffuse(int number, T* columns, std::ptrdiff_t stride) const = 0;
    /// Adds sign times the kinetic energy of the wind to each level, its part of the mean over the
    /// whole [m2 s-2]: sum w (zeta^2 + D^2) / 2 K^2, w = 2 where a conjugate belongs to the
    /// coefficient, else 1.
    virtual void add_kinetic(int number, const T* columns, std::ptrdiff_t stride, double sign,
                             double* levels) const = 0;
    /// Their transposes; Error where there are none.
    virtual void solve_adjoint(int number, T* columns, std::ptrdiff_t stride,
                               std::vector<T>& scratch) const = 0;
    virtual void diffuse_adjoint(int number, T* columns, std::ptrdiff_t stride) const = 0;
    /// Of a column.
    virtual double operations_of_solve() const = 0;
    virtual double operations_of_diffusion() const = 0;
    /// The same on a device, of columns `stride` numbers apart.
    virtual std::unique_ptr<ImplicitOnDevice> on(Device&, std::ptrdiff_t stride) const = 0;
};

template <class T> class Shape {
public:
    virtual ~Shape() = default;
    virtual RowTransform<T>& transform() = 0;
    /// Points of a row that count in sums, and the weight of one of them in a mean.
    virtual int points_of_row(int row) const = 0;
    virtual double weight_of_row(int row) const = 0;
    /// Whether the map factor is 1 everywhere.
    virtual bool even() const = 0;
    /// Fields times a power of the map factor, on all levels of all own points: between the state
    /// and the transformed fields.
    virtual void times_map_factor(std::initializer_list<const FieldSlab*>, int power) const = 0;
    /// It is defined at the first points of a row; that of one of them.
    virtual int points_of_map(int row) const { return points_of_row(row); }
    virtual T map_factor(int row, int column, int power) const = 0;
    /// The factor of the divergence of the map in the linear terms, where that is not the square of
    /// the map factor itself; 0: it is.
    virtual double square_of_reference() const { return 0; }

    virtual std::unique_ptr<ImplicitTerms<T>> implicit_terms(const SpectralSetup&,
                                                             const HybridReference&) const = 0;
    virtual std::unique_ptr<Carrier<T>> carrier(const SpectralSetup&,
                                                const std::vector<double>& eta) const = 0;
    /// Tangent and adjoint of the carrier; Error where there are none.
    virtual std::unique_ptr<LinearTransport<T>> linear_carrier(
        const SpectralSetup&, const std::vector<double>& eta) const = 0;
};

template <class T>
std::unique_ptr<Shape<T>> shape_of(const OnSphere&, const SpectralSetup&, const Domain&);
template <class T>
std::unique_ptr<Shape<T>> shape_of(const OnPlane&, const SpectralSetup&, const Domain&);

}  // namespace fathom::atmosphere
