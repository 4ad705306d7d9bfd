#pragma once

#include <optional>
#include <string>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// Makes every byte of the destination, and of the guard after it, differ from the expected data.
void poison(transfers::device& device, const buffers& memory, const payload& destination);

/// Compares every byte of the destination with the expected data (the pattern from its beginning,
/// or the transfer's own check) and the guard with the poison; then restores the guard. Returns one
/// line if anything differs.
std::optional<std::string> find_damage(transfers::device& device, const buffers& memory,
                                       const transfer& transfer);

/// The same for one of several copies at once, whose source has the pattern of its place in its
/// block.
std::optional<std::string> find_damage(transfers::device& device, const buffers& memory,
                                       const flow& copy);

/// Writes the test pattern to both ends again, after a failure.
void restore(transfers::device& device, const buffers& memory, const transfer& ends);

}  // namespace bench_transfers::bench
