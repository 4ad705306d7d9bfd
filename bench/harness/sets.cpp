#include "bench/harness/sets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::direction;
using result_file::set_kind;
using transfers::host_memory_kind;

/// Copies, with their host memory where they name it.
using flows = std::map<result_file::flow, std::optional<host_memory_kind>>;
using indices = std::vector<std::size_t>;

std::vector<direction> directions_of(direction copies) {
  if (copies == direction::both) return {direction::h2d, direction::d2h};
  return {copies};
}

flows copies_of(const indices& devices, direction copies) {
  flows result;
  for (const auto device : devices)
    for (const auto towards : directions_of(copies)) result.insert({{device, towards}, {}});
  return result;
}

std::string name_of(const result_file::flow& copy, const host_layout& host) {
  return host.ids[copy.device] + ":" + to_string(copy.direction);
}

indices devices_of(const flows& copies) {
  std::set<std::size_t> devices;
  for (const auto& [copy, memory] : copies) devices.insert(copy.device);
  return {devices.begin(), devices.end()};
}

bool name_their_memory(const flows& copies) { return copies.begin()->second.has_value(); }

/// The direction that all devices have in common; none: they differ.
direction common_direction(const flows& copies) {
  for (const auto towards : {direction::h2d, direction::d2h, direction::both})
    if (std::ranges::equal(copies, copies_of(devices_of(copies), towards), {},
                           &flows::value_type::first, &flows::value_type::first))
      return towards;
  return direction::none;
}

/// Devices, and what a set of them is called: "all", "node1", "below_0000:c0:01.1",
/// "cuda:0+cuda:1".
struct set_of_devices {
  result_file::set_description description;
  std::string name;
  indices devices;
};

set_of_devices named_set(const neighbours& common) {
  const auto& [description, devices] = common;
  const auto front = description.kind == set_kind::node ? "node" : "below_";
  return {description, front + description.place.value_or(""), devices};
}

set_of_devices joined_set(const indices& devices, const host_layout& host) {
  std::vector<std::string> names;
  for (const auto device : devices) names.push_back(host.ids[device]);
  set_of_devices set;
  if (devices.size() == 2) set.description.kind = set_kind::pair;
  set.name = fmt::format("{}", fmt::join(names, "+"));
  set.devices = devices;
  return set;
}

/// All devices, neighbours, and all pairs of few, each set of devices once.
std::vector<set_of_devices> usual_sets(const host_layout& host) {
  constexpr std::size_t most_for_pairs = 8;
  std::vector<set_of_devices> sets;
  const auto add = [&](set_of_devices set) {
    if (std::ranges::find(sets, set.devices, &set_of_devices::devices) == sets.end())
      sets.push_back(std::move(set));
  };
  const auto count = host.ids.size();
  if (count < 2) return sets;
  indices all(count);
  std::iota(all.begin(), all.end(), 0);
  add({{set_kind::all, std::nullopt}, "all", all});
  for (const auto kind : {set_kind::node, set_kind::port})
    for (const auto& common : host.neighbours)
      if (common.set.kind == kind && common.devices.size() > 1) add(named_set(common));
  for (std::size_t first = 0; first < count && count <= most_for_pairs; ++first)
    for (auto second = first + 1; second < count; ++second) add(joined_set({first, second}, host));
  return sets;
}

set_of_devices set_of(const indices& devices, const host_layout& host) {
  for (auto& usual : usual_sets(host))
    if (usual.devices == devices) return usual;
  return joined_set(devices, host);
}

std::optional<machine::numa_node> node_of(host_memory_kind kind, const host_layout& host) {
  const auto node = std::ranges::find(
      host.nodes, kind.node, [](const auto& known) { return std::optional(known.number); });
  return node == host.nodes.end() ? std::nullopt : std::optional(*node);
}

named_flow named_copy(const flows::value_type& copy, const host_layout& host) {
  const auto& [described, memory] = copy;
  named_flow named{described, name_of(described, host), memory};
  if (!memory) return named;
  named.memory = to_string(*memory);
  if (memory->node) named.node = static_cast<unsigned>(*memory->node);
  named.host_node = node_of(*memory, host);
  return named;
}

/// "cuda:0:h2d:pinned@node1+cuda:1:d2h:pageable".
std::string list_of(const std::vector<named_flow>& copies) {
  std::vector<std::string> names;
  names.reserve(copies.size());
  for (const auto& copy : copies)
    names.push_back(copy.memory ? copy.name + ":" + *copy.memory : copy.name);
  return fmt::format("{}", fmt::join(names, "+"));
}

variant variant_of(const flows& copies, const host_layout& host) {
  variant made;
  for (const auto& copy : copies) made.flows.push_back(named_copy(copy, host));
  const auto towards = common_direction(copies);
  made.direction = towards == direction::none ? direction::both : towards;
  if (towards == direction::none || name_their_memory(copies)) {
    made.set = result_file::set_description{set_kind::listed};
    made.setting = list_of(made.flows);
    made.name = "mixed/" + *made.setting;
    return made;
  }
  auto [description, name, devices] = set_of(devices_of(copies), host);
  made.set = std::move(description);
  made.name = to_string(towards) + "/" + name;
  made.setting = std::move(name);
  return made;
}

/// Kinds of memory by their names.
using known_memory = std::map<std::string, host_memory_kind>;

