#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/unit/gate/attempts.hpp"

namespace bench_transfers::gate::what_another_programs_run_is_test {
namespace {

using namespace attempts;

TEST(what_another_programs_run_is, is_said_by_googles_context) {
  const std::vector<attempt> attempts{
      changing("another machine", "/context/host_name", "another", "host_name"),
      changing("a machine that is not told", "/context/host_name", nullptr, "host_name"),
      changing("fewer CPUs", "/context/num_cpus", 4, "num_cpus"),
      changing("a faster clock", "/context/mhz_per_cpu", 5000, "mhz_per_cpu"),
      changing("other caches", "/context/caches/0/size", 32768, "caches"),
      changing("no caches", "/context/caches", json::array(), "caches"),
      changing("frequency scaling", "/context/cpu_scaling_enabled", true, "cpu_scaling_enabled"),
      changing("a debug build", "/context/library_build_type", "debug", "library_build_type"),
      changing("nothing told", "/context", {{"date", "2026-12-01T00:00:00Z"}}, "num_cpus"),
      {"a month older",
       in_files([](json& file) { file["context"]["date"] = text_of(first_day - 720h); }),
       "run.started_utc"},
  };
  expect_difference(pinned(two_sessions(of_another_program)), of_another_program, attempts);
}

TEST(what_another_programs_run_is, is_not_said_by_what_may_differ) {
  const std::vector<attempt> attempts{
      {"nothing", [](files&) {}},
      changing("load", "/context/load_avg", {9, 9, 9}),
      changing("another build", "/context/executable", "./new/my_bench"),
      changing("the clock as measured", "/context/mhz_per_cpu", 2093),
      changing("no date", "/context/date", nullptr),
      {"rates by the CPU's time", in_rows([](json& row) {
         row["real_time"] = row["real_time"].get<double>();
         row["bytes_per_second"] = 1e6 / (row["cpu_time"].get<double>() / 1e9);
       })},
  };
  expect_pass(pinned(two_sessions(of_another_program)), of_another_program, attempts);
}

TEST(what_another_programs_run_is, may_be_any_of_a_baseline_of_several) {
  auto before = two_sessions(of_another_program);
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i]["context"]["host_name"] = i < 5 ? "one" : "two";
  const std::vector<attempt> known{changing("one", "/context/host_name", "one"),
                                   changing("two", "/context/host_name", "two")};
  expect_pass(pinned(before), of_another_program, known);
  const std::vector<attempt> others{changing("three", "/context/host_name", "three", "host_name")};
  expect_difference(pinned(before), of_another_program, others);
}

TEST(what_another_programs_run_is, is_one_process) {
  const auto later = first_day + 10 * 24h;
  const std::string copied = "the same measurements";
  const std::vector<attempt> attempts{
      {"a copy with another date",
       [=](files& all) {
         all[1] = all[0];
         all[1]["context"]["date"] = text_of(later);
       },
       copied},
      {"a run of the baseline with another date",
       [=](files& all) { all[1] = of_another_program(3, later); }, copied}};
  expect_refusal(pinned(two_sessions(of_another_program)), of_another_program, attempts);
}

TEST(what_another_programs_run_is, does_the_same_work) {
  const auto times = [](const char* rate, double factor) {
    return in_rows([=](json& row) { row[rate] = factor * row[rate].get<double>(); });
  };
  const auto without_key = [](const char* key) {
    return in_rows([=](json& row) { row.erase(key); });
  };
  const std::vector<attempt> attempts{
      {"half of the bytes", times("bytes_per_second", 0.5), "bytes_per_second"},
      {"twice the bytes", times("bytes_per_second", 2), "bytes_per_second"},
      {"95 % of the bytes", times("bytes_per_second", 0.95), "bytes_per_second"},
      {"half of the items", times("items_per_second", 0.5), "items_per_second"},
      {"bytes not told", without_key("bytes_per_second"), "bytes_per_second"},
      {"items not told", without_key("items_per_second"), "items_per_second"},
      {"another label", in_rows([](json& row) { row["label"] = "batch 8"; }), "label"},
      {"no label", without_key("label"), "label"},
      {"half of the items in one repetition", in_rows([](json& row) {
         if (row["repetition_index"] == 1)
           row["items_per_second"] = row["items_per_second"].get<double>() / 2;
       }),
       "items_per_second"},
      {"another label in one repetition", in_rows([](json& row) {
         if (row["repetition_index"] == 1) row["label"] = "batch 8";
       }),
       "label"},
  };
  const auto before = pinned(two_sessions(of_another_program));
  for (const auto& [name, change, expected] : attempts) {
    auto after = three_new(of_another_program);
    change(after);
    const auto answer = answer_to(before, after);
    EXPECT_EQ(answer.code, exit_code::inconclusive) << name;
    for (const auto& benchmark : answer.findings) {
      EXPECT_EQ(benchmark.result, verdict::missing) << name;
      EXPECT_EQ(std::get<remarks::other_work>(*benchmark.note).key, expected) << name;
    }
  }
  // What the baseline's own runs do not agree in is not compared.
  auto mixed = two_sessions(of_another_program);
  for (auto& row : mixed[4]["benchmarks"]) row["label"] = "another";
  auto after = three_new(of_another_program);
  change_all(after, "/benchmarks/0/label", "a third");
  EXPECT_EQ(answer_to(pinned(mixed), after).code, exit_code::pass);
}

}  // namespace
}  // namespace bench_transfers::gate::what_another_programs_run_is_test
