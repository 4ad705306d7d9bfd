#include "transfers/fast/file_copy.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "src/transfers/fast/file_chunks.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/array/create.hpp"
#include "transfers/core/error.hpp"

namespace transfers::file_copy_test {
namespace {

using bench_transfers::common::complaint_of;
using bench_transfers::common::temporary_folder;

constexpr std::size_t page = 4096;

/// Two threads, and four chunks of two pages each.
constexpr file_reading in_pages{.threads = 2, .chunks = 4, .largest_chunk = 2 * page};

std::error_code code_thrown_by(const std::function<void()>& call) {
  return bench_transfers::common::thrown_by<std::system_error>(call).value().code();
}

class copied_file : public testing::Test {
 protected:
  /// A file of test bytes, which stay in `content`.
  std::filesystem::path write(std::size_t bytes) {
    content.resize(bytes);
    test_bytes(3).write_to(content);
    const auto path = folder.path() / "content";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(bytes));
    return path;
  }

  /// Copies a range of the file and checks every byte of the destination and around it.
  void expect_exact_copy(file_copier& copier, const input_file& file, std::size_t bytes,
                         std::size_t offset, std::size_t device_offset = 0) {
    constexpr std::size_t behind = 64;
    const auto room = device_offset + bytes + behind;
    const auto memory = device.allocate(room);  // the memory of the host device is the host's
    test_bytes(8).write_to({memory.data(), room});
    std::vector<std::byte> expected(memory.data(), memory.data() + room);
    std::copy_n(content.data() + offset, bytes, expected.data() + device_offset);
    copier.copy(memory.data() + device_offset, bytes, file, offset);
    EXPECT_EQ(std::memcmp(memory.data(), expected.data(), room), 0)
        << bytes << " bytes from " << offset;
  }

  temporary_folder folder;
  std::vector<std::byte> content;
  counting_device device;
};

TEST_F(copied_file, arrives_byte_for_byte_at_odd_offsets_and_sizes) {
  const auto path = write(37 * page + 5);
  file_copier copier(device, in_pages);
  const input_file file(path);
  EXPECT_EQ(file.size(), content.size());
  EXPECT_EQ(file.alignment(), 1U);
  for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, page - 1, page, 3 * page + 7})
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{63}, page - 1, page, page + 1,
                                    2 * page, 2 * page + 1, 17 * page + 13})
      expect_exact_copy(copier, file, bytes, offset, offset % 5);
  expect_exact_copy(copier, file, content.size(), 0);
  expect_exact_copy(copier, file, 1, content.size() - 1);
}

TEST_F(copied_file, arrives_past_the_page_cache_at_odd_offsets_and_sizes) {
  const auto path = write(37 * page + 5);
  std::optional<input_file> file;
  try {
    file.emplace(path, file_access::direct);
  } catch (const unsupported& reason) {
    GTEST_SKIP() << reason.what();
  }
  file_copier copier(device, in_pages);
  EXPECT_GE(file->alignment(), page);
  if (file->alignment() > in_pages.largest_chunk) GTEST_SKIP() << "larger blocks than the test's";
  for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, page - 1, page, 3 * page + 7})
    for (const std::size_t bytes :
         {std::size_t{1}, page - 1, page, page + 1, 2 * page + 1, 17 * page + 13})
      expect_exact_copy(copier, *file, bytes, offset, offset % 5);
  expect_exact_copy(copier, *file, content.size(), 0);
  expect_exact_copy(copier, *file, 1, content.size() - 1);
  expect_exact_copy(copier, *file, 3, content.size() - 5);
}

TEST_F(copied_file, arrives_partly_through_the_page_cache_and_partly_past_it) {
  const auto path = write(64 * page + 5);
  const input_file file(path, file_access::either);
  if (file.alignment() > in_pages.largest_chunk) GTEST_SKIP() << "larger blocks than the test's";
  file_copier copier(device, in_pages);
  std::vector<std::byte> cached(page);
  for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, 3 * page + 7}) {
    // On the disk, and then some pages in memory again.
    const input_file plain(path);
    ASSERT_EQ(fdatasync(plain.native_handle()), 0);
    ASSERT_EQ(posix_fadvise(plain.native_handle(), 0, 0, POSIX_FADV_DONTNEED), 0);
    for (const off_t first : {5, 6, 9, 40, 64})
      ASSERT_GT(pread(plain.native_handle(), cached.data(), 5, first * static_cast<off_t>(page)),
                0);
    expect_exact_copy(copier, file, content.size() - offset, offset, offset % 5);
    expect_exact_copy(copier, file, 17 * page + 13, offset);
  }
  EXPECT_THROW(copier.copy(nullptr, 1, file, content.size()), std::out_of_range);
}

