#include "bench/cli/command_line.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "bench/cli/arguments.hpp"
#include "bench/cli/google_flags.hpp"
#include "bench/cli/options.hpp"
#include "src/common/program.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::bench::command_line_test {
namespace {

/// Command lines, parsed without the settings in the tests' environment.
class command_line : public testing::Test {
 protected:
  command_line() { clear_environment(); }
  ~command_line() override { clear_environment(); }

  static void clear_environment() {
    for (const char* name :
         {"BENCHMARK_OUT", "BENCHMARK_OUT_FORMAT", "BENCHMARK_FILTER", "BENCHMARK_FORMAT",
          "BENCHMARK_REPETITIONS", "BENCHMARK_MIN_TIME", "BENCHMARK_MIN_WARMUP_TIME"})
      unsetenv(name);
    setenv("TRANSFERS_SITE_FILE", "", 1);
  }

  static parsed_command_line parse(const std::vector<std::string>& arguments) {
    std::vector<const char*> pointers{"bench_transfers"};
    for (const auto& argument : arguments) pointers.push_back(argument.c_str());
    return parse_command_line(static_cast<int>(pointers.size()), pointers.data());
  }

  static settings chosen(const std::vector<std::string>& arguments) {
    const auto parsed = parse(arguments);
    EXPECT_FALSE(parsed.instead);
    return parsed.settings;
  }

  /// The message of the usage_error; empty if there is none.
  static std::string complaint(const std::vector<std::string>& arguments) {
    return common::complaint_of<common::usage_error>([&] { return parse(arguments); });
  }
};

struct profile_values {
  const char* name;
  int rounds;
  std::chrono::nanoseconds min_time;
  std::size_t sizes, smallest, largest;
  std::vector<std::size_t> cold;
};

void PrintTo(const profile_values& profile, std::ostream* out) { *out << profile.name; }

class profile_defaults : public command_line, public testing::WithParamInterface<profile_values> {};

TEST_P(profile_defaults, are_these) {
  const auto& expected = GetParam();
  const auto got = chosen({"--profile", expected.name});
  EXPECT_EQ(got.profile_name, expected.name);
  EXPECT_EQ(got.rounds, expected.rounds);
  EXPECT_EQ(got.min_time, expected.min_time);
  EXPECT_EQ(got.sizes.size(), expected.sizes);
  EXPECT_EQ(got.sizes.front(), expected.smallest);
  EXPECT_EQ(got.sizes.back(), expected.largest);
  EXPECT_EQ(got.cold_sizes, expected.cold);
  for (const auto size : got.cold_sizes) EXPECT_THAT(got.sizes, Contains(size));
}

INSTANTIATE_TEST_SUITE_P(
    all, profile_defaults,
    testing::Values(profile_values{"quick", 9, 3ms, 6, 4, 128 * mib, {mib}},
                    profile_values{"standard", 9, 6ms, 15, 4, gib, {64 * kib, mib, 16 * mib}},
                    profile_values{"full",
                                   21,
                                   20ms,
                                   29,
                                   4,
                                   gib,
                                   {4 * kib, 16 * kib, 64 * kib, 256 * kib, mib, 4 * mib, 16 * mib,
                                    64 * mib}}),
    [](const auto& instance) { return instance.param.name; });

TEST(recorded_command_line, has_names_of_files_without_their_folders) {
  using words = std::vector<std::string>;
  EXPECT_EQ(without_folders({"/a/b/bench_transfers", "--out=/home/me/r.json", "--seed=1"}),
            (words{"bench_transfers", "--out=r.json", "--seed=1"}));
  EXPECT_EQ(without_folders({"./x", "--benchmark_out", "/home/me/r.json", "--out", "r"}),
            (words{"x", "--benchmark_out", "r.json", "--out", "r"}));
  EXPECT_EQ(without_folders({"x", "--strategies=copy/pinned", "--output=/a/b", "--out="}),
            (words{"x", "--strategies=copy/pinned", "--output=/a/b", "--out="}));
  EXPECT_EQ(without_folders({}), words{});
}

class options_read : public command_line {
 protected:
  std::optional<answer> read(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "bench_transfers");
    return read_options(table, arguments);
  }
  option_table table{{}};
};

