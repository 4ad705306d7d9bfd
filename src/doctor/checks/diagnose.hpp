#pragma once

#include "src/doctor/facts.hpp"
#include "src/doctor/finding.hpp"

namespace bench_transfers::doctor {

/// What slows transfers, and what cannot be known. Judges by the facts alone.
diagnosis diagnose(const facts& facts);

}  // namespace bench_transfers::doctor
