#include "bench/fleet/gather_sweep.hpp"

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "src/common/quantities.hpp"
#include "src/fleet/io/sweep_file.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::bench::gather_sweep_test {
namespace {

constexpr auto job_began = "2026-11-22T10:00:00Z";
constexpr auto earlier = "2026-11-22T09:59:59Z";

/// context.transfers.fleet of a rank of two that have no name for their sweep, as with MPICH.
json facts_of(std::size_t rank) {
  return {{"sweep", nullptr}, {"launcher", "mpich"}, {"rank", rank},
          {"local_rank", 0},  {"world_size", 2},     {"node", "node" + std::to_string(rank)},
          {"rack", nullptr}};
}

/// A result of one benchmark.
json result_of(std::size_t rank, const std::string& started, bool is_complete = true) {
  const std::string name = "copy/pinned/h2d/1MiB";
  const auto uuid = "GPU-" + std::to_string(rank);
  return {{"context",
           {{"host_name", "host"},
            {"transfers",
             {{"format", 2},
              {"complete", is_complete},
              {"program", {{"version", "0.1.0"}}},
              {"run", {{"started_utc", started}}},
              {"devices",
               {{{"id", "cuda:0"}, {"kind", "cuda"}, {"name", "made-up GPU"}, {"uuid", uuid}}}},
              {"device", {{"kind", "cuda"}, {"name", "made-up GPU"}, {"uuid", uuid}}},
              {"fleet", facts_of(rank)},
              {"benchmarks",
               {{name,
                 {{"family", "copy"},
                  {"strategy", "copy/pinned"},
                  {"memory", "pinned"},
                  {"variant", "h2d"},
                  {"direction", "h2d"},
                  {"size_bytes", 1 << 20},
                  {"cache", "warm"},
                  {"devices", {0}},
                  {"role", "copy"},
                  {"plainness", 0}}}}},
              {"roles", {{"copy", {{"description", "copies"}, {"table", "directions"}}}}},
              {"metrics", json::object()},
              {"skipped", json::array()},
              {"warnings", json::array()}}}}},
          {"benchmarks",
           {{{"name", name},
             {"run_name", name},
             {"run_type", "iteration"},
             {"repetitions", 1},
             {"repetition_index", 0},
             {"threads", 1},
             {"iterations", 1},
             {"real_time", 20.0},
             {"cpu_time", 20.0},
             {"time_unit", "us"}}}}};
}

/// Two ranks, of which the second never says anything.
class job_with_a_silent_rank : public fleet::channel {
 public:
  [[nodiscard]] std::size_t rank() const noexcept override { return 0; }
  [[nodiscard]] std::size_t size() const noexcept override { return 2; }
  void send(std::size_t /*rank*/, const std::string& /*bytes*/) override {}
  [[nodiscard]] bool has_sent() override { return true; }
  [[nodiscard]] std::optional<fleet::message> receive() override { return std::nullopt; }
};

class gathered : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path write(std::size_t rank, const std::string& text) const {
    const auto file =
        folder.path() / ("node" + std::to_string(rank)) / ("GPU-" + std::to_string(rank) + ".json");
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }

  /// What rank 0 makes of its own result and of what lies in the folder.
  [[nodiscard]] fleet::sweep sweep() const {
    job_with_a_silent_rank ranks;
    fleet::gathering others(ranks, {.wait = 1ms});
    others.begin();
    const auto own = write(0, result_of(0, job_began).dump());
    gather_sweep(others, ranks,
                 {.folder = folder.path(), .began = *common::parse_timestamp(job_began)},
                 {.file = own, .facts = facts_of(0), .contribution = {.is_whole = true}});
    return fleet::read_sweep(folder.path() / "sweep.json.gz");
  }

  const common::temporary_folder folder;
};

std::vector<std::size_t> ranks_of(const fleet::sweep& sweep) {
  std::vector<std::size_t> ranks;
  for (const auto& gpu : sweep.gpus) ranks.push_back(gpu.rank.value());
  return ranks;
}

std::vector<std::string> problems_of(const fleet::sweep& sweep) {
  std::vector<std::string> codes;
  for (const auto& problem : sweep.problems) codes.push_back(problem.code);
  return codes;
}

TEST_F(gathered, has_nothing_that_a_silent_rank_has_left_in_an_earlier_job) {
  static_cast<void>(write(1, result_of(1, earlier).dump()));
  EXPECT_THAT(ranks_of(sweep()), ElementsAre(0)) << "rank 1 is missing";
}

TEST_F(gathered, has_what_a_silent_rank_has_measured_in_this_job) {
  static_cast<void>(write(1, result_of(1, job_began, false).dump()));
  const auto result = sweep();
  EXPECT_THAT(ranks_of(result), ElementsAre(0, 1));
  EXPECT_THAT(problems_of(result), ElementsAre("incomplete_run"));
}

TEST_F(gathered, is_a_problem_if_a_silent_rank_has_measured_all) {
  static_cast<void>(write(1, result_of(1, job_began).dump()));
  const auto result = sweep();
  EXPECT_THAT(ranks_of(result), ElementsAre(0, 1));
  ASSERT_THAT(problems_of(result), ElementsAre("silent_rank"));
  EXPECT_EQ(result.problems[0].data.at("rank"), 1);
}

TEST_F(gathered, puts_the_sweep_of_an_earlier_job_aside) {
  const auto file = folder.path() / "sweep.json.gz";
  std::ofstream(file) << "an earlier one";
  const sweep_request request{.folder = folder.path(), .began = {}};
  put_earlier_sweep_aside({.folder = folder.path(), .began = {}, .only_lists = true});
  EXPECT_TRUE(std::filesystem::exists(file));
  put_earlier_sweep_aside(request);
  EXPECT_FALSE(std::filesystem::exists(file));
  std::string kept;
  std::getline(std::ifstream(folder.path() / "sweep.json.gz.earlier"), kept);
  EXPECT_EQ(kept, "an earlier one");
  put_earlier_sweep_aside(request);  // there is none
}

}  // namespace
}  // namespace bench_transfers::bench::gather_sweep_test