TEST_F(options_read, are_in_the_table_and_not_taken_yet) {
  EXPECT_FALSE(read({"--sizes=1MiB", "--resume=run.json"}));
  EXPECT_EQ(table.sizes, "1MiB");
  EXPECT_EQ(table.settings.resume, "run.json");
  EXPECT_THAT(table.settings.sizes, IsEmpty());
}

TEST_F(options_read, are_none_where_a_text_is_asked_for) {
  const auto version = read({"--version"});
  ASSERT_TRUE(version);
  EXPECT_THAT(version->text, StartsWith("bench_transfers "));
  EXPECT_THAT(read({"--help"}).value().text, HasSubstr("--sizes"));
}

TEST_F(options_read, need_their_values) {
  EXPECT_EQ(common::complaint_of<common::usage_error>([&] { read({"--sizes="}); }),
            "--sizes needs a value");
  EXPECT_THAT(common::complaint_of<common::usage_error>([&] { read({"--processes=many"}); }),
              HasSubstr("--processes"));
}

TEST_F(options_read, are_those_of_variables_if_the_table_reads_them) {
  setenv("BENCHMARK_OUT", "of_variable.json", 1);
  option_table both{{}};
  option_table of_line{{.reads_environment = false}};
  for (auto* const one : {&both, &of_line})
    read_options(*one, std::vector<const char*>{"bench_transfers"});
  EXPECT_EQ(both.settings.out, "of_variable.json");
  EXPECT_EQ(of_line.settings.out, "");
}

/// CLI11 would end the options by it.
TEST_F(options_read, of_a_command_have_two_dashes_for_the_option_that_they_stand_for) {
  EXPECT_FALSE(read({"compare", "a.json", "--", "b.json"}));
  const auto* const compare = table.app.get_subcommand("compare");
  EXPECT_GT(compare->get_option("--with")->count(), 0U);
}

TEST_F(command_line, takes_a_limit_on_time) {
  EXPECT_EQ(chosen({"--max-time=10min"}).max_time, 10min);
  EXPECT_EQ(chosen({}).max_time, std::nullopt);
}

TEST_F(command_line, of_a_resumed_run_keeps_only_the_name_of_its_file) {
  EXPECT_THAT(without_folders({"/bin/bench_transfers", "--resume", "/a/b.json", "--resume=/c/d"}),
              ElementsAre("bench_transfers", "--resume", "b.json", "--resume=d"));
}

TEST_F(command_line, doctor_has_options_of_its_own) {
  EXPECT_TRUE(parse({"doctor", "--measure"}).command);
  EXPECT_THROW(parse({"doctor", "--sizes=4KiB"}), common::usage_error);
  EXPECT_FALSE(parse({}).command);
}

TEST_F(command_line, without_arguments_everything_is_measured_by_the_standard_profile) {
  const auto got = chosen({});
  EXPECT_EQ(got.profile_name, "standard");
  EXPECT_EQ(got.sizes, chosen({"--profile=standard"}).sizes);
  EXPECT_EQ(got.device, "auto");
  EXPECT_EQ(got.states, result_file::cache_states());
  EXPECT_TRUE(got.shuffle);
  EXPECT_THAT(got.strategies, IsEmpty());
  EXPECT_EQ(got.filter, "");
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(got.out_format, "json");
  EXPECT_EQ(got.display_format, "");
  EXPECT_EQ(got.list_strategies, listing::none);
  EXPECT_FALSE(got.list_benchmarks);
  EXPECT_FALSE(got.out_aggregates_only || got.display_aggregates_only);
  EXPECT_THAT(got.faults, IsEmpty());
  EXPECT_THAT(got.for_google_benchmark, IsEmpty());
}

TEST_F(command_line, lists_are_short_unless_strategies_are_chosen) {
  EXPECT_EQ(chosen({"--list"}).list_strategies, listing::families);
  EXPECT_EQ(chosen({"--list", "--strategies=copy"}).list_strategies, listing::strategies);
  EXPECT_EQ(chosen({"--list=all"}).list_strategies, listing::strategies);
  EXPECT_EQ(chosen({"--list=families", "--strategies=copy"}).list_strategies, listing::families);
}