TEST_F(copied_file, comes_through_the_page_cache_where_there_is_no_direct_access) {
  // procfs has none, and calls its files empty.
  const input_file file("/proc/self/status", file_access::either);
  EXPECT_EQ(file.alignment(), 1U);
  std::array<std::byte, 16> memory{};
  EXPECT_EQ(file.read(memory.data(), memory.size(), 0), 16);
}

TEST_F(copied_file, fills_memory_with_a_type) {
  const auto path = write(8 * page);
  const context gpu(device);
  std::vector<float> expected(page);
  std::memcpy(expected.data(), content.data() + 12, expected.size() * sizeof(float));
  const auto as_expected = [&](const gpu_array<float>& array) {
    const auto values = array.get();
    return std::memcmp(values.data(), expected.data(), expected.size() * sizeof(float)) == 0;
  };
  auto array = zeros<float>(gpu, {page});
  copy_file(gpu, path, 12, array);
  EXPECT_TRUE(as_expected(array));
  array.clear();
  gpu.synchronize();  // a copier does not wait for streams
  file_copier copier(device, in_pages);
  copier.copy(array, path, 12);
  EXPECT_TRUE(as_expected(array));
  array.clear();
  gpu.synchronize();
  copier.copy(array.view().subview(0, page), input_file(path), 12);
  EXPECT_TRUE(as_expected(array));
}

TEST_F(copied_file, arrives_after_earlier_work_of_the_context) {
  const auto path = write(16 * page);
  device.counts().slowed_by = std::chrono::milliseconds(2);
  const context gpu(device);
  auto array = empty<std::uint8_t>(gpu, {content.size()});
  array.clear();  // under way when the copy is asked for
  copy_file(gpu, path, 0, array);
  const auto values = array.get();
  EXPECT_EQ(std::memcmp(values.data(), content.data(), content.size()), 0);
}

TEST_F(copied_file, may_have_no_bytes_to_copy) {
  file_copier copier(device, in_pages);
  const std::size_t before = device.counts().enqueued;
  const input_file empty(write(0));
  copier.copy(nullptr, 0, empty);
  const input_file file(write(5));
  copier.copy(nullptr, 0, file, 5);
  EXPECT_EQ(device.counts().enqueued, before);
}

TEST_F(copied_file, is_copied_for_several_threads_at_once) {
  const input_file file(write(40 * page + 3));
  file_copier copier(device, in_pages);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (std::size_t k = 0; k < 5; ++k)
        expect_exact_copy(copier, file, 20 * page + i, i * page + k);
    });
}

TEST_F(copied_file, that_has_grown_is_copied_at_its_new_length) {
  const input_file file(write(page));
  file_copier copier(device, in_pages);
  static_cast<void>(write(3 * page));
  expect_exact_copy(copier, file, 3 * page, 0);
}

TEST_F(copied_file, is_refused_beyond_its_end) {
  const auto path = write(100);
  file_copier copier(device, in_pages);
  const input_file file(path);
  std::array<std::byte, 101> memory{};
  for (const auto& [bytes, offset] : std::vector<std::pair<std::size_t, std::uint64_t>>{
           {101, 0}, {1, 100}, {0, 101}, {100, 1}, {1, UINT64_MAX}, {SIZE_MAX, 1}})
    EXPECT_THAT(complaint_of<out_of_range>([&, bytes = bytes, offset = offset] {
                  copier.copy(memory.data(), bytes, file, offset);
                }),
                AllOf(HasSubstr("content"), HasSubstr("which has 100")))
        << bytes << " from " << offset;
}

TEST_F(copied_file, must_be_there_and_be_a_file) {
  EXPECT_EQ(code_thrown_by([&] { input_file(folder.path() / "none"); }),
            std::errc::no_such_file_or_directory);
  EXPECT_THAT(complaint_of<std::system_error>([&] { input_file(folder.path() / "none"); }),
              HasSubstr("none'"));
  for (const auto access : {file_access::cached, file_access::direct}) {
    try {
      const input_file folder_as_file(folder.path(), access);
      ADD_FAILURE() << "a folder was opened";
    } catch (const std::system_error& failure) {
      EXPECT_EQ(failure.code(), std::errc::is_a_directory);
    } catch (const unsupported&) {  // some systems refuse this access first
      EXPECT_EQ(access, file_access::direct);
    }
  }
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(complaint_of<invalid_argument>([&] { const input_file opened(pipe); }),
              HasSubstr("pipe'"));
  EXPECT_THROW(input_file("/dev/null"), std::invalid_argument);
}

