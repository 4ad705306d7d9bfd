#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "src/doctor/facts.hpp"
#include "src/doctor/finding.hpp"

namespace bench_transfers::doctor {

/// The answer for people.
std::string text_of(const facts& facts, const diagnosis& diagnosis);

/// The answer for other programs: docs/answers.schema.json.
nlohmann::ordered_json document_of(const facts& facts, const diagnosis& diagnosis);

}  // namespace bench_transfers::doctor
