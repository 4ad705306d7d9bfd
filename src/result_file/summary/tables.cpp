#include "src/result_file/summary/tables.hpp"

#include "src/common/text.hpp"

namespace bench_transfers::result_file {

std::string number_or_dash(std::optional<double> value, int decimals) {
  return value ? common::decimals(*value, decimals) : "-";
}

}  // namespace bench_transfers::result_file
