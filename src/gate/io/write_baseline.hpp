#pragma once

#include <string>

#include "src/gate/model/baseline.hpp"

namespace bench_transfers::gate {

/// A file's text, a benchmark a line.
std::string to_text(const baseline& pinned);

}  // namespace bench_transfers::gate
