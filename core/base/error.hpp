/// Errors of the user: what was given, what is allowed, what is near. Raised while objects are
/// built; kernels raise nothing.
#pragma once
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

/// "; did you mean 'x'?" for the nearest of `allowed` (edit distance), then the whole list.
std::string near(std::string_view given, const std::vector<std::string>& allowed);

}  // namespace fathom
