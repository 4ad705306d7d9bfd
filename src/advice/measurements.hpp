#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/advice/origin.hpp"
#include "src/advice/row_rate.hpp"
#include "src/advice/term.hpp"
#include "src/result_file/format.hpp"
#include "src/statistics/line.hpp"

namespace bench_transfers::result_file {
struct contents;
struct row;
struct spread;
}  // namespace bench_transfers::result_file

namespace bench_transfers::advice {

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
  advice::timing timing = {};
  bool counts_memory = true;  ///< what its host memory costs is part of the sum
  /// What was timed in turn with it, as a form of the same operation, is a transfer as well.
  bool includes_forms = false;
  bool needs_memory = true;  ///< one without known memory cannot be ranked
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

}  // namespace bench_transfers::advice
