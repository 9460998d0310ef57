/// Ranks that wait on a crowded machine sleep. A library by itself, which the launcher loads
/// before MPI (LD_PRELOAD, fathom/run/launch.py): MPI and `spin` (parallel/node.hpp) call
/// sched_yield while they wait.
///
/// A rank that waits and yields is still run in its turn: where there are more ranks and other
/// programs than cores, each message waits for turns of some milliseconds. A yield that took long
/// shows that another program had the core. Then the next ones sleep, and who works has the core.
#include <sys/syscall.h>
#include <unistd.h>
#include <chrono>
#include <ctime>

namespace {

constexpr auto displaced = std::chrono::microseconds(20);  // no yield of an idle core takes as long
constexpr int asleep = 1000;                               // yields that sleep after it
thread_local int left = 0;

}  // namespace

extern "C" int sched_yield() noexcept {
    if (left > 0) {
        --left;
        const timespec shortest{0, 1000};
        return nanosleep(&shortest, nullptr), 0;
    }
    const auto start = std::chrono::steady_clock::now();
    syscall(SYS_sched_yield);
    if (std::chrono::steady_clock::now() - start > displaced) left = asleep;
    return 0;
}
