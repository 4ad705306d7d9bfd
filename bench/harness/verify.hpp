#pragma once

#include <optional>
#include <string>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// Makes every byte of the destination, and the guard behind it, differ from what must arrive.
void poison(transfers::device& device, const buffers& memory, const payload& destination);

/// Compares every byte of the destination with what must have arrived, the pattern from its
/// beginning or what the transfer's own check says, and the guard with what poison() left there;
/// then restores the guard. Nullopt when all is right, else one line.
std::optional<std::string> find_damage(transfers::device& device, const buffers& memory,
                                       const transfer& done);

/// Writes the test pattern to both ends again, after something went wrong.
void restore(transfers::device& device, const buffers& memory, const transfer& ends);

}  // namespace bench_transfers::bench
