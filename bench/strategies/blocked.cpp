#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/strategies/beside.hpp"
#include "bench/strategies/blocking_call.hpp"
#include "bench/strategies/gpu_work.hpp"
#include "bench/strategies/small_copies.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::blocked_strategies {
namespace {

constexpr std::size_t bytes_of_small_copy = std::size_t{64} << 10;

timed_work copying_victim(const job& task) {
  const auto copies =
      std::make_shared<small_copies>(task, small_kind{.name = "memcpy",
                                                      .summary = "cudaMemcpyAsync",
                                                      .bytes = bytes_of_small_copy,
                                                      .direction = transfers::direction::h2d});
  return {[copies] {
            copies->choose_next();
            copies->run();
          },
          [copies] { return copies->find_damage(); }, [copies] { copies->corrupt(); }};
}

template <work_kind kind>
timed_work launching_victim(const job& task) {
  return timed_gpu_work(task, kind, work_priority::equal);
}

std::vector<variant> variants_of(const blocking_call& call) {
  const auto variant_of = [&](const char* name, timed_work (*make_victim)(const job&)) {
    return variant{.name = name, .prepare = [=](const job& task) {
                     auto victim = make_victim(task);
                     return timed_beside(task, std::move(victim), call.prepare(task));
                   }};
  };
  return {variant_of("chain", launching_victim<work_kind::arithmetic_chain>),
          variant_of("graph", launching_victim<work_kind::arithmetic_graph>),
          variant_of("copy", copying_victim)};
}

const result_file::role role{"blocked", "work while another thread makes a call",
                             result_file::table::times};

std::optional<std::string> why_not(const blocking_call& call, const transfers::device& device) {
  const auto reason = call.why_unsupported ? call.why_unsupported(device) : std::nullopt;
  return reason ? reason : why_no_calls_beside();
}

strategy strategy_for(const blocking_call& call) {
  // Both ends of the copies that are timed.
  constexpr std::size_t memory_of_copies = 2 * small_copies::places * bytes_of_small_copy;
  strategy result{
      .family = "blocked",
      .parts = {method(call.name)},
      .summary = std::to_string(gpu_work::kernels_of_chain) +
                 " launches, a graph or a small copy while another thread calls: " + call.summary,
      .variants = variants_of(call),
      .role = role,
      .plainness = 1,
      .procedure = 2,  // as in company
      .shares_link = false,
      .needs = {.fixed_host_memory = call.host_bytes + memory_of_copies,
                .staged_copier = call.staged_copier,
                .page_locks = call.page_locks,
                .why_unsupported =
                    [call](const transfers::device& device) { return why_not(call, device); }},
      .sampling = {
          .sized = false, .cold = false, .on_request = true, .profiles = {{"company", {"chain"}}}}};
  if (call.size) result.parts.push_back(setting(*call.size));
  return result;
}

const struct blocked_strategies {
  blocked_strategies() {
    for (const auto& calls : {blocking_copies(), blocking_allocations(), other_blocking_calls()})
      for (const auto& call : calls) registration{strategy_for(call)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::blocked_strategies
