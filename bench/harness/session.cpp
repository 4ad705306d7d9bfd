#include "bench/harness/session.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "bench/harness/interruption.hpp"

namespace bench_transfers::bench {

session::session(const device_list& devices, const settings& settings, result_file::writer& rows,
                 progress& shown, const surroundings& watched, turns* others, time_limit limit)
    : settings_(settings),
      others_(others),
      limit_(limit),
      devices_(devices),
      runner_(devices_, settings, watched, others),
      watched_(others ? nullptr : std::make_unique<sentinels>(devices_, settings)),
      kept_(rows, settings),
      rounds_(runner_, devices_, kept_, settings, shown, limit_, watched_.get()) {}

outcome session::measure(const plan& plan) {
  devices_.lose(plan.lost_devices);
  std::vector<measured_case> all;
  for (const auto* const list : {&plan.cases, &plan.set_aside})
    for (const auto& planned : *list)
      all.emplace_back(planned, settings_.process, settings_.rounds);
  const auto cases = std::span(all).first(plan.cases.size());
  if (others_)
    measure_in_turn(cases);
  else
    measure_within_time(cases);
  cut_off cut;
  if (interruption() == 0 && !rounds_.write_failure() && limit_.left()) {
    rounds_.report_failures(cases);
    cut = cut_by_time(all);
  }
  auto result = kept_.conclude(all);
  result.by_time = std::move(cut);
  result.write_failure = rounds_.write_failure();
  for (const auto& device : devices_.all()) result.throttled_by.push_back(device.throttled_by);
  result.lost_devices = devices_.lost();
  result.signal = interruption();
  if (others_) std::ranges::move(others_->warnings(), std::back_inserter(result.warnings));
  return result;
}

void session::measure_within_time(std::span<measured_case> cases) {
  while (!cases.empty() && !rounds_.is_over()) cases = cases.subspan(rounds_.measure(cases));
}

void session::measure_in_turn(std::span<measured_case> cases) {
  const auto at_once = std::stable_partition(
      cases.begin(), cases.end(),
      [](const measured_case& measured) { return !measured.planned->is_of_ranks(); });
  kept_.add({}, no_sentinels_among_ranks(devices_));
  others_->wait();
  auto time = settings_.time_of_turns;
  if (time) *time /= static_cast<std::int64_t>(others_->count());
  rounds_.measure({cases.begin(), at_once}, time);
  others_->end();
  if (!rounds_.write_failure()) rounds_.measure({at_once, cases.end()});
  others_->leave();
}

cut_off session::cut_by_time(std::span<const measured_case> cases) const {
  cut_off cut;
  for (const auto& measured : cases) {
    const auto& name = measured.planned->name;
    if (measured.error || measured.impossible || measured.is_measured(settings_.due_rounds()))
      continue;
    if (measured.repetitions == 0)
      cut.left_out.push_back(name);
    else
      (measured.until_stable() ? cut.unstable : cut.shortened).push_back(name);
  }
  return cut;
}

}  // namespace bench_transfers::bench
