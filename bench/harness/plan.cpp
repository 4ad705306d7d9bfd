#include "bench/harness/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "bench/harness/requests.hpp"
#include "bench/harness/selection.hpp"
#include "bench/strategy/cache.hpp"
#include "bench/strategy/written_lines.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/regular_expression.hpp"
#include "src/common/text.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {
namespace {

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

/// Why none of the requested sizes is measured.
common::message accepted_sizes(const sampling& sampling) {
  common::message reason{"size_out_of_range",
                         {{"smallest", sampling.smallest}},
                         "it takes sizes from " + common::format_size(sampling.smallest)};
  if (sampling.largest == SIZE_MAX) return reason;
  reason.data["largest"] = sampling.largest;
  reason.text += " to " + common::format_size(sampling.largest);
  return reason;
}

/// A device that benchmarks are planned for.
struct planned_device {
  std::size_t index;
  std::optional<std::string> id;  ///< for names; none if it is the only one
};

/// Why this processor or process cannot have the state.
std::optional<common::message> why_no_state(cache_state state) {
  if (state == cache_state::cold && !can_flush_cache())
    return common::message{.code = "no_cache_flush",
                           .text = "this processor has no instruction to flush caches"};
  if (is_of_other_threads(state) && transfers::usable_processors() == 1)
    return common::message{.code = "too_few_processors",
                           .text = "this process may use one processor, and others must write"};
  return std::nullopt;
}

/// `variant`: null for a strategy without variants.
benchmark_case case_of(const strategy& measured, const variant* variant, const size_in_state& size,
                       const planned_device& device) {
  benchmark_case planned{describe(measured, variant, size.bytes, size.cache, device.id), &measured};
  if (planned.flows.empty()) planned.devices = {device.index};
  planned.procedure = measured.procedure;
  if (variant == nullptr) return planned;
  planned.copies = variant->flows;
  planned.procedure = variant->procedure.value_or(measured.procedure);
  return planned;
}

std::vector<benchmark_case> cases_of(const strategy& measured, const planned_device& device,
                                     const settings& settings) {
  std::vector<benchmark_case> cases;
  const auto sizes = selected_sizes(measured, settings);
  for (const auto* const variant : selected_variants(measured, settings))
    for (const auto& size : sizes) cases.push_back(case_of(measured, variant, size, device));
  return cases;
}

/// A misspelt expression would seem to prove that nothing detects the fault.
void refuse_faults_without_place(const plan& plan, const std::vector<fault>& faults) {
  if (plan.cases.empty() && plan.skipped.empty()) return;
  for (const auto& fault : faults) {
    const auto concerns = [&](const auto& chosen) {
      return std::regex_search(chosen.name, fault.names);
    };
    const auto concerns_flow = [&](const benchmark_case& planned) {
      return std::ranges::any_of(planned.copies, [&](const named_flow& copy) {
        return std::regex_search(name_of_flow(planned.name, copy.name), fault.names);
      });
    };
    if (!concerns_sentinels(fault) && std::ranges::none_of(plan.cases, concerns) &&
        std::ranges::none_of(plan.cases, concerns_flow) &&
        std::ranges::none_of(plan.skipped, concerns))
      throw common::usage_error(fmt::format("--inject='{}' concerns none of the chosen benchmarks",
                                            common::printable_in_short(fault.text)));
  }
}

common::message needs_several_devices() {
  return {
      .code = "needs_several_devices",
      .text = "it needs several devices, and this run has one (--device=all takes all there are)"};
}

std::optional<common::message> unsupported(const std::optional<std::string>& reason) {
  if (!reason) return std::nullopt;
  return common::message{.code = "unsupported", .text = *reason};
}

/// Why the device of a copy cannot have its host memory.
std::optional<std::string> why_no_memory(const named_flow& copy,
                                         std::span<const named_device> devices) {
  if (!copy.host) return std::nullopt;
  if (auto reason = why_unsupported(*copy.host, devices[copy.device].device)) return reason;
  // CPUs copy it.
  return copy.host_node && !is_page_locked(*copy.host) ? why_no_cpu(*copy.host_node) : std::nullopt;
}

/// Why one of the devices of a set of copies cannot make them.
std::optional<std::string> why_no_set(const benchmark_case& planned,
                                      std::span<const named_device> devices) {
  for (const auto index : planned.devices)
    if (auto reason = why_unsupported(*planned.measured, devices[index].device)) return reason;
  for (const auto& copy : planned.copies)
    if (auto reason = why_no_memory(copy, devices)) return reason;
  return std::nullopt;
}

/// Why a strategy of several copies at once has no sets, for those who ask for it; nullopt: nobody
/// does.
std::optional<common::message> why_without_sets(const strategy& candidate,
                                                const settings& settings) {
  if (!settings.concurrent.empty() || settings.strategies.empty()) return std::nullopt;
  if (!candidate.memory_by_copy) return needs_several_devices();
  if (!is_named(candidate, settings.strategies)) return std::nullopt;
  return common::message{.code = "needs_listed_copies",
                         .text =
                             "it needs copies that name their memory, such as "
                             "--concurrent=cuda:0:h2d:pinned+cuda:1:h2d:pageable"};
}

/// Adds one strategy after another to a plan, as far as their benchmarks pass the filter.
class planner {
 public:
  planner(plan& plan, std::span<const named_device> devices, const settings& settings)
      : plan_(plan), devices_(devices), settings_(settings), filter_(settings.filter) {}

