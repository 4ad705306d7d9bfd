#include <exception>
#include <iostream>
#include <utility>

#include "bench/cli/choose_device.hpp"
#include "bench/cli/command_line.hpp"
#include "bench/cli/google_flags.hpp"
#include "bench/cli/processes.hpp"
#include "bench/cli/run.hpp"
#include "bench/cli/run_devices.hpp"
#include "bench/fleet/fleet.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/requests.hpp"
#include "bench/record/fleet_facts.hpp"
#include "bench/record/listing.hpp"
#include "bench/record/report.hpp"
#include "bench/strategy/heap.hpp"
#include "src/common/program.hpp"
#include "src/common/writing.hpp"

namespace {

using namespace bench_transfers;
using namespace bench_transfers::bench;

int print_error(const std::string& sentence, exit_code code) {
  common::complain("bench_transfers", sentence);
  return static_cast<int>(code);
}

exit_code measure(const settings& settings, const earlier_run* earlier) {
  run_request request{.devices = choose_devices(settings.device),
                      .fleet = fleet_facts(fleet::own_environment())};
  request.earlier = earlier;
  request.is_claimed = earlier || !settings.file_of_run.empty();
  return measure(settings, std::move(request));
}

void list(const settings& settings) {
  const auto devices = choose_devices(settings.device);
  const auto strategies = strategies_of(devices, settings);
  const auto chosen = chosen_strategies(strategies, settings.strategies);
  if (settings.list_strategies == listing::families) return list_families(std::cout, chosen);
  const auto named = named_devices(devices);
  if (settings.list_strategies == listing::json) return list_as_json(std::cout, chosen, named);
  list_strategies(std::cout, chosen, named);
}

exit_code run_program(int argc, char** argv) {
  common::let_oversized_writes_fail();
  const auto parsed = parse_command_line(argc, argv);
  if (parsed.instead) return std::cout << parsed.instead->text, exit_code::done;
  if (parsed.command) return parsed.command->run();
  hand_to_google_benchmark(argv[0], parsed.settings);
  disable_malloc_caching();
  if (parsed.settings.list_strategies != listing::none)
    return list(parsed.settings), exit_code::done;
  watch_for_interruption();
  if (parsed.fleet) return measure_in_fleet(parsed.settings, *parsed.fleet);
  const auto& settings = parsed.settings;
  if (settings.file_of_run.empty() && settings.processes > 1)
    return measure_in_processes(settings, {argv, static_cast<std::size_t>(argc)});
  if (parsed.resumed) return measure(settings, &parsed.resumed->earlier);
  if (!settings.process.continues()) return measure(settings, nullptr);
  const earlier_run earlier(settings.file_of_run);
  return measure(settings, &earlier);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto code = run_program(argc, argv);
    std::cout.flush();
    return std::cout || code != exit_code::done
               ? static_cast<int>(code)
               : print_error("cannot write to standard output", exit_code::something_failed);
  } catch (const common::usage_error& error) {
    return print_error(error.what(), exit_code::bad_input);
  } catch (const std::exception& error) {
    return print_error(reason_of(error), exit_code::something_failed);
  }
}
