#include <cstring>
#include <memory>

#include "bench/strategy/strategy.hpp"
#include "bench/subjects/parameters.hpp"

namespace bench_transfers::bench {
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

std::function<void()> copy_and_launch(const job& task, const ends& ends) {
  const auto kernel = subjects::write_from_memory(task.device, task.bytes);
  const auto run = kernel.run.prepare<std::uint32_t*, const std::uint32_t*, std::uint32_t>();
  const auto copied =
      std::make_shared<const transfers::device_memory>(task.device.allocate(task.bytes));
  return [run, threads = kernel.threads, copied, ends, &stream = task.stream] {
    stream.copy(copied->data(), ends.source.data, ends.source.bytes, transfers::direction::h2d);
    run(stream, threads, words_at(ends.destination.data), words_at(copied->data()),
        static_cast<std::uint32_t>(ends.source.bytes));
  };
}

/// Runs work on a stream, and waits for it.
std::function<void()> waited_for(transfers::stream& stream, std::function<void()> enqueue) {
  return [&stream, enqueue = std::move(enqueue)] {
    enqueue();
    stream.synchronize();
  };
}

transfer prepare(const job& task) {
  const auto ends = ends_of(task, transfers::pinned(), transfers::direction::h2d);
  const auto launch = launch_with_parameter(task, ends);
  auto operation = transfer_between(ends);
  operation.steps = {{"launch_and_wait", waited_for(task.stream, launch.enqueue)}};
  operation.enqueue = launch.enqueue;
  operation.timing.batched = false;
  operation.against = {
      {.name = "copy_and_launch",
       .description = "cudaMemcpyAsync and the launch of a kernel that reads the copy, in turn",
       .run = waited_for(task.stream, copy_and_launch(task, ends))}};
  operation.derive = [bytes = launch.parameter_bytes](const metric_values& /*known*/) {
    return std::vector<measured_metric>{{{"parameter_bytes",
                                          "B",
                                          result_file::metric_kind::size,
                                          {},
                                          "bytes of the kernel's parameter"},
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
             .role = role,
             .direction = result_file::direction::h2d,
             .plainness = 1,
             .shares_link = false,
             .prepare = prepare,
             .needs = {.host = transfers::pinned(), .more_device_memory = 1},
             .sampling = {.largest = subjects::parameter_capacities.back(), .cold = false}}};

}  // namespace
}  // namespace bench_transfers::bench
