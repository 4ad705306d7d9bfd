#pragma once

#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/device_clock/device_clock.hpp"
#include "bench/harness/measured_device.hpp"
#include "bench/harness/plan.hpp"
#include "src/common/message.hpp"

namespace bench_transfers::bench {

/// A device of a run while it measures.
struct running_device : measured_device {
  std::unique_ptr<transfers::stream> stream = {};
  std::optional<device_clock> clock = {};
  std::exception_ptr why_not_started = {};       ///< null: it has a stream and a clock
  std::optional<common::message> why_lost = {};  ///< it can do nothing any more
  std::optional<machine::throttle_reasons> throttled_by = {};  ///< between rounds; none: not known
};

class running_devices {
 public:
  /// `devices`: at least one. Throws what device::create_stream and device_clock throw, if they do
  /// so for every device.
  explicit running_devices(const device_list& devices);

  [[nodiscard]] const running_device& at(std::size_t index) const { return all_.at(index); }
  [[nodiscard]] const std::vector<running_device>& all() const { return all_; }
  /// The one that a benchmark is prepared on.
  [[nodiscard]] const running_device& of(const benchmark_case& planned) const;
  /// Those that help a benchmark which needs others than its own.
  [[nodiscard]] std::vector<transfers::device*> helpers_of(const benchmark_case& planned) const;

  /// Throws why a device of the benchmark has no stream or clock.
  void require_started(const benchmark_case& planned) const;
  void synchronize(const benchmark_case& planned) const;
  /// Takes note of the throttle reasons.
  void read_monitors();

  /// Those that are lost already.
  void lose(const std::map<std::size_t, common::message>& lost);
  /// `index`: none if it is not known which of the benchmark's devices is lost.
  void lose(std::optional<std::size_t> index, const benchmark_case& planned,
            const std::string& reason);
  [[nodiscard]] std::set<std::size_t> lost() const;
  /// Why a device of the benchmark can do nothing any more; nullopt if all are well.
  [[nodiscard]] std::optional<common::message> why_lost(const benchmark_case& planned) const;

 private:
  /// The id of a device, if there are others.
  [[nodiscard]] std::optional<std::string> id_among(std::size_t index) const;
  void start(std::size_t index);

  std::vector<running_device> all_;
};

/// What the benchmarks of a lost device fail with. `id`: nullopt for the only device of a run;
/// `benchmark`: the one that lost it; nullopt: it was lost before any of them ran.
common::message lost_message(const std::optional<std::string>& id,
                             const std::optional<std::string>& benchmark,
                             const std::string& reason);

}  // namespace bench_transfers::bench
