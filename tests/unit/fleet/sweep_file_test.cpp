#include "src/fleet/io/sweep_file.hpp"

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "src/common/gzip.hpp"
#include "tests/basics.hpp"
#include "tests/simulation/made_up_fleet.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::fleet::sweep_file_test {
namespace {

using json = nlohmann::ordered_json;

sweep made_up() {
  std::mt19937_64 random(1);
  auto sweep = simulation::make_up({.nodes = 2, .gpus_in_node = 2}, {}, random);
  sweep.id = "monday";
  sweep.begin = std::chrono::sys_days(std::chrono::year(2026) / 11 / 22);
  sweep.benchmarks[0].copied_bytes = 64 << 20;
  sweep.benchmarks[0].procedure = 2;
  sweep.world_size = 5;
  sweep.gpus[0].rank = 3;
  sweep.gpus[0].local_rank = 1;
  sweep.gpus[0].local_size = 2;
  sweep.gpus[0].parts = 2;
  sweep.gpus[0].slot = "0000:c1:00.0";
  sweep.gpus[0].link = {5, 16, 5, 16};
  sweep.gpus[0].warnings = {"virtual_machine"};
  sweep.gpus[0].wrong_data = {"copy/pinned/h2d/1MiB"};
  sweep.gpus[1].on_host = true;
  sweep.gpus[1].times[0].clear();
  sweep.gpus[1].times[1].push_back({1, 2});
  sweep.other_ranks = {1, 4};
  sweep.absent_nodes = {"node2"};
  sweep.problems = {{"unusable_file", {{"file", "x.json"}}, "cannot read x.json"}};
  return sweep;
}

std::string why_refused(const std::string& text) {
  return common::complaint_of<unusable_sweep>([&] { return sweep_from_text(text, "sweep.json"); },
                                              "accepted");
}

/// Why a sweep with a change is refused.
std::string changed(const std::function<void(json&)>& change) {
  auto document = json::parse(to_text(made_up()));
  change(document);
  return why_refused(document.dump());
}

TEST(sweep_file, keeps_all_there_is) {
  const auto sweep = made_up();
  EXPECT_EQ(sweep_from_text(to_text(sweep), "sweep.json"), sweep);
}

TEST(sweep_file, sweeps_of_older_releases_are_read) {
  auto document = json::parse(to_text(made_up()));
  document.erase("begin");
  document.erase("absent_nodes");
  for (auto& benchmark : document["benchmarks"]) benchmark.erase("copied_bytes");
  for (auto& gpu : document["gpus"]) {
    gpu.erase("kind");
    gpu.erase("parts");
    gpu.erase("local_rank");
    gpu.erase("local_size");
  }
  const auto sweep = sweep_from_text(document.dump(), "sweep.json");
  auto before = made_up();
  before.gpus[1].on_host = false;
  before.gpus[0].parts = 1;
  before.gpus[0].local_rank.reset();
  before.gpus[0].local_size.reset();
  EXPECT_EQ(sweep.begin, std::nullopt);
  EXPECT_EQ(sweep.gpus, before.gpus);
}

TEST(sweep_file, texts_cannot_steer_a_terminal) {
  const auto why = changed([](json& d) { d["benchmarks"][0]["direction"] = "\x1b[2J\n"; });
  EXPECT_THAT(why, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\n"))));
  auto document = json::parse(to_text(made_up()));
  document["gpus"][0]["node"] = "\x1b[2J";
  EXPECT_THAT(sweep_from_text(document.dump(), "sweep.json").gpus[0].node, Not(HasSubstr("\x1b")));
}

TEST(packed, unpacks_to_the_same_text) {
  const std::string text(3'000'000, 'x');
  const auto bytes = common::packed(text);
  EXPECT_LT(bytes.size(), text.size() / 100);
  EXPECT_EQ(common::unpacked(bytes), text);
  EXPECT_EQ(common::unpacked(common::packed("")), "");
}

}  // namespace
}  // namespace bench_transfers::fleet::sweep_file_test