TEST_F(command_line, labels_are_pairs) {
  const auto got =
      chosen({"--label=rack=r1", "--label", "card=a=b", "--note=after the repair", "--quiet"});
  EXPECT_THAT(got.labels, ElementsAre(Pair("card", "a=b"), Pair("rack", "r1")));
  EXPECT_EQ(got.note, "after the repair");
  EXPECT_TRUE(got.quiet);
  EXPECT_FALSE(got.brief);
  EXPECT_TRUE(chosen({"--brief"}).brief);
  for (const auto* const wrong : {"--label=rack", "--label==r1"}) EXPECT_NE(complaint({wrong}), "");
  EXPECT_EQ(chosen({"--label=a=\x1b[31m"}).labels.at("a"), "\\x1b[31m");
}

TEST_F(command_line, standard_output_takes_the_result_file) {
  const auto got = chosen({"--out=/dev/stdout", "--benchmark_out_format=csv"});
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(got.display_format, "csv");
  EXPECT_TRUE(got.chose_out);
  EXPECT_FALSE(chosen({}).chose_out);
}

TEST_F(command_line, our_options) {
  const auto got = chosen({"--device=host", "--profile=full", "--sizes=4KiB,1KiB", "--cold-sizes",
                           "2KiB", "--strategies=copy,zero_copy/registered", "--seed=42",
                           "--out=x.json", "--inject=slow:1.5@copy", "--inject", "fail@^null"});
  EXPECT_EQ(got.device, "host");
  EXPECT_THAT(got.sizes, ElementsAre(kib, 4 * kib));
  EXPECT_THAT(got.cold_sizes, ElementsAre(2 * kib));
  EXPECT_THAT(got.strategies, ElementsAre("copy", "zero_copy/registered"));
  EXPECT_EQ(got.seed, 42U);
  EXPECT_EQ(chosen({"--list", "--strategies=copy"}).list_strategies, listing::strategies);
  EXPECT_EQ(got.out, "x.json");
  ASSERT_EQ(got.faults.size(), 2U);
  EXPECT_EQ(got.faults[0].factor, 1.5);
  EXPECT_EQ(got.faults[1].effect, fault::kind::fail);
  EXPECT_EQ(got.rounds, 21);  // still the profile's
}

TEST_F(command_line, flags_of_google_benchmark_that_the_program_implements) {
  const auto got =
      chosen({"--benchmark_filter=-copy", "--benchmark_repetitions=3", "--benchmark_min_time=0.25s",
              "--benchmark_enable_random_interleaving=false", "--benchmark_out=x.csv",
              "--benchmark_out_format=csv", "--benchmark_format=console",
              "--benchmark_report_aggregates_only=true", "--benchmark_display_aggregates_only"});
  EXPECT_EQ(got.filter, "-copy");
  EXPECT_EQ(got.rounds, 3);
  EXPECT_EQ(got.min_time, 250ms);
  EXPECT_TRUE(chosen({"--benchmark_list_tests"}).list_benchmarks);
  EXPECT_FALSE(got.shuffle);
  EXPECT_EQ(got.out, "x.csv");
  EXPECT_EQ(got.out_format, "csv");
  EXPECT_EQ(got.display_format, "console");
  EXPECT_TRUE(got.out_aggregates_only);
  EXPECT_TRUE(got.display_aggregates_only);
  EXPECT_THAT(got.for_google_benchmark, IsEmpty());
}

TEST_F(command_line, minimal_time_in_the_forms_of_all_releases) {
  EXPECT_EQ(chosen({"--benchmark_min_time=0.5"}).min_time, 500ms);
  EXPECT_EQ(chosen({"--benchmark_min_time", "0.5s"}).min_time, 500ms);
  EXPECT_EQ(chosen({"--benchmark_min_time=1e-3"}).min_time, 1ms);
}

TEST_F(command_line, a_filter_may_look_like_an_option_or_a_list) {
  EXPECT_EQ(chosen({"--benchmark_filter", "-copy"}).filter, "-copy");
  EXPECT_EQ(chosen({"--benchmark_filter=[cz],4B"}).filter, "[cz],4B");
  EXPECT_EQ(chosen({"--benchmark_filter=[cz]"}).filter, "[cz]");
}

