#include "bench/commands/set_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <new>
#include <numeric>
#include <stdexcept>

#include "bench/harness/interruption.hpp"
#include "bench/harness/verify.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

/// About 60 ms for a set: a repetition of several samples tells how much they vary.
constexpr std::size_t samples_of_a_set = 6;
constexpr std::size_t most_attempts = 3 * samples_of_a_set;
/// A sample in which all flows together get less than this part of the best sample was disturbed by
/// something else: no link gives more than it has. Fewer than `least_samples` say too little.
constexpr double undisturbed = 0.95;
constexpr std::size_t least_samples = 3;
constexpr std::chrono::milliseconds time_of_a_sample{8};

strategy copies_at_once() {
  for (auto& candidate : registered_strategies())
    if (candidate.concurrent && candidate.needs.host == transfers::pinned()) return candidate;
  throw std::logic_error("no strategy copies pinned memory at once");
}

transfers::direction direction_of(topology::direction direction) {
  return direction == topology::direction::h2d ? transfers::direction::h2d
                                               : transfers::direction::d2h;
}

double total_of(const std::vector<double>& sample) {
  return std::accumulate(sample.begin(), sample.end(), 0.0);
}

std::size_t count_undisturbed(const std::vector<std::vector<double>>& samples) {
  double best = 0;
  for (const auto& sample : samples) best = std::max(best, total_of(sample));
  return static_cast<std::size_t>(std::ranges::count_if(
      samples, [&](const auto& sample) { return total_of(sample) >= undisturbed * best; }));
}

}  // namespace

set_meter::set_meter(const device_list& devices, std::size_t bytes)
    : devices_(devices), bytes_(bytes), copies_(copies_at_once()) {
  const auto& needs = copies_.needs;
  for (std::size_t i = 0; i < devices_.size(); ++i) try {
      streams_.push_back(devices_[i].device.create_stream());
      devices_[i].memory.reserve_host(*needs.host, host_bytes());
      devices_[i].memory.reserve_device((needs.device_payloads - 1) * buffers::distance(bytes) +
                                        bytes);
    } catch (const std::exception& refused) {
      streams_.resize(i + 1);
      unusable_[i] = fmt::format("{}: {}", devices_[i].id, refused.what());
    }
}

topology::observation set_meter::measure(const topology::flow_set& set) {
  return measure_in(*copies_.needs.host, set);
}

topology::observation set_meter::measure_on_node(int node, const topology::flow_set& set) {
  return measure_in(transfers::on_node(*copies_.needs.host, node), set);
}

topology::observation set_meter::measure_in(transfers::host_memory_kind kind,
                                            const topology::flow_set& set) {
  topology::observation observed{.flows = set, .rates = {}, .why_not = why_not(set)};
  if (observed.why_not.empty()) measure_into(observed, kind);
  for (const auto& [device, reason] : unusable_)
    observed.unusable = observed.unusable | topology::device_set::of(device);
  return observed;
}

void set_meter::measure_into(topology::observation& observed, transfers::host_memory_kind kind) {
  try {
    const auto flows = prepare(kind, observed.flows);
    verify_each(kind, flows);
    poison_all(flows);
    auto [rates, discarded] = rates_of(flows);
    if (rates.empty()) {
      observed.why_not = interruption() != 0 ? "interrupted" : "the copies were never at once";
      return;
    }
    require_undamaged(flows);
    observed.rates = std::move(rates);
    observed.discarded = discarded;
  } catch (const flows_failed& failed) {
    observed.why_not = note(failed);
  } catch (const std::bad_alloc&) {
    observed.why_not = "not enough memory";
  } catch (const std::exception& failed) {
    observed.why_not = failed.what();
  }
}

std::string set_meter::why_not(const topology::flow_set& set) const {
  if (interruption() != 0) return "interrupted";
  for (const auto device : set.devices().members())
    if (const auto entry = unusable_.find(device); entry != unusable_.end()) return entry->second;
  return {};
}

