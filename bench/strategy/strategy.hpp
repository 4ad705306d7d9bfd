#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// What strategies are made of, for their files to include this header alone.
#include "bench/strategy/bound_thread.hpp"
#include "bench/strategy/calls.hpp"
#include "bench/strategy/copies.hpp"
#include "bench/strategy/metric_kinds.hpp"
#include "bench/strategy/roles.hpp"
#include "bench/strategy/transfer.hpp"
#include "bench/strategy/waiting.hpp"
#include "src/machine/cuda_release.hpp"
#include "src/machine/numa.hpp"
#include "src/result_file/format.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// A part of a strategy's name after its family, and the field of its benchmarks that it fills.
struct name_part {
  enum class field { method, setting, memory };
  field target;
  std::string text;
};
name_part method(std::string text);   ///< the technique: "staged"
name_part setting(std::string text);  ///< another choice: "4KiB_blocks"
name_part in_memory(transfers::host_memory_kind kind);
name_part in_memory(std::string kind);  ///< memory other than the shared blocks

/// One of several copies at once, and its name: "cuda:1:h2d".
struct named_flow : result_file::flow {
  std::string name;
  /// Its host memory, if that is not the strategy's, and the node where that lies.
  std::optional<transfers::host_memory_kind> host = {};
  std::optional<machine::numa_node> host_node = {};
};

/// The last part of a name before the size. Fields without a value are the strategy's.
struct variant {
  std::string name;
  std::optional<result_file::direction> direction = {};
  std::optional<result_file::role> role = {};
  std::optional<std::string> method = {};
  std::optional<std::string> setting = {};
  std::optional<unsigned> plainness = {};
  std::optional<unsigned> procedure = {};
  std::optional<std::string> calls = {};
  bool holds_launches = false;
  std::optional<result_file::direction> beside = {};  ///< of a copy that is made meanwhile
  bool in_place = false;
  std::vector<named_flow> flows = {};  ///< of a strategy of several copies at once
  std::optional<result_file::set_description> set = {};  ///< likewise
  std::function<transfer(const job&)> prepare = {};      ///< if the strategy has none
};
/// "h2d" and "d2h".
std::vector<variant> both_directions();
/// Both directions of synchronous_copy.
std::vector<variant> synchronous_copies(transfers::host_memory_kind kind);
/// "read" (host to device) and "write" (device to host) of a kernel, in place.
std::vector<variant> both_accesses();
/// Variants with a name and nothing else.
std::vector<variant> named(const std::vector<std::string>& names);

/// The releases of CUDA that have brought calls, for requirements::cuda.
namespace cuda_with {
constexpr machine::cuda_release kernel_parameters{12, 4};  ///< cudaFuncGetParamInfo
constexpr machine::cuda_release batches{12, 8};            ///< cudaMemcpyBatchAsync
constexpr machine::cuda_release host_numa_pools{12,
                                                9};  ///< cudaDevAttrHostNumaMemoryPoolsSupported
constexpr machine::cuda_release host_pools{13, 0};   ///< cudaDevAttrHostMemoryPoolsSupported
}  // namespace cuda_with

/// What a strategy needs of the machine.
struct requirements {
  std::optional<transfers::host_memory_kind> host = {};  ///< the shared host buffer it uses
  std::size_t host_payloads = 1;                         ///< payloads it uses in the host buffer
  /// Payloads it uses in the device buffer. Without a host buffer, 1 means none.
  std::size_t device_payloads = 1;
  /// How much an operation allocates at most in addition to the buffers, as a multiple of the
  /// benchmark's size.
  unsigned more_host_memory = 0, more_device_memory = 0;
  std::size_t fixed_host_memory = 0;  ///< bytes beyond all that, whatever the size
  bool staged_copier = false;         ///< buffers::staged_copier(), whose calibration needs memory
  bool page_locks = false;            ///< memory that exists, by device::lock()
  bool other_devices = false;         ///< further devices of the run, which help
  /// CUDA devices: the release whose calls it uses. The toolkit that built this program and the
  /// driver must be of this one or a later one.
  std::optional<machine::cuda_release> cuda = {};
  /// Why it cannot run on a device, in one line; nullopt if it can. Empty: it runs everywhere.
  std::function<std::optional<std::string>(const transfers::device&)> why_unsupported = {};
};

/// The sizes that a strategy is measured with, and how often.
struct sampling {
  bool sized = true;                             ///< false: not repeated for every size
  std::size_t smallest = 1, largest = SIZE_MAX;  ///< sizes that make sense, in bytes
  std::size_t size_stride = 1;     ///< of the profile's sizes, the largest and every n-th below it
  std::size_t skip_largest = 0;    ///< number of the profile's largest sizes to skip
  bool cold = true;                ///< also measured with cold caches
  bool written = false;            ///< and after threads have written the host's memory
  bool essential_written = false;  ///< also in the quick profile
  bool essential = false;          ///< part of the quick profile
  /// Only if --strategies names it itself, or a group of such strategies, or in its profiles.
  bool on_request = false;
  double effort = 1;  ///< timed operations take this fraction of the profile's time
  /// Repeat until the median over the repetitions is known to 5 %: at least five repetitions, at
  /// most three times the profile's number. Three repetitions suffice if they take half a second.
  bool until_stable = false;
  /// The profiles of chosen strategies that it is a part of, and with which variants; none: with
  /// all. It is measured there even if it is otherwise on request.
  std::map<std::string, std::vector<std::string>, std::less<>> profiles = {};
};

