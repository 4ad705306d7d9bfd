#include "bench/harness/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "bench/harness/interruption.hpp"
#include "bench/strategy/cache.hpp"
#include "src/common/command_line.hpp"
#include "src/common/nearest.hpp"
#include "src/common/printable.hpp"
#include "src/common/regular_expression.hpp"
#include "src/common/sizes.hpp"
#include "src/machine/machine.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

/// The prefixes of the names of a strategy's benchmarks: "strategy/variant" for each variant, or
/// the strategy's name if it has none.
std::vector<std::string> prefixes_of(const strategy& strategy) {
  if (strategy.variants.empty()) return {strategy.name()};
  std::vector<std::string> prefixes;
  for (const auto& variant : strategy.variants)
    prefixes.push_back(strategy.name() + "/" + variant.name);
  return prefixes;
}

/// Whether a prefix equals a request or begins with all of its parts.
bool matches(std::string_view prefix, std::string_view request) {
  return prefix == request || (prefix.starts_with(request) && prefix[request.size()] == '/');
}

bool is_requested(std::string_view prefix, const std::vector<std::string>& requests) {
  return requests.empty() || std::ranges::any_of(requests, [&](const auto& request) {
           return matches(prefix, request);
         });
}

/// Everything that --strategies accepts: the prefixes, and their first parts.
std::set<std::string> accepted_requests(const registry& strategies) {
  std::set<std::string> accepted;
  for (const auto& strategy : strategies)
    for (const auto& prefix : prefixes_of(strategy))
      for (auto end = prefix.find('/');; end = prefix.find('/', end + 1)) {
        accepted.insert(prefix.substr(0, end));
        if (end == std::string::npos) break;
      }
  return accepted;
}

/// Whether a request names the strategy itself or a variant, not its family alone.
bool is_named(const strategy& strategy, const std::vector<std::string>& requests) {
  return std::ranges::any_of(
      requests, [name = strategy.name()](const auto& request) { return matches(request, name); });
}

void refuse_unknown(const registry& strategies, const std::vector<std::string>& requests) {
  const auto accepted = accepted_requests(strategies);
  for (const auto& name : requests) {
    if (accepted.contains(name)) continue;
    const auto meant = common::nearest(name, accepted);
    throw common::usage_error(fmt::format("unknown strategy '{}'{} (see --list)",
                                          common::printable_in_short(name),
                                          meant.empty() ? "" : ": did you mean " + meant + "?"));
  }
}

/// Google Benchmark's meaning of --benchmark_filter.
class name_filter {
 public:
  explicit name_filter(std::string expression) {
    if (expression.empty() || expression == "all") expression = ".";
    if (expression.front() == '-') {
      negative_ = true;
      expression.erase(0, 1);
    }
    try {
      expression_ = common::regular_expression(expression);
    } catch (const common::expression_error& error) {
      throw common::usage_error(fmt::format("--benchmark_filter='{}' {}",
                                            common::printable_in_short(expression), error.what()));
    }
  }
  [[nodiscard]] bool passes(const std::string& name) const {
    return std::regex_search(name, expression_) != negative_;
  }

 private:
  std::regex expression_;
  bool negative_ = false;
};

/// The sizes that a strategy is measured with. Strategies with the same stride get the same sizes,
/// so that they can be compared.
std::vector<std::size_t> sizes_for(const sampling& sampling, const std::vector<std::size_t>& sizes,
                                   bool own_sizes) {
  const auto stride = own_sizes ? 1 : sampling.size_stride;
  const auto fits = [&](std::size_t bytes) {
    return bytes >= sampling.smallest && bytes <= sampling.largest;
  };
  const auto last =
      own_sizes ? sizes.size() : sizes.size() - std::min(sampling.skip_largest, sizes.size());
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < last; ++i)
    // The largest size in the strategy's range is always selected.
    if (fits(sizes[i]) && ((last - 1 - i) % stride == 0 || i + 1 == last || !fits(sizes[i + 1])))
      selected.push_back(sizes[i]);
  return selected;
}

/// Why none of the requested sizes is measured.
common::message accepted_sizes(const sampling& sampling) {
  common::message reason{"size_out_of_range", {{"smallest", sampling.smallest}}, ""};
  if (sampling.largest == SIZE_MAX) {
    reason.text = fmt::format("it takes sizes from {}", common::format_size(sampling.smallest));
    return reason;
  }
  reason.data["largest"] = sampling.largest;
  reason.text = fmt::format("it takes sizes from {} to {}", common::format_size(sampling.smallest),
                            common::format_size(sampling.largest));
  return reason;
}

