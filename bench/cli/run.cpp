#include "bench/cli/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "bench/cli/default_file.hpp"
#include "bench/cli/neighbours.hpp"
#include "bench/cli/run_devices.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/progress.hpp"
#include "bench/harness/reserve.hpp"
#include "bench/harness/session.hpp"
#include "bench/harness/sets.hpp"
#include "bench/harness/surroundings.hpp"
#include "bench/record/listing.hpp"
#include "bench/record/parts.hpp"
#include "bench/record/report.hpp"
#include "bench/record/run_context.hpp"
#include "src/claims/file_claim.hpp"
#include "src/common/files.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/machine/numa.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench {
namespace {

/// Called before the measurement: an output path that cannot be written is a usage error.
void check_output(const settings& settings) {
  if (settings.out.empty()) return;
  try {
    common::require_writable(settings.out);
  } catch (const common::write_error& error) {
    throw common::usage_error(error.what());
  }
}

/// `continues`: the earlier run is this one, in another process.
exit_code exit_code_of(const outcome& measured, const earlier_run* earlier, bool continues) {
  if (measured.signal != 0) return common::code_of_signal(measured.signal);
  if (!measured.failures.empty() || (earlier && earlier->has_failures()))
    return exit_code::something_failed;
  const bool was_measured_earlier = earlier && earlier->has_repetitions();
  if (!measured.runs.empty() || (continues && was_measured_earlier)) return exit_code::done;
  if (!measured.by_time.empty()) return exit_code::no_time;
  return was_measured_earlier ? exit_code::done : exit_code::nothing_ran;
}

void complain(const run_request& request, const std::string& sentence) {
  common::complain("bench_transfers", (request.name.empty() ? "" : request.name + ": ") + sentence);
}

bool is_both_ways_of_ranks(const benchmark_case& planned) {
  return planned.is_of_ranks() && planned.direction == result_file::direction::both;
}

/// Two threads of each process would wait for one another's processor: that is no rate of a link.
/// Returns the reason if there are such benchmarks.
std::vector<common::message> skip_both_ways_of_ranks(plan& plan,
                                                     const std::optional<common::message>& reason) {
  if (!reason) return {};
  const auto skipped = std::erase_if(plan.cases, [&](const benchmark_case& planned) {
    const bool is_skipped = is_both_ways_of_ranks(planned);
    if (is_skipped) plan.skipped.push_back({planned.name, *reason, planned});
    return is_skipped;
  });
  if (skipped == 0) return {};
  return {*reason};
}

registry strategies_of_rank(const std::string& id) {
  return with_ranks(registered_strategies(machine::numa_nodes()), id);
}

registry strategies_of(const run_request& request, const settings& settings) {
  return request.ranks ? strategies_of_rank(request.devices.ids.front())
                       : strategies_of(request.devices, settings);
}

/// The content of a result file without rows.
nlohmann::ordered_json context_of(const run_devices& devices, const settings& settings,
                                  const plan& plan, const run_request& request,
                                  const std::vector<common::message>& warnings) {
  auto context =
      make_context(devices.observed(), devices.why_not_gpu(), settings, plan, request.fleet);
  for (const auto& warning : warnings)
    context["transfers"]["warnings"].push_back(common::to_json(warning));
  return context;
}

/// What the result file lacks at the end. Returns why it cannot be written; null: it can.
std::exception_ptr complete(result_file::writer& file, nlohmann::ordered_json context,
                            const settings& settings, const plan& plan, const outcome& measured,
                            const run_devices& devices, const earlier_run* earlier) {
  try {
    finish(file, std::move(context), settings, plan, measured, devices.start(),
           devices.observe(measured.lost_devices), earlier);
    return measured.write_failure;
  } catch (const common::write_error&) {
    return std::current_exception();
  }
}

/// A short limit is not rounded: "500 ms", "10m 00s".
std::string limit_text(std::chrono::nanoseconds limit) {
  return limit < std::chrono::seconds(10) ? common::time_text(static_cast<double>(limit.count()))
                                          : format_duration(limit);
}

/// "142 benchmarks in 9 rounds of 3 processes, for at most 10m 00s". How long that takes is known
/// when the benchmarks are prepared.
std::string work_of(const plan& plan, const settings& settings) {
  const auto processes =
      settings.processes == 1 ? "" : fmt::format(" of {} processes", settings.processes);
  return fmt::format("{} in {}{}{}", common::counted(plan.cases.size(), "benchmark"),
                     common::counted(settings.rounds, "round"), processes,
                     settings.max_time ? ", for at most " + limit_text(*settings.max_time) : "");
}

/// Who has asked for the result on standard output gets it, even if for nothing else.
bool prints_result(const settings& settings, const run_request& request) {
  return !request.quiet && !settings.display_format.empty();
}

/// Throws usage_error if nobody would ever see the results: they have a file, or tables, or are
/// printed.
void require_somewhere(const settings& settings, const run_request& request) {
  const bool has_file = !settings.out.empty();
  const bool has_tables = !request.quiet && !settings.quiet;
  if (has_file || has_tables || prints_result(settings, request)) return;
  throw common::usage_error(
      "--quiet: the results would go nowhere, neither into a file nor to standard output; "
      "--out=FILE keeps them");
}

/// Where the rest of a result file lies, and the file to write has another name.
void write_copy(const earlier_run& earlier, const settings& settings) {
  if (!settings.display_format.empty())
    common::write_output(common::standard_output, result_file::to_text(earlier.document()));
  else if (!common::is_same_file(settings.out, earlier.file()))
    result_file::writer(settings.out, earlier.context(), earlier.document().at("benchmarks"));
}

exit_code leave_as_it_is(const earlier_run& earlier, const settings& settings) {
  write_copy(earlier, settings);
  if (!settings.quiet) progress(stderr).say(earlier.file().string() + " lacks nothing");
  return earlier.has_failures() ? exit_code::something_failed : exit_code::done;
}

std::string why_nothing_to_run(const registry& strategies, const run_devices& devices,
                               settings asked) {
  if (!asked.is_measured(result_file::cache_state::warm)) {
    asked.states = result_file::cache_states();
    if (!make_plan(strategies, devices.named(), asked).cases.empty())
      return "nothing to run: none of these benchmarks is measured in the states of --cache";
  }
  return "nothing to run: no benchmark matches";
}

void announce(progress& shown, const run_devices& devices, const plan& plan,
              const settings& settings) {
  if (const auto& why = devices.why_not_gpu()) shown.say(why->text);
  if (!plan.cases.empty()) shown.say(work_of(plan, settings));
}

/// A new result file, or one that goes on with the earlier parts of its run.
result_file::writer open_result_file(const nlohmann::ordered_json& context,
                                     const settings& settings, const run_request& request) {
  const auto path = settings.out_format == "json" ? settings.out : "";
  if (!request.earlier) return {path, context};
  return {path, with_earlier_parts(context, *request.earlier, settings.process.continues()),
          request.earlier->document().at("benchmarks")};
}

/// Whether another process of the run goes on where this one ends.
bool leaves_the_rest(const outcome& measured, const settings& settings, const time_limit& whole) {
  return !settings.process.is_last() && measured.signal == 0 && measured.lost_devices.empty() &&
         !whole.is_up();
}

/// Throws as measure().
exit_code measure_plan(run_devices& devices, const bench::settings& given, plan& plan,
                       const run_request& request, const std::vector<common::message>& warnings) {
  const time_limit whole(given.time_left ? given.time_left : given.max_time);
  const auto limit = whole.share(given.process.left());
  const claims::file_claim claim(request.is_claimed ? "" : given.out);
  const bool quiet = request.quiet || given.quiet;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere(
      quiet ? std::fopen("/dev/null", "w") : nullptr, std::fclose);
  progress shown(nowhere ? nowhere.get() : stderr);
  const bool begins = !given.process.continues();
  if (begins) announce(shown, devices, plan, given);
  devices.observe_start();
  if (begins) shown.say("allocating and filling buffers …");
  const auto list = devices.allocate(given.seed);
  reserve_buffers(plan, list, limit);

  const auto settings = with_result_file(given);
  require_somewhere(settings, request);
  const claims::file_claim claim_of_default(given.out.empty() ? settings.out : "");
  const auto context = context_of(devices, settings, plan, request, warnings);
  auto file = open_result_file(context, settings, request);
  const auto watched = watched_surroundings();
  const auto measured =
      session(list, settings, file, shown, *watched, request.ranks, limit).measure(plan);
  const auto write_failure =
      complete(file, context, settings, plan, measured, devices, request.earlier);
  shown.clear();
  if (!write_failure && leaves_the_rest(measured, settings, whole)) return next_process;
  if (!quiet || prints_result(settings, request)) report(std::cout, file, settings, measured);
  if (write_failure) std::rethrow_exception(write_failure);
  if (!quiet && says_where(settings) && settings.process.count == 1)
    shown.say("Result file: " + settings.out);
  const auto code = exit_code_of(measured, request.earlier, settings.process.continues());
  if (code == exit_code::no_time)
    complain(request, "nothing was measured: the time was up (--max-time)");
  return code;
}

}  // namespace

