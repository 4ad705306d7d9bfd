#include "src/topology/findings/findings.hpp"

#include <map>

#include "src/topology/findings/registration.hpp"

namespace bench_transfers::topology {
namespace {

/// Those of one subject are in the order in which they were added.
std::multimap<subject, finder>& finders() {
  static std::multimap<subject, finder> all;
  return all;
}

}  // namespace

registration::registration(subject about, finder find) { finders().emplace(about, find); }

std::vector<common::message> findings(const host_map& map) {
  std::vector<common::message> list;
  for (const auto& [about, find] : finders()) find(map, list);
  return list;
}

}  // namespace bench_transfers::topology
