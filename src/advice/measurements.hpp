#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/result_file/format.hpp"
#include "src/statistics/line.hpp"

namespace bench_transfers::result_file {
struct contents;
struct row;
struct spread;
}  // namespace bench_transfers::result_file

namespace bench_transfers::advice {

/// Where measurements come from. A text is empty if the file does not say.
struct origin {
  std::filesystem::path file;
  std::string device;   ///< "NVIDIA H200"
  std::string cpu;      ///< model
  std::string started;  ///< UTC, "2026-11-20T13:22:53Z"
  std::string commit;   ///< of the program that measured
  bool has_gpu = true;
  bool complete = true;
  std::size_t parts = 1;      ///< in which the run was measured
  int processes = 1;          ///< that have measured it; of one, intervals hold within it alone
  bool confidential = false;  ///< the device encrypts each byte on its way
  /// That the process could have, of the host and of the device; empty: not known.
  std::optional<double> host_bytes = {}, device_bytes = {};
};

/// A term of the predicted time, which measurements provide.
enum class term {
  transfer_h2d,
  transfer_d2h,
  transfer_both,  ///< what moves data there and back
  transfer_none,  ///< what has no direction
  allocation,
  deallocation,
  cpu_write,
  cpu_read
};

/// The transfer in a direction.
term transfer_term(result_file::direction towards);
/// Whether a term is a transfer.
bool is_transfer(term needed);
/// Whether it is allocation or release.
bool is_allocation(term needed);
/// Whether it is access by the CPU.
bool is_cpu_access(term needed);

using result_file::plainness;

/// Times of each repetition by size in bytes: ns per byte.
using repetitions = std::map<double, std::vector<double>>;

/// Times of one strategy by size.
struct series {
  std::string name;      ///< "copy/pinned/h2d", "allocate/pinned"
  std::string strategy;  ///< "copy/pinned"
  term measures = term::transfer_h2d;
  std::optional<std::string> memory;  ///< kind of host memory
  advice::plainness plainness = {};
  /// Of CPU access: memory of the same name is alike for the CPU, and series of it have the same
  /// times.
  std::optional<std::string> pool = std::nullopt;
  /// For CPU access, `ns` is the time of a whole pass over `bytes`.
  std::vector<statistics::measured_time> times;
  /// Every size was repeated often enough to tell noise from a difference.
  bool can_tell = true;
  /// Of transfers; empty for others.
  advice::repetitions repetitions = {};
};

/// How many rows say nothing.
struct ignored_rows {
  std::size_t failed = 0;    ///< their benchmark failed
  std::size_t unusable = 0;  ///< they have no positive time

  ignored_rows& operator+=(const ignored_rows& more) {
    failed += more.failed;
    unusable += more.unusable;
    return *this;
  }
};

/// What a result file says about transfers, and about allocation and CPU access with warm caches.
struct measurements {
  origin from;
  /// Of the host's lines when the transfers began.
  result_file::cache_state lines = result_file::cache_state::warm;
  std::vector<series> all_series;  ///< by name; each strategy once for each term
  ignored_rows ignored_transfers;
  ignored_rows ignored_others;  ///< of allocation and CPU access
  /// A transfer whose memory is not known cannot be ranked. Otherwise it has no costs of memory.
  bool needs_memory = true;
};

/// Which benchmarks are the transfers.
struct transfer_choice {
  /// Whether a benchmark is one, by all that does not depend on the device and the caches.
  std::function<bool(const result_file::benchmark&)> belongs;
  /// What a benchmark's strategy is called in the answer.
  std::function<std::string(const result_file::benchmark&)> strategy;
  std::string time = "median_ns";  ///< the counter that is its time
  /// The counter of what is read afterwards, and how often: added to that time.
  std::string read_again = {};
  double reads = 0;
  bool counts_memory = true;  ///< what its host memory costs is part of the sum
  /// Its time is that of its size, and what was timed in turn with it, as a form of the same
  /// operation, is a transfer as well. Otherwise it is that of the bytes it has moved, which may
  /// differ from its size.
  bool is_of_its_size = false;
  bool needs_memory =
      true;  ///< what has no known memory cannot be ranked; otherwise memory is free
  result_file::cache_state lines = result_file::cache_state::warm;  ///< when it begins
};

/// The measurements of the device with this index in a file of bench_transfers; `file` only names
/// their origin. `lines`: of its copies.
measurements measurements_in(const result_file::contents& content,
                             const std::filesystem::path& file, std::size_t device = 0,
                             result_file::cache_state lines = result_file::cache_state::warm);

/// Some of the rows of a file.
using row_list = std::vector<const result_file::row*>;

/// How much values of the file's benchmarks differ (result_file::spreads_of).
using spread_list = std::map<const result_file::benchmark*, result_file::spread>;

/// The same of these rows alone, with other transfers than copies.
measurements measurements_in(const result_file::contents& content, const spread_list& spreads,
                             const row_list& rows, const std::filesystem::path& file,
                             std::size_t device, const transfer_choice& transfers);

/// The rows of what memory costs, which are terms of answers about any transfers of the device.
row_list rows_of_memory(const result_file::contents& content, std::size_t device);

/// The index of the device with this id; an empty id stands for the first. Throws
/// result_file::unusable_file if the file has no such device.
std::size_t index_of_device(const result_file::contents& content, const std::filesystem::path& file,
                            const std::string& id);

}  // namespace bench_transfers::advice
