#pragma once

#include <optional>
#include <string>

namespace bench_transfers::machine {

/// How the processor treats memory. The flag WRITECOMBINED does not prove that memory is
/// write-combined, because a hypervisor may override it.
enum class memory_type {
  write_back,      ///< cached, as ordinary memory
  write_combined,  ///< not cached; streaming loads fetch a line at a time (Intel SDM vol. 3A,
                   ///< "Memory Cache Control")
  uncached,        ///< not cached; streaming loads are ordinary loads there
  unclear,
};

/// "write-back", "write-combined", "uncached", "unclear"
std::string to_string(memory_type type);

/// Times of reading the same number of bytes, in ns, with cold caches: 16-byte ordinary loads, and
/// streaming loads, which are as wide.
struct read_times {
  double plain = 0;
  std::optional<double> streaming;  ///< none if the processor has no such loads
};

/// Classifies memory by how much slower than ordinary memory it is read, and how much of that
/// streaming loads recover. Unclear if a time is not positive and finite.
memory_type classify(const read_times& memory, const read_times& ordinary);

}  // namespace bench_transfers::machine
