#include "src/fleet/ranks/only_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::fleet::only_writer_test {
namespace {

using testing::Field;
using testing::Optional;

/// A process that writes a file, until this ends.
class writing_process {
 public:
  writing_process(const std::filesystem::path& file, const std::filesystem::path& meeting)
      : process_(fork()) {
    if (process_ == 0) {
      const only_writer own(file, meeting);
      for (;;) raise(SIGSTOP);
    }
    int status = 0;
    waitpid(process_, &status, WUNTRACED);  // it has the lock
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  ~writing_process() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  writing_process(const writing_process&) = delete;
  writing_process& operator=(const writing_process&) = delete;

 private:
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
    shared_file said(entry.path(), 2 * sizeof(std::uint64_t), 1, [](void*) {});
    static_cast<std::uint64_t*>(said.data())[1] += 1;
  }
  EXPECT_THAT(writer(file).other(), Optional(Field(&other_writer::process, std::nullopt)));
}

TEST_F(only_writer_test, leaves_nothing_behind) {
  { const auto first = writer(file); }
  static_cast<void>(writer_of(file, meeting.path()));
  EXPECT_TRUE(std::filesystem::is_empty(meeting.path()));
}

}  // namespace
}  // namespace bench_transfers::fleet::only_writer_test
