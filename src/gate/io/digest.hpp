#pragma once

#include <simdjson.h>

#include <string>

namespace bench_transfers::gate {

inline constexpr const char* digest_key = "digest";

/// The digest of a baseline, without its own `digest`. It shows that lines were lost or changed, as
/// by a merge.
std::string digest_of(const simdjson::dom::element& baseline);
/// The same of its text. Throws result_file::bad_entry.
std::string digest_of(std::string text);

}  // namespace bench_transfers::gate