std::vector<flow> set_meter::prepare(transfers::host_memory_kind kind,
                                     const topology::flow_set& set) {
  std::vector<flow_job> parts;
  for (const auto& [device, direction] : topology::list_of(set))
    parts.push_back({device, devices_[device].id, devices_[device].device, devices_[device].memory,
                     direction_of(direction)});
  const auto& first = devices_[set.devices().front()];
  auto flows = copies_
                   .prepare({.device = first.device,
                             .memory = first.memory,
                             .stream = *streams_[set.devices().front()],
                             .variant = {},
                             .bytes = bytes_,
                             .flows = std::move(parts)})
                   .flows;
  if (kind.node)
    for (auto& copy : flows) move_to(kind, devices_[copy.device], copy);
  return flows;
}

/// Puts the copy's end in host memory into a block of this kind.
void set_meter::move_to(transfers::host_memory_kind kind, const measured_device& device,
                        flow& copy) const {
  if (!device.memory.all_host().contains(kind)) device.memory.reserve_host(kind, host_bytes());
  const bool to_device = copy.direction == transfers::direction::h2d;
  auto& end = to_device ? copy.source : copy.destination;
  const auto& block = device.memory.host(kind);
  end.data = block.data() + end.offset;
  end.host = &block;
  copy.enqueue = [stream = copy.stream, source = copy.source.data,
                  destination = copy.destination.data, bytes = bytes_, direction = copy.direction] {
    stream->copy(destination, source, bytes, direction);
  };
}

std::size_t set_meter::host_bytes() const {
  return (copies_.needs.host_payloads - 1) * buffers::distance(bytes_) + bytes_;
}

void set_meter::verify_each(transfers::host_memory_kind kind, const std::vector<flow>& flows) {
  for (const auto& copy : flows) {
    const auto key = std::tuple(kind, copy.device, copy.direction);
    if (verified_.contains(key)) continue;
    const std::span alone(&copy, 1);
    poison_all(alone);
    team_.copy_once(alone);
    require_undamaged(alone);
    verified_.insert(key);
  }
}

void set_meter::poison_all(std::span<const flow> flows) const {
  for (const auto& copy : flows) {
    const auto& measured = devices_[copy.device];
    poison(measured.device, measured.memory, copy.destination);
  }
}

void set_meter::require_undamaged(std::span<const flow> flows) {
  for (const auto& copy : flows) {
    const auto& measured = devices_[copy.device];
    if (const auto damage = find_damage(measured.device, measured.memory, copy)) {
      unusable_[copy.device] = fmt::format("{}: {}", measured.id, *damage);
      throw std::runtime_error(unusable_[copy.device]);
    }
  }
}

set_meter::kept_samples set_meter::rates_of(const std::vector<flow>& flows) {
  const std::vector bytes(flows.size(), bytes_);
  constexpr std::size_t copies_of_first_run = 2;  // one warms up
  const auto copies = copies_lasting(time_of_a_sample, team_.run(flows, copies_of_first_run));
  std::vector<std::vector<double>> samples;
  for (std::size_t attempt = 0; attempt < most_attempts && interruption() == 0 &&
                                count_undisturbed(samples) < samples_of_a_set;
       ++attempt)
    if (auto sample = rates_at_once(team_.run(flows, copies), bytes))
      samples.push_back(std::move(*sample));
  const auto kept = std::max(count_undisturbed(samples), std::min(least_samples, samples.size()));
  std::ranges::partial_sort(samples, samples.begin() + static_cast<std::ptrdiff_t>(kept),
                            std::greater{}, total_of);
  kept_samples result{std::vector<std::vector<double>>(kept > 0 ? flows.size() : 0),
                      samples.size() - kept};
  for (std::size_t sample = 0; sample < kept; ++sample)
    for (std::size_t i = 0; i < flows.size(); ++i)
      result.rates[i].push_back(samples[sample][i] * 1e9);
  return result;
}

std::string set_meter::note(const flows_failed& failed) {
  std::string first;
  for (const auto& [device, name, reason] : failed.failures()) try {
      std::rethrow_exception(reason);
    } catch (const transfers::device_error& failure) {
      const auto text = fmt::format("{}: {}", name, failure.what());
      if (failure.device_lost()) unusable_[device] = text;
      if (first.empty()) first = text;
    } catch (const std::exception& failure) {
      if (first.empty()) first = fmt::format("{}: {}", name, failure.what());
    }
  return first;
}

}  // namespace bench_transfers::bench
