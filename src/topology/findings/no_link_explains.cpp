#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "src/topology/findings/registration.hpp"
#include "src/topology/findings/unexplained.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;

std::string name_of(const host_map& map, flow flow) {
  return map.devices[flow.device] + (flow.direction == direction::h2d ? ":h2d" : ":d2h");
}

std::vector<std::string> names_of(const host_map& map, const flow_set& flows) {
  std::vector<std::string> names;
  for (const auto flow : list_of(flows)) names.push_back(name_of(map, flow));
  return names;
}

/// "alone", or "beside cuda:0:h2d, cuda:1:d2h".
std::string beside_text(const std::vector<std::string>& names) {
  return names.empty() ? "alone" : fmt::format("beside {}", fmt::join(names, ", "));
}

void add_unexplained(const host_map& map, std::vector<message>& list) {
  const auto found = most_unexplained(map);
  if (!found) return;
  const auto beside = names_of(map, found->beside);
  const auto fewer = names_of(map, found->beside_fewer);
  list.push_back(
      {"no_link_explains",
       {{"flow", name_of(map, found->flow)},
        {"rate", found->rate},
        {"beside", beside},
        {"rate_before", found->rate_before},
        {"beside_fewer", fewer},
        {"unused", found->unused}},
       fmt::format(
           "{} gets {} GB/s {}, and {} {}. No capacity of a shared link explains that: each "
           "link on its way has carried at least {:.0f} % more in another set.",
           name_of(map, found->flow), rate_text(found->rate_before), beside_text(fewer),
           rate_text(found->rate), beside_text(beside),
           std::floor(100 * found->unused / (1 - found->unused)))});
}

const registration of_unexplained(subject::unexplained, add_unexplained);

}  // namespace
}  // namespace bench_transfers::topology