known_memory memory_of(const registry& strategies) {
  known_memory known;
  for (const auto& strategy : strategies)
    if (strategy.concurrent && strategy.needs.host)
      known.emplace(to_string(*strategy.needs.host), *strategy.needs.host);
  return known;
}

/// Reads "cuda:0:h2d+cuda:1:d2h", "cuda:0:h2d:pinned+cuda:1:d2h:pageable".
class request_reader {
 public:
  request_reader(const std::string& request, const host_layout& host, const known_memory& known)
      : request_(request), host_(host), known_(known) {}

  [[nodiscard]] flows read() {
    std::string_view rest = request_;
    for (;;) {
      const auto plus = rest.find('+');
      add(rest.substr(0, plus));
      if (plus == std::string_view::npos) break;
      rest.remove_prefix(plus + 1);
    }
    if (copies_.size() < 2) refuse("it takes at least two copies at once");
    const auto named =
        std::ranges::count_if(copies_, [](const auto& copy) { return copy.second.has_value(); });
    if (named != 0 && named != std::ssize(copies_))
      refuse("either all of its copies name their memory, or none");
    return copies_;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw common::usage_error(
        fmt::format("bad --concurrent '{}': {}", common::printable_in_short(request_), why));
  }

  /// The part before the last colon, and the word behind it; without a colon the word is empty.
  static std::pair<std::string_view, std::string_view> split(std::string_view part) {
    const auto colon = std::min(part.rfind(':'), part.size());
    return {part.substr(0, colon), part.substr(std::min(colon + 1, part.size()))};
  }

  static std::optional<direction> direction_of(std::string_view word) {
    const auto towards = result_file::direction_from(std::string(word));
    return towards == direction::none ? std::nullopt : towards;
  }

  void add(std::string_view part) {
    auto [device, word] = split(part);
    std::optional<host_memory_kind> memory;
    if (const auto [front, before] = split(device); !direction_of(word) && direction_of(before)) {
      memory = kind_of(word);
      device = front;
      word = before;
    }
    const auto towards = direction_of(word);
    if (!towards)
      refuse(fmt::format("'{}' does not end in :h2d, :d2h or :both, or one of these and :MEMORY",
                         common::printable_in_short(part)));
    for (const auto& [copy, none] : copies_of({index_of(device)}, *towards))
      if (!copies_.emplace(copy, memory).second)
        refuse(fmt::format("{} is named twice", name_of(copy, host_)));
  }

  [[nodiscard]] host_memory_kind kind_of(std::string_view name) const {
    const auto match = known_.find(std::string(name));
    if (match != known_.end()) return match->second;
    std::vector<std::string> names;
    for (const auto& [known, kind] : known_) names.push_back(known);
    refuse(fmt::format("there is no memory '{}' here, but {}", common::printable_in_short(name),
                       fmt::join(names, ", ")));
  }

  [[nodiscard]] std::size_t index_of(std::string_view id) const {
    const auto match = std::ranges::find(host_.ids, id);
    if (match == host_.ids.end())
      refuse(fmt::format("the run has no device '{}', but {} (see --device)",
                         common::printable_in_short(id), fmt::join(host_.ids, ", ")));
    return static_cast<std::size_t>(match - host_.ids.begin());
  }

  const std::string& request_;
  const host_layout& host_;
  const known_memory& known_;
  flows copies_;
};

std::vector<flows> requested_sets(const std::vector<std::string>& requests, const host_layout& host,
                                  const known_memory& known) {
  std::vector<flows> sets;
  for (const auto& request : requests) {
    const auto copies = request_reader(request, host, known).read();
    if (std::ranges::find(sets, copies) == sets.end()) sets.push_back(copies);
  }
  return sets;
}

std::vector<flows> usual_copies(const host_layout& host) {
  std::vector<flows> sets;
  for (const auto towards : {direction::h2d, direction::d2h, direction::both})
    for (const auto& set : usual_sets(host)) sets.push_back(copies_of(set.devices, towards));
  return sets;
}

}  // namespace

registry with_sets(registry strategies, const host_layout& host,
                   const std::vector<std::string>& requests) {
  const auto sets =
      requests.empty() ? usual_copies(host) : requested_sets(requests, host, memory_of(strategies));
  std::vector<variant> plain, listed;
  for (const auto& copies : sets)
    (name_their_memory(copies) ? listed : plain).push_back(variant_of(copies, host));
  for (auto& strategy : strategies) {
    if (!strategy.concurrent) continue;
    const auto& variants = strategy.memory_by_copy ? listed : plain;
    if (!variants.empty() || !requests.empty()) strategy.variants = variants;
  }
  return strategies;
}

registry with_ranks(registry strategies, const std::string& id) {
  const host_layout host{{id}};
  std::vector<variant> variants;
  for (const auto towards : {direction::h2d, direction::d2h, direction::both}) {
    auto& made = variants.emplace_back();
    for (const auto& copy : copies_of({0}, towards)) made.flows.push_back(named_copy(copy, host));
    made.direction = towards;
    made.set = result_file::set_description{set_kind::ranks};
    made.setting = "ranks";
    made.name = to_string(towards) + "/ranks";
  }
  for (auto& strategy : strategies)
    if (strategy.concurrent && !strategy.memory_by_copy) strategy.variants = variants;
  return strategies;
}

}  // namespace bench_transfers::bench
