#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/gate/model/run.hpp"
#include "src/result_file/contents.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::comparison {

/// Benchmarks are put together by these fields: those of one group differ in size and cache alone.
struct group_key {
  std::string name;  ///< of its benchmarks, without size and cache
  std::string family;
  std::string strategy;
  std::string memory;  ///< may be empty
  result_file::direction direction = result_file::direction::none;

  auto operator<=>(const group_key&) const = default;
};

/// What a benchmark is, beside its values.
struct benchmark_facts {
  group_key group;
  std::optional<std::size_t> size_bytes;
  result_file::cache_state cache = result_file::cache_state::warm;
};

/// The runs of one side.
struct side {
  std::vector<gate::run> runs;
  std::map<std::string, benchmark_facts> facts;
  gate::metric judged_by = {};  ///< the same on both sides
};

/// Throws gate::bad_input for a file that cannot be used.
side read_side(std::span<const std::filesystem::path> files);
/// The same from what has been read of `file`.
side side_of(const result_file::contents& read, const std::filesystem::path& file,
             const gate::metric& judged_by = {});

}  // namespace bench_transfers::comparison
