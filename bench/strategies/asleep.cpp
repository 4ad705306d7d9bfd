#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "bench/strategy/strategy.hpp"
#include "bench/strategy/written_lines.hpp"

namespace bench_transfers::bench::asleep_strategies {
namespace {

/// How long the cores that hold the lines have been idle when a copy begins.
struct idle_time {
  const char* name;
  std::chrono::microseconds time;
};
constexpr std::array idle_times{idle_time{"20us", std::chrono::microseconds(20)},
                                idle_time{"200us", std::chrono::microseconds(200)},
                                idle_time{"2ms", std::chrono::milliseconds(2)},
                                idle_time{"20ms", std::chrono::milliseconds(20)}};

transfer prepare(const job& task, transfers::host_memory_kind kind, const idle_time& idle) {
  auto copy = synchronous_copy(task, kind);
  transfer written;
  written.source = copy.source;
  written.destination = copy.destination;
  copy.timing.batched = false;
  copy.timing.between = [written, preparation = std::make_shared<line_preparation>(
                                      cache_state::written_by_all, idle.time)] {
    (*preparation)(written);
  };
  return copy;
}

const struct asleep_strategies {
  asleep_strategies() {
    constexpr auto kind = transfers::pinned();
    for (const auto& idle : idle_times)
      registration{
          strategy{.family = "asleep",
                   .parts = {setting(idle.name), in_memory(kind)},
                   .summary = std::string("cudaMemcpy of memory that all threads wrote, ") +
                              idle.name + " after these have gone to sleep",
                   .variants = both_directions(),
                   .role = {"asleep", "copies of memory that threads wrote some time ago",
                            result_file::table::times},
                   .plainness = 1,
                   .prepare = [kind, &idle](const job& task) { return prepare(task, kind, idle); },
                   .needs = {.host = kind,
                             .why_unsupported =
                                 [](const auto&) {
                                   return why_not_at_once("other threads write the memory");
                                 }},
                   .sampling = {.smallest = std::size_t{1} << 20,
                                .largest = std::size_t{64} << 20,
                                .cold = false,
                                .on_request = true}}};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::asleep_strategies
