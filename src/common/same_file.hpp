#pragma once

#include <filesystem>

namespace bench_transfers::common {

/// Whether two paths lead to the same file, also by different names and before the file exists. An
/// empty path leads to no file.
bool is_same_file(const std::filesystem::path& lhs, const std::filesystem::path& rhs);

}  // namespace bench_transfers::common
