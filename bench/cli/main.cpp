#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include "bench/cli/advise.hpp"
#include "bench/cli/choose_device.hpp"
#include "bench/cli/command_line.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/session.hpp"
#include "bench/harness/surroundings.hpp"
#include "bench/record/link.hpp"
#include "bench/record/observe.hpp"
#include "bench/record/report.hpp"
#include "bench/record/run_context.hpp"
#include "bench/strategy/heap.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/common/command_line.hpp"
#include "src/common/printable.hpp"
#include "src/common/whole_file.hpp"
#include "src/common/wrapped.hpp"
#include "src/machine/numa.hpp"

namespace {

using namespace bench_transfers;
using namespace bench_transfers::bench;

/// Documented in --help and docs/METHOD.md.
enum exit_code { all_ran = 0, something_failed = 1, bad_usage = 2, nothing_ran = 3 };

int print_error(const std::string& sentence, int code) {
  const auto text = common::wrapped_if_long("bench_transfers: " + common::printable(sentence));
  std::fputs(text.c_str(), stderr);  // fmt::print throws on failure
  return code;
}

/// Called before the measurement: an output path that cannot be written is a usage error.
void check_output(const settings& settings) {
  if (settings.out.empty()) return;
  try {
    common::require_writable(settings.out);
  } catch (const common::write_error& error) {
    throw common::usage_error(error.what());
  }
}

int exit_code_of(const outcome& measured) {
  if (measured.signal != 0) return 128 + measured.signal;
  if (!measured.failures.empty()) return something_failed;
  return measured.runs.empty() ? nothing_ran : all_ran;
}

int measure(const settings& settings, const registry& strategies) {
  const auto [device, why_not_gpu] = choose_device(settings.device);
  const auto current = device->make_current();  // for subjects that are CUDA code
  auto plan = make_plan(strategies, *device, settings);
  if (settings.list_benchmarks) return list_benchmarks(std::cout, plan), all_ran;
  if (plan.cases.empty() && plan.skipped.empty())
    return print_error("nothing to run: no benchmark matches", nothing_ran);

  check_output(settings);
  progress shown(stderr);
  if (why_not_gpu) shown.say(why_not_gpu->text);
  const auto monitor = open_monitor(*device);
  // A run has a list of devices; there are no strategies for several devices yet.
  const std::vector start{observe_under_load(*device, monitor.get())};
  shown.say("allocating and filling buffers …");
  buffers memory(*device, settings.seed);
  reserve_buffers(plan, *device, memory);

  const std::vector<observed_device> observed{{*device, memory, start.front()}};
  result_file::writer file(settings.out_format == "json" ? settings.out : "",
                           make_context(observed, why_not_gpu, settings, plan));
  const device_list devices{{*device, memory, limit_of(start.front().link), monitor.get()}};
  const auto watched = watched_surroundings();
  auto measured = session(devices, settings, file, shown, *watched).measure(plan);
  // A lost device cannot be queried again.
  const std::vector end{measured.device_lost ? observation{}
                                             : observe_under_load(*device, monitor.get())};
  auto write_failure = measured.write_failure;
  try {
    finish(file, settings, plan, measured, start, end);
  } catch (const common::write_error&) {
    write_failure = std::current_exception();
  }
  shown.clear();
  report(std::cout, file, settings, measured);
  if (write_failure) std::rethrow_exception(write_failure);
  return exit_code_of(measured);
}

int run_program(int argc, char** argv) {
  common::let_oversized_writes_fail();
  const auto parsed = parse_command_line(argc, argv);
  if (parsed.instead) return std::cout << parsed.instead->text, all_ran;
  if (parsed.advice) return advise(std::cout, *parsed.advice), all_ran;
  hand_to_google_benchmark(argv[0], parsed.settings);
  disable_malloc_caching();
  const auto strategies = registered_strategies(machine::numa_nodes());
  if (parsed.settings.list_strategies)
    return list_strategies(std::cout, chosen_strategies(strategies, parsed.settings.strategies),
                           *choose_device(parsed.settings.device).chosen),
           all_ran;
  watch_for_interruption();
  return measure(parsed.settings, strategies);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto code = run_program(argc, argv);
    std::cout.flush();
    return std::cout || code != all_ran
               ? code
               : print_error("cannot write to standard output", something_failed);
  } catch (const common::usage_error& error) {
    return print_error(error.what(), bad_usage);
  } catch (const nothing_to_rank& error) {
    return print_error(error.what(), nothing_ran);
  } catch (const std::bad_alloc&) {
    return print_error("there is not enough memory", something_failed);
  } catch (const std::system_error& error) {
    const bool is_limit = error.code() == std::errc::resource_unavailable_try_again;
    return print_error(
        (is_limit ? "no more threads can be started: " : "") + std::string(error.what()),
        something_failed);
  } catch (const std::exception& error) {
    return print_error(error.what(), something_failed);
  }
}