/// Adds the benchmarks of one variant; null: the strategy has none.
void add_cases(std::vector<benchmark_case>& cases, const strategy& measured, const variant* variant,
               const settings& settings) {
  const auto add = [&](std::optional<std::size_t> bytes, cache_state cache) {
    cases.push_back({describe(measured, variant, bytes, cache), &measured});
  };
  if (!measured.sampling.sized) return add(std::nullopt, cache_state::warm);
  const auto add_sizes = [&](const std::vector<std::size_t>& sizes, cache_state cache) {
    for (const auto bytes : sizes_for(measured.sampling, sizes, settings.own_sizes))
      add(bytes, cache);
  };
  if (settings.warm) add_sizes(settings.sizes, cache_state::warm);
  if (settings.cold && measured.sampling.cold) add_sizes(settings.cold_sizes, cache_state::cold);
}

std::vector<benchmark_case> cases_of(const strategy& measured, const settings& settings) {
  std::vector<benchmark_case> cases;
  const auto name = measured.name();
  if (measured.variants.empty() && is_requested(name, settings.strategies))
    add_cases(cases, measured, nullptr, settings);
  for (const auto& variant : measured.variants)
    if (is_requested(name + "/" + variant.name, settings.strategies))
      add_cases(cases, measured, &variant, settings);
  return cases;
}

template <class Condition>
void skip_if(plan& plan, Condition&& condition, const common::message& reason) {
  std::erase_if(plan.cases, [&](const benchmark_case& planned) {
    if (!condition(planned)) return false;
    plan.skipped.push_back({planned.name, reason, planned});
    return true;
  });
}

/// Bytes of a host buffer that a benchmark's payloads take.
std::size_t host_bytes(const benchmark_case& planned) {
  return (planned.measured->needs.host_payloads - 1) * buffers::distance(planned.bytes()) +
         planned.bytes();
}

/// Bytes of the device buffer that a benchmark's payloads take.
std::size_t device_bytes(const benchmark_case& planned) {
  return (planned.measured->needs.device_payloads - 1) * buffers::distance(planned.bytes()) +
         planned.bytes();
}

template <class Bytes>
std::size_t largest(const plan& plan, const std::function<bool(const benchmark_case&)>& among,
                    Bytes&& bytes) {
  std::size_t most = 0;
  for (const auto& planned : plan.cases)
    if (among(planned)) most = std::max(most, bytes(planned));
  return most;
}

std::set<transfers::host_memory_kind> kinds_in_use(const plan& plan) {
  std::set<transfers::host_memory_kind> kinds;
  for (const auto& planned : plan.cases)
    if (planned.measured->needs.host) kinds.insert(*planned.measured->needs.host);
  return kinds;
}

bool uses(const benchmark_case& planned, transfers::host_memory_kind kind) {
  return planned.measured->needs.host == kind;
}

bool uses_host_buffer(const benchmark_case& planned) {
  return planned.measured->needs.host.has_value();
}

/// The chunks of a calibrated copier, and the test copies that calibrate it
/// (transfers::calibrate_staging).
std::size_t bytes_of_copier(bool device_is_host) {
  constexpr std::size_t chunks = std::size_t{96} << 20;
  constexpr std::size_t test_copies = std::size_t{256} << 20;
  return chunks + test_copies + (device_is_host ? test_copies : 0);
}

/// Checks before allocating: a kernel that overcommits grants memory that it does not have, and
/// then kills the process.
void skip_sizes_beyond_memory(plan& plan, bool device_is_host) {
  // A tenth stays free for the page tables of pinned memory and for other processes.
  const auto free_bytes = machine::available_memory_bytes() / 10 * 9;
  if (free_bytes == 0) return;  // not known
  // What the program, its threads and the smallest benchmarks take, whatever the sizes.
  constexpr std::size_t own_bytes_of_program = std::size_t{64} << 20;
  const auto available = free_bytes - std::min(free_bytes, own_bytes_of_program);
  for (;;) {
    std::size_t needed = 0;
    const auto kinds = kinds_in_use(plan);
    for (const auto kind : kinds)
      needed += largest(
          plan, [&](const auto& planned) { return uses(planned, kind); }, host_bytes);
    const auto buffer = largest(plan, uses_host_buffer, host_bytes);
    if (device_is_host) needed += largest(plan, uses_host_buffer, device_bytes);
    const auto own_bytes = [&](const benchmark_case& planned) {
      const auto& needs = planned.measured->needs;
      return planned.bytes() *
                 (needs.more_host_memory + (device_is_host ? needs.more_device_memory : 0U)) +
             needs.fixed_host_memory + (needs.staged_copier ? bytes_of_copier(device_is_host) : 0U);
    };
    const auto anything = [](const benchmark_case&) { return true; };
    const auto allocated = largest(plan, anything, own_bytes);
    needed += allocated;
    if (needed <= available || std::max(buffer, allocated) == 0) return;
    skip_if(
        plan,
        [&](const auto& planned) {
          return allocated > buffer ? own_bytes(planned) == allocated
                                    : uses_host_buffer(planned) && host_bytes(planned) == buffer;
        },
        {"not_enough_host_memory",
         {{"needed_bytes", needed}, {"available_bytes", available}, {"kinds", kinds.size()}},
         fmt::format("not enough host memory: {:.2f} GiB needed for buffers of {} kinds, {:.2f} "
                     "GiB available (choose fewer with --strategies)",
                     static_cast<double>(needed) / (1 << 30), kinds.size(),
                     static_cast<double>(available) / (1 << 30))});
  }
}

