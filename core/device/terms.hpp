/// Terms of exact sums in memory of a device, and their sums.
#pragma once
#include <bit>
#include <limits>
#include <vector>
#include "machine/device.hpp"
#include "machine/largest.hpp"
#include "parallel/sum/limbs.hpp"
#include "parallel/sum/unit.hpp"

namespace fathom {

class Terms {
public:
    using Word = std::int64_t;
    /// To the size of a term; NaN is larger than all numbers.
    static constexpr void raise(Word& most, double term) {
        const Word size = std::bit_cast<Word>(term) & std::numeric_limits<Word>::max();
        if (size > most) most = size;
    }
    struct Largest {
        const double* terms;
        constexpr void operator()(std::size_t n, Word* mine) const { raise(mine[0], terms[n]); }
    };
    struct Add {
        const double* terms;
        double coarse, fine;
        constexpr void operator()(std::size_t n, Word* mine) const {
            Limbs::add(terms[n], coarse, fine, mine);
        }
    };

    /// In the unit of the largest term.
    struct AddToLargest {
        const double* terms;
        const double* largest;
        constexpr void operator()(std::size_t n, Word* mine) const {
            const SumUnit unit = SumUnit::for_largest(*largest);
            Limbs::add(terms[n], unit.coarse(), unit.fine(), mine);
        }
    };
    struct Sum {
        double largest;
        Limbs limbs;
    };

    /// kinds: so many sums.
    Terms(std::shared_ptr<Device> device, std::size_t count, int kinds)
        : count(count),
          terms(device, kinds * (count + 1) * sizeof(double)),
          words(device, kinds * sizeof(Sum)) {}

    double* operator[](int kind) const { return (double*)terms.at + kind * count; }
    /// The largest size of a term.
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

    /// The first sums, of this rank: one copy.
    std::vector<Sum> sums(int kinds) const {
        clear();
        for (int kind = 0; kind < kinds; ++kind) {
            Sum& sum = ((Sum*)words.at)[kind];
            launch::largest<1>(count, Largest{(*this)[kind]}, (Word*)&sum.largest);
            launch::totals<Limbs::words>(count, AddToLargest{(*this)[kind], &sum.largest},
                                         sum.limbs.word);
        }
        std::vector<Sum> all(kinds);
        words.device->copy(all.data(), words.at, all.size() * sizeof(Sum), Device::Way::to_host);
        return all;
    }

private:
    std::size_t count;
    DeviceMemory terms, words;

    void clear() const { words.device->clear(words.at, words.bytes); }
};

}  // namespace fathom
