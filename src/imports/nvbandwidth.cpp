#include "src/imports/nvbandwidth.hpp"

#include <fmt/format.h>

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
#include "src/common/printable.hpp"
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
constexpr const char* not_imported = "not_imported";

/// Not a sentence: the name of the file precedes it.
class unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "55.39" or 55.39; none for "N/A". nvbandwidth prints cells as texts.
std::optional<double> rate_in(const json& cell) {
  double rate = 0;
  if (cell.is_number()) {
    rate = cell.get<double>();
  } else {
    const auto text = cell.is_string() ? cell.get<std::string>() : std::string();
    if (text == "N/A") return std::nullopt;
    const auto* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, rate);
    if (error != std::errc{} || stopped != end) rate = 0;
  }
  if (!std::isfinite(rate) || rate <= 0) throw unusable("its rates are no positive numbers");
  return rate;
}

/// What nvbandwidth.json says of the test cases.
const json& known_test_cases() {
  static const auto known = json::parse(nvbandwidth_text());
  return known;
}

/// The name in "0: NVIDIA H200 (00000000:0f:00): (node)", or all of another text.
std::string name_of_device(const json& entry) {
  auto text = entry.is_string() ? common::printable(entry.get<std::string>()) : std::string();
  if (const auto colon = text.find(": "); colon != std::string::npos) text.erase(0, colon + 2);
  if (const auto bracket = text.find(" ("); bracket != std::string::npos) text.erase(bracket);
  return text;
}

json null_or(const std::string& text) { return text.empty() ? json() : json(text); }

/// Makes a result file step by step.
class conversion {
 public:
  conversion(const json& printed, const std::filesystem::path& file, std::size_t buffer_bytes)
      : printed_(member(printed, {program.c_str()})), file_(file), buffer_bytes_(buffer_bytes) {
    if (!printed_.is_object()) throw unusable("it is not the JSON that nvbandwidth --json prints");
    const auto& test_cases = member(printed_, {"testcases"});
    if (!test_cases.is_array()) throw unusable(why_no_test_cases());
    for (const auto& test_case : test_cases) count_devices(test_case);
    for (const auto& test_case : test_cases) add(test_case);
    if (rows_.empty()) throw unusable("it has no rates of copies from or to the host");
  }

  [[nodiscard]] json document() const {
    return {{"context",
             {{"host_name", text_at(printed_, {"Hostname"})},
              {"executable", program},
              {"json_schema_version", 1},
              {"transfers", facts()}}},
            {"benchmarks", rows_}};
  }

 private:
  [[nodiscard]] std::string why_no_test_cases() const {
    const auto error = text_at(printed_, {"error"});
    if (error.empty()) return "it has no list of test cases";
    return fmt::format("nvbandwidth has failed: {}", common::printable_in_short(error));
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
         {"reason", common::to_json(common::message{not_imported, {{"program", program}}, why})}});
  }

  void add(const json& test_case) {
    const auto name = text_at(test_case, {"name"});
    if (name.empty()) throw unusable("a test case has no name");
    const auto status = text_at(test_case, {"status"});
    const auto known = known_test_cases().find(name);
    if (known == known_test_cases().end())
      return skip(name, "not imported: not known as copies from or to the host");
    if (status != "Passed")
      return skip(name, fmt::format("not imported: its status is '{}'",
                                    common::printable_in_short(status)));
    const auto& matrix = member(test_case, {"bandwidth_matrix"});
    if (!matrix.is_array() || matrix.size() != 1 || !matrix.front().is_array())
      return skip(name, "not imported: its matrix has not one row, the host's");
    for (std::size_t device = 0; device < matrix.front().size(); ++device)
      if (const auto rate = rate_in(matrix.front()[device])) add(name, *known, device, *rate);
  }

  void add(const std::string& test_case, const json& known, std::size_t device, double gb_per_s) {
    result_file::benchmark described;
    described.family = known.value("family", program);
    described.role = described.family;
    described.strategy = known.value("strategy", fmt::format("{}/{}", program, test_case));
    if (!known.contains("strategy")) described.method = test_case;
    described.memory = "pinned";
    described.variant = known.at("direction").get<std::string>();
    described.direction = *result_file::direction_from(*described.variant);
    described.size_bytes = buffer_bytes_;
    described.devices = {device};
    described.plainness = 1;
    const auto id = devices_ > 1 ? std::optional(id_of(device)) : std::nullopt;
    const auto name = result_file::benchmark_name(described.strategy, described.variant,
                                                  buffer_bytes_, described.cache, id);
    if (benchmarks_.contains(name))
      throw unusable(fmt::format("it has {} twice", common::printable_in_short(test_case)));
    benchmarks_[name] = to_json(described);
    add_row(name, gb_per_s);
  }

  void add_row(const std::string& name, double gb_per_s) {
    const double time_ns = static_cast<double>(buffer_bytes_) / gb_per_s;
    constexpr double least_ns = 1, most_ns = 1e15;  // what readers take for a time
    if (!(time_ns >= least_ns && time_ns <= most_ns))
      throw unusable(fmt::format("nobody can have measured {} GB/s", gb_per_s));
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
    std::map<std::string, std::set<std::string>> variants;
    for (const auto& [name, described] : benchmarks_.items())
      variants[described.at("strategy")].insert(described.at("variant").get<std::string>());
    json list = json::array();
    for (const auto& [strategy, all] : variants)
      list.push_back({{"name", strategy},
                      {"summary", "measured by nvbandwidth"},
                      {"variants", all},
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

  [[nodiscard]] json facts() const {
    auto all = devices();
    auto first = all.front();
    for (const auto* key : {"id", "link", "clocks"}) first.erase(key);
    return {{"format", result_file::newest_format},
            {"complete", true},
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
            {"warnings", json::array({common::to_json(warning())})}};
  }

  const json& printed_;
  const std::filesystem::path& file_;
  std::size_t buffer_bytes_;
  std::size_t devices_ = 0;
  json benchmarks_ = json::object();
  json rows_ = json::array();
  json skipped_ = json::array();
};

}  // namespace

json from_nvbandwidth(std::string text, const std::filesystem::path& file,
                      std::size_t buffer_bytes) {
  const auto printed = result_file::document_in(std::move(text), file);
  try {
    return conversion(printed, file, buffer_bytes).document();
  } catch (const unusable& error) {
    throw result_file::unusable_file(
        fmt::format("cannot import {}: {}", common::printable(file.string()), error.what()));
  }
}

}  // namespace bench_transfers::imports
