/// Products between levels, a matrix V_n (K, L) for each degree n of a triangular truncation:
///   out_r = f_r x_r V_n,    r = n^2 ... (n + 1)^2 - 1,    f = sqrt 2 for the first, that of m = 0.
/// Row r of one side lies at place[r], those of the other side in order. Registers hold four rows
/// and three registers of levels: twelve sums, for which seven numbers are read. Where L is no
/// multiple of a register, the last one begins earlier and repeats levels of the one before.
#pragma once
#include <cstdint>

namespace fathom {

struct BetweenLevels {
    const double *x, *V;
    const std::int64_t* place;
    double* out;
    int degrees, from, to;  ///< V: [degrees][from][to]
    bool scatter;           ///< the places are those of `out`, else of x

    void run() const;

private:
    struct Row {
        const double* x;
        double* out;
    };
    Row row(std::int64_t r) const {
        return scatter ? Row{x + r * from, out + place[r] * to}
                       : Row{x + place[r] * from, out + r * to};
    }
    template <class V_> void levels() const;
    template <class V_, int group> void some(int n, int g) const;
    template <class V_, int group, int count> void product(int n, int g, const Row* of) const;
};

}  // namespace fathom
