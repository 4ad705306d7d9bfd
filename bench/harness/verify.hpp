#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "bench/harness/devices.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// An operation moved wrong data; what() is one line.
class wrong_data : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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

// The same of a whole benchmark: of its operation, or of each of its copies at once.

void poison(const running_devices& devices, const benchmark_case& planned, transfer& ready);
/// Throws wrong_data unless the destinations hold the expected data.
void require_undamaged(const running_devices& devices, const benchmark_case& planned,
                       transfer& ready);
/// On each device that is not lost. One that fails meanwhile is lost.
void restore(running_devices& devices, const benchmark_case& planned, const transfer& ready);

}  // namespace bench_transfers::bench
