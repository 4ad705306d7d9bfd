#include "src/trust/examination.hpp"

#include "src/common/text.hpp"
#include "src/machine/trust.hpp"

namespace bench_transfers::trust {

using json = nlohmann::ordered_json;
using result_file::member;
using result_file::text_at;

namespace {

/// Those about one subject are in the order in which they were added.
std::multimap<subject, question>& registered() {
  static std::multimap<subject, question> questions;
  return questions;
}

machine::clocks_of_run clocks_in(const json& facts) {
  const auto sm_mhz = at_both_ends(facts, "sm_mhz");
  const auto at = [&](std::size_t end, std::optional<unsigned> replays) {
    return machine::gpu_clocks{.sm_mhz = sm_mhz.size() > end
                                             ? std::optional(static_cast<unsigned>(sm_mhz[end]))
                                             : std::nullopt,
                               .pcie_replays = replays};
  };
  return {
      .start = {.gpu = at(0, 0U), .cpu_throttle_events = 0},
      .end = {.gpu = at(1, count_at<unsigned>(facts, {"clocks", "gpu", "pcie_replays"})),
              .cpu_throttle_events =
                  count_at<std::size_t>(facts, {"clocks", "cpu", "throttle_events"})},
      .seen_between = throttle_reasons_in(facts),
  };
}

}  // namespace

std::optional<double> number_at(const json& object, std::initializer_list<const char*> keys) {
  const auto& value = member(object, keys);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<machine::pcie_link> link_in(const json& facts) {
  const auto count = [&](const char* key) { return count_at<int>(facts, {"link", key}); };
  const auto generation = count("generation"), width = count("width");
  const auto generation_max = count("generation_max"), width_max = count("width_max");
  if (text_at(facts, {"link", "type"}) != "pcie" || !generation || !width || !generation_max ||
      !width_max)
    return std::nullopt;
  return machine::pcie_link{*generation, *width, *generation_max, *width_max};
}

std::optional<machine::throttle_reasons> throttle_reasons_in(const json& facts) {
  const auto& listed = member(facts, {"clocks", "gpu", "throttle_reasons"});
  if (!listed.is_array()) return std::nullopt;
  machine::throttle_reasons reasons;
  for (const auto& reason : listed)
    reasons.insert(reason.is_string() ? common::printable(reason.get_ref<const std::string&>())
                                      : "unreadable");
  return reasons;
}

std::vector<double> at_both_ends(const json& facts, const char* key) {
  std::vector<double> values;
  const auto& listed = member(facts, {"clocks", "gpu", key});
  if (listed.is_array())
    for (const auto& value : listed) {
      if (!value.is_number() || value.get<double>() <= 0) break;
      values.push_back(value.get<double>());
    }
  return values;
}

registration::registration(subject about, std::initializer_list<question> questions) {
  for (const auto ask : questions) registered().emplace(about, ask);
}

std::string sentence(std::string text) {
  text = common::printable(text);
  if (text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  return text.ends_with('.') ? text : text + '.';
}

examination::examination(const result_file::contents& file, const std::vector<measured>& measured)
    : read(file), facts(file.facts), benchmarks(measured) {
  const auto node = read.on_host ? std::nullopt : count_at<int>(facts, {"device", "numa_node"});
  for (auto& doubt : machine::doubts(member(facts, {"machine"}), link_in(facts), node))
    doubts_.emplace(doubt.code, std::move(doubt));
  for (auto& doubt : machine::doubts(clocks_in(facts))) doubts_.emplace(doubt.code, doubt);
}

finding& examination::say(const char* code, std::string text, json data) {
  return findings_.emplace_back(finding{about_, {code, std::move(data), std::move(text)}});
}

finding& examination::warn(const char* code, std::string text, json data) {
  auto& said = say(code, std::move(text), std::move(data));
  said.warns = true;
  return said;
}

void examination::not_known(const char* code, std::string text, std::string fact) {
  say(code, std::move(text)).unknown = std::move(fact);
}

finding* examination::doubt(const std::string& code) {
  covers(code);
  const auto found = doubts_.find(code);
  if (found == doubts_.end()) return nullptr;
  auto& said = findings_.emplace_back(finding{about_, found->second, true});
  said.said.text = sentence(said.said.text);
  return &said;
}

void examination::ask() {
  for (const auto& [about, ask] : registered()) {
    about_ = about;
    ask(*this);
  }
}

std::vector<common::message> examination::other_warnings() const {
  std::vector<common::message> others;
  for (const auto& warning : read.warnings)
    if (!covered_.contains(warning.code)) others.push_back(warning);
  return others;
}

}  // namespace bench_transfers::trust