/// Calls `reserve` with the largest size among the cases. If it is out of memory, skips that size
/// and tries the next.
template <class Among, class Bytes, class Reserve>
void reserve_largest(plan& plan, Among&& among, Bytes&& bytes_of, Reserve&& reserve) {
  for (;;) {
    const auto bytes = largest(plan, among, bytes_of);
    if (bytes == 0 || interruption() != 0) return;
    try {
      reserve(bytes);
      return;
    } catch (const transfers::out_of_memory& error) {
      skip_if(
          plan, [&](const auto& planned) { return among(planned) && bytes_of(planned) == bytes; },
          {"memory_refused", {{"bytes", bytes}}, fmt::format("memory refused: {}", error.what())});
    } catch (const transfers::device_error& error) {
      if (error.device_lost()) throw;
      skip_if(plan, among, {"device_failed", nlohmann::ordered_json::object(), error.what()});
    } catch (const transfers::unsupported& error) {
      skip_if(plan, among, {"unsupported", nlohmann::ordered_json::object(), error.what()});
    }
  }
}

/// A misspelt expression would seem to prove that nothing detects the fault.
void refuse_faults_without_benchmark(const plan& plan, const std::vector<fault>& faults) {
  if (plan.cases.empty() && plan.skipped.empty()) return;
  for (const auto& fault : faults) {
    const auto concerns = [&](const auto& chosen) {
      return std::regex_search(chosen.name, fault.names);
    };
    if (std::ranges::none_of(plan.cases, concerns) && std::ranges::none_of(plan.skipped, concerns))
      throw common::usage_error(fmt::format("--inject='{}' concerns none of the chosen benchmarks",
                                            common::printable_in_short(fault.text)));
  }
}

}  // namespace

std::vector<const strategy*> chosen_strategies(const registry& strategies,
                                               const std::vector<std::string>& requests) {
  refuse_unknown(strategies, requests);
  std::vector<const strategy*> selected;
  for (const auto& candidate : strategies)
    if (std::ranges::any_of(prefixes_of(candidate),
                            [&](const auto& prefix) { return is_requested(prefix, requests); }))
      selected.push_back(&candidate);
  return selected;
}

plan make_plan(const registry& strategies, const transfers::device& device,
               const settings& settings) {
  const name_filter filter(settings.filter);
  plan result;
  for (const auto* const candidate : chosen_strategies(strategies, settings.strategies)) {
    if (settings.strategies.empty() && settings.essential_only && !candidate->sampling.essential)
      continue;
    if (candidate->sampling.on_request && !is_named(*candidate, settings.strategies)) continue;
    const auto reason = why_unsupported(*candidate, device);
    auto cases = cases_of(*candidate, settings);
    if (cases.empty() && settings.own_sizes && filter.passes(candidate->name()))
      result.skipped.push_back({candidate->name(), accepted_sizes(candidate->sampling)});
    for (auto& planned : cases) {
      if (!filter.passes(planned.name)) continue;
      const auto skip = [&](const char* code, const std::string& text) {
        const auto no_data = nlohmann::ordered_json::object();
        result.skipped.push_back({planned.name, {code, no_data, text}, planned});
      };
      if (reason)
        skip("unsupported", *reason);
      else if (planned.cache == cache_state::cold && !can_flush_cache())
        skip("no_cache_flush", "this processor has no instruction to flush caches");
      else
        result.cases.push_back(std::move(planned));
    }
  }
  refuse_faults_without_benchmark(result, settings.faults);
  return result;
}

void reserve_buffers(plan& plan, const transfers::device& device, buffers& memory) {
  skip_sizes_beyond_memory(plan, !device.description().cuda);
  for (const auto kind : kinds_in_use(plan))
    reserve_largest(
        plan, [&](const auto& planned) { return uses(planned, kind); }, host_bytes,
        [&](std::size_t bytes) { memory.reserve_host(kind, bytes); });
  reserve_largest(plan, uses_host_buffer, device_bytes,
                  [&](std::size_t bytes) { memory.reserve_device(bytes); });
}

}  // namespace bench_transfers::bench
