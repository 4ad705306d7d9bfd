#include "bench/subjects/cufile.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/strategy/pattern_file.hpp"
#include "tests/basics.hpp"
#include "tests/data/fake_cufile.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::cufile_test {
namespace {

using subjects::cufile_input;

constexpr std::size_t bytes = 10'000;

class cufile : public testing::Test {
 protected:
  void SetUp() override {
    state = {};
    file.extend(bytes);
  }
  void TearDown() override {
    EXPECT_EQ(state.open_drivers, 0);
    EXPECT_EQ(state.registered_files, 0);
  }

  [[nodiscard]] cufile_input input() const {
    return cufile_input(file.through_cache().native_handle(), FAKE_CUFILE);
  }
  /// Why a library cannot be used.
  [[nodiscard]] std::string reason(const std::string& name) const {
    return common::complaint_of<transfers::unsupported>(
        [&] { const cufile_input unexpected(file.through_cache().native_handle(), name); }, "none");
  }
  void expect_pattern(const std::vector<std::byte>& read) const {
    EXPECT_EQ(check_host_pattern(read.data(), 0, read.size(), {7, false}).wrong_bytes, 0U);
  }

  common::temporary_folder folder;
  pattern_file file{folder.path(), {7, false}};
  std::shared_ptr<void> library{dlopen(FAKE_CUFILE, RTLD_NOW | RTLD_LOCAL),
                                [](void* loaded) { dlclose(loaded); }};
  fake_cufile::behaviour& state = *reinterpret_cast<fake_cufile::get_behaviour>(
      dlsym(library.get(), fake_cufile::behaviour_function))();
  std::vector<std::byte> memory = std::vector<std::byte>(bytes);
};

TEST_F(cufile, reads_a_file) {
  const auto read = input();
  EXPECT_EQ(state.open_drivers, 1);
  EXPECT_EQ(state.registered_files, 1);
  read.read(memory.data(), bytes);
  expect_pattern(memory);
  EXPECT_EQ(state.reads, 1);
}

TEST_F(cufile, reads_on_where_a_read_was_short) {
  state.most_bytes_of_read = 4096;
  input().read(memory.data(), bytes);
  expect_pattern(memory);
  EXPECT_EQ(state.reads, 3);
}

TEST_F(cufile, closes_what_it_has_opened_once_if_it_is_moved) {
  auto first = input();
  const auto second = std::move(first);
  second.read(memory.data(), bytes);
  expect_pattern(memory);
  EXPECT_EQ(state.open_drivers, 1);
}

TEST_F(cufile, that_is_not_there_is_unsupported) {
  EXPECT_THAT(reason("libcufile_of_nobody.so.0"),
              AllOf(HasSubstr("cuFile cannot be loaded"), HasSubstr("libcufile_of_nobody.so.0"),
                    Not(HasSubstr("\n"))));
}

TEST_F(cufile, that_lacks_a_function_is_unsupported) {
  EXPECT_EQ(reason(FAKE_CUFILE_WITHOUT_READ), "the installed cuFile has no cuFileRead");
}

TEST_F(cufile, that_does_not_start_is_unsupported) {
  state.open_error = 5001;
  EXPECT_EQ(reason(FAKE_CUFILE), "cuFile does not start: cuFileDriverOpen: CUfileOpError 5001");
  state.cuda_error = 100;
  EXPECT_THAT(reason(FAKE_CUFILE), HasSubstr("CUfileOpError 5001, CUresult 100"));
}

TEST_F(cufile, that_refuses_the_file_is_unsupported_and_closed) {
  state.register_error = 5008;
  EXPECT_EQ(reason(FAKE_CUFILE),
            "cuFile does not take the file: cuFileHandleRegister: CUfileOpError 5008");
}

TEST_F(cufile, reports_what_the_file_system_says) {
  const auto read = input();
  state.read_error = -1;
  state.read_errno = EIO;
  const auto error = common::thrown_by<std::system_error>([&] { read.read(memory.data(), bytes); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), std::errc::io_error);
  EXPECT_THAT(error->what(), HasSubstr("cuFileRead"));
}

TEST_F(cufile, reports_its_own_errors) {
  const auto read = input();
  state.read_error = -5011;
  const auto error =
      common::thrown_by<transfers::device_error>([&] { read.read(memory.data(), bytes); });
  ASSERT_TRUE(error);
  EXPECT_STREQ(error->what(), "cuFileRead: CUfileOpError 5011");
  EXPECT_FALSE(error->device_lost());
}

TEST_F(cufile, reports_a_file_that_ends_too_early) {
  const auto read = input();
  const auto more = file.through_cache().size() + 1;
  memory.resize(more);
  EXPECT_THAT([&] { read.read(memory.data(), more); },
              ThrowsMessage<transfers::device_error>(
                  HasSubstr("the file ends after " + std::to_string(more - 1))));
}

}  // namespace
}  // namespace bench_transfers::bench::cufile_test
