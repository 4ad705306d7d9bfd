#pragma once

#include <string>

namespace bench_transfers::common {

/// "2_arguments" before "16_arguments".
struct natural_order {
  bool operator()(const std::string& left, const std::string& right) const;
};

}  // namespace bench_transfers::common
