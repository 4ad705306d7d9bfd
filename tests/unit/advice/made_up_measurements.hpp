#pragma once

#include "src/advice/measurements.hpp"

namespace bench_transfers::advice {

/// Exact measurements with round costs; sizes 1 kB to 64 MB, each four times the one before.
/// Totals can be worked out by hand: at 1 MB (10⁶ bytes) and for h2d, in µs,
///                 allocate + free    fill    transfer    read back
///   pageable            200           100       110         100
///   pinned             1300           100        30         100
///   pinned_mapped      1300           100        40         800   (zero-copy)
struct made_up : measurements {
  made_up() {
    add_line("copy/pageable/h2d", 10e3, 0.1);
    add_line("copy/pinned/h2d", 10e3, 0.02);
    add_line("zero_copy/pinned_mapped/h2d", 20e3, 0.02);
    add_line("copy/pageable/d2h", 10e3, 0.1);
    add_line("copy/pinned/d2h", 10e3, 0.02);
    add_line("allocate/pageable", 50e3, 0.1);
    add_line("free/pageable", 25e3, 0.025);
    for (const auto* memory : {"pinned", "pinned_mapped"}) {
      add_line(std::string("allocate/") + memory, 500e3, 0.5);
      add_line(std::string("free/") + memory, 200e3, 0.1);
    }
    for (const auto* memory : {"pageable", "pinned", "pinned_mapped"}) {
      add_rate(std::string("cpu/") + memory + "/write_memcpy", 0.1);
      add_rate(std::string("cpu/") + memory + "/read_memcpy",
               std::string(memory) == "pinned_mapped" ? 0.8 : 0.1);
    }
  }

  void add_line(const std::string& name, double t0_ns, double ns_per_byte) {
    for (double bytes = 1e3; bytes <= 64e6; bytes *= 4)
      times[name].push_back({bytes, t0_ns + bytes * ns_per_byte});
  }

  void add_rate(const std::string& name, double ns_per_byte) {
    for (double bytes = 1e3; bytes <= 64e6; bytes *= 250)
      times[name].push_back({bytes, bytes * ns_per_byte});
  }
};

}  // namespace bench_transfers::advice
