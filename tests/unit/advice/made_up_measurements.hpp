#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/advice/measurements.hpp"

namespace bench_transfers::advice {

/// Exact measurements with round costs; sizes 1 kB to 64 MB, each four times the one before.
/// Totals can be worked out by hand: at 1 MB (10⁶ bytes) and for h2d, in µs,
///                 allocate + free    fill    transfer    read back
///   pageable            200           100       110         100
///   pinned             1300           100        30         100
///   pinned_mapped      1300           100        40         800   (in place)
/// Names tell nothing: what a series measures is in its other members.
struct made_up : measurements {
  made_up() {
    add_transfer("plain copy", "pageable", 0, 10e3, 0.1);
    add_transfer("pinned copy", "pinned", 1, 10e3, 0.02);
    add_transfer("in place", "pinned_mapped", 3, 20e3, 0.02);
    add_transfer("plain copy", "pageable", 0, 10e3, 0.1, term::transfer_d2h);
    add_transfer("pinned copy", "pinned", 1, 10e3, 0.02, term::transfer_d2h);
    add_memory("pageable", {50e3, 0.1}, {25e3, 0.025}, 0.1);
    add_memory("pinned", {500e3, 0.5}, {200e3, 0.1}, 0.1);
    add_memory("pinned_mapped", {500e3, 0.5}, {200e3, 0.1}, 0.8);
  }

  struct line {
    double t0_ns, ns_per_byte;
  };

  series& add_transfer(const std::string& strategy, const std::string& memory, unsigned plainness,
                       double t0_ns, double ns_per_byte, term direction = term::transfer_h2d) {
    const auto name = strategy + (direction == term::transfer_h2d ? " up" : " down");
    return add(
        {name, strategy, direction, memory, {plainness}, {}, times({t0_ns, ns_per_byte}, 4)});
  }

  void add_memory(const std::string& memory, line allocation, line release, double read_back) {
    add_cost(memory, term::allocation, times(allocation, 4));
    add_cost(memory, term::deallocation, times(release, 4));
    add_cost(memory, term::cpu_write, times({0, 0.1}, 250));
    add_cost(memory, term::cpu_read, times({0, read_back}, 250));
  }

  series& cost(const std::string& memory, term measures) {
    for (auto& measured : all_series)
      if (measured.memory == memory && measured.measures == measures) return measured;
    throw std::out_of_range(memory);
  }

  void remove(const std::string& memory, term measures) {
    std::erase_if(all_series, [&](const series& measured) {
      return measured.memory == memory && measured.measures == measures;
    });
  }

 private:
  static std::vector<statistics::measured_time> times(line cost, double factor) {
    std::vector<statistics::measured_time> times;
    for (double bytes = 1e3; bytes <= 64e6; bytes *= factor)
      times.push_back({bytes, cost.t0_ns + bytes * cost.ns_per_byte});
    return times;
  }

  void add_cost(const std::string& memory, term measures,
                std::vector<statistics::measured_time> times) {
    const auto name = memory + std::to_string(static_cast<int>(measures));
    add({name, name, measures, memory, {}, {}, std::move(times)});
  }

  series& add(series added) {
    const auto place = std::ranges::upper_bound(all_series, added.name, {}, &series::name);
    return *all_series.insert(place, std::move(added));
  }
};

}  // namespace bench_transfers::advice
