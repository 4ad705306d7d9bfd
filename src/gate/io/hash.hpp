#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bench_transfers::gate {

/// FNV-1a, 64 bits (RFC draft-eastlake-fnv): the same in every process. It protects against
/// accidents, not against malice.
class hash {
 public:
  void add(const void* bytes, std::size_t count) {
    const auto* const each = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < count; ++i) hash_ = (hash_ ^ each[i]) * 0x100000001b3U;
  }
  void add(std::string_view text) {
    add(text.size());
    add(text.data(), text.size());
  }
  void add(std::uint64_t number) { add(&number, sizeof(number)); }

  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace bench_transfers::gate
