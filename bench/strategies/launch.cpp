#include "bench/strategy/elements.hpp"
#include "bench/subjects/launches.hpp"
#include "transfers/launch/source_module.hpp"

namespace bench_transfers::bench {
namespace {

using subjects::count_of;
using subjects::with_arguments;
using transfers::argument;

const std::vector<std::string> counts{"0_arguments", "1_argument",  "2_arguments",
                                      "4_arguments", "8_arguments", "16_arguments"};

std::function<void()> generic_launch(const job& wanted) {
  const auto kernel = subjects::empty_kernel(wanted.device, count_of(wanted.variant));
  return
      [kernel, &stream = wanted.stream, arguments = std::vector<float*>(count_of(wanted.variant))] {
        // Packed for each launch, as the arguments of a call would be.
        const std::vector<argument> packed(arguments.begin(), arguments.end());
        kernel.launch(stream, {}, packed);
      };
}

std::function<void()> launched(const transfers::function& kernel, const job& wanted) {
  return with_arguments(count_of(wanted.variant),
                        [&kernel, &stream = wanted.stream]<class... A>() -> std::function<void()> {
                          return [prepared = kernel.prepare<A...>(), &stream] {
                            prepared(stream, {}, A{}...);
                          };
                        });
}

std::function<void()> prepared_launch(const job& wanted) {
  return launched(subjects::empty_kernel(wanted.device, count_of(wanted.variant)), wanted);
}

std::function<void()> source_launch(const job& wanted) {
  std::string parameters;
  for (std::size_t i = 0; i < count_of(wanted.variant); ++i)
    parameters += (i == 0 ? "float* a" : ", float* a") + std::to_string(i);
  const transfers::source_module module(wanted.device,
                                        "__global__ void nothing(" + parameters + ") {}");
  return launched(module.get_function("nothing"), wanted);
}

std::optional<std::string> needs_cuda(const transfers::device& device) {
  if (device.description().kind == "cuda") return std::nullopt;
  return "it is CUDA's own; the host device has no counterpart";
}

std::optional<std::string> needs_compiler(const transfers::device& device) {
  if (auto reason = needs_cuda(device)) return reason;
  return transfers::why_no_compiler();
}

std::function<void()> plain_launch(const job& wanted) {
  return subjects::plain_launch(wanted.device, wanted.stream, count_of(wanted.variant));
}

/// A launch's time drifts by more than the ways to launch differ.
std::vector<comparison> plain_in_turn(const std::string& name, const job& wanted) {
  if (name == "plain" || needs_cuda(wanted.device)) return {};
  return {{.with = "plain", .run = plain_launch(wanted)}};
}

void add(const std::string& name, const std::string& summary,
         std::function<std::function<void()>(const job&)> launch,
         std::function<std::optional<std::string>(const transfers::device&)> why_unsupported = {}) {
  registration{strategy{.name = "launch/" + name,
                        .summary = summary,
                        .variants = counts,
                        .sized = false,
                        .host = std::nullopt,
                        .prepare =
                            [name, launch = std::move(launch)](const job& wanted) {
                              transfer made;
                              made.steps = {{"launch", launch(wanted)}};
                              made.against = plain_in_turn(name, wanted);
                              // Only the call is timed. The queue is emptied between batches, lest
                              // a launch wait for room in it.
                              made.least_batch = 100;
                              made.between = [&device = wanted.device, &stream = wanted.stream] {
                                subjects::check_launches(device);
                                stream.synchronize();
                              };
                              return made;
                            },
                        .why_unsupported = std::move(why_unsupported)}};
}

const struct all {
  all() {
    add("plain", "an empty kernel, <<<>>>: time until the call returns", plain_launch, needs_cuda);
    add("generic", "the same, arguments packed and checked at run time", generic_launch);
    add("prepared", "the same, argument types fixed and checked once", prepared_launch);
    add("source_module", "the same, prepared, kernel compiled from source text by NVRTC",
        source_launch, needs_compiler);
    add(
        "graph", "the same, replay of a graph with one kernel node",
        [](const job& j) {
          return subjects::graph_launch(j.device, j.stream, count_of(j.variant));
        },
        needs_cuda);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
