#include "bench/harness/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <regex>

#include "bench/harness/requests.hpp"
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

/// A device that benchmarks are planned for.
struct planned_device {
  std::size_t index;
  std::optional<std::string> id;  ///< for names; none if it is the only one
};

/// Why this processor or process cannot have the state.
std::optional<common::message> why_unavailable(cache_state state) {
  const auto no_data = nlohmann::ordered_json::object();
  if (state == cache_state::cold && !can_flush_cache())
    return common::message{"no_cache_flush", no_data,
                           "this processor has no instruction to flush caches"};
  if (is_of_other_threads(state) && transfers::usable_processors() == 1)
    return common::message{"too_few_processors", no_data,
                           "this process may use one processor, and others must write"};
  return std::nullopt;
}

/// Whether a strategy is measured in a state of the host's lines. Page-locked memory is as fast
/// with flushed lines as with those that copies have left, so the quick profile has only one of the
/// two, and it leaves out states whose times scatter most.
bool is_measured_in(const strategy& measured, cache_state state, const settings& settings) {
  const auto& sampling = measured.sampling;
  const bool is_quick = settings.essential_only && settings.strategies.empty();
  if (state == cache_state::warm) return true;
  if (state == cache_state::cold)
    return sampling.cold &&
           !(is_quick && measured.needs.host && is_page_locked(*measured.needs.host));
  return sampling.written && (!is_quick || (sampling.essential_written && !falls_asleep(state)));
}

/// Adds the benchmarks of one variant; null: the strategy has none.
void add_cases(std::vector<benchmark_case>& cases, const strategy& measured, const variant* variant,
               const planned_device& device, const settings& settings) {
  const auto add = [&](std::optional<std::size_t> bytes, cache_state cache) {
    cases.push_back({describe(measured, variant, bytes, cache, device.id), &measured});
    auto& added = cases.back();
    if (added.flows.empty()) added.devices = {device.index};
    added.procedure = measured.procedure;
    if (variant == nullptr) return;
    added.copies = variant->flows;
    added.procedure = variant->procedure.value_or(measured.procedure);
  };
  if (!measured.sampling.sized) return add(std::nullopt, cache_state::warm);
  const auto add_sizes = [&](const std::vector<std::size_t>& sizes, cache_state cache) {
    for (const auto bytes : sizes_for(measured.sampling, sizes, settings.own_sizes))
      add(bytes, cache);
  };
  for (const auto state : settings.states)
    if (is_measured_in(measured, state, settings))
      add_sizes(state == cache_state::warm ? settings.sizes : settings.cold_sizes, state);
}

/// Whether a variant of a strategy in the profile is so, too.
bool is_in_profile(const strategy& measured, const variant& variant, const settings& settings) {
  const auto chosen = measured.sampling.profiles.find(settings.chosen_for);
  return !settings.strategies.empty() || chosen == measured.sampling.profiles.end() ||
         chosen->second.empty() ||
         std::ranges::find(chosen->second, variant.name) != chosen->second.end();
}

