#pragma once

namespace bench_transfers::bench {

/// From now on SIGINT and SIGTERM are noted instead of ending the program; a second one ends it,
/// unless it comes with the first: timeout(1) sends one to the program and one to all of its group.
void watch_for_interruption();

/// The signal noted, 0 for none.
int interruption() noexcept;

}  // namespace bench_transfers::bench
