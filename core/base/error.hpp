/// Errors of the user: what was given, what is allowed, which allowed names are similar. Raised
/// while objects are built; kernels raise nothing.
#pragma once
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

struct Error : std::invalid_argument {
    template <class... A>
    explicit Error(const A&... parts) : std::invalid_argument(join(parts...)) {}
    template <class... A> static std::string join(const A&... parts) {
        std::ostringstream s;
        (s << ... << parts);
        return s.str();
    }
};

namespace error_detail {
/// The number of edits from one word to the other (Levenshtein).
inline std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row[b.size()];
}
}  // namespace error_detail

/// "; did you mean 'x'?" for the nearest of `allowed` (edit distance), then the whole list.
inline std::string near(std::string_view given, const std::vector<std::string>& allowed) {
    std::string text = ";";
    auto best = std::ranges::min_element(
        allowed, {}, [&](auto& name) { return error_detail::distance(given, name); });
    if (best != allowed.end() &&
        error_detail::distance(given, *best) <= std::max<std::size_t>(2, given.size() / 3))
        text = "; did you mean '" + *best + "'?";
    text += " allowed: ";
    for (std::size_t n = 0; n < allowed.size(); ++n) text += (n ? ", " : "") + allowed[n];
    return text;
}

}  // namespace fathom
