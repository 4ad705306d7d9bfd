#include "src/common/natural_order.hpp"

#include <cstring>

namespace bench_transfers::common {

bool natural_order::operator()(const std::string& lhs, const std::string& rhs) const {
  return strverscmp(lhs.c_str(), rhs.c_str()) < 0;
}

}  // namespace bench_transfers::common
