#include "src/imports/nvbandwidth_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "src/common/number.hpp"
#include "src/common/text.hpp"
#include "src/imports/nvbandwidth.hpp"
#include "src/imports/nvbandwidth_text.hpp"

namespace bench_transfers::imports {
namespace {

using json = nlohmann::ordered_json;
using result_file::member;
using result_file::text_at;

constexpr const char* warned = "imported_warning";

/// A cell: "55.39" or 55.39; none for "N/A". nvbandwidth prints cells as texts. Throws unusable.
std::optional<double> rate_in(const json& cell) {
  const auto text = cell.is_string() ? cell.get<std::string>() : std::string();
  if (text == "N/A") return std::nullopt;
  const double rate =
      cell.is_number() ? cell.get<double>() : common::number_from<double>(text).value_or(0);
  if (!std::isfinite(rate) || rate <= 0) throw unusable("no positive number");
  return rate;
}

/// What the test cases of nvbandwidth.json measure, without size and device.
const std::map<std::string, result_file::benchmark>& known_test_cases() {
  static const auto all = [] {
    const auto entries = json::parse(nvbandwidth_text());
    std::map<std::string, result_file::benchmark> known;
    for (const auto& [name, entry] : entries.items()) {
      auto& described = known[name];
      described.family = described.role = entry.value("family", nvbandwidth_program);
      described.strategy = entry.value("strategy", fmt::format("{}/{}", nvbandwidth_program, name));
      if (!entry.contains("strategy")) described.method = name;
      described.memory = "pinned";
      described.variant = entry.at("direction").get<std::string>();
      described.direction = result_file::direction_from(*described.variant).value();
      described.plainness = 1;
    }
    return known;
  }();
  return all;
}

/// The name in "0: NVIDIA H200 (00000000:0f:00): (node)", or all of another text.
std::string name_of_device(const json& entry) {
  auto text = entry.is_string() ? common::printable(entry.get<std::string>()) : std::string();
  if (const auto colon = text.find(": "); colon != std::string::npos) text.erase(0, colon + 2);
  if (const auto bracket = text.find(" ("); bracket != std::string::npos) text.erase(bracket);
  return text;
}

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// "error" and the like: a text, or a list of them.
std::vector<std::string> texts_at(const json& object, const char* key) {
  const auto& value = member(object, {key});
  const auto list = value.is_array() ? value : json::array({value});
  std::vector<std::string> texts;
  for (const auto& entry : list) {
    if (entry.is_null()) continue;
    auto text = entry.is_string() ? entry.get<std::string>() : dumped(entry);
    if (!text.empty()) texts.push_back(common::printable(text));
  }
  return texts;
}

/// Why a known test case has no row of rates; none if it has one.
std::optional<std::string> why_without_rates(const json& test_case) {
  const auto status = text_at(test_case, {"status"});
  if (status == "Running") return "it is cut off";
  if (status != "Passed")
    return fmt::format("its status is '{}'", common::printable_in_short(status));
  const auto& matrix = member(test_case, {"bandwidth_matrix"});
  if (!matrix.is_array() || matrix.size() != 1 || !matrix.front().is_array())
    return "its matrix has not one row, the host's";
  return std::nullopt;
}

/// Of copies in all known test cases.
std::size_t count_of_devices(const json& test_cases) {
  std::size_t count = 0;
  for (const auto& test_case : test_cases) {
    const auto& matrix = member(test_case, {"bandwidth_matrix"});
    if (!known_test_cases().contains(text_at(test_case, {"name"})) || !matrix.is_array()) continue;
    for (const auto& row : matrix)
      if (row.is_array()) count = std::max(count, row.size());
  }
  return count;
}

class run_reader {
 public:
  run_reader(const json& output, std::optional<std::size_t> buffer_bytes)
      : printed_(member(output, {nvbandwidth_program})) {
    if (!printed_.is_object())
      throw unusable("it is not what nvbandwidth prints, with --json or without");
    run_.host_name = text_at(printed_, {"Hostname"});
    run_.version = text_at(printed_, {"version"});
    run_.git_version = text_at(printed_, {"git_version"});
    run_.driver_version = text_at(printed_, {"Driver Version"});
    run_.cuda_runtime_version = member(printed_, {"CUDA Runtime Version"});
    run_.buffer_bytes = buffer_bytes.value_or(nvbandwidth_buffer_bytes(run_.version));
  }

  nvbandwidth_run read() {
    add_words(printed_, "");
    if (!member(printed_, {"cut_off"}).is_null())
      run_.words.push_back(
          {"imported_cut_off",
           {{"program", nvbandwidth_program}},
           "the output lacks the note that nvbandwidth ends with: it may be cut off"});
    const auto& test_cases = member(printed_, {"testcases"});
    if (!test_cases.is_array()) throw unusable(why_nothing("it has no list of test cases"));
    add_devices(count_of_devices(test_cases));
    for (const auto& test_case : test_cases) add_test_case(test_case);
    if (run_.copies.empty())
      throw unusable(why_nothing("it has no rates of copies from or to the host"));
    run_.is_complete = is_complete(test_cases);
    return std::move(run_);
  }

