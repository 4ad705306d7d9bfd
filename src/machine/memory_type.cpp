#include "src/machine/memory_type.hpp"

#include <cmath>

namespace bench_transfers::machine {
namespace {

bool is_time(double ns) { return std::isfinite(ns) && ns > 0; }

/// Memory that is far away and cached is slow for the first read alone.
bool is_served_by_cache(const access_times& memory) {
  return memory.again && is_time(*memory.again) && memory.plain / *memory.again >= 2;
}

/// With streaming loads, one of the four 16-byte loads of a line waits for memory, not all four.
memory_type by_streaming_loads(const access_times& memory) {
  if (!is_time(*memory.streaming)) return memory_type::unclear;
  const double gain = memory.plain / *memory.streaming;
  if (gain >= 2) return memory_type::write_combined;
  return gain < 1.4 ? memory_type::uncached : memory_type::unclear;
}

/// Stores to the eight words of a line leave together, or one after the other.
memory_type by_stores(const store_times& stores) {
  if (!is_time(stores.one_of_each_line) || !is_time(stores.all)) return memory_type::unclear;
  const double dearer = stores.all / stores.one_of_each_line;
  if (dearer < 2) return memory_type::write_combined;
  return dearer >= 4 ? memory_type::uncached : memory_type::unclear;
}

}  // namespace

std::string to_string(memory_type type) {
  switch (type) {
    case memory_type::write_back: return "write-back";
    case memory_type::write_combined: return "write-combined";
    case memory_type::uncached: return "uncached";
    case memory_type::unclear: break;
  }
  return "unclear";
}

memory_type classify(const access_times& memory, const access_times& ordinary) {
  if (!is_time(memory.plain) || !is_time(ordinary.plain)) return memory_type::unclear;
  // Reads of uncached memory are 20 to 200 times slower; reads of cached memory elsewhere (another
  // NUMA node, small pages instead of huge ones) up to 2 times.
  const double slower = memory.plain / ordinary.plain;
  if (slower < 2) return memory_type::write_back;
  if (is_served_by_cache(memory)) return memory_type::write_back;
  if (slower < 6) return memory_type::unclear;
  if (memory.streaming) return by_streaming_loads(memory);
  return memory.stores ? by_stores(*memory.stores) : memory_type::unclear;
}

}  // namespace bench_transfers::machine
