#pragma once

#include <string>

#include "src/gate/model/baseline.hpp"

namespace bench_transfers::gate {

/// The text of a file, with one benchmark per line.
std::string to_text(const baseline& baseline);

}  // namespace bench_transfers::gate