 private:
  /// With nvbandwidth's own words, and why its test cases have not been taken.
  [[nodiscard]] std::string why_nothing(const std::string& what) const {
    constexpr std::size_t most_told = 5;
    std::vector<std::string> reasons;
    for (const auto& word : run_.words) reasons.push_back(word.text);
    for (const auto& skipped : run_.skipped)
      reasons.push_back(fmt::format("{}: {}", skipped.name, skipped.reason.text));
    if (reasons.empty()) return what;
    const auto more = reasons.size() - std::min(reasons.size(), most_told);
    reasons.resize(reasons.size() - more);
    return fmt::format("{}: {}{}", what, fmt::join(reasons, "; "),
                       more > 0 ? fmt::format("; and {} more", more) : "");
  }

  /// What nvbandwidth says of the run, or of a test case.
  void add_words(const json& told, const std::string& test_case) {
    const auto add_each = [&](const char* key, const char* code, const char* verb) {
      for (const auto& text : texts_at(told, key))
        run_.words.push_back({code,
                              {{"program", nvbandwidth_program},
                               {"test_case", common::or_null(test_case)},
                               {"text", text}},
                              fmt::format("{} has {}{}: {}", nvbandwidth_program, verb,
                                          test_case.empty() ? "" : " in " + test_case,
                                          common::printable_in_short(text))});
    };
    add_each("error", "imported_error", "failed");
    add_each("warning", warned, "warned");
  }

  [[nodiscard]] bool is_complete(const json& test_cases) const {
    const auto is_over = [](const json& test_case) {
      const auto status = text_at(test_case, {"status"});
      return !text_at(test_case, {"name"}).empty() &&
             (status == "Passed" || status == "Waived" || status == "WAIVED");
    };
    return std::ranges::all_of(test_cases, is_over) &&
           std::ranges::all_of(run_.words, [](const auto& word) { return word.code == warned; });
  }

  void add_devices(std::size_t count) {
    const auto& names = member(printed_, {"GPU Device list"});
    for (std::size_t i = 0; i < count; ++i)
      run_.device_names.push_back(names.is_array() && i < names.size() ? name_of_device(names[i])
                                                                       : "");
  }

  void skip(const std::string& name, const std::string& why) {
    run_.skipped.push_back(
        {name, {"not_imported", {{"program", nvbandwidth_program}}, "not imported: " + why}});
  }

  void add_test_case(const json& test_case) {
    const auto name = common::printable(text_at(test_case, {"name"}));
    if (name.empty()) return skip("unnamed", "the test case has no name");
    add_words(test_case, name);
    const auto known = known_test_cases().find(name);
    if (known == known_test_cases().end())
      return skip(name, "not known as copies from or to the host");
    if (const auto why = why_without_rates(test_case)) return skip(name, *why);
    if (!added_.insert(name).second) return skip(name, "a second time; the first counts");
    const auto& rates = member(test_case, {"bandwidth_matrix"}).front();
    for (std::size_t device = 0; device < rates.size(); ++device)
      add_cell(name, known->second, device, rates[device]);
  }

  void add_cell(const std::string& name, const result_file::benchmark& known, std::size_t device,
                const json& cell) {
    try {
      if (const auto rate = rate_in(cell)) add_copy(known, device, *rate);
    } catch (const unusable& error) {
      const auto value = cell.is_string() ? cell.get<std::string>() : dumped(cell);
      skip(name, fmt::format("its rate of device {} is '{}', {}", device,
                             common::printable_in_short(value), error.what()));
    }
  }

  /// Throws unusable for a rate that cannot be.
  void add_copy(result_file::benchmark described, std::size_t device, double gb_per_s) {
    const double time_ns = static_cast<double>(run_.buffer_bytes) / gb_per_s;
    constexpr double least_ns = 1, most_ns = 1e15;  // what readers take for a time
    if (!(time_ns >= least_ns && time_ns <= most_ns))
      throw unusable("more or less than anybody can have measured");
    const auto id = run_.device_names.size() > 1 ? std::optional(id_of_nvbandwidth_device(device))
                                                 : std::nullopt;
    described.size_bytes = run_.buffer_bytes;
    described.devices = {device};
    described.name = result_file::benchmark_name(described.strategy, described.variant,
                                                 run_.buffer_bytes, described.cache, id);
    run_.copies.push_back({std::move(described), gb_per_s, time_ns});
  }

  const json& printed_;
  nvbandwidth_run run_ = {};
  std::set<std::string> added_;
};

}  // namespace

std::string id_of_nvbandwidth_device(std::size_t index) { return fmt::format("cuda:{}", index); }

nvbandwidth_run nvbandwidth_run_in(const json& output, std::optional<std::size_t> buffer_bytes) {
  return run_reader(output, buffer_bytes).read();
}

}  // namespace bench_transfers::imports
