#include "src/imports/nvbandwidth.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "src/common/message.hpp"
#include "src/common/number.hpp"
#include "src/common/text.hpp"
#include "src/imports/nvbandwidth_output.hpp"
#include "src/imports/nvbandwidth_text.hpp"
#include "src/result_file/contents.hpp"
#include "src/result_file/format.hpp"
#include "src/result_file/reader.hpp"

namespace bench_transfers::imports {
namespace {

using json = nlohmann::ordered_json;
using result_file::member;
using result_file::text_at;

const std::string program = "nvbandwidth";
constexpr const char* warned = "imported_warning";

/// Not a sentence: the name of the file precedes it.
class unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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
      described.family = described.role = entry.value("family", program);
      described.strategy = entry.value("strategy", fmt::format("{}/{}", program, name));
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

json null_or(const std::string& text) { return text.empty() ? json() : json(text); }

/// "error" and the like: a text, or a list of them.
std::vector<std::string> texts_at(const json& object, const char* key) {
  const auto& value = member(object, {key});
  const auto list = value.is_array() ? value : json::array({value});
  std::vector<std::string> texts;
  for (const auto& entry : list) {
    if (entry.is_null()) continue;
    auto text = entry.is_string() ? entry.get<std::string>()
                                  : entry.dump(-1, ' ', false, json::error_handler_t::replace);
    if (!text.empty()) texts.push_back(common::printable(text));
  }
  return texts;
}

/// Makes a result file step by step.
class conversion {
 public:
  conversion(const json& printed, const std::filesystem::path& file,
             std::optional<std::size_t> buffer_bytes)
      : printed_(member(printed, {program.c_str()})),
        file_(file),
        buffer_bytes_(
            buffer_bytes.value_or(nvbandwidth_buffer_bytes(text_at(printed_, {"version"})))) {
    if (!printed_.is_object())
      throw unusable("it is not what nvbandwidth prints, with --json or without");
  }

  json document() {
    add_words(printed_, "");
    if (!member(printed_, {"cut_off"}).is_null())
      words_.push_back({"imported_cut_off",
                        {{"program", program}},
                        "the output lacks the note that nvbandwidth ends with: it may be cut off"});
    const auto& test_cases = member(printed_, {"testcases"});
    if (!test_cases.is_array()) throw unusable(why_nothing("it has no list of test cases"));
    for (const auto& test_case : test_cases) count_devices(test_case);
    for (const auto& test_case : test_cases) add_test_case(test_case);
    if (rows_.empty()) throw unusable(why_nothing("it has no rates of copies from or to the host"));
    return {{"context",
             {{"host_name", text_at(printed_, {"Hostname"})},
              {"executable", program},
              {"json_schema_version", 1},
              {"transfers", facts()}}},
            {"benchmarks", rows_}};
  }

 private:
  /// With nvbandwidth's own words, and why its test cases have not been taken.
  [[nodiscard]] std::string why_nothing(const std::string& what) const {
    constexpr std::size_t most_told = 5;
    std::vector<std::string> reasons;
    for (const auto& word : words_) reasons.push_back(word.text);
    for (const auto& skipped : skipped_)
      reasons.push_back(fmt::format("{}: {}", skipped.at("name").get<std::string>(),
                                    skipped.at("reason").at("text").get<std::string>()));
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
        words_.push_back({code,
                          {{"program", program}, {"test_case", null_or(test_case)}, {"text", text}},
                          fmt::format("{} has {}{}: {}", program, verb,
                                      test_case.empty() ? "" : " in " + test_case,
                                      common::printable_in_short(text))});
    };
    add_each("error", "imported_error", "failed");
    add_each("warning", warned, "warned");
  }

  [[nodiscard]] bool is_complete() const {
    const auto is_over = [](const json& test_case) {
      const auto status = text_at(test_case, {"status"});
      return !text_at(test_case, {"name"}).empty() &&
             (status == "Passed" || status == "Waived" || status == "WAIVED");
    };
    return std::ranges::all_of(member(printed_, {"testcases"}), is_over) &&
           std::ranges::all_of(words_, [](const auto& word) { return word.code == warned; });
  }

  void count_devices(const json& test_case) {
    const auto& matrix = member(test_case, {"bandwidth_matrix"});
    if (!known_test_cases().contains(text_at(test_case, {"name"})) || !matrix.is_array()) return;
    for (const auto& row : matrix)
      if (row.is_array()) devices_ = std::max(devices_, row.size());
  }

