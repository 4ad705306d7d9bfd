#include "src/common/same_file.hpp"

#include <system_error>

namespace bench_transfers::common {
namespace {

/// A relative name of a file that does not exist would stay one.
std::filesystem::path whole_name(const std::filesystem::path& file) {
  std::error_code unknown;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file, unknown), unknown);
}

}  // namespace

bool is_same_file(const std::filesystem::path& lhs, const std::filesystem::path& rhs) {
  if (lhs.empty() || rhs.empty()) return false;
  std::error_code unknown;
  return std::filesystem::equivalent(lhs, rhs, unknown) || whole_name(lhs) == whole_name(rhs);
}

}  // namespace bench_transfers::common
