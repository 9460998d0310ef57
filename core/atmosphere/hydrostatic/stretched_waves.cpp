#include "atmosphere/hydrostatic/stretched_waves.hpp"
#include <cmath>

namespace fathom::atmosphere {

template <class T>
StretchedWaves<T>::StretchedWaves(const std::vector<double>& speed_squared, Stretching s,
                                  double radius, double beta, int truncation,
                                  const std::vector<int>& waves)
    : modes((int(speed_squared.size()) + Real::width - 1) / Real::width * Real::width),
      truncation(truncation) {
    for (const int m : waves) {
        Elimination& e = elimination[m];
        const int count = truncation - m + 1;
        auto epsilon = [&](double n) {
            return n > m ? std::sqrt((n * n - double(m) * m) / (4 * n * n - 1)) : 0;
        };
        std::vector<double> diagonal, next, second;  // M_nn, M_{n,n-1}, M_{n,n-2}
        for (int n = m; n <= truncation; ++n) {
            diagonal.push_back(s.a * s.a +
                               s.b * s.b *
                                   (epsilon(n) * epsilon(n) + epsilon(n + 1) * epsilon(n + 1)));
            next.push_back(2 * s.a * s.b * epsilon(n));
            second.push_back(s.b * s.b * epsilon(n) * epsilon(n - 1));
            e.scale.push_back(n > 0 ? T(radius * radius / (n * (n + 1.))) : T(0));
        }
        auto of = [&](const std::vector<double>& v, int i) { return i < count ? T(v[i]) : T(0); };
        for (int i = 0; i < count; ++i)
            e.square.push_back(
                {{T(second[i]), T(next[i]), T(diagonal[i]), of(next, i + 1), of(second, i + 2)}});
        e.factor.assign(std::size_t(count) * 3 * modes, T(0));
        for (std::size_t k = 0; k < speed_squared.size(); ++k) {
            const double wave = beta * beta * speed_squared[k];
            double d1 = 0, d2 = 0, l1 = 0;  // of n-1, n-2; L_{n-1,n-2}
            for (int i = m == 0; i < count; ++i) {
                const int n = m + i, before = i - (m == 0);
                const double far = before > 1 ? wave * second[i] / d2 : 0,
                             near = before > 0 ? (wave * next[i] - far * d2 * l1) / d1 : 0;
                const double d = radius * radius / (n * (n + 1.)) + wave * diagonal[i] -
                                 near * near * d1 - far * far * d2;
                T* to = &e.factor[std::size_t(i) * 3 * modes + k];
                to[0] = T(near);
                to[modes] = T(far);
                to[2 * modes] = T(1 / d);
                d2 = d1;
                d1 = d;
                l1 = near;
            }
        }
    }
}

template <class T> void StretchedWaves<T>::solve(int m, T* values) const {
    const Elimination& e = elimination.at(m);
    const int count = truncation - m + 1;
    for (int k = 0; k < modes; k += Real::width)
        for (int part = 0; part < 2; ++part)
            eliminate_stretched<Real>(count, modes, e.scale.data(), &e.factor[k],
                                      values + (2 * part + 1) * modes + k, 4 * modes);
}

template class StretchedWaves<double>;
template class StretchedWaves<float>;

}  // namespace fathom::atmosphere
