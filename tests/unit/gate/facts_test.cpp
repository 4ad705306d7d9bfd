
#include <vector>

#include "src/gate/io/known_facts.hpp"
#include "src/gate/model/identity.hpp"
#include "src/result_file/format.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/made_up_result_files.hpp"

namespace bench_transfers::gate::facts_test {
namespace {

// The facts of a file.

TEST(gate_facts, of_bench_transfers_files_are_read) {
  const auto run = read_facts();
  EXPECT_EQ(run.file, "some.json");
  EXPECT_TRUE(run.ours);
  EXPECT_FALSE(run.on_host);
  EXPECT_EQ(run.device, "NVIDIA H200");
  EXPECT_EQ(run.card, "GPU-17e5a922");
  EXPECT_EQ(run.started,
            std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + 10h + 22min + 25s);
  EXPECT_EQ(run.boot, "6fd2ae1c");
  EXPECT_THAT(run.faults, IsEmpty());
  EXPECT_TRUE(run.complete);
  EXPECT_THAT(run.warnings, ElementsAre(run_warning{"other", "the CPU is busy"}));
  EXPECT_THAT(run.benchmarks, ElementsAre(Key("copy/pinned/h2d/4B")));
}

TEST(gate_facts, of_a_run_in_parts_its_first_one_tells_when_it_began) {
  auto facts = bench_transfers_facts();
  facts["parts"] = {part(1, "2026-11-20T10:00:00Z", {{"boot_id", "an earlier one"}}),
                    part(2, "2026-11-21T10:22:25Z", {{"boot_id", "6fd2ae1c"}})};
  const auto run = read_facts(facts);
  EXPECT_EQ(run.parts, 2);
  EXPECT_EQ(run.started, std::chrono::sys_days(std::chrono::year(2026) / 11 / 20) + 10h);
  EXPECT_EQ(run.boot, "an earlier one");
}

TEST(gate_facts, each_process_of_a_run_is_a_run) {
  auto facts = bench_transfers_facts();
  facts["run"]["processes"] = 2;
  const auto ended = [](const char* end, bool resumed) {
    return json{{"resumed", resumed}, {"finished_utc", end}};
  };
  facts["parts"] = {part(1, "2026-11-20T10:00:00Z", ended("2026-11-20T10:00:10Z", false)),
                    part(2, "2026-11-20T10:00:10Z", ended("2026-11-20T10:00:20Z", false)),
                    part(3, "2026-11-20T10:00:30Z", ended("2026-11-20T10:00:40Z", true))};
  auto file = bench_transfers_file(facts);
  const auto row = file["benchmarks"].front();
  file["benchmarks"].clear();
  for (const auto& [process, index, time] :
       {std::tuple(1, 0, 10.5), {1, 1, 11.5}, {2, 2, 20.5}, {3, 3, 30.5}}) {
    file["benchmarks"].push_back(row);
    file["benchmarks"].back().update({{"process", process},
                                      {"repetition_index", index},
                                      {"repetitions", 4},
                                      {"real_time", time}});
  }
  const auto runs = runs_in(file.dump(), "some.json", {});
  ASSERT_EQ(runs.size(), 2U);
  const auto values = [](const run& of) { return of.benchmarks.begin()->second.values; };
  EXPECT_THAT(values(runs[0]), ElementsAre(10.5, 11.5));
  EXPECT_THAT(values(runs[1]), ElementsAre(20.5, 30.5));
  EXPECT_EQ(runs[0].benchmarks.begin()->second.left_out, 0U);
  EXPECT_TRUE(runs[0].tells_of_file());
  EXPECT_FALSE(runs[1].tells_of_file());
  EXPECT_EQ(runs[0].name(), "some.json (process 1)");
  EXPECT_EQ(runs[0].periods.size(), 1U);
  EXPECT_EQ(runs[1].periods.size(), 2U);
  EXPECT_EQ(runs[1].parts, 2U);
  EXPECT_NE(runs[0].content, runs[1].content);
  EXPECT_THAT(runs[0].machine, Contains(Pair("settings.processes", "2")));
}

TEST(gate_facts, a_process_lacks_what_others_of_its_run_have) {
  auto facts = bench_transfers_facts();
  facts["run"]["processes"] = 3;
  for (int number = 1; number <= 3; ++number)
    facts["parts"].push_back({{"number", number}, {"resumed", false}, {"complete", true}});
  auto file = bench_transfers_file(facts);
  const auto row = file["benchmarks"].front();
  file["benchmarks"].clear();
  for (int index = 0; index < 9; ++index) {
    file["benchmarks"].push_back(row);
    file["benchmarks"].back().update({{"process", 1 + index / 3},
                                      {"repetition_index", index},
                                      {"repetitions", 9},
                                      {"real_time", 10.5}});
    // Those of the second and third process do not count: the first one has better ones.
    if (index >= 3) file["benchmarks"].back()["disturbed"] = {"other_load"};
  }
  const auto runs = runs_in(file.dump(), "some.json", {});
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_NE(runs[1].content, runs[2].content);  // neither has any value
  for (const auto& of : runs) {
    const auto& values = of.benchmarks.at(runs.front().benchmarks.begin()->first);
    EXPECT_EQ(has_too_few_repetitions(values), of.process.number > 1);
  }
  file["benchmarks"][8]["process"] = 4;
  EXPECT_THAT([&] { runs_in(file.dump(), "some.json", {}); },
              testing::ThrowsMessage<bad_input>(HasSubstr("its process 4 is none of the run's")));
  file["benchmarks"][8]["process"] = 3;
  file["context"]["transfers"]["parts"].erase(2);
  EXPECT_THAT(
      [&] { runs_in(file.dump(), "some.json", {}); },
      testing::ThrowsMessage<bad_input>(HasSubstr("fewer parts than its run has processes")));
}

TEST(gate_facts, tell_whether_confidential_computing_is_on) {
  const auto machine = [](const json& state) {
    auto facts = bench_transfers_facts();
    facts["device"]["confidential_computing"] = state;
    return read_facts(facts).machine;
  };
  EXPECT_THAT(machine(true), Contains(Pair("device.confidential_computing", "true")));
  EXPECT_THAT(machine(false), Contains(Pair("device.confidential_computing", "false")));
  EXPECT_THAT(machine(nullptr), Not(Contains(Key("device.confidential_computing"))));
}

TEST(gate_facts, the_fingerprint_has_its_order) {
  EXPECT_THAT(
      read_facts().machine,
      ElementsAre(
          Pair("link.generation", "5"), Pair("link.width", "16"),
          Pair("memory_type.pinned", "write-back"), Pair("memory_type.pinned_wc", "write-combined"),
          Pair("device.name", "NVIDIA H200"), Pair("device.compute_capability", "9.0"),
          Pair("device.driver_version", "580.159.04"), Pair("device.driver_cuda_version", "13.0"),
          Pair("device.runtime_cuda_version", "13.0"), Pair("cpu.model", "Some CPU"),
          Pair("cpu.numa_nodes", "1"), Pair("cpu.cpus_allowed", "16"),
          Pair("memory.total_gib", "126"), Pair("memory.transparent_hugepage_enabled", "madvise"),
          Pair("memory.transparent_hugepage_defrag", "never"),
          Pair("process.numa_policy_nodes_allowed", "0"), Pair("virtualisation.hypervisor", "KVM"),
          Pair("iommu.enabled", "false"), Pair("kernel.release", "6.1.0"),
          Pair("program.build_type", "Release"), Pair("program.cuda_toolkit", "13.0.88"),
          Pair("settings.min_time_ms", "6"), Pair("settings.rounds", "2"),
          Pair("settings.processes", "1"), Pair("settings.random_order", "true")));
}

TEST(gate_facts, all_keys_of_a_fingerprint_are_known) {
  std::vector<std::string> keys;
  auto facts = changed(bench_transfers_facts(), "/machine/cpu/governor", "powersave");
  facts = changed(facts, "/imported", {{"program", "nvbandwidth"}});
  facts["device"]["confidential_computing"] = true;
  for (const auto& [key, value] : read_facts(facts).machine)
    if (!key.starts_with("memory_type.")) keys.push_back(key);
  keys.emplace_back("devices");  // this run has one
  keys.insert(keys.end(), identity_keys.begin(), identity_keys.end());
  for (const auto& fact : facts_of_other_programs()) keys.emplace_back(fact.key);
  EXPECT_THAT(keys, UnorderedElementsAreArray(fact_keys()));
}

TEST(gate_facts, a_difference_in_the_file_is_one_in_the_fingerprint) {
  const std::vector<std::pair<const char*, json>> changes{
      {"/link/width", 8},
      {"/buffers/1/memory_type", "write-back"},
      {"/buffers/2/memory_type", "uncached"},
      {"/device/driver_version", "590.1"},
      {"/machine/cpu/governor", "powersave"},
      {"/machine/memory/total_bytes", 270297128960},
      {"/machine/iommu/enabled", true},
      {"/run/min_time_ms", 6.5},
      {"/link", nullptr},
      {"/buffers", 5},
      {"/machine", "none"},
      {"/imported", {{"program", "nvbandwidth"}}},
  };
  const auto before = read_facts().machine;
  for (const auto& [pointer, value] : changes)
    EXPECT_NE(read_facts(changed(bench_transfers_facts(), pointer, value)).machine, before)
        << pointer;
  for (const auto* pointer :
       {"/program/git_commit", "/run/started_utc", "/device/uuid", "/machine/kernel/boot_id",
        "/link/generation_max", "/clocks/gpu/sm_mhz", "/clocks/cpu"})
    EXPECT_EQ(read_facts(changed(bench_transfers_facts(), pointer, "another")).machine, before)
        << pointer;
}

TEST(gate_facts, of_the_host_device_are_marked) {
  auto facts = bench_transfers_facts();
  facts["device"] = {{"kind", "host"}, {"name", "host (no GPU)"}, {"why_not_gpu", nullptr}};
  facts["devices"] = {facts["device"]};
  facts["link"] = nullptr;
  const auto run = read_facts(facts);
  EXPECT_TRUE(run.on_host);
  EXPECT_EQ(run.device, "host (no GPU)");
  EXPECT_EQ(run.card, "");
  EXPECT_THAT(run.machine, Not(Contains(Key("link.width"))));
}

TEST(gate_facts, of_several_devices_are_of_all) {
  auto facts = bench_transfers_facts();
  auto second = facts["device"];
  second["uuid"] = "GPU-2";
  second["link"] = {{"generation", 3}, {"width", 16}};
  facts["devices"] = {facts["device"], second};
  const auto run = read_facts(facts);
  EXPECT_EQ(run.card, "GPU-17e5a922, GPU-2");
  EXPECT_THAT(run.machine, Contains(Pair("devices", HasSubstr("NVIDIA H200 (PCIe 3 x16)"))));
  facts["devices"][1].erase("uuid");
  EXPECT_EQ(read_facts(facts).card, "GPU-17e5a922");
}

TEST(gate_facts, have_the_options_of_the_run_unless_these_do_more_than_choose) {
  auto facts = bench_transfers_facts();
  EXPECT_EQ(read_facts(facts).options, std::nullopt);
  facts["run"]["options"] = json::array();
  EXPECT_THAT(read_facts(facts).options, Optional(IsEmpty()));
  facts["run"]["options"] = {"--profile=quick", "--strategies=copy\n"};
  EXPECT_THAT(read_facts(facts).options,
              Optional(ElementsAre("--profile=quick", "--strategies=copy\\n")));
  for (const auto* const option :
       {"--inject=slow:3@copy", "--out=x.json", "--profile", "x", "--profiles=quick"}) {
    facts["run"]["options"] = {"--sizes=4KiB", option};
    EXPECT_EQ(read_facts(facts).options, std::nullopt) << option;
  }
}

TEST(gate_facts, that_lessen_trust_are_read) {
  auto facts = changed(bench_transfers_facts(), "/complete", false);
  facts["run"]["faults_injected"] = {"slow:1.1@copy.*"};
  facts["warnings"] = {message("one"), message("two\nlines")};
  const auto run = read_facts(facts);
  EXPECT_FALSE(run.complete);
  EXPECT_THAT(run.faults, ElementsAre("slow:1.1@copy.*"));
  EXPECT_THAT(run.warnings,
              ElementsAre(run_warning{"other", "one"}, run_warning{"other", "two\\nlines"}));
}

TEST(gate_facts, a_file_without_optional_ones_is_read) {
  json facts{{"device", {{"kind", "cuda"}}}};
  for (const auto* key : {"format", "devices", "roles", "benchmarks", "metrics"})
    facts[key] = bench_transfers_facts().at(key);
  const auto run = read_facts(facts);
  EXPECT_TRUE(run.ours);
  EXPECT_THAT(run.machine, IsEmpty());
  EXPECT_EQ(run.started, std::nullopt);
  EXPECT_TRUE(run.complete);
}

/// With messages and metrics.
json many_facts() {
  auto facts = bench_transfers_facts();
  facts["warnings"] = {{{"code", "link_below_maximum"},
                        {"data", {{"generation", 3}, {"nested", {1, {{"a", nullptr}}}}}},
                        {"text", "the link trained\nlow"}},
                       {{"code", "other"}, {"data", json::object()}, {"text", ""}}};
  facts["skipped"] = {
      {{"name", "copy/managed/h2d/4B"},
       {"reason", {{"code", "unsupported"}, {"data", json::object()}, {"text", "it is"}}}}};
  facts["device"]["why_not_gpu"] = {{"code", "other"}, {"data", nullptr}, {"text", "none"}};
  facts["metrics"] = {
      {"wait_us", {{"unit", "us"}, {"better", "less"}, {"kind", "duration"}, {"description", ""}}},
      {"gb_per_s", {{"unit", "GB/s"}, {"better", "more"}, {"kind", "rate"}, {"description", ""}}},
      {"cores", {{"unit", "1"}, {"better", nullptr}, {"kind", "count"}, {"description", ""}}}};
  return facts;
}

TEST(gate_facts, have_messages) {
  const auto run = read_facts(many_facts());
  EXPECT_THAT(run.warnings, ElementsAre(run_warning{"link_below_maximum", "the link trained\\nlow"},
                                        run_warning{"other", ""}));
  EXPECT_EQ(run.machine, read_facts().machine);
  EXPECT_EQ(run.content, read_facts().content);
  // Rows have that themselves.
  EXPECT_EQ(run.declared, std::nullopt);
}

TEST(gate_facts, declare_the_field_judged_by) {
  const auto file_with = [](const json& facts, const std::string& key, double value) {
    auto file = bench_transfers_file(facts);
    file["benchmarks"][0][key] = value;
    return file;
  };
  const auto declared = [&](const json& facts, const std::string& key) {
    return read(file_with(facts, key, 5), key).declared;
  };
  using result_file::metric_kind;
  EXPECT_EQ(declared(many_facts(), "wait_us"), (declaration{"us", metric_kind::duration, false}));
  EXPECT_EQ(declared(many_facts(), "gb_per_s"), (declaration{"GB/s", metric_kind::rate, true}));
  EXPECT_EQ(declared(many_facts(), "cores"), (declaration{"1", metric_kind::count, std::nullopt}));
  EXPECT_EQ(declared(many_facts(), "unknown"), std::nullopt);
  EXPECT_EQ(declared(bench_transfers_facts(), "gb_per_s"), std::nullopt);
  // A duration limits its plausible values: these are months.
  EXPECT_THAT(complaint(file_with(many_facts(), "wait_us", 1e13), "wait_us"),
              HasSubstr(" us, which nobody can have measured"));
}

TEST(gate_facts, of_other_programs_are_few) {
  const auto run = read(foreign({row("a", 0, 1)}));
  EXPECT_FALSE(run.ours);
  EXPECT_THAT(run.machine, ElementsAre(Pair("num_cpus", "4")));
  EXPECT_EQ(run.device, "");
  EXPECT_EQ(run.boot, "");
  EXPECT_EQ(run.started,
            std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + 14h + 1min + 39s);
  auto file = foreign({row("a", 0, 1)});
  file["context"]["date"] = "2019-05-06 14:01:39";  // of an older release: no offset from UTC
  EXPECT_EQ(read(file).started, std::nullopt);
  file["context"]["transfers"] = "a text of --benchmark_context";
  EXPECT_FALSE(read(file).ours);
  EXPECT_FALSE(read(without(file, "context")).ours);
}

// The same run by another name.

TEST(gate_content, is_that_of_the_measurements) {
  const auto file = bench_transfers_file(bench_transfers_facts());
  const auto content = read(file).content;
  EXPECT_EQ(runs_in(file.dump(4), "other name.json", {}).front().content, content);
  EXPECT_EQ(read_facts(changed(bench_transfers_facts(), "/warnings/0/text", "another")).content,
            content);
  EXPECT_NE(read_facts(changed(bench_transfers_facts(), "/run/started_utc", "2026-11-21T10:22:26Z"))
                .content,
            content);
  const std::vector<json> contents{
      foreign({row("a", 0, 1), row("a", 1, 2)}),         foreign({row("a", 0, 2), row("a", 1, 1)}),
      foreign({row("a", 0, 1), row("b", 0, 2)}),         foreign({row("b", 0, 1), row("a", 0, 2)}),
      foreign({row("a", 0, 1), row("a", 1, 2.0000001)}), foreign({row("a", 0, 1)}),
      foreign({row("a", 0, 1), failed(row("a", 1, 1))}),
  };
  for (std::size_t i = 0; i < contents.size(); ++i)
    for (std::size_t j = 0; j < contents.size(); ++j)
      EXPECT_EQ(read(contents[i]).content == read(contents[j]).content, i == j) << i << ' ' << j;
}

}  // namespace
}  // namespace bench_transfers::gate::facts_test