/// cuFile refuses others.
TEST_F(copied_file, is_open_without_the_flag_that_refuses_pipes) {
  const input_file file(write(100));
  EXPECT_EQ(fcntl(file.native_handle(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(copied_file, of_a_file_system_without_direct_access_is_unsupported) {
  // procfs has none.
  EXPECT_THAT(
      complaint_of<unsupported>([] { input_file("/proc/self/status", file_access::direct); }),
      HasSubstr("O_DIRECT"));
}

TEST_F(copied_file, keeps_its_file_open_when_it_is_moved) {
  input_file first(write(3 * page));
  input_file second(std::move(first));
  const input_file other(write(2 * page));
  second = input_file(folder.path() / "content");
  file_copier copier(device, in_pages);
  expect_exact_copy(copier, second, 2 * page, 0);
}

TEST_F(copied_file, survives_each_operation_that_fails) {
  const input_file file(write(12 * page));
  const auto failures = fail_each(failure::operation, [&](counting_device& failing) {
    std::optional<file_copier> made;
    try {
      made.emplace(failing, in_pages);
    } catch (const device_error&) {
      return false;
    }
    auto& copier = *made;
    const auto memory = failing.allocate(12 * page);
    try {
      copier.copy(memory.data(), 12 * page, file);
    } catch (const device_error&) {
      EXPECT_TRUE(failing.counts().idle()) << "something was still under way";
      failing.counts().failing_operation = 0;
      copier.copy(memory.data(), 12 * page, file);
      EXPECT_EQ(std::memcmp(memory.data(), content.data(), 12 * page), 0);
      return false;
    }
    return true;
  });
  // Four events of the constructor; a copy of each chunk, and events of those that are waited for.
  EXPECT_GE(failures, 4U + 6U + 2U);
}

TEST_F(copied_file, gives_back_its_memory) {
  {
    const file_copier copier(device, in_pages);
    EXPECT_EQ(device.counts().host_bytes, 4 * 2 * page);
  }
  EXPECT_TRUE(device.counts().nothing_allocated());
}

TEST(file_copier, refuses_settings_of_zero) {
  const auto device = open_host_device();
  for (const auto number : {&file_reading::threads, &file_reading::chunks}) {
    auto settings = in_pages;
    settings.*number = 0;
    EXPECT_THROW(file_copier(*device, settings), std::invalid_argument);
  }
  for (const std::size_t bytes : {std::size_t{0}, page - 1, page + 1}) {
    auto settings = in_pages;
    settings.largest_chunk = bytes;
    EXPECT_THROW(file_copier(*device, settings), std::invalid_argument);
  }
}

/// A file of test bytes in memory, whose reads do what the test says.
class read_in_tests : public testing::Test {
 protected:
  read_in_tests() : content(10 * page + 100) { test_bytes(4).write_to(content); }

  [[nodiscard]] detail::file_reader reader(std::size_t alignment = 1) {
    return {
        [this, alignment](std::byte* memory, std::size_t bytes, std::uint64_t offset) -> ssize_t {
          EXPECT_EQ(offset % alignment, 0U);
          EXPECT_EQ(bytes % alignment, 0U);
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U);
          if (const auto code = next_error()) {
            errno = *code;
            return -1;
          }
          const auto first = std::min<std::size_t>(offset, content.size());
          const auto count = std::min({bytes, content.size() - first, most});
          std::copy_n(content.data() + first, count, memory);
          return static_cast<ssize_t>(count);
        },
        "made up", alignment};
  }

  std::optional<int> next_error() {
    const std::scoped_lock lock(mutex_);
    if (errors.empty()) return std::nullopt;
    const auto code = errors.back();
    errors.pop_back();
    return code;
  }

  void read(const detail::file_reader& file, std::size_t needed, std::uint64_t offset) {
    constexpr std::size_t around = 2 * page;
    const std::unique_ptr<std::byte, decltype(&std::free)> result(
        static_cast<std::byte*>(std::aligned_alloc(page, (needed / page + 1) * page + around)),
        &std::free);
    detail::read_whole(file, result.get(), needed, offset);
    EXPECT_EQ(std::memcmp(result.get(), content.data() + offset, needed), 0);
  }

  std::vector<std::byte> content;
  std::vector<int> errors;      ///< of the next reads, the last first
  std::size_t most = SIZE_MAX;  ///< that one read gives

 private:
  std::mutex mutex_;
};

TEST_F(read_in_tests, goes_on_after_interruptions_and_short_reads) {
  for (const std::size_t most_bytes : {std::size_t{1}, std::size_t{100}, page}) {
    most = most_bytes;
    errors = {EINTR, EINTR, EINTR};
    read(reader(), 2 * page + 17, 3);
    EXPECT_TRUE(errors.empty());
  }
}

TEST_F(read_in_tests, goes_on_after_short_direct_reads_of_whole_blocks_and_parts_of_them) {
  for (const std::size_t most_bytes : {page, 2 * page, page + 512}) {
    most = most_bytes;
    read(reader(page), 7 * page + 5, page);
  }
}

TEST_F(read_in_tests, ends_with_the_file_in_the_middle_of_a_block) {
  read(reader(page), page + 100, 9 * page);
  for (const std::size_t alignment : {std::size_t{1}, page})
    EXPECT_THAT(
        complaint_of<out_of_range>([&] { read(reader(alignment), page + 101, 9 * page); }),
        AllOf(HasSubstr("made up"), HasSubstr("ends after " + std::to_string(content.size())),
              HasSubstr("shorter")));
}

TEST_F(read_in_tests, that_never_gets_further_within_a_block_is_no_endless_loop) {
  most = 100;
  EXPECT_THROW(read(reader(page), page, 0), std::out_of_range);
}

TEST_F(read_in_tests, that_fails_says_why_and_in_which_file) {
  errors = {EIO};
  EXPECT_EQ(code_thrown_by([&] { read(reader(), page, 0); }), std::errc::io_error);
  errors = {EIO};
  EXPECT_THAT(complaint_of<std::system_error>([&] { read(reader(), page, 0); }),
              HasSubstr("cannot read 'made up'"));
  errors = {EINVAL};
  EXPECT_EQ(code_thrown_by([&] { read(reader(), page, 0); }), std::errc::invalid_argument);
}

TEST_F(read_in_tests, past_the_page_cache_that_is_refused_is_unsupported) {
  errors = {EINVAL};
  EXPECT_THAT(complaint_of<unsupported>([&] { read(reader(page), page, 0); }),
              AllOf(HasSubstr("made up"), HasSubstr("O_DIRECT")));
}

TEST_F(read_in_tests, that_fails_in_one_thread_stops_the_others) {
  counting_device device;
  detail::chunk_ring ring(device, {.threads = 3, .chunks = 6, .chunk_bytes = page});
  const auto memory_on_device = device.allocate(9 * page);
  errors = {EIO};
  EXPECT_EQ(code_thrown_by([&] {
              detail::copy_from_file(ring, reader(), memory_on_device.data(), 9 * page, 0);
            }),
            std::errc::io_error);
  EXPECT_TRUE(device.counts().idle());
  detail::copy_from_file(ring, reader(), memory_on_device.data(), 9 * page, 77);
  EXPECT_EQ(std::memcmp(memory_on_device.data(), content.data() + 77, 9 * page), 0);
}

TEST_F(read_in_tests, of_large_blocks_is_aligned_in_every_chunk) {
  counting_device device;
  detail::chunk_ring ring(device, {.threads = 3, .chunks = 3, .chunk_bytes = 4 * page});
  const auto memory_on_device = device.allocate(9 * page);
  detail::copy_from_file(ring, reader(2 * page), memory_on_device.data(), 9 * page, 77);
  EXPECT_EQ(std::memcmp(memory_on_device.data(), content.data() + 77, 9 * page), 0);
}

TEST_F(read_in_tests, of_blocks_that_chunks_do_not_consist_of_is_unsupported) {
  counting_device device;
  const auto memory_on_device = device.allocate(page);
  for (const std::size_t chunk : {page, 3 * page}) {
    detail::chunk_ring ring(device, {.threads = 1, .chunks = 2, .chunk_bytes = chunk});
    EXPECT_THAT(complaint_of<unsupported>([&] {
                  detail::copy_from_file(ring, reader(2 * page), memory_on_device.data(), 1, 0);
                }),
                HasSubstr("multiples of 8192 bytes"));
  }
}

}  // namespace
}  // namespace transfers::file_copy_test
