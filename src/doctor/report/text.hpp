#pragma once

#include <string>

#include "src/doctor/facts.hpp"
#include "src/doctor/finding.hpp"

namespace bench_transfers::doctor {

/// The answer for people.
std::string text_of(const facts& facts, const diagnosis& diagnosis);

}  // namespace bench_transfers::doctor
