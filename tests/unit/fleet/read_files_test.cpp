#include "src/fleet/io/read_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "src/common/gzip.hpp"
#include "src/fleet/io/collect.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"
#include "tests/unit/fleet/made_up_files.hpp"

namespace bench_transfers::fleet::read_files_test {
namespace {

using namespace made_up_files;

/// Files on disk.
class folders : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  sweep collected() const { return collect(files_below({root})); }

  const common::temporary_folder own;
  const std::filesystem::path& root = own.path();
};

TEST_F(folders, are_read_whole_and_name_the_nodes) {
  write("n1/a.json", file("GPU-1").dump());
  write("n2/gpus/b.json", file("GPU-2").dump());
  write("c.json", file("GPU-3").dump());
  write("n1/notes.txt", "no result");
  const auto sweep = collected();
  EXPECT_THAT(sweep.gpus, ElementsAre(Field(&gpu::node, "by-name"), Field(&gpu::node, "n1"),
                                      Field(&gpu::node, "n2")));
  EXPECT_THAT(sweep.problems, IsEmpty());
}

TEST_F(folders, results_without_a_host_name_are_not_of_one_node) {
  const auto unnamed = [](const std::string& uuid) {
    auto document = file(uuid);
    document["context"].erase("host_name");
    auto& facts = document["context"]["transfers"];
    for (auto* device : {&facts["device"], &facts["devices"][0]}) {
      device->erase("name");
      if (uuid.empty()) device->erase("uuid");
    }
    return document.dump();
  };
  write("a.json", unnamed(""));
  write("b.json", unnamed(""));
  const auto sweep = collected();
  ASSERT_THAT(sweep.gpus, SizeIs(2));
  const auto& [first, second] = std::pair(sweep.gpus[0], sweep.gpus[1]);
  EXPECT_EQ(first.node, (root / "a.json").string());
  EXPECT_EQ(second.node, (root / "b.json").string());
  EXPECT_NE(first.uuid, second.uuid);
  EXPECT_NE(first.model, second.model) << "what is not known is not the same";
  // A GPU that is named is the same one, on the node that one of its files tells.
  write("c.json", unnamed("GPU-1"));
  write("d.json", unnamed("GPU-1"));
  write("n1/e.json", file("GPU-1").dump());
  const auto all = collected();
  EXPECT_THAT(all.problems, IsEmpty());
  EXPECT_THAT(all.gpus, SizeIs(3));
  EXPECT_THAT(all.gpus, Contains(AllOf(Field(&gpu::uuid, "GPU-1"), Field(&gpu::node, "n1"))));
}

TEST_F(folders, unfinished_runs_are_problems_that_say_whose_they_are) {
  auto cut = with_fleet(file("GPU-5"),
                        {{"node", "n7"}, {"rank", 3}, {"local_rank", 1}, {"world_size", 8}});
  cut["context"]["transfers"]["complete"] = false;
  write("n7/cut.json", cut.dump());
  const auto sweep = collected();
  ASSERT_THAT(codes(sweep), ElementsAre("incomplete_run"));
  const auto& problem = sweep.problems[0];
  EXPECT_EQ(problem.data.at("gpu"), "GPU-5");
  EXPECT_EQ(problem.data.at("node"), "n7");
  EXPECT_EQ(problem.data.at("rank"), 3);
  EXPECT_THAT(problem.data.at("file").get<std::string>(), testing::EndsWith("n7/cut.json"));
  EXPECT_THAT(problem.text, HasSubstr("rank 3, GPU GPU-5 on node n7 did not finish its run"));
}

/// Why nothing can be collected.
template <class Call>
std::string why_nothing(const Call& call) {
  return common::complaint_of<nothing_to_collect>(call, "collected");
}

/// The result of a rank of a node, of four ranks.
std::string text_of_rank(std::size_t rank, const std::string& node, const std::string& sweep = "") {
  return with_fleet(file("GPU-" + std::to_string(rank)),
                    {{"sweep", sweep}, {"node", node}, {"rank", rank}, {"world_size", 4}})
      .dump();
}

/// Without what was measured.
std::string cut_off(const std::string& text) {
  return text.substr(0, text.rfind("\"benchmarks\""));
}

auto missing_in(const sweep& sweep) {
  std::vector<std::size_t> ranks;
  for (const auto& missing : missing_ranks(sweep)) ranks.push_back(missing.rank);
  return ranks;
}

TEST_F(folders, ranks_whose_files_are_cut_off_are_not_missing) {
  write("n1/0.json", text_of_rank(0, "n1"));
  write("n1/1.json", cut_off(text_of_rank(1, "n1")));
  write("n1/3.json", text_of_rank(3, "n1"));
  const auto sweep = collected();
  ASSERT_THAT(codes(sweep), ElementsAre("unusable_file"));
  const auto& data = sweep.problems[0].data;
  EXPECT_EQ(data.at("rank"), 1);
  EXPECT_EQ(data.at("node"), "n1");
  EXPECT_EQ(data.at("gpu"), "GPU-1");
  EXPECT_THAT(sweep.problems[0].text, HasSubstr("rank 1, GPU GPU-1, node n1: cannot use "));
  // The one that has left none is.
  EXPECT_THAT(missing_in(sweep), ElementsAre(2));
  EXPECT_EQ(missing_ranks(sweep)[0].node, "n1");
}

TEST_F(folders, packed_files_that_are_cut_off_tell_what_they_have) {
  const auto packed = common::packed(text_of_rank(1, "n1"));
  write("n1/0.json", text_of_rank(0, "n1"));
  write("n1/1.json.gz", packed.substr(0, packed.size() - 20));
  EXPECT_EQ(collected().problems.at(0).data.at("rank"), 1);
}

TEST_F(folders, ranks_with_empty_files_are_not_missing_where_these_are_as_many) {
  write("n1/0.json", text_of_rank(0, "n1"));
  write("n1/1.json", "");
  write("n1/3.json", text_of_rank(3, "n1"));
  EXPECT_EQ(collected().problems.at(0).data.at("node"), "n1");
  // One of two is missing, and nobody knows which.
  EXPECT_THAT(missing_in(collected()), ElementsAre(1, 2));
  write("n1/2.json", "");
  EXPECT_THAT(missing_in(collected()), IsEmpty());
  // Something else is no result of a rank.
  write("n1/2.json", "{}");
  EXPECT_THAT(missing_in(collected()), ElementsAre(1, 2));
}

TEST_F(folders, gpus_whose_files_are_cut_off_are_known_without_a_rank) {
  const auto text = file("GPU-2").dump();
  const auto rows = text.rfind("\"benchmarks\"");
  write("n1/1.json", file("GPU-1").dump());
  for (const auto bytes : {rows, rows + 60, text.size() - 1}) {
    write("n1/2.json", text.substr(0, bytes));
    const auto sweep = collected();
    ASSERT_THAT(codes(sweep), ElementsAre("unusable_file")) << bytes;
    const auto& data = sweep.problems[0].data;
    EXPECT_EQ(data.at("gpu"), "GPU-2") << bytes;
    EXPECT_EQ(data.at("gpus"), json({"GPU-2"})) << bytes;
    EXPECT_EQ(data.at("node"), "n1") << bytes;
    EXPECT_THAT(sweep.problems[0].text, HasSubstr("GPU GPU-2, node n1: cannot use ")) << bytes;
  }
}

TEST_F(folders, gpus_of_a_file_of_several_are_known) {
  auto document = file("GPU-2");
  auto& devices = document["context"]["transfers"]["devices"];
  devices.push_back(devices[0]);
  devices[1]["uuid"] = "GPU-3";
  const auto text = document.dump();
  write("n1/1.json", file("GPU-1").dump());
  write("n1/2.json", text.substr(0, text.size() - 20));
  const auto sweep = collected();
  const auto& data = sweep.problems.at(0).data;
  EXPECT_EQ(data.at("gpu"), nullptr);
  EXPECT_EQ(data.at("gpus"), json({"GPU-2", "GPU-3"}));
  EXPECT_THAT(unread_results(sweep).at(0).gpus, ElementsAre("GPU-2", "GPU-3"));
  EXPECT_THAT(sweep.problems[0].text, HasSubstr("GPUs GPU-2, GPU-3, node n1: cannot use "));
}

TEST(collected, bytes_that_cannot_be_used_tell_their_rank_packed_or_not) {
  const auto text = text_of_rank(1, "n1");
  const auto cut = text.substr(0, text.size() - 20);
  const auto packed = common::packed(text);
  for (const auto& bytes : {cut, common::packed(cut), packed.substr(0, packed.size() - 20)}) {
    found_files found;
    for (const std::size_t rank : {0, 2, 3})
      found.files.push_back({fmt::format("n1/{}.json", rank), "n1", text_of_rank(rank, "n1")});
    found.files.push_back({"n1/1.json", "n1", bytes});
    const auto sweep = collect(std::move(found));
    ASSERT_THAT(codes(sweep), ElementsAre("unusable_file"));
    EXPECT_EQ(sweep.problems[0].data.at("rank"), 1);
    EXPECT_THAT(missing_in(sweep), IsEmpty());
  }
}

TEST_F(folders, empty_files_may_be_of_ranks_of_nodes_that_are_not_full) {
  for (const std::size_t rank : {0, 1, 2})
    write(fmt::format("n{}/rank.json", rank), text_of_rank(rank, fmt::format("n{}", rank)));
  write("n0/old.json", "");
  EXPECT_THAT(missing_in(collected()), ElementsAre(3));
  write("n3/rank.json", "");
  EXPECT_THAT(missing_in(collected()), IsEmpty());
}

TEST_F(folders, empty_files_of_a_node_with_fewer_ranks_than_others_may_be_of_the_last_rank) {
  for (const std::size_t rank : {0, 1, 2})
    write(fmt::format("n{}/{}.json", rank / 2, rank),
          text_of_rank(rank, fmt::format("n{}", rank / 2)));
  EXPECT_THAT(missing_in(collected()), ElementsAre(3));
  write("n1/3.json", "");
  EXPECT_THAT(missing_in(collected()), IsEmpty());
}

TEST_F(folders, cut_off_files_of_another_sweep_are_of_no_rank_of_this_one) {
  write("n1/0.json", text_of_rank(0, "n1", "monday"));
  write("n1/2.json", text_of_rank(2, "n1", "monday"));
  write("n1/3.json", text_of_rank(3, "n1", "monday"));
  write("n1/1.json", cut_off(text_of_rank(1, "n1", "sunday")));
  EXPECT_THAT(missing_in(collected()), ElementsAre(1));
}

TEST_F(folders, of_several_sweeps_must_be_chosen_from) {
  const auto add = [&](const std::string& sweep, const std::string& uuid) {
    write(sweep + "/" + uuid + ".json", with_fleet(file(uuid), {{"sweep", sweep}}).dump());
  };
  add("monday", "GPU-1");
  add("monday", "GPU-2");
  EXPECT_NO_THROW(require_most_of_one_sweep(read_files(files_below({root}))));
  add("sunday", "GPU-1");
  EXPECT_NO_THROW(require_most_of_one_sweep(read_files(files_below({root}))));
  add("sunday", "GPU-2");
  const auto results = read_files(files_below({root}));
  EXPECT_THAT(why_nothing([&] { require_most_of_one_sweep(results); }),
              testing::AllOf(HasSubstr("--sweep=ID"), HasSubstr("monday, sunday")));
}

TEST_F(folders, others_than_the_chosen_sweep_are_passed_over) {
  for (const std::string sweep : {"monday", "sunday"}) {
    write(sweep + "/a.json", text_of_rank(0, "n1", sweep));
    write(sweep + "/cut.json", cut_off(text_of_rank(1, "n1", sweep)));
  }
  auto results = read_files(files_below({root}));
  ASSERT_THAT(results.problems, SizeIs(2));
  EXPECT_EQ(keep_sweep(results, "sunday"), 2U);
  EXPECT_THAT(results.gpus, ElementsAre(Field(&measured_gpu::sweep, "sunday")));
  EXPECT_THAT(results.problems, SizeIs(1));
  EXPECT_THAT(why_nothing([&] { keep_sweep(results, "tuesday"); }),
              testing::AllOf(HasSubstr("'tuesday'"), HasSubstr("sunday")));
}

TEST_F(folders, files_that_cannot_be_used_are_problems) {
  write("n1/a.json", file("GPU-1").dump());
  write("n1/half.json", file("GPU-2").dump().substr(0, 500));
  write("n1/empty.json", "");
  write("n1/other.json", R"({"context": {}, "benchmarks": []})");
  // Those that are only named like a result.
  std::filesystem::create_symlink("nowhere", root / "n1/b.json");
  ASSERT_EQ(::mkfifo((root / "n1/c.json").c_str(), 0600), 0);
  write("n1/d.JSON", "x");
  auto cut = file("GPU-5");
  cut["context"]["transfers"]["complete"] = false;
  write("n1/cut.json", cut.dump());
  const auto sweep = collected();
  EXPECT_THAT(sweep.gpus, SizeIs(2));
  auto expected = std::vector<std::string>(6, "unusable_file");
  expected.emplace_back("incomplete_run");
  EXPECT_THAT(codes(sweep), testing::UnorderedElementsAreArray(expected));
}

TEST_F(folders, are_read_once_by_all_their_names) {
  write("n1/a.json", file("GPU-1").dump());
  write("n2/b.json", file("GPU-2").dump());
  for (const char* node : {"n1", "n2"})
    std::filesystem::create_directory_symlink("..", root / node / "up");
  std::filesystem::create_symlink(root / "n1/a.json", root / "n2/again.json");
  EXPECT_THAT(files_below({root, root / "n1/../n1", root / "n1/a.json"}).files, SizeIs(2));
}

TEST_F(folders, that_cannot_be_read_cost_themselves_alone) {
  write("n1/a.json", file("GPU-1").dump());
  std::filesystem::create_directories(root / "n2");
  std::filesystem::permissions(root / "n2", std::filesystem::perms::none);
  const auto found = files_below({root});
  std::filesystem::permissions(root / "n2", std::filesystem::perms::owner_all);
  EXPECT_THAT(found.files, SizeIs(1));
  if (::geteuid() != 0) {
    EXPECT_THAT(found.problems, ElementsAre(Field(&common::message::code, "unusable_folder")));
  }
}

TEST_F(folders, may_have_sweeps_and_answers_of_ours) {
  write("n1/a.json", file("GPU-1").dump());
  write("sweep.json", R"({"kind":"fleet_sweep","format":1})");
  write("answer.json", "{\n \"kind\": \"fleet_judgement\",\n \"format\": 1}");
  EXPECT_THAT(collected().problems, IsEmpty());
}

TEST_F(folders, without_usable_files_are_refused) {
  write("n1/a.json", "");
  write("n1/sweep.json", R"({"kind":"fleet_sweep","format":1})");
  EXPECT_THAT(why_nothing([&] { collected(); }),
              testing::AllOf(HasSubstr("in 2 files"), HasSubstr("n1/a.json")));
  std::filesystem::remove(root / "n1/a.json");
  EXPECT_THAT(why_nothing([&] { collected(); }), HasSubstr("are no results"));
}

TEST_F(folders, without_result_files_are_refused_by_their_names) {
  std::filesystem::create_directories(root / "n1");
  std::filesystem::create_directories(root / "n2");
  EXPECT_THAT(
      why_nothing([&] {
        files_below({root / "n1", root / "n2"});
      }),
      testing::AllOf(HasSubstr("in " + (root / "n1").string() + ", "), testing::EndsWith("n2")));
}

TEST_F(folders, progress_counts_the_files) {
  write("a.json", file("GPU-1").dump());
  write("b.json", file("GPU-2").dump());
  std::vector<std::size_t> seen;
  collect(files_below({root}), {}, [&](std::size_t done, std::size_t files) {
    seen.push_back(done);
    EXPECT_EQ(files, 2U);
  });
  EXPECT_THAT(seen, UnorderedElementsAre(1U, 2U));
}

}  // namespace
}  // namespace bench_transfers::fleet::read_files_test
