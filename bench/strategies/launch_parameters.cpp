#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bench/strategy/strategy.hpp"
#include "bench/subjects/parameters.hpp"
#include "bench/verification/pattern.hpp"

namespace bench_transfers::bench::launch_parameters_strategies {
namespace {

using subjects::data_parameter;

/// A launch, and the size of its parameter.
struct launch_with_data {
  std::function<void()> enqueue;
  std::size_t parameter_bytes;
};

std::uint32_t* words_at(std::byte* address) { return reinterpret_cast<std::uint32_t*>(address); }

/// The data are in the parameter already, as they are in the source of the copy.
launch_with_data launch_with_parameter(const job& task, const ends& ends) {
  const auto kernel = subjects::write_parameter(task.device, task.bytes);
  return subjects::with_capacity(task.bytes, [&]<std::size_t Capacity>() -> launch_with_data {
    const auto parameter = std::make_shared<data_parameter<Capacity>>();
    parameter->dst = words_at(ends.destination.data);
    parameter->bytes = static_cast<std::uint32_t>(task.bytes);
    std::memcpy(parameter->data, ends.source.data, task.bytes);
    const auto run = kernel.run.prepare<data_parameter<Capacity>>();
    return {[run, threads = kernel.threads, parameter, &stream = task.stream] {
              run(stream, threads, *parameter);
            },
            sizeof *parameter};
  });
}

/// The same by a copy, and a kernel that reads it. It writes to memory of its own, so that neither
/// form hides that the other one has moved nothing.
class copied_data {
 public:
  copied_data(const job& task, const payload& source)
      : device_(task.device),
        pattern_(task.memory.pattern()),
        poison_(task.memory.pattern(true)),
        copied_(device_.allocate(task.bytes)),
        written_(device_.allocate(task.bytes)),
        source_(source),
        kernel_(subjects::write_from_memory(device_, task.bytes)),
        run_(kernel_.run.prepare<std::uint32_t*, const std::uint32_t*, std::uint32_t>()) {
    poison();
  }

  void enqueue(transfers::stream& stream) {
    has_run_ = true;
    stream.copy(copied_.data(), source_.data, source_.bytes, transfers::direction::h2d);
    run_(stream, kernel_.threads, words_at(written_.data()), words_at(copied_.data()),
         static_cast<std::uint32_t>(source_.bytes));
  }

  /// Checks what the calls since the last check have written: nothing is wrong if there were none.
  pattern_check check() {
    if (!has_run_) return {};
    const auto check = check_pattern(device_, written_.data(), 0, source_.bytes, pattern_);
    poison();
    return check;
  }

 private:
  void poison() {
    has_run_ = false;
    for (auto* const memory : {copied_.data(), written_.data()})
      write_pattern(device_, memory, 0, source_.bytes, poison_);
  }

  transfers::device& device_;
  pattern pattern_, poison_;
  transfers::device_memory copied_, written_;
  payload source_;
  bool has_run_ = false;
  subjects::writing_kernel kernel_;
  transfers::prepared_function<std::uint32_t*, const std::uint32_t*, std::uint32_t> run_;
};

std::optional<std::string> find_damage(transfers::device& device, const pattern& pattern,
                                       const payload& written, copied_data& copied) {
  auto damage = words_of(check_pattern(device, written, pattern), "parameter: ");
  return damage ? damage : words_of(copied.check(), "copy and launch: ");
}

transfer prepare(const job& task) {
  const auto ends = ends_of(task, transfers::pinned(), transfers::direction::h2d);
  const auto launch = launch_with_parameter(task, ends);
  const auto copied = std::make_shared<copied_data>(task, ends.source);
  auto operation = transfer_between(ends);
  operation.steps = {{"launch_and_wait", waited_for(task.stream, launch.enqueue)}};
  operation.enqueue = launch.enqueue;
  operation.timing.batched = false;
  operation.against = {
      {.name = "copy_and_launch",
       .description = "cudaMemcpyAsync and the launch of a kernel that reads the copy, in turn",
       .run =
           waited_for(task.stream, [copied, &stream = task.stream] { copied->enqueue(stream); })}};
  operation.check.compare = [copied, &device = task.device, pattern = task.memory.pattern(),
                             written = ends.destination] {
    return find_damage(device, pattern, written, *copied);
  };
  operation.derive = [bytes = launch.parameter_bytes](const metric_values& /*known*/) {
    return std::vector<measured_metric>{
        {size_metric("parameter_bytes", "bytes of the kernel's parameter"),
         static_cast<double>(bytes)}};
  };
  return operation;
}

const result_file::role role{"parameters", "small data that a kernel gets with its launch",
                             result_file::table::times};

const registration parameters{
    strategy{.family = "launch",
             .parts = {method("parameters")},
             .summary = "small data as the parameter of a kernel, which writes them to memory",
             .calls = "memcpy(&parameter, host, sizeof(parameter));\n"
                      "kernel_with_data<<<blocks, threads, 0, stream>>>(parameter);",
             .role = role,
             .direction = result_file::direction::h2d,
             .plainness = 1,
             .shares_link = false,
             .prepare = prepare,
             .needs = {.host = transfers::pinned(),
                       .more_device_memory = 2,
                       .cuda = cuda_with::kernel_parameters},
             .sampling = {.largest = subjects::parameter_capacities.back(), .cold = false}}};

}  // namespace
}  // namespace bench_transfers::bench::launch_parameters_strategies
