#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "src/common/read_error.hpp"

namespace bench_transfers::common {

/// Unpacks text compressed with gzip (RFC 1952), also of several members; returns any other text
/// unchanged. Throws read_error if it is damaged, cut off, followed by something else, or larger
/// than `most_bytes`.
std::string unpacked(std::string bytes, std::size_t most_bytes = most_text_bytes);

/// The first bytes of a text, which may be compressed with gzip. Of one that is damaged or cut off
/// the text that precedes the damage.
std::string unpacked_beginning(std::string_view bytes, std::size_t most_bytes);

/// The text compressed with gzip (RFC 1952), without a name or a time: equal texts give equal
/// bytes. Throws std::bad_alloc.
std::string packed(const std::string& text);

}  // namespace bench_transfers::common
