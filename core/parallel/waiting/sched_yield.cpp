/// Ranks that wait on a crowded machine sleep. A library by itself, which the launcher loads
/// before MPI (LD_PRELOAD, fathom/run/launch.py): MPI and `spin` (parallel/node.hpp) call
/// sched_yield while they wait.
///
/// A rank that waits and yields is still run in its turn: where there are more ranks and other
/// programs than cores, each message waits for turns of some milliseconds. A yield that took long
/// shows that another program had the core. Then the next ones sleep, and who works has the core:
/// for a microsecond, or for FATHOM_SLEEP [µs], which the launcher sets to 50 where there are more
/// ranks and threads than cores.
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

namespace {

constexpr auto displaced = std::chrono::microseconds(20);  // no yield of an idle core takes as long
constexpr int asleep = 100;                                // yields that sleep after it
thread_local int left = 0;
thread_local long length = 0;  // of a sleep [ns]

void sleep() {
    if (length == 0) {
        const char* given = std::getenv("FATHOM_SLEEP");
        length = 1000 * (given ? std::max(1, std::atoi(given)) : 1);
        prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);  // as exact as the clock: by default 50 µs more
    }
    const timespec some{0, length};
    nanosleep(&some, nullptr);
}

}  // namespace

extern "C" int sched_yield() noexcept {
    if (left > 0) {
        --left;
        sleep();
        return 0;
    }
    const auto start = std::chrono::steady_clock::now();
    syscall(SYS_sched_yield);
    if (std::chrono::steady_clock::now() - start > displaced) left = asleep;
    return 0;
}
