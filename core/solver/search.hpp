/// The scalars of the iterations of fused.hpp, on which the processor, or a device, decides.
#pragma once
#include <algorithm>
#include <limits>

namespace fathom {

enum class End { small, many, not_positive, not_a_number };  ///< how a pass of iterations ended

/// Whether a pass still makes progress: a new smallest residual within so many iterations.
struct Progress {
    double least = std::numeric_limits<double>::infinity();
    int at = 0, begun = 0;
    constexpr explicit Progress(int iteration) : at(iteration), begun(iteration) {}
    constexpr bool stuck(int iteration, double rr) {
        if (rr < least) least = rr, at = iteration;
        return rr > 1e8 * least || iteration - at > std::max(200, (at - begun) / 2);
    }
};

/// alpha, and beta, of an iteration; alpha of the one before.
struct FusedStep {
    double alpha = 0, beta = 0, before = 0;
};
/// Two iterations, or only the first.
struct TwoSteps {
    FusedStep step[2];
    bool both = true;
};
/// Between two sums of Chebyshev's iteration.
inline constexpr int most_sweeps = 10;

/// Of the scaled r and t = A r; valid: all are numbers, and their unit was large enough.
struct Products {
    double rr, rt, tt, tAt;
    bool valid;
};

/// Computed from the products of r: alpha and beta of two iterations. r', s', w' = A s' = (r' - r)
/// / alpha' are those of the iteration before.
struct LookAhead {
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    struct Iteration {
        double alpha = 1, beta = 0, rr = infinity, rt = 0;
    } before, one, two;
    double alpha_before = 1;  // of the iteration before `before`
    bool both = true;         // or `one` alone

    /// False if A is not positive, as far as is known. may: there may be a second iteration.
    constexpr bool next(const Products& now, bool may) {
        const double a = before.alpha, beta = now.rr / before.rr;
        double t_r = 0, t_w = 0, t_Aw = 0, w_w = 0, w_Aw = 0;
        if (beta > 0) {
            t_r = -now.rr / a;  // t.r' = r.A r'
            t_w = (t_r - now.rt) / a;
            t_Aw = (t_w + before.beta * t_r / alpha_before - now.tt) / a;  // A r' = w' - beta' w''
            w_w = (before.rr + now.rr) / (a * a);
            w_Aw = (before.rt - 2 * t_r + now.rt) / (a * a);
        }
        // s.A s, s = r + beta s', and w = A s = t + beta w'
        const double sigma = now.rt + beta * t_r;
        if (!(sigma > 0)) return false;
        one = {now.rr / sigma, beta, now.rr, now.rt};
        const double t_As = now.tt + beta * t_w, ww = t_As + beta * (t_w + beta * w_w),
                     wAw = now.tAt + beta * (2 * t_Aw + beta * w_Aw);
        two.rr = one.alpha * one.alpha * ww - now.rr, two.beta = two.rr / now.rr;
        two.rt = now.rt + one.alpha * (one.alpha * wAw - 2 * t_As);
        const double sigma_two = two.rt - two.beta * two.rr / one.alpha;
        two.alpha = two.rr / sigma_two;
        both = may && two.rr > 0 && sigma_two > 0 && two.alpha < infinity;
        alpha_before = both ? one.alpha : before.alpha, before = both ? two : one;
        return true;
    }
};

/// A pass of conjugate gradients, from one set of products to the next: `take` gets the sums that
/// it requested, and returns the next action.
struct GradientSearch {
    static constexpr double infinity = LookAhead::infinity;
    double rr, goal;
    int iterations, maximum;
    bool single;  ///< fp32: fp64 continues where this makes no more progress
    Progress progress{iterations};
    LookAhead ahead{};
    /// Two iterations and sums; sums alone; nothing.
    enum class Next { step, sums, nothing } next = Next::sums;
    /// A bound of all terms of the requested sums; infinite: it must be found first.
    double largest = 64 * rr;
    bool stepped = false;  ///< the sums are those after iterations
    End end = End::many;

    constexpr void take(const Products& found) {
        const bool known = largest < infinity;
        if (known && (!found.valid || (stepped && found.rr < rr / 4096))) {
            next = Next::sums, largest = infinity;
            return;
        }
        if (stepped) iterations += ahead.both ? 2 : 1;
        next = Next::nothing;
        if (!found.valid) {
            end = End::not_a_number;
            return;
        }
        rr = found.rr;
        if (stepped && rr <= goal)
            end = End::small;
        else if (!(stepped && progress.stuck(iterations, rr)) && iterations < maximum)
            look_ahead(found);
    }
    constexpr TwoSteps steps() const {
        return {
            {{ahead.one.alpha, ahead.one.beta}, {ahead.two.alpha, ahead.two.beta, ahead.one.alpha}},
            ahead.both};
    }

private:
    /// Where rounding makes A seem not to be positive the search restarts.
    constexpr void look_ahead(const Products& found) {
        const bool may = iterations + 2 <= maximum;
        bool positive = ahead.next(found, may);
        if (!positive && !single && ahead.before.rr < infinity)
            ahead = {}, positive = ahead.next(found, may);
        if (positive)
            next = Next::step, stepped = true, largest = 4 * rr;  // a term may be four times that
        else
            end = End::not_positive;
    }
};

}  // namespace fathom
