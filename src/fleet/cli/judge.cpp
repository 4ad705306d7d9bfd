#include "src/fleet/judge/judge.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/claims/file_claim.hpp"
#include "src/common/program.hpp"
#include "src/common/writing.hpp"
#include "src/fleet/cli/options.hpp"
#include "src/fleet/cli/sweeps.hpp"
#include "src/fleet/history/history.hpp"
#include "src/fleet/io/sweep_file.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/result_file/benchmark_class.hpp"

namespace bench_transfers::fleet {
namespace {

using result_file::benchmark_class;

benchmark_class parse_class(const std::string& word) {
  const auto kind = result_file::benchmark_class_from(word);
  if (!kind || *kind == benchmark_class::other)
    throw common::usage_error(fmt::format("bad --decide-by '{}': link, host or latency", word));
  return *kind;
}

class judge_command final : public commands::command {
 public:
  explicit judge_command(CLI::App& options) {
    add_sweep(options, sweep_);
    add_references(options, references_, "a sweep that was accepted; may be repeated");
    commands::take_each(
        *options.add_option(
            "--history", history_,
            "earlier sweeps, or folders with them: tells since when a part is slow"),
        "DIR");
    commands::add_json(options, json_);
    commands::add_markdown(options, markdown_);
    commands::add_junit(options, junit_);
    commands::add_openmetrics(options, openmetrics_);
    auto& decide_by = *options.add_option_function<std::vector<std::string>>(
        "--decide-by",
        [this](const std::vector<std::string>& words) {
          decide_by_.clear();
          for (const auto& word : words) decide_by_.insert(parse_class(word));
        },
        "classes that must be known: link, host, latency (default: link)");
    commands::take_each(decide_by, "CLASS,").delimiter(',');
  }

  [[nodiscard]] common::exit_code run() const override {
    auto inputs = references_;
    inputs.push_back(sweep_);
    const auto claimed = claims::claim_outputs({json_, markdown_, junit_, openmetrics_}, inputs);
    const auto sweep = read_sweep(sweep_);
    const auto references = read_references(references_, sweep);
    const auto settings = settings::usual(decide_by_);
    auto judged = judge(sweep, settings, references);
    if (!history_.empty()) {
      auto earlier = records_of(history_, settings, references).records;
      std::erase_if(earlier, [&](const sweep_record& record) {
        return record.begin >= sweep.begin;  // itself, and later ones
      });
      earlier.push_back(record_of(sweep, judged));
      const history known(std::move(earlier));
      add_onsets(sweep, judged, known);
      add_gpus_of_missing(judged, known);
    }
    write_answer(sweep, judged);
    return judged.verdict;
  }

  [[nodiscard]] commands::offers offered() const override {
    return {{"--decide-by", {"link", "host", "latency"}}};
  }

 private:
  void write_answer(const sweep& sweep, const judgement& judged) const {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    common::write_outputs({{json_, [&] { return json_of(sweep, judged); }},
                           {markdown_, [&] { return markdown_of(sweep, judged); }},
                           {junit_, [&] { return junit_of(sweep, judged, now); }},
                           {openmetrics_, [&] { return openmetrics_of(sweep, judged); }}},
                          [&] { return text_of(sweep, judged); });
  }

  std::filesystem::path sweep_;
  paths references_;  ///< accepted sweeps
  paths history_;     ///< folders and sweeps; may be empty
  std::filesystem::path json_, markdown_, junit_, openmetrics_;  ///< empty: none
  std::set<benchmark_class> decide_by_{benchmark_class::link};
};

const commands::registration<judge_command> judging{
    "judge", "Name the GPUs, nodes, racks and slots that are slow."};

}  // namespace
}  // namespace bench_transfers::fleet
