#pragma once

#include <optional>
#include <string>

#include "strategy.hpp"

namespace bench {

/// Makes every byte of the destination, and the guard behind it, differ from what must arrive.
void poison(transfers::device& device, const buffers& memory, const payload& destination);

/// Compares every byte of the destination with what must have arrived, and the guard with what
/// poison() left there; then restores the guard. Nullopt when all is right, else one line.
std::optional<std::string> find_damage(transfers::device& device, const buffers& memory,
                                       const payload& destination);

/// Writes the test pattern to both ends again, after something went wrong.
void restore(transfers::device& device, const buffers& memory, const transfer& ends);

}  // namespace bench
