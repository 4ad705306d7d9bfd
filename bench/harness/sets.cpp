#include "bench/harness/sets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "src/common/command_line.hpp"
#include "src/common/printable.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::direction;
using flows = std::set<result_file::flow>;

const std::vector<direction>& directions_of(direction copies) {
  static const std::map<direction, std::vector<direction>> lists{
      {direction::h2d, {direction::h2d}},
      {direction::d2h, {direction::d2h}},
      {direction::both, {direction::h2d, direction::d2h}}};
  return lists.at(copies);
}

flows copies_of(const std::vector<std::size_t>& devices, direction copies) {
  flows result;
  for (const auto device : devices)
    for (const auto towards : directions_of(copies)) result.insert({device, towards});
  return result;
}

std::string name_of(const result_file::flow& copy, std::span<const std::string> ids) {
  return ids[copy.device] + ":" + to_string(copy.direction);
}

std::vector<std::size_t> devices_of(const flows& copies) {
  std::set<std::size_t> devices;
  for (const auto& copy : copies) devices.insert(copy.device);
  return {devices.begin(), devices.end()};
}

/// The direction that all devices have in common; none: they differ.
direction common_direction(const flows& copies) {
  for (const auto towards : {direction::h2d, direction::d2h, direction::both})
    if (copies == copies_of(devices_of(copies), towards)) return towards;
  return direction::none;
}

std::string name_of_devices(const std::vector<std::size_t>& devices,
                            std::span<const std::string> ids) {
  if (devices.size() == ids.size() && ids.size() > 1) return "all";
  std::vector<std::string> names;
  for (const auto device : devices) names.push_back(ids[device]);
  return fmt::format("{}", fmt::join(names, "+"));
}

variant variant_of(const flows& copies, std::span<const std::string> ids) {
  variant made;
  for (const auto& copy : copies) made.flows.push_back({copy, name_of(copy, ids)});
  const auto towards = common_direction(copies);
  const bool is_mixed = towards == direction::none;
  std::vector<std::string> names;
  for (const auto& copy : made.flows) names.push_back(copy.name);
  made.setting = is_mixed ? fmt::format("{}", fmt::join(names, "+"))
                          : name_of_devices(devices_of(copies), ids);
  made.direction = is_mixed ? direction::both : towards;
  made.name = (is_mixed ? "mixed" : to_string(towards)) + "/" + *made.setting;
  return made;
}

/// All devices, and all pairs of few.
std::vector<std::vector<std::size_t>> usual_sets(std::size_t devices) {
  constexpr std::size_t most_for_pairs = 8;
  if (devices < 2) return {};
  std::vector<std::size_t> all(devices);
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<std::size_t>> sets{all};
  if (devices == 2 || devices > most_for_pairs) return sets;
  for (std::size_t first = 0; first < devices; ++first)
    for (std::size_t second = first + 1; second < devices; ++second)
      sets.push_back({first, second});
  return sets;
}

/// Reads "cuda:0:h2d+cuda:1:d2h".
class request_reader {
 public:
  request_reader(const std::string& request, std::span<const std::string> ids)
      : request_(request), ids_(ids) {}

  [[nodiscard]] flows read() {
    std::string_view rest = request_;
    for (;;) {
      const auto plus = rest.find('+');
      add(rest.substr(0, plus));
      if (plus == std::string_view::npos) break;
      rest.remove_prefix(plus + 1);
    }
    if (copies_.size() < 2) refuse("it takes at least two copies at once");
    return copies_;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw common::usage_error(
        fmt::format("bad --concurrent '{}': {}", common::printable_in_short(request_), why));
  }

  void add(std::string_view part) {
    const auto colon = std::min(part.rfind(':'), part.size());
    const auto word = part.substr(std::min(colon + 1, part.size()));
    const auto towards = result_file::direction_from(std::string(word));
    if (!towards || *towards == direction::none)
      refuse(fmt::format("'{}' does not end in :h2d, :d2h or :both",
                         common::printable_in_short(part)));
    const auto device = index_of(part.substr(0, colon));
    for (const auto& copy : copies_of({device}, *towards))
      if (!copies_.insert(copy).second)
        refuse(fmt::format("{} is named twice", name_of(copy, ids_)));
  }

  [[nodiscard]] std::size_t index_of(std::string_view id) const {
    const auto match = std::ranges::find(ids_, id);
    if (match == ids_.end())
      refuse(fmt::format("the run has no device '{}', but {}", common::printable_in_short(id),
                         fmt::join(ids_, ", ")));
    return static_cast<std::size_t>(match - ids_.begin());
  }

  const std::string& request_;
  std::span<const std::string> ids_;
  flows copies_;
};

std::vector<variant> variants_of(std::span<const std::string> ids,
                                 const std::vector<std::string>& requests) {
  std::vector<flows> sets;
  for (const auto& request : requests) {
    const auto copies = request_reader(request, ids).read();
    if (std::ranges::find(sets, copies) == sets.end()) sets.push_back(copies);
  }
  if (requests.empty())
    for (const auto towards : {direction::h2d, direction::d2h, direction::both})
      for (const auto& devices : usual_sets(ids.size()))
        sets.push_back(copies_of(devices, towards));
  std::vector<variant> variants;
  for (const auto& copies : sets) variants.push_back(variant_of(copies, ids));
  return variants;
}

}  // namespace

registry with_sets(registry strategies, std::span<const std::string> ids,
                   const std::vector<std::string>& requests) {
  const auto variants = variants_of(ids, requests);
  for (auto& strategy : strategies)
    if (strategy.concurrent && !variants.empty()) strategy.variants = variants;
  return strategies;
}

}  // namespace bench_transfers::bench
