#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "src/common/gzip.hpp"
#include "src/common/text.hpp"
#include "src/fleet/io/collect.hpp"
#include "src/fleet/io/sweep_file.hpp"
#include "src/fleet/io/unusable_result.hpp"
#include "src/fleet/judge/judge.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/reader.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/fuzz/refusals.hpp"

namespace bench_transfers::fuzz {
namespace {

/// Judging more is right, and takes long under sanitizers.
constexpr std::size_t most_figures = 2000;
constexpr std::size_t most_ranks = 1000;

void check_lines(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    require(is_one_line(line), "a line of the answer is not printable");
}

void check_gpu(const fleet::sweep& sweep, const fleet::gpu& gpu) {
  for (const auto& text : {gpu.uuid, gpu.slot, gpu.model, gpu.node, gpu.rack})
    require(is_one_line(text), "a name is not printable");
  require(gpu.times.size() == sweep.benchmarks.size(), "a GPU has no list for each benchmark");
  for (const auto& runs : gpu.times)
    for (const auto& run : runs) {
      require(!run.empty(), "a run has no time");
      for (const double time : run)
        require(time >= fleet::shortest_time && time < fleet::longest_time, "a time is absurd");
    }
}

void check_sweep(const fleet::sweep& sweep) {
  std::set<std::string> uuids;
  for (const auto& gpu : sweep.gpus) {
    check_gpu(sweep, gpu);
    require(uuids.insert(gpu.uuid).second, "a GPU is there twice");
  }
  for (const auto& benchmark : sweep.benchmarks)
    require(is_one_line(benchmark.name), "a benchmark's name is not printable");
  for (const auto& problem : sweep.problems)
    require(is_one_line(problem.text), "a problem is not one printable line");
  require(fleet::sweep_from_text(fleet::to_text(sweep), "again.json") == sweep,
          "a sweep that changes when it is written");
}

bool is_estimate(const statistics::estimate& estimate) {
  return std::isfinite(estimate.value) && estimate.low <= estimate.value &&
         estimate.value <= estimate.high;
}

void check_finding(const fleet::sweep& sweep, const fleet::finding& finding) {
  require(finding.gpu < sweep.gpus.size(), "a finding is of no GPU");
  for (const auto& slow : finding.aspects) {
    require(is_estimate(slow.slower) && slow.slower.value > 0, "a slowdown is absurd");
    require(slow.confidence >= 0 && slow.confidence <= 1, "a confidence is absurd");
    require(!slow.benchmark || *slow.benchmark < sweep.benchmarks.size(),
            "a finding is of no benchmark");
  }
}

void check_judgement(const fleet::sweep& sweep) {
  if (sweep.gpus.size() * sweep.benchmarks.size() > most_figures) return;
  if (sweep.world_size.value_or(0) > most_ranks) return;
  const auto judged = fleet::judge(sweep, fleet::settings::usual());
  for (const auto& finding : judged.findings) check_finding(sweep, finding);
  const bool is_clear = judged.findings.empty() && judged.missing.empty() &&
                        judged.doubts.empty() && sweep.problems.empty() && !sweep.gpus.empty();
  require((judged.verdict == fleet::verdict::healthy) == is_clear,
          "a sweep is healthy beside findings, doubts or problems");
  check_lines(fleet::text_of(sweep, judged));
  check_lines(fleet::table_of(sweep, judged));
  check_lines(fleet::markdown_of(sweep, judged));
  check_lines(fleet::junit_of(sweep, judged, {}));
  check_lines(fleet::openmetrics_of(sweep, judged));
  const auto answer = nlohmann::json::parse(fleet::json_of(sweep, judged));
  require(answer.at("findings").size() == judged.findings.size() + judged.missing.size(),
          "the answer has not all findings");
}

struct collected_files {
  std::vector<fleet::measured_gpu> gpus;
  std::vector<common::message> problems;
};

void read_file(const std::string& text, std::size_t index, collected_files& files) {
  const auto name = fmt::format("{}.json", index);
  try {
    const auto read = result_file::read_text(text, name);
    result_file::require_bench_transfers(read, name);
    for (auto& gpu : fleet::gpus_of(read, fmt::format("node{}", index / 2))) {
      gpu.file = name;
      files.gpus.push_back(std::move(gpu));
    }
  } catch (const result_file::unusable_file& refusal) {
    check_refusal(refusal.what());
    files.problems.push_back({"unusable_file", {{"file", name}}, refusal.what()});
  } catch (const result_file::bad_entry& refusal) {
    check_refusal(refusal.what());
    files.problems.push_back({"unusable_file", {{"file", name}}, refusal.what()});
  }
}

/// Whether a GPU is in the sweep, or a problem says why it is not.
bool is_accounted_for(const fleet::measured_gpu& measured, const fleet::sweep& sweep) {
  const auto& gpu = measured.gpu;
  return std::ranges::any_of(sweep.gpus,
                             [&](const fleet::gpu& kept) {
                               return kept.uuid == gpu.uuid && kept.node == gpu.node;
                             }) ||
         std::ranges::any_of(sweep.problems, [&](const common::message& problem) {
           return problem.data.contains("gpu") && problem.data.at("gpu") == gpu.uuid &&
                  problem.data.at("node") == gpu.node;
         });
}

/// What is shown of a file that cannot be read breaks no line.
void check_unusable(const std::string& text) {
  const auto problem = fleet::unusable_result("some.json", "node",
                                              result_file::beginning_of_text(text, true), "why");
  check_refusal(problem.text);
  for (const auto& [key, value] : problem.data.items())
    for (const auto& shown : value.is_array() ? value : nlohmann::ordered_json::array({value}))
      if (shown.is_string())
        require(common::printable(shown.get<std::string>()) == shown.get<std::string>(),
                "a problem has odd bytes");
}

}  // namespace

void check_read_sweep(const std::string& bytes) {
  try {
    const auto sweep = fleet::sweep_from_text(common::unpacked(bytes, most_unpacked), "some.json");
    check_sweep(sweep);
    check_judgement(sweep);
  } catch (const common::read_error& refusal) {
    check_refusal(refusal.what());
  } catch (const fleet::unusable_sweep& refusal) {
    check_refusal(refusal.what());
  }
}

void check_collect(const std::string& text) {
  constexpr char record_separator = '\x1e';
  collected_files files;
  std::istringstream records(text);
  std::size_t index = 0;
  for (std::string record; std::getline(records, record, record_separator);) {
    read_file(record, index++, files);
    check_unusable(record);
  }
  if (files.gpus.empty()) return;
  const auto sweep = fleet::sweep_of(files.gpus, files.problems);
  for (const auto& measured : files.gpus)
    require(is_accounted_for(measured, sweep), "a GPU is left out silently");
  require(sweep.problems.size() >= files.problems.size(), "a problem is left out");
  check_sweep(sweep);
  check_judgement(sweep);
}

}  // namespace bench_transfers::fuzz
