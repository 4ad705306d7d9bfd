#include "bench/harness/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "bench/harness/interruption.hpp"
#include "bench/strategy/cache.hpp"
#include "src/common/nearest.hpp"
#include "src/common/printable.hpp"
#include "src/common/regular_expression.hpp"
#include "src/common/sizes.hpp"
#include "src/machine/machine.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

/// "strategy/variant" for each, or the strategy's name where there are none: what the names of its
/// benchmarks begin with.
std::vector<std::string> fronts_of(const strategy& one) {
  if (one.variants.empty()) return {one.name()};
  std::vector<std::string> fronts;
  for (const auto& variant : one.variants) fronts.push_back(one.name() + "/" + variant.name);
  return fronts;
}

/// Whether the front is what was asked for, or lies below it.
bool names(std::string_view wanted, std::string_view front) {
  return front == wanted || (front.starts_with(wanted) && front[wanted.size()] == '/');
}

bool is_wanted(std::string_view front, const std::vector<std::string>& wanted) {
  return wanted.empty() ||
         std::ranges::any_of(wanted, [&](const auto& one) { return names(one, front); });
}

/// All that --strategies takes: fronts and what they begin with.
std::set<std::string> nameable(const registry& all) {
  std::set<std::string> found;
  for (const auto& one : all)
    for (const auto& front : fronts_of(one))
      for (auto end = front.find('/');; end = front.find('/', end + 1)) {
        found.insert(front.substr(0, end));
        if (end == std::string::npos) break;
      }
  return found;
}

void refuse_unknown(const registry& all, const std::vector<std::string>& wanted) {
  const auto known = nameable(all);
  for (const auto& name : wanted) {
    if (known.contains(name)) continue;
    const auto meant = common::nearest(name, known);
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
      wanted_ = common::regular_expression(expression);
    } catch (const common::expression_error& wrong) {
      throw common::usage_error(fmt::format("--benchmark_filter='{}' {}",
                                            common::printable_in_short(expression), wrong.what()));
    }
  }
  [[nodiscard]] bool passes(const std::string& name) const {
    return std::regex_search(name, wanted_) != negative_;
  }

 private:
  std::regex wanted_;
  bool negative_ = false;
};

/// The sizes that a strategy is measured with. Those that several strategies leave out are the same
/// ones, so that they can be compared.
std::vector<std::size_t> sizes_for(const sampling& asked, const std::vector<std::size_t>& sizes,
                                   bool own_sizes) {
  const auto every = own_sizes ? 1 : asked.size_stride;
  const auto fits = [&](std::size_t bytes) {
    return bytes >= asked.smallest && bytes <= asked.largest;
  };
  const auto last =
      own_sizes ? sizes.size() : sizes.size() - std::min(asked.skip_largest, sizes.size());
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < last; ++i)
    // The largest that it is made for is among them in any case.
    if (fits(sizes[i]) && ((last - 1 - i) % every == 0 || i + 1 == last || !fits(sizes[i + 1])))
      some.push_back(sizes[i]);
  return some;
}

/// Why none of the sizes that were asked for is measured.
common::message sizes_taken(const sampling& asked) {
  common::message reason{"size_out_of_range", {{"smallest", asked.smallest}}, ""};
  if (asked.largest == SIZE_MAX) {
    reason.text = fmt::format("it takes sizes from {}", common::format_size(asked.smallest));
    return reason;
  }
  reason.data["largest"] = asked.largest;
  reason.text = fmt::format("it takes sizes from {} to {}", common::format_size(asked.smallest),
                            common::format_size(asked.largest));
  return reason;
}

/// The strategy's benchmarks of one variant, or of none.
void add_cases(std::vector<benchmark_case>& cases, const strategy& measured, const variant* of,
               const options& chosen) {
  const auto add = [&](std::optional<std::size_t> bytes, cache_state cache) {
    cases.push_back({describe(measured, of, bytes, cache), &measured});
  };
  if (!measured.sampling.sized) return add(std::nullopt, cache_state::warm);
  const auto add_sizes = [&](const std::vector<std::size_t>& sizes, cache_state cache) {
    for (const auto bytes : sizes_for(measured.sampling, sizes, chosen.own_sizes))
      add(bytes, cache);
  };
  if (chosen.warm) add_sizes(chosen.sizes, cache_state::warm);
  if (chosen.cold && measured.sampling.cold) add_sizes(chosen.cold_sizes, cache_state::cold);
}

std::vector<benchmark_case> cases_of(const strategy& measured, const options& chosen) {
  std::vector<benchmark_case> cases;
  const auto name = measured.name();
  if (measured.variants.empty() && is_wanted(name, chosen.strategies))
    add_cases(cases, measured, nullptr, chosen);
  for (const auto& variant : measured.variants)
    if (is_wanted(name + "/" + variant.name, chosen.strategies))
      add_cases(cases, measured, &variant, chosen);
  return cases;
}

template <class Condition>
void skip_if(plan& all, Condition&& condition, const common::message& reason) {
  std::erase_if(all.cases, [&](const benchmark_case& one) {
    if (!condition(one)) return false;
    all.skipped.push_back({one.name, reason, one});
    return true;
  });
}

/// Bytes of the host's buffer that a benchmark uses, for all its payloads.
std::size_t host_bytes(const benchmark_case& one) {
  return (one.measured->needs.host_payloads - 1) * buffers::distance(one.bytes()) + one.bytes();
}

/// Likewise of the device's.
std::size_t bytes_on_device(const benchmark_case& one) {
  return (one.measured->needs.device_payloads - 1) * buffers::distance(one.bytes()) + one.bytes();
}

