#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <variant>

#include "src/common/command_line.hpp"
#include "src/common/format.hpp"
#include "src/common/printable.hpp"
#include "src/common/program.hpp"
#include "src/common/whole_file.hpp"
#include "src/fleet/cli/options.hpp"
#include "src/fleet/io/collect.hpp"
#include "src/fleet/io/sweep_file.hpp"
#include "src/fleet/judge/judge.hpp"
#include "src/fleet/report/reports.hpp"

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

void show_progress(std::size_t done, std::size_t files) {
  constexpr std::size_t step = 100;
  if (done % step != 0 && done != files) return;
  const auto text = fmt::format("\rread {} of {} files{}", done, files, done == files ? "\n" : "");
  std::fputs(text.c_str(), stderr);
}

bool are_same(const std::filesystem::path& first, const std::filesystem::path& second) {
  std::error_code not_there;
  return std::filesystem::equivalent(first, second, not_there);
}

int answer(const collect_request& request) {
  common::require_writable(request.out);
  auto found = files_below(request.folders);
  std::erase_if(found.files, [&](const found_file& file) {
    if (!are_same(file.path, request.out)) return false;
    if (is_own_file(file.path)) return true;  // the sweep of the last time
    throw common::usage_error(
        fmt::format("--out={} would replace a result that is collected", request.out.string()));
  });
  const auto files = found.files.size();
  const auto sweep =
      collect(std::move(found), std::chrono::hours(request.within_hours), show_progress);
  write_sweep(request.out, sweep);
  common::print(fmt::format(
      "{} of {} in {}; {}\n",
      common::counted(static_cast<double>(sweep.gpus.size()), "GPU", "GPUs"),
      common::counted(static_cast<double>(files), "file", "files"),
      common::printable(request.out.string()),
      common::counted(static_cast<double>(sweep.problems.size()), "problem", "problems")));
  return number(exit_code::healthy);
}

int answer(const judge_request& request) {
  if (!request.json.empty() && are_same(request.sweep, request.json))
    throw common::usage_error(
        fmt::format("--json={} would replace the sweep", request.json.string()));
  if (!request.json.empty()) common::require_writable(request.json);
  const auto sweep = read_sweep(request.sweep);
  const auto judged = judge(sweep, settings::usual(request.decide_by));
  common::print(text_of(sweep, judged));
  if (!request.json.empty()) common::write_whole(request.json, json_of(sweep, judged));
  switch (judged.verdict) {
    case verdict::healthy: return number(exit_code::healthy);
    case verdict::named: return number(exit_code::named);
    case verdict::unknown: break;
  }
  return number(exit_code::unknown);
}

int answer(const show_request& request) {
  common::print(table_of(read_sweep(request.sweep)));
  return number(exit_code::healthy);
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