  void skip(const std::string& name, const std::string& why) {
    skipped_.push_back(
        {{"name", name},
         {"reason", common::to_json(common::message{
                        "not_imported", {{"program", program}}, "not imported: " + why})}});
  }

  void add_test_case(const json& test_case) {
    const auto name = common::printable(text_at(test_case, {"name"}));
    if (name.empty()) return skip("unnamed", "the test case has no name");
    const auto status = text_at(test_case, {"status"});
    add_words(test_case, name);
    const auto known = known_test_cases().find(name);
    if (known == known_test_cases().end())
      return skip(name, "not known as copies from or to the host");
    if (status != "Passed")
      return skip(name, status == "Running" ? "it is cut off"
                                            : fmt::format("its status is '{}'",
                                                          common::printable_in_short(status)));
    const auto& matrix = member(test_case, {"bandwidth_matrix"});
    if (!matrix.is_array() || matrix.size() != 1 || !matrix.front().is_array())
      return skip(name, "its matrix has not one row, the host's");
    if (!added_.insert(name).second) return skip(name, "a second time; the first counts");
    for (std::size_t device = 0; device < matrix.front().size(); ++device)
      add_cell(name, known->second, device, matrix.front()[device]);
  }

  void add_cell(const std::string& name, const result_file::benchmark& known, std::size_t device,
                const json& cell) {
    try {
      if (const auto rate = rate_in(cell)) add_rate(known, device, *rate);
    } catch (const unusable& error) {
      const auto value = cell.is_string()
                             ? cell.get<std::string>()
                             : cell.dump(-1, ' ', false, json::error_handler_t::replace);
      skip(name, fmt::format("its rate of device {} is '{}', {}", device,
                             common::printable_in_short(value), error.what()));
    }
  }

  void add_rate(result_file::benchmark described, std::size_t device, double gb_per_s) {
    described.size_bytes = buffer_bytes_;
    described.devices = {device};
    const auto id = devices_ > 1 ? std::optional(id_of(device)) : std::nullopt;
    described.name = result_file::benchmark_name(described.strategy, described.variant,
                                                 buffer_bytes_, described.cache, id);
    add_row(described.name, gb_per_s);
    benchmarks_[described.name] = to_json(described);
    variants_[described.strategy].insert(*described.variant);
  }

  void add_row(const std::string& name, double gb_per_s) {
    const double time_ns = static_cast<double>(buffer_bytes_) / gb_per_s;
    constexpr double least_ns = 1, most_ns = 1e15;  // what readers take for a time
    if (!(time_ns >= least_ns && time_ns <= most_ns))
      throw unusable("more or less than anybody can have measured");
    rows_.push_back({{"name", name},
                     {"run_name", name},
                     {"run_type", "iteration"},
                     {"repetitions", 1},
                     {"repetition_index", 0},
                     {"threads", 1},
                     {"iterations", 1},
                     {"real_time", time_ns},
                     {"cpu_time", nullptr},
                     {"time_unit", "ns"},
                     {"bytes", buffer_bytes_},
                     {"median_ns", time_ns},
                     {"gb_per_s", gb_per_s},
                     {"device_ns", time_ns},
                     {"device_gb_per_s", gb_per_s}});
  }

  static std::string id_of(std::size_t device) { return fmt::format("cuda:{}", device); }

  [[nodiscard]] json devices() const {
    const auto& names = member(printed_, {"GPU Device list"});
    json list = json::array();
    for (std::size_t i = 0; i < devices_; ++i) {
      const bool is_named = names.is_array() && i < names.size();
      list.push_back({{"id", id_of(i)},
                      {"kind", "cuda"},
                      {"name", null_or(is_named ? name_of_device(names[i]) : "")},
                      {"why_not_gpu", nullptr},
                      {"index", i},
                      {"uuid", nullptr},
                      {"driver_version", null_or(text_at(printed_, {"Driver Version"}))},
                      {"link", nullptr},
                      {"clocks", nullptr}});
    }
    return list;
  }

  [[nodiscard]] json metrics() const {
    using result_file::better;
    using result_file::metric_kind;
    json list = json::object();
    for (const result_file::metric& counter : std::vector<result_file::metric>{
             {"bytes", "B", metric_kind::size, {}, "bytes that one operation moves"},
             {"median_ns", "ns", metric_kind::duration, better::less,
              "time of one copy by the device's clock, of nvbandwidth's rate"},
             {"gb_per_s", "GB/s", metric_kind::rate, better::more,
              "rate that nvbandwidth has printed, timed on the device", true},
             {"device_ns", "ns", metric_kind::duration, better::less, "the same as median_ns"},
             {"device_gb_per_s", "GB/s", metric_kind::rate, better::more, "the same as gb_per_s"}})
      list[counter.name] = to_json(counter);
    return list;
  }