std::vector<benchmark_case> cases_of(const strategy& measured, const planned_device& device,
                                     const settings& settings) {
  std::vector<benchmark_case> cases;
  const auto name = measured.name();
  if (measured.variants.empty() && is_requested(name, settings.strategies))
    add_cases(cases, measured, nullptr, device, settings);
  for (const auto& variant : measured.variants)
    if (is_requested(name + "/" + variant.name, settings.strategies) &&
        is_in_profile(measured, variant, settings))
      add_cases(cases, measured, &variant, device, settings);
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

/// Adds benchmarks of a strategy as far as they pass the filter. `why_impossible` says of each why
/// its devices cannot run it, or nullopt.
void add_to_plan(
    plan& plan, std::vector<benchmark_case> cases, const name_filter& filter,
    const std::function<std::optional<std::string>(const benchmark_case&)>& why_impossible) {
  for (auto& planned : cases) {
    if (!filter.passes(planned.name)) continue;
    const auto skip = [&](const char* code, const std::string& text) {
      const auto no_data = nlohmann::ordered_json::object();
      plan.skipped.push_back({planned.name, {code, no_data, text}, planned});
    };
    if (const auto reason = why_impossible(planned))
      skip("unsupported", *reason);
    else if (const auto none = why_unavailable(planned.cache))
      skip(none->code.c_str(), none->text);
    else
      plan.cases.push_back(std::move(planned));
  }
}

void add_size_skip(plan& plan, const strategy& candidate, const settings& settings,
                   const name_filter& filter) {
  if (settings.own_sizes && filter.passes(candidate.name()))
    plan.skipped.push_back({candidate.name(), accepted_sizes(candidate.sampling)});
}

common::message needs_several_devices() {
  return {"needs_several_devices", nlohmann::ordered_json::object(),
          "it needs several devices, and this run has one (--device=all takes all there are)"};
}

/// Adds what a strategy is measured with on each device. Those whose other devices help are missing
/// without a word in a run of one device, unless they are asked for by name.
void add_by_device(plan& plan, const strategy& candidate, std::span<const named_device> devices,
                   const settings& settings, const name_filter& filter) {
  if (candidate.needs.other_devices && devices.size() == 1) {
    if (is_named(candidate, settings.strategies) && filter.passes(candidate.name()))
      plan.skipped.push_back({candidate.name(), needs_several_devices()});
    return;
  }
  for (std::size_t index = 0; index < devices.size(); ++index) {
    const auto& [id, device] = devices[index];
    auto cases = cases_of(candidate, {index, devices.size() > 1 ? std::optional(id) : std::nullopt},
                          settings);
    if (cases.empty() && index == 0) add_size_skip(plan, candidate, settings, filter);
    const auto reason = why_unsupported(candidate, device);
    add_to_plan(plan, std::move(cases), filter, [&](const benchmark_case&) { return reason; });
  }
}

/// Why the device of a copy cannot have its host memory.
std::optional<std::string> why_unsupported(const named_flow& copy,
                                           std::span<const named_device> devices) {
  if (!copy.host) return std::nullopt;
  if (auto reason = bench::why_unsupported(*copy.host, devices[copy.device].device)) return reason;
  // CPUs copy it.
  return copy.host_node && !is_page_locked(*copy.host) ? why_no_cpu(*copy.host_node) : std::nullopt;
}

std::optional<std::string> why_unsupported(const strategy& candidate, const benchmark_case& planned,
                                           std::span<const named_device> devices) {
  for (const auto index : planned.devices)
    if (auto reason = bench::why_unsupported(candidate, devices[index].device)) return reason;
  for (const auto& copy : planned.copies)
    if (auto reason = why_unsupported(copy, devices)) return reason;
  return std::nullopt;
}

/// Why a strategy of several copies at once has no sets, for those who ask for it; nullopt: nobody
/// does.
std::optional<common::message> why_no_sets(const strategy& candidate, const settings& settings) {
  const auto no_data = nlohmann::ordered_json::object();
  if (!settings.concurrent.empty() || settings.strategies.empty()) return std::nullopt;
  if (!candidate.memory_by_copy) return needs_several_devices();
  if (!is_named(candidate, settings.strategies)) return std::nullopt;
  return common::message{"needs_listed_copies", no_data,
                         "it needs copies that name their memory, such as "
                         "--concurrent=cuda:0:h2d:pinned+cuda:1:h2d:pageable"};
}

/// Adds the sets of copies at once. A single device has none: that is mentioned only to those who
/// ask for them.
void add_sets(plan& plan, const strategy& candidate, std::span<const named_device> devices,
              const settings& settings, const name_filter& filter) {
  const bool has_sets = !candidate.variants.empty() &&
                        std::ranges::none_of(candidate.variants,
                                             [](const variant& set) { return set.flows.empty(); });
  if (!has_sets) {
    const auto reason = why_no_sets(candidate, settings);
    if (reason && filter.passes(candidate.name()))
      plan.skipped.push_back({candidate.name(), *reason});
    return;
  }
  auto cases = cases_of(candidate, {0, std::nullopt}, settings);
  if (cases.empty()) add_size_skip(plan, candidate, settings, filter);
  add_to_plan(plan, std::move(cases), filter, [&](const benchmark_case& planned) {
    return why_unsupported(candidate, planned, devices);
  });
}

/// Copies that nothing measures would be forgotten without a word.
void require_copies_at_once(const registry& strategies, const settings& settings) {
  const auto copies_at_once = [](const strategy* chosen) { return chosen->concurrent; };
  if (!settings.concurrent.empty() &&
      std::ranges::none_of(chosen_strategies(strategies, settings.strategies), copies_at_once))
    throw common::usage_error(
        "--concurrent names copies that are not measured: add concurrent to --strategies");
}

bool is_chosen_for(std::string_view profile, const strategy& candidate) {
  return candidate.sampling.profiles.contains(profile);
}

/// Whether a strategy is measured without being asked for, unless it is on request.
bool is_in_profile(const strategy& candidate, const settings& settings) {
  return !settings.strategies.empty() ||
         ((!settings.essential_only || candidate.sampling.essential) &&
          (settings.chosen_for.empty() || is_chosen_for(settings.chosen_for, candidate)));
}

}  // namespace

bool uses_device(const benchmark_case& planned, std::size_t index) {
  return std::ranges::find(planned.devices, index) != planned.devices.end();
}

std::optional<common::message> why_not_in_run(const strategy& candidate,
                                              const transfers::device& device,
                                              std::size_t devices) {
  if (candidate.needs.other_devices && devices == 1) return needs_several_devices();
  if (const auto reason = why_unsupported(candidate, device))
    return common::message{"unsupported", nlohmann::ordered_json::object(), *reason};
  return std::nullopt;
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
  const name_filter filter(settings.filter);
  plan result;
  for (const auto* const candidate : chosen_strategies(strategies, settings.strategies)) {
    if (!is_in_profile(*candidate, settings)) continue;
    const bool is_chosen =
        settings.strategies.empty() && is_chosen_for(settings.chosen_for, *candidate);
    if (candidate->sampling.on_request && !is_chosen &&
        !is_asked_for(strategies, *candidate, settings.strategies))
      continue;
    const auto add = candidate->concurrent ? add_sets : add_by_device;
    add(result, *candidate, devices, settings, filter);
  }
  refuse_faults_without_place(result, settings.faults);
  return result;
}

plan make_plan(const registry& strategies, const transfers::device& device,
               const settings& settings) {
  return make_plan(strategies, std::vector{named_device{"", device}}, settings);
}

common::message lost_message(const std::string& id, const std::string& benchmark,
                             const std::string& reason) {
  auto data = nlohmann::ordered_json::object();
  if (!benchmark.empty()) data["benchmark"] = benchmark;
  if (!id.empty()) data["device"] = id;
  const auto when = benchmark.empty() ? "before anything was measured" : "in " + benchmark;
  return {"device_lost", std::move(data),
          fmt::format("not run: the device{} was lost {}: {}", id.empty() ? "" : " " + id, when,
                      reason)};
}

}  // namespace bench_transfers::bench
