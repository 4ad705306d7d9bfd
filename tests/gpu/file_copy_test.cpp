#include "transfers/fast/file_copy.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "bench/strategy/pattern_file.hpp"
#include "tests/basics.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "tests/gpu/pattern.hpp"
#include "transfers/array/create.hpp"

namespace transfers::file_copy_test {
namespace {

using bench_transfers::bench::folder_of_temporary_files;
using bench_transfers::bench::pattern_file;

const pattern data{42, false};

class file_to_gpu : public on_gpu {
 protected:
  /// A copy of the range from `offset`, a multiple of 8, to an odd place, with a guard behind it.
  void expect_exact_copy(file_copier& copier, const input_file& file, std::size_t bytes,
                         std::size_t offset) {
    SCOPED_TRACE(std::to_string(bytes) + " bytes from " + std::to_string(offset));
    constexpr std::size_t guard = 64;
    // The pattern's place is that in the file: the copy goes to the same offset of a block.
    const auto block = gpu->allocate(offset + bytes + guard);
    write_pattern(*gpu, block.data(), 0, block.size(), {7, true});
    copier.copy(block.data() + offset, bytes, file, offset);
    EXPECT_EQ(check_pattern(*gpu, block.data(), offset, bytes, data).wrong_bytes, 0U);
    EXPECT_EQ(check_pattern(*gpu, block.data(), offset + bytes, guard, {7, true}).wrong_bytes, 0U);
    if (offset > 0) {
      EXPECT_EQ(check_pattern(*gpu, block.data(), 0, offset, {7, true}).wrong_bytes, 0U);
    }
  }

  pattern_file content{folder_of_temporary_files(), data};
};

TEST_F(file_to_gpu, arrives_byte_for_byte_through_the_page_cache_and_past_it) {
  content.extend(70 * mib);
  file_copier copier(*gpu);
  const auto copy_ranges = [&](const input_file& file) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{4099}, mib + 5})
      for (const std::size_t bytes :
           {std::size_t{1}, std::size_t{4097}, 3 * mib + 1, 65 * mib + 13})
        expect_exact_copy(copier, file, bytes, offset);
  };
  copy_ranges(content.through_cache());
  if (const auto reason = content.why_not_past_cache()) {
    std::printf("not past the page cache: %s\n", reason->c_str());
  } else {
    copy_ranges(content.past_cache());
    content.make_cold(70 * mib);
    copy_ranges(content.in_cache_or_past_it());
  }
}

TEST_F(file_to_gpu, fills_an_array_and_refuses_what_is_not_there) {
  const context context(*gpu);
  auto array = zeros<std::uint64_t>(context, {mib});
  content.extend(8 * mib);
  file_copies(context).copy(array, content.through_cache());
  EXPECT_EQ(check_pattern(*gpu, as_bytes(array.view()).data(), 0, array.bytes(), data).wrong_bytes,
            0U);
  EXPECT_THROW(file_copies(context).copy(array, content.through_cache(), 1), std::out_of_range);
  EXPECT_THROW(copy_file(context, folder_of_temporary_files() / "no such file", 0, array),
               std::system_error);
  file_copies(context).copy(array, content.through_cache());  // is still usable
  EXPECT_EQ(check_pattern(*gpu, as_bytes(array.view()).data(), 0, array.bytes(), data).wrong_bytes,
            0U);
}

TEST_F(file_to_gpu, arrives_with_any_settings) {
  constexpr std::size_t bytes = 64 * mib + 13;
  content.extend(bytes);
  const auto block = gpu->allocate(bytes);
  for (const unsigned threads : {1U, 4U, 12U})
    for (const std::size_t kib : {4, 256, 4096})
      for (const unsigned chunks : {1U, 2U, 16U}) {
        file_copier copier(*gpu, {threads, chunks, kib * 1024});
        write_pattern(*gpu, block.data(), 0, bytes, {7, true});
        copier.copy(block.data(), bytes, content.through_cache());
        EXPECT_EQ(check_pattern(*gpu, block.data(), 0, bytes, data).wrong_bytes, 0U)
            << threads << " threads, " << chunks << " chunks of " << kib << " KiB";
      }
}

}  // namespace
}  // namespace transfers::file_copy_test
