#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/strategies/due_calls.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/subjects/async_memory.hpp"
#include "bench/subjects/launches.hpp"
#include "bench/verification/pattern.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"

namespace bench_transfers::bench::stalls_strategies {
namespace {

using transfers::direction;
using transfers::host_memory_kind;

/// Small calls of the device, each kind in a thread of its own, whenever they are due.
class small_calls {
 public:
  static constexpr std::size_t bytes = std::size_t{64} << 10;

  explicit small_calls(const job& task)
      : device_(task.device),
        pattern_(task.memory.pattern()),
        host_(device_.allocate_host(bytes, transfers::pinned())),
        on_device_(device_.allocate(bytes)),
        copying_(device_.create_stream()),
        launching_(device_.create_stream()),
        pooling_(device_.create_stream()),
        event_(copying_->record(transfers::event_timing::off)),
        pool_(device_) {
    write_host_pattern(host_.data(), 0, bytes, pattern_);
    add("longest_copy_ns", "a copy of 64 KiB and the wait for it", [this] {
      copying_->copy(on_device_.data(), host_.data(), bytes, direction::h2d);
      copying_->synchronize();
    });
    const auto nothing = subjects::empty_kernel(device_, 0).prepare<>();
    add("longest_launch_ns", "a launch and the wait for it", [this, nothing] {
      nothing(*launching_, {});
      launching_->synchronize();
    });
    add("longest_query_ns", "cudaEventQuery", [this] { static_cast<void>(event_->done()); });
    add("longest_device_allocation_ns", "cudaMalloc and cudaFree of 64 KiB",
        [this] { static_cast<void>(device_.allocate(bytes)); });
    add("longest_pool_allocation_ns", "64 KiB of the library's pool and back",
        [this] { static_cast<void>(pool_.allocate(bytes, *pooling_)); });
    add("longest_memory_query_ns", "cudaMemGetInfo",
        [this] { static_cast<void>(device_.free_memory()); });
    if (const auto& cuda = device_.description().cuda)
      if (const std::shared_ptr<const machine::gpu_monitor> monitor =
              machine::monitor_gpu(cuda->pci_bus_id))
        add("longest_nvml_read_ns", "a reading of the GPU's clocks by NVML",
            [monitor] { static_cast<void>(monitor->read()); });
    poison();
  }

  void start() {
    for (auto& kind : kinds_) kind.calls->start();
  }
  void stop() noexcept {
    for (auto& kind : kinds_) kind.calls->stop();
  }

  [[nodiscard]] std::vector<measured_metric> metrics(
      const std::vector<due_calls::span>& events) const {
    std::vector<measured_metric> metrics;
    std::size_t all = 0;
    for (const auto& kind : kinds_) {
      const auto [calls, longest_ns] = kind.calls->during(events);
      all += calls;
      if (calls < due_calls::fewest_calls) continue;
      metrics.push_back({time_metric(kind.name,
                                     kind.description + " by another thread, from when it was due: "
                                                        "the longest of those due meanwhile",
                                     true),
                         longest_ns});
    }
    metrics.push_back({count_metric("calls_made", "calls of other threads that were due meanwhile"),
                       static_cast<double>(all)});
    return metrics;
  }

  /// Makes later copies send wrong data, for injected faults.
  void corrupt() { write_host_pattern(host_.data(), 0, bytes, poisoned()); }

  /// One line if the copies have moved wrong data. Throws what a call threw.
  std::optional<std::string> compare() {
    for (auto& kind : kinds_) kind.calls->rethrow();
    const auto check = check_pattern(device_, on_device_.data(), 0, bytes, pattern_);
    poison();
    if (check.wrong_bytes == 0) return std::nullopt;
    return std::to_string(check.wrong_bytes) + " bytes of the small copies differ";
  }

 private:
  struct kind_of_call {
    std::string name, description;
    std::unique_ptr<due_calls> calls;
  };

  void add(std::string name, std::string description, std::function<void()> call) {
    const auto seed = static_cast<unsigned>(kinds_.size() + 1);
    kinds_.push_back({std::move(name), std::move(description),
                      std::make_unique<due_calls>(device_, std::move(call), seed)});
  }
  [[nodiscard]] pattern poisoned() const { return {pattern_.seed, !pattern_.inverted}; }
  void poison() { write_pattern(device_, on_device_.data(), 0, bytes, poisoned()); }

