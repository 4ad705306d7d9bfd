#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/strategy/roles.hpp"
#include "bench/strategy/transfer.hpp"
#include "src/result_file/format.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// A part of a strategy's name behind its family, and what it says.
struct name_part {
  enum class meaning { method, setting, memory };
  meaning says;
  std::string text;
};
name_part method(std::string text);   ///< how it is done: "staged"
name_part setting(std::string text);  ///< what else is set: "4KiB_blocks"
name_part in_memory(transfers::host_memory_kind kind);
name_part in_memory(std::string kind);  ///< memory that is none of the shared blocks

/// The last part of a name before the size. What it leaves out is the strategy's.
struct variant {
  std::string name;
  std::optional<result_file::direction> direction = {};
  std::optional<result_file::role> role = {};
  std::optional<std::string> method = {};
  std::optional<std::string> setting = {};
  std::optional<unsigned> plainness = {};
};
/// "h2d" and "d2h".
std::vector<variant> both_directions();
/// "read" (host to device) and "write": a kernel's view.
std::vector<variant> both_accesses();
/// Variants that only have names.
std::vector<variant> named(const std::vector<std::string>& names);

/// What a strategy needs of the machine.
struct requirements {
  std::optional<transfers::host_memory_kind> host = {};  ///< the shared host buffer it uses
  std::size_t host_payloads = 1;    ///< how many times the size it uses of the host buffer
  std::size_t device_payloads = 1;  ///< likewise of the device's
  /// As much memory as the size, besides the buffers, in its operation.
  bool more_host_memory = false, more_device_memory = false;
  /// Why it cannot run on a device, one line; nullopt when it can. None: it runs everywhere.
  std::function<std::optional<std::string>(const transfers::device&)> why_unsupported = {};
};

/// With which sizes and how often a strategy is measured.
struct sampling {
  bool sized = true;                             ///< false: not repeated for every size
  std::size_t smallest = 1, largest = SIZE_MAX;  ///< sizes that make sense, in bytes
  std::size_t size_stride = 1;   ///< of the profile's sizes, the largest and every n-th below it
  std::size_t skip_largest = 0;  ///< so many of the profile's largest sizes
  bool cold = true;              ///< also measured with cold caches
  bool essential = false;        ///< part of the quick profile
  double effort = 1;             ///< timed operations take this part of the profile's time
  /// Repeated until the median over the repetitions is known to 5 %: at least five and at most
  /// three times as many repetitions as the profile says; or, where operations take long, three
  /// repetitions and half a second.
  bool until_stable = false;
};

/// A method to move data. A file in strategies/ fills this table and registers it; the harness
/// names its benchmarks and does warm-up, timing, verification and metrics the same for all.
struct strategy {
  std::string family;  ///< the first part of its benchmarks' names
  std::vector<name_part> parts = {};
  std::string summary = {};            ///< one line for --list
  std::vector<variant> variants = {};  ///< none: one benchmark for each size
  result_file::role role = {"other", "other benchmarks", result_file::table::times};
  result_file::direction direction = result_file::direction::none;
  unsigned plainness = 0;  ///< see result_file::benchmark
  std::optional<std::string> memory =
      {};  ///< of the host's end, where neither a part nor `needs` says
  bool emulation = false;
  bool shares_link = true;  ///< its rate is related to the link's limit, where it has one direction

  std::function<transfer(const job&)> prepare = {};
  requirements needs = {};
  bench::sampling sampling = {};

  [[nodiscard]] std::string name() const;  ///< family and parts, "copy/pinned"
};

/// One benchmark of a strategy. `of` is null for a strategy without variants; no size: unsized.
result_file::benchmark describe(const strategy& measured, const variant* of,
                                std::optional<std::size_t> size_bytes, cache_state cache);

/// Why a strategy cannot run on a device: its host memory, or its own reasons.
std::optional<std::string> why_unsupported(const strategy& measured,
                                           const transfers::device& device);

/// Steps "enqueue" and "wait" of an asynchronous operation: when the call returns, and the rest.
std::vector<step> enqueue_and_wait(transfers::stream& stream, std::function<void()> enqueue);

using registry = std::vector<strategy>;

/// Every file's strategies, ordered by name.
registry registered_strategies();

/// One strategy for each of several kinds of host memory, which is the last part of its name.
struct host_memory_family {
  std::string family;
  std::vector<name_part> parts = {};  ///< before the memory
  std::string summary;                ///< the kind's description is added
  std::vector<variant> variants;
  result_file::role role;
  result_file::direction direction = result_file::direction::none;
  std::vector<transfers::host_memory_kind> kinds;
  std::function<transfer(const job&, transfers::host_memory_kind)> prepare;
  std::function<void(strategy&)> adjust = {};  ///< sets what else they have in common
};

/// A file registers its strategies with a constant of this type at namespace scope.
struct registration {
  explicit registration(const strategy& added);
  explicit registration(const host_memory_family& added);
};

/// Options of a kind of host memory beyond plain pages: flags, and huge pages.
unsigned options_of(transfers::host_memory_kind kind);

/// Payload `index` of the host buffer of a kind; see requirements::host_payloads.
payload host_payload(const job& task, transfers::host_memory_kind kind, std::size_t index = 0);

/// The same in device memory; see requirements::device_payloads.
payload device_payload(const job& task, std::size_t index = 0);

/// The same end as a kernel addresses it. Throws unsupported where the device has no address for
/// it.
std::byte* seen_by_kernel(const payload& end);

/// Both ends of a copy between host memory of a kind and the device.
struct ends {
  payload source, destination;
};
ends ends_of(const job& task, transfers::host_memory_kind kind, transfers::direction direction);

}  // namespace bench_transfers::bench