/// For sampling::profiles: all variants in one profile, or none.
inline std::map<std::string, std::vector<std::string>, std::less<>> all_variants_if(
    bool chosen, const std::string& profile) {
  if (!chosen) return {};
  return {{profile, {}}};
}

/// A technique for moving data or using memory. A file in strategies/ fills in this struct and
/// registers it. The harness names the benchmarks and does warm-up, timing, verification and
/// metrics in the same way for all strategies.
struct strategy {
  std::string family;  ///< the first part of its benchmarks' names
  std::vector<name_part> parts = {};
  std::string summary = {};  ///< one line for --list
  /// Of strategies that `advise` may recommend: what a program of its own would call for one
  /// transfer, in at most five lines whose names docs/FIVE_LINES.md declares. "$[device|host]" is
  /// "device" to the device and "host" to the host, "${device|host}" likewise for variant::beside.
  std::string calls = {};
  bool holds_launches = false;  ///< those of other threads wait while the calls copy: cudaMemcpy
  bool page_locks = false;      ///< each operation does: launches wait for that, too
  std::string about = {};       ///< its family in one line; empty: as its role says
  std::vector<variant> variants = {};  ///< none: one benchmark for each size
  result_file::role role = {"other", "other benchmarks", result_file::table::times};
  result_file::direction direction = result_file::direction::none;
  unsigned plainness = 0;  ///< see result_file::benchmark
  std::optional<std::string> memory =
      {};  ///< kind of host memory, if neither a part nor `needs` gives it
  bool emulation = false;
  /// The number of the procedure that measures it. It grows with each change after which the same
  /// machine gives other figures: those of two procedures are never compared.
  unsigned procedure = 1;
  bool concurrent = false;  ///< several copies at once: its variants are sets of them (with_sets)
  bool memory_by_copy = false;  ///< of these, each says what its host memory is
  bool shares_link = true;  ///< its rate is compared with the link's limit if it has one direction

  /// Empty in the files whose variants each have their own: the registry fills it in.
  std::function<transfer(const job&)> prepare = {};
  requirements needs = {};
  bench::sampling sampling = {};

  [[nodiscard]] std::string name() const;  ///< family and parts, "copy/pinned"
};

/// Describes one benchmark of a strategy. `variant` is null for a strategy without variants,
/// `size_bytes` is empty for one without sizes. `device` is the id of its device, if names need it.
result_file::benchmark describe(const strategy& measured, const bench::variant* variant,
                                std::optional<std::size_t> size_bytes, cache_state cache,
                                const std::optional<std::string>& device = {});

/// Why a device cannot have this memory. The library takes base pages where there are no huge ones;
/// a figure of huge pages must not.
std::optional<std::string> why_unsupported(transfers::host_memory_kind kind,
                                           const transfers::device& device);
/// Why a strategy cannot run on a device: its host memory, CUDA's release, or its own reasons.
std::optional<std::string> why_unsupported(const strategy& measured,
                                           const transfers::device& device);

/// For requirements::why_unsupported: CUDA devices alone have this call.
std::optional<std::string> why_not_cuda(const std::string& call, const transfers::device& device);

/// Why threads cannot do this at once; nullopt if they can. "a thread copies and another one not"
std::optional<std::string> why_not_at_once(const std::string& work);

using registry = std::vector<strategy>;

/// Whether a machine has several nodes whose memory this process may use: only then are they
/// compared without being asked for.
bool are_several(const std::vector<machine::numa_node>& nodes);

/// Makes strategies for the NUMA nodes of a machine.
using node_strategies = std::function<registry(const std::vector<machine::numa_node>&)>;

/// The strategies of all files, sorted by name; those for NUMA nodes only where nodes are given.
registry registered_strategies(const std::vector<machine::numa_node>& nodes = {});

/// One strategy for each of several kinds of host memory. The kind is the last part of the name.
struct host_memory_family {
  /// The fields that they share. The kind follows the parts and is described after the summary, and
  /// the calls that get the memory come before the others.
  strategy common;
  std::vector<transfers::host_memory_kind> kinds;
  std::function<transfer(const job&, transfers::host_memory_kind)> prepare;
  std::function<void(strategy&)> adjust = {};  ///< sets fields that depend on needs.host
};

/// A file registers its strategies with a constant of this type at namespace scope.
struct registration {
  explicit registration(const strategy& added);
  explicit registration(const host_memory_family& added);
  explicit registration(const node_strategies& added);
};

/// Options of a kind of host memory beyond plain pages: flags, and huge pages.
unsigned options_of(transfers::host_memory_kind kind);

}  // namespace bench_transfers::bench
