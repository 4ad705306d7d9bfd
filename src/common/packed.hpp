#pragma once

#include <string>

namespace bench_transfers::common {

/// The text compressed with gzip (RFC 1952), without a name or a time: equal texts give equal
/// bytes. Throws std::bad_alloc.
std::string packed(const std::string& text);

}  // namespace bench_transfers::common