template <class Bytes>
std::size_t largest(const plan& all, const std::function<bool(const benchmark_case&)>& among,
                    Bytes&& bytes) {
  std::size_t most = 0;
  for (const auto& one : all.cases)
    if (among(one)) most = std::max(most, bytes(one));
  return most;
}

std::set<transfers::host_memory_kind> kinds_in_use(const plan& all) {
  std::set<transfers::host_memory_kind> kinds;
  for (const auto& one : all.cases)
    if (one.measured->needs.host) kinds.insert(*one.measured->needs.host);
  return kinds;
}

bool uses(const benchmark_case& one, transfers::host_memory_kind kind) {
  return one.measured->needs.host == kind;
}

/// Overcommitting kernels grant what they cannot give and then kill the process: so look first.
void drop_what_exceeds_memory(plan& all, bool device_is_host) {
  // A tenth stays free for the page tables of pinned memory and for everybody else.
  const auto available = machine::available_memory_bytes() / 10 * 9;
  if (available == 0) return;  // not known
  for (;;) {
    std::size_t needed = 0;
    const auto kinds = kinds_in_use(all);
    for (const auto kind : kinds)
      needed += largest(
          all, [&](const auto& one) { return uses(one, kind); }, host_bytes);
    const auto top = largest(
        all, [](const auto& one) { return one.measured->needs.host.has_value(); }, host_bytes);
    if (device_is_host)
      needed += largest(
          all, [](const auto& one) { return one.measured->needs.host.has_value(); },
          bytes_on_device);
    const auto takes = [&](const benchmark_case& one) {
      return one.measured->needs.more_host_memory ||
             (device_is_host && one.measured->needs.more_device_memory);
    };
    const auto taken = largest(all, takes, [](const auto& one) { return one.bytes(); });
    needed += taken;
    if (needed <= available || std::max(top, taken) == 0) return;
    skip_if(
        all,
        [&](const auto& one) {
          return taken > top ? takes(one) && one.bytes() == taken
                             : one.measured->needs.host && host_bytes(one) == top;
        },
        {"not_enough_host_memory",
         {{"needed_bytes", needed}, {"available_bytes", available}, {"kinds", kinds.size()}},
         fmt::format("not enough host memory: {:.2f} GiB needed for buffers of {} kinds, {:.2f} "
                     "GiB available (choose fewer with --strategies)",
                     static_cast<double>(needed) / (1 << 30), kinds.size(),
                     static_cast<double>(available) / (1 << 30))});
  }
}

/// Calls `reserve` with the largest size among the cases; where memory is refused, skips that size
/// and tries the next.
template <class Among, class Bytes, class Reserve>
void reserve_largest(plan& all, Among&& among, Bytes&& bytes_of, Reserve&& reserve) {
  for (;;) {
    const auto bytes = largest(all, among, bytes_of);
    if (bytes == 0 || interruption() != 0) return;
    try {
      reserve(bytes);
      return;
    } catch (const transfers::out_of_memory& refused) {
      skip_if(all, [&](const auto& one) { return among(one) && bytes_of(one) == bytes; },
              {"memory_refused",
               {{"bytes", bytes}},
               fmt::format("memory refused: {}", refused.what())});
    } catch (const transfers::device_error& failed) {
      if (failed.device_lost()) throw;
      skip_if(all, among, {"device_failed", nlohmann::ordered_json::object(), failed.what()});
    } catch (const transfers::unsupported& no) {
      skip_if(all, among, {"unsupported", nlohmann::ordered_json::object(), no.what()});
    }
  }
}

}  // namespace

std::vector<const strategy*> chosen_strategies(const registry& all,
                                               const std::vector<std::string>& wanted) {
  refuse_unknown(all, wanted);
  std::vector<const strategy*> chosen;
  for (const auto& candidate : all)
    if (std::ranges::any_of(fronts_of(candidate),
                            [&](const auto& front) { return is_wanted(front, wanted); }))
      chosen.push_back(&candidate);
  return chosen;
}

plan make_plan(const registry& strategies, const transfers::device& device, const options& chosen) {
  const name_filter filter(chosen.filter);
  plan all;
  for (const auto* const candidate : chosen_strategies(strategies, chosen.strategies)) {
    if (chosen.strategies.empty() && chosen.essential_only && !candidate->sampling.essential)
      continue;
    const auto reason = why_unsupported(*candidate, device);
    auto cases = cases_of(*candidate, chosen);
    if (cases.empty() && chosen.own_sizes && filter.passes(candidate->name()))
      all.skipped.push_back({candidate->name(), sizes_taken(candidate->sampling)});
    for (auto& one : cases) {
      if (!filter.passes(one.name)) continue;
      const auto skip = [&](const char* code, const std::string& text) {
        const auto nothing = nlohmann::ordered_json::object();
        all.skipped.push_back({one.name, {code, nothing, text}, one});
      };
      if (reason)
        skip("unsupported", *reason);
      else if (one.cache == cache_state::cold && !can_flush_cache())
        skip("no_cache_flush", "this processor has no instruction to flush caches");
      else
        all.cases.push_back(std::move(one));
    }
  }
  return all;
}

void reserve_buffers(plan& all, const transfers::device& device, buffers& memory) {
  drop_what_exceeds_memory(all, !device.description().cuda);
  for (const auto kind : kinds_in_use(all))
    reserve_largest(
        all, [&](const auto& one) { return uses(one, kind); }, host_bytes,
        [&](std::size_t bytes) { memory.reserve_host(kind, bytes); });
  reserve_largest(
      all, [](const auto& one) { return one.measured->needs.host.has_value(); }, bytes_on_device,
      [&](std::size_t bytes) { memory.reserve_device(bytes); });
}

}  // namespace bench_transfers::bench
