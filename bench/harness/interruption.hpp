#pragma once

namespace bench_transfers::bench {

/// Records SIGINT and SIGTERM instead of ending the program. A second signal ends it, unless it
/// arrives together with the first: timeout(1) signals both the program and its process group.
/// Counts stops from now on.
void watch_for_interruption();

/// The recorded signal, 0 for none.
int interruption() noexcept;

/// How often the process has been told to go on after a stop (SIGCONT).
unsigned long stops() noexcept;

}  // namespace bench_transfers::bench