  transfers::device& device_;
  pattern pattern_;
  transfers::host_memory host_;
  transfers::device_memory on_device_;
  std::unique_ptr<transfers::stream> copying_, launching_, pooling_;
  std::unique_ptr<transfers::event> event_;
  transfers::device_pool pool_;
  std::vector<kind_of_call> kinds_;  // last: the threads use the other members
};

/// Memory that is allocated and freed while the calls are made.
struct allocation {
  std::function<void()> allocate, free;
};

allocation whole_block(const job& task, host_memory_kind kind) {
  const auto memory = std::make_shared<transfers::host_memory>();
  return {[memory, &device = task.device, bytes = task.bytes, kind] {
            *memory = device.allocate_host(bytes, kind);
          },
          [memory] { *memory = {}; }};
}

constexpr std::size_t pieces_of_block = 16;

allocation block_in_pieces(const job& task, host_memory_kind kind) {
  const auto pieces = std::make_shared<std::vector<transfers::host_memory>>();
  return {[pieces, &device = task.device, bytes = task.bytes, kind] {
            const auto piece = (bytes + pieces_of_block - 1) / pieces_of_block;
            *pieces = transfers::allocate_host_in_pieces(device, bytes, piece, kind);
          },
          [pieces] { pieces->clear(); }};
}

allocation block_with_pauses(const job& task, host_memory_kind kind) {
  const auto pieces = std::make_shared<std::array<transfers::host_memory, pieces_of_block>>();
  const auto for_each = [pieces](auto&& work) {
    constexpr std::chrono::milliseconds pause{1};
    for (auto& piece : *pieces) {
      if (&piece != &pieces->front()) std::this_thread::sleep_for(pause);
      work(piece);
    }
  };
  return {[for_each, &device = task.device, bytes = task.bytes / pieces_of_block, kind] {
            for_each([&](auto& piece) { piece = device.allocate_host(bytes, kind); });
          },
          [for_each] { for_each([](auto& piece) { piece = {}; }); }};
}

/// From a pool that has been given as much before.
allocation block_of_pool(const job& task) {
  const auto take = subjects::async_allocator(
      task.device, task.stream, subjects::pooled_memory::host, subjects::freed_memory::kept);
  const auto memory = std::make_shared<std::shared_ptr<std::byte>>();
  static_cast<void>(take(task.bytes));
  return {[memory, take, bytes = task.bytes] { *memory = take(bytes); },
          [memory] { memory->reset(); }};
}

transfer prepare(const job& task, const allocation& block) {
  struct shared_state {
    explicit shared_state(const job& measured) : calls(measured) {}

    small_calls calls;
    std::vector<due_calls::span> events = {};
  };
  const auto state = std::make_shared<shared_state>(task);
  transfer operation;
  operation.timing.batched = false;
  operation.timing.polls = true;
  operation.timing.least_operations = 1;
  operation.timing.conditions = [state] {
    state->calls.start();
    return at_end([state] { state->calls.stop(); });
  };
  operation.timing.forget_settling = [state] { state->events.clear(); };
  operation.steps = {{"allocate",
                      [state, block] {
                        state->events.push_back({due_calls::clock::now(), {}});
                        block.allocate();
                      }},
                     {"free", [state, block] {
                        block.free();
                        state->events.back().end = due_calls::clock::now();
                      }}};
  operation.check.compare = [state] { return state->calls.compare(); };
  operation.check.corrupt = [state] { state->calls.corrupt(); };
  operation.derive = [state](const metric_values&) { return state->calls.metrics(state->events); };
  return operation;
}

const result_file::role role{"stalls", "host memory allocated and freed beside other calls",
                             result_file::table::times};

void add(std::vector<name_part> parts, const std::string& summary, unsigned plainness,
         std::function<allocation(const job&)> make,
         std::function<std::optional<std::string>(const transfers::device&)> why_not) {
  registration{strategy{
      .family = "stalls",
      .parts = std::move(parts),
      .summary = "allocating and freeing while other threads make small calls, " + summary,
      .role = role,
      .plainness = plainness,
      .procedure = 2,  // of 1 one thread made all calls, one after another
      .shares_link = false,
      .prepare = [make = std::move(make)](const job& task) { return prepare(task, make(task)); },
      .needs = {.more_host_memory = 1,
                .fixed_host_memory = small_calls::bytes,
                .why_unsupported =
                    [why_not = std::move(why_not)](const transfers::device& device) {
                      const auto reason =
                          why_not_at_once("a thread allocates and others make calls");
                      return reason ? reason : why_not(device);
                    }},
      .sampling = {.smallest = std::size_t{1} << 20, .cold = false, .on_request = true}}};
}

const struct stall_strategies {
  stall_strategies() {
    const auto why_not = [](host_memory_kind kind) {
      return
          [kind](const transfers::device& device) { return bench::why_unsupported(kind, device); };
    };
    for (const auto kind :
         {transfers::pageable_huge, transfers::pinned(), transfers::registered_huge}) {
      const auto memory = transfers::describe(kind);
      add(
          {in_memory(kind)}, memory, options_of(kind),
          [kind](const job& task) { return whole_block(task, kind); }, why_not(kind));
      if (!is_page_locked(kind)) continue;
      const auto add_pieces = [&](const std::string& name, const std::string& summary,
                                  allocation (*allocate)(const job&, host_memory_kind)) {
        add(
            {setting(name), in_memory(kind)}, memory + " in 16 pieces" + summary,
            1 + options_of(kind), [=](const job& task) { return allocate(task, kind); },
            why_not(kind));
      };
      add_pieces("16_pieces", "", block_in_pieces);
      add_pieces("16_pieces_with_pauses", " with pauses of 1 ms between them", block_with_pauses);
    }
    add({method("host_pool_warm")}, "a block of a pool of CUDA in host memory, pool warm", 2,
        block_of_pool, [](const transfers::device& device) {
          return why_not_cuda("cudaMallocFromPoolAsync", device);
        });
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::stalls_strategies
