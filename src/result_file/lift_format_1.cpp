#include "src/result_file/lift_format_1.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "src/common/sizes.hpp"
#include "src/result_file/contents.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/format_1_text.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* other = "other";

/// format_1.json, for all files that a program reads.
const json& known_names() {
  static const auto known = json::parse(format_1_text());
  return known;
}

std::string joined(const std::vector<std::string>& parts, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t i = first; i < end; ++i) text += (i == first ? "" : "/") + parts[i];
  return text;
}

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const auto end = std::min(name.find('/', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// "4KiB"; none for anything else, including "0B" and "1TiB".
std::optional<std::size_t> size_in(const std::string& part) {
  constexpr std::size_t most_digits = 12;
  const auto unit = part.find_first_not_of("0123456789");
  if (unit == std::string::npos || unit == 0 || unit > most_digits) return std::nullopt;
  const std::array<std::string_view, 4> units{"B", "KiB", "MiB", "GiB"};
  if (std::ranges::find(units, std::string_view(part).substr(unit)) == units.end())
    return std::nullopt;
  if (part.find_first_not_of('0') == unit) return std::nullopt;
  return common::parse_size(part);
}

/// Takes the cache and the size off the end of a name.
benchmark without_end(const std::string& name, std::vector<std::string>& parts) {
  benchmark described;
  described.name = name;
  if (parts.size() > 1 && parts.back() == to_string(cache_state::cold)) {
    described.cache = cache_state::cold;
    parts.pop_back();
  }
  if (parts.size() > 1) described.size_bytes = size_in(parts.back());
  if (described.size_bytes) parts.pop_back();
  described.family = parts.front();
  return described;
}

/// Applies an entry of format_1.json.
void apply(benchmark& described, const json& entry) {
  const auto text = [&](const char* key) -> std::optional<std::string> {
    const auto& value = member(entry, {key});
    return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
  };
  if (auto role = text("role")) described.role = *role;
  if (auto method = text("method")) described.method = method;
  if (auto setting = text("setting")) described.setting = setting;
  if (auto memory = text("memory")) described.memory = memory;
  if (auto word = text("direction")) described.direction = direction_from(*word).value();
  described.plainness = entry.value("plainness", described.plainness);
  described.in_place = entry.value("in_place", described.in_place);
  described.emulation = entry.value("emulation", described.emulation);
}

/// Describes a benchmark of a strategy in format_1.json.
void describe_known(benchmark& described, const json& family) {
  const auto& variants = member(family, {"variants"});
  const auto entry = described.variant ? member(variants, {described.variant->c_str()}) : json();
  const auto& strategy = member(family, {"strategies", described.strategy.c_str()});
  described.role = other;
  apply(described, family);
  apply(described, strategy);
  // The variant overrides the strategy, except for memory and emulation.
  const auto memory = described.memory;
  const auto emulation = described.emulation;
  if (entry.is_object()) apply(described, entry);
  if (member(strategy, {"memory"}).is_string()) described.memory = memory;
  described.emulation = described.emulation || emulation;
}

/// Describes a benchmark of somebody else's strategy. Its variant is a direction, if any.
void describe_unknown(benchmark& described, const std::vector<std::string>& parts) {
  const auto& entry = member(known_names(), {"directions", parts.back().c_str()});
  auto end = parts.size();
  described.role = other;
  if (parts.size() > 1 && entry.is_object()) {
    described.variant = parts.back();
    described.role = "copy";
    apply(described, entry);
    --end;
  }
  described.strategy = joined(parts, 0, end);
  if (end > 1) described.method = joined(parts, 1, end);
  described.plainness = 1 + static_cast<unsigned>(std::ranges::count(described.strategy, '_'));
}

/// The text of a format-1 file as a message of format 2.
json message_of(const std::string& text, const json& beginnings, const std::string& code) {
  common::message lifted{.code = code, .text = text};
  for (const auto& known : beginnings)
    if (text.starts_with(known.at("begins").get_ref<const std::string&>())) {
      lifted.code = known.at("code");
      break;
    }
  return common::to_json(lifted);
}

json lifted_warnings(const json& warnings, const json& beginnings) {
  if (!warnings.is_array()) return warnings;
  json lifted = json::array();
  for (const auto& warning : warnings)
    lifted.push_back(warning.is_string() ? message_of(warning, beginnings, other) : warning);
  return lifted;
}

json lifted_skips(const json& skipped, const json& beginnings) {
  if (!skipped.is_array()) return skipped;
  json lifted = json::array();
  for (auto skip : skipped) {
    const auto& reason = member(skip, {"reason"});
    if (reason.is_string()) skip["reason"] = message_of(reason, beginnings, "unsupported");
    lifted.push_back(std::move(skip));
  }
  return lifted;
}

/// Why there is no GPU. The first sentence gives the reason; the others describe the file.
void lift_device(json& device) {
  const auto& why = member(device, {"why_not_gpu"});
  if (!why.is_string()) return;
  constexpr std::string_view front = "No GPU: ";
  const auto text = why.get<std::string>();
  auto reason = text.substr(text.starts_with(front) ? front.size() : 0);
  reason.erase(std::min(reason.find(". "), reason.size()));
  if (reason.ends_with('.')) reason.pop_back();
  device["why_not_gpu"] =
      text.empty()
          ? json()
          : common::to_json({.code = "no_gpu", .data = {{"reason", reason}}, .text = text});
}

/// In format 1 only the name of the memory tells whether it has the flag WRITECOMBINED.
void lift_buffers(json& buffers) {
  for (auto& block : buffers)
    if (block.is_object()) block["write_combined"] = text_at(block, {"memory"}).ends_with("_wc");
}

}  // namespace

format_1_lift::format_1_lift(const json& facts) : known_(known_names()), facts_(facts) {
  for (const auto& strategy : member(facts_, {"strategies"}))
    if (auto memory = text_at(strategy, {"memory"}); !memory.empty())
      memory_.insert_or_assign(text_at(strategy, {"name"}), std::move(memory));
}

benchmark format_1_lift::described(const std::string& name) const {
  auto parts = split(name);
  auto described = without_end(name, parts);
  const auto& family = member(known_, {"families", described.family.c_str()});
  const auto& strategies = member(family, {"strategies"});
  for (auto end = parts.size(); end > 0; --end) {
    described.strategy = joined(parts, 0, end);
    if (!strategies.is_object() || !strategies.contains(described.strategy)) continue;
    if (end < parts.size()) described.variant = joined(parts, end, parts.size());
    describe_known(described, family);
    return described;
  }
  describe_unknown(described, parts);
  // The file itself says which memory other people's strategies use.
  if (const auto entry = memory_.find(described.strategy); entry != memory_.end())
    described.memory = entry->second;
  return described;
}

json format_1_lift::facts() const {
  auto lifted = facts_;
  lifted["format"] = newest_format;
  if (lifted.contains("device")) lift_device(lifted["device"]);
  if (lifted.contains("buffers") && lifted["buffers"].is_array()) lift_buffers(lifted["buffers"]);
  if (lifted.contains("warnings"))
    lifted["warnings"] = lifted_warnings(facts_.at("warnings"), known_.at("warnings"));
  if (lifted.contains("skipped"))
    lifted["skipped"] = lifted_skips(facts_.at("skipped"), known_.at("reasons"));
  auto device = member(lifted, {"device"});
  if (device.is_object()) {
    device["link"] = member(facts_, {"link"});
    device["clocks"] = member(facts_, {"clocks", "gpu"});
    lifted["devices"] = json::array({device});
  }
  return lifted;
}

std::map<std::string, role> format_1_lift::roles() const {
  std::map<std::string, role> roles{{other, {other, "other benchmarks", table::times}}};
  for (const auto& [name, entry] : known_.at("roles").items())
    roles.insert_or_assign(name, role_from(name, entry));
  return roles;
}

std::map<std::string, metric> format_1_lift::metrics() const {
  std::map<std::string, metric> metrics;
  for (const auto& [name, entry] : known_.at("metrics").items())
    metrics.emplace(name, metric_from(name, entry));
  return metrics;
}

}  // namespace bench_transfers::result_file
