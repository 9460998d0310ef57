#include "parallel/node.hpp"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <string>
#include "base/error.hpp"

namespace fathom {

namespace {

using Known = std::shared_ptr<const NodeRanks>;

int forget(MPI_Comm, int, void* value, void*) {
    delete static_cast<Known*>(value);
    return MPI_SUCCESS;
}
/// The key under which a communicator stores the description of its node.
int key() {
    static const int made = [] {
        int k;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &k, nullptr);
        return k;
    }();
    return made;
}

/// Identifies a file on this node; other ranks of the node open it with these numbers.
struct File {
    std::uint64_t process, number, device, inode, bytes;
    static constexpr int words = 5;
    bool same(const struct stat& s) const {
        return s.st_dev == device && s.st_ino == inode && std::uint64_t(s.st_size) == bytes;
    }
};

/// A descriptor of a new file of `bytes` bytes, and the file; -1: none could be made.
int make(std::size_t bytes, File& file) {
    const int made = memfd_create("fathom", MFD_CLOEXEC);
    struct stat s;
    if (made < 0 || ftruncate(made, off_t(bytes)) || fstat(made, &s)) return made;
    file = {std::uint64_t(getpid()), std::uint64_t(made), s.st_dev, s.st_ino, bytes};
    return made;
}

/// Opens another rank's file; -1 if that is not the file: process numbers may differ here.
int open_of(const File& file) {
    const auto path =
        "/proc/" + std::to_string(file.process) + "/fd/" + std::to_string(file.number);
    const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct stat s;
    if (opened >= 0 && !fstat(opened, &s) && file.same(s)) return opened;
    if (opened >= 0) close(opened);
    return -1;
}

}  // namespace

NodeRanks::NodeRanks(MPI_Comm comm) : all(comm) {
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_split(comm, rank ? MPI_UNDEFINED : 0, 0, &leaders);
    if (leaders != MPI_COMM_NULL) MPI_Comm_size(leaders, &nodes);
    MPI_Group everybody, here;
    MPI_Comm_group(comm, &everybody);
    MPI_Comm_group(node, &here);
    int size;
    MPI_Comm_size(comm, &size);
    alone = size == ranks;
    std::vector<int> wanted(size);
    for (int r = 0; r < size; ++r) wanted[r] = r;
    numbers.resize(size);
    MPI_Group_translate_ranks(everybody, size, wanted.data(), here, numbers.data());
    std::ranges::replace(numbers, int(MPI_UNDEFINED), -1);
    MPI_Group_free(&everybody);
    MPI_Group_free(&here);
}
NodeRanks::~NodeRanks() {
    int over;
    MPI_Finalized(&over);
    if (over) return;
    if (leaders != MPI_COMM_NULL) MPI_Comm_free(&leaders);
    MPI_Comm_free(&node);
}
Known NodeRanks::of(MPI_Comm comm) {
    void* kept;
    int found;
    MPI_Comm_get_attr(comm, key(), &kept, &found);
    if (!found) {
        kept = new Known(new NodeRanks(comm));
        MPI_Comm_set_attr(comm, key(), kept);
    }
    return *static_cast<Known*>(kept);
}
int NodeRanks::within(int rank) const { return numbers[rank]; }

MappedMemory::MappedMemory(MPI_Comm comm, std::size_t words) : node(NodeRanks::of(comm)) {
    int fine = map(words);
    MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, comm);
    if (!fine)
        throw Error(
            "the ranks of a node cannot map memory together (memfd_create, /proc); take 'shared' "
            "for 'mapped' and 'node-shared' for 'node-mapped'");
}
MappedMemory::~MappedMemory() {
    if (at) munmap(at, first.back() * sizeof(std::uint64_t));
}

/// Maps the memory; all ranks of the node call this together. Returns whether it succeeded here.
bool MappedMemory::map(std::size_t words) {
    constexpr std::size_t page = 4096 / sizeof(std::uint64_t);
    std::uint64_t mine = (words + page - 1) / page * page;
    std::vector<std::uint64_t> sizes(node->ranks);
    MPI_Allgather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, node->node);
    first.assign(1, 0);
    for (auto size : sizes) first.push_back(first.back() + size);
    const std::size_t bytes = std::max<std::size_t>(first.back(), page) * sizeof(std::uint64_t);
    first.back() = bytes / sizeof(std::uint64_t);
    File file{};
    const bool makes = node->rank == 0;
    int opened = makes ? make(bytes, file) : -1;
    MPI_Bcast(&file, File::words, MPI_UINT64_T, 0, node->node);
    if (!makes && file.bytes) opened = open_of(file);
    if (opened >= 0 && file.bytes) {
        void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
        if (mapped != MAP_FAILED) at = static_cast<std::uint64_t*>(mapped);
    }
    MPI_Barrier(node->node);  // all have opened it
    if (opened >= 0) close(opened);
    if (at) std::fill_n(of(node->rank), mine, 0);  // pages are near the rank that first writes them
    MPI_Barrier(node->node);                       // all pages are there
    return at;
}

}  // namespace fathom
