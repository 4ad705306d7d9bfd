
#include "src/common/files.hpp"
#include "src/common/gzip.hpp"
#define ZLIB_CONST
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::common::read_text_test {
namespace {

std::string packed(const std::string& text) {
  z_stream state{};
  EXPECT_EQ(deflateInit2(&state, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&state, text.size()), '\0');
  state.next_in = reinterpret_cast<const Bytef*>(text.data());
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

template <class Read>
std::string complaint(Read read) {
  return complaint_of<read_error>(read);
}

std::string complaint_about(const std::string& bytes, std::size_t most = most_text_bytes) {
  return complaint([&] { return unpacked(bytes, most); });
}

/// A file that is removed after the test.
class written_file {
 public:
  explicit written_file(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  temporary_folder folder_;
  std::filesystem::path path_ = folder_.path() / "text";
};

TEST(unpacked, text_that_is_not_compressed_stays_as_it_is) {
  for (const std::string text : {"", "{}", "\x1f", "\x1e\x8b", "P\x8b"})
    EXPECT_EQ(unpacked(text), text);
}

TEST(unpacked, gzip_in_one_or_several_members_comes_back) {
  std::string large;
  for (int i = 0; i < 50'000; ++i) large += std::to_string(i * 7919);  // more than one buffer
  EXPECT_EQ(unpacked(packed("")), "");
  EXPECT_EQ(unpacked(packed("{}")), "{}");
  EXPECT_EQ(unpacked(packed(large)), large);
  EXPECT_EQ(unpacked(packed("{\"a\"") + packed("") + packed(": 1}") + packed("")), "{\"a\": 1}");
}

TEST(unpacked, every_cut_is_noticed) {
  const auto complete = packed("{\"benchmarks\": []}");
  for (std::size_t size = 2; size < complete.size(); ++size)
    EXPECT_THAT(complaint_about(complete.substr(0, size)), HasSubstr("cut off")) << size;
}

TEST(unpacked, a_changed_byte_of_the_data_or_of_their_checksum_is_noticed) {
  const auto complete = packed("{\"benchmarks\": [\"and so on\"]}");
  constexpr std::size_t header = 10;  // RFC 1952: time and operating system may be anything
  for (std::size_t i = header; i < complete.size(); ++i) {
    auto damaged = complete;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_NE(complaint_about(damaged), "") << i;
  }
}

TEST(unpacked, bytes_after_the_end_are_refused) {
  EXPECT_THAT(complaint_about(packed("{}") + "{}"), HasSubstr("follows"));
  EXPECT_THAT(complaint_about(packed("{}") + "\x1f"), HasSubstr("follows"));
  EXPECT_THAT(complaint_about(packed("{}") + packed("{}").substr(0, 12)), HasSubstr("cut off"));
}

TEST(unpacked_beginning, goes_as_far_as_the_text_does) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919);  // more than one buffer
  const auto complete = packed(text);
  EXPECT_EQ(unpacked_beginning(complete, 10), text.substr(0, 10));
  EXPECT_EQ(unpacked_beginning(complete, text.size()), text);
  EXPECT_EQ(unpacked_beginning(complete, most_text_bytes), text);
  EXPECT_EQ(unpacked_beginning(complete + "{}", most_text_bytes), text);
  EXPECT_EQ(unpacked_beginning(text, 10), text.substr(0, 10));
  auto damaged = complete;
  damaged[complete.size() - 8] = static_cast<char>(damaged[complete.size() - 8] ^ 0x55);
  EXPECT_EQ(unpacked_beginning(damaged, most_text_bytes), text);  // its checksum alone
  const auto half = unpacked_beginning(complete.substr(0, complete.size() / 2), most_text_bytes);
  EXPECT_GT(half.size(), text.size() / 4);
  EXPECT_EQ(half, text.substr(0, half.size()));
  EXPECT_EQ(unpacked_beginning(complete.substr(0, 3), 10), "");
}

TEST(unpacked, a_bomb_is_refused_before_it_fills_memory) {
  const auto bomb = packed(std::string(std::size_t{1} << 20, '0'));
  ASSERT_LT(bomb.size(), 2000U);
  EXPECT_EQ(complaint_about(bomb, 1 << 20), "");
  EXPECT_EQ(complaint_about(bomb, (1 << 20) - 1), "unpacked it is larger than 1 MiB");
  std::string bombs;
  for (int i = 0; i < 200; ++i) bombs += bomb;
  EXPECT_EQ(complaint_about(bombs), "unpacked it is larger than 128 MiB");
}

TEST(read_text, reads_files_of_both_kinds) {
  EXPECT_EQ(read_text(written_file("{}").path()), "{}");
  EXPECT_EQ(read_text(written_file(packed("{}")).path()), "{}");
  EXPECT_EQ(read_text(written_file("").path()), "");
}

TEST(read_text, a_limit_counts_from_the_first_byte_too_many) {
  const written_file file(std::string(100'000, 'x'));
  EXPECT_EQ(read_text(file.path(), 100'000).size(), 100'000U);
  EXPECT_THAT(complaint([&] { return read_text(file.path(), 99'999); }), HasSubstr("larger than"));
}

TEST(read_text, says_why_something_cannot_be_read) {
  const auto why = [](const char* path) { return complaint([&] { return read_text(path); }); };
  EXPECT_EQ(why("/"), "it is a folder, not a file");
  EXPECT_EQ(why("/does/not/exist"), "No such file or directory");
  EXPECT_EQ(why("/dev/zero"), "it is larger than 128 MiB");
  EXPECT_EQ(why("/proc/self/mem"),
            "Input/output error");  // can be opened, but page 0 is not mapped
}

TEST(read_text, without_permission_there_is_no_text) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const written_file file("{}");
  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  EXPECT_EQ(complaint([&] { return read_text(file.path()); }), "Permission denied");
}

}  // namespace
}  // namespace bench_transfers::common::read_text_test
