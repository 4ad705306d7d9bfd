#include "src/advice/measurements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "src/advice/pools.hpp"
#include "src/common/text.hpp"
#include "src/result_file/reader.hpp"
#include "src/result_file/spread.hpp"
#include "src/statistics/estimate.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::advice {

term transfer_term(result_file::direction towards) {
  using enum result_file::direction;
  switch (towards) {
    case h2d: return term::transfer_h2d;
    case d2h: return term::transfer_d2h;
    case both: return term::transfer_both;
    case none: break;
  }
  return term::transfer_none;
}

bool is_transfer(term needed) {
  using enum term;
  switch (needed) {
    case transfer_h2d:
    case transfer_d2h:
    case transfer_both:
    case transfer_none: return true;
    case allocation:
    case deallocation:
    case cpu_write:
    case cpu_read: break;
  }
  return false;
}
bool is_allocation(term needed) {
  return needed == term::allocation || needed == term::deallocation;
}
bool is_cpu_access(term needed) { return needed == term::cpu_write || needed == term::cpu_read; }

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

/// What was timed in turn with an operation as a form of it, by name: of "over_plain_ns" and
/// "plain_ns", "plain".
std::vector<std::string> timed_in_turn(const result_file::row& row) {
  constexpr std::string_view before = "over_", behind = "_ns";
  std::vector<std::string> names;
  for (const auto& value : row.values) {
    const std::string_view name = *value.name;
    if (!name.starts_with(before) || !name.ends_with(behind)) continue;
    const auto form = name.substr(before.size());
    if (row.number(form)) names.emplace_back(form.substr(0, form.size() - behind.size()));
  }
  return names;
}

std::optional<double> positive(std::optional<double> value) {
  return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
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
  /// Takes what this device alone does.
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
    const auto rate = rate_of(row, *needed);
    if (row.failed)
      ++ignored.failed;
    else if (!std::isnormal(rate))  // the smallest times vanish when they are divided
      ++ignored.unusable;
    else
      keep(row, *needed, rate);
  }

  /// Adds the series by name.
  void finish() {
    for (const auto& [key, variant] : plainest_) {
      const auto& [name, measures] = key;
      const auto& described = *variant.described;
      const auto pool = pool_of(described, measures);
      const bool has_memory = !is_transfer(measures) || transfers_.counts_memory;
      measured_.all_series.push_back(
          {.name = name,
           .strategy = variant.strategy,
           .measures = measures,
           .memory = has_memory ? described.memory : std::nullopt,
           .plainness = variant.plainness,
           .pool = pool ? std::optional(pool->pool) : std::nullopt,
           .times = times_of(pool ? with_all_of_pool(variant.by_size, *pool) : variant.by_size,
                             variant.between_processes),
           .can_tell = can_tell(variant.by_size),
           .repetitions = is_transfer(measures) ? variant.by_size : repetitions()});
    }
  }

 private:
  static constexpr const char* median = "median_ns";

  [[nodiscard]] std::string time_of(term needed) const {
    return is_transfer(needed) ? transfers_.time : median;
  }
  [[nodiscard]] bool is_read_again(term needed) const {
    return is_transfer(needed) && transfers_.reads > 0;
  }
  /// Whether the time is that of the benchmark's size instead of the bytes that it has moved.
  [[nodiscard]] bool is_of_its_size(term needed) const {
    return is_transfer(needed) && transfers_.is_of_its_size;
  }

  /// 0 if the row does not tell.
  [[nodiscard]] double ns_per_byte(const result_file::row& row, term needed,
                                   const std::string& time) const {
    const auto bytes =
        positive(is_of_its_size(needed) ? size_of(*row.benchmark) : row.number("bytes"));
    const auto ns = positive(row.number(time));
    return ns && bytes ? *ns / *bytes : 0;
  }

  /// In ns per byte, with what is read afterwards; 0 if the row does not tell.
  [[nodiscard]] double rate_of(const result_file::row& row, term needed) const {
    const auto rate = ns_per_byte(row, needed, time_of(needed));
    if (!is_read_again(needed)) return rate;
    const auto of_reads = ns_per_byte(row, needed, transfers_.read_again);
    return of_reads > 0 ? rate + transfers_.reads * of_reads : 0;
  }

  void keep(const result_file::row& row, term needed, double rate) {
    const auto& described = *row.benchmark;
    const auto strategy = is_transfer(needed) ? transfers_.strategy(described) : described.strategy;
    auto* const kept = keep_if_plainest(
        {&described, strategy, plainness_of(described), described.variant}, needed, rate);
    if (kept != nullptr && time_of(needed) == median && !is_read_again(needed))
      keep_error(*kept, described);
    if (const auto key = pool_of(described, needed))
      pooled_[*key][size_of(described)].push_back(rate);
    if (!is_of_its_size(needed)) return;
    for (const auto& form : timed_in_turn(row))
      if (const auto its_rate = ns_per_byte(row, needed, form + "_ns"); std::isnormal(its_rate))
        keep_if_plainest({&described, form}, needed, its_rate);
  }

  /// Null if a plainer variant is known, which counts instead.
  variant_rates* keep_if_plainest(const variant_rates& added, term needed, double rate) {
    const auto name = name_of(*added.described, needed, added.strategy);
    auto& kept = plainest_.try_emplace({name, needed}, added).first->second;
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
  std::map<std::pair<std::string, term>, variant_rates> plainest_;  // by the names of series
};

