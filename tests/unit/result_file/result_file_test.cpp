#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/common/files.hpp"
#include "src/common/writing.hpp"
#include "src/result_file/writer.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::result_file::result_file_test {
namespace {

json repetition(const std::string& name, int index) {
  return {
      {"name", name}, {"run_name", name}, {"run_type", "iteration"}, {"repetition_index", index}};
}

json aggregate(const std::string& name, const std::string& statistic) {
  return {{"name", name + "_" + statistic},
          {"run_name", name},
          {"run_type", "aggregate"},
          {"aggregate_name", statistic}};
}

/// Names and repetitions of the rows, "name#2" and so on.
std::vector<std::string> rows_of(const json& content) {
  std::vector<std::string> rows;
  for (const auto& row : content.at("benchmarks")) {
    auto name = row.at("name").get<std::string>();
    if (row.contains("repetition_index"))
      name += "#" + std::to_string(row.at("repetition_index").get<int>());
    rows.push_back(name);
  }
  return rows;
}

class result_file_test : public testing::Test {
 protected:
  /// What the file holds; it must be whole JSON at any time.
  [[nodiscard]] json on_disk() const { return json::parse(common::read_text(path)); }

  [[nodiscard]] std::vector<std::string> names_in_folder() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

  template <class Write>
  static void expect_refused(const std::filesystem::path& where, Write&& write) {
    EXPECT_THAT(std::forward<Write>(write), ThrowsMessage<common::write_error>(AllOf(
                                                HasSubstr(where.string()), Not(HasSubstr("\n")),
                                                Ne("cannot write " + where.string() + ": "))));
  }

  common::temporary_folder own;
  const std::filesystem::path& folder = own.path();
  std::filesystem::path path = folder / "results.json";
  const json context{{"date", "today"}, {"transfers", {{"complete", false}}}};
};

TEST_F(result_file_test, is_whole_from_the_beginning_and_after_every_row) {
  writer file(path, context);
  EXPECT_EQ(on_disk(), (json{{"context", context}, {"benchmarks", json::array()}}));
  for (int i = 0; i < 20; ++i) {
    file.add(repetition("a/b/4B", i));
    EXPECT_LE(on_disk().at("benchmarks").size(), static_cast<std::size_t>(i + 1));
  }
  EXPECT_EQ(file.content().at("benchmarks").size(), 20U);
  file.finish();
  EXPECT_EQ(on_disk(), file.content());
  EXPECT_EQ(on_disk().at("benchmarks").size(), 20U);
  EXPECT_THAT(names_in_folder(), ElementsAre("results.json"));
  EXPECT_EQ(file.path(), path);
}

TEST_F(result_file_test, rows_get_there_before_the_end_when_there_is_time) {
  writer file(path, context);
  int added = 0;
  do {
    std::this_thread::sleep_for(20ms);
    file.add(repetition("a/b/4B", added++));
  } while (on_disk().at("benchmarks").empty());
  EXPECT_EQ(on_disk().at("benchmarks").size(), added);
}

TEST_F(result_file_test, replaces_an_older_file) {
  std::ofstream(path) << "something else, much longer than what is going to be written first";
  const writer file(path, json::object());
  EXPECT_EQ(on_disk().at("context"), json::object());
}

TEST_F(result_file_test, has_one_line_per_row) {
  writer file(path, context);
  file.add(repetition("a", 0));
  file.add(repetition("b", 0));
  file.finish();
  std::istringstream lines(common::read_text(path));
  int rows = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("{\"name\"")) ++rows;
  EXPECT_EQ(rows, 2);
}

TEST_F(result_file_test, facts_are_replaced) {
  writer file(path, context);
  file.set_facts({{"complete", true}});
  file.finish();
  EXPECT_EQ(on_disk().at("context").at("transfers"), (json{{"complete", true}}));
  EXPECT_EQ(on_disk().at("context").at("date"), "today");
}

TEST_F(result_file_test, a_counter_has_one_description) {
  writer file("", {{"transfers", nullptr}});
  const metric hops{
      .name = "hops", .unit = "1", .kind = metric_kind::count, .better = {}, .description = "a"};
  auto redefined = hops;
  redefined.better = better::less;
  file.describe(hops);
  EXPECT_NO_THROW(file.describe(hops));
  EXPECT_THROW(file.describe(redefined), std::logic_error);
  EXPECT_EQ(file.content()["context"]["transfers"]["metrics"]["hops"], to_json(hops));
}

