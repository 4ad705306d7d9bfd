#pragma once

#include <chrono>

namespace bench_transfers::bench {

/// Records SIGINT and SIGTERM instead of ending the program. A second signal ends it, unless it
/// arrives together with the first: timeout(1) signals both the program and its process group.
/// Counts stops from now on.
/// `clock` tells how far apart they are; a handler of signals must be allowed to call it.
void watch_for_interruption(std::chrono::nanoseconds (*clock)() noexcept);

/// The same by the time since the computer was started.
void watch_for_interruption();

/// SIGINT and SIGTERM end the program again: nothing is left that must be kept.
void stop_watching_for_interruption();

/// The recorded signal, 0 for none.
int interruption() noexcept;

/// How often the process has been told to go on after a stop (SIGCONT).
unsigned long stops() noexcept;

}  // namespace bench_transfers::bench
