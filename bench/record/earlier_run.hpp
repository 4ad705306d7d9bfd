#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/plan.hpp"

namespace bench_transfers::bench {

/// What a run has left in its result file, so that another one can measure the rest. All that is
/// used of it has the type that it must have.
class earlier_run {
 public:
  /// Reads the file. Throws usage_error for one that cannot be resumed.
  explicit earlier_run(std::filesystem::path file);

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  /// Those that chose what it measured: "--profile=quick".
  [[nodiscard]] const std::vector<std::string>& options() const noexcept { return options_; }
  /// The whole file.
  [[nodiscard]] const nlohmann::ordered_json& document() const noexcept { return document_; }
  [[nodiscard]] const nlohmann::ordered_json& context() const { return document_.at("context"); }
  [[nodiscard]] const nlohmann::ordered_json& facts() const { return context().at("transfers"); }
  [[nodiscard]] bool is_complete() const noexcept { return complete_; }
  /// In which it was measured.
  [[nodiscard]] std::size_t parts() const {
    const auto list = facts().find("parts");
    return list == facts().end() ? 1 : list->size();
  }
  [[nodiscard]] bool has_failures() const noexcept { return !failed_.empty(); }
  [[nodiscard]] bool has_repetitions() const noexcept { return !repetitions_.empty(); }

  /// What it has skipped for a reason that stays.
  [[nodiscard]] nlohmann::ordered_json skipped() const;

  /// Leaves out of a plan of so many rounds what the file has: whatever was measured, failed or was
  /// skipped, unless the reason may have passed. The other benchmarks of the plan know then what
  /// the file has of them. Those of a killed run whose repetitions are all spoilt are set aside.
  void leave_out_measured(plan& plan, int rounds) const;

 private:
  void read_options();
  void read_rows();
  void read_row(const nlohmann::ordered_json& row);
  [[nodiscard]] bool has(const benchmark_case& planned, int rounds) const;

  std::filesystem::path file_;
  nlohmann::ordered_json document_;
  std::vector<std::string> options_;
  bool complete_ = false;
  std::map<std::string, earlier_repetitions> repetitions_;  ///< by benchmark
  std::set<std::string> failed_;
  std::set<std::string> skipped_;
};

/// Throws usage_error unless the devices are those of the earlier run, and of the same machine.
void require_same_machine(const earlier_run& earlier, std::span<const named_device> devices);

}  // namespace bench_transfers::bench