  [[nodiscard]] json roles() const {
    json list = json::object();
    for (const result_file::role& described :
         {result_file::role{"copy", "copies of one block between host memory and the device",
                            result_file::table::directions},
          result_file::role{program, "other copies from and to the host, as nvbandwidth makes them",
                            result_file::table::directions}})
      list[described.name] = to_json(described);
    return list;
  }

  [[nodiscard]] json strategies() const {
    json list = json::array();
    for (const auto& [strategy, variants] : variants_)
      list.push_back({{"name", strategy},
                      {"summary", "measured by nvbandwidth"},
                      {"variants", variants},
                      {"memory", "pinned"}});
    return list;
  }

  [[nodiscard]] common::message warning() const {
    const auto version = text_at(printed_, {"version"});
    return {"imported",
            {{"program", program}, {"version", null_or(version)}, {"buffer_bytes", buffer_bytes_}},
            fmt::format("imported from {}{}: timed on the device, a single value each, data not "
                        "verified by bench_transfers",
                        program, version.empty() ? "" : " " + version)};
  }

  [[nodiscard]] json warnings() const {
    auto list = json::array({common::to_json(warning())});
    for (const auto& word : words_) list.push_back(common::to_json(word));
    return list;
  }

  [[nodiscard]] json facts() const {
    auto all = devices();
    auto first = all.front();
    for (const auto* key : {"id", "link", "clocks"}) first.erase(key);
    return {{"format", result_file::newest_format},
            {"complete", is_complete()},
            {"imported",
             {{"program", program},
              {"version", null_or(text_at(printed_, {"version"}))},
              {"git_version", null_or(text_at(printed_, {"git_version"}))},
              {"cuda_runtime_version", member(printed_, {"CUDA Runtime Version"})},
              {"file", common::printable(file_.filename().string())}}},
            {"program", nullptr},
            {"run",
             {{"sizes", json::array({buffer_bytes_})},
              {"faults_injected", json::array()},
              {"labels", json::object()},
              {"note", nullptr},
              {"command_line", json::array()},
              {"started_utc", nullptr},
              {"finished_utc", nullptr},
              {"interrupted_by", nullptr}}},
            {"device", std::move(first)},
            {"link", nullptr},
            {"clocks", nullptr},
            {"devices", std::move(all)},
            {"fleet", nullptr},
            {"machine", json::object()},
            {"clock", {{"name", "CUDA events"}, {"read_ns", nullptr}, {"resolution_ns", nullptr}}},
            {"buffers", json::array()},
            {"strategies", strategies()},
            {"roles", roles()},
            {"benchmarks", benchmarks_},
            {"metrics", metrics()},
            {"skipped", skipped_},
            {"warnings", warnings()}};
  }

  json printed_;
  const std::filesystem::path& file_;
  std::size_t buffer_bytes_;
  std::size_t devices_ = 0;
  std::set<std::string> added_;
  std::vector<common::message> words_;
  json benchmarks_ = json::object();
  std::map<std::string, std::set<std::string>> variants_;  ///< by strategy
  json rows_ = json::array();
  json skipped_ = json::array();
};

}  // namespace

std::size_t nvbandwidth_buffer_bytes(std::string_view version) {
  constexpr std::size_t MiB = std::size_t{1} << 20;
  constexpr int first_with_more = 7;
  if (version.starts_with('v')) version.remove_prefix(1);
  int minor = first_with_more;
  if (version.starts_with("0."))
    std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  return (minor < first_with_more ? 64 : 512) * MiB;
}

json from_nvbandwidth(std::string text, const std::filesystem::path& file,
                      std::optional<std::size_t> buffer_bytes) {
  try {
    text = without_surroundings(std::move(text));
    const auto printed = text.starts_with('{') ? std::nullopt : from_plain_text(text);
    return conversion(printed ? *printed : result_file::document_in(std::move(text), file), file,
                      buffer_bytes)
        .document();
  } catch (const unusable& error) {
    throw result_file::unusable_file(
        fmt::format("cannot import {}: {}", common::printable(file.string()), error.what()));
  }
}

}  // namespace bench_transfers::imports