registry strategies_of(const devices_choice& devices, const settings& settings) {
  const auto nodes = machine::numa_nodes();
  return with_sets(registered_strategies(nodes), layout_of(devices, nodes), settings.concurrent);
}

bool copies_both_ways_with_ranks(const settings& settings) {
  auto without_faults = settings;
  without_faults.faults.clear();  // they may be of benchmarks that need a GPU
  const auto device = transfers::open_host_device();
  const auto strategies = strategies_of_rank("host");
  return std::ranges::any_of(make_plan(strategies, *device, without_faults).cases,
                             is_both_ways_of_ranks);
}

bool says_where(const settings& settings) {
  // Who sends the summary to a file has named the result file, too.
  const bool is_news = !settings.chose_out || isatty(STDOUT_FILENO) != 0;
  return !settings.out.empty() && !settings.quiet && is_news;
}

std::string reason_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return "there is not enough memory";
  const auto* const failure = dynamic_cast<const std::system_error*>(&error);
  const bool is_limit = failure && failure->code() == std::errc::resource_unavailable_try_again;
  return (is_limit ? "no more threads can be started: " : "") + std::string(error.what());
}

exit_code measure(const settings& settings, run_request request) {
  const auto strategies = strategies_of(request, settings);
  run_devices devices(std::move(request.devices));
  auto plan = make_plan(strategies, devices.named(), settings);
  if (request.earlier) {
    require_same_machine(*request.earlier, devices.named());
    request.earlier->leave_out_measured(plan, settings.due_rounds());
    check_output(settings);
    if (plan.cases.empty() && request.earlier->is_complete())
      return leave_as_it_is(*request.earlier, settings);
  }
  const auto warnings = skip_both_ways_of_ranks(plan, request.too_few_processors);
  if (settings.list_benchmarks) {
    list_benchmarks(std::cout, plan);
    return exit_code::done;
  }
  if (plan.cases.empty() && plan.skipped.empty() && !request.earlier) {
    complain(request, why_nothing_to_run(strategies, devices, settings));
    return exit_code::nothing_ran;
  }
  check_output(settings);
  return measure_plan(devices, settings, plan, request, warnings);
}

}  // namespace bench_transfers::bench
