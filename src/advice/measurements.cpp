#include "src/advice/measurements.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "src/advice/pools.hpp"
#include "src/result_file/reader.hpp"
#include "src/result_file/spread.hpp"
#include "src/statistics/estimate.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::advice {
namespace {

using result_file::benchmark;
using result_file::direction;
using statistics::measured_time;

bool is_one_way_copy(const benchmark& described) {
  return described.role == "copy" &&
         (described.direction == direction::h2d || described.direction == direction::d2h);
}

/// Only CPU access by the plain method of one thread counts: with other methods, kinds of memory
/// would appear to differ although they do not.
bool is_plain(const benchmark& described) {
  return described.plainness == 0 && !described.setting && described.memory;
}

/// Questions name no node: memory without one lies near the thread that allocates it.
bool is_usable(const benchmark& described, std::size_t device,
               result_file::cache_state lines = result_file::cache_state::warm) {
  return !described.node && described.cache == lines && described.size_bytes &&
         described.devices == std::vector{device};
}

double size_of(const benchmark& usable) { return static_cast<double>(*usable.size_bytes); }

/// The term that a benchmark of memory provides; nullopt for others.
std::optional<term> term_of_memory(const benchmark& described) {
  if (described.role == "allocation") return term::allocation;
  if (described.role == "deallocation") return term::deallocation;
  if (described.role == "cpu_write" && is_plain(described)) return term::cpu_write;
  if (described.role == "cpu_read" && is_plain(described)) return term::cpu_read;
  return std::nullopt;
}

/// The term that a benchmark provides; nullopt if it cannot be used.
std::optional<term> term_of(const benchmark& described, std::size_t device,
                            const transfer_choice& transfers) {
  const bool belongs = transfers.belongs(described);
  if (!(belongs ? is_usable(described, device, transfers.lines) : is_usable(described, device)))
    return std::nullopt;
  return belongs ? transfer_term(described.direction) : term_of_memory(described);
}

/// The name of a series. A transfer is named by its direction, whatever variants a strategy has.
std::string name_of(const benchmark& described, term needed, const std::string& strategy) {
  auto name = strategy;
  if (is_transfer(needed))
    name += "/" + result_file::to_string(described.direction);
  else if (described.variant)
    name += "/" + *described.variant;
  return name;
}

/// Standard error of a median, as a part of it, from its 95 % interval.
double error_from(const statistics::interval& interval, double median) {
  return (interval.high - interval.low) / 2 / statistics::standard_errors_to_ends / median;
}

/// The same within a process: by order statistics, so that a single disturbed repetition does not
/// count. 0 for a single value.
double error_within(const std::vector<double>& values, double median) {
  if (values.size() < 2) return 0;
  return error_from(statistics::interval_of_median(values, 0.95), median);
}

/// By size in bytes.
using errors = std::map<double, double>;

/// `between`: errors between processes, where several have measured.
std::vector<measured_time> times_of(const repetitions& by_size, const errors& between) {
  std::vector<measured_time> times;
  for (const auto& [bytes, values] : by_size) {
    const double ns_per_byte = statistics::median(values);
    const auto known = between.find(bytes);
    times.push_back({bytes, ns_per_byte * bytes,
                     known == between.end() ? error_within(values, ns_per_byte) : known->second});
  }
  return times;
}

/// All repetitions of three may be faster than all of three others by chance; of four, hardly.
bool can_tell(const repetitions& by_size) {
  constexpr std::size_t enough = 4;
  return std::ranges::all_of(by_size,
                             [](const auto& size) { return size.second.size() >= enough; });
}

struct series_key {
  std::string name;  ///< of the series
  term measures;

  auto operator<=>(const series_key&) const = default;
};

/// One of the variants of a strategy that do the same job.
struct variant_rates {
  const benchmark* described;  ///< of any size
  std::string strategy;
  advice::plainness plainness = {};
  std::optional<std::string> variant = {};
  repetitions by_size = {};
  errors between_processes = {};

  [[nodiscard]] bool is_plainer_than(const variant_rates& other) const {
    return std::tie(plainness, variant) < std::tie(other.plainness, other.variant);
  }
};

/// What measurements of CPU access to memory of one pool have in common.
struct pool_key {
  std::string pool;
  term measures;
  std::optional<std::string> method, variant;

  auto operator<=>(const pool_key&) const = default;
};

class collector {
 public:
  /// Of what this device does alone.
  collector(measurements& measured, const result_file::contents& content,
            const spread_list& spreads, std::size_t device, transfer_choice transfers)
      : measured_(measured),
        pools_(pools_in(content.facts)),
        spreads_(spreads),
        device_(device),
        transfers_(std::move(transfers)) {}

  void add(const result_file::row& row) {
    const auto needed = term_of(*row.benchmark, device_, transfers_);
    if (row.kind != result_file::row_kind::repetition || !needed) return;
    auto& ignored = is_transfer(*needed) ? measured_.ignored_transfers : measured_.ignored_others;
    if (row.failed)
      ++ignored.failed;
    else if (const auto rate = ns_per_byte(row, timing_of(*needed)))
      keep(row, *needed, *rate);
    else
      ++ignored.unusable;
  }

