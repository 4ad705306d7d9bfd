#pragma once

namespace bench {

/// From now on SIGINT and SIGTERM are noted instead of ending the program; a second one ends it.
void watch_for_interruption();

/// The signal noted, 0 for none.
int interruption() noexcept;

}  // namespace bench