/// One of several devices is also named as on the command line.
std::string name_of_device(const result_file::contents& content, std::size_t index) {
  using result_file::text_at;
  const auto& devices = result_file::member(content.facts, {"devices"});
  if (!devices.is_array() || devices.size() < 2) return text_at(content.facts, {"device", "name"});
  return result_file::id_of_device(content, index) + " " + text_at(devices.at(index), {"name"});
}

/// How many processes have measured something.
int processes_in(const result_file::contents& content) {
  std::set<int> processes;
  for (const auto& row : content.rows)
    if (row.kind == result_file::row_kind::repetition) processes.insert(row.process);
  return static_cast<int>(std::max<std::size_t>(1, processes.size()));
}

std::optional<double> bytes_at(const nlohmann::ordered_json& facts,
                               std::initializer_list<const char*> keys) {
  const auto& value = result_file::member(facts, keys);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

origin origin_of(const result_file::contents& content, const std::filesystem::path& file,
                 std::size_t device) {
  using result_file::text_at;
  auto host_bytes = bytes_at(content.facts, {"machine", "memory", "total_bytes"});
  const auto limit = bytes_at(content.facts, {"machine", "memory", "cgroup_limit_bytes"});
  if (limit) host_bytes = std::min(host_bytes.value_or(*limit), *limit);
  return {.file = file,
          .device = name_of_device(content, device),
          .cpu = text_at(content.facts, {"machine", "cpu", "model"}),
          .started = text_at(content.facts, {"run", "started_utc"}),
          .commit = text_at(content.facts, {"program", "git_commit"}),
          .has_gpu = !content.on_host,
          .complete = content.complete,
          .parts = content.parts,
          .processes = processes_in(content),
          .confidential = result_file::is_confidential(content, device),
          .host_bytes = host_bytes,
          .device_bytes = bytes_at(result_file::device_of(content, device), {"memory_bytes"})};
}

}  // namespace

std::size_t index_of_device(const result_file::contents& content, const std::filesystem::path& file,
                            const std::string& id) {
  if (id.empty()) return 0;
  const auto count = result_file::member(content.facts, {"devices"}).size();
  std::vector<std::string> ids;
  for (std::size_t index = 0; index < count; ++index)
    ids.push_back(result_file::id_of_device(content, index));
  const auto match = std::ranges::find(ids, id);
  if (match == ids.end())
    throw result_file::unusable_file(
        fmt::format("cannot use {}: it has no device {}, but {}", common::printable(file.string()),
                    common::printable_in_short(id), fmt::join(ids, ", ")));
  return static_cast<std::size_t>(match - ids.begin());
}

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
