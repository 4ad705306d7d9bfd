#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/strategy/pattern_file.hpp"
#include "tests/basics.hpp"
#include "tests/data/fake_cufile.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::file_strategy_test {
namespace {

using common::temporary_folder;

constexpr std::size_t page = 4096;

std::size_t resident_pages(const pattern_file& file, std::size_t bytes) {
  return file_mapping(file.through_cache(), bytes).resident_pages();
}

/// Why a state of the page cache cannot be shown in the folder of this test; some systems and file
/// systems cannot.
std::optional<std::string> why_not(const std::filesystem::path& folder, bool cold) {
  pattern_file file(folder, {1, false});
  file.extend(page);
  const auto reason = common::thrown_by<transfers::unsupported>(
      [&] { cold ? file.make_cold(page) : file.make_warm(page); });
  return reason ? std::optional<std::string>(reason->what()) : std::nullopt;
}

class pattern_in_file : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::byte> content(std::size_t bytes) const {
    std::vector<std::byte> read(bytes);
    EXPECT_EQ(pread(file.through_cache().native_handle(), read.data(), bytes, 0),
              static_cast<ssize_t>(bytes));
    return read;
  }
  void expect_pattern(std::size_t bytes) const {
    const auto read = content(bytes);
    EXPECT_EQ(check_host_pattern(read.data(), 0, bytes, {7, false}).wrong_bytes, 0U);
  }

  temporary_folder folder;
  pattern_file file{folder.path(), {7, false}};
};

TEST_F(pattern_in_file, has_no_name) { EXPECT_TRUE(std::filesystem::is_empty(folder.path())); }

TEST_F(pattern_in_file, grows_and_never_shrinks) {
  file.extend(100);
  expect_pattern(100);
  file.extend(5 * mib + 3);
  expect_pattern(5 * mib + 3);
  const auto size = file.through_cache().size();
  file.extend(1);
  EXPECT_EQ(file.through_cache().size(), size);
}

TEST_F(pattern_in_file, is_brought_into_the_page_cache_and_out_of_it) {
  for (const bool cold : {false, true})
    if (const auto reason = why_not(folder.path(), cold)) GTEST_SKIP() << *reason;
  file.extend(3 * mib + 1);
  const auto pages = (3 * mib + 1) / page + 1;
  for (int again = 0; again < 2; ++again) {
    file.make_cold(3 * mib + 1);
    EXPECT_EQ(resident_pages(file, 3 * mib + 1), 0U);
    file.make_warm(3 * mib + 1);
    EXPECT_EQ(resident_pages(file, 3 * mib + 1), pages);
    expect_pattern(3 * mib + 1);
  }
}

TEST_F(pattern_in_file, that_somebody_holds_in_memory_is_not_called_cold) {
  for (const bool cold : {false, true})
    if (const auto reason = why_not(folder.path(), cold)) GTEST_SKIP() << *reason;
  file.extend(8 * page);
  const file_mapping held(file.through_cache(), 8 * page);
  volatile const std::byte touched = held.data()[0];  // a mapped page cannot be dropped
  static_cast<void>(touched);
  EXPECT_THAT([&] { file.make_cold(8 * page); },
              ThrowsMessage<transfers::unsupported>(AllOf(
                  HasSubstr("of the file's 8 pages stay in the page cache"), HasSubstr("TMPDIR"))));
}

TEST_F(pattern_in_file, is_read_past_the_page_cache_or_says_why_not) {
  file.extend(mib);
  if (const auto reason = file.why_not_past_cache()) {
    EXPECT_THROW(static_cast<void>(file.past_cache()), transfers::unsupported);
    GTEST_SKIP() << *reason;
  }
  EXPECT_EQ(file.past_cache().access(), transfers::file_access::direct);
  EXPECT_EQ(resident_pages(file, page), 0U);
}

TEST_F(pattern_in_file, that_has_no_room_says_so_and_stays_as_it_was) {
  file.extend(page);
  EXPECT_THAT([&] { file.extend(std::size_t{1} << 62); },
              ThrowsMessage<transfers::unsupported>(
                  AllOf(HasSubstr("no room for a file of 4611686018427387904 bytes"),
                        HasSubstr(folder.path().string()))));
  EXPECT_EQ(file.through_cache().size(), page);
}

