#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/claims/file_claim.hpp"
#include "src/common/command_line.hpp"
#include "src/common/format.hpp"
#include "src/common/outputs.hpp"
#include "src/common/printable.hpp"
#include "src/common/program.hpp"
#include "src/common/terminal.hpp"
#include "src/common/timestamp.hpp"
#include "src/common/whole_file.hpp"
#include "src/fleet/cli/options.hpp"
#include "src/fleet/history/history.hpp"
#include "src/fleet/io/collect.hpp"
#include "src/fleet/io/sweep_file.hpp"
#include "src/fleet/judge/judge.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sentences.hpp"

namespace {

using namespace bench_transfers;
using namespace bench_transfers::fleet;

enum class exit_code { healthy = 0, named = 1, bad_input = 2, unknown = 3 };

int number(exit_code code) { return static_cast<int>(code); }

int complain(const std::string& sentence) {
  common::complain("fleet_transfers", sentence);
  return number(exit_code::bad_input);
}

int answer(const help_request& request) {
  common::print(request.text);
  return number(exit_code::healthy);
}

void show_files(std::size_t done, std::size_t files) {
  constexpr std::size_t step = 100;
  if (done % step != 0 && done != files) return;
  common::show_progress(stderr, fmt::format("read {} of {} files", done, files), done == files);
}

bool are_same(const std::filesystem::path& first, const std::filesystem::path& second) {
  std::error_code not_there;
  return std::filesystem::equivalent(first, second, not_there);
}

int answer(const collect_request& request) {
  const bool prints = common::is_standard_output(request.out);
  const auto claimed = claims::claim_outputs({request.out}, {});
  if (!prints && !is_named_like_a_result(request.out))
    throw common::usage_error(
        fmt::format("bad --out={}: the name must end in .json or .json.gz, or history does not "
                    "find the sweep",
                    common::printable(request.out.string())));
  auto found = files_below(request.folders);
  std::erase_if(found.files, [&](const found_file& file) {
    if (!are_same(file.path, request.out)) return false;
    if (is_own_file(file.path)) return true;  // the sweep of the last time
    throw common::usage_error(
        fmt::format("--out={} would replace a result that is collected", request.out.string()));
  });
  const auto files = found.files.size();
  const auto within = request.within_hours
                          ? std::optional(std::chrono::hours(*request.within_hours))
                          : std::nullopt;
  auto results = read_files(std::move(found), show_files);
  std::size_t passed_over = 0;
  const auto own_files = results.own_files;
  if (request.sweep.empty())
    require_most_of_one_sweep(results);
  else
    passed_over = keep_sweep(results, request.sweep);
  const auto sweep = sweep_of(std::move(results.gpus), std::move(results.problems), within);
  write_sweep(request.out, sweep);
  auto text = fmt::format(
      "{} of {} in {}; {}{}\n",
      common::counted(static_cast<double>(sweep.gpus.size()), "GPU", "GPUs"),
      common::counted(static_cast<double>(files - passed_over - own_files), "file", "files"),
      common::printable(request.out.string()),
      common::counted(static_cast<double>(sweep.problems.size()), "problem", "problems"),
      passed_over == 0
          ? std::string()
          : fmt::format("; {} of other sweeps",
                        common::counted(static_cast<double>(passed_over), "file is", "files are")));
  for (const auto& sentence : problem_sentences(sweep)) text += fmt::format("  {}\n", sentence);
  if (prints)
    std::fputs(text.c_str(), stderr);
  else
    common::print(text);
  return number(exit_code::healthy);
}

void write_answer(const judge_request& request, const sweep& sweep, const judgement& judged) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  common::write_outputs({{request.json, [&] { return json_of(sweep, judged); }},
                         {request.markdown, [&] { return markdown_of(sweep, judged); }},
                         {request.junit, [&] { return junit_of(sweep, judged, now); }},
                         {request.openmetrics, [&] { return openmetrics_of(sweep, judged); }}},
                        [&] { return text_of(sweep, judged); });
}

/// Sweeps that are judged. What cannot be used is complained about.
struct read_history {
  std::vector<sweep_record> records;
  bool is_complete = true;
};

/// Throws unusable_sweep for a sweep that has no place in the order of time.
void require_time(const sweep& sweep, const std::filesystem::path& file) {
  // The clocks of nodes differ.
  constexpr std::chrono::hours more_than_clocks_differ{1};
  const auto refuse = [&](const std::string& why) {
    throw unusable_sweep(fmt::format("cannot use {}: {}", common::printable(file.string()), why));
  };
  if (!sweep.begin) refuse("it does not tell when the sweep began");
  if (*sweep.begin > std::chrono::system_clock::now() + more_than_clocks_differ)
    refuse(fmt::format("the sweep begins in the future, {}", common::timestamp_text(*sweep.begin)));
}

std::set<std::string> uuids_of(const sweep& sweep) {
  std::set<std::string> uuids;
  for (const auto& gpu : sweep.gpus) uuids.insert(gpu.uuid);
  return uuids;
}

