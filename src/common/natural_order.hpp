#pragma once

#include <string>

namespace bench_transfers::common {

/// "2_arguments" before "16_arguments".
struct natural_order {
  bool operator()(const std::string& lhs, const std::string& rhs) const;
};

}  // namespace bench_transfers::common
