/// The methods of the Helmholtz solver, both preconditioned from the right:
///   gcr        p = M r, q = A p orthogonal to the last ones;  x += a p, r -= a q, a = r q / q q
///              (Eisenstat, Elman & Schultz 1983), restarted after ten
///   bicgstab   two preconditioned products an iteration, and seven arrays instead of 24
///              (van der Vorst 1992); x moves along p and along the residual
/// All ranks wait for each other once in each preconditioned product.
#include <cmath>
#include "base/error.hpp"
#include "machine/region.hpp"
#include "parallel/meeting.hpp"
#include "solver/helmholtz/columns.hpp"
#include "solver/helmholtz/row_sums.hpp"

namespace fathom {

static constexpr HelmholtzChoice known[] = {
    {"gcr", "generalised conjugate residuals, restarted after ten"},
    {"bicgstab", "stabilised bi-conjugate gradients: a third of the memory"},
};
std::span<const HelmholtzChoice> helmholtz_methods() { return known; }

/// Sums of products over the globe: one term for each column, added exactly.
template <class T>
std::vector<double> HelmholtzSolver<T>::dots(
    const std::vector<std::pair<const Array*, const Array*>>& pairs) {
    const std::size_t number = pairs.size();
    std::size_t columns = 0;
    std::vector<std::size_t> first;
    for (auto* b : domain.blocks) first.push_back(columns), columns += std::size_t(b->nx) * b->ny;
    terms.assign(columns * number, 0);
    for (std::size_t m = 0; m < number; ++m)
        each_row([&](int b, int row, int count) {
            double* sum = &terms[m * columns + first[b] + std::size_t(row) * count];
            for (int k = 0; k < domain.levels; ++k) {
                const T *a = pairs[m].first->at(b, row, k), *c = pairs[m].second->at(b, row, k);
                for (int i = 0; i < count; ++i) sum[i] += double(a[i]) * double(c[i]);
            }
        });
    static const Region here("sums of the Helmholtz solver", "", "sum");
    Within within(here);
    std::vector<double> largest(number, 0);
    for (std::size_t n = 0; n < terms.size(); ++n) {
        double& most = largest[n / columns];
        most = std::abs(terms[n]) <= most ? most : std::abs(terms[n]);  // a NaN remains
    }
    {
        Meet meet(domain.comm, double(number * sizeof(double)));
        MPI_Allreduce(MPI_IN_PLACE, largest.data(), int(number), MPI_DOUBLE, MPI_MAX, domain.comm);
    }
    std::vector<ExactSum> sums;
    for (std::size_t m = 0; m < number; ++m) {
        ExactSum sum(SumUnit::for_largest(std::isfinite(largest[m]) ? largest[m] : 1));
        add_line(sum, {&terms[m * columns], columns});
        sums.push_back(sum);
    }
    allreduce(domain.comm, sums);
    std::vector<double> values;
    for (auto& sum : sums) values.push_back(sum.value());
    return values;
}

template <class T>
void HelmholtzSolver<T>::axpy(double a, const Array& from, const Array& to) const {
    const T factor_ = T(a);
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k) {
            const T* in = from.at(b, row, k);
            T* out = to.at(b, row, k);
            for (int i = 0; i < count; ++i) out[i] += factor_ * in[i];
        }
    });
}

/// to = from + b to.
template <class T>
void HelmholtzSolver<T>::aypx(double b, const Array& from, const Array& to) const {
    const T factor_ = T(b);
    each_row([&](int block, int row, int count) {
        for (int k = 0; k < domain.levels; ++k) {
            const T* in = from.at(block, row, k);
            T* out = to.at(block, row, k);
            for (int i = 0; i < count; ++i) out[i] = in[i] + factor_ * out[i];
        }
    });
}

template <class T>
int HelmholtzSolver<T>::solve(const FieldSlab& right_side, const FieldSlab& to, double measure) {
    load(right_side, r);
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k) std::fill_n(x.at(b, row, k), count, T(0));
    });
    const double whole = dots({{&r, &r}})[0], against = std::max(whole, measure * measure),
                 enough = options.tolerance * options.tolerance * against;
    double left = whole;
    const bool gcr = options.method == "gcr";
    const int products = gcr ? residuals(left, enough) : gradients(left, enough);
    length = std::sqrt(whole);
    residual = against > 0 ? std::sqrt(std::max(left, 0.) / against) : 0;
    store(x, to);
    return products;
}

template <class T> int HelmholtzSolver<T>::residuals(double& left, double enough) {
    double lengths[restart];
    int products = 0;
    while ((left > enough || products == 0) && left > 0 && products < options.most_iterations) {
        const int n = products % restart;
        precondition(r, p[n]);
        multiply(p[n], q[n]);
        std::vector<std::pair<const Array*, const Array*>> pairs{{&q[n], &q[n]}, {&r, &q[n]}};
        for (int m = 0; m < n; ++m) pairs.push_back({&q[n], &q[m]});
        const auto sums = dots(pairs);
        lengths[n] = sums[0];
        for (int m = 0; m < n; ++m) {
            const double share = sums[2 + m] / lengths[m];
            axpy(-share, p[m], p[n]);
            axpy(-share, q[m], q[n]);
            lengths[n] -= share * sums[2 + m];
        }
        if (!(lengths[n] > 0)) break;
        const double amount = sums[1] / lengths[n];
        axpy(amount, p[n], x);
        axpy(-amount, q[n], r);
        left -= amount * sums[1];
        ++products;
    }
    return products;
}

/// The sums of the second product also give the next residual and its projection.
template <class T> int HelmholtzSolver<T>::gradients(double& left, double enough) {
    const Array &along = p[0], &step = p[1], &shadow = p[2], &v = q[0], &t = q[1];
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k)
            for (const Array* to : {&along, &shadow})
                std::copy_n(r.at(b, row, k), count, to->at(b, row, k));
    });
    double projection = left;
    int products = 0;
    while ((left > enough || products == 0) && left > 0 && products < options.most_iterations) {
        precondition(along, step);
        multiply(step, v);
        const double amount = projection / dots({{&shadow, &v}})[0];
        ++products;
        if (!std::isfinite(amount)) break;
        axpy(amount, step, x);
        axpy(-amount, v, r);
        precondition(r, step);
        multiply(step, t);
        const auto sums = dots({{&t, &r}, {&t, &t}, {&r, &r}, {&shadow, &r}, {&shadow, &t}});
        ++products;
        left = sums[2];
        if (!(sums[1] > 0)) break;
        const double omega = sums[0] / sums[1];
        axpy(omega, step, x);
        axpy(-omega, t, r);
        left = std::max(0., sums[2] - omega * sums[0]);
        const double next = sums[3] - omega * sums[4], turn = next / projection * amount / omega;
        if (!std::isfinite(turn)) break;
        axpy(-omega, v, along);
        aypx(turn, r, along);
        projection = next;
    }
    return products;
}

template class HelmholtzSolver<double>;
template class HelmholtzSolver<float>;

}  // namespace fathom
