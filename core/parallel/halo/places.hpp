/// Where messages lie in memory that other ranks reach: for transports of the catalogue
/// (messages.hpp) without messages.
#pragma once
#include <cstdint>
#include <memory>
#include "parallel/halo/messages.hpp"

namespace fathom {

using Word = std::uint64_t;

template <class Kind> std::unique_ptr<Transport> make_transport(MPI_Comm comm, const Parts& parts) {
    return std::make_unique<Kind>(comm, parts);
}

/// Exchanges one number for each message with its other side: sends `values` of the receives (or
/// sends); returns the numbers for the sends (or receives).
inline std::vector<std::size_t> tell(MPI_Comm comm, const std::vector<Transport::Part>& mine,
                                     std::span<const std::size_t> values,
                                     const std::vector<Transport::Part>& theirs) {
    std::vector<std::size_t> result(theirs.size());
    std::vector<MPI_Request> requests(mine.size() + theirs.size());
    for (std::size_t n = 0; n < theirs.size(); ++n)
        MPI_Irecv(&result[n], sizeof(std::size_t), MPI_BYTE, theirs[n].rank, 1, comm, &requests[n]);
    for (std::size_t n = 0; n < mine.size(); ++n)
        MPI_Isend(&values[n], sizeof(std::size_t), MPI_BYTE, mine[n].rank, 1, comm,
                  &requests[theirs.size() + n]);
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return result;
}
inline std::vector<std::size_t> offsets(const std::vector<Transport::Part>& parts) {
    std::vector<std::size_t> list;
    for (auto& p : parts) list.push_back(p.offset / sizeof(Word));
    return list;
}
inline std::vector<std::size_t> places(const std::vector<Transport::Part>& parts, std::size_t first,
                                       std::size_t apart) {
    std::vector<std::size_t> list;
    for (std::size_t n = 0; n < parts.size(); ++n) list.push_back(first + apart * n);
    return list;
}
inline std::size_t words(std::size_t bytes) { return (bytes + 63) / 64 * 8; }

}  // namespace fathom
