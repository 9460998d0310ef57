/// Terms of exact sums in memory of a device, and their sums.
#pragma once
#include <bit>
#include <limits>
#include "machine/device.hpp"
#include "machine/largest.hpp"
#include "parallel/sum/limbs.hpp"

namespace fathom {

class Terms {
public:
    using Word = std::int64_t;
    struct Largest {
        const double* terms;
        constexpr void operator()(std::size_t n, Word* mine) const {
            const Word size = std::bit_cast<Word>(terms[n]) & std::numeric_limits<Word>::max();
            if (size > mine[0]) mine[0] = size;
        }
    };
    struct Add {
        const double* terms;
        double coarse, fine;
        constexpr void operator()(std::size_t n, Word* mine) const {
            Limbs::add(terms[n], coarse, fine, mine);
        }
    };

    /// kinds: so many sums.
    Terms(std::shared_ptr<Device> device, std::size_t count, int kinds)
        : count(count),
          terms(device, kinds * (count + 1) * sizeof(double)),
          words(device, Limbs::words * sizeof(Word)) {}

    double* operator[](int kind) const { return (double*)terms.at + kind * count; }
    /// The largest size of a term; NaN is larger than all numbers.
    double largest(int kind) const {
        clear();
        launch::largest<1>(count, Largest{(*this)[kind]}, (Word*)words.at);
        Word found = 0;
        words.device->copy(&found, words.at, sizeof found, Device::Way::to_host);
        return std::bit_cast<double>(found);
    }
    Limbs limbs(int kind, double coarse, double fine) const {
        clear();
        launch::totals<Limbs::words>(count, Add{(*this)[kind], coarse, fine}, (Word*)words.at);
        Limbs sum;
        words.device->copy(sum.word, words.at, sizeof sum.word, Device::Way::to_host);
        return sum;
    }

private:
    std::size_t count;
    DeviceMemory terms, words;

    void clear() const { words.device->clear(words.at, words.bytes); }
};

}  // namespace fathom