/// Files may not become longer, as on a disk that is full.
class length_limit {
 public:
  explicit length_limit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit lower{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &lower);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  length_limit(const length_limit&) = delete;
  length_limit& operator=(const length_limit&) = delete;
  ~length_limit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(pattern_in_file, that_cannot_be_written_says_so_and_gives_its_room_back) {
  file.extend(page);
  {
    const length_limit limit(6 * mib);
    EXPECT_THAT([&] { file.extend(20 * mib); },
                ThrowsMessage<transfers::unsupported>(
                    AllOf(HasSubstr("no room for a file"), HasSubstr("File too large"))));

    EXPECT_EQ(file.through_cache().size(), page);
  }
  file.extend(20 * mib);
  expect_pattern(20 * mib);
}

TEST(pattern_file, needs_a_folder) {
  const temporary_folder folder;
  EXPECT_THAT(
      [&] {
        const pattern_file file(folder.path() / "none", {7, false});
      },
      ThrowsMessage<transfers::unsupported>(
          AllOf(HasSubstr("no file can be made in"), HasSubstr("none"))));
}

/// A session whose temporary files are in a folder of its own.
class file_session : public host_session {
 protected:
  file_session() {
    if (const auto* const value = std::getenv("TMPDIR")) before_ = value;
    choose(folder.path());
    chosen.sizes = {64 * kib, mib};
    chosen.own_sizes = true;
  }
  ~file_session() override {
    if (before_)
      choose(*before_);
    else
      unsetenv("TMPDIR");
  }
  static void choose(const std::filesystem::path& temporary) {
    setenv("TMPDIR", temporary.c_str(), 1);
  }

  temporary_folder folder;

 private:
  std::optional<std::string> before_;
};

TEST_F(file_session, files_are_described_by_method_and_state_of_the_cache) {
  for (const auto& described : make_plan(strategies, *device, chosen).cases)
    EXPECT_NE(described.role, "file");
  chosen.strategies = {"file"};
  for (const auto& described : make_plan(strategies, *device, chosen).cases) {
    if (described.bytes() != mib) continue;
    EXPECT_EQ(described.role, "file");
    EXPECT_EQ(described.direction, result_file::direction::h2d);
    EXPECT_EQ(described.cache, cache_state::warm);
    EXPECT_EQ(described.memory, std::nullopt);
    const auto method = "file/" + described.method.value_or("");
    // Past the page cache, its state is no choice.
    const bool names_setting = described.method != "direct";
    EXPECT_EQ(described.strategy, names_setting ? method + "/" + *described.setting : method);
    EXPECT_TRUE(names_setting || described.setting == "cold");
  }
  EXPECT_THAT(make_plan(strategies, *device, chosen).skipped,
              Contains(Field(&skipped_case::name, HasSubstr("file/cufile/warm"))));
}

TEST_F(file_session, warm_files_arrive_and_their_reads_are_timed_in_turn) {
  if (const auto reason = why_not(folder.path(), false)) GTEST_SKIP() << *reason;
  chosen.strategies = {"file/mmap/warm", "file/pread/warm"};
  const auto result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.skipped, IsEmpty());
  expect_all_others_ran(result);
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    EXPECT_GT(row.at("read_gb_per_s"), 0);
    EXPECT_GT(row.at("gb_per_s"), 0);
    const bool by_threads = row.at("name").get<std::string>().starts_with("file/pread/");
    EXPECT_EQ(row.contains("reading_threads"), by_threads);
  }
}

TEST_F(file_session, files_are_read_by_the_cufile_that_is_loaded) {
  for (const bool cold : {false, true})
    if (const auto reason = why_not(folder.path(), cold)) GTEST_SKIP() << *reason;
  const std::shared_ptr<void> fake(dlopen(FAKE_CUFILE, RTLD_NOW | RTLD_LOCAL),
                                   [](void* loaded) { dlclose(loaded); });
  ASSERT_NE(fake, nullptr);
  auto& state = *reinterpret_cast<fake_cufile::get_behaviour>(
      dlsym(fake.get(), fake_cufile::behaviour_function))();
  state = {.most_bytes_of_read = 50'000};
  for (auto& known : strategies)
    if (known.name().starts_with("file/cufile/")) known.needs.why_unsupported = {};
  chosen.strategies = {"file/cufile"};
  chosen.sizes = {mib};
  const auto result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.skipped, IsEmpty());
  expect_all_others_ran(result);
  for (const auto& row : rows.content().at("benchmarks")) EXPECT_TRUE(row.contains("nvidia_fs"));
  EXPECT_GT(state.reads, 21);
  EXPECT_EQ(state.open_drivers, 0);
  EXPECT_EQ(state.registered_files, 0);
}

