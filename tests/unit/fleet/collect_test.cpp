#include "src/fleet/io/collect.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/result_file/entries.hpp"
#include "src/result_file/reader.hpp"
#include "tests/basics.hpp"
#include "tests/unit/fleet/made_up_files.hpp"

namespace bench_transfers::fleet::collect_test {
namespace {

using namespace made_up_files;

std::vector<measured_gpu> read(const json& document, const std::string& node = "node1") {
  return gpus_of(result_file::read_json(document, "made-up.json"), node);
}

sweep together(const std::vector<std::vector<measured_gpu>>& files) {
  std::vector<measured_gpu> gpus;
  for (const auto& of_file : files) gpus.insert(gpus.end(), of_file.begin(), of_file.end());
  return sweep_of(gpus, {});
}

/// A GPU of one node, whose launcher has told its rank.
std::vector<measured_gpu> of_rank(const std::string& uuid, int rank, int size,
                                  const std::string& node = "a", const std::string& sweep = "") {
  auto gpus = read(with_fleet(
      file(uuid), {{"sweep", sweep}, {"node", node}, {"rank", rank}, {"world_size", size}}));
  gpus[0].file = uuid + std::to_string(rank);
  return gpus;
}

TEST(gpus_of_a_file, have_its_facts_and_times) {
  const auto gpus = read(file("GPU-1"));
  ASSERT_THAT(gpus, SizeIs(1));
  const auto& [gpu, named_by, sweep, version, started, finished, world_size, benchmarks, failed,
               ran, skipped, faults] = gpus.front();
  EXPECT_EQ(gpu.uuid, "GPU-1");
  EXPECT_EQ(gpu.slot, "0000:c1:00.0");
  EXPECT_EQ(gpu.model, "made-up GPU");
  EXPECT_EQ(gpu.node, "node1");
  EXPECT_EQ(gpu.rack, "");
  EXPECT_EQ(gpu.rank, std::nullopt);
  EXPECT_EQ(gpu.link, (link{5, 8, 5, 16}));
  EXPECT_THAT(gpu.warnings, ElementsAre("virtual_machine"));
  EXPECT_EQ(version, "0.1.0");
  EXPECT_EQ(started, std::chrono::sys_seconds(std::chrono::seconds(1795341600)));
  EXPECT_THAT(ran,
              UnorderedElementsAre("copy/pinned", "copy/pinned/h2d/16MiB", "copy/pinned/d2h/4KiB"));
  EXPECT_THAT(skipped, IsEmpty());
  EXPECT_THAT(failed, IsEmpty());
  EXPECT_THAT(faults, IsEmpty());
  ASSERT_THAT(benchmarks, SizeIs(2));
  const auto& large = benchmarks.at("copy/pinned/h2d/16MiB");
  EXPECT_EQ(large.limited_by, benchmark_class::link);
  EXPECT_EQ(large.towards, direction::h2d);
  EXPECT_THAT(large.times, ElementsAre(ElementsAre(310e3, 320e3)));
}

/// A file of one rank, which has copied at once with the node's other ranks.
json file_of_rank(double ranks) {
  const std::string name = "concurrent/pinned/h2d/ranks/16MiB";
  auto document = file("GPU-1");
  auto& facts = document["context"]["transfers"];
  auto described = entry("h2d", 16 << 20);
  described.update({{"family", "concurrent"},
                    {"strategy", "concurrent/pinned"},
                    {"variant", "h2d/ranks"},
                    {"setting", "ranks"},
                    {"role", "concurrent"},
                    {"flows", {{{"device", 0}, {"direction", "h2d"}}}},
                    {"set", {{"kind", "ranks"}, {"place", nullptr}}}});
  facts["benchmarks"] = {{name, described}};
  facts["roles"] = {{"concurrent", {{"description", "copies"}, {"table", "concurrent"}}}};
  facts["metrics"] = {{"gb_per_s@cuda:3:h2d",
                       {{"unit", "GB/s"},
                        {"kind", "rate"},
                        {"better", "more"},
                        {"description", "rate"},
                        {"flow", {{"device", 0}, {"direction", "h2d"}}}}}};
  auto measured = row(name, 0, 400);
  measured["gb_per_s@cuda:3:h2d"] = 42;
  measured["ranks"] = ranks;
  document["benchmarks"] = {measured};
  return document;
}

TEST(gpus_of_a_file, have_copied_at_once_with_the_other_ranks_of_their_node) {
  const auto gpus = read(file_of_rank(8));
  const auto& benchmarks = gpus.at(0).benchmarks;
  ASSERT_THAT(benchmarks, SizeIs(1));
  const auto& [name, measured] = *benchmarks.begin();
  EXPECT_EQ(name, "concurrent/pinned/h2d/16MiB/h2d, 8 at once");
  EXPECT_TRUE(measured.together);
  EXPECT_EQ(measured.limited_by, benchmark_class::link);
  EXPECT_THAT(measured.times, ElementsAre(ElementsAre(testing::DoubleEq((16 << 20) / 42.0))));
  EXPECT_THAT(read(file_of_rank(1)).at(0).benchmarks, IsEmpty()) << "there were no others";
}

TEST(gpus_of_a_file, are_placed_by_it_if_it_says_where) {
  const auto gpus = read(with_fleet(file("GPU-1"), {{"sweep", "monday"},
                                                    {"node", "n17"},
                                                    {"rack", "r2"},
                                                    {"rank", 3},
                                                    {"local_rank", 1},
                                                    {"local_size", 4},
                                                    {"world_size", 8}}));
  ASSERT_THAT(gpus, SizeIs(1));
  EXPECT_EQ(gpus[0].gpu.node, "n17");
  EXPECT_EQ(gpus[0].gpu.rack, "r2");
  EXPECT_EQ(gpus[0].gpu.rank, 3U);
  EXPECT_EQ(gpus[0].gpu.local_rank, 1U);
  EXPECT_EQ(gpus[0].gpu.local_size, 4U);
  EXPECT_EQ(gpus[0].sweep, "monday");
  EXPECT_EQ(gpus[0].world_size, 8U);
}

TEST(gpus_of_a_file, say_what_failed_and_what_was_wrong) {
  auto document = file("GPU-1");
  auto& row = document["benchmarks"][0];
  row["error_occurred"] = true;
  row["error_message"] = "the driver says no";
  const auto gpus = read(document);
  EXPECT_THAT(gpus[0].failed, ElementsAre("copy/pinned/h2d/16MiB"));
  EXPECT_THAT(gpus[0].benchmarks.at("copy/pinned/h2d/16MiB").times,
              ElementsAre(ElementsAre(320e3)));
  EXPECT_THAT(codes(together({gpus})), ElementsAre("failed_benchmark"));
  row["error_code"] = "wrong_data";
  row["error_message"] = "wrong data";
  const auto sweep = together({read(document)});
  EXPECT_THAT(sweep.gpus[0].wrong_data, ElementsAre("copy/pinned/h2d/16MiB"));
  EXPECT_THAT(codes(sweep), IsEmpty());
}

TEST(gpus_of_a_file, say_in_how_many_parts_it_was_measured) {
  auto document = file("GPU-1");
  EXPECT_EQ(together({read(document)}).gpus[0].parts, 1U);
  document["context"]["transfers"]["parts"] = {{{"number", 1}, {"complete", false}},
                                               {{"number", 2}, {"complete", true}}};
  EXPECT_EQ(together({read(document)}).gpus[0].parts, 2U);
}

TEST(gpus_of_a_file, of_the_host_device_are_told_apart) {
  auto document = file("");
  EXPECT_FALSE(read(document)[0].gpu.on_host);
  auto& facts = document["context"]["transfers"];
  facts["device"]["kind"] = facts["devices"][0]["kind"] = "host";
  EXPECT_TRUE(read(document)[0].gpu.on_host);
}

TEST(gpus_of_a_file, without_uuid_are_told_apart_by_index_or_rank) {
  const auto name_of = [](const char* id, const json& fleet) {
    auto document = with_fleet(file(""), fleet);
    auto& facts = document["context"]["transfers"];
    facts["devices"][0]["id"] = id;
    if (std::string(id).starts_with("host"))
      facts["device"]["kind"] = facts["devices"][0]["kind"] = "host";
    return read(document)[0].gpu.uuid;
  };
  EXPECT_EQ(name_of("cuda:0", {{"rank", 3}}), "node1:cuda:0:3");
  EXPECT_EQ(name_of("host", {{"rank", 3}}), "node1:host:3");
  EXPECT_EQ(name_of("host", nullptr), "node1:host");
  // The same device, with a launcher or without.
  EXPECT_EQ(name_of("host:1", {{"rank", 3}}), "node1:host:1");
  EXPECT_EQ(name_of("host:1", nullptr), "node1:host:1");
}

TEST(gpus_of_a_file, cannot_have_what_no_sweep_can_have) {
  for (const json& fleet : {json{{"rank", 10'000'000'000}}, json{{"rank", "2"}},
                            json{{"world_size", 1'000'000'000'000}}})
    EXPECT_THROW(read(with_fleet(file("GPU-1"), fleet)), result_file::bad_entry) << fleet;
  auto document = file("GPU-1");
  document["context"]["transfers"]["devices"][0]["link"]["generation"] = "5";
  EXPECT_THROW(read(document), result_file::bad_entry);
}

TEST(gpus_of_a_file, with_injected_faults_are_a_problem_however_these_are_written) {
  for (const json& fault : {json{{"slow", 2}}, json("slow:1.1@copy")}) {
    auto document = file("GPU-1");
    document["context"]["transfers"]["run"]["faults_injected"] = json::array({fault});
    EXPECT_THAT(codes(together({read(document)})), ElementsAre("faults_injected")) << fault;
  }
}

TEST(collected, benchmarks_have_the_class_of_their_times) {
  const auto sweep = together({read(file("GPU-1"))});
  EXPECT_THAT(
      sweep.benchmarks,
      ElementsAre(
          benchmark{
              "copy/pinned/d2h/4KiB", {benchmark_class::latency, direction::d2h, false}, 4096},
          benchmark{
              "copy/pinned/h2d/16MiB", {benchmark_class::link, direction::h2d, false}, 16 << 20}));
}

TEST(collected, a_benchmark_has_a_class_for_each_model) {
  auto slower = file("GPU-2");
  auto& facts = slower["context"]["transfers"];
  facts["device"]["name"] = facts["devices"][0]["name"] = "another GPU";
  for (auto& row : slower["benchmarks"])
    if (row["real_time"] < 10) row["real_time"] = 60;
  const auto sweep = together({read(file("GPU-1")), read(file("GPU-3")), read(slower)});
  const std::string name = "copy/pinned/d2h/4KiB";
  ASSERT_THAT(sweep.benchmarks,
              ElementsAre(benchmark{name, {benchmark_class::link, direction::d2h, false}, 4096},
                          benchmark{name, {benchmark_class::latency, direction::d2h, false}, 4096},
                          Field(&benchmark::name, "copy/pinned/h2d/16MiB")));
  const auto& [first, second, third] =
      std::tie(sweep.gpus[0].times, sweep.gpus[1].times, sweep.gpus[2].times);
  EXPECT_THAT(first, ElementsAre(IsEmpty(), SizeIs(1), SizeIs(1)));
  EXPECT_THAT(second, ElementsAre(SizeIs(1), IsEmpty(), SizeIs(1)));
  EXPECT_THAT(third, ElementsAre(IsEmpty(), SizeIs(1), SizeIs(1)));
}

TEST(collected, runs_of_a_gpu_count_together) {
  auto again = file("GPU-1");
  for (auto& row : again["benchmarks"]) row["real_time"] = row["real_time"].get<double>() + 1;
  again["context"]["transfers"]["devices"][0]["link"]["generation"] = 1;
  const auto sweep = together({read(file("GPU-1")), read(again)});
  ASSERT_THAT(sweep.gpus, SizeIs(1));
  EXPECT_THAT(sweep.gpus[0].times[1],
              ElementsAre(ElementsAre(310e3, 320e3), ElementsAre(311e3, 321e3)));
  EXPECT_THAT(sweep.problems, IsEmpty());
  EXPECT_EQ(sweep.gpus[0].link.generation, 1) << "the lowest of all runs";
  const auto same_twice = together({read(file("GPU-1")), read(file("GPU-1"))});
  EXPECT_THAT(same_twice.gpus[0].times[1], ElementsAre(SizeIs(2)));
}

TEST(collected, gpu_on_two_nodes_is_a_problem) {
  const auto sweep = together({read(file("GPU-1"), "a"), read(file("GPU-1"), "b")});
  EXPECT_THAT(sweep.gpus, ElementsAre(Field(&gpu::node, "a")));
  EXPECT_THAT(codes(sweep), ElementsAre("duplicate_gpu"));
}

TEST(collected, other_sweeps_and_versions_are_left_out_and_said) {
  auto old = file("GPU-4");
  old["context"]["transfers"]["program"]["version"] = "0.0.9";
  const auto sweep = together({read(file("GPU-1")), read(file("GPU-2")),
                               read(with_fleet(file("GPU-3"), {{"sweep", "sunday"}})), read(old)});
  EXPECT_THAT(sweep.gpus, ElementsAre(Field(&gpu::uuid, "GPU-1"), Field(&gpu::uuid, "GPU-2")));
  EXPECT_THAT(codes(sweep), UnorderedElementsAre("another_sweep", "another_version"));
}

TEST(collected, figures_of_two_procedures_are_left_out_and_said_once) {
  auto newer = file("GPU-2");
  for (auto& row : newer["benchmarks"])
    if (row["name"] == "copy/pinned/h2d/16MiB") row["procedure"] = 2;
  const auto sweep = together({read(file("GPU-1")), read(newer), read(file("GPU-3"))});
  EXPECT_THAT(sweep.benchmarks, ElementsAre(Field(&benchmark::name, "copy/pinned/d2h/4KiB")));
  ASSERT_THAT(codes(sweep), ElementsAre("procedures_differ"));
  EXPECT_EQ(sweep.problems[0].data["count"], 1);
  const auto alike = together({read(newer)});
  EXPECT_THAT(alike.problems, IsEmpty());
  EXPECT_EQ(alike.benchmarks.at(1).procedure, 2U);
}

TEST(collected, runs_of_another_time_are_a_problem) {
  auto old = file("GPU-3");
  old["context"]["transfers"]["run"]["started_utc"] = "2026-11-21T21:00:00Z";
  EXPECT_THAT(codes(together({read(file("GPU-1")), read(file("GPU-2")), read(old)})),
              ElementsAre("another_time"));
}

/// A run of a minute of the sweep monday.
std::vector<measured_gpu> run_at(const std::string& uuid, const std::string& time,
                                 const char* sweep = "monday") {
  auto document = with_fleet(file(uuid), {{"sweep", sweep}});
  auto& run = document["context"]["transfers"]["run"];
  run["started_utc"] = "2026-11-22T" + time + ":00Z";
  run["finished_utc"] = "2026-11-22T" + time + ":59Z";
  return read(document);
}

TEST(collected, runs_of_a_sweep_whose_id_was_used_twice_are_a_problem) {
  const auto first = run_at("GPU-1", "10:00"), second = run_at("GPU-2", "10:02");
  const auto sweep = together({first, second, run_at("GPU-3", "09:00")});
  ASSERT_THAT(codes(sweep), ElementsAre("far_apart"));
  EXPECT_THAT(sweep.problems[0].text, HasSubstr("GPU-3 on node1 was measured 60 minutes before"));
  EXPECT_EQ(sweep.gpus.size(), 3U);
  EXPECT_THAT(codes(together({first, run_at("GPU-3", "09:40")})),
              ElementsAre("far_apart", "far_apart"));
  // One after the other.
  EXPECT_THAT(codes(together({first, second, run_at("GPU-3", "09:50")})), IsEmpty());
  // It ran again, too.
  EXPECT_THAT(codes(together({first, second, run_at("GPU-3", "09:00"), run_at("GPU-3", "10:03")})),
              IsEmpty());
  // Nothing says that they are of one sweep.
  EXPECT_THAT(codes(together({run_at("GPU-1", "10:00", ""), run_at("GPU-3", "09:00", "")})),
              IsEmpty());
  // It is meant.
  const auto old = run_at("GPU-3", "09:00");
  EXPECT_THAT(codes(sweep_of({first[0], second[0], old[0]}, {}, std::chrono::hours(2))), IsEmpty());
}

/// A file in which this could not run.
json file_without(const std::string& uuid, const std::string& benchmark) {
  auto document = file(uuid);
  document["context"]["transfers"]["skipped"] = {
      {{"name", benchmark},
       {"reason", {{"code", "unsupported"}, {"data", json::object()}, {"text", "no"}}}}};
  auto& rows = document["benchmarks"].get_ref<json::array_t&>();
  std::erase_if(rows, [&](const json& row) {
    return row.at("name").get<std::string>().starts_with(benchmark);
  });
  return document;
}

TEST(collected, benchmarks_skipped_where_most_others_ran_them_are_a_problem) {
  const auto has_problem = [](const std::string& skipped, std::size_t skips, std::size_t gpus) {
    std::vector<std::vector<measured_gpu>> files;
    for (std::size_t i = 0; i < gpus; ++i) {
      const auto uuid = fmt::format("GPU-{}", i);
      files.push_back(read(i < skips ? file_without(uuid, skipped) : file(uuid)));
    }
    return !codes(together(files)).empty();
  };
  const std::string ran = "copy/pinned/d2h/4KiB";
  EXPECT_TRUE(has_problem(ran, 1, 3));
  EXPECT_TRUE(has_problem(ran, 2, 4));
  EXPECT_FALSE(has_problem(ran, 2, 3));
  EXPECT_FALSE(has_problem(ran, 3, 3));
  EXPECT_FALSE(has_problem(ran, 1, 1));
  EXPECT_FALSE(has_problem("copy/managed/h2d/1MiB", 1, 3)) << "it ran nowhere";
  EXPECT_FALSE(has_problem("copy/managed", 1, 3)) << "nor did this strategy";
}

TEST(collected, a_strategy_that_others_ran_is_a_problem_where_it_is_skipped) {
  auto without = file_without("GPU-3", "copy/pinned");
  without["benchmarks"] = file("GPU-3")["benchmarks"];
  for (auto& row : without["benchmarks"]) row["error_occurred"] = true;
  EXPECT_THAT(codes(together({read(file("GPU-1")), read(file("GPU-2")), read(without)})),
              UnorderedElementsAre("failed_benchmark", "skipped_benchmark"));
}

TEST(collected, ranks_that_contradict_each_other_are_problems) {
  for (const auto& third : {of_rank("GPU-2", 1, 3), of_rank("GPU-2", 3, 3), of_rank("GPU-2", 2, 2)})
    EXPECT_THAT(codes(together({of_rank("GPU-0", 0, 3), of_rank("GPU-1", 1, 3), third})),
                ElementsAre("contradictory_ranks"))
        << third[0].file;
  const auto same_gpu =
      together({of_rank("GPU-0", 0, 3), of_rank("GPU-0", 1, 3), of_rank("GPU-2", 2, 3)});
  EXPECT_THAT(codes(same_gpu), ElementsAre("contradictory_ranks"));
  EXPECT_THAT(missing_ranks(same_gpu), IsEmpty());
}

TEST(collected, ranks_of_files_that_are_left_out_are_not_missing) {
  EXPECT_THAT(missing_ranks(together({of_rank("GPU-0", 0, 3, "node1", "b"),
                                      of_rank("GPU-1", 1, 3, "node1", "a"),
                                      of_rank("GPU-2", 2, 3, "node1", "b")})),
              IsEmpty());
}

TEST(collected, missing_ranks_among_cyclic_ones_have_no_node) {
  std::vector<std::vector<measured_gpu>> files;
  for (const int number : {0, 1, 2, 3, 4, 6, 7})
    files.push_back(
        of_rank("GPU-" + std::to_string(number), number, 8, number % 2 == 0 ? "a" : "b"));
  EXPECT_THAT(missing_ranks(together(files)), ElementsAre(missing_rank{5, ""}));
}

TEST(collected, ranks_without_files_are_missing) {
  const auto sweep = together(
      {of_rank("GPU-0", 0, 6, "a"), of_rank("GPU-2", 2, 6, "a"), of_rank("GPU-4", 4, 6, "b")});
  EXPECT_EQ(sweep.world_size, 6U);
  EXPECT_THAT(missing_ranks(sweep),
              ElementsAre(missing_rank{1, "a"}, missing_rank{3, ""}, missing_rank{5, ""}));
}

/// A rank that has left results.
struct present {
  std::size_t rank;
  std::string node;
  std::size_t local_rank;
};

/// The nodes of the missing ranks, such as "b?": node b, and one that is not known.
std::string nodes_of_missing(std::size_t world_size, std::optional<std::size_t> local_size,
                             const std::vector<present>& ranks) {
  sweep made;
  made.world_size = world_size;
  for (const auto& [rank, node, local_rank] : ranks) {
    gpu measured;
    measured.node = node;
    measured.rank = rank;
    measured.local_rank = local_rank;
    measured.local_size = local_size;
    made.gpus.push_back(measured);
  }
  std::string nodes;
  for (const auto& missing : missing_ranks(made))
    nodes += missing.node.empty() ? "?" : missing.node;
  return nodes;
}

TEST(missing, ranks_are_of_the_node_that_the_others_tell) {
  // Of the node that has fewer than its local size. Without local sizes a third node may have it.
  const std::vector<present> last{{0, "a", 0}, {1, "a", 1}, {2, "b", 0}};
  EXPECT_EQ(nodes_of_missing(4, 2, last), "b");
  EXPECT_EQ(nodes_of_missing(4, std::nullopt, last), "?");
  EXPECT_EQ(nodes_of_missing(4, 2, {{0, "a", 0}, {2, "b", 0}}), "ab");
  EXPECT_EQ(nodes_of_missing(4, 2, {{1, "a", 1}, {3, "b", 1}}), "ab");
  EXPECT_EQ(nodes_of_missing(2, 2, {{1, "a", 1}}), "a");
  // The first rank of a node is known by the local rank of its next.
  EXPECT_EQ(nodes_of_missing(4, std::nullopt, {{0, "a", 0}, {1, "a", 1}, {3, "b", 1}}), "b");
}

TEST(missing, ranks_have_no_node_where_nothing_tells_it) {
  // Of a node without results. No whole node shows that the ranks are numbered node by node.
  EXPECT_EQ(nodes_of_missing(6, 2, {{0, "a", 0}, {1, "a", 1}, {2, "b", 0}}), "b??");
  EXPECT_EQ(nodes_of_missing(6, 2, {{0, "a", 0}, {2, "b", 0}}), "????");
  // Between two of a node of which no local rank is missing.
  EXPECT_EQ(nodes_of_missing(4, 2, {{0, "a", 0}, {2, "a", 1}, {3, "b", 1}}), "?");
  EXPECT_EQ(nodes_of_missing(4, 3, {{0, "a", 0}, {2, "a", 2}}), "a?");
  // Numbered in turn.
  EXPECT_EQ(
      nodes_of_missing(6, 3, {{0, "a", 0}, {1, "b", 0}, {2, "a", 1}, {3, "b", 1}, {4, "a", 2}}),
      "?");
  // Contradictory.
  EXPECT_EQ(nodes_of_missing(4, 2, {{0, "a", 0}, {1, "a", 1}, {2, "b", 5}}), "?");
  EXPECT_EQ(nodes_of_missing(4, 2, {{0, "a", 0}, {1, "a", 1}, {3, "b", 2}}), "?");
  EXPECT_EQ(nodes_of_missing(4, 2, {{0, "a", 0}, {1, "a", 1}, {1, "b", 0}}), "??");
}

}  // namespace
}  // namespace bench_transfers::fleet::collect_test
