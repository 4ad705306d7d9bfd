#include "src/gate/model/bad_input.hpp"

#include "src/common/text.hpp"

namespace bench_transfers::gate {

std::string quoted(const std::filesystem::path& file) {
  return "'" + common::printable(file.string()) + "'";
}

}  // namespace bench_transfers::gate
