#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>

#include "src/common/command_line.hpp"
#include "src/common/printable.hpp"
#include "src/common/whole_file.hpp"
#include "src/common/wrapped.hpp"
#include "src/gate/cli/files.hpp"
#include "src/gate/cli/options.hpp"
#include "src/gate/cli/programs.hpp"
#include "src/gate/cli/shell.hpp"
#include "src/gate/io/query.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/io/write_baseline.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/judge/confirm.hpp"
#include "src/gate/judge/power.hpp"
#include "src/gate/model/pin.hpp"
#include "src/gate/report/reports.hpp"
#include "src/gate/report/show.hpp"
#include "src/gate/report/wording.hpp"

namespace {

using namespace bench_transfers;
using namespace bench_transfers::gate;

int complain(const std::string& sentence) {
  const auto text = common::wrapped_if_long("gate_transfers: " + common::printable(sentence));
  std::fputs(text.c_str(), stderr);  // fmt::print would throw when it fails
  return static_cast<int>(exit_code::bad_input);
}

/// What nobody has read is no answer.
void print(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout) throw common::usage_error("cannot write to standard output");
}

int number(exit_code code) { return static_cast<int>(code); }

int answer(const help_request& asked) {
  print(asked.text);
  return number(exit_code::pass);
}

int answer(const pin_request& asked) {
  require_outputs({asked.out}, asked.runs);
  const auto runs = read_runs(asked.runs, asked.judged_by.judged_by);
  require_known_keys(asked.allow_different, {}, runs);
  const auto [baseline, warnings] =
      pin(runs, judged_by(asked.judged_by, runs), asked.allow_different);
  common::write_whole(asked.out, to_text(baseline));
  print(text_of(baseline, warnings, asked.out));
  return number(exit_code::pass);
}

void show_progress(std::size_t done, std::size_t runs) {
  const auto text =
      fmt::format("\r{}{}", measuring_again_text(done, runs), done == runs ? "\n" : "");
  std::fputs(text.c_str(), stderr);
}

void write_files(const report& found, const check_request& asked) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (!asked.markdown.empty()) common::write_whole(asked.markdown, markdown_of(found));
  if (!asked.junit.empty()) common::write_whole(asked.junit, junit_of(found, now));
  if (!asked.json.empty()) common::write_whole(asked.json, json_of(found));
}

int answer(const check_request& asked) {
  require_outputs({asked.markdown, asked.junit, asked.json}, inputs_of(asked));
  const auto both =
      asked.confirm.empty() ? std::nullopt : std::optional(parse_programs(asked.confirm));
  const auto before = read_baseline(asked.baseline);
  require_facts(asked.asked.allow_different, before.machine);
  if (asked.dry_run) return number(exit_code::pass);
  const auto after = read_runs(asked.runs, before.judged_by);
  require_known_keys(asked.asked.allow_different, before.machine, after);
  auto found = check(before, after, asked.asked);
  if (both) confirm(found, *both, measure_with_shell(before.judged_by), show_progress);
  print(text_of(found, asked.all));
  write_files(found, asked);
  return number(found.code);
}

int answer(const power_request& asked) {
  const auto before = read_baseline(asked.baseline);
  print(
      text_of(before, power(before, asked.new_runs, asked.allowed), asked.new_runs, asked.allowed));
  return number(exit_code::pass);
}

int answer(const show_request& asked) {
  const auto runs = read_runs(asked.runs, asked.judged_by.judged_by);
  print(side_by_side(runs, judged_by(asked.judged_by, runs)));
  return number(exit_code::pass);
}

int answer(const query_request& asked) {
  const auto value = value_at(asked.file, asked.pointer);
  if (!value) return not_there;
  print(*value + "\n");
  return number(exit_code::pass);
}

int run_program(int argc, char** argv) {
  common::let_oversized_writes_fail();
  try {
    return std::visit([](const auto& asked) { return answer(asked); },
                      parse_command_line(argc, argv));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const interrupted& by) {
    complain("interrupted");
    return 128 + by.number();
  } catch (const std::exception& wrong) {
    return complain(wrong.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::bad_alloc&) {  // also by a complaint
    std::fputs("gate_transfers: there is not enough memory\n", stderr);
    return static_cast<int>(exit_code::bad_input);
  }
}
