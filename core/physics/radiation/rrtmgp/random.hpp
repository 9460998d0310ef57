/// Random numbers that are a function of where and when they are used, of nothing else: the same on
/// any number of ranks, in any order, after a restart. Two rounds of the finaliser of SplitMix64
/// (Steele, Lea & Flood 2014) over a key and a counter.
#pragma once
#include <bit>
#include <cstdint>
#include <utility>
#include "base/pack.hpp"

namespace fathom::physics::rrtmgp {

template <class U> constexpr U mixed(U x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// One key of several numbers.
constexpr std::uint64_t key_of(std::uint64_t a) { return mixed(a + 0x9e3779b97f4a7c15u); }
template <class... More> constexpr std::uint64_t key_of(std::uint64_t a, More... more) {
    return mixed(key_of(more...) ^ (a * 0x9e3779b97f4a7c15u));
}
constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

/// Numbers in a row: counter, counter + 1, ...
template <int width> constexpr auto random_words(std::uint64_t key, std::uint64_t counter) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;
    if constexpr (width == 1)
        return mixed(counter * odd ^ key);
    else {
        using Words = typename Lanes<std::uint64_t, width>::type;
        constexpr Words lane = []<std::size_t... n>(std::index_sequence<n...>) {
            return Words{n * odd...};
        }(std::make_index_sequence<width>());
        return mixed((lane + counter * odd) ^ key);
    }
}

}  // namespace fathom::physics::rrtmgp
