/// Interruptions of this process, as an operating system makes them: `frequency` times a second it
/// computes nothing for `duration`, wherever it is. Together: at moments of the clock that are the
/// same for all ranks; else from a moment of its own.
#pragma once

namespace fathom {

class Interruptions {
public:
    /// frequency [1/s], duration [s]: less than all of the time. Error: no such timers here.
    Interruptions(double frequency, double duration, bool together);
    ~Interruptions();
    Interruptions(const Interruptions&) = delete;
    long count() const;  ///< since the first of this process

private:
    void* timer = nullptr;
};

}  // namespace fathom
