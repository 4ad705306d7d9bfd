#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/cli/advise.hpp"
#include "bench/cli/choose_device.hpp"
#include "bench/cli/command_line.hpp"
#include "bench/cli/neighbours.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/session.hpp"
#include "bench/harness/sets.hpp"
#include "bench/harness/surroundings.hpp"
#include "bench/record/link.hpp"
#include "bench/record/observe.hpp"
#include "bench/record/report.hpp"
#include "bench/record/run_context.hpp"
#include "bench/strategy/heap.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/common/command_line.hpp"
#include "src/common/program.hpp"
#include "src/common/whole_file.hpp"
#include "src/machine/numa.hpp"

namespace {

using namespace bench_transfers;
using namespace bench_transfers::bench;

/// Documented in --help and docs/METHOD.md.
enum exit_code { all_ran = 0, something_failed = 1, bad_usage = 2, nothing_ran = 3 };

int print_error(const std::string& sentence, int code) {
  common::complain("bench_transfers", sentence);
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

int exit_code_of(const map_outcome& mapped) {
  if (mapped.signal != 0) return 128 + mapped.signal;
  if (mapped.measured == 0) return nothing_ran;
  return mapped.skipped > 0 ? something_failed : all_ran;
}

std::vector<named_device> named_devices(const devices_choice& choice) {
  std::vector<named_device> named;
  for (std::size_t i = 0; i < choice.chosen.size(); ++i)
    named.push_back({choice.ids[i], *choice.chosen[i]});
  return named;
}

/// The devices of a run, each with what belongs to it.
class run_devices {
 public:
  explicit run_devices(devices_choice choice) : choice_(std::move(choice)) {
    for (const auto& device : choice_.chosen) monitors_.push_back(open_monitor(*device));
  }

  [[nodiscard]] const devices_choice& choice() const { return choice_; }
  [[nodiscard]] const std::optional<common::message>& why_not_gpu() const {
    return choice_.why_not_gpu;
  }

  /// For a plan.
  [[nodiscard]] std::vector<named_device> named() const { return named_devices(choice_); }

  void observe_start() { start_ = observe({}); }

  /// After observe_start().
  [[nodiscard]] device_list allocate(std::uint64_t seed) {
    device_list list;
    for (std::size_t i = 0; i < choice_.chosen.size(); ++i) {
      auto& device = *choice_.chosen[i];
      memory_.push_back(std::make_unique<buffers>(device, seed));
      list.push_back(
          {device, *memory_.back(), limit_of(start_[i].link), monitors_[i].get(), choice_.ids[i]});
    }
    return list;
  }

  /// For the record; after allocate().
  [[nodiscard]] std::vector<observed_device> observed() const {
    std::vector<observed_device> observed;
    for (std::size_t i = 0; i < choice_.chosen.size(); ++i)
      observed.push_back({*choice_.chosen[i], *memory_[i], start_[i], choice_.ids[i]});
    return observed;
  }

  [[nodiscard]] const std::vector<observation>& start() const { return start_; }

  /// The devices after the run; nothing is known of those that were lost.
  [[nodiscard]] std::vector<observation> observe(const std::set<std::size_t>& lost) const {
    std::vector<observation> observed;
    for (std::size_t i = 0; i < choice_.chosen.size(); ++i)
      observed.push_back(lost.contains(i)
                             ? observation{}
                             : observe_under_load(*choice_.chosen[i], monitors_[i].get()));
    return observed;
  }

 private:
  devices_choice choice_;
  std::vector<std::unique_ptr<machine::gpu_monitor>> monitors_;
  std::vector<observation> start_;
  std::vector<std::unique_ptr<buffers>> memory_;
};

registry strategies_of(const devices_choice& devices, const settings& settings) {
  const auto nodes = machine::numa_nodes();
  return with_sets(registered_strategies(nodes), layout_of(devices, nodes), settings.concurrent);
}

int measure(const settings& settings) {
  run_devices devices(choose_devices(settings.device));
  const auto strategies = strategies_of(devices.choice(), settings);
  auto plan = make_plan(strategies, devices.named(), settings);
  if (settings.list_benchmarks) return list_benchmarks(std::cout, plan), all_ran;
  if (plan.cases.empty() && plan.skipped.empty())
    return print_error("nothing to run: no benchmark matches", nothing_ran);

  check_output(settings);
  progress shown(stderr);
  if (const auto& why = devices.why_not_gpu()) shown.say(why->text);
  devices.observe_start();
  shown.say("allocating and filling buffers …");
  const auto list = devices.allocate(settings.seed);
  reserve_buffers(plan, list);

  result_file::writer file(settings.out_format == "json" ? settings.out : "",
                           make_context(devices.observed(), devices.why_not_gpu(), settings, plan));
  const auto watched = watched_surroundings();
  auto measured = session(list, settings, file, shown, *watched).measure(plan);
  const auto end = devices.observe(measured.lost_devices);
  auto write_failure = measured.write_failure;
  try {
    finish(file, settings, plan, measured, devices.start(), end);
  } catch (const common::write_error&) {
    write_failure = std::current_exception();
  }
  shown.clear();
  report(std::cout, file, settings, measured);
  if (write_failure) std::rethrow_exception(write_failure);
  return exit_code_of(measured);
}

void list(const settings& settings) {
  const auto devices = choose_devices(settings.device);
  const auto strategies = strategies_of(devices, settings);
  list_strategies(std::cout, chosen_strategies(strategies, settings.strategies),
                  named_devices(devices));
}

int run_program(int argc, char** argv) {
  common::let_oversized_writes_fail();
  const auto parsed = parse_command_line(argc, argv);
  if (parsed.instead) return std::cout << parsed.instead->text, all_ran;
  if (parsed.advice) return advise(std::cout, *parsed.advice), all_ran;
  if (parsed.map) {
    watch_for_interruption();
    return exit_code_of(map_host(std::cout, *parsed.map));
  }
  hand_to_google_benchmark(argv[0], parsed.settings);
  disable_malloc_caching();
  if (parsed.settings.list_strategies) return list(parsed.settings), all_ran;
  watch_for_interruption();
  return measure(parsed.settings);
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
