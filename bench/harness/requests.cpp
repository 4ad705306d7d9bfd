#include "bench/harness/requests.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

/// The prefixes of the names of a strategy's benchmarks: "strategy/variant" for each variant, or
/// the strategy's name if it has none.
std::vector<std::string> prefixes_of(const strategy& strategy) {
  if (strategy.variants.empty()) return {strategy.name()};
  std::vector<std::string> prefixes;
  for (const auto& variant : strategy.variants)
    prefixes.push_back(strategy.name() + "/" + variant.name);
  return prefixes;
}

/// "copy/pinned@" stands for all NUMA nodes.
bool is_of_all_nodes(std::string_view request) { return request.ends_with('@'); }

/// Whether a prefix equals a request or begins with all of its parts.
bool matches(std::string_view prefix, std::string_view request) {
  return prefix == request || (prefix.starts_with(request) &&
                               (prefix[request.size()] == '/' || is_of_all_nodes(request)));
}

/// Everything that --strategies accepts: the prefixes, their first parts, and a last part without
/// its node.
std::set<std::string> accepted_requests(const registry& strategies) {
  std::set<std::string> accepted;
  for (const auto& strategy : strategies)
    for (const auto& prefix : prefixes_of(strategy))
      for (auto end = prefix.find('/');; end = prefix.find('/', end + 1)) {
        accepted.insert(prefix.substr(0, end));
        if (end == std::string::npos) break;
      }
  for (const auto& strategy : strategies)
    if (const auto& host = strategy.needs.host; host && host->node) {
      const auto name = strategy.name();
      accepted.insert(name.substr(0, name.rfind('@') + 1));
    }
  return accepted;
}

/// Whether a request names a set of copies, of a run whose devices have no places in common: a
/// container may hide them.
bool misses_places(const registry& strategies, std::string_view request) {
  const auto has_place = [](const variant& set) { return set.set && set.set->place; };
  return std::ranges::any_of(strategies, [&](const strategy& candidate) {
    return candidate.concurrent && request.starts_with(candidate.name() + "/") &&
           std::ranges::none_of(candidate.variants, has_place);
  });
}

/// The NUMA nodes whose memory strategies use, for a request that names another one.
std::string known_nodes(const registry& strategies, std::string_view request) {
  if (request.find("@node") == std::string_view::npos) return "";
  std::set<int> nodes;
  for (const auto& strategy : strategies)
    if (const auto& host = strategy.needs.host; host && host->node) nodes.insert(*host->node);
  return nodes.empty() ? "; no NUMA node's memory can be chosen here"
                       : fmt::format("; memory can be used on node {}", fmt::join(nodes, ", "));
}

/// Names that a request may mean: those that end with it, otherwise the most similar.
std::vector<std::string> meant_by(const std::string& request,
                                  const std::set<std::string>& accepted) {
  std::vector<std::string> meant;
  std::ranges::copy_if(accepted, std::back_inserter(meant),
                       [&](const std::string& name) { return name.ends_with("/" + request); });
  const auto parts = [](const std::string& name) { return std::ranges::count(name, '/'); };
  std::ranges::stable_sort(meant, {}, parts);  // strategies before their variants
  if (!meant.empty()) return meant;
  if (const auto name = common::nearest(request, accepted); !name.empty()) meant.push_back(name);
  return meant;
}

[[noreturn]] void refuse(const registry& strategies, const std::string& request,
                         const std::set<std::string>& accepted) {
  constexpr std::size_t most_shown = 5;
  const auto meant = meant_by(request, accepted);
  throw common::usage_error(fmt::format(
      "unknown strategy '{}'{} (see --list{}{})", common::printable_in_short(request),
      meant.empty() ? "" : fmt::format(": did you mean {}?", common::listed(meant, most_shown)),
      known_nodes(strategies, request),
      misses_places(strategies, request) ? "; sysfs shows no node or port that some devices share"
                                         : ""));
}

bool is_pattern(const std::string& request) {
  return request.find_first_of("*?[") != std::string::npos;
}

/// Accepted names; none if there are none.
std::vector<std::string> names_for(const std::string& request,
                                   const std::set<std::string>& accepted) {
  std::vector<std::string> names;
  if (!is_pattern(request)) {
    if (accepted.contains(request)) names.push_back(request);
    return names;
  }
  std::ranges::copy_if(accepted, std::back_inserter(names), [&](const std::string& name) {
    return fnmatch(request.c_str(), name.c_str(), 0) == 0;
  });
  return names;
}

}  // namespace

std::vector<std::string> known_requests(const registry& strategies,
                                        const std::vector<std::string>& requests) {
  const auto accepted = accepted_requests(strategies);
  std::vector<std::string> known;
  for (const auto& request : requests) {
    const auto names = names_for(request, accepted);
    if (names.empty()) refuse(strategies, request, accepted);
    known.insert(known.end(), names.begin(), names.end());
  }
  return known;
}

bool is_requested(std::string_view name, const std::vector<std::string>& requests) {
  return requests.empty() ||
         std::ranges::any_of(requests, [&](const auto& request) { return matches(name, request); });
}

bool is_named(const strategy& strategy, const std::vector<std::string>& requests) {
  return std::ranges::any_of(requests, [name = strategy.name()](const auto& request) {
    return matches(request, name) || (is_of_all_nodes(request) && matches(name, request));
  });
}

bool is_asked_for(const registry& strategies, const strategy& candidate,
                  const std::vector<std::string>& requests) {
  if (is_named(candidate, requests)) return true;
  const auto concerns = [](const std::string& request, const strategy& other) {
    return std::ranges::any_of(prefixes_of(other),
                               [&](const auto& prefix) { return matches(prefix, request); });
  };
  return std::ranges::any_of(requests, [&](const std::string& request) {
    return concerns(request, candidate) &&
           std::ranges::all_of(strategies, [&](const strategy& other) {
             return other.sampling.on_request || !concerns(request, other);
           });
  });
}

std::vector<const strategy*> chosen_strategies(const registry& strategies,
                                               const std::vector<std::string>& requests) {
  const auto known = known_requests(strategies, requests);
  std::vector<const strategy*> selected;
  for (const auto& candidate : strategies)
    if (std::ranges::any_of(prefixes_of(candidate),
                            [&](const auto& prefix) { return is_requested(prefix, known); }))
      selected.push_back(&candidate);
  return selected;
}

}  // namespace bench_transfers::bench
