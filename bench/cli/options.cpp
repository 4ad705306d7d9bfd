#include "bench/cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/cli/help_text.hpp"
#include "bench/cli/option_values.hpp"
#include "bench/cli/processes.hpp"
#include "src/command/options.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

std::string name_of(const CLI::Option& option) { return "--" + option.get_lnames().back(); }

}  // namespace

option_table::option_table(const kind& which)
    : is_fleet(which.of_fleet),
      app(is_fleet ? fleet_description()
                   : "Measures host-device memory transfers, strategy by strategy.",
          is_fleet ? "bench_transfers fleet" : "bench_transfers") {
  app.allow_extras();
  app.option_defaults()->take_last();  // as in Google Benchmark
  app.get_formatter()->column_width(32);
  app.footer(footer_of_help(is_fleet));
  app.set_version_flag("--version", version_text);
  add_completion(app);
  if (is_fleet) settings.profile_name = "sweep";
  add_what_is_measured();
  add_how_it_is_measured();
  add_outputs();
  if (is_fleet)
    add_fleet_options(*this);
  else
    commands = commands::add_to(app);
  add_hidden_options();
  if (!which.reads_environment)
    for (auto* const option : app.get_options()) option->envname("");
}

void option_table::add_what_is_measured() {
  add("--device", settings.device, "auto, all, cuda:N, host, host:N, host:N@LINK=10GB/s, or a list",
      "DEVICE", {.of_sites = true});
  add("--profile", settings.profile_name,
      is_fleet ? "sweep (the default), quick, standard, full, wc or company"
               : "quick, standard (the default), full, sweep, wc or company",
      "NAME", {.without_effect = {mode::list}, .of_sites = true});
  add("--sizes", sizes, "4KiB:1GiB:x4 or a list such as 4KiB,1MiB", "SIZES",
      {.without_effect = {mode::list, mode::only_cold}, .of_sites = true});
  add("--cold-sizes", cold_sizes, "sizes also measured with cold caches, or written", "SIZES",
      {.without_effect = {mode::list, mode::without_cold}, .of_sites = true});
  add("--cache", cache, "warm, cold, both, written, all (the default), or a list of states",
      "STATE", {.without_effect = {mode::list}, .of_sites = true, .take = [this] {
                  settings.states = parse_cache_states(cache);
                }});
  add("--strategies", settings.strategies,
      "names, families or patterns: copy/pinned/h2d,zero_copy,'*/pinned'", "LIST")
      .delimiter(',');
  add("--concurrent", settings.concurrent,
      "only these copies at once: cuda:0:h2d[:MEMORY]+cuda:1:d2h[:MEMORY]", "COPIES");
}

void option_table::add_how_it_is_measured() {
  add("--seed", seed_, "seed of test data and order (default: random; recorded)", "N",
      {.without_effect = any_list, .of_resumed_runs = true, .take = [this] {
         settings.seed = parse_seed(seed_);
       }});
  if (is_fleet) return;
  add("--max-time", max_time_, "begin nothing more after this time, such as 90s or 10min", "TIME",
      {.without_effect = any_list, .of_sites = true, .of_resumed_runs = true, .take = [this] {
         settings.max_time = common::parse_duration("--max-time", max_time_);
       }});
  add("--processes", processes, "measure by N processes, one after another (default: 3)", "N",
      {.without_effect = any_list,
       .take = [this] { require_within("--processes", processes, most_processes); }});
  add("--resume", settings.resume, "measure what this result file lacks, with its options", "FILE",
      {.of_resumed_runs = true});
}

void option_table::add_outputs() {
  add("--list", listed_, "list the families; --list=all: what each strategy needs; --list=json", "",
      {.take = [this] { settings.list_strategies = parse_listing(listed_, settings.strategies); }})
      .expected(0, 1);
  add("--benchmark_out,--out", settings.out,
      is_fleet ? "write DIR/NODE/GPU.json (required)"
               : "result file (default: bench_transfers-TIME.json here); - prints it",
      is_fleet ? "DIR" : "FILE",
      {.variable = "BENCHMARK_OUT",
       .without_effect = {mode::list_without_files, mode::benchmarks_without_files},
       .of_resumed_runs = true,
       .take = [this] { require_json_of_result_file(settings); }});
  const auto of_facts = {mode::list, mode::list_benchmarks, mode::without_facts};
  describe(*app.add_option_function<std::string>(
                   "--label", [this](const std::string& text) { add_label(settings, text); },
                   "a fact for the result file; may be repeated")
                ->trigger_on_parse()
                ->type_name("KEY=VALUE"),
           {.without_effect = of_facts});
  add("--note", settings.note, "a sentence for the result file", "TEXT",
      {.without_effect = of_facts,
       .take = [this] { settings.note = common::printable(settings.note); }});
  add("--brief", settings.brief, "print one short table", nullptr,
      {.without_effect = {mode::list, mode::list_benchmarks, mode::without_tables,
                          mode::printed_otherwise},
       .of_resumed_runs = true});
  add("--quiet", settings.quiet, "print neither progress nor tables", nullptr,
      {.without_effect = any_list, .of_resumed_runs = true});
}

