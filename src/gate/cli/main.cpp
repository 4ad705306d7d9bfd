#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>

#include "src/common/printable.hpp"
#include "src/common/whole_file.hpp"
#include "src/common/wrapped.hpp"
#include "src/gate/cli/confirm.hpp"
#include "src/gate/cli/files.hpp"
#include "src/gate/cli/options.hpp"
#include "src/gate/cli/shell.hpp"
#include "src/gate/cli/show.hpp"
#include "src/gate/report/reports.hpp"

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
  if (!std::cout) throw usage_error("cannot write to standard output");
}

exit_code answer(const help_request& asked) {
  print(asked.text);
  return exit_code::pass;
}

exit_code answer(const pin_request& asked) {
  require_outputs({asked.out}, asked.runs);
  const auto runs = read_runs(asked.runs, asked.judged_by);
  require_known_keys(asked.allow_different, {}, runs);
  const auto [made, warnings] = pin(runs, asked.judged_by, asked.allow_different);
  common::write_whole(asked.out, to_text(made));
  print(text_of(made, warnings, asked.out));
  return exit_code::pass;
}

exit_code answer(const check_request& asked) {
  require_outputs({asked.markdown, asked.junit, asked.json}, inputs_of(asked));
  const auto both =
      asked.confirm.empty() ? std::nullopt : std::optional(parse_programs(asked.confirm));
  const auto before = read_baseline(asked.baseline);
  require_facts(asked.asked.allow_different, before.machine);
  const auto after = read_runs(asked.runs, before.judged_by);
  require_known_keys(asked.asked.allow_different, before.machine, after);
  auto found = check(before, after, asked.asked);
  if (both)
    confirm(found, *both, measure_with_shell(before.judged_by),
            [](std::size_t done, std::size_t of) {
              std::fputs(fmt::format("\rmeasuring suspects again, {} of {} runs{}", done, of,
                                     done == of ? "\n" : "")
                             .c_str(),
                         stderr);
            });
  print(text_of(found, asked.all));
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (!asked.markdown.empty()) common::write_whole(asked.markdown, markdown_of(found));
  if (!asked.junit.empty()) common::write_whole(asked.junit, junit_of(found, now));
  if (!asked.json.empty()) common::write_whole(asked.json, json_of(found));
  return found.code;
}

exit_code answer(const power_request& asked) {
  const auto before = read_baseline(asked.baseline);
  print(
      text_of(before, power(before, asked.new_runs, asked.allowed), asked.new_runs, asked.allowed));
  return exit_code::pass;
}

exit_code answer(const show_request& asked) {
  print(side_by_side(read_runs(asked.runs, asked.judged_by), asked.judged_by));
  return exit_code::pass;
}

int run_program(int argc, char** argv) {
  common::let_oversized_writes_fail();
  try {
    const auto code =
        std::visit([](const auto& asked) { return answer(asked); }, parse_command_line(argc, argv));
    return static_cast<int>(code);
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