TEST_F(file_session, cold_files_arrive_or_are_skipped_with_a_reason) {
  chosen.strategies = {"file/mmap/cold", "file/pread/cold", "file/direct"};
  chosen.sizes = {mib};
  const auto reason = why_not(folder.path(), true);
  const auto result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  if (reason) {
    for (const auto& skipped : result.skipped) EXPECT_EQ(skipped.reason.code, "unsupported");
    EXPECT_THAT(result.skipped, SizeIs(3));
    return;
  }
  for (const auto& skipped : result.skipped)  // where there is no access past the page cache
    EXPECT_THAT(skipped.name, StartsWith("file/direct/"));
  expect_all_others_ran(result);
  for (const auto& row : rows.content().at("benchmarks"))
    if (row.at("name").get<std::string>().starts_with("file/direct/")) {
      EXPECT_GT(row.at("disk_gb_per_s"), 0);
    }
}

/// Runs one operation of a strategy; between operations it does what the harness does.
class one_operation {
 public:
  one_operation(transfers::device& device, const std::string& name) : memory_(device, 7) {
    ready_ = find_strategy(name).prepare({device, memory_, *stream_, "h2d", bytes});
  }

  static constexpr std::size_t bytes = mib;
  void between() const { ready_.timing.between(); }
  void run() const { ready_.steps.at(0).run(); }
  [[nodiscard]] std::size_t resident() { return resident_pages(*memory_.file(bytes), bytes); }

 private:
  std::unique_ptr<transfers::device> own_ = transfers::open_host_device();
  std::unique_ptr<transfers::stream> stream_ = own_->create_stream();
  buffers memory_;
  transfer ready_;
};

TEST_F(file_session, operations_begin_with_the_page_cache_that_their_name_says) {
  for (const bool cold : {false, true})
    if (const auto reason = why_not(folder.path(), cold)) GTEST_SKIP() << *reason;
  for (const auto* const method : {"mmap", "mmap_staged", "pread"})
    for (const bool cold : {false, true}) {
      SCOPED_TRACE(std::string(method) + (cold ? " cold" : " warm"));
      one_operation operation(*device, std::string("file/") + method + (cold ? "/cold" : "/warm"));
      for (int again = 0; again < 2; ++again) {
        operation.between();
        EXPECT_EQ(operation.resident(), cold ? 0U : one_operation::bytes / page);
        operation.run();
        EXPECT_EQ(operation.resident(), one_operation::bytes / page);  // the cache keeps it
      }
    }
}

TEST_F(file_session, reads_past_the_page_cache_leave_it_as_it_was) {
  if (const auto reason = why_not(folder.path(), true)) GTEST_SKIP() << *reason;
  {
    pattern_file probe(folder.path(), {1, false});
    probe.extend(page);
    if (const auto reason = probe.why_not_past_cache()) GTEST_SKIP() << *reason;
  }
  for (const auto* const name : {"file/direct", "file/either/cold", "file/either/warm"}) {
    SCOPED_TRACE(name);
    one_operation operation(*device, name);
    operation.between();
    const auto before = operation.resident();
    EXPECT_EQ(before, std::string(name).ends_with("warm") ? one_operation::bytes / page : 0U);
    operation.run();
    EXPECT_EQ(operation.resident(), before);
  }
}

TEST_F(file_session, files_are_skipped_where_they_cannot_be_made) {
  choose(folder.path() / "none");
  chosen.strategies = {"file/pread/warm"};
  const auto result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  ASSERT_THAT(result.skipped, SizeIs(2));
  for (const auto& skipped : result.skipped) {
    EXPECT_EQ(skipped.reason.code, "unsupported");
    EXPECT_THAT(skipped.reason.text, HasSubstr("TMPDIR"));
  }
}

TEST_F(file_session, files_are_skipped_where_there_is_no_room) {
  const length_limit limit(128 * kib);
  chosen.strategies = {"file/pread/warm"};
  const auto result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  ASSERT_THAT(result.skipped, SizeIs(1));  // the larger one
  EXPECT_EQ(result.skipped[0].name, "file/pread/warm/h2d/1MiB");
  EXPECT_THAT(result.skipped[0].reason.text, HasSubstr("no room for a file of 1048576 bytes"));
}

TEST_F(file_session, a_copy_that_loses_a_byte_is_found) {
  if (const auto reason = why_not(folder.path(), false)) GTEST_SKIP() << *reason;
  chosen.strategies = {"file/pread/warm"};
  chosen.sizes = {64 * kib};
  chosen.faults = {parse_fault("corrupt@pread")};
  EXPECT_THAT(
      by_name(run_session().failures),
      ElementsAre(Pair("file/pread/warm/h2d/64KiB", HasSubstr("wrong data: 1 of 65536 bytes"))));
}

}  // namespace
}  // namespace bench_transfers::bench::file_strategy_test
