#include "bench/harness/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "transfers/core/error.hpp"

namespace bench_transfers::bench {

running_devices::running_devices(const device_list& devices) {
  for (const auto& device : devices) all_.push_back({device});
  for (std::size_t i = 0; i < all_.size(); ++i) start(i);
  if (std::ranges::all_of(all_,
                          [](const auto& device) { return device.why_not_started != nullptr; }))
    std::rethrow_exception(all_.front().why_not_started);
}

void running_devices::start(std::size_t index) {
  auto& started = all_[index];
  try {
    started.stream = started.device.create_stream();
    started.clock.emplace(started.device);
  } catch (const transfers::device_error& failure) {
    if (failure.device_lost())
      started.why_lost = lost_message(id_among(index), std::nullopt, failure.what());
    started.why_not_started = std::current_exception();
  } catch (...) {
    started.why_not_started = std::current_exception();
  }
}

std::optional<std::string> running_devices::id_among(std::size_t index) const {
  return all_.size() > 1 ? std::optional(all_.at(index).id) : std::nullopt;
}

const running_device& running_devices::of(const benchmark_case& planned) const {
  return all_.at(planned.devices.front());
}

std::vector<transfers::device*> running_devices::helpers_of(const benchmark_case& planned) const {
  std::vector<transfers::device*> others;
  if (!planned.measured->needs.other_devices) return others;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (!uses_device(planned, i) && !all_[i].why_lost) others.push_back(&all_[i].device);
  return others;
}

void running_devices::require_started(const benchmark_case& planned) const {
  for (const auto index : planned.devices)
    if (const auto& failure = all_.at(index).why_not_started) std::rethrow_exception(failure);
}

void running_devices::synchronize(const benchmark_case& planned) const {
  for (const auto index : planned.devices) all_.at(index).device.synchronize();
}

void running_devices::read_monitors() {
  for (auto& measured : all_)
    if (measured.monitor && !measured.why_lost)
      machine::add(measured.throttled_by, measured.monitor->read().throttled_by);
}

void running_devices::lose(const std::map<std::size_t, common::message>& lost) {
  for (const auto& [index, reason] : lost) all_.at(index).why_lost = reason;
}

void running_devices::lose(std::optional<std::size_t> index, const benchmark_case& planned,
                           const std::string& reason) {
  const bool is_helped = planned.measured->needs.other_devices;
  if (!index && planned.devices.size() == 1 && !is_helped) index = planned.devices.front();
  if (index) {
    auto& why = all_.at(*index).why_lost;
    if (!why) why = lost_message(id_among(*index), planned.name, reason);
    return;
  }
  for (std::size_t candidate = 0; candidate < all_.size(); ++candidate) {
    if (!is_helped && !uses_device(planned, candidate)) continue;
    try {
      all_[candidate].device.synchronize();
    } catch (const std::exception& failure) {
      lose(candidate, planned, failure.what());
    }
  }
}

std::set<std::size_t> running_devices::lost() const {
  std::set<std::size_t> indices;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].why_lost) indices.insert(i);
  return indices;
}

std::optional<common::message> running_devices::why_lost(const benchmark_case& planned) const {
  for (const auto index : planned.devices)
    if (const auto& why = all_.at(index).why_lost) return why;
  return std::nullopt;
}

common::message lost_message(const std::optional<std::string>& id,
                             const std::optional<std::string>& benchmark,
                             const std::string& reason) {
  auto data = nlohmann::ordered_json::object();
  if (benchmark) data["benchmark"] = *benchmark;
  if (id) data["device"] = *id;
  const auto when = benchmark ? "in " + *benchmark : "before anything was measured";
  return {"device_lost", std::move(data),
          fmt::format("not run: the device{} was lost {}: {}", id ? " " + *id : "", when, reason)};
}

}  // namespace bench_transfers::bench
