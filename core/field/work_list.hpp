/// Bundles of columns that any idle rank may compute: lists of work in passive one-sided memory.
/// Who computes a bundle is settled when it is taken, by whoever comes first: another rank or its
/// own. The giver makes no call for it: it computes its own columns meanwhile.
///
///   begin      of a call, on all ranks, which know who gives
///   publish    the bundles of this rank
///   next       of its own list, by the rank itself
///   take       of the lists of others
///   put_back   the results, in the place of the inputs
///   results    waits for those of a bundle that another rank has taken
///
/// The window of a rank: [call and number of the next bundle, count of bundles]; for each bundle
/// [place, bytes, call and rank that has put results]; then the data.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>
#include "parallel/window.hpp"

namespace fathom {

class WorkList {
public:
    static constexpr int most = 32;  ///< bundles of a rank in a call
    struct Offer {
        std::span<const std::byte> inputs;
        std::size_t results;  ///< bytes
    };
    struct Taken {
        int giver;
        std::size_t number, place;  ///< in the list of the giver; where its data lie
        std::vector<std::byte> inputs;
    };
    /// room: bytes that a rank can offer, and get back, in a call. Collective.
    WorkList(MPI_Comm, std::size_t room);
    void begin(std::vector<int> givers);
    void publish(std::span<const Offer>);
    int next();                   ///< -1: none is left
    std::optional<Taken> take();  ///< nothing: all lists are empty
    void put_back(const Taken&, std::span<const std::byte> results);
    /// Returns the rank that has computed it.
    int results(int number, std::span<std::byte> into);

private:
    static constexpr std::size_t line = 8;  // words: a cache line
    static constexpr std::size_t data = line * (most + 1);
    int rank, ranks;
    std::unique_ptr<Window> window;
    std::uint64_t call = 0;
    std::vector<int> givers;  ///< whose lists may not be empty
    std::size_t turn = 0;     ///< the giver that is asked next
    std::vector<std::size_t> places;
    std::vector<std::uint64_t> numbers;

    static std::size_t words(std::size_t bytes) { return (bytes + 7) / 8; }
    std::optional<Taken> take_from(int giver, bool& empty);
};

}  // namespace fathom
