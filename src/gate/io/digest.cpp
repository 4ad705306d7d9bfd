#include "src/gate/io/digest.hpp"

#include <fmt/format.h>

#include <bit>
#include <string_view>
#include <utility>

#include "src/gate/io/hash.hpp"
#include "src/result_file/json_text.hpp"

namespace bench_transfers::gate {
namespace {

using simdjson::dom::element;

/// Adds the content of an element; the notation of its numbers and its white space do not count.
void add(const element& part, hash& digest) {
  using simdjson::dom::element_type;
  const auto type = part.is_number() ? element_type::DOUBLE : part.type();
  digest.add(static_cast<std::uint64_t>(type));
  switch (type) {
    case element_type::ARRAY: {
      const simdjson::dom::array list(part);
      digest.add(list.size());
      for (const auto entry : list) add(entry, digest);
      break;
    }
    case element_type::OBJECT: {
      const simdjson::dom::object object(part);
      digest.add(object.size());
      for (const auto& [key, value] : object) {
        digest.add(key);
        add(value, digest);
      }
      break;
    }
    case element_type::STRING: digest.add(std::string_view(part)); break;
    case element_type::BOOL: digest.add(std::uint64_t{bool(part)}); break;
    case element_type::NULL_VALUE: break;
    default: digest.add(std::bit_cast<std::uint64_t>(double(part)));
  }
}

}  // namespace

std::string digest_of(const element& baseline) {
  hash digest;
  for (const auto& [key, value] : simdjson::dom::object(baseline)) {
    if (key == digest_key) continue;
    digest.add(key);
    add(value, digest);
  }
  return fmt::format("{:016x}", digest.value());
}

std::string digest_of(std::string text) {
  simdjson::dom::parser parser;
  return digest_of(result_file::parsed(parser, std::move(text)));
}

}  // namespace bench_transfers::gate
