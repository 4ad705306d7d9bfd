#include "bench/record/listing.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "src/common/message.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

/// Prints wrapped text that begins in a column; a title that fits stands to the left of it.
void print_beside(std::ostream& out, std::string title, std::size_t column,
                  const std::string& text) {
  if (title.size() >= column) {
    fmt::print(out, "{}\n", title);
    title.clear();
  }
  std::istringstream lines(common::wrapped(text, common::terminal_columns - column, 0));
  for (std::string line; std::getline(lines, line); title.clear())
    fmt::print(out, "{:<{}} {}\n", title, column - 1, line);
}

/// On which devices a strategy runs, and why not on the others: "runs on cuda:0; not on cuda:1: …".
std::string support_of(const strategy& listed, std::span<const named_device> devices) {
  std::vector<std::string> able;
  std::vector<std::pair<std::string, std::vector<std::string>>> unable;  // by reason
  for (const auto& [id, device] : devices) {
    const auto reason = why_not_in_run(listed, device, devices.size());
    if (!reason) {
      able.push_back(id);
      continue;
    }
    auto entry =
        std::ranges::find(unable, reason->text, [](const auto& known) { return known.first; });
    if (entry == unable.end()) entry = unable.insert(unable.end(), {reason->text, {}});
    entry->second.push_back(id);
  }
  const auto all = devices.size() > 1 ? "all devices" : "this device";
  const auto places = [&](const std::vector<std::string>& ids) {
    return ids.size() == devices.size() ? all : fmt::format("{}", fmt::join(ids, ", "));
  };
  std::vector<std::string> parts;
  if (!able.empty())
    parts.push_back(fmt::format("runs on {}{}", places(able),
                                listed.sampling.on_request ? " if --strategies names it" : ""));
  for (const auto& [reason, ids] : unable)
    parts.push_back(fmt::format(
        "not on {}: {}",
        ids.size() > 1 && ids.size() == devices.size() ? "any device" : places(ids), reason));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// The names of a family's strategies, without it and without those of single NUMA nodes.
std::vector<std::string> rests_of_names(const std::string& family,
                                        const std::vector<const strategy*>& strategies) {
  std::vector<std::string> rests;
  for (const auto* const strategy : strategies) {
    const auto name = strategy->name();
    if (strategy->family == family && name != family && name.find('@') == std::string::npos)
      rests.push_back(name.substr(family.size() + 1));
  }
  return rests;
}

/// What a family is for.
std::string line_about(const std::string& family, const std::vector<const strategy*>& strategies) {
  std::string line;
  for (const auto* const strategy : strategies)
    if (strategy->family == family) {
      if (!strategy->about.empty()) return strategy->about;
      if (line.empty()) line = strategy->role.description;
    }
  return line;
}

}  // namespace

void list_families(std::ostream& out, const std::vector<const strategy*>& strategies) {
  std::vector<std::string> families;
  for (const auto* const strategy : strategies)
    if (std::ranges::find(families, strategy->family) == families.end())
      families.push_back(strategy->family);
  for (const auto& family : families) {
    print_beside(out, family, 21, line_about(family, strategies));
    if (const auto rests = rests_of_names(family, strategies); !rests.empty())
      print_beside(out, "", 23, fmt::format("{}", fmt::join(rests, ", ")));
  }
  fmt::print(
      out,
      "\n--list --strategies={} explains a family. --list=all explains every strategy, and says "
      "why\nsome cannot run here.\n",
      families.empty() ? "copy" : families.front());
}

void list_strategies(std::ostream& out, const std::vector<const strategy*>& strategies,
                     std::span<const named_device> devices) {
  for (const auto* const strategy : strategies) {
    std::vector<std::string> names;
    for (const auto& variant : strategy->variants) names.push_back(variant.name);
    print_beside(out, strategy->name(), 35, strategy->summary);
    print_beside(out, "", 37,
                 fmt::format("{}{}{}", fmt::join(names, ", "), names.empty() ? "" : "; ",
                             support_of(*strategy, devices)));
  }
}

void list_as_json(std::ostream& out, const std::vector<const strategy*>& strategies,
                  std::span<const named_device> devices) {
  using json = nlohmann::ordered_json;
  auto list = json::array();
  for (const auto* const strategy : strategies) {
    json entry{{"name", strategy->name()},
               {"family", strategy->family},
               {"summary", strategy->summary},
               {"calls", calls_in(result_file::direction::h2d, strategy->calls)},
               {"holds_launches", strategy->holds_launches},
               {"page_locks", strategy->page_locks},
               {"variants", json::array()},
               {"on_request", strategy->sampling.on_request},
               {"runs_on", json::array()},
               {"not_on", json::object()}};
    for (const auto& variant : strategy->variants) {
      entry["variants"].push_back(variant.name);
      if (variant.calls)
        entry["calls_of"][strategy->name() + "/" + variant.name] =
            calls_in(result_file::direction::h2d, *variant.calls);
    }
    for (const auto& [id, device] : devices)
      if (const auto reason = why_not_in_run(*strategy, device, devices.size()))
        entry["not_on"][id] = {{"code", reason->code}, {"text", reason->text}};
      else
        entry["runs_on"].push_back(id);
    list.push_back(std::move(entry));
  }
  const json answer{{"format", 1}, {"kind", "strategies"}, {"strategies", std::move(list)}};
  out << common::text_of(answer);
}

void list_benchmarks(std::ostream& out, const plan& plan) {
  for (const auto& planned : plan.cases) fmt::print(out, "{}\n", planned.name);
}

}  // namespace bench_transfers::bench
