#include "bench/strategies/gpu_work.hpp"

#include <cstring>
#include <span>
#include <utility>

#include "bench/subjects/work.hpp"
#include "transfers/core/element.hpp"
#include "transfers/launch/graph.hpp"

namespace bench_transfers::bench {
namespace {

constexpr std::size_t mib_of_work = std::size_t{1} << 20;
constexpr std::uint32_t first_value = 1;

/// How often each word is read, multiplied and written by a kernel, and how often it is multiplied
/// each time.
struct work_shape {
  std::size_t bytes;
  unsigned kernels = 1, passes = 1, factors = 1;
};

work_shape shape_of(work_kind kind, bool is_gpu) {
  constexpr auto chain = gpu_work::kernels_of_chain;
  constexpr std::size_t small = 4096;
  switch (kind) {
    case work_kind::memory_chain:
    case work_kind::graph: return {is_gpu ? 2 * mib_of_work : small, chain};
    case work_kind::arithmetic_chain:
    case work_kind::arithmetic_graph:
      // Enough threads for all multiprocessors.
      return {is_gpu ? mib_of_work / 2 : small, chain, 1, is_gpu ? 256U : 2U};
    case work_kind::hbm: break;
  }
  // More than the caches of any GPU hold.
  return {is_gpu ? 256 * mib_of_work : mib_of_work, 1, 2};
}

/// 3 to the power of `exponent`, as the kernels' words wrap around.
std::uint32_t power_of_3(std::uint64_t exponent) {
  std::uint32_t power = 1;
  for (std::uint32_t square = 3; exponent > 0; exponent /= 2, square *= square)
    if (exponent % 2 == 1) power *= square;
  return power;
}

}  // namespace

std::string to_string(work_kind kind) {
  switch (kind) {
    case work_kind::memory_chain: return "memory_chain";
    case work_kind::arithmetic_chain: return "arithmetic_chain";
    case work_kind::hbm: return "hbm";
    case work_kind::graph: return "graph";
    case work_kind::arithmetic_graph: break;
  }
  return "arithmetic_graph";
}

std::size_t gpu_work::bytes(const transfers::device& device, work_kind kind) {
  return shape_of(kind, device.description().cuda.has_value()).bytes;
}

gpu_work::gpu_work(const job& task, work_kind kind, work_priority priority)
    : device_(task.device),
      words_(bytes(device_, kind) / sizeof(std::uint32_t)),
      memory_(device_.allocate(bytes(device_, kind))),
      stream_(priority == work_priority::higher ? device_.create_priority_stream()
                                                : device_.create_stream()) {
  const auto shape = shape_of(kind, device_.description().cuda.has_value());
  factors_of_run_ = std::uint64_t{shape.kernels} * shape.passes * shape.factors;
  write(first_value);
  const auto kernel = subjects::multiplying_kernel(device_, words_);
  const auto launch = [kernel, shape, count = std::uint64_t{words_}, stream = stream_.get(),
                       words = reinterpret_cast<std::uint32_t*>(memory_.data())] {
    for (unsigned i = 0; i < shape.kernels; ++i)
      kernel.multiply(*stream, kernel.threads, words, count, shape.passes, shape.factors);
  };
  enqueue_ = launch;
  if (kind == work_kind::graph || kind == work_kind::arithmetic_graph)
    enqueue_ = [recorded = transfers::graph(*stream_, launch)] { recorded.enqueue(); };
  run();  // the first launch of a kernel may have to load it
}

void gpu_work::run() {
  enqueue_();
  stream_->synchronize();
  ++runs_;
}

void gpu_work::write(std::uint32_t value) {
  stream_->fill(memory_.data(), std::as_bytes(std::span(&value, 1)), words_);
  stream_->synchronize();
}

std::optional<std::string> gpu_work::find_damage() {
  const auto expected = power_of_3(runs_ * factors_of_run_);
  const auto extreme = [this](transfers::reduction_operation operation) {
    const auto result = stream_->reduce({.operation = operation,
                                         .type = transfers::element_type::uint32,
                                         .lhs = memory_.data(),
                                         .elements = words_});
    std::uint32_t value = 0;
    std::memcpy(&value, result.bytes.data(), sizeof value);
    return value;
  };
  const auto least = extreme(transfers::reduction_operation::min);
  const auto greatest = extreme(transfers::reduction_operation::max);
  write(first_value);
  const auto runs = std::exchange(runs_, 0);
  if (least == expected && greatest == expected) return std::nullopt;
  return "the words are " + std::to_string(least) + " to " + std::to_string(greatest) +
         " instead of " + std::to_string(expected) + " after " + std::to_string(runs) + " runs";
}

void gpu_work::corrupt() { write(2 * first_value); }

timed_work timed_gpu_work(const job& task, work_kind kind, work_priority priority) {
  const auto work = std::make_shared<gpu_work>(task, kind, priority);
  return {[work] { work->run(); }, [work] { return work->find_damage(); },
          [work] { work->corrupt(); }};
}

}  // namespace bench_transfers::bench