/// Two files of one sweep. Sweeps of older releases have no time.
bool are_same(const sweep& first, const sweep& second) {
  return first.id == second.id && first.begin == second.begin &&
         (first.begin ? uuids_of(first) == uuids_of(second) : first.gpus == second.gpus);
}

std::vector<sweep> read_sweeps(const std::vector<std::filesystem::path>& files) {
  std::vector<sweep> sweeps;
  for (const auto& file : files) sweeps.push_back(read_sweep(file));
  return sweeps;
}

/// Throws usage_error if the sweep that is judged is among them.
std::vector<sweep> read_references(const std::vector<std::filesystem::path>& files,
                                   const sweep& judged) {
  auto references = read_sweeps(files);
  for (std::size_t i = 0; i < references.size(); ++i)
    if (are_same(judged, references[i]))
      throw common::usage_error(fmt::format("--reference={} is the sweep that is judged",
                                            common::printable(files[i].string())));
  return references;
}

/// Each is judged by its peers and the references, but for itself.
read_history records_of(const std::vector<std::filesystem::path>& folders, const settings& settings,
                        const std::vector<sweep>& references) {
  read_history result;
  const auto files = sweeps_below(folders);
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      const auto sweep = read_sweep(files[i]);
      require_time(sweep, files[i]);
      const auto is_itself = [&](const fleet::sweep& other) { return are_same(sweep, other); };
      std::vector<fleet::sweep> others;
      const bool is_reference = std::ranges::any_of(references, is_itself);
      if (is_reference)
        std::ranges::remove_copy_if(references, std::back_inserter(others), is_itself);
      const auto& accepted = is_reference ? others : references;
      result.records.push_back(record_of(sweep, judge(sweep, settings, accepted)));
    } catch (const unusable_sweep& error) {
      complain(error.what());
      result.is_complete = false;
    }
  }
  return result;
}

int answer(const judge_request& request) {
  auto inputs = request.references;
  inputs.push_back(request.sweep);
  const auto claimed = claims::claim_outputs(
      {request.json, request.markdown, request.junit, request.openmetrics}, inputs);
  const auto sweep = read_sweep(request.sweep);
  const auto references = read_references(request.references, sweep);
  const auto settings = settings::usual(request.decide_by);
  auto judged = judge(sweep, settings, references);
  if (!request.history.empty()) {
    auto earlier = records_of(request.history, settings, references).records;
    std::erase_if(earlier, [&](const sweep_record& record) {
      return record.begin >= sweep.begin;  // itself, and later ones
    });
    earlier.push_back(record_of(sweep, judged));
    add_onsets(sweep, judged, history(std::move(earlier)));
  }
  write_answer(request, sweep, judged);
  switch (judged.verdict) {
    case verdict::healthy: return number(exit_code::healthy);
    case verdict::named: return number(exit_code::named);
    case verdict::unknown: break;
  }
  return number(exit_code::unknown);
}

int answer(const show_request& request) {
  const auto sweep = read_sweep(request.sweep);
  const auto references = read_references(request.references, sweep);
  common::print(table_of(sweep, judge(sweep, settings::usual(), references), request.slowest));
  return number(exit_code::healthy);
}

/// The only GPU whose UUID begins like this.
const gpu_history& require_gpu(const history& history, const std::string& beginning) {
  constexpr std::size_t most_shown = 5;
  const auto gpus = history.beginning_with(beginning);
  const auto refuse = [&](const std::string& why) {
    throw common::usage_error(fmt::format("bad --gpu '{}': {}", common::printable(beginning), why));
  };
  if (gpus.empty()) refuse("no GPU of these sweeps has a UUID that begins like this");
  if (gpus.size() > 1) {
    std::vector<std::string> uuids;
    for (const auto* gpu : gpus) uuids.push_back(gpu->uuid);
    refuse(
        fmt::format("{} GPUs begin like this: {}", gpus.size(), common::listed(uuids, most_shown)));
  }
  return *gpus.front();
}

int answer(const history_request& request) {
  auto inputs = request.references;
  inputs.insert(inputs.end(), request.sweeps.begin(), request.sweeps.end());
  const auto claimed = claims::claim_outputs({request.json}, inputs);
  auto read = records_of(request.sweeps, settings::usual(), read_sweeps(request.references));
  if (read.records.empty()) return number(exit_code::bad_input);
  const history history(std::move(read.records));
  const auto* gpu = request.gpu.empty() ? nullptr : &require_gpu(history, request.gpu);
  common::write_outputs({{request.json, [&] { return json_of(history, gpu); }}},
                        [&] { return gpu ? text_of(history, *gpu) : text_of(history); });
  if (gpu ? gpu->is_in_trouble() : history.is_in_trouble()) return number(exit_code::named);
  const bool is_known = read.is_complete && (gpu ? history.is_known(*gpu) : history.is_healthy());
  return number(is_known ? exit_code::healthy : exit_code::unknown);
}

int run_program(int argc, char** argv) {
  common::let_oversized_writes_fail();
  try {
    return std::visit([](const auto& request) { return answer(request); },
                      parse_command_line(argc, argv));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::bad_alloc&) {  // complain() may need memory, too
    std::fputs("fleet_transfers: there is not enough memory\n", stderr);
    return number(exit_code::bad_input);
  }
}