  /// Adds the series by name.
  void finish() {
    for (const auto& [key, variant] : plainest_)
      measured_.all_series.push_back(series_of(key, variant));
  }

 private:
  [[nodiscard]] const timing& timing_of(term needed) const {
    static const timing of_memory;
    return is_transfer(needed) ? transfers_.timing : of_memory;
  }

  [[nodiscard]] series series_of(const series_key& key, const variant_rates& variant) const {
    const auto& [name, measures] = key;
    const auto pool = pool_of(*variant.described, measures);
    const bool has_memory = !is_transfer(measures) || transfers_.counts_memory;
    return {.name = name,
            .strategy = variant.strategy,
            .measures = measures,
            .memory = has_memory ? variant.described->memory : std::nullopt,
            .plainness = variant.plainness,
            .pool = pool ? std::optional(pool->pool) : std::nullopt,
            .times = times_of(pool ? with_all_of_pool(variant.by_size, *pool) : variant.by_size,
                              variant.between_processes),
            .can_tell = can_tell(variant.by_size),
            .repetitions = is_transfer(measures) ? variant.by_size : repetitions()};
  }

  void keep(const result_file::row& row, term needed, double rate) {
    const auto& described = *row.benchmark;
    const auto strategy = is_transfer(needed) ? transfers_.strategy(described) : described.strategy;
    auto* const kept = keep_if_plainest(
        {&described, strategy, plainness_of(described), described.variant}, needed, rate);
    if (kept != nullptr && timing_of(needed).is_median()) keep_error(*kept, described);
    if (const auto key = pool_of(described, needed))
      pooled_[*key][size_of(described)].push_back(rate);
    if (is_transfer(needed) && transfers_.includes_forms) keep_forms(row, needed);
  }

  void keep_forms(const result_file::row& row, term needed) {
    for (const auto& form : timed_in_turn(row))
      if (const auto rate = ns_per_byte(row, {.counter = form + "_ns", .is_of_its_size = true}))
        keep_if_plainest({row.benchmark, form}, needed, *rate);
  }

  /// Null if a plainer variant is known, which counts instead.
  variant_rates* keep_if_plainest(const variant_rates& added, term needed, double rate) {
    const series_key key{name_of(*added.described, needed, added.strategy), needed};
    auto& kept = plainest_.try_emplace(key, added).first->second;
    if (kept.is_plainer_than(added)) return nullptr;
    if (added.is_plainer_than(kept)) kept = added;
    kept.by_size[size_of(*added.described)].push_back(rate);
    return &kept;
  }

  /// Keeps the error between processes of a benchmark's median time.
  void keep_error(variant_rates& kept, const benchmark& described) {
    if (const auto of = spreads_.find(&described); of != spreads_.end() && of->second.interval)
      kept.between_processes[size_of(described)] =
          error_from(*of->second.interval, of->second.median);
  }

  [[nodiscard]] std::optional<pool_key> pool_of(const benchmark& described, term needed) const {
    if (!is_cpu_access(needed)) return std::nullopt;
    const auto pool = pools_.find(*described.memory);
    if (pool == pools_.end()) return std::nullopt;
    return pool_key{pool->second, needed, described.method, described.variant};
  }

  /// The same sizes, each with the repetitions of all memory of its pool.
  [[nodiscard]] repetitions with_all_of_pool(const repetitions& by_size,
                                             const pool_key& pool) const {
    repetitions all;
    for (const auto& [size, own] : by_size) all.emplace(size, pooled_.at(pool).at(size));
    return all;
  }

  measurements& measured_;
  std::map<std::string, std::string> pools_;
  const spread_list& spreads_;
  std::map<pool_key, repetitions> pooled_;
  std::size_t device_;
  transfer_choice transfers_;
  std::map<series_key, variant_rates> plainest_;
};

}  // namespace

measurements measurements_in(const result_file::contents& content,
                             const std::filesystem::path& file, std::size_t device,
                             result_file::cache_state lines) {
  row_list all;
  for (const auto& row : content.rows) all.push_back(&row);
  return measurements_in(content,
                         result_file::spreads_of(content, result_file::compared_with::same_run),
                         all, file, device,
                         {.belongs = is_one_way_copy,
                          .strategy = [](const benchmark& copy) { return copy.strategy; },
                          .lines = lines});
}

measurements measurements_in(const result_file::contents& content, const spread_list& spreads,
                             const row_list& rows, const std::filesystem::path& file,
                             std::size_t device, const transfer_choice& transfers) {
  measurements read;
  read.from = origin_of(content, file, device);
  read.lines = transfers.lines;
  read.needs_memory = transfers.needs_memory;
  collector collected(read, content, spreads, device, transfers);
  for (const auto* row : rows) collected.add(*row);
  collected.finish();
  return read;
}

row_list rows_of_memory(const result_file::contents& content, std::size_t device) {
  row_list rows;
  for (const auto& row : content.rows)
    if (is_usable(*row.benchmark, device) && term_of_memory(*row.benchmark)) rows.push_back(&row);
  return rows;
}

}  // namespace bench_transfers::advice