void option_table::add_hidden_options() {
  add_hidden(option_of_process, process);
  add_hidden("--inject", faults_,
             {.without_effect = any_list, .of_resumed_runs = true, .take = [this] {
                for (const auto& text : faults_) settings.faults.push_back(parse_fault(text));
              }});
  // Flags of Google Benchmark.
  const auto list = {mode::list};
  add_hidden("--benchmark_filter", settings.filter,
             {.variable = "BENCHMARK_FILTER", .without_effect = list});
  add_hidden("--benchmark_list_tests", settings.list_benchmarks, {.without_effect = list});
  add_hidden("--benchmark_repetitions", repetitions,
             {.variable = "BENCHMARK_REPETITIONS",
              .without_effect = list,
              .of_sites = true,
              .take = [this] { require_within("--benchmark_repetitions", repetitions, 10000); }});
  add_hidden("--benchmark_min_time", min_time,
             {.variable = "BENCHMARK_MIN_TIME", .without_effect = list, .of_sites = true});
  add_hidden("--benchmark_enable_random_interleaving", settings.shuffle, {.without_effect = list});
  add_hidden("--benchmark_min_warmup_time", warmup_time_,
             {.variable = "BENCHMARK_MIN_WARMUP_TIME",
              .take = [this] { refuse_warmup_time(warmup_time_); }});
  add_hidden("--v", verbosity_, {.take = [this] {
               settings.for_google_benchmark.push_back(fmt::format("--v={}", verbosity_));
             }});
  add_hidden("--benchmark_out_format", settings.out_format,
             {.variable = "BENCHMARK_OUT_FORMAT", .without_effect = list, .take = [this] {
                require_format("--benchmark_out_format", settings.out_format);
              }});
  add_hidden("--benchmark_format", settings.display_format,
             {.variable = "BENCHMARK_FORMAT", .without_effect = list, .take = [this] {
                if (!settings.display_format.empty())
                  require_format("--benchmark_format", settings.display_format);
              }});
  for (const auto& [name, value] :
       {std::pair("--benchmark_report_aggregates_only", &settings.out_aggregates_only),
        {"--benchmark_display_aggregates_only", &settings.display_aggregates_only}})
    add_hidden(name, *value, {.without_effect = list});
}

CLI::Option& option_table::describe(CLI::Option& option, option_facts facts) {
  option.envname(facts.variable);
  described_.push_back({&option, std::move(facts)});
  return option;
}

void option_table::hide() {
  for (auto* const option :
       app.get_options([](const CLI::Option* added) { return added->get_group() == hidden; }))
    option->group("");
}

void option_table::refuse_without_effect(const mode_of_run& chosen) const {
  for (const auto& [option, facts] : described_)
    if (std::ranges::find(facts.without_effect, chosen.kind) != facts.without_effect.end())
      commands::refuse_without_effect(app, {name_of(*option)}, chosen.words);
}

void option_table::require_only_options_of_resumed_runs() const {
  for (const auto* const option : app.get_options()) {
    const auto known = std::ranges::find(described_, option, &described::option);
    if (option->count() > 0 && (known == described_.end() || !known->facts.of_resumed_runs))
      throw common::usage_error(fmt::format(
          "{} does not go with --resume, which takes the options of its file", name_of(*option)));
  }
}

std::vector<std::string> option_table::names_of_sites() const {
  std::vector<std::string> names;
  for (const auto& [option, facts] : described_)
    if (facts.of_sites) names.push_back(option->get_lnames().back());
  return names;
}

void option_table::take_values() const {
  for (const auto& [option, facts] : described_)
    if (option->count() > 0 && facts.take) facts.take();
}

}  // namespace bench_transfers::bench