  void add(const strategy& candidate) {
    if (candidate.concurrent)
      add_sets(candidate);
    else
      add_by_device(candidate);
  }

 private:
  /// Adds the benchmarks of a strategy on each device. A strategy whose other devices help is
  /// missing without a word in a run of one device, unless it is asked for by name.
  void add_by_device(const strategy& candidate) {
    if (candidate.needs.other_devices && devices_.size() == 1) {
      if (is_named(candidate, settings_.strategies)) skip_all(candidate, needs_several_devices());
      return;
    }
    for (std::size_t index = 0; index < devices_.size(); ++index) {
      const auto& [id, device] = devices_[index];
      const auto reason = why_unsupported(candidate, device);
      for (auto& planned : passing_cases(
               candidate, {index, devices_.size() > 1 ? std::optional(id) : std::nullopt}))
        add_case(std::move(planned), reason);
    }
  }

  /// Adds the sets of copies at once. A single device has none: that is mentioned only to those who
  /// ask for them.
  void add_sets(const strategy& candidate) {
    const bool has_sets = !candidate.variants.empty() &&
                          std::ranges::none_of(candidate.variants, [](const variant& set) {
                            return set.flows.empty();
                          });
    if (!has_sets) {
      if (const auto reason = why_without_sets(candidate, settings_)) skip_all(candidate, *reason);
      return;
    }
    for (auto& planned : passing_cases(candidate, {0, std::nullopt})) {
      const auto reason = why_no_set(planned, devices_);
      add_case(std::move(planned), reason);
    }
  }

  /// Notes once for all devices that a strategy takes none of the sizes.
  std::vector<benchmark_case> passing_cases(const strategy& candidate,
                                            const planned_device& device) {
    auto cases = cases_of(candidate, device, settings_);
    if (cases.empty() && device.index == 0 && settings_.own_sizes)
      skip_all(candidate, accepted_sizes(candidate.sampling));
    std::erase_if(cases,
                  [&](const benchmark_case& planned) { return !filter_.passes(planned.name); });
    return cases;
  }

  /// `why_not`: why its devices cannot run it.
  void add_case(benchmark_case planned, const std::optional<std::string>& why_not) {
    auto reason = unsupported(why_not);
    if (!reason) reason = why_no_state(planned.cache);
    if (reason)
      plan_.skipped.push_back({planned.name, *reason, planned});
    else
      plan_.cases.push_back(std::move(planned));
  }

  void skip_all(const strategy& candidate, const common::message& reason) {
    if (filter_.passes(candidate.name())) plan_.skipped.push_back({candidate.name(), reason});
  }

  plan& plan_;
  std::span<const named_device> devices_;
  const settings& settings_;
  name_filter filter_;
};

/// Copies that nothing measures would be forgotten without a word.
void require_copies_at_once(const registry& strategies, const settings& settings) {
  const auto copies_at_once = [](const strategy* chosen) { return chosen->concurrent; };
  if (!settings.concurrent.empty() &&
      std::ranges::none_of(chosen_strategies(strategies, settings.strategies), copies_at_once))
    throw common::usage_error(
        "--concurrent names copies that are not measured: add concurrent to --strategies");
}

}  // namespace

bool uses_device(const benchmark_case& planned, std::size_t index) {
  return std::ranges::find(planned.devices, index) != planned.devices.end();
}

std::optional<common::message> why_not_in_run(const strategy& candidate,
                                              const transfers::device& device,
                                              std::size_t devices) {
  if (candidate.needs.other_devices && devices == 1) return needs_several_devices();
  return unsupported(why_unsupported(candidate, device));
}

void earlier_repetitions::add(int number, std::optional<double> median_ns,
                              const std::set<result_file::disturbance>& disturbed) {
  const auto degree = result_file::degree_of(disturbed);
  ++count;
  next = std::max(next, number + 1);
  if (degree == result_file::disturbance_degree::spoilt)
    spoilt_by.insert(disturbed.begin(), disturbed.end());
  else if (median_ns)
    medians.push_back(*median_ns);
  least = std::min(least.value_or(degree), degree);
}

plan make_plan(const registry& strategies, std::span<const named_device> devices,
               const bench::settings& given) {
  auto settings = given;
  settings.strategies = known_requests(strategies, given.strategies);
  require_copies_at_once(strategies, settings);
  plan result;
  planner planning(result, devices, settings);
  for (const auto* const candidate : selected_strategies(strategies, settings))
    planning.add(*candidate);
  refuse_faults_without_place(result, settings.faults);
  return result;
}

plan make_plan(const registry& strategies, const transfers::device& device,
               const settings& settings) {
  return make_plan(strategies, std::vector{named_device{"", device}}, settings);
}

}  // namespace bench_transfers::bench
