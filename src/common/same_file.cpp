#include "src/common/same_file.hpp"

#include <system_error>

namespace bench_transfers::common {

bool is_same_file(const std::filesystem::path& lhs, const std::filesystem::path& rhs) {
  if (lhs.empty() || rhs.empty()) return false;
  std::error_code unknown;
  return std::filesystem::equivalent(lhs, rhs, unknown) ||
         std::filesystem::weakly_canonical(lhs, unknown) ==
             std::filesystem::weakly_canonical(rhs, unknown);
}

}  // namespace bench_transfers::common
