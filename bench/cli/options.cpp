#include "bench/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "bench/cli/processes.hpp"
#include "bench/cli/profile.hpp"
#include "provenance.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

constexpr const char* hidden = "Not in --help";
constexpr std::size_t columns_of_help = 90;

/// "quick 4B,4KiB,64KiB; standard 4B:1GiB:x4"
std::string sizes_of_profiles() {
  std::vector<std::string> sizes;
  for (const auto& name : profile_names())
    sizes.push_back(fmt::format("{} {}", name, find_profile(name).sizes));
  return fmt::format("{}", fmt::join(sizes, "; "));
}

std::string examples(bool is_fleet) {
  if (is_fleet)
    return "docs/FLEET.md and docs/SITE.md explain it.\n"
           "Example:\n"
           "  srun --ntasks-per-node=8 bench_transfers fleet --out=sweep --sweep=monday";
  return "docs/OUTPUT.md explains what is printed.\n"
         "Examples:\n"
         "  bench_transfers --profile=quick --brief\n"
         "  bench_transfers --strategies=copy/pageable,copy/pinned --sizes=1MiB:1GiB:x4 "
         "--out=run.json\n"
         "  bench_transfers advise --bytes=64MiB --direction=h2d --from=run.json";
}

std::string footer(bool is_fleet) {
  const std::string devices =
      is_fleet
          ? "Devices: by default the GPU of the local rank. Of a list, such as cuda:0,2-3, each "
            "rank\n"
            "takes its own; host measures without a GPU (copies within memory).\n"
          : "Devices: auto (first GPU, otherwise host), all (every GPU), cuda:N, host (no GPU: "
            "copies\n"
            "within memory), or several: cuda:0,2-3. Names of benchmarks then end in @cuda:N.\n";
  return devices +
         common::wrapped(
             fmt::format("Sizes of the profiles: {}. quick takes the plain transfers alone, sweep "
                         "those that tell GPUs apart, the others all that are not on request.",
                         sizes_of_profiles()),
             columns_of_help) +
         "Google Benchmark's flags work too: --benchmark_filter=REGEX, --benchmark_repetitions=N,\n"
         "--benchmark_min_time=SECONDS, --benchmark_list_tests, "
         "--benchmark_format=json|csv|console, ...\n"
         "Exit codes: 0 all ran, 1 something failed, 2 usage, 3 nothing ran, 130/143 interrupted" +
         (is_fleet ? ".\n" : ",\n4 the time was up before anything was measured.\n") +
         examples(is_fleet);
}

void add_label(settings& settings, const std::string& text) {
  const auto end = text.find('=');
  const auto key = text.substr(0, end);
  const auto is_of_names = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == '.';
  };
  if (end == std::string::npos || key.empty() || !std::ranges::all_of(key, is_of_names))
    throw common::usage_error(
        fmt::format("bad --label '{}': KEY=VALUE, with letters, digits, _, - and . in KEY",
                    common::printable_in_short(text)));
  if (!settings.labels.emplace(key, common::printable(text.substr(end + 1))).second)
    throw common::usage_error(fmt::format("--label={} is there twice", key));
}

}  // namespace

option_table::option_table(bool is_fleet, bool reads_environment)
    : app(is_fleet ? fleet_description()
                   : "Measures host-device memory transfers, strategy by strategy.",
          is_fleet ? "bench_transfers fleet" : "bench_transfers") {
  app.allow_extras();
  app.option_defaults()->take_last();  // as in Google Benchmark
  app.get_formatter()->column_width(32);
  app.footer(footer(is_fleet));
  app.set_version_flag("--version", [] {
    return fmt::format("bench_transfers {} ({}, {}, CUDA {})", provenance::version,
                       *provenance::git_commit ? provenance::git_commit : "no commit known",
                       provenance::compiler,
                       *provenance::cuda_toolkit ? provenance::cuda_toolkit : "not built in");
  });
  add_completion(app);
  if (is_fleet) settings.profile_name = "sweep";
  add_run_options(is_fleet);
  if (is_fleet)
    add_fleet_options(app, fleet);
  else
    commands = commands::add_to(app);
  add_hidden();
  if (!reads_environment)
    for (auto* const option : app.get_options()) option->envname("");
}

