/// Numbers that are kept as they are, or in fp32.
#pragma once
#include <cstddef>
#include <vector>

namespace fathom {

/// A view of them.
template <class T> struct Numbers {
    const T* full;
    const float* brief = nullptr;
    /// Where so many numbers are; scratch: memory for them.
    const T* get(std::size_t at, std::size_t count, T* scratch) const {
        if (!brief) return full + at;
        for (std::size_t n = 0; n < count; ++n) scratch[n] = T(brief[at + n]);
        return scratch;
    }
};

template <class T> class Rounded {
public:
    void resize(std::size_t count, bool single) {
        rounded = single && sizeof(T) > sizeof(float);
        full.resize(rounded ? 0 : count), brief.resize(rounded ? count : 0);
    }
    void put(std::size_t at, const T* from, std::size_t count) {
        for (std::size_t n = 0; n < count; ++n)
            if (rounded)
                brief[at + n] = float(from[n]);
            else
                full[at + n] = from[n];
    }
    Numbers<T> numbers() const { return {full.data(), rounded ? brief.data() : nullptr}; }
    const T* get(std::size_t at, std::size_t count, T* scratch) const {
        return numbers().get(at, count, scratch);
    }
    std::size_t size() const { return rounded ? brief.size() : full.size(); }
    std::size_t bytes() const { return full.size() * sizeof(T) + brief.size() * sizeof(float); }

private:
    bool rounded = false;
    std::vector<T> full;
    std::vector<float> brief;
};

}  // namespace fathom