TEST_F(result_file_test, without_a_path_nothing_is_written) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  {
    writer file("", context);
    file.add(repetition("a", 0));
    file.finish();
    EXPECT_EQ(file.content().at("benchmarks").size(), 1U);
  }
  std::filesystem::current_path(before);
  EXPECT_THAT(names_in_folder(), IsEmpty());
}

TEST_F(result_file_test, a_folder_that_is_not_there_is_an_error) {
  const auto where = folder / "missing" / "results.json";
  expect_refused(where, [&] { writer(where, context); });
}

TEST_F(result_file_test, a_folder_in_place_of_the_file_is_an_error_and_leaves_nothing_behind) {
  std::filesystem::create_directory(path);
  expect_refused(path, [&] { writer(path, context); });
  EXPECT_THAT(names_in_folder(), ElementsAre("results.json"));
}

TEST_F(result_file_test, what_is_neither_a_file_nor_a_link_to_one_is_not_replaced) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);  // or /dev/null, which must not be tried out
  expect_refused(path, [&] { writer(path, context); });
  EXPECT_EQ(std::filesystem::status(path).type(), std::filesystem::file_type::fifo);
  EXPECT_THAT(names_in_folder(), ElementsAre("results.json"));
}

TEST_F(result_file_test, a_link_is_followed) {
  const auto real = folder / "real.json";
  std::ofstream(real) << "old";
  std::filesystem::create_symlink("real.json", path);
  const writer file(path, context);
  EXPECT_TRUE(std::filesystem::is_symlink(path));
  EXPECT_EQ(json::parse(common::read_text(real)).at("context"), context);
  EXPECT_THAT(names_in_folder(), ElementsAre("real.json", "results.json"));
}

TEST_F(result_file_test, a_folder_that_goes_away_is_an_error_of_the_end) {
  writer file(path, context);
  std::filesystem::remove_all(folder);
  expect_refused(path, [&] { file.finish(); });
}

TEST_F(result_file_test, the_old_file_survives_when_writing_fails) {
  writer file(path, context);
  const auto before = common::read_text(path);
  for (int i = 0; i < 200; ++i) file.add(repetition("a rather long name to fill the file", i));
  const auto text = on_disk();

  // A disk that is full after some kilobytes, as far as this process can see.
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  common::let_oversized_writes_fail();
  const rlimit small{4096, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto message = common::complaint_of<common::write_error>([&] { file.finish(); });

  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);

  EXPECT_THAT(message, AllOf(HasSubstr(path.string()), Not(HasSubstr("\n"))));
  EXPECT_EQ(on_disk(), text);
  EXPECT_THAT(names_in_folder(), ElementsAre("results.json"));
  EXPECT_NO_THROW(file.finish());
  EXPECT_EQ(on_disk().at("benchmarks").size(), 200U);
}

TEST_F(result_file_test, rows_are_sorted_by_benchmark_and_repetition_at_the_end) {
  writer file("", context);
  for (const auto& row :
       {repetition("b", 0), repetition("a", 0), repetition("c", 0), repetition("a", 1),
        repetition("c", 1), repetition("b", 1), aggregate("a", "mean"), aggregate("a", "median"),
        aggregate("b", "mean"), repetition("b", 10), repetition("b", 2)})
    file.add(row);
  file.finish();
  EXPECT_THAT(rows_of(file.content()), ElementsAre("b#0", "b#1", "b#2", "b#10", "b_mean", "a#0",
                                                   "a#1", "a_mean", "a_median", "c#0", "c#1"));
}

TEST_F(result_file_test, benchmarks_can_be_put_in_order_at_the_end) {
  writer file("", context);
  for (const auto& row : {repetition("c", 1), repetition("x", 0), repetition("b", 0),
                          repetition("a", 0), repetition("c", 0)})
    file.add(row);
  file.finish(false, std::vector<std::string>{"a", "b", "never_ran", "c"});
  EXPECT_THAT(rows_of(file.content()), ElementsAre("a#0", "b#0", "c#0", "c#1", "x#0"));
}

