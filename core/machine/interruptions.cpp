#include "machine/interruptions.hpp"
#include <cmath>
#include <random>
#include "base/error.hpp"

#if __linux__
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace fathom {
namespace {

volatile double length = 0;  // s
volatile long taken = 0;

double now(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

timespec of(double seconds) {
    const double whole = std::floor(seconds);
    return {time_t(whole), long(1e9 * (seconds - whole))};
}

void interrupt(int) {
    const double end = now(CLOCK_MONOTONIC) + length;
    taken = taken + 1;
    while (now(CLOCK_MONOTONIC) < end) {
    }
}

}  // namespace

Interruptions::Interruptions(double frequency, double duration, bool together) {
    if (!(frequency > 0 && duration > 0 && frequency * duration < 1))
        throw Error("interruptions must have a frequency and a duration that leave time");
    length = duration;
    struct sigaction action = {};
    action.sa_handler = interrupt;
    action.sa_flags = SA_RESTART;
    sigaction(SIGRTMIN + 3, &action, nullptr);
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMIN + 3;
    event._sigev_un._tid = int(syscall(SYS_gettid));  // the thread that takes the steps
    static_assert(sizeof(timer_t) == sizeof timer);
    if (timer_create(CLOCK_REALTIME, &event, reinterpret_cast<timer_t*>(&timer)))
        throw Error("this system has no timer for interruptions");
    const double period = 1 / frequency, whole = std::ceil(now(CLOCK_REALTIME) / period) * period;
    std::random_device own;
    const double phase = together ? 0 : period * double(own()) / double(own.max());
    const itimerspec when = {of(period), of(whole + period + phase)};
    timer_settime(timer_t(timer), TIMER_ABSTIME, &when, nullptr);
}

Interruptions::~Interruptions() { timer_delete(timer_t(timer)); }

long Interruptions::count() const { return taken; }

}  // namespace fathom
#else
namespace fathom {

Interruptions::Interruptions(double, double, bool) {
    throw Error("interruptions are made on Linux alone");
}
Interruptions::~Interruptions() = default;
long Interruptions::count() const { return 0; }

}  // namespace fathom
#endif
