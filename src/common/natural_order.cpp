#include "src/common/natural_order.hpp"

#include <cstring>

namespace bench_transfers::common {

bool natural_order::operator()(const std::string& left, const std::string& right) const {
  return strverscmp(left.c_str(), right.c_str()) < 0;
}

}  // namespace bench_transfers::common
