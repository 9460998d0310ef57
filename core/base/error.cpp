#include "base/error.hpp"
#include <algorithm>

namespace fathom {

static std::size_t distance(std::string_view a, std::string_view b) {  // Levenshtein
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

std::string near(std::string_view given, const std::vector<std::string>& allowed) {
    std::string text = ";";
    auto best =
        std::ranges::min_element(allowed, {}, [&](auto& name) { return distance(given, name); });
    if (best != allowed.end() &&
        distance(given, *best) <= std::max<std::size_t>(2, given.size() / 3))
        text = "; did you mean '" + *best + "'?";
    text += " allowed: ";
    for (std::size_t n = 0; n < allowed.size(); ++n) text += (n ? ", " : "") + allowed[n];
    return text;
}

}  // namespace fathom
