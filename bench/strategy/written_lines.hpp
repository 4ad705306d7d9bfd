#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include "src/result_file/format.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {

struct transfer;

/// Before each operation, brings the host memory that it reads and writes into the state of its
/// benchmark: see result_file::cache_state. The bytes stay as they are. Loading and storing one
/// byte of each line is enough to have it written.
class line_preparation {
 public:
  /// After it, an idle core of a virtual machine has stopped polling (cpuidle-haltpoll: 200 us) and
  /// sleeps.
  static constexpr std::chrono::microseconds until_asleep{500};

  /// Starts the threads of the state. Those that fall asleep have `sleep` for it. Throws
  /// std::system_error.
  explicit line_preparation(result_file::cache_state state,
                            std::chrono::microseconds sleep = until_asleep);

  /// Whether operations need it at all.
  [[nodiscard]] bool is_needed() const noexcept { return state_ != result_file::cache_state::warm; }

  /// Whether its threads poll while operations are timed.
  [[nodiscard]] bool keeps_cores_busy() const noexcept;

  /// Prepares both ends of the transfer, as far as they are host memory.
  void operator()(const transfer& next) const;

 private:
  void write(std::span<std::byte> bytes) const;

  result_file::cache_state state_;
  std::chrono::microseconds sleep_;
  std::unique_ptr<transfers::worker_team> writers_;  ///< none: this thread alone
};

/// Whether the threads that write in it have gone to sleep when the operation begins.
bool falls_asleep(result_file::cache_state state);
/// Whether threads beside the calling one write in it.
bool is_of_other_threads(result_file::cache_state state);

}  // namespace bench_transfers::bench