TEST_F(command_line, other_flags_of_google_benchmark_are_passed_on) {
  EXPECT_THAT(chosen({"--benchmark_color=false", "--sizes=4", "--v=2", "--benchmark_time_unit=us"})
                  .for_google_benchmark,
              ElementsAre("--benchmark_color=false", "--benchmark_time_unit=us", "--v=2"));
}

TEST_F(command_line, cache_states) {
  using enum result_file::cache_state;
  const auto states = [&](const char* cache) { return chosen({"--cache", cache}).states; };
  for (const auto state : result_file::cache_states())
    EXPECT_THAT(states(result_file::to_string(state).c_str()), ElementsAre(state));
  EXPECT_THAT(states("both"), ElementsAre(warm, cold));
  EXPECT_THAT(states("streamed,cold,both"), ElementsAre(warm, cold, streamed));
  EXPECT_THAT(states("written"), AllOf(SizeIs(6), Not(Contains(warm)), Not(Contains(cold))));
  EXPECT_EQ(states("all"), result_file::cache_states());
  for (const auto* const wrong : {"", "hot", "warm,", "warm,hot", "WARM"})
    EXPECT_THROW(chosen({std::string("--cache=") + wrong}), common::usage_error) << wrong;
}

TEST_F(command_line, cold_sizes_follow_the_sizes) {
  EXPECT_THAT(chosen({"--sizes=4B,64KiB,3MiB"}).cold_sizes, ElementsAre(64 * kib));
  EXPECT_THAT(chosen({"--sizes=4B"}).cold_sizes, IsEmpty());
  EXPECT_THAT(chosen({"--sizes=4B,3MiB", "--cache=cold"}).cold_sizes, ElementsAre(4, 3 * mib));
  EXPECT_THAT(chosen({"--cold-sizes=8B", "--cache=cold"}).cold_sizes, ElementsAre(8));
  EXPECT_THAT(chosen({"--cache=cold"}).cold_sizes, ElementsAre(64 * kib, mib, 16 * mib));
}

TEST_F(command_line, a_random_seed_is_recorded) {
  EXPECT_NE(chosen({}).seed, chosen({}).seed);
  EXPECT_EQ(chosen({"--seed", "0"}).seed, 0U);
  EXPECT_EQ(chosen({"--seed=18446744073709551615"}).seed, UINT64_MAX);
}

TEST_F(command_line, the_command_line_is_recorded) {
  EXPECT_THAT(chosen({"--sizes=4", "--seed", "1"}).command_line,
              ElementsAre("bench_transfers", "--sizes=4", "--seed", "1"));
}

TEST_F(command_line, options_that_choose_what_is_measured_are_recorded) {
  for (const auto* shown : {"--brief", "--quiet"})
    EXPECT_THAT(chosen({"--out=a.json", shown, "--note=n", "--seed=1"}).options, IsEmpty());
  setenv("BENCHMARK_FILTER", "h2d", 1);
  EXPECT_THAT(
      chosen({"--sizes", "4", "--strategies=copy,null", "--sizes=8", "--benchmark_min_time=0.1"})
          .options,
      ElementsAre("--sizes=8", "--strategies=copy", "--strategies=null", "--benchmark_filter=h2d",
                  "--benchmark_min_time=0.1"));
}

TEST_F(command_line, environment_variables_come_after_options) {
  setenv("BENCHMARK_OUT", "from_environment.json", 1);
  setenv("BENCHMARK_FILTER", "zero", 1);
  EXPECT_EQ(chosen({}).out, "from_environment.json");
  EXPECT_EQ(chosen({}).filter, "zero");
  setenv("BENCHMARK_FORMAT", "csv", 1);
  setenv("BENCHMARK_OUT_FORMAT", "console", 1);
  setenv("BENCHMARK_REPETITIONS", "7", 1);
  setenv("BENCHMARK_MIN_TIME", "0.5s", 1);
  EXPECT_EQ(chosen({}).display_format, "csv");
  EXPECT_EQ(chosen({}).out_format, "console");
  EXPECT_EQ(chosen({}).rounds, 7);
  EXPECT_EQ(chosen({}).min_time, 500ms);
  EXPECT_EQ(chosen({"--benchmark_repetitions=8"}).rounds, 8);
  EXPECT_EQ(chosen({"--out=mine.json"}).out, "mine.json");
  EXPECT_EQ(chosen({"--benchmark_filter=copy"}).filter, "copy");
}

