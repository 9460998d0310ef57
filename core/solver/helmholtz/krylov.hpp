/// The methods of the Helmholtz solver, both preconditioned from the right:
///   gcr        p = M r, q = A p orthogonal to the last ones;  x += a p, r -= a q, a = r q / q q
///              (Eisenstat, Elman & Schultz 1983), restarted after ten
///   bicgstab   two preconditioned products an iteration, and seven vectors instead of 22
///              (van der Vorst 1992); x moves along p and along the residual
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

struct HelmholtzOptions {
    double tolerance = 1e-4;  ///< of the residual, relative to the right side
    int most_iterations = 100;
    std::string preconditioner = "lines", method = "gcr";
};
/// Names and descriptions.
struct HelmholtzChoice {
    std::string_view name, text;
};
std::span<const HelmholtzChoice> helmholtz_methods();

/// The vectors of a method, known by number, and what it asks of them: of the processor
/// (columns.hpp), or of a device (on_device.hpp).
class HelmholtzVectors {
public:
    enum : int { residual, solution, first };  ///< first: of those of the method
    static int count(const HelmholtzOptions&);

    virtual ~HelmholtzVectors() = default;
    virtual void precondition(int from, int to) = 0;  ///< to = M from
    virtual void multiply(int from, int to) = 0;      ///< to = A from
    struct Pair {
        int one, other;
    };
    /// Sums of products over the globe: one term for each column, added exactly.
    virtual std::vector<double> dots(std::span<const Pair>) = 0;
    /// to += factors[0] first + factors[1] (first + 1) ...
    virtual void add(std::span<const double> factors, int first, int to) = 0;
    virtual void turn(double factor, int from, int to) = 0;  ///< to = from + factor to
    virtual void copy(int from, int to) = 0;
};

/// What a search has found: preconditioned products; the norm of the right side; the last residual,
/// relative to it or to `measure` if that is larger.
struct HelmholtzFound {
    int products = 0;
    double length = 0, residual = 0;
};
/// The residual is the right side, the solution 0 at first.
HelmholtzFound search(HelmholtzVectors&, const HelmholtzOptions&, double measure);

}  // namespace fathom