TEST_F(result_file_test, require_writable_says_so_and_leaves_everything_as_it_was) {
  EXPECT_NO_THROW(common::require_writable(path));
  EXPECT_THAT(names_in_folder(), IsEmpty());
  std::ofstream(path) << "old";
  EXPECT_NO_THROW(common::require_writable(path));
  EXPECT_EQ(common::read_text(path), "old");
  EXPECT_THAT(names_in_folder(), ElementsAre("results.json"));
  const auto below_a_file = path / "results.json";
  expect_refused(below_a_file, [&] { common::require_writable(below_a_file); });
  expect_refused(folder, [&] { common::require_writable(folder); });
}

TEST_F(result_file_test, write_whole_replaces_the_text) {
  common::write_whole(path, "a long first text");
  common::write_whole(path, "short\n");
  EXPECT_EQ(common::read_text(path), "short\n");
  EXPECT_THAT(names_in_folder(), ElementsAre("results.json"));
}

TEST_F(result_file_test, somebody_elses_files_beside_it_are_left_alone) {
  const auto precious = folder / "precious.txt";
  std::ofstream(precious) << "precious";
  const auto linked = folder / "results.json.part";
  std::filesystem::create_symlink(precious.filename(), linked);
  common::require_writable(path);
  common::write_whole(path, "text");
  EXPECT_TRUE(std::filesystem::is_symlink(linked));
  EXPECT_EQ(common::read_text(precious), "precious");

  std::filesystem::remove(linked);
  std::ofstream(linked) << "mine";
  common::require_writable(path);
  common::write_whole(path, "text");
  EXPECT_EQ(common::read_text(linked), "mine");
  EXPECT_EQ(common::read_text(path), "text");
}

TEST_F(result_file_test, write_whole_gives_the_permissions_that_new_files_have) {
  for (const auto mask : {0022U, 0027U, 0077U}) {
    std::filesystem::remove(path);  // a file takes over the permissions of the one before
    const auto before = umask(mask);
    common::write_whole(path, "text");
    umask(before);
    EXPECT_EQ(std::filesystem::status(path).permissions(),
              static_cast<std::filesystem::perms>(0666U & ~mask));
  }
}

TEST_F(result_file_test, a_name_as_long_as_names_can_be_is_no_obstacle) {
  const auto longest = folder / std::string(NAME_MAX, 'x');
  common::require_writable(longest);
  common::write_whole(longest, "text");
  EXPECT_EQ(common::read_text(longest), "text");
  const auto longer = folder / std::string(NAME_MAX + 1, 'x');
  expect_refused(longer, [&] { common::require_writable(longer); });
}

TEST_F(result_file_test, aggregates_stand_for_their_repetitions_when_asked_for) {
  writer file(path, context);
  for (const auto& row : {repetition("once", 0), repetition("twice", 0), repetition("twice", 1),
                          aggregate("twice", "mean"), aggregate("twice", "median")})
    file.add(row);
  file.finish(true);
  EXPECT_THAT(rows_of(on_disk()), ElementsAre("once#0", "twice_mean", "twice_median"));
}

TEST_F(result_file_test, numbers_that_json_has_not_become_null) {
  writer file(path, context);
  auto row = repetition("a", 0);
  row["nan"] = std::numeric_limits<double>::quiet_NaN();
  row["infinity"] = std::numeric_limits<double>::infinity();
  row["minus_infinity"] = -std::numeric_limits<double>::infinity();
  row["number"] = 0.1;
  file.add(row);
  file.finish();
  const auto back = on_disk().at("benchmarks").at(0);
  for (const char* key : {"nan", "infinity", "minus_infinity"})
    EXPECT_TRUE(back.at(key).is_null()) << key;
  EXPECT_EQ(back.at("number"), 0.1);
}

TEST_F(result_file_test, text_that_is_not_utf8_does_no_harm) {
  auto strange = context;
  strange["host_name"] = "caf\xe9";
  writer file(path, strange);
  auto row = repetition("a", 0);
  row["error_message"] = "\xff\xfe line\nbreak \"quoted\"";
  file.add(row);
  file.finish();
  EXPECT_EQ(on_disk().at("context").at("host_name"), "caf\xef\xbf\xbd");
  EXPECT_THAT(on_disk().at("benchmarks").at(0).at("error_message"),
              HasSubstr(" line\nbreak \"quoted\""));
}

}  // namespace
}  // namespace bench_transfers::result_file::result_file_test
