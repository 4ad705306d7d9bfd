#include "src/claims/only_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::claims::only_writer_test {
namespace {

using testing::Field;
using testing::Optional;

/// What a writer says of itself: its process, its namespace, whether it is passed over.
constexpr std::size_t words_of_identity = 3;
constexpr auto bytes_of_identity = words_of_identity * sizeof(std::uint64_t);

/// A process that writes a file, until this ends.
class writing_process {
 public:
  writing_process(const std::filesystem::path& file, const std::filesystem::path& meeting)
      : process_(fork()) {
    if (process_ == 0) {
      const only_writer own(file, meeting);
      for (;;) {
        raise(SIGSTOP);
        if (own.is_passed_over()) _exit(passed_over);
      }
    }
    int status = 0;
    waitpid(process_, &status, WUNTRACED);  // it has the lock
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  ~writing_process() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  writing_process(const writing_process&) = delete;
  writing_process& operator=(const writing_process&) = delete;

  [[nodiscard]] pid_t number() const { return process_; }

  /// Lets it go on. Returns whether it knows then that it is passed over.
  [[nodiscard]] bool goes_on_and_gives_way() {
    kill(process_, SIGCONT);
    int status = 0;
    waitpid(process_, &status, WUNTRACED);
    if (WIFSTOPPED(status)) return false;
    process_ = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == passed_over;
  }

 private:
  static constexpr int passed_over = 7;

  pid_t process_;
};

class only_writer_test : public testing::Test {
 protected:
  [[nodiscard]] only_writer writer(const std::filesystem::path& written) const {
    return only_writer(written, meeting.path());
  }

  const common::temporary_folder meeting, results;
  const std::filesystem::path file = results.path() / "GPU-1.json";
};

TEST_F(only_writer_test, is_the_first) {
  std::optional<only_writer> first(std::in_place, file, meeting.path());
  EXPECT_FALSE(first->other());
  EXPECT_THAT(writer(file).other(), Optional(Field(&other_writer::process, getpid())));
  EXPECT_FALSE(writer(results.path() / "GPU-2.json").other());
  first.reset();
  EXPECT_FALSE(writer(file).other());
}

TEST_F(only_writer_test, knows_a_file_by_all_of_its_names) {
  const auto first = writer(file);
  std::filesystem::create_directory(results.path() / "a");
  EXPECT_TRUE(writer(results.path() / "a" / ".." / "GPU-1.json").other());
}

TEST_F(only_writer_test, is_seen_by_who_does_not_write) {
  EXPECT_FALSE(writer_of(file, meeting.path()));
  const auto first = writer(file);
  EXPECT_TRUE(writer_of(file, meeting.path()));
  EXPECT_FALSE(first.other());
}

TEST_F(only_writer_test, passes_over_a_process_that_is_stopped) {
  const writing_process stopped(file, meeting.path());
  EXPECT_FALSE(writer_of(file, meeting.path()));
  const auto next = writer(file);
  EXPECT_FALSE(next.other());
  EXPECT_TRUE(writer_of(file, meeting.path()));
  EXPECT_TRUE(writer(file).other()) << "the process that has passed it over runs";
}

TEST_F(only_writer_test, takes_a_process_that_it_cannot_see_for_one_that_runs) {
  const auto first = writer(file);
  // What a process of another container has said is of another namespace.
  for (const auto& entry : std::filesystem::directory_iterator(meeting.path())) {
    shared_file said(entry.path(), bytes_of_identity, 1, [](void*) {});
    static_cast<std::uint64_t*>(said.data())[1] += 1;
  }
  const auto other = writer(file).other();
  EXPECT_THAT(other, Optional(Field(&other_writer::process, std::nullopt)));
  EXPECT_THAT(other, Optional(Field(&other_writer::is_of_another_container, true)));
}

TEST_F(only_writer_test, tells_a_process_that_goes_on_that_it_was_passed_over) {
  writing_process stopped(file, meeting.path());
  EXPECT_FALSE(stopped.goes_on_and_gives_way()) << "nobody else writes";
  const auto next = writer(file);
  EXPECT_FALSE(next.is_passed_over());
  EXPECT_TRUE(stopped.goes_on_and_gives_way());
}

TEST_F(only_writer_test, goes_on_if_somebody_has_removed_the_folder) {
  const auto first = writer(file);
  std::filesystem::remove_all(meeting.path());
  EXPECT_FALSE(first.is_passed_over());
}

TEST_F(only_writer_test, knows_nothing_of_the_one_before_it) {
  std::optional<only_writer> before(std::in_place, file, meeting.path());
  const auto place = std::filesystem::directory_iterator(meeting.path())->path();
  // Who looks on keeps what it has said.
  const shared_file onlooker(place, bytes_of_identity, 1, [](void*) {});
  before.reset();
  std::fill_n(static_cast<std::uint64_t*>(onlooker.data()), words_of_identity, 1);
  const only_writer next(file, meeting.path());
  EXPECT_FALSE(next.is_passed_over());
  EXPECT_THAT(writer(file).other(), Optional(Field(&other_writer::process, getpid())));
}

TEST_F(only_writer_test, takes_a_process_that_has_said_nothing_for_one_that_runs) {
  const auto first = writer(file);
  const auto place = std::filesystem::directory_iterator(meeting.path())->path();
  const shared_file said(place, bytes_of_identity, 1, [](void*) {});
  static_cast<std::uint64_t*>(said.data())[0] = 0;
  const auto other = writer(file).other();
  EXPECT_THAT(other, Optional(Field(&other_writer::process, std::nullopt)));
  EXPECT_THAT(other, Optional(Field(&other_writer::is_of_another_container, false)));
}

TEST_F(only_writer_test, does_not_pass_over_who_has_the_place_of_a_process_that_has_ended) {
  const auto first = writer(file);
  const auto place = std::filesystem::directory_iterator(meeting.path())->path();
  const shared_file said(place, bytes_of_identity, 1, [](void*) {});
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  siginfo_t information{};
  waitid(P_PID, static_cast<id_t>(ended), &information, WEXITED | WNOWAIT);  // a zombie
  static_cast<std::int64_t*>(said.data())[0] = ended;
  EXPECT_THAT(writer(file).other(), Optional(Field(&other_writer::process, std::nullopt)));
  waitpid(ended, nullptr, 0);
}

TEST_F(only_writer_test, leaves_nothing_behind) {
  { const auto first = writer(file); }
  static_cast<void>(writer_of(file, meeting.path()));
  EXPECT_TRUE(std::filesystem::is_empty(meeting.path()));
}

}  // namespace
}  // namespace bench_transfers::claims::only_writer_test
