#pragma once

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/machine/clocks.hpp"
#include "src/machine/pcie.hpp"
#include "src/trust/judgement.hpp"
#include "src/trust/measured.hpp"

namespace bench_transfers::trust {

// Facts of a result file; nullopt where it lacks them.

std::optional<double> number_at(const nlohmann::ordered_json& facts,
                                std::initializer_list<const char*> keys);

template <class Number>
std::optional<Number> count_at(const nlohmann::ordered_json& facts,
                               std::initializer_list<const char*> keys) {
  const auto value = number_at(facts, keys);
  return value && *value >= 0 && *value < 1e9 ? std::optional(static_cast<Number>(*value))
                                              : std::nullopt;
}

std::optional<machine::pcie_link> link_in(const nlohmann::ordered_json& facts);
std::optional<machine::throttle_reasons> throttle_reasons_in(const nlohmann::ordered_json& facts);

/// Of the GPU's clocks, at the start and the end of a run; the end is missing where the device was
/// lost.
std::vector<double> at_both_ends(const nlohmann::ordered_json& facts, const char* key);

/// "The link sleeps" as a sentence: with a capital letter, and a full stop.
std::string sentence(std::string text);

/// A result file, and what its facts have been found to say.
class examination {
 public:
  examination(const result_file::contents& read, const std::vector<measured>& benchmarks);

  const result_file::contents& read;
  const nlohmann::ordered_json& facts;
  const std::vector<measured>& benchmarks;

  // Each adds a finding about the subject that is asked about.

  finding& say(const char* code, std::string text,
               nlohmann::ordered_json data = nlohmann::ordered_json::object());
  finding& warn(const char* code, std::string text,
                nlohmann::ordered_json data = nlohmann::ordered_json::object());
  void not_known(const char* code, std::string text, std::string fact);
  /// What the machine's facts give reason for; null, and no finding, if they do not.
  finding* doubt(const std::string& code);

  /// The file's warnings of this code are said by a finding.
  void covers(const std::string& code) { covered_.insert(code); }

  /// Asks everything that is registered, in the order of the subjects.
  void ask();
  [[nodiscard]] const std::vector<finding>& findings() const { return findings_; }
  /// Warnings of the file that no finding covers.
  [[nodiscard]] std::vector<common::message> other_warnings() const;

 private:
  subject about_ = subject::run;
  std::map<std::string, common::message> doubts_;
  std::set<std::string> covered_;
  std::vector<finding> findings_;
};

/// Answers one question about a subject by findings.
using question = void (*)(examination& asked);

/// Adds questions; a constant of their file.
struct registration {
  registration(subject about, std::initializer_list<question> questions);
};

}  // namespace bench_transfers::trust
