#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bench_transfers::fleet {

/// The first 1024 processors of a computer.
struct processor_set {
  static constexpr std::size_t words = 16;
  std::array<std::uint64_t, words> bits{};

  [[nodiscard]] std::size_t count() const noexcept;
  friend bool operator==(const processor_set&, const processor_set&) = default;
};

/// Those that this thread may use; all of them where the kernel does not tell.
processor_set own_processors() noexcept;

/// Lets this thread, and those that it starts, use all processors that its control group has: many
/// launchers bind each process to one. Returns whether these are more than before.
bool unbind() noexcept;

}  // namespace bench_transfers::fleet