void option_table::add_run_options(bool is_fleet) {
  app.add_option("--device", settings.device,
                 "auto, all, cuda:N, host, host:N, host:N@LINK=10GB/s, or a list")
      ->type_name("DEVICE");
  app.add_option("--profile", settings.profile_name,
                 is_fleet ? "sweep (the default), quick, standard or full"
                          : "quick, standard (the default), full or sweep")
      ->type_name("NAME");
  app.add_option("--sizes", sizes, "4KiB:1GiB:x4 or a list such as 4KiB,1MiB")->type_name("SIZES");
  app.add_option("--cold-sizes", cold_sizes, "sizes also measured with cold caches")
      ->type_name("SIZES");
  app.add_option("--cache", cache, "warm, cold or both")->type_name("STATE");
  app.add_option("--strategies", settings.strategies,
                 "names, families or patterns: copy/pinned/h2d,zero_copy,'*/pinned'")
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("LIST");
  app.add_option("--concurrent", settings.concurrent,
                 "only these copies at once: cuda:0:h2d[:MEMORY]+cuda:1:d2h[:MEMORY]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("COPIES");
  app.add_option("--seed", seed, "seed of test data and order (default: random; recorded)")
      ->type_name("N");
  if (!is_fleet) {
    app.add_option("--max-time", max_time,
                   "begin nothing more after this time, such as 90s or 10min")
        ->type_name("TIME");
    app.add_option("--processes", processes,
                   "measure by N processes, one after another (default: 3)")
        ->type_name("N");
    app.add_option("--resume", settings.resume,
                   "measure what this result file lacks, with its options")
        ->type_name("FILE");
  }
  app.add_option("--list", listed,
                 "list the families; --list=all: what each strategy needs; --list=json")
      ->expected(0, 1)
      ->type_name("");
  app.add_option("--benchmark_out,--out", settings.out,
                 is_fleet ? "write DIR/NODE/GPU.json (required)"
                          : "result file (default: bench_transfers-TIME.json here); - prints it")
      ->type_name(is_fleet ? "DIR" : "FILE")
      ->envname("BENCHMARK_OUT");

  app.add_option_function<std::string>(
         "--label", [this](const std::string& text) { add_label(settings, text); },
         "a fact for the result file; may be repeated")
      ->trigger_on_parse()
      ->type_name("KEY=VALUE");
  app.add_option("--note", settings.note, "a sentence for the result file")->type_name("TEXT");
  app.add_flag("--brief", settings.brief, "print one short table");
  app.add_flag("--quiet", settings.quiet, "print neither progress nor tables");
}

void option_table::add_hidden() {
  app.add_option(option_of_process, process)->group(hidden);
  app.add_option("--inject", faults)
      ->group(hidden)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--benchmark_filter", settings.filter)->group(hidden)->envname("BENCHMARK_FILTER");
  app.add_flag("--benchmark_list_tests", settings.list_benchmarks)->group(hidden);
  app.add_option("--benchmark_repetitions", repetitions)
      ->group(hidden)
      ->envname("BENCHMARK_REPETITIONS");
  app.add_option("--benchmark_min_time", min_time)->group(hidden)->envname("BENCHMARK_MIN_TIME");
  app.add_flag("--benchmark_enable_random_interleaving", settings.shuffle)->group(hidden);
  app.add_option("--benchmark_min_warmup_time", warmup_time)
      ->group(hidden)
      ->envname("BENCHMARK_MIN_WARMUP_TIME");
  app.add_option("--v", verbosity)->group(hidden);
  app.add_option("--benchmark_out_format", settings.out_format)
      ->group(hidden)
      ->envname("BENCHMARK_OUT_FORMAT");
  app.add_option("--benchmark_format", settings.display_format)
      ->group(hidden)
      ->envname("BENCHMARK_FORMAT");
  app.add_flag("--benchmark_report_aggregates_only", settings.out_aggregates_only)->group(hidden);
  app.add_flag("--benchmark_display_aggregates_only", settings.display_aggregates_only)
      ->group(hidden);
}

void option_table::hide() {
  for (auto* const option :
       app.get_options([](const CLI::Option* added) { return added->get_group() == hidden; }))
    option->group("");
}

}  // namespace bench_transfers::bench
