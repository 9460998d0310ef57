/// Terms of exact sums in memory of a device, and their sums.
#pragma once
#include <bit>
#include <cstring>
#include <limits>
#include <vector>
#include "machine/device.hpp"
#include "machine/largest.hpp"
#include "parallel/sums/rank_sum.hpp"
#include "parallel/sums/unit.hpp"

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
    /// kinds: so many sums.
    Terms(std::shared_ptr<Device> device, std::size_t count, int kinds)
        : count(count),
          terms(device, kinds * (count + 1) * sizeof(double)),
          words(device, kinds * sizeof(RankSum)) {}

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

    /// The first sums.
    std::vector<RankSum> sums(int kinds, const LargestOfAll& of_all) const {
        clear();
        double* const largest = (double*)words.at;
        Limbs* const limbs = (Limbs*)(largest + kinds);
        for (int kind = 0; kind < kinds; ++kind)
            launch::largest<1>(count, Largest{(*this)[kind]}, (Word*)largest + kind);
        share(*words.device, largest, kinds, of_all);
        for (int kind = 0; kind < kinds; ++kind)
            launch::totals<Limbs::words>(count, AddToLargest{(*this)[kind], largest + kind},
                                         limbs[kind].word);
        std::vector<std::byte> found(kinds * sizeof(RankSum));
        words.device->copy(found.data(), words.at, found.size(), Device::Way::to_host);
        std::vector<RankSum> all(kinds);
        for (int kind = 0; kind < kinds; ++kind)
            all[kind] = one_of(found.data(), kinds, kind, kind);
        return all;
    }
    /// In memory of the device.
    static void share(Device& device, double* largest, int kinds, const LargestOfAll& of_all) {
        if (!of_all) return;
        std::vector<double> sizes(kinds);
        const std::size_t bytes = kinds * sizeof(double);
        device.copy(sizes.data(), largest, bytes, Device::Way::to_host);
        of_all(sizes);
        device.copy(largest, sizes.data(), bytes, Device::Way::to_device);
    }
    /// Sum n, of this kind, where the largest terms of kinds and the limbs of sums follow each
    /// other.
    static RankSum one_of(const std::byte* found, int kinds, int kind, int n) {
        RankSum sum;
        std::memcpy(&sum.largest, found + kind * sizeof(double), sizeof(double));
        std::memcpy(&sum.limbs, found + kinds * sizeof(double) + n * sizeof(Limbs), sizeof(Limbs));
        return sum;
    }

private:
    std::size_t count;
    DeviceMemory terms, words;

    void clear() const { words.device->clear(words.at, words.bytes); }
};

}  // namespace fathom
