#include "src/imports/nvbandwidth_output.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

namespace bench_transfers::imports {
namespace {

using json = nlohmann::ordered_json;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// "[1,0]<stdout>:" (mpirun --tag-output)
std::string_view without_tag(std::string_view line) {
  const auto end = line.find(">:");
  const bool is_tagged = line.starts_with('[') && end != std::string_view::npos &&
                         line.substr(0, end).find("]<std") != std::string_view::npos;
  return is_tagged ? line.substr(end + 2) : line;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string lower(std::string_view line) {
  std::string text(line);
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return text;
}

bool has_any(std::string_view line, std::initializer_list<std::string_view> words) {
  const auto text = lower(line);
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

bool begins_with_any(std::string_view line, std::initializer_list<std::string_view> words) {
  const auto text = lower(line);
  return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

class reader {
 public:
  void take(std::string_view line) {
    if (take_matrix(line)) return;
    const auto content = trimmed(line);
    if (content.empty()) return;
    if (take_fact(content) || take_test_case(content)) return;
    take_complaint(content);
    before_ = content;
  }

  [[nodiscard]] std::optional<json> printed() {
    if (!printed_.contains("version") && test_cases_.empty()) return std::nullopt;
    printed_["testcases"] = test_cases_;
    if (!has_ended_ && ends_with_a_note()) printed_["cut_off"] = true;
    if (!errors_.empty()) printed_["error"] = errors_;
    if (!warnings_.empty()) printed_["warning"] = warnings_;
    return json{{"nvbandwidth", printed_}};
  }

 private:
  /// "Driver Version: 580.1" and the like.
  bool take_fact(std::string_view line) {
    constexpr std::array<std::pair<std::string_view, const char*>, 4> facts{
        {{"nvbandwidth Version: ", "version"},
         {"Built from Git version: ", "git_version"},
         {"CUDA Runtime Version: ", "CUDA Runtime Version"},
         {"Driver Version: ", "Driver Version"}}};
    for (const auto& [front, key] : facts)
      if (line.starts_with(front)) {
        printed_[key] = trimmed(line.substr(front.size()));
        return true;
      }
    if (line.starts_with("CUDA Driver Version")) return true;
    constexpr std::string_view device = "Device ";
    if (!line.starts_with(device) || line.find(": ") == std::string_view::npos) return false;
    // The host's name stands by itself before the list, whatever words are in it.
    const bool is_name = !before_.empty() && before_.find_first_of(" :") == std::string::npos;
    if (!printed_.contains("GPU Device list") && is_name) {
      printed_["Hostname"] = before_;
      errors_ = warnings_ = json::array();
    }
    printed_["GPU Device list"].push_back(line.substr(device.size()));
    return true;
  }

  bool take_test_case(std::string_view line) {
    constexpr std::string_view running = "Running ";
    if (line.starts_with(running) && line.ends_with('.') &&
        line.find(' ', running.size()) == std::string_view::npos) {
      line.remove_prefix(running.size());
      line.remove_suffix(1);
      test_cases_.push_back({{"name", line}, {"status", "Running"}});
      return true;
    }
    if (test_cases_.empty()) return false;
    auto& test_case = test_cases_.back();
    const auto name = test_case.at("name").get<std::string>();
    for (const std::string front : {"SUM ", "&&&& PERF "})
      if (line.starts_with(front + name)) {
        if (test_case.contains("bandwidth_matrix")) test_case["status"] = "Passed";
        return true;
      }
    for (const std::string_view status : {"Waived", "WAIVED", "Error:", "ERROR:", "Not Found"})
      if (line.starts_with(status)) {
        test_case["status"] = status.ends_with(':') ? "Error" : status;
        const auto why = trimmed(line.substr(status.size()));
        if (status.ends_with(':') && !why.empty()) test_case["error"] = why;
        return true;
      }
    if (line.find("(row)") != std::string_view::npos && !test_case.contains("bandwidth_matrix")) {
      test_case["bandwidth_description"] = line;
      columns_ = 0;
      is_in_matrix_ = true;
      return true;
    }
    return false;
  }

  /// Its first line has the devices, and each other line a number and the rates.
  bool take_matrix(std::string_view line) {
    if (!is_in_matrix_) return false;
    auto cells = words_of(line);
    if (columns_ == 0) {
      columns_ = cells.size();
      return true;
    }
    is_in_matrix_ = cells.size() == columns_ + 1 &&
                    cells.front().find_first_not_of("0123456789") == std::string::npos;
    if (!is_in_matrix_) return false;
    test_cases_.back()["bandwidth_matrix"].push_back(
        json(std::vector(cells.begin() + 1, cells.end())));
    return true;
  }

  /// Since release 0.6. Older ones begin with another.
  [[nodiscard]] bool ends_with_a_note() const {
    int major = 0;
    int minor = 0;
    const auto version = printed_.value("version", "");
    return std::sscanf(version.c_str(), "v%d.%d", &major, &minor) == 2 && (major > 0 || minor >= 6);
  }

  void take_complaint(std::string_view line) {
    const bool is_closing_note = line.starts_with("NOTE: The reported results may not");
    has_ended_ = has_ended_ || is_closing_note;
    const bool has_begun = printed_.contains("version") || !test_cases_.empty();
    if (!has_begun || is_closing_note || line.starts_with("NOTE: This tool reports current"))
      return;
    // Not "ECC errors: none".
    if (begins_with_any(line, {"error", "fail", "invalid", "abort"}) ||
        has_any(line, {" error:", "[error]", "cuda_error", "failed", "assert", "aborted",
                       "terminate called", "killed"}))
      errors_.push_back(line);
    else if (line.starts_with("NOTE: ") || has_any(line, {"warning"}))
      warnings_.push_back(line);
  }

  json printed_ = json::object();
  json test_cases_ = json::array();
  json errors_ = json::array(), warnings_ = json::array();
  std::string before_;
  std::size_t columns_ = 0;
  bool is_in_matrix_ = false;
  bool has_ended_ = false;
};

}  // namespace

std::string without_surroundings(std::string text) {
  if (text.starts_with('{')) return text;
  const auto lines = lines_of(text);
  const auto first = std::ranges::find_if(
      lines, [](std::string_view line) { return without_tag(line).starts_with('{'); });
  if (first == lines.end()) return text;
  std::string json;
  for (auto line = first; line != lines.end(); ++line) json.append(without_tag(*line)).append("\n");
  return json;
}

std::optional<json> from_plain_text(std::string_view text) {
  reader read;
  for (const auto line : lines_of(text)) read.take(without_tag(line));
  return read.printed();
}

}  // namespace bench_transfers::imports