TEST_F(command_line, of_options_given_twice_the_last_counts_but_lists_grow) {
  const auto got = chosen({"--seed=1", "--seed=2", "--sizes=4", "--sizes=8", "--strategies=copy",
                           "--strategies=null,zero_copy", "--inject=fail@a", "--inject=fail@b"});
  EXPECT_EQ(got.seed, 2U);
  EXPECT_THAT(got.sizes, ElementsAre(8));
  EXPECT_THAT(got.strategies, ElementsAre("copy", "null", "zero_copy"));
  EXPECT_EQ(got.faults.size(), 2U);
}

TEST_F(command_line, copies_by_name_are_all_that_is_measured) {
  EXPECT_THAT(chosen({"--concurrent=host:0:h2d+host:1:h2d"}).strategies, ElementsAre("concurrent"));
  EXPECT_THAT(
      chosen({"--concurrent=host:0:h2d+host:1:h2d", "--strategies=concurrent/pinned"}).strategies,
      ElementsAre("concurrent/pinned"));
}

TEST_F(command_line, help_fits_a_terminal) {
  const auto parsed = parse({"--help"});
  ASSERT_TRUE(parsed.instead);
  std::istringstream text(parsed.instead->text);
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_EQ(parse({"-h"}).instead->text, parsed.instead->text);
}

/// Google Benchmark after it has received the program's flags.
class google_benchmark : public command_line {
 protected:
  static void hand_over(const std::vector<std::string>& arguments) {
    static std::string program = "bench_transfers";  // Google Benchmark keeps the pointer
    hand_to_google_benchmark(program.data(), chosen(arguments));
  }
};

TEST_F(google_benchmark, takes_what_it_knows) {
  EXPECT_NO_THROW(
      hand_over({"--benchmark_color=false", "--benchmark_counters_tabular=true", "--v=0"}));
}

TEST_F(google_benchmark, gets_no_filter_because_the_program_filters) {
  hand_over({"--benchmark_filter=nothing_has_this_name"});
  EXPECT_EQ(benchmark::GetBenchmarkFilter(), "");
}

TEST_F(command_line, of_fleet_has_the_options_of_a_run_and_its_own) {
  const auto parsed = parse({"fleet", "--out=folder", "--rack=r1", "--sweep=s", "--wait=5",
                             "--mpi=none", "--ranks-per-node=8", "--device=host"});
  ASSERT_TRUE(parsed.fleet);
  EXPECT_EQ(parsed.fleet->out, "folder");
  EXPECT_EQ(parsed.fleet->rack, "r1");
  EXPECT_EQ(parsed.fleet->sweep, "s");
  EXPECT_EQ(parsed.fleet->mpi, "none");
  EXPECT_EQ(parsed.fleet->wait_s, 5);
  EXPECT_EQ(parsed.fleet->ranks_per_node, 8U);
  EXPECT_EQ(parsed.settings.profile_name, "sweep");
  EXPECT_EQ(parsed.settings.chosen_for, "sweep");
  EXPECT_EQ(parsed.settings.out, "") << "not known yet";
  EXPECT_FALSE(parse({"--out=file"}).fleet);
}

TEST_F(command_line, of_the_usual_sweep_has_a_limit_for_turns) {
  EXPECT_TRUE(parse({"fleet", "--out=f"}).settings.time_of_turns);
  for (const auto* const other : {"--benchmark_repetitions=5", "--benchmark_min_time=0.1",
                                  "--sizes=4KiB", "--strategies=copy", "--profile=quick"})
    EXPECT_FALSE(parse({"fleet", "--out=f", other}).settings.time_of_turns) << other;
}

}  // namespace
}  // namespace bench_transfers::bench::command_line_test
