#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/subjects/launches.hpp"
#include "transfers/launch/source_module.hpp"

namespace bench_transfers::bench::launch_strategies {
namespace {

using subjects::count_of;
using subjects::with_arguments;
using transfers::argument;

const std::vector<std::string> counts{"0_arguments", "1_argument",  "2_arguments",
                                      "4_arguments", "8_arguments", "16_arguments"};

std::function<void()> generic_launch(const job& task) {
  const auto kernel = subjects::empty_kernel(task.device, count_of(task.variant));
  return [kernel, &stream = task.stream, arguments = std::vector<float*>(count_of(task.variant))] {
    // Packed for each launch, as the arguments of a call would be.
    const std::vector<argument> packed(arguments.begin(), arguments.end());
    kernel.launch(stream, {}, packed);
  };
}

std::function<void()> launched(const transfers::function& kernel, const job& task) {
  return with_arguments(count_of(task.variant),
                        [&kernel, &stream = task.stream]<class... A>() -> std::function<void()> {
                          return [prepared = kernel.prepare<A...>(), &stream] {
                            prepared(stream, {}, A{}...);
                          };
                        });
}

std::function<void()> prepared_launch(const job& task) {
  return launched(subjects::empty_kernel(task.device, count_of(task.variant)), task);
}

std::function<void()> source_launch(const job& task) {
  std::string parameters;
  for (std::size_t i = 0; i < count_of(task.variant); ++i)
    parameters += (i == 0 ? "float* a" : ", float* a") + std::to_string(i);
  const transfers::source_module module(task.device,
                                        "__global__ void nothing(" + parameters + ") {}");
  return launched(module.get_function("nothing"), task);
}

std::optional<std::string> needs_cuda(const transfers::device& device) {
  return why_not_cuda("it", device);
}

std::optional<std::string> needs_compiler(const transfers::device& device) {
  if (auto reason = needs_cuda(device)) return reason;
  return transfers::why_no_compiler();
}

std::function<void()> plain_launch(const job& task) {
  return subjects::plain_launch(task.device, task.stream, count_of(task.variant));
}

/// A method to launch a kernel, and its requirements.
struct launch_method {
  std::string name;
  std::string summary;
  unsigned plainness;
  std::function<std::function<void()>(const job&)> launch;
  std::function<std::optional<std::string>(const transfers::device&)> why_unsupported = {};
  std::optional<machine::cuda_release> cuda = {};
};

const std::vector<launch_method>& all_methods() {
  static const std::vector<launch_method> methods{
      {"plain", "an empty kernel, <<<>>>: time until the call returns", 0, plain_launch,
       needs_cuda},
      {"generic",
       "the same, arguments packed and checked at run time",
       2,
       generic_launch,
       {},
       cuda_with::kernel_parameters},
      {"prepared",
       "the same, argument types fixed and checked once",
       1,
       prepared_launch,
       {},
       cuda_with::kernel_parameters},
      {"source_module", "the same, prepared, kernel compiled from source text by NVRTC", 4,
       source_launch, needs_compiler, cuda_with::kernel_parameters},
      {"graph", "the same, replay of a graph with one kernel node", 3,
       [](const job& task) {
         return subjects::graph_launch(task.device, task.stream, count_of(task.variant));
       },
       needs_cuda}};
  return methods;
}

transfer prepare(const job& task, const launch_method& launched_by) {
  transfer result;
  result.steps = {{"launch", launched_by.launch(task)}};
  // The time of a launch drifts by more than the methods differ: the plainest is timed in turn.
  if (launched_by.plainness > 0 && !needs_cuda(task.device))
    result.against = {{.name = "plain",
                       .description = "the plain launch, timed in turn",
                       .run = plain_launch(task)}};
  // Only the call is timed. The queue is drained between batches, so that no launch waits for room
  // in it.
  result.timing.least_batch = 100;
  result.timing.between = [&device = task.device, &stream = task.stream] {
    subjects::check_launches(device);
    stream.synchronize();
  };
  return result;
}

const struct launch_strategies {
  launch_strategies() {
    for (const auto& launched_by : all_methods())
      registration{strategy{
          .family = "launch",
          .parts = {method(launched_by.name)},
          .summary = launched_by.summary,
          .variants = named(counts),
          .role = roles::launch,
          .plainness = launched_by.plainness,
          .prepare = [launched_by](const job& task) { return prepare(task, launched_by); },
          .needs = {.cuda = launched_by.cuda, .why_unsupported = launched_by.why_unsupported},
          .sampling = {.sized = false}}};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::launch_strategies
